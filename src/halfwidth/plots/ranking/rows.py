"""What figures with a row for each model share: heights, labels, an axis of ranks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from halfwidth.core.frozen import frozen
from halfwidth.plots.legends import folded
from halfwidth.plots.marks import TextColumn, note_below, text_columns
from halfwidth.plots.ranking.model_styles import Styles, only, styles_for
from halfwidth.plots.sheets import in_lines
from halfwidth.plots.style import (
    FAINT,
    NOTE_SIZE,
    PAGE,
    QUIET,
    SMALL_TICKS,
    TEXT_SIZE,
    WIDTH,
    break_label,
    new_axes,
    shorter,
)
from halfwidth.results.ranking import Ranking

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# Inches: of a row at most, and of what stands around the rows.
ROW, AROUND = 0.18, 0.85
POINTS = 72
NAME_WIDTH, UPRIGHT_WIDTH = 30, 18
LEAST_SIZE = 5.0
# Letters to an inch, and those that any line of a title may have.
LETTERS, SHORTEST_LINE = 14, 16
# Inches of a title beyond its axes.
GAP = 0.36
# The share of a figure left of the axes, before the layout knows their labels.
BEFORE_LABELS = 0.125
# Fewer ticks where ranks have little room.
MOST_TICKS = 10


@frozen
class RankingKind:
    """A figure with a row for each model of a ranking."""

    # Of the function that draws it.
    name: str
    # The ranking and the order of the models to every number drawn, with a column ``y``: a frame or
    # what makes one.
    frame: Callable[[Ranking, Sequence[str]], Any]
    # Draws these numbers.
    paint: Callable[[Axes, Any, Ranking, Styles], None]
    # What the shapes mean.
    note: Callable[[Ranking], str]
    # Height of a row in inches, where there is room.
    row: float = ROW
    # Columns of texts beside the rows, where a figure has a single panel as wide as a page.
    texts: Callable[[Ranking, Sequence[str]], Sequence[TextColumn]] | None = None

    def frame_of(self, rankings: Ranking | Sequence[Ranking]) -> pd.DataFrame:
        """Every number of the figure of one ranking."""
        import pandas as pd

        ranking = only(rankings, self.name)
        return pd.DataFrame(self.frame(ranking, list(styles_for([ranking], None))))

    def draw(self, rankings: Any, ax: Axes | None, styles: Any) -> Axes:
        """One ranking on axes of its own, or on those given."""
        ranking = only(rankings, self.name)
        known = styles_for([ranking], styles)
        frame = self.frame(ranking, list(known))
        if ax is None:
            ax = new_axes(WIDTH, len(known) * row_height(len(known), self.row) + AROUND)
            add_texts(self, ax, ranking, list(known))
        paint(self, ax, frame, ranking, known)
        if ranking.label:
            title_of(ax, ranking.label)
        note_below(ax, folded(self.note(ranking), 0.75 * width_of(ax)))
        return ax


def paint(kind: RankingKind, ax: Axes, frame: Any, ranking: Ranking, styles: Styles) -> None:
    """The rows with their labels, without a note."""
    label_rows(ax, list(styles))
    kind.paint(ax, frame, ranking, styles)


def title_of(ax: Axes, text: str) -> None:
    """What a panel is about, above its left end."""
    style: dict[str, Any] = {"fontsize": TEXT_SIZE, "fontweight": "bold", "pad": 3}
    room = int(LETTERS * (inches_across(ax) + GAP))
    lines = in_lines(shorter(text, 2 * room - 4), room)
    ax.set_title(lines, loc="left", parse_math=False, **style)


def add_texts(kind: RankingKind, ax: Axes, ranking: Ranking, names: Sequence[str]) -> None:
    """Texts beside the rows, where the kind has any."""
    if kind.texts is None:
        return
    style = {"fontsize": min(NOTE_SIZE, label_size(len(names)))}
    columns = [
        TextColumn(column.texts, column.heading, dict(column.style) | style)
        for column in kind.texts(ranking, names)
    ]
    text_columns(ax, range(len(names)), columns)


def width_of(ax: Axes) -> float:
    """Inches that the figure of the axes is wide."""
    return float(ax.figure.bbox.width / ax.figure.dpi)


def inches_across(ax: Axes) -> float:
    """About how wide the axes will be when the layout has made room for the labels of rows."""
    place, grid = ax.get_position(), ax.get_subplotspec()
    longest = max((len(text.get_text()) for text in ax.get_yticklabels()), default=0)
    lacking = max(0.0, longest / LETTERS - width_of(ax) * BEFORE_LABELS)
    columns = grid.get_gridspec().ncols if grid else 1
    return width_of(ax) * float(place.width) - lacking / columns


def x_title(ax: Axes, text: str) -> None:
    """The title of the horizontal axis, in lines that fit it."""
    lines = break_label(text, max(SHORTEST_LINE, int(LETTERS * inches_across(ax))))
    ax.set_xlabel(lines, fontsize=TEXT_SIZE, parse_math=False)


def row_height(rows: int, most: float = ROW, below: float = 0.0) -> float:
    """Inches, so that all rows fit a page with what stands below them."""
    return min(most, (PAGE - AROUND - below) / rows)


def label_size(rows: int) -> float:
    """Points of letters that fit a row."""
    return min(TEXT_SIZE, 0.85 * POINTS * row_height(rows))


def label_rows(ax: Axes, names: Sequence[str]) -> None:
    """Names at the left, the first row on top, in letters that fit their row."""
    size = label_size(len(names))
    labels = [shorter(name, NAME_WIDTH) for name in names]
    ax.set_yticks(range(len(names)), labels, parse_math=False, fontsize=size)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set(linewidth=0.6, color=QUIET)


def label_columns(ax: Axes, names: Sequence[str]) -> None:
    """Names below the columns, upright, of a map with a column for each model."""
    ax.set_xlim(-0.6, len(names) - 0.4)
    ax.tick_params(axis="x", length=0)
    ax.spines["bottom"].set_visible(False)
    size = min(TEXT_SIZE, 0.9 * POINTS * inches_across(ax) / len(names))
    if size < LEAST_SIZE:
        ax.set_xticks([])
        ax.set_xlabel("models in the order of the rows", fontsize=NOTE_SIZE)
        return
    labels = [shorter(name, UPRIGHT_WIDTH) for name in names]
    style: dict[str, Any] = {"rotation": 90, "fontsize": size, "parse_math": False}
    ax.set_xticks(range(len(names)), labels, **style)


def rank_axis(ax: Axes, ranks: int, title: str) -> None:
    """Ranks from the left, with a faint line at each or at round ones."""
    ax.set_xlim(0.4, ranks + 0.6)
    ax.set_xticks(rank_ticks(ranks))
    ax.tick_params(axis="x", **SMALL_TICKS)
    x_title(ax, title)
    ax.grid(axis="x", color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)


def rank_ticks(ranks: int) -> list[int]:
    """The first rank and round ones.

    >>> rank_ticks(5), rank_ticks(30)
    ([1, 2, 3, 4, 5], [1, 5, 10, 15, 20, 25, 30])
    """
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 1000) if ranks <= MOST_TICKS * step)
    return [1, *range(step if step > 1 else 2, ranks + 1, step)]


def rank_title(ranking: Ranking) -> str:
    """``rank by mean DSC``; of ranks within cases their own title, ``mean rank by DSC``."""
    return f"rank by {ranking.subject}"


def by_row(names: Sequence[str]) -> Mapping[str, int]:
    """The row of each model."""
    return {name: row for row, name in enumerate(names)}
