"""A confusion matrix as a heat map of its rows, each cell with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.curves import Confusion
from halfwidth.core.estimate import Estimate
from halfwidth.core.formatting import fixed
from halfwidth.core.types import Array
from halfwidth.plots.marks import beside, note_below
from halfwidth.plots.style import (
    DOT,
    FAINT,
    INK,
    NOTE_SIZE,
    QUIET,
    TEXT_SIZE,
    WIDTH,
    interval_words,
    lines_of,
    require_matplotlib,
    shorter,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

__all__ = ["confusion"]

LABEL_WIDTH = 16
# Inches: the widest and the narrowest matrix of a new figure, a cell where there is room, and
# what stands around the matrix.
WIDEST, NARROWEST, CELL = 4.6, 2.2, 0.8
AROUND = 1.1
# Letters of a horizontal label that fit an inch.
LETTERS = 15
# Inches that a cell must have for its interval and its count, and for its share alone.
ROOM_FOR_ALL, ROOM_FOR_SHARE = 0.44, 0.3


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
    >>> from halfwidth.estimation.curves import confusion_ci
    >>> matrix = confusion_ci(["a"] * 9 + ["b"] * 11, ["a"] * 10 + ["b"] * 10)
    """
