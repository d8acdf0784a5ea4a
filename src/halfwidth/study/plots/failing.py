"""The data of instances whose intervals fail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.formatting import percent
from halfwidth.core.spec import Better
from halfwidth.core.types import Array
from halfwidth.plots.figure import figure
from halfwidth.plots.legends import height_below, legend_below
from halfwidth.plots.names import method_title, metric_label, metric_spec
from halfwidth.plots.style import DOT, INK, NOTE_SIZE, TEXT_SIZE, WIDTH, shorter, with_unit
from halfwidth.study.plots import axes
from halfwidth.study.plots.lines import quartiles
from halfwidth.study.targets import NotThereError, Target, bounds_of, unit_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

BINS, COLUMNS, MOST = 25, 3, 24
HEIGHT = 1.6
# Inches of a letter of a title, and of what is no axes in the width of a panel.
LETTER, BESIDE = 0.056, 0.5
# Cases beyond are outliers (Tukey's fence).
FENCE = 1.5
TICKS = (1, 2, 5)


def _failures_frame(
    failing: pd.DataFrame, values: Mapping[str, Array], target: Target, *_: object
) -> pd.DataFrame:
    import pandas as pd

    if failing.empty:
        raise NotThereError(f"{target.title}: no instance has a coverage far below the others")
    worst = failing.sort_values(["coverage", "instance"]).head(MOST)
    bounds = bounds_of(target.metric)
    ends = (bounds.low, bounds.high) if bounds else None
    rows = []
    for instance, coverage in zip(worst["instance"], worst["coverage"], strict=True):
        cases = np.asarray(values[instance], dtype=float)
        outliers = _outliers(cases, target)
        counts, edges = np.histogram(cases, bins=BINS, range=ends)
        for count, low, high in zip(counts, edges[:-1], edges[1:], strict=True):
            row = {"instance": instance, "coverage": float(coverage), "cases": len(cases)}
            row |= {"outliers": outliers, "low": float(low), "high": float(high)}
            rows.append(row | {"count": int(count)})
    return pd.DataFrame(rows)


def _outliers(cases: Array, target: Target) -> int:
    q1, _, q3 = quartiles(cases)
    reach = FENCE * (q3 - q1)
    beyond = cases > q3 + reach if _less_is_better(target) else cases < q1 - reach
    return int(beyond.sum())


def _less_is_better(target: Target) -> bool:
    spec = metric_spec(target.metric)
    return spec is not None and spec.better is Better.LOWER


@figure("Cases of instances that fail", _failures_frame)
def failures_figure(
    failing: pd.DataFrame, values: Mapping[str, Array], target: Target, method: str, n: int
) -> Figure:
    """Histograms of the per-case values of failing instances, with their coverage.

    Parameters
    ----------
    failing : DataFrame
        Columns ``instance`` and ``coverage``, as of `halfwidth.study.analysis.failures`.
    values : mapping of str to ndarray
        The per-case values of each instance.
    target : Target
    method : str
    n : int
        Sample size at which they fail.

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    NotThereError
        If no instance fails.

    Notes
    -----
    ``failures_figure.frame`` gives columns ``instance, coverage, cases, outliers, low, high,
    count``; the worst instance first, of more than 24 the worst ones. ``outliers`` are the cases on
    the bad side: below Q1 - 1.5 IQR, or above Q3 + 1.5 IQR where less is better.

    References
    ----------
    andre2025, Figure S19.
    """
    from halfwidth.plots.canvas import new_figure

    frame = _failures_frame(failing, values, target)
    names = list(dict.fromkeys(frame["instance"]))
    columns = min(COLUMNS, len(names))
    rows = -(-len(names) // columns)
    more = f" The {len(names)} worst of {len(failing)}." if len(failing) > len(names) else ""
    fence = f"above Q3 + {FENCE:g} IQR" if _less_is_better(target) else f"below Q1 − {FENCE:g} IQR"
    note = (
        f"{target.title}, {method_title(method)}, n = {n}: instances whose coverage lies more than "
        f"1.5 IQR below Q1, with their coverage.{more} Counts on a √ axis; cases {fence} of their "
        "instance are counted above it."
    )
    width = WIDTH * max(columns, 2) / COLUMNS
    size = (width, rows * HEIGHT + 0.25 + height_below([], note, width))
    page = new_figure(*size)
    grid = page.subplots(rows, columns, squeeze=False).ravel()
    letters = int((width / columns - BESIDE) / LETTER)
    for ax, name in zip(grid, names, strict=False):
        _histogram(ax, frame[frame["instance"] == name], letters, fence)
    for ax in grid[len(names) :]:
        ax.set_axis_off()
    unit = unit_of(target.metric)
    title = with_unit(metric_label(target.metric), unit)
    for place in range(len(names)):
        if place + columns >= len(names):
            grid[place].set_xlabel(title, fontsize=TEXT_SIZE, parse_math=False)
        if place % columns == 0:
            grid[place].set_ylabel("cases", fontsize=TEXT_SIZE)
    legend_below(page, {}, note)
    return page


def _histogram(ax: Any, part: pd.DataFrame, letters: int, fence: str) -> None:
    widths = part["high"] - part["low"]
    style: dict[str, Any] = {"color": DOT, "edgecolor": INK, "linewidth": 0.3}
    ax.bar(part["low"], part["count"], widths, align="edge", **style)
    ax.set_xlim(part["low"].min(), part["high"].max())
    _root_axis(ax, int(part["count"].max()))
    axes.plain(ax)
    first = part.iloc[0]
    covered = percent(round(float(first["coverage"]), 3))
    beyond = f"{first['outliers']} of {first['cases']} {fence}"
    name = shorter(str(first["instance"]), letters)
    title = "\n".join([name, f"coverage {covered}", beyond])
    ax.set_title(title, fontsize=NOTE_SIZE, loc="left", pad=2, parse_math=False)


def _root_axis(ax: Any, most: int) -> None:
    """Counts by their root: one case is seen beside a hundred."""
    ax.set_yscale("function", functions=(_root, np.square))
    ax.set_ylim(0, 1.08 * max(most, 1))
    shown = [0]
    for tick in (step * 10**power for power in range(len(str(most))) for step in TICKS):
        # A quarter of the axis apart.
        if tick <= most and tick**0.5 - shown[-1] ** 0.5 >= 0.24 * most**0.5:
            shown.append(tick)
    ax.set_yticks(shown)


def _root(numbers: Any) -> Any:
    return np.sqrt(np.maximum(numbers, 0))
