"""Ranks across tasks, or across schemes, a line for each model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.errors import OptionError
from halfwidth.core.ranking import Ranking
from halfwidth.core.types import Array
from halfwidth.plots.marks import beside
from halfwidth.plots.pair_panels import in_lines
from halfwidth.plots.ranking.looks import GREY, Looks, looks_for, several
from halfwidth.plots.ranking.rows import NAME_WIDTH, PAGE, POINTS, rank_ticks, row_height, width_of
from halfwidth.plots.style import (
    FAINT,
    INK,
    NOTE_SIZE,
    QUIET,
    TEXT_SIZE,
    WIDTH,
    require_matplotlib,
    shorter,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# Letters that fit an inch; labels with less room than the least number of letters stand upright.
LETTERS, LEAST_LETTERS = 15, 8
# Inches above and below the ranks, and beside them but for the names.
AROUND, BESIDE = 1.2, 0.6
# Points between the axes and the marker of a name.
KEY = 6.0


def rank_lines_frame(rankings: Sequence[Ranking]) -> pd.DataFrame:
    """Every number that `rank_lines` draws, a row per ranking and model.

    Parameters
    ----------
    rankings
        As for `rank_lines`.

    Returns
    -------
    DataFrame
        Columns ``x`` (the place of the ranking), ``label, subject, model, rank``.

    Raises
    ------
    OptionError
        As for `rank_lines`.
    """
    import pandas as pd

    items = check_lines(rankings)
    return pd.DataFrame(
        [
            {
                "x": x,
                "label": ranking.label,
                "subject": ranking.subject,
                "model": model.name,
                "rank": model.rank,
            }
            for x, ranking in enumerate(items)
            for model in ranking.models
        ]
    )


def rank_lines(
    rankings: Sequence[Ranking], ax: Axes | None = None, *, looks: Looks | None = None
) -> Axes:
    """Draw the ranks of the models across tasks, or of one task across schemes.

    A model that a ranking does not have leaves a gap. Models of equal rank are side by side.

    Parameters
    ----------
    rankings : Rankings, or sequence of Ranking
        Two at least.
    ax, looks
        As for `rank_sets`.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        If there are fewer than two rankings, or matplotlib is missing.

    See Also
    --------
    rank_lines_frame : the plotted numbers.
    """
    require_matplotlib(ax)
    items = check_lines(rankings)
    known = looks_for(items, looks)
    return paint_lines(items, known, new_lines_axes(len(known)) if ax is None else ax)


def new_lines_axes(models: int, width: float = WIDTH) -> Axes:
    """The axes of a new figure that fits so many models."""
    from matplotlib.figure import Figure

    height = min(PAGE, AROUND + max(1.6, models * row_height(models)))
    return Figure(figsize=(width, height), layout="constrained").add_subplot()


def paint_lines(items: Sequence[Ranking], known: Looks, ax: Axes) -> Axes:
    """Lines, labels of the rankings, and names of the models."""
    table = rank_lines_frame(items).pivot_table(index="x", columns="model", values="rank")
    for name in reversed(list(known)):
        look = known[name]
        thin = look == GREY
        style: dict[str, Any] = {"linewidth": 0.7 if thin else 1.3, "zorder": 2 if thin else 3}
        marker: dict[str, Any] = {"marker": look.marker, "markersize": 1.5 if thin else 4.2}
        ax.plot(table.index, table[name], color=look.colour, **marker, **style)
    _finish(ax, items, len(known))
    _name_ends(ax, table, known)
    return ax


def check_lines(rankings: Any) -> Sequence[Ranking]:
    """Two rankings at least, or an `OptionError`."""
    items = several(rankings)
    if len(items) < 2:
        raise OptionError(
            "lines join the ranks of several tasks or schemes, and there is one ranking; rank "
            "within tasks (within=, --within), or draw rank_sets"
        )
    return items


def _column_labels(items: Sequence[Ranking]) -> list[str]:
    """What tells the rankings apart: their tasks, their subjects, or both."""
    labels, subjects = ([getattr(one, name) for one in items] for name in ("label", "subject"))
    if len(set(labels)) == len(items):
        return labels
    if len(set(subjects)) == len(items):
        return subjects
    return [", ".join(filter(None, pair)) for pair in zip(labels, subjects, strict=True)]


def _finish(ax: Axes, items: Sequence[Ranking], models: int) -> None:
    longest = min(NAME_WIDTH, max(len(model.name) for one in items for model in one.models))
    room = int((LETTERS * (width_of(ax) - BESIDE) - longest) / len(items))
    upright = room < LEAST_LETTERS
    labels = [in_lines(text, NAME_WIDTH if upright else room) for text in _column_labels(items)]
    style: dict[str, Any] = {"fontsize": NOTE_SIZE, "parse_math": False, "rotation": 90 * upright}
    ax.set_xticks(range(len(items)), labels, **style)
    ax.set_yticks(rank_ticks(models))
    ax.set_ylim(models + 0.5, 0.5)
    ax.set_xlim(-0.25, len(items) - 0.75)
    ax.tick_params(axis="x", length=0)
    ax.tick_params(axis="y", labelsize=NOTE_SIZE, length=2.5, width=0.6, color=QUIET)
    subjects = list(dict.fromkeys(one.subject for one in items))
    title = f"rank by {subjects[0]}" if len(subjects) == 1 else "rank"
    ax.set_ylabel(title, fontsize=TEXT_SIZE, parse_math=False)
    ax.grid(axis="x", color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "bottom"]].set_visible(False)
    ax.spines["left"].set(linewidth=0.6, color=QUIET)


def _name_ends(ax: Axes, table: pd.DataFrame, looks: Looks) -> None:
    """Names at the right, at the last rank of each model, moved apart where ranks are equal."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    last = table.ffill().iloc[-1]
    names = sorted(looks, key=lambda name: (last[name], list(looks).index(name)))
    size = min(TEXT_SIZE, 0.85 * POINTS * row_height(len(names)))
    for name, y in zip(names, apart(last[names].to_numpy(float)), strict=True):
        look = looks[name]
        place = blended_transform_factory(ax.transAxes, ax.transData) + ScaledTranslation(
            KEY / POINTS, 0, ax.figure.dpi_scale_trans
        )
        key: dict[str, Any] = {"color": look.colour, "markersize": 0.5 * size, "transform": place}
        ax.plot([1.0], [y], look.marker, clip_on=False, **key)
        colour = QUIET if look == GREY else INK
        beside(ax, shorter(name, NAME_WIDTH), y, points=KEY + 5, fontsize=size, color=colour)


def apart(heights: Array) -> Array:
    """Ascending heights moved as little as keeps neighbours 1 apart, within 1 and their number.

    >>> apart(np.array([1.0, 1.0, 3.0, 3.0])).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    places = np.arange(len(heights))
    pushed = np.maximum.accumulate(heights - places) + places
    # Back from the end, where the last ones were pushed beyond it.
    return np.minimum(pushed, len(heights) - places[::-1])
