"""A progress bar on stderr for work that takes more than two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

# Seconds before a bar appears.
PATIENCE = 2.0
# Seconds between two looks at the clock, about.
QUICK = 0.1


def growing(total: int, most: int) -> Iterator[tuple[int, int]]:
    """Ranges of 1, 2, 4, ... up to ``most``, growing while they are quickly done."""
    start, step = 0, 1
    while start < total:
        begun, stop = time.monotonic(), min(start + step, total)
        yield start, stop
        if time.monotonic() - begun < QUICK:
            step = min(2 * step, most)
        start = stop


def tracked(
    ranges: Iterable[tuple[int, int]],
    total: int,
    noun: str = "resamples",
    *,
    since: float | None = None,
) -> Iterator[tuple[int, int]]:
    """Pass on ranges ``(start, stop)``; show how far the work is if it takes long.

    The bar appears where stderr is a terminal, is wiped when the work ends, however it ends, and
    never touches stdout. ``since``: when work began of which this is a part, by `time.monotonic`.
    """
    begun, bar = time.monotonic() if since is None else since, None
    try:
        for start, stop in ranges:
            yield start, stop
            if bar is None and stop < total and time.monotonic() - begun > PATIENCE:
                bar = _bar(total, noun)
            if bar is not None:
                bar.update(bar.task_ids[0], completed=stop)
    finally:
        if bar is not None:
            bar.stop()


def _bar(total: int, noun: str) -> Progress | None:
    """A started progress bar, or None without a terminal."""
    if not sys.stderr.isatty():
        return None
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), noun, TimeRemainingColumn())
    bar = Progress(
        *columns,
        console=Console(stderr=True),
        transient=True,
        # What a statistic prints goes where it was meant to go.
        redirect_stdout=False,
        redirect_stderr=False,
    )
    bar.add_task("", total=total)
    bar.start()
    return bar
