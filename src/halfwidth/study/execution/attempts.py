"""One chunk in one process: pinned to one thread, silent, and measured."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import socket
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from halfwidth import __version__
from halfwidth.resampling import progress
from halfwidth.study.chunks import Chunk, Made, Work

__all__ = ["ONE_THREAD", "Answer", "Fault", "Reply", "attempt", "attempt_here", "peak_megabytes"]

# What numerical libraries read when they are loaded.
LIBRARIES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
PINNED = dict.fromkeys(LIBRARIES, "1")
# For processes that begin.
ONE_THREAD = PINNED | {"NUMEXPR_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Reply:
    """A chunk that is made, by whom, and how much memory the process has had at most, in MB."""

    made: Made
    host: str
    pid: int
    peak_mb: float | None


@dataclass(frozen=True)
class Fault:
    """A chunk that went wrong.

    Attributes
    ----------
    text : str
        The traceback, or how the worker died.
    died : bool
        Whether the worker did.
    """

    text: str
    died: bool = False

    @property
    def reason(self) -> str:
        """The last line."""
        return (self.text.strip().splitlines() or ["unknown"])[-1].strip()


Answer = Reply | Fault


def attempt(work: Work, chunk: Chunk, version: str = __version__) -> Answer:
    """Do one chunk, in a worker that does nothing else."""
    if version != __version__:
        return Fault(f"this worker ({_host()}) has halfwidth {__version__}, the study {version}")
    _become_a_worker()
    return _attempted(work, chunk)


def attempt_here(work: Work, chunk: Chunk) -> Answer:
    """Do one chunk in the process of the user, who gets back what is changed for it."""
    with _pinned(), _silent():
        return _attempted(work, chunk)


def _attempted(work: Work, chunk: Chunk) -> Answer:
    try:
        made = work(chunk)
    # One bad chunk must not cost the others, and one that exits is as bad as one that raises.
    except (Exception, SystemExit):  # noqa: BLE001 -- whatever it is, it is kept
        return Fault(traceback.format_exc())
    return Reply(made, _host(), os.getpid(), peak_megabytes())


@functools.cache
def _become_a_worker() -> None:
    """For good: threads of one process may do chunks side by side."""
    # Libraries that are loaded later read the environment.
    os.environ.update(PINNED)
    _limited()
    progress.PATIENCE = math.inf


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """No bars of single computations beside the one of the study."""
    before, progress.PATIENCE = progress.PATIENCE, math.inf
    try:
        yield
    finally:
        progress.PATIENCE = before


@contextlib.contextmanager
def _pinned() -> Iterator[None]:
    """One thread for each numerical library, loaded or not."""
    before = {name: os.environ.get(name) for name in PINNED}
    os.environ.update(PINNED)
    limited = _limited()
    try:
        yield
    finally:
        if limited is not None:
            limited.restore_original_limits()
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _limited() -> Any:
    """Limit what is loaded already, where there is a library for that."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return None
    return threadpool_limits(limits=1)


def _host() -> str:
    return socket.gethostname()


def peak_megabytes() -> float | None:
    """The most memory that this process has had; None where the system does not say."""
    try:
        import resource
    except ImportError:
        return None
    # Kilobytes on Linux, bytes on macOS.
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)
