"""The subsampling experiment: what test sets of each size would have said."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from halfwidth.core.errors import OptionError, shown
from halfwidth.core.formatting import percent
from halfwidth.core.titles import metric_title
from halfwidth.plots.figure import figure
from halfwidth.plots.marks import note_below
from halfwidth.plots.style import (
    DOT,
    INK,
    TEXT_SIZE,
    TICKS,
    WIDTH,
    new_axes,
    plain,
)
from halfwidth.results.subsamples import Subsamples

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HEIGHT = 2.7  # inches


def _frame(found: Subsamples) -> pd.DataFrame:
    import pandas as pd

    if not isinstance(found, Subsamples):
        raise OptionError(f"found={shown(found)} is not what planning.subsample returns")
    return pd.DataFrame(
        [
            {
                "k": row.k,
                "mean": row.mean,
                "low": row.mean + row.low,
                "high": row.mean + row.high,
                "spread_low": row.mean - row.mean_spread,
                "spread_high": row.mean + row.mean_spread,
                "halfwidth": row.halfwidth,
                "boot_halfwidth": (row.boot_high - row.boot_low) / 2,
            }
            for row in found.rows
        ]
    )


@figure("Mean of subsamples", _frame)
def subsample_means(found: Subsamples, ax: Axes | None = None) -> Axes:
    """Draw the average mean against k, with the average interval and the spread of the means.

    Parameters
    ----------
    found : Subsamples
    ax : matplotlib Axes, optional
        Drawn into; default: those of a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        If matplotlib is missing.

    Notes
    -----
    ``subsample_means.frame`` gives columns ``k, mean, low, high`` (the average interval),
    ``spread_low, spread_high`` (the mean ∓ the SD of the means between subsamples), ``halfwidth,
    boot_halfwidth``.

    Examples
    --------
    >>> from halfwidth.planning.subsampling import subsample
    >>> found = subsample([0.9, 0.8, 0.7, 0.6], sizes=[2, 4], metric="dsc", rng=1)
    >>> subsample_means(found).get_ylabel()
    'mean DSC'
    """
    ax = ax or new_axes(WIDTH / 2, HEIGHT)
    frame = _frame(found)
    band: dict[str, Any] = {"color": DOT, "linewidth": 0}
    ax.fill_between(frame["k"], frame["low"], frame["high"], alpha=0.18, **band)
    ax.fill_between(frame["k"], frame["spread_low"], frame["spread_high"], alpha=0.35, **band)
    ax.plot(frame["k"], frame["mean"], color=INK, linewidth=1.2, marker="o", markersize=3)
    _finish(ax, found, f"{_mean(found)}{_unit(found)}", frame["k"].tolist())
    level = percent(found.level.confidence_level)
    note_below(ax, f"pale: average {level} CI; dark: within an SD of the mean of the subsamples")
    return ax


@figure("Half-width of subsamples", _frame)
def subsample_halfwidths(found: Subsamples, ax: Axes | None = None) -> Axes:
    """Draw the average half-width against k, normal and bootstrap.

    Parameters
    ----------
    found, ax
        As for `subsample_means`.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        If matplotlib is missing.

    Examples
    --------
    >>> from halfwidth.planning.subsampling import subsample
    >>> found = subsample([0.9, 0.8, 0.7, 0.6], sizes=[2, 4], metric="dsc", rng=1)
    >>> len(subsample_halfwidths(found).lines)
    2
    """
    ax = ax or new_axes(WIDTH / 2, HEIGHT)
    frame = _frame(found)
    lines: dict[str, dict[str, Any]] = {
        "halfwidth": {"color": INK, "marker": "o"},
        "boot_halfwidth": {"color": DOT, "marker": "s", "linestyle": "--"},
    }
    for name, style in lines.items():
        ax.plot(frame["k"], frame[name], linewidth=1.2, markersize=3, **style)
    ax.set_ylim(bottom=0)
    level = percent(found.level.confidence_level)
    title = f"half-width of the {level} CI\nof the {_mean(found)}{_unit(found)}"
    _finish(ax, found, title, frame["k"].tolist())
    note_below(ax, "solid: normal; dashed: percentile bootstrap")
    return ax


@figure("Mean and half-width of subsamples", _frame)
def figure_of_subsamples(found: Subsamples) -> Figure:
    """Both panels side by side, 17 cm wide.

    Parameters
    ----------
    found : Subsamples

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    OptionError
        If matplotlib is missing.
    """
    from halfwidth.plots.canvas import new_figure

    figure = new_figure(WIDTH, HEIGHT)
    left, right = figure.subplots(1, 2)
    subsample_means(found, left)
    subsample_halfwidths(found, right)
    return figure


def _mean(found: Subsamples) -> str:
    title = metric_title(found.metric)
    return f"mean {title}" if title else "mean of the values"


def _unit(found: Subsamples) -> str:
    return f" [{found.metric.unit}]" if found.metric.unit else ""


def _finish(ax: Axes, found: Subsamples, title: str, sizes: Sequence[int]) -> None:
    from halfwidth.plots.ticks import plain_numbers

    ax.set_xlabel(f"cases in a subsample, of {found.n}", fontsize=TEXT_SIZE)
    ax.set_ylabel(title, fontsize=TEXT_SIZE, parse_math=False)
    if len(sizes) > 1 and sizes[-1] > 5 * sizes[0]:
        ax.set_xscale("log")
    # Labels of sizes that lie close together would overlap.
    nexts = [*sizes[1:], math.inf]
    apart = [k for k, after in zip(sizes, nexts, strict=True) if after > 1.25 * k]
    ax.set_xticks(apart, [str(k) for k in apart])
    ax.minorticks_off()
    plain_numbers(ax.yaxis)
    ax.tick_params(**TICKS)
    plain(ax)
