"""Legends and notes below a figure, and labels that leave each other room."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from halfwidth.plots.style import NOTE_SIZE, QUIET, printable, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

# Inches of a letter, and of what stands before it in a legend.
LETTER, HANDLE, NOTE_LETTER = 0.058, 0.5, 0.056
LINE = 0.145


class Styled(Protocol):
    """What has a style in a legend."""

    @property
    def line(self) -> dict[str, Any]:
        """Arguments of ``Axes.plot``."""


def legend_below(
    figure: Figure, styles: Mapping[str, Styled], note: str, *, lines: bool = True
) -> None:
    """A note and the series below all panels, in as many columns as fit."""
    width = float(figure.get_size_inches()[0])
    legend = figure.legend(
        [handle(style, lines=lines) for style in styles.values()],
        [printable(name) for name in styles],
        loc="outside lower center",
        ncols=legend_columns(styles, width),
        title=folded(note, width),
        title_fontproperties={"size": NOTE_SIZE},
        fontsize=NOTE_SIZE,
        frameon=False,
        handlelength=2.6,
        columnspacing=1.0,
        handletextpad=0.5,
        labelspacing=0.3,
        borderaxespad=0.2,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
    legend.get_title().set(parse_math=False, color=QUIET, multialignment="center")


def handle(style: Styled, *, lines: bool) -> Line2D:
    """What stands for a series in a legend: its line, or its marker alone."""
    from matplotlib.lines import Line2D

    return Line2D([], [], **(style.line if lines else style.line | {"linestyle": ""}))


def legend_columns(names: Iterable[str], width: float) -> int:
    """Columns of a legend for the width of a figure, filled evenly."""
    lengths = [len(name) for name in names]
    if not lengths:
        return 1
    columns = max(1, min(len(lengths), int((width - 0.1) / (HANDLE + LETTER * max(lengths)))))
    return math.ceil(len(lengths) / math.ceil(len(lengths) / columns))


def height_below(names: Iterable[str], note: str, width: float) -> float:
    """Inches that the note and the legend of a figure need."""
    series = list(names)
    lines = math.ceil(len(series) / legend_columns(series, width)) if series else 0
    return LINE * (lines + folded(note, width).count("\n") + 1) + 0.1


def folded(note: str, width: float) -> str:
    """A note broken into lines that fit the width of a figure."""
    return wrapped(printable(note), int(width / NOTE_LETTER))


def labelled(sizes: Sequence[int], apart: float) -> list[int]:
    """Sizes that get a label: the first, the last, and those between that leave them room.

    >>> labelled([10, 25, 50, 75, 100, 125, 150, 200, 250], apart=0.5)
    [10, 25, 50, 100, 250]
    """
    kept = {sizes[0], sizes[-1]}
    for size in sorted(sizes[1:-1], key=_oddness):
        if all(abs(math.log(size / other)) >= apart for other in kept):
            kept.add(size)
    return sorted(kept)


def _oddness(size: int) -> tuple[int, int]:
    """Round numbers get their label first."""
    first = str(size).rstrip("0")
    return {"1": 0, "5": 1, "25": 2, "2": 2}.get(first, 3), size
