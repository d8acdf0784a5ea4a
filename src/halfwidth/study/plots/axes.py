"""Axes of sample size, coverage and width."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.plots.legends import labelled
from halfwidth.plots.style import FAINT, QUIET, SMALL_TICKS, TEXT_SIZE

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Coverages below are not shown where others are to be told apart.
LOWEST = 0.5
# A tick label of a sample size needs about so much room on a logarithmic axis of an inch.
ROOM = 0.26
GID_OF_LEVEL = "level"


def plain(ax: Axes) -> None:
    """Two spines, a faint grid, small ticks."""
    ax.tick_params(**SMALL_TICKS)
    ax.grid(color=FAINT, linewidth=0.5)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set(linewidth=0.6, color=QUIET)
    ax.xaxis.label.set_fontsize(TEXT_SIZE)
    ax.yaxis.label.set_fontsize(TEXT_SIZE)


def panels_of(
    page: Figure, frame: pd.DataFrame
) -> Iterator[tuple[tuple[int, ...], Axes, pd.DataFrame]]:
    """Axes on the page for each row and column of a frame, and the rows that belong there."""
    rows, columns = grid_of(frame)
    for place, ax in np.ndenumerate(page.subplots(rows, columns, squeeze=False)):
        part = frame[(frame["row"] == place[0]) & (frame["column"] == place[1])]
        if part.empty:
            ax.set_axis_off()
        else:
            yield place, ax, part


def grid_of(frame: pd.DataFrame) -> tuple[int, int]:
    """How many rows and columns of panels a frame has."""
    return int(frame["row"].max()) + 1, int(frame["column"].max()) + 1


def title_of(ax: Axes, text: str) -> None:
    """The title of a panel, above its left end."""
    # Bold letters are a font of their own, whose embedding takes longer than the drawing.
    style: dict[str, Any] = {"fontsize": TEXT_SIZE + 1, "parse_math": False}
    ax.set_title(text, loc="left", pad=4, **style)


def size_axis(ax: Axes, sizes: Sequence[int], inches: float) -> None:
    """Sample sizes, logarithmic; a tick at each, a label where there is room for one."""
    from matplotlib.ticker import FixedLocator, NullFormatter

    sizes = sorted(sizes)
    ax.set_xscale("log")
    spread = math.log(sizes[-1] / sizes[0]) if len(sizes) > 1 else 1.0
    apart = ROOM * spread / inches
    ax.set_xlim(sizes[0] * math.exp(-0.04 * spread), sizes[-1] * math.exp(0.04 * spread))
    shown = labelled(sizes, apart)
    ax.set_xticks(shown, [str(size) for size in shown])
    ax.xaxis.set_minor_locator(FixedLocator([size for size in sizes if size not in shown]))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.tick_params(axis="x", which="minor", length=1.5, width=0.5, color=QUIET)


def coverage_axis(ax: Axes, numbers: Iterable[float], level: float, lowest: float = LOWEST) -> None:
    """Coverage in per cent, from the data but not below ``lowest``, with a line at the level."""
    finite = [number for number in numbers if np.isfinite(number)]
    least = min([*finite, level - 0.1])
    bottom = max(lowest, math.floor(least * 20) / 20)
    ax.set_ylim(bottom - 0.01, 1.008)
    step = 0.05 if 1 - bottom <= 0.3 else 0.1 if 1 - bottom <= 0.6 else 0.2
    ticks = {round(1 - step * place, 10) for place in range(round((1 - bottom) / step + 1e-9) + 1)}
    ticks = {tick for tick in ticks if abs(tick - level) > 0.4 * step} | {level}
    shown = sorted(tick for tick in ticks if tick >= bottom - 1e-9)
    ax.set_yticks(shown, [f"{100 * tick:.4g}" for tick in shown])
    ax.axhline(level, color=QUIET, linewidth=0.9, linestyle=(0, (6, 2)), zorder=1, gid=GID_OF_LEVEL)


def log_axis(ax: Axes, numbers: Iterable[float]) -> None:
    """A logarithmic axis of numbers above 0 with few, plain labels."""
    from matplotlib.ticker import NullFormatter, NullLocator

    positive = [number for number in numbers if np.isfinite(number) and number > 0]
    if not positive:
        return
    low, high = min(positive), max(positive)
    ax.set_yscale("log")
    if high < 1.2 * low:
        low, high = 0.8 * low, 1.25 * high
    decades = math.log10(high / low)
    ax.set_ylim(low * 10 ** (-0.05 * decades), high * 10 ** (0.05 * decades))
    steps: tuple[float, ...] = (1, 2, 5) if decades <= 3 else (1,)
    if decades < 0.5:
        steps = (1, 1.5, 2, 3, 4, 5, 7)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [step * 10.0**power for power in powers for step in steps]
    shown = [tick for tick in ticks if 0.94 * low <= tick <= 1.06 * high]
    ax.set_yticks(shown, [f"{tick:g}" if tick < 1e4 else f"{tick:.0e}" for tick in shown])
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_minor_formatter(NullFormatter())
