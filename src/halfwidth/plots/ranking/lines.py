"""Ranks across tasks, or across schemes, a line for each model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.errors import OptionError
from halfwidth.core.option_names import spelled
from halfwidth.core.types import Array
from halfwidth.plots.figure import figure
from halfwidth.plots.marks import beside
from halfwidth.plots.names import metric_label
from halfwidth.plots.ranking.model_styles import GREY, Styles, several, styles_for
from halfwidth.plots.ranking.rows import (
    NAME_WIDTH,
    POINTS,
    label_size,
    rank_ticks,
    row_height,
    width_of,
)
from halfwidth.plots.sheets import in_lines
from halfwidth.plots.style import (
    INK,
    NOTE_SIZE,
    PAGE,
    QUIET,
    TEXT_SIZE,
    WIDTH,
    new_axes,
    plain,
    shorter,
)
from halfwidth.results.ranking import Ranking

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# Letters that fit an inch; labels with less room than the least number of letters stand upright.
LETTERS, LEAST_LETTERS = 16, 8
# Inches above and below the ranks, and beside them but for the names.
AROUND, BESIDE = 1.2, 0.35
# Points between the axes and the marker of a name.
KEY = 6.0
# Between the lines of models of the same rank, of 1 to the next rank.
DODGE = 0.16


def _frame(rankings: Sequence[Ranking]) -> pd.DataFrame:
    return frame_of_lines(check_lines(rankings))


def frame_of_lines(items: Sequence[Ranking]) -> pd.DataFrame:
    """A row for each ranking and model."""
    import pandas as pd

    frame = pd.DataFrame(
        [
            {
                "x": x,
                "label": ranking.label,
                "scheme": ranking.scheme,
                "subject": ranking.subject,
                "model": model.name,
                "rank": model.rank,
            }
            for x, ranking in enumerate(items)
            for model in ranking.models
        ]
    )
    alike = frame.groupby(["x", "rank"])["model"]
    beside_rank = alike.cumcount() - (alike.transform("size") - 1) / 2
    frame.insert(1, "y", frame["rank"] + DODGE * beside_rank)
    return frame


@figure("Ranks of models across tasks", _frame)
def rank_lines(
    rankings: Sequence[Ranking], ax: Axes | None = None, *, styles: Styles | None = None
) -> Axes:
    """Draw the ranks of the models across tasks, or of one task across schemes.

    A model that a ranking does not have leaves a gap. Models of equal rank are drawn just beside
    it, one below the other.

    Parameters
    ----------
    rankings : Rankings, or sequence of Ranking
        Two at least.
    ax, styles
        As for `rank_sets`.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        If there are fewer than two rankings, or matplotlib is missing.

    Notes
    -----
    ``rank_lines.frame`` gives columns ``x`` (the place of the ranking), ``y`` (the rank, or just
    beside it where several models share one), ``label, scheme, subject, model, rank``.
    """
    items = check_lines(rankings)
    known = styles_for(items, styles)
    return paint_lines(items, known, new_lines_axes(len(known)) if ax is None else ax)


def new_lines_axes(models: int, width: float = WIDTH) -> Axes:
    """The axes of a new figure that fits so many models."""
    return new_axes(width, min(PAGE, AROUND + max(1.6, models * row_height(models))))


def paint_lines(
    items: Sequence[Ranking], known: Styles, ax: Axes, *, with_names: bool = True
) -> Axes:
    """Lines, labels of the rankings, and names of the models."""
    frame = frame_of_lines(items)
    table = frame.pivot_table(index="x", columns="model", values="y").reindex(columns=list(known))
    for name in reversed(list(known)):
        style = known[name]
        thin = style == GREY
        kwargs: dict[str, Any] = {"linewidth": 0.7 if thin else 1.3, "zorder": 2 if thin else 3}
        marker: dict[str, Any] = {"marker": style.marker, "markersize": 1.5 if thin else 4.2}
        ax.plot(table.index, table[name], color=style.colour, **marker, **kwargs)
    grid = ax.get_subplotspec()
    columns = grid.get_gridspec().ncols if grid else 1
    room = LETTERS * (width_of(ax) / columns - BESIDE)
    if with_names:
        room -= min(NAME_WIDTH, max(map(len, known)))
        _name_ends(ax, table, known)
    _finish(ax, items, len(known), int(room / len(items)))
    return ax


def check_lines(rankings: Any) -> Sequence[Ranking]:
    """Two rankings at least, or an `OptionError`."""
    items = several(rankings)
    if len(items) < 2:
        raise OptionError(
            "lines join the ranks of several tasks or schemes, and there is one ranking; rank "
            f"within tasks ({spelled('by')}), or draw rank_sets"
        )
    return items


def _column_labels(items: Sequence[Ranking]) -> list[str]:
    """What tells the rankings apart: their tasks, schemes or metrics, or all of these."""
    for names in (
        [one.label for one in items],
        [one.scheme for one in items],
        [", ".join(metric_label(name) for name in one.metrics) for one in items],
    ):
        if len(set(names)) == len(items):
            return names
    return [", ".join(filter(None, (one.label, one.subject))) for one in items]


def _finish(ax: Axes, items: Sequence[Ranking], models: int, room: int) -> None:
    """Ranks from above, and labels of so many letters."""
    upright = room < LEAST_LETTERS
    labels = [in_lines(text, NAME_WIDTH if upright else room) for text in _column_labels(items)]
    kwargs: dict[str, Any] = {"fontsize": NOTE_SIZE, "parse_math": False, "rotation": 90 * upright}
    ax.set_xticks(range(len(items)), labels, **kwargs)
    ax.set_yticks(rank_ticks(models))
    ax.set_ylim(models + 0.5, 0.5)
    ax.set_xlim(-0.25, len(items) - 0.75)
    ax.tick_params(axis="x", length=0)
    ax.tick_params(axis="y", labelsize=NOTE_SIZE, length=2.5, width=0.6, color=QUIET)
    subjects = list(dict.fromkeys(one.subject for one in items))
    title = f"rank by {subjects[0]}" if len(subjects) == 1 else "rank"
    ax.set_ylabel(title, fontsize=TEXT_SIZE, parse_math=False)
    plain(ax, "x", spines=["left"])


def _name_ends(ax: Axes, table: pd.DataFrame, styles: Styles) -> None:
    """Names at the right, at the last rank of each model, moved apart where ranks are equal."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    last = table.ffill().iloc[-1].fillna(len(styles))
    names = sorted(styles, key=lambda name: (last[name], list(styles).index(name)))
    size = label_size(len(names))
    for name, y in zip(names, apart(last[names].to_numpy(float)), strict=True):
        style = styles[name]
        place = blended_transform_factory(ax.transAxes, ax.transData) + ScaledTranslation(
            KEY / POINTS, 0, ax.figure.dpi_scale_trans
        )
        key: dict[str, Any] = {"color": style.colour, "markersize": 0.5 * size, "transform": place}
        ax.plot([1.0], [y], style.marker, clip_on=False, **key)
        colour = QUIET if style == GREY else INK
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
