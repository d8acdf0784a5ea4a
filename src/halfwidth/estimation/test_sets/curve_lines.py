"""The line of a ROC or precision-recall curve: its corners, exactly where the cases put them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Array
from halfwidth.results.curves import CurveKind

# Lines of more corners are thinned within so many columns of the figure, four corners for each:
# a thousandth of an axis is less than the width of the line that is drawn.
COLUMNS = 1000
MOST_CORNERS = 4 * COLUMNS

Counts = NDArray[np.integer]


def curve_line(kind: CurveKind, tp: Counts, fp: Counts) -> Array:
    """Corners of the curve of a test set, (m, 2), from left to right; none without a curve.

    From positive and negative cases at or above each threshold, (G,), from the highest one down.
    ROC: from (0, 0) to (1, 1), up by the positive and right by the negative cases of each
    threshold; slanted where a score is shared by both. PR: the steps that average precision adds
    up, a precision for each recall back to the one before; nothing is interpolated. The area under
    the line is the AUROC or the AP. No three corners lie on a straight line.

    >>> tp, fp = np.array([1, 1, 2]), np.array([0, 1, 2])
    >>> curve_line("roc", tp, fp).tolist()
    [[0.0, 0.0], [0.0, 0.5], [0.5, 0.5], [1.0, 1.0]]
    >>> curve_line("pr", tp, fp).tolist()
    [[0.0, 1.0], [0.5, 1.0], [0.5, 0.5], [1.0, 0.5]]
    """
    return thinned(_LINES[kind](tp, fp))


def _roc_line(tp: Counts, fp: Counts) -> Array:
    if not (len(tp) and tp[-1] and fp[-1]):
        return np.empty((0, 2))
    tp, fp = (np.concatenate([[0], counts]) for counts in (tp, fp))
    right, up = np.diff(fp), np.diff(tp)
    moved = (right > 0) | (up > 0)
    right, up = right[moved], up[moved]
    # In whole numbers, so that rounding bends no straight line.
    turns = right[:-1] * up[1:] != right[1:] * up[:-1]
    corners = np.concatenate([[True], turns, [True]])
    at = np.concatenate([[0], 1 + np.flatnonzero(moved)])[corners]
    return np.stack([fp[at] / fp[-1], tp[at] / tp[-1]], axis=1)


def _pr_line(tp: Counts, fp: Counts) -> Array:
    if not (len(tp) and tp[-1]):
        return np.empty((0, 2))
    # Thresholds that find nothing more add nothing to average precision.
    at = np.flatnonzero(np.diff(tp, prepend=0))
    hits, called = tp[at], tp[at] + fp[at]
    level = np.concatenate([[True], hits[1:] * called[:-1] != hits[:-1] * called[1:]])
    starts = np.flatnonzero(level)
    ends = np.concatenate([starts[1:] - 1, [len(at) - 1]])
    recall = np.concatenate([[0], hits[ends]]) / tp[-1]
    precision = hits[starts] / called[starts]
    return np.stack([np.repeat(recall, 2)[1:-1], np.repeat(precision, 2)], axis=1)


_LINES: dict[CurveKind, Callable[[Counts, Counts], Array]] = {"roc": _roc_line, "pr": _pr_line}


def thinned(line: Array) -> Array:
    """The first, lowest, highest and last corner of each column of the figure."""
    if len(line) <= MOST_CORNERS:
        return line
    column = np.minimum((line[:, 0] * COLUMNS).astype(np.intp), COLUMNS - 1)
    starts = np.flatnonzero(np.diff(column, prepend=-1))
    stops = np.concatenate([starts[1:], [len(line)]])
    by_height = np.lexsort((line[:, 1], column))
    kept = np.unique(np.concatenate([starts, by_height[starts], by_height[stops - 1], stops - 1]))
    return np.asarray(line[kept])
