"""Engines that do the work: this process, its workers, or a cluster.

An engine takes chunks from a queue and yields each with its reply or its fault, in the order in
which they end. After an interrupt it yields what has ended by then, and raises it again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Generator
from typing import Any, Protocol

from halfwidth.study.chunks import Chunk, Queue, Work
from halfwidth.study.execution.attempts import Answer, attempt_here
from halfwidth.study.execution.interrupts import Stop

Answers = Generator[tuple[Chunk, Answer], None, None]


def serial(queue: Queue, work: Work, stop: Stop) -> Answers:
    """Do one chunk after the other in this process."""
    while (chunk := queue.take()) is not None:
        with stop.allowed():
            answer = attempt_here(work, chunk)
        yield chunk, answer


class Pool(Protocol):
    """A pool of workers."""

    def submit(self, queue: Queue, work: Work) -> tuple[Any, Chunk] | None:
        """Submit the next chunk to a free worker; returns its future, or None."""

    def ended(self, futures: Collection[Any], *, wait: bool) -> list[Any]:
        """The futures that have ended; waits for at least one if ``wait``."""

    def answer(self, future: Any) -> Answer:
        """The outcome of an ended future; its worker is free again."""

    def close(self) -> None:
        """End all workers at once."""


def pooled(queue: Queue, work: Work, stop: Stop, pool: Pool) -> Answers:
    """Keep the workers of a pool busy; closes the pool at the end."""
    running: dict[Any, Chunk] = {}

    def fill() -> None:
        while not stop.requests and (submitted := pool.submit(queue, work)) is not None:
            running.update([submitted])

    with contextlib.closing(pool):
        fill()
        while running or stop.requests:
            try:
                with stop.allowed():
                    ended = pool.ended(running, wait=True)
            except KeyboardInterrupt:
                ended = pool.ended(running, wait=False)
                yield from [(running.pop(future), pool.answer(future)) for future in ended]
                raise
            answers = [(running.pop(future), pool.answer(future)) for future in ended]
            # Workers get new chunks before results are written.
            fill()
            yield from answers
