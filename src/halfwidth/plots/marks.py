"""Intervals on an axis, and texts beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from halfwidth.core.types import Array, Bounds
from halfwidth.plots.style import (
    INK,
    NOTE_SIZE,
    PALE,
    QUIET,
    TEXT_SIZE,
    TICKS,
    axes_width,
    plain,
    wrapped,
)
from halfwidth.results.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation, Text

MARGIN = 0.03
GUTTER = 9.0  # points between columns
LINE, ROW = 0.155, 0.19  # inches of a further line of a row, and of a row of one
# Inches of a letter of a note, and the least that a note takes.
NOTE_LETTER, LEAST_NOTE = 0.052, 2.6


class RowPlaces(NamedTuple):
    """Where rows stand on an axis whose unit is a row of one line, such as the one around 0.

    Attributes
    ----------
    middles, halves : ndarray, shape (rows,)
        The middle of each row, and half its height.
    """

    middles: Array
    halves: Array

    @property
    def taken(self) -> float:
        """How many rows of one line have the same height."""
        return float(2 * self.halves.sum())


def row_places(labels: Sequence[str]) -> RowPlaces:
    """Rows one below the other, each as high as the lines of its label need."""
    lines = np.array([label.count("\n") for label in labels], dtype=float)
    heights = 1 + lines * LINE / ROW
    return RowPlaces(np.cumsum(heights) - 0.5 - heights / 2, heights / 2)


class TextColumn(NamedTuple):
    """Texts beside the rows of a figure, empty where there is none, under a heading."""

    texts: Iterable[str]
    heading: str = ""
    style: dict[str, Any] = {}  # noqa: RUF012


def axis_limits(numbers: Iterable[float], ranges: Iterable[Bounds]) -> tuple[float, float]:
    """The stretch of axis to show: all numbers, and a margin, but little beyond the range."""
    finite = np.array([number for number in numbers if np.isfinite(number)])
    if not len(finite):
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    span = high - low
    # A single number stands in the middle of something.
    around = MARGIN * span or 0.1 * abs(low) or 0.5
    least = 2 * MARGIN / 3 * (span or around)
    # A textbook interval may leave the range, and is shown as it is.
    ends = [(min(bounds.low, low), max(bounds.high, high)) for bounds in ranges]
    low_end, high_end = min(end[0] for end in ends), max(end[1] for end in ends)
    return max(low - around, low_end - least), min(high + around, high_end + least)


def shown_ends(e: Estimate) -> list[float]:
    """The numbers that an axis must show of an estimate.

    The open end of a one-sided interval is none: it would stretch the axis and says nothing. Its
    arrow gets as much room as the bound is away.
    """
    seen = {
        "two-sided": (e.value, e.low, e.high),
        "lower": (e.value, e.low, min(2 * e.value - e.low, e.high)),
        "upper": (e.value, e.high, max(2 * e.value - e.high, e.low)),
    }
    low, high = e.unseen_ends
    pale = {"two-sided": (low, high), "lower": (low,), "upper": (high,)}
    return [*seen[e.alternative], *pale[e.alternative]]


def draw_interval(ax: Axes, e: Estimate, y: float) -> None:
    """The bar of the interval, the estimate as a stroke across it, and an arrow for an open end.

    Pale and thin behind it is the interval if cases can fail as none of these did.
    Open is the end that a one-sided interval does not bound, and one beyond the axis. A stroke,
    since a dot would hide short intervals; without an interval, a hollow dot.
    """
    if np.isnan(e.low) or np.isnan(e.high):
        hollow: dict[str, Any] = {"marker": "o", "markersize": 4.6, "markerfacecolor": "white"}
        ax.plot([e.value], [y], color=INK, markeredgewidth=0.9, linestyle="", zorder=5, **hollow)
        return
    first, last = sorted(ax.get_xlim())
    ends = np.clip([e.low, e.high], first, last)
    if e.unseen_failures_matter:
        ax.plot(np.clip(e.unseen_ends, first, last), [y, y], color=PALE, linewidth=1.4, zorder=3)
    ax.plot(ends, [y, y], color=INK, linewidth=2.0, solid_capstyle="butt", zorder=4)
    stroke: dict[str, Any] = {"marker": "|", "markersize": 8, "markeredgewidth": 1.4}
    ax.plot([e.value], [y], color=INK, linestyle="", zorder=5, **stroke)
    is_open = (e.alternative == "upper" or e.low < first, e.alternative == "lower" or e.high > last)
    # Matplotlib's carets, whose tips are at the end.
    for end, caret, points in zip(ends, (4, 5), is_open, strict=True):
        if points:
            ax.plot([end], [y], marker=caret, markersize=5, color=INK, zorder=4)


def beside(
    ax: Axes, text: str, y: float, *, points: float = 6, above: float = 0, **changes: Any
) -> Annotation:
    """A text right of the axes at a height of theirs, so many points away and above.

    Texts stand beside the data, never on it; nothing in them is read as a formula.
    """
    style: dict[str, Any] = {"fontsize": TEXT_SIZE, "color": INK, "ha": "left"} | changes
    return ax.annotate(
        text,
        (1.0, y),
        xycoords=("axes fraction", "data"),
        xytext=(points, above),
        textcoords="offset points",
        va="center_baseline",
        linespacing=1.0,
        annotation_clip=False,
        parse_math=False,
        **style,
    )


def note_below(ax: Axes, text: str) -> Annotation:
    """What the shapes mean, in small grey letters below the axis title, as wide as the axes."""
    letters = int(max(axes_width(ax), LEAST_NOTE) / NOTE_LETTER)
    lines = text.split("\n")
    if max(map(len, lines)) > letters:
        lines = [wrapped(" · ".join(line.removesuffix(" ·") for line in lines), letters)]
    return ax.annotate(
        "\n".join(lines),
        (0.5, 0.0),
        xycoords=ax.xaxis.label,
        xytext=(0, -4),
        textcoords="offset points",
        ha="center",
        va="top",
        fontsize=NOTE_SIZE,
        color=QUIET,
        annotation_clip=False,
        parse_math=False,
    )


def text_columns(ax: Axes, heights: Sequence[float], columns: Iterable[TextColumn]) -> None:
    """Columns of texts right of the axes, each as far right as the one before is wide."""
    quiet: dict[str, Any] = {"fontsize": NOTE_SIZE, "color": QUIET}
    start = GUTTER
    for column in columns:
        texts = [
            beside(ax, text, y, points=start, **column.style)
            for text, y in zip(column.texts, heights, strict=True)
            if text
        ]
        if not texts:
            continue
        if column.heading:
            # A point measure, since the height of a row depends on how many there are.
            texts.append(beside(ax, column.heading, -0.6, points=start, above=5, **quiet))
        start += max(text_width(text) for text in texts) + GUTTER


def align_labels(ax: Axes, bold: Sequence[bool]) -> None:
    """Labels begin at one place, as in a table; headings are bold and stand out to the left."""
    texts = ax.get_yticklabels()
    for text, is_heading in zip(texts, bold, strict=True):
        text.set(ha="left", ma="left", fontweight="bold" if is_heading else "normal")
    ax.tick_params(axis="y", pad=max(text_width(text) for text in texts) + GUTTER / 2)


def text_width(text: Text) -> float:
    """How wide a text is, in points, wherever it may be drawn."""
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.text import Text

    # Published without types. At 72 dots per inch a dot is a point.
    renderer: Any = RendererAgg
    return Text.get_window_extent(text, renderer(1, 1, 72.0), dpi=72.0).width


def finish_axis(ax: Axes, heights: Sequence[float], labels: Sequence[str], title: str) -> None:
    """Labels on the left, the axis title below, and no more lines than it takes."""
    from halfwidth.plots.ticks import plain_numbers

    plain_numbers(ax.xaxis)
    ax.set_yticks(heights, labels, parse_math=False, fontsize=TEXT_SIZE)
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", **TICKS)
    ax.set_xlabel(title, fontsize=TEXT_SIZE, parse_math=False)
    plain(ax, "x", spines=["bottom"])
