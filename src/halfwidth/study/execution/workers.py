"""Worker processes on this machine, each in a pool of its own.

So the chunk that kills its worker is known, and no other chunk is lost. Workers are spawned by
loky, which comes with joblib.
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

# Seconds between two checks of a worker whether its run is alive.
LOOK = 1.0
# Deaths, per worker and in all, without a finished chunk, after which the run gives up.
HOPELESS, HOPELESS_IN_ALL = 4, 20


class Workers:
    """Processes as a `Pool`; a single one repeats chunks that have killed others."""

    def __init__(self, count: int, *, alone: bool = False) -> None:
        most = max(HOPELESS * count, HOPELESS_IN_ALL)
        self._most_deaths = math.inf if alone else most
        self._free = list(range(count))
        self._processes: list[Any] = [None] * count
        self._place: dict[Any, int] = {}
        self._deaths = 0

    def submit(self, queue: Queue, work: Work) -> tuple[Any, Chunk] | None:
        """Submit the next chunk to a free process, which is started if necessary."""
        if not self._free:
            return None
        place = self._free[-1]
        chunk = queue.take(place)
        if chunk is None:
            return None
        self._free.pop()
        # Ctrl-C reaches all processes of a terminal, but only this one ends the others.
        with deaf_to_interrupts():
            if self._processes[place] is None:
                self._processes[place] = _start_process()
            future = self._processes[place].submit(attempt, work, chunk)
        self._place[future] = place
        return future, chunk

    def ended(self, futures: Collection[Any], *, wait: bool) -> list[Any]:
        """The futures that have ended; waits for at least one if ``wait``."""
        from concurrent import futures as standard

        if wait:
            standard.wait(futures, return_when=standard.FIRST_COMPLETED)
        return [future for future in futures if future.done()]

    def answer(self, future: Any) -> Answer:
        """The outcome of a chunk.

        Raises
        ------
        DataError
            If workers keep dying without finishing a chunk.
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
                f"memory for so many (--jobs)? The last one: {_death_text(error)}"
            )
        return Fault(f"the worker died: {_death_text(error)}", died=True)

    def close(self) -> None:
        """End all processes at once."""
        # Loky fails if it is shut down with a chunk that it has not sent on yet.
        until = time.monotonic() + LOOK
        while time.monotonic() < until and any(
            not (future.running() or future.done()) for future in self._place
        ):
            time.sleep(0.001)
        for process in self._processes:
            if process is not None:
                process.shutdown(kill_workers=True)


def _start_process() -> Any:
    from joblib.externals.loky import ProcessPoolExecutor

    # Loky replaces processes whose memory has grown, which is welcome.
    warnings.filterwarnings("ignore", message="A worker stopped while some jobs")
    return ProcessPoolExecutor(
        max_workers=1, initializer=_begin, initargs=(os.getpid(),), env=ONE_THREAD
    )


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


def _death_text(error: BaseException) -> str:
    """How a worker died, without loky's advice for programmers."""
    text = " ".join(str(error).split())
    match = re.search(r"exit codes of the workers are {(\w+)\((-?\d+)\)", text)
    if match is None:
        return text or type(error).__name__
    name, code = match.groups()
    if name == "SIGKILL":
        return "SIGKILL, as the system does it when memory runs out"
    return f"exit code {code}" if name == "EXIT" else name
