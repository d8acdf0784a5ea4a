"""Doing one chunk in one process, with one thread, silently, and measured."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import socket
import sys
import traceback
from collections.abc import Iterator
from typing import Any

from halfwidth import __version__
from halfwidth.core.frozen import frozen
from halfwidth.core.processes import PINNED
from halfwidth.document import progress
from halfwidth.study.chunks import Chunk, ChunkResult, Work


@frozen
class Reply:
    """The result of a chunk, with its process and the peak memory of that in MB."""

    result: ChunkResult
    host: str
    pid: int
    peak_mb: float | None


@frozen
class Fault:
    """The failure of a chunk."""

    # The traceback, or how the worker died.
    text: str
    # Whether the worker died.
    died: bool = False

    @property
    def reason(self) -> str:
        """The last line."""
        return (self.text.strip().splitlines() or ["unknown"])[-1].strip()


Answer = Reply | Fault


def attempt(work: Work, chunk: Chunk, version: str = __version__) -> Answer:
    """Do one chunk in a dedicated worker process."""
    if version != __version__:
        return Fault(
            f"worker {_host()} runs halfwidth {__version__}; the study was started with {version}"
        )
    _become_a_worker()
    return _run_work(work, chunk)


def attempt_here(work: Work, chunk: Chunk) -> Answer:
    """Do one chunk in the process of the user, and restore its settings afterwards."""
    with _pinned(), _silent():
        return _run_work(work, chunk)


def _run_work(work: Work, chunk: Chunk) -> Answer:
    try:
        result = work(chunk)
    # One bad chunk must not harm the others; exiting is as bad as raising.
    except (Exception, SystemExit):  # noqa: BLE001 -- whatever it is, it is kept
        return Fault(traceback.format_exc())
    return Reply(result, _host(), os.getpid(), peak_megabytes())


@functools.cache
def _become_a_worker() -> None:
    """Permanently: threads of one process may do chunks at the same time."""
    # Libraries that are loaded later read the environment.
    os.environ.update(PINNED)
    _limit_threads()
    progress.PATIENCE = math.inf


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Show no progress bars of single computations, only the one of the study."""
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
    limits = _limit_threads()
    try:
        yield
    finally:
        if limits is not None:
            limits.restore_original_limits()
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _limit_threads() -> Any:
    """Limit the threads of loaded libraries, if threadpoolctl is installed."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return None
    return threadpool_limits(limits=1)


def _host() -> str:
    return socket.gethostname()


def peak_megabytes() -> float | None:
    """Peak memory of this process; None if the system does not report it."""
    try:
        import resource
    except ImportError:
        return None
    # Kilobytes on Linux, bytes on macOS.
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)
