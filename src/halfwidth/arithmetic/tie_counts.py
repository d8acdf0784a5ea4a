"""Tie counts: entries and positives above each entry of a ranking, for many rankings at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import FastArea, Ranking
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array


@frozen
class TieCounts:
    """How many entries stand above each entry of a ranking, and how many with it; all (R, L)."""

    # Whether an entry is positive, and whether it is the last of its ties
    positive: NDArray[np.bool_]
    last: NDArray[np.bool_]
    # Position of the first entry of its ties, and of the first behind them
    first: NDArray[np.intp]
    stop: NDArray[np.intp]
    # Positive entries above its ties, and those among them as well
    above: Array
    upto: Array

    @property
    def positives(self) -> Array:
        """Positive entries of each row, shape (R,)."""
        return self.upto[:, -1]


def count_ties(mark: NDArray[np.uint8]) -> TieCounts:
    """What stands above each entry of rankings, given by their marks, (R, L)."""
    positive, last = (mark & Ranking.POSITIVE) > 0, (mark & Ranking.LAST_OF_TIES) > 0
    upto = np.cumsum(positive, axis=-1, dtype=float)
    place = np.broadcast_to(np.arange(mark.shape[-1]), mark.shape)
    if last.all():
        return TieCounts(positive, last, place, place + 1, upto - positive, upto)
    end = np.where(last, place, mark.shape[-1])
    end = np.minimum.accumulate(end[:, ::-1], axis=-1)[:, ::-1]
    first = np.zeros(mark.shape, dtype=np.intp)
    np.maximum.accumulate(np.where(last, place + 1, 0)[:, :-1], axis=-1, out=first[:, 1:])
    upto, positives = np.take_along_axis(upto, end, axis=-1), upto
    above = np.take_along_axis(positives - positive, first, axis=-1)
    return TieCounts(positive, last, first, end + 1, above, upto)


def area_from_ties(area: FastArea, ties: TieCounts) -> Array:
    """AUROC or average precision of each row, (R,); NaN where it is undefined."""
    positives = ties.positives
    with np.errstate(invalid="ignore", divide="ignore"):
        if area is FastArea.CONCORDANCE:
            twice = np.where(ties.positive, 0.0, ties.upto + ties.above).sum(axis=-1)
            return np.asarray(twice / (2.0 * positives * (ties.upto.shape[-1] - positives)))
        share = ties.upto / ties.stop
        share *= ties.upto - ties.above
        return np.asarray(np.where(ties.last, share, 0.0).sum(axis=-1) / positives)
