"""Worker processes on this machine, each in a pool of its own.

Whose worker dies is known then, and it costs no other chunk. Workers are spawned by loky, which
joblib brings along.
"""

from __future__ import annotations

import math
import os
import re
import signal
import threading
import time
import warnings
from collections.abc import Collection
from typing import Any

from halfwidth.core.errors import DataError
from halfwidth.core.processes import deaf_to_interrupts
from halfwidth.study.chunks import Chunk, Queue, Work
from halfwidth.study.execution.attempts import ONE_THREAD, Answer, Fault, attempt

__all__ = ["Workers"]

# Seconds between two looks of a worker at whether its run is still there.
LOOK = 1.0
# Deaths, for each worker and in all, before anything is done: then none is started any more.
HOPELESS, HOPELESS_IN_ALL = 4, 20


class Workers:
    """So many processes, as a `Pool`; one that is alone does what has killed others before."""

    def __init__(self, count: int, *, alone: bool = False) -> None:
        most = max(HOPELESS * count, HOPELESS_IN_ALL)
        self._most_deaths = math.inf if alone else most
        self._free = list(range(count))
        self._processes: list[Any] = [None] * count
        self._place: dict[Any, int] = {}
        self._deaths = 0

    def submit(self, queue: Queue, work: Work) -> tuple[Any, Chunk] | None:
        """Have the next chunk worked on by a free process, which is started if need be."""
        if not self._free:
            return None
        place = self._free[-1]
        chunk = queue.take(place)
        if chunk is None:
            return None
        self._free.pop()
        # Whoever is interrupted on a terminal, it is this process that ends the others.
        with deaf_to_interrupts():
            if self._processes[place] is None:
                self._processes[place] = _started()
            future = self._processes[place].submit(attempt, work, chunk)
        self._place[future] = place
        return future, chunk

    def ended(self, futures: Collection[Any], *, wait: bool) -> list[Any]:
        """The futures that have ended; at least one where it waits."""
        from concurrent import futures as standard

        if wait:
            standard.wait(futures, return_when=standard.FIRST_COMPLETED)
        return [future for future in futures if future.done()]

    def answer(self, future: Any) -> Answer:
        """What came of a chunk.

        Raises
        ------
        DataError
            If workers do nothing but die.
        """
        from concurrent.futures import BrokenExecutor

        place = self._place.pop(future)
        self._free.append(place)
        error = future.exception()
        if error is None:
            self._most_deaths = math.inf
            answer: Answer = future.result()
            return answer
        if not isinstance(error, BrokenExecutor):
            return Fault(f"{type(error).__name__}: {error}")
        self._processes[place].shutdown(kill_workers=True)
        self._processes[place] = None
        self._deaths += 1
        if self._deaths >= self._most_deaths:
            raise DataError(
                f"{self._deaths} workers died and not one chunk was done; is there too little "
                f"memory for so many (--jobs)? The last one: {_plainly(error)}"
            )
        return Fault(f"the worker died: {_plainly(error)}", died=True)

    def close(self) -> None:
        """End all processes, whatever they do."""
        # Loky stumbles over a chunk that it has been given and has not sent on yet.
        until = time.monotonic() + LOOK
        while time.monotonic() < until and any(
            not (future.running() or future.done()) for future in self._place
        ):
            time.sleep(0.001)
        for process in self._processes:
            if process is not None:
                process.shutdown(kill_workers=True)


def _started() -> Any:
    from joblib.externals.loky import ProcessPoolExecutor

    # Loky replaces processes that have grown much, which is welcome and no news.
    warnings.filterwarnings("ignore", message="A worker stopped while some jobs")
    return ProcessPoolExecutor(
        max_workers=1, initializer=_begin, initargs=(os.getpid(),), env=ONE_THREAD
    )


def _begin(run: int) -> None:
    """What a worker does first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.name == "posix":
        threading.Thread(target=_end_with, args=(run,), daemon=True).start()


def _end_with(run: int) -> None:
    """End when the run has ended, however it did: nobody would take what comes."""
    while os.getppid() == run:
        time.sleep(LOOK)
    os._exit(1)


def _plainly(error: BaseException) -> str:
    """How a worker died, without the advice to programmers that comes with it."""
    text = " ".join(str(error).split())
    found = re.search(r"exit codes of the workers are {(\w+)\((-?\d+)\)", text)
    if found is None:
        return text or type(error).__name__
    name, code = found.groups()
    if name == "SIGKILL":
        return "SIGKILL, as the system does it when memory runs out"
    return f"exit code {code}" if name == "EXIT" else name
