"""A progress bar on stderr for work that takes more than two seconds."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")
# Seconds before a bar appears.
PATIENCE = 2.0
# Seconds between two looks at the clock, about.
QUICK = 0.1
# When work began, and its bar; that which began last is part of the others, and its bar is shown.
_BARS: list[tuple[float, Progress]] = []
_ONE_AT_A_TIME = threading.RLock()


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
                bar = _bar(total, noun, begun)
            if bar is not None:
                bar.update(bar.task_ids[0], completed=stop)
    finally:
        _wipe(bar)


@contextlib.contextmanager
def followed(total: int, noun: str) -> Iterator[Callable[[], None]]:
    """Track as `tracked` does, of steps that may each take long: the bar waits for none."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    bars: list[Progress | None] = []
    begun, done = time.monotonic(), 0

    def show() -> None:
        with _ONE_AT_A_TIME:
            if waiting.finished.is_set():
                return
            bars.append(_bar(total, noun, begun))
            tell()

    def tell() -> None:
        for bar in filter(None, bars):
            bar.update(bar.task_ids[0], completed=done)

    def step() -> None:
        nonlocal done
        done += 1
        tell()

    waiting = threading.Timer(PATIENCE, show)
    waiting.daemon = True
    waiting.start()
    try:
        yield step
    finally:
        with _ONE_AT_A_TIME:
            waiting.cancel()
        for bar in bars:
            _wipe(bar)


def following(items: Collection[T], noun: str) -> Iterator[T]:
    """Each of some items; show how many are done if they take long."""
    with followed(len(items), noun) as step:
        for one in items:
            yield one
            step()


@contextlib.contextmanager
def paused() -> Iterator[None]:
    """Take away the bar that is shown while something else is written there."""
    with _ONE_AT_A_TIME:
        for _, bar in _BARS[-1:]:
            bar.stop()
        yield
        for _, bar in _BARS[-1:]:
            bar.start()


def _wipe(bar: Progress | None) -> None:
    """Take a bar away, and show the one of the work that it was part of."""
    if bar is None:
        return
    with _ONE_AT_A_TIME:
        shown = _BARS[-1][1] is bar
        _BARS[:] = [one for one in _BARS if one[1] is not bar]
        if shown:
            bar.stop()
            for _, other in _BARS[-1:]:
                other.start()


def _bar(total: int, noun: str, begun: float) -> Progress | None:
    """A progress bar, or None without a terminal; not shown while a part of the work has one."""
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
    with _ONE_AT_A_TIME:
        outer = [one for one in _BARS if one[0] <= begun]
        if len(outer) == len(_BARS):
            for _, other in _BARS[-1:]:
                other.stop()
            bar.start()
        _BARS.insert(len(outer), (begun, bar))
    return bar
