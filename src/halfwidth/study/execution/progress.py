"""Progress of a study on stderr: a bar on a terminal, a line per minute in a log."""

from __future__ import annotations

import contextlib
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TextIO

from halfwidth.core.frozen import frozen

if TYPE_CHECKING:
    from rich.progress import Progress

# Seconds between two lines in a log.
EVERY = 60.0
# Seconds between two checks of the clock.
LOOK = 1.0


@frozen
class Clock:
    """A monotonic clock, and the time of day."""

    seconds: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = datetime.now


@dataclass
class Count:
    """Numbers and costs of chunks of the study, or of this shard."""

    chunks: int
    cost: float
    # Done before this run.
    known: int = 0
    known_cost: float = 0.0
    # Done or given up by this run.
    ended: int = 0
    ended_cost: float = 0.0

    @property
    def share(self) -> float:
        """The finished share of the cost."""
        if self.cost <= 0:
            return 1.0 if self.known + self.ended >= self.chunks else 0.0
        return min((self.known_cost + self.ended_cost) / self.cost, 1.0)

    @property
    def left_cost(self) -> float:
        """The remaining cost."""
        return max(self.cost - self.known_cost - self.ended_cost, 0.0)


class Reporter:
    """Reports the progress of a run on a stream, by default stderr."""

    def __init__(self, stream: TextIO | None = None, clock: Clock | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock or Clock()
        self._count = Count(0, 0.0)
        self._begun = self._last = self._reported = 0.0
        self._bar: Progress | None = None

    def begin(self, count: Count, text: str) -> None:
        """Write the first line; on a terminal show the bar."""
        self._count = count
        self._begun = self._last = self._reported = self._clock.seconds()
        self.note(text)
        if self._stream.isatty() and count.known < count.chunks:
            self._bar = _bar(self._stream)

    def advance(self, cost: float) -> None:
        """Count one more ended chunk."""
        self._count.ended += 1
        self._count.ended_cost += cost
        self._last = self._clock.seconds()

    def beat(self) -> None:
        """Report the progress if it is time to."""
        if self._bar is not None:
            self._bar.update(
                self._bar.task_ids[0], completed=self._count.share, text=self.progress_text()
            )
        elif self._clock.seconds() - self._reported >= EVERY:
            self._reported = self._clock.seconds()
            self.note(self.progress_text())

    def note(self, text: str) -> None:
        """Write a line."""
        line = f"{self._clock.now():%H:%M} study: {text}"
        if self._bar is not None:
            self._bar.console.print(line, highlight=False, markup=False, soft_wrap=True)
            return
        encoding = self._stream.encoding or "utf-8"
        self._stream.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        self._stream.flush()

    def end(self, text: str) -> None:
        """Write the last line."""
        self.stop()
        self.note(f"{text}, {duration_text(self._clock.seconds() - self._begun)}")

    def stop(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def progress_text(self) -> str:
        """Chunks, share of the cost, and time left."""
        count = self._count
        done, share = count.known + count.ended, math.floor(100 * count.share)
        left = self.seconds_left()
        text = "time left unknown" if math.isnan(left) else f"{duration_text(left)} left"
        return f"{done} of {count.chunks} chunks, {share} %, {text}"

    def seconds_left(self) -> float:
        """Estimated from the pace of this run up to the last ended chunk; NaN before the first."""
        count = self._count
        if not count.ended_cost:
            return math.nan
        pace = (self._last - self._begun) / count.ended_cost
        since = self._clock.seconds() - self._last
        return max(pace * count.left_cost - since, 0.0)


@contextlib.contextmanager
def reporting(reporter: Reporter) -> Iterator[None]:
    """Let a reporter report by itself; removes its bar at the end."""
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(LOOK):
            reporter.beat()

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        reporter.stop()


def duration_text(seconds: float) -> str:
    """A length of time in its two largest units; NaN is unknown.

    >>> duration_text(42.4), duration_text(2520), duration_text(12000), duration_text(187200)
    ('42 s', '42 min', '3 h 20 min', '2 d 4 h')
    """
    if math.isnan(seconds):
        return "unknown"
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if hours else f"{days} d"


def _bar(stream: TextIO) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    bar = Progress(
        BarColumn(),
        TextColumn("{task.fields[text]}", markup=False),
        console=Console(file=stream),
        transient=True,
        # Output of others goes where it was meant to go.
        redirect_stdout=False,
        redirect_stderr=False,
    )
    bar.add_task("", total=1.0, text="")
    bar.start()
    return bar
