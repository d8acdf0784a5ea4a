"""Ctrl-C where it does no harm: while a run waits for work, never while it writes."""

from __future__ import annotations

import _thread
import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

__all__ = ["Stop", "Stopped", "shielded"]

# Somebody who asks so often means it, whatever it costs.
OFTEN = 3
# Seconds until a wait that an interrupt should have ended is interrupted again.
AGAIN = 0.5
# Who handles the signals that end a run where nobody else has taken them.
USUALLY = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}


class Stopped(KeyboardInterrupt):
    """An interrupt that has ended a run, which has told what is kept and how to go on."""


class Stop:
    """Whether an end was asked for, and whether it may come now.

    Attributes
    ----------
    asked : int
        How often.
    signal : int
        The first one that asked, 0 for none.
    """

    def __init__(self) -> None:
        self.asked = 0
        self.signal = 0
        self._allowed = self._inside = self._again = False
        self._over = threading.Event()

    def ask(self, number: int = signal.SIGINT, _frame: FrameType | None = None) -> None:
        """Take the signal: end now, or as soon as it is allowed."""
        if self._again:
            self._again = False
            if self._inside:
                raise KeyboardInterrupt
            return
        self.asked += 1
        if self.asked == 1:
            self.signal = number
            threading.Thread(target=self._insist, daemon=True).start()
        if self._allowed or self.asked >= OFTEN:
            self._allowed = False
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def allowed(self) -> Iterator[None]:
        """An interrupt that came before, or comes now, is raised in here."""
        # In this order: what comes between the two lines is raised by the signal itself.
        self._allowed = self._inside = True
        try:
            if self.asked:
                raise KeyboardInterrupt
            yield
        finally:
            self._allowed = self._inside = False

    def _insist(self) -> None:
        """Ask again where an interrupt is swallowed: a callback from C cannot pass it on.

        So do those of the compiler of the kernels, which a serial run may wait for.
        """
        while not self._over.wait(AGAIN):
            if self._inside:
                self._again = True
                _send_to_main_thread(self.signal)

    def end(self) -> None:
        """Nobody listens any more."""
        self._over.set()


def _send_to_main_thread(number: int) -> None:
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        # Wakes it where it waits, too.
        signal.pthread_kill(main, number)
    else:
        _thread.interrupt_main(signal.Signals(number))


@contextlib.contextmanager
def shielded() -> Iterator[Stop]:
    """Hold interrupts back, and the wish of a batch system to end, but where `Stop.allowed`.

    A process that was told to terminate does so in the end, as others do.

    Where Python does not handle them as usual (another thread, a signal that is ignored or taken
    by somebody else), nothing is changed.
    """
    stop = Stop()
    before = {number: signal.getsignal(number) for number in USUALLY}
    usual = [number for number, handler in USUALLY.items() if before[number] is handler]
    if threading.current_thread() is not threading.main_thread():
        usual = []
    for number in usual:
        signal.signal(number, stop.ask)
    try:
        yield stop
    finally:
        stop.end()
        for number in usual:
            signal.signal(number, before[number])
