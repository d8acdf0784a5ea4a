"""Worker processes: how many, and that they leave interrupts to the process that starts them."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from typing import Any

from halfwidth.core.errors import OptionError


def check_jobs(jobs: Any) -> int:
    """The number of worker processes: 1 or more, or -1 for one per available processor."""
    if isinstance(jobs, bool) or not isinstance(jobs, int) or (jobs < 1 and jobs != -1):
        raise OptionError(
            f"jobs={jobs!r} (--jobs) is not an integer from 1 up, nor -1 for all processors"
        )
    if jobs > 0:
        return jobs
    import joblib

    return int(joblib.cpu_count())


@contextlib.contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Processes that are started in here never hear of an interrupt; this one hears it as ever.

    A terminal sends Ctrl-C to all of them, and a worker that is still importing would die of it
    with a traceback. Processes begin with the signals that are blocked in the thread that starts
    them. The signal must not be ignored instead, not even for a moment: an interrupt of that
    moment would be lost. This process hears it by its other threads, or when it is unblocked.
    """
    # Where nothing can be blocked, as on Windows, workers take what comes.
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    _start_trackers()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_trackers() -> None:
    """Start what is started with the first worker, and which would unblock interrupts again."""
    from multiprocessing import resource_tracker

    from joblib.externals.loky.backend import resource_tracker as loky_tracker

    resource_tracker.ensure_running()
    loky_tracker.ensure_running()
