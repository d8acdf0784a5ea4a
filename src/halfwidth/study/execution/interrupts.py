"""Ctrl-C where it does no harm: while a run waits for work, never while it writes."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

__all__ = ["Stop", "Stopped", "shielded", "unheard"]

# Somebody who asks so often means it, whatever it costs.
OFTEN = 3


class Stopped(KeyboardInterrupt):
    """An interrupt that has ended a run, which has told what is kept and how to go on."""


class Stop:
    """Whether an end was asked for, and whether it may come now."""

    def __init__(self) -> None:
        self._asked = 0
        self._allowed = False

    def ask(self, _signal: int = 0, _frame: FrameType | None = None) -> None:
        """Take the signal: end now, or as soon as it is allowed."""
        self._asked += 1
        if self._allowed or self._asked >= OFTEN:
            self._allowed = False
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def allowed(self) -> Iterator[None]:
        """An interrupt that came before, or comes now, is raised in here."""
        # In this order: what comes between the two lines is raised by the signal itself.
        self._allowed = True
        try:
            if self._asked:
                raise KeyboardInterrupt
            yield
        finally:
            self._allowed = False


@contextlib.contextmanager
def shielded() -> Iterator[Stop]:
    """Hold interrupts back, but where `Stop.allowed` lets them in.

    Where Python does not handle them as usual (another thread, a signal that is ignored or taken
    by somebody else), nothing is changed.
    """
    stop = Stop()
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not usual or threading.current_thread() is not threading.main_thread():
        yield stop
        return
    signal.signal(signal.SIGINT, stop.ask)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextlib.contextmanager
def unheard() -> Iterator[None]:
    """Processes that are started in here never hear of an interrupt; this one hears it after."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    can_wait = hasattr(signal, "pthread_sigmask")
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if can_wait else None
    # Whoever begins with an ignored signal goes on to ignore it.
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
