"""Two models case by case: lines from one to the other, and panels of many pairs."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.checks import one_of
from halfwidth.core.errors import OptionError
from halfwidth.core.formatting import fixed
from halfwidth.core.titles import metric_title
from halfwidth.plots.bland_altman import bland_altman, only_pair, panel_title
from halfwidth.plots.comparison_words import family_of
from halfwidth.plots.figure import AnyFigure, figure
from halfwidth.plots.paint import RASTER_FROM
from halfwidth.plots.sheets import Grid, in_lines
from halfwidth.plots.style import (
    COLOURS,
    DOT,
    INK,
    NOTE_SIZE,
    QUIET,
    TEXT_SIZE,
    TICKS,
    WIDTH,
    new_axes,
    numbers_text,
    plain,
    with_unit,
)
from halfwidth.results.comparison import ComparedCases, Comparisons, Difference

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Letters of a line of a name and of a title.
NAME_WIDTH, TITLE_WIDTH = 14, 34
# Panels beside each other, and the height of one in inches.
ACROSS = {"cases": 3, "bland-altman": 2}
HEIGHT = {"cases": 2.75, "bland-altman": 2.6}
RISES, FALLS = DOT, COLOURS[2]


def _frame(comparisons: Comparisons) -> pd.DataFrame:
    import pandas as pd

    item, cases = only_pair(comparisons, "paired_cases")
    values = cases.values  # noqa: PD011
    first, second = values[item.first], values[item.second]
    better = np.sign(first - second).astype(int) * (item.sign or 1)
    return pd.DataFrame({"second": second, "first": first, "better": better})


@figure("The values of two models on each case", _frame)
def paired_cases(comparisons: Comparisons, ax: Axes | None = None) -> Axes:
    """Draw each case of two models as a line from the second to the first.

    Blue lines are cases on which the first model does better, orange ones those on which the second
    does; the thick black line joins their means (or what else was compared). Above stands the
    difference with its interval.

    Parameters
    ----------
    comparisons : Comparisons
        Of one pair, by values of cases; of several take one: ``comparisons[2:3]``.
    ax : matplotlib Axes, optional
        Default: the axes of a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        If there is not one pair, if its cases were not kept or are not paired, or if matplotlib is
        missing.

    See Also
    --------
    figures_of_pairs : a panel for each pair.

    Notes
    -----
    ``paired_cases.frame`` gives columns ``second, first`` (the values, as the line runs) and
    ``better``: 1 where the first model does better on the case, -1 where the second does, 0 where
    they do equally well; of metrics without a better side, which is larger.
    """
    from matplotlib.collections import LineCollection

    item, cases = only_pair(comparisons, "paired_cases")
    frame = _frame(comparisons)
    ax = ax or new_axes(0.5 * WIDTH, 3.4)
    n = len(frame)
    ends = frame[["second", "first"]].to_numpy(float)
    lines = list(np.stack([np.broadcast_to([0.0, 1.0], ends.shape), ends], axis=-1))
    colours = frame["better"].map({1: RISES, -1: FALLS, 0: QUIET}).tolist()
    # Many lines are drawn thin and faint, so that the bulk shows.
    alpha = min(0.85, max(0.12, 3.2 * n**-0.5))
    style: dict[str, Any] = {"linewidths": 0.9 if n < 200 else 0.6, "alpha": alpha, "zorder": 2}
    as_picture = n >= RASTER_FROM
    ax.add_collection(LineCollection(lines, colors=colours, rasterized=as_picture, **style))
    for x, side in ((0, "second"), (1, "first")):
        ax.plot(
            np.full(n, x), frame[side], ".", color=QUIET, markersize=2.5, alpha=alpha, zorder=2.5
        )
    values = (item.second_value, item.first_value)
    ax.plot([0, 1], values, color="white", linewidth=4.0, zorder=3)
    ax.plot([0, 1], values, color=INK, linewidth=2.0, marker="o", markersize=4.5, zorder=4)
    _finish_lines(ax, item, cases, ends)
    _count_lines(ax, item, frame)
    return ax


def _finish_lines(ax: Axes, item: Difference, cases: ComparedCases, ends: Any) -> None:
    """Two uprights, the names of the models with their values below, the difference above."""
    from halfwidth.plots.ticks import plain_numbers

    ax.set_xlim(-0.12, 1.12)
    low, high = float(ends.min()), float(ends.max())
    around = 0.04 * (high - low) or 0.5
    ax.set_ylim(low - around, high + around)
    names = [
        f"{in_lines(name, NAME_WIDTH)}\n{fixed(value, item.estimate.decimals)}"
        for name, value in ((item.second, item.second_value), (item.first, item.first_value))
    ]
    ax.set_xticks([0, 1], names, parse_math=False, fontsize=TEXT_SIZE)
    ax.tick_params(axis="x", length=0)
    ax.tick_params(axis="y", **TICKS)
    plain_numbers(ax.yaxis)
    title = with_unit(metric_title(cases.metric_spec) or "value", cases.metric_spec.unit)
    ax.set_ylabel(title, fontsize=TEXT_SIZE, parse_math=False)
    plain(ax, "y", spines=["left"])
    value, interval = numbers_text(item.estimate, with_level=True).split(" ", 1)
    lines = [
        f"{item.effect} {value}, {item.estimate.n_text}",
        *textwrap.wrap(interval, TITLE_WIDTH),
    ]
    panel_title(ax, family_of(item), "\n".join(lines))


def _count_lines(ax: Axes, item: Difference, frame: pd.DataFrame) -> None:
    """On how many cases each does better, below its name and in the colour of its lines."""
    counts = frame["better"].value_counts()
    word = "better" if item.sign else "larger"
    sides = ((-1, FALLS), (1, RISES))
    for name, (side, colour) in zip(ax.get_xticklabels(), sides, strict=True):
        ax.annotate(
            f"{word} in {int(counts.get(side, 0))}",
            (0.5, 0.0),
            xycoords=name,
            xytext=(0, -6),
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=NOTE_SIZE,
            color=QUIET,
            annotation_clip=False,
            bbox={"boxstyle": "round,pad=0.25", "edgecolor": colour, "facecolor": "none"},
        )


# --------------------------------------------------------------------------- panels


OF_ONE_PAIR: dict[str, AnyFigure] = {"cases": paired_cases, "bland-altman": bland_altman}


def _checked(comparisons: Any) -> Comparisons:
    if not isinstance(comparisons, Comparisons) or not comparisons:
        raise OptionError("figures_of_pairs needs Comparisons with at least one pair")
    return comparisons


def _frame_of_pairs(comparisons: Comparisons, kind: str = "cases") -> pd.DataFrame:
    import pandas as pd

    frame = OF_ONE_PAIR[one_of("kind", kind, tuple(OF_ONE_PAIR))].frame
    pairs = range(len(_checked(comparisons)))
    frames: list[pd.DataFrame] = [frame(comparisons[at : at + 1]).assign(panel=at) for at in pairs]
    return pd.concat(frames, ignore_index=True)


@figure(paired_cases.caption, _frame_of_pairs)
def figures_of_pairs(comparisons: Comparisons, kind: str = "cases") -> list[Figure]:
    """A panel for each pair: its cases as lines, or its Bland-Altman plot; pages 17 cm wide.

    Parameters
    ----------
    comparisons : Comparisons
        By values of cases.
    kind : {"cases", "bland-altman"}

    Returns
    -------
    list of matplotlib Figure
        As many as it takes.

    Raises
    ------
    OptionError
        If cases were not kept.
    """
    one_of("kind", kind, tuple(OF_ONE_PAIR))
    count = len(_checked(comparisons))
    across = min(count, ACROSS[kind])
    width = WIDTH if count >= ACROSS[kind] else WIDTH * (0.35 + 0.65 * count / ACROSS[kind])
    pages = []
    for page, axes, places in Grid(across, HEIGHT[kind], width).sheets(count):
        engine: Any = page.get_layout_engine()
        engine.set(h_pad=0.09, w_pad=0.06)
        for place, ax in zip(places, axes, strict=True):
            OF_ONE_PAIR[kind](comparisons[place : place + 1], ax)
        pages.append(page)
    return pages
