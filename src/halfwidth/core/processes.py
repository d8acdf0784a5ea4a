"""Other processes: how many, and that they end with the one that starts them.

Workers are spawned by loky, which comes with joblib. They leave interrupts to the process that
started them.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import re
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from types import FrameType
from typing import Any, TypeVar

from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.option_names import Door, current_door, spelled, through

# Variables that numerical libraries read when loaded.
LIBRARIES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
PINNED = dict.fromkeys(LIBRARIES, "1")
# For new processes.
ONE_THREAD = PINNED | {"NUMEXPR_NUM_THREADS": "1"}
# Seconds between two looks of a worker at whether its run is alive.
LOOK = 0.25
# Seconds that a task may take to be sent on.
SENDING = 1.0
# Seconds after which workers without work end; until then the next call takes them over.
IDLE = 300
# Of the system call that asks Linux for a signal when the parent ends.
PR_SET_PDEATHSIG = 1
# Seconds that a process has to end in order once it is told to.
GRACE = 5.0

T = TypeVar("T")


def check_jobs(jobs: Any) -> int:
    """The number of worker processes: 1 or more, or -1 for one per available processor."""
    if isinstance(jobs, bool) or not isinstance(jobs, int) or (jobs < 1 and jobs != -1):
        raise OptionError(
            f"{spelled('jobs', jobs)} must be an integer ≥ 1, or -1 for all processors"
        )
    if jobs > 0:
        return jobs
    import joblib

    return int(joblib.cpu_count())


def in_workers(
    function: Callable[..., T], tasks: Iterable[tuple[Any, ...]], jobs: int
) -> Generator[tuple[int, T]]:
    """The place of each task with what a function returns for it, in the order in which they end.

    The processes end with this one, however it ends, and at once if the generator is closed early.
    """
    from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, wait

    from joblib.externals.loky import get_reusable_executor

    todo, running, door = enumerate(tasks), dict[Any, int](), current_door()
    pool = get_reusable_executor(jobs, timeout=IDLE, **_settings())
    try:
        while True:
            with deaf_to_interrupts():
                for place, task in itertools.islice(todo, 2 * jobs - len(running)):
                    running[pool.submit(_at_door, door, function, *task)] = place
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()
    except BrokenExecutor as error:
        raise DataError(
            f"a worker process died: {death_text(error)}; run fewer jobs, which take less memory"
        ) from None
    finally:
        if running:
            end_at_once([pool], running)


def _at_door(door: Door, function: Callable[..., T], *task: Any) -> T:
    """What a function returns in a worker, whose messages are read where the options were given."""
    with through(door):
        return function(*task)


def end_at_once(pools: Iterable[Any], running: Collection[Any]) -> None:
    """End the processes of pools, and what they are doing."""
    # Loky fails if it is shut down with a task that it has not sent on yet.
    until = time.monotonic() + SENDING
    while time.monotonic() < until and any(
        not (future.running() or future.done()) for future in running
    ):
        time.sleep(0.001)
    for pool in pools:
        pool.shutdown(kill_workers=True)


def start_process() -> Any:
    """A pool of one process, which ends with this one, however it ends."""
    from joblib.externals.loky import ProcessPoolExecutor

    return ProcessPoolExecutor(max_workers=1, **_settings())


def _settings() -> dict[str, Any]:
    # Loky replaces processes whose memory has grown, which is welcome.
    warnings.filterwarnings("ignore", message="A worker stopped while some jobs")
    return {"initializer": _begin, "initargs": (os.getpid(),), "env": ONE_THREAD}


def _begin(run: int) -> None:
    """Initialise a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.name == "posix":
        threading.Thread(target=_end_with, args=(run,), daemon=True).start()


def _end_with(run: int) -> None:
    """Exit when the run has ended, in whatever way."""
    while os.getppid() == run:
        time.sleep(LOOK)
    os._exit(1)


def death_text(error: BaseException) -> str:
    """How a worker died, without loky's advice for programmers."""
    text = " ".join(str(error).split())
    match = re.search(r"exit codes of the workers are {(\w+)\((-?\d+)\)", text)
    if match is None:
        return text or type(error).__name__
    name, code = match.groups()
    if name == "SIGKILL":
        return "SIGKILL, as the system does it when memory runs out"
    return f"exit code {code}" if name == "EXIT" else name


def ran_in_time(command: Sequence[str], seconds: float) -> bool:
    """Run a program, without its output, that ends with this process; whether it did by itself.

    After so many seconds it is ended.
    """
    import subprocess

    process = subprocess.Popen(  # noqa: S603 -- what callers have put together
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # All that it starts itself can be ended with it.
        start_new_session=True,
        preexec_fn=_ended_with_its_parent(),  # noqa: PLW1509 -- one system call, no lock
    )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    else:
        return True
    finally:
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()


def _ended_with_its_parent() -> Callable[[], object] | None:
    """What has Linux end a new process with the one that starts it, even if that is killed."""
    if sys.platform != "linux":
        return None
    import ctypes

    return functools.partial(ctypes.CDLL(None).prctl, PR_SET_PDEATHSIG, signal.SIGKILL)


class Terminated(KeyboardInterrupt):
    """The process is told to end (SIGTERM): what it began is undone on the way out."""


def terminate(number: int, _frame: FrameType | None = None) -> None:
    """Handle SIGTERM as an interrupt, so that workers end first and no half file is left."""
    # Whoever repeats it means at once; and so it is if this is swallowed, as by a callback from C.
    signal.signal(number, signal.SIG_DFL)
    insisting = threading.Timer(GRACE, os.kill, (os.getpid(), number))
    insisting.daemon = True
    insisting.start()
    raise Terminated


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
