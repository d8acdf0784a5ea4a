"""Worker processes on this machine, each in a pool of its own.

So the chunk that kills its worker is known, and no other chunk is lost.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from halfwidth.core.errors import DataError
from halfwidth.core.option_names import spelled
from halfwidth.core.processes import deaf_to_interrupts, death_text, end_at_once, start_process
from halfwidth.study.chunks import Chunk, Queue, Work
from halfwidth.study.execution.attempts import Answer, Fault, attempt

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
                self._processes[place] = start_process()
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
        """The outcome of a chunk; a DataError if workers keep dying without finishing one."""
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
                f"memory for so many ({spelled('jobs')})? The last one: {death_text(error)}"
            )
        return Fault(f"the worker died: {death_text(error)}", died=True)

    def close(self) -> None:
        """End all processes at once."""
        end_at_once(filter(None, self._processes), self._place)
