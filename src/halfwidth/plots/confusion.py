"""A confusion matrix as a heat map of its rows, each cell with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.errors import OptionError, shown
from halfwidth.core.formatting import fixed
from halfwidth.core.types import Array
from halfwidth.plots.figure import figure
from halfwidth.plots.marks import beside, note_below
from halfwidth.plots.sheets import fitted
from halfwidth.plots.style import (
    DOT,
    FAINT,
    INK,
    NOTE_SIZE,
    QUIET,
    TEXT_SIZE,
    WIDTH,
    axes_size,
    interval_label,
    new_axes,
    shorter,
)
from halfwidth.results.curves import Confusion
from halfwidth.results.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh

LABEL_WIDTH = 16
# Inches: of the matrix of a new figure, of a cell where there is room, and what stands around.
WIDEST, NARROWEST, CELL = 4.6, 2.2, 0.85
AROUND_WIDE, AROUND_HIGH = 2.1, 1.2
# Share of given axes that labels leave to the matrix, about.
KEPT = 0.75
# Letters of a horizontal label that fit an inch, and of the note.
LETTERS, NOTE_LETTERS = 14, 18
# Inches that a cell must have for its interval and its count, for decimals, and for its share.
ROOM_FOR_ALL, ROOM_FOR_DECIMALS, ROOM_FOR_SHARE = 0.42, 0.6, 0.26
# White to the colour of dots and on to a dark one.
RAMP = ("#ffffff", DOT, "#00304d")


def _checked(source: Any) -> Confusion:
    if not isinstance(source, Confusion):
        raise OptionError(f"confusion={shown(source)} is not what confusion_ci returns")
    return source


@figure(
    "Confusion matrix, each share with its interval",
    lambda confusion: _checked(confusion).to_frame(),
)
def confusion(confusion: Confusion, ax: Axes | None = None) -> Axes:
    """Draw the shares of each true class (row) that are predicted as each (column).

    A cell says the share, its interval and the cases; in small cells the share alone, and in very
    small ones the colour with its scale.

    Parameters
    ----------
    confusion : Confusion
        Its numbers are ``confusion.to_frame()``.
    ax : matplotlib Axes, optional
        Drawn into; texts stand around them, so give their figure ``layout="constrained"``.
        Default: the axes of a new figure that fits the number of classes.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        If matplotlib is missing.

    Examples
    --------
    >>> import halfwidth as hw
    >>> matrix = hw.confusion_ci(["a"] * 9 + ["b"] * 11, ["a"] * 10 + ["b"] * 10)
    >>> [text.get_text() for text in confusion(matrix).get_xticklabels()]
    ['a', 'b']
    """
    classes = len(_checked(confusion).labels)
    if ax is None:
        side = min(max(CELL * classes, NARROWEST), WIDEST)
        ax = new_axes(min(side + AROUND_WIDE, WIDTH), side + AROUND_HIGH)
    else:
        side = KEPT * min(axes_size(ax))
    cell = side / classes
    mesh = _heat(ax, confusion.shares, line=min(0.8, 3 * cell))
    _label(ax, confusion, cell)
    name = fitted(confusion.label, axes_size(ax)[0], TEXT_SIZE)
    ax.set_title(name, fontsize=TEXT_SIZE, loc="left", parse_math=False)
    if cell >= ROOM_FOR_SHARE:
        _write(ax, confusion, cell, mesh.to_rgba(confusion.shares))
    else:
        bar = ax.figure.colorbar(mesh, ax=ax, shrink=0.8)
        bar.set_label("share of the true class", fontsize=TEXT_SIZE)
        bar.ax.tick_params(labelsize=TEXT_SIZE)
    parts = _explanation(confusion, cell)
    narrow = len(" ".join(parts)) > NOTE_LETTERS * axes_size(ax)[0]
    note_below(ax, ("\n" if narrow else " ").join(parts))
    return ax


def _heat(ax: Axes, shares: Array, *, line: float) -> QuadMesh:
    """The cells in their colours, the first row on top; those without a share are grey."""
    import matplotlib as mpl

    ramp = mpl.colors.LinearSegmentedColormap.from_list("shares", RAMP).with_extremes(bad=FAINT)
    cells = np.ma.masked_invalid(shares)
    mesh = ax.pcolormesh(cells, cmap=ramp, vmin=0, vmax=1, edgecolors=FAINT, linewidth=line)
    ax.set_aspect("equal")
    ax.invert_yaxis()
    return mesh


def _label(ax: Axes, confusion: Confusion, cell: float) -> None:
    """Classes at rows and columns; those of columns lie aslant where they would touch."""
    names = [shorter(label, LABEL_WIDTH) for label in confusion.labels]
    middles = np.arange(len(names)) + 0.5
    style: dict[str, Any] = {"fontsize": min(TEXT_SIZE, 65 * cell), "parse_math": False}
    ax.set_yticks(middles, names, **style)
    if max(len(name) for name in names) > LETTERS * cell:
        # Lines aslant are closer to each other than cells are.
        style |= {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
        style["fontsize"] = min(style["fontsize"], 48 * cell)
    ax.set_xticks(middles, names, **style)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel("predicted class", fontsize=TEXT_SIZE)
    ax.set_ylabel("true class", fontsize=TEXT_SIZE)
    if cell >= ROOM_FOR_SHARE:
        for y, row in zip(middles, confusion.estimates, strict=True):
            beside(ax, f"n = {row[0].n}", y, fontsize=NOTE_SIZE, color=QUIET)


def _write(ax: Axes, confusion: Confusion, cell: float, colours: Array) -> None:
    """Write its share into each cell; its interval and its cases below, where there is room."""
    full = cell >= ROOM_FOR_ALL
    size = min(9.5, 72 * cell * (0.21 if full else 0.3))
    small, places = max(0.72 * size, 4.5), _decimals(confusion, cell)
    for row, (estimates, counts) in enumerate(
        zip(confusion.estimates, confusion.counts, strict=True)
    ):
        for column, (e, count) in enumerate(zip(estimates, counts, strict=True)):
            lines = _lines(e, int(count), places)[: 3 if full else 1]
            # Baselines in points from the middle, from the top line down.
            heights = (0.95 * size, -0.1 * size, -0.1 * size - 1.25 * small) if full else (0.0,)
            for line, height in zip(lines, heights, strict=True):
                ax.annotate(
                    line,
                    (column + 0.5, row + 0.5),
                    xytext=(0, height),
                    textcoords="offset points",
                    ha="center",
                    va="center",
                    fontsize=size if line is lines[0] else small,
                    color=_ink_on(colours[row, column]),
                    annotation_clip=False,
                )


def _decimals(confusion: Confusion, cell: float) -> int:
    """Decimals of percentages: one where all intervals support it and cells have the room."""
    supported = min(e.decimals for row in confusion.estimates for e in row) - 2
    return min(1, max(0, supported)) if cell >= ROOM_FOR_DECIMALS else 0


def _lines(e: Estimate, count: int, places: int) -> tuple[str, str, str]:
    share, low, high = (fixed(100 * number, places) for number in (e.value, e.low, e.high))
    if np.isnan(e.value):
        return "n/a", "", str(count)
    return f"{share} %", "" if np.isnan(e.low) else f"{low} to {high}", str(count)


def _ink_on(colour: Array) -> str:
    """Black or white, whichever stands out more (relative luminance as WCAG 2 has it)."""
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    luminance = float(linear[:3] @ [0.2126, 0.7152, 0.0722])
    return INK if (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) else "white"


def _explanation(confusion: Confusion, cell: float) -> list[str]:
    """What the cells say, in parts between which a line may break."""
    estimates = [e for row in confusion.estimates for e in row]
    if cell < ROOM_FOR_SHARE:
        return [f"{int(confusion.counts.sum())} cases"]
    if cell < ROOM_FOR_ALL:
        return ["cells: share of the true class"]
    return ["cells: share of the true class,", f"its {interval_label(estimates)}, and cases"]
