"""Interrupts only where they do no harm: while a run waits for work, never while it writes."""

from __future__ import annotations

import _thread
import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

from halfwidth.core.processes import terminate

# After this many requests the run ends at any cost.
OFTEN = 3
# Seconds until an interrupt that was swallowed is repeated.
AGAIN = 0.5
# The handlers of the signals that end a run, of Python and of the command line.
USUALLY = {
    signal.SIGINT: (signal.default_int_handler,),
    signal.SIGTERM: (signal.SIG_DFL, terminate),
}


class Stopped(KeyboardInterrupt):
    """An interrupt that has ended a run, after the user was told how to resume."""


class Stop:
    """Whether the end of the run was requested, and whether it may come now."""

    def __init__(self) -> None:
        self.requests = 0
        # The first signal, 0 for none.
        self.signal = 0
        self._allowed = self._inside = self._again = False
        self._over = threading.Event()

    def ask(self, number: int = signal.SIGINT, _frame: FrameType | None = None) -> None:
        """Handle the signal: end now, or as soon as it is allowed."""
        if self._again:
            self._again = False
            if self._inside:
                raise KeyboardInterrupt
            return
        self.requests += 1
        if self.requests == 1:
            self.signal = number
            threading.Thread(target=self._insist, daemon=True).start()
        if self._allowed or self.requests >= OFTEN:
            self._allowed = False
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def allowed(self) -> Iterator[None]:
        """Raise an interrupt here that came before or comes now."""
        # In this order: a signal between the two lines is raised by its handler.
        self._allowed = self._inside = True
        try:
            if self.requests:
                raise KeyboardInterrupt
            yield
        finally:
            self._allowed = self._inside = False

    def _insist(self) -> None:
        """Repeat an interrupt that is swallowed: a callback from C cannot pass it on.

        A serial run may also wait for the compiler of the kernels.
        """
        while not self._over.wait(AGAIN):
            if self._inside:
                self._again = True
                _send_to_main_thread(self.signal)

    def end(self) -> None:
        """Stop repeating interrupts."""
        self._over.set()


def _send_to_main_thread(number: int) -> None:
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        # Also wakes it from waiting.
        signal.pthread_kill(main, number)
    else:
        _thread.interrupt_main(signal.Signals(number))


@contextlib.contextmanager
def shielded() -> Iterator[Stop]:
    """Defer interrupts and termination signals, except within `Stop.allowed`.

    A process told to terminate does so in the end. Other handlers than these, and other threads
    than the main one, are left alone.
    """
    stop = Stop()
    before = {number: signal.getsignal(number) for number in USUALLY}
    usual = [number for number, handlers in USUALLY.items() if before[number] in handlers]
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
