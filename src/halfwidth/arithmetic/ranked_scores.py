"""Scores as rankings: cases in descending order, as areas and their resamples take them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import Ranking
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array, Numbers

# Scores that are ranked at once, 1 MiB. No result depends on it.
AT_A_TIME = 2**17


def rank(
    positive: NDArray[np.bool_],
    scores: Array,
    weight: Array | None = None,
    cases: int = 0,
    *,
    keep: bool = True,
) -> Ranking:
    """Entries in descending order of their score, each row by itself: (R, L) -> `Ranking`.

    A row may hold several entries of each of so many ``cases``, one after all others. Where ties
    are to ``keep`` their order, turned round, it is quicker for cases that come ascending, and
    slower else. No area depends on it.
    """
    order = np.argsort(scores, axis=-1, kind="stable" if keep else "quicksort")[:, ::-1]
    ordered = np.take_along_axis(scores, order, axis=-1)
    mark = np.full(order.shape, Ranking.LAST_OF_TIES, dtype=np.uint8)
    mark[:, :-1] *= ordered[:, 1:] != ordered[:, :-1]
    mark += np.take_along_axis(positive, order, axis=-1)
    case = order % cases if cases else order
    own = None if weight is None else np.take_along_axis(weight, order, axis=-1)
    return Ranking(case.astype(np.int32), mark, own)


@frozen
class RankEach:
    """Records of a test set to its ranking; the records hold scores, a code and maybe a weight."""

    n_scores: int  # Rows of scores, one for each class; a case of code k is positive in row k
    # Whether all pairs of a case and a class make one row, as micro-averages have it
    flatten: bool = False
    weighted: bool = False

    @property
    def rows(self) -> int:
        """Rows of the ranking of one test set."""
        return 1 if self.flatten else self.n_scores

    def __call__(self, records: Array) -> Ranking:
        """Rank one test set, (k, n), or several under one another, (S, k, n)."""
        k, n = self.n_scores, records.shape[-1]
        scores, code = records[..., :k, :], records[..., k, :]
        positive = code[..., None, :] == np.arange(k)[:, None]
        shape = (-1, k * n if self.flatten else n)
        weight = None
        if self.weighted:
            weight = np.broadcast_to(records[..., k + 1, None, :], scores.shape).reshape(shape)
        cases = n if self.flatten else 0
        keep = self.weighted or records.size == (k + 1) * n
        return rank(positive.reshape(shape), scores.reshape(shape), weight, cases, keep=keep)


def mean_ranks(values: Array) -> Array:
    """Ranks from 1 up, (n,) -> (n,); equal values have the mean of theirs.

    >>> mean_ranks(np.array([3.0, 1.0, 3.0]))
    array([2.5, 1. , 2.5])
    """
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    upto = np.cumsum(counts)
    return np.asarray((upto - (counts - 1) / 2)[which.reshape(values.shape)], float)


def cumulated(
    mark: NDArray[np.uint8], weight: Numbers, whole: type[np.signedinteger[Any]] = np.int64
) -> tuple[Numbers, Numbers]:
    """Positive and negative entries at or above each distinct score: (..., L) -> two (..., G).

    Whole weights are cumulated as ``whole`` numbers, which must hold their total.
    """
    positive = (mark & Ranking.POSITIVE) > 0
    ends: Any = np.flatnonzero(mark & Ranking.LAST_OF_TIES)
    if weight.dtype.kind in "iu":
        ends = ends if len(ends) < len(mark) else slice(None)
        # What is not positive is the rest.
        tp = np.cumsum(weight * positive, axis=-1, dtype=whole)[..., ends]
        return tp, np.cumsum(weight, axis=-1, dtype=whole)[..., ends] - tp
    tp = np.cumsum(np.where(positive, weight, 0), axis=-1)[..., ends]
    return tp, np.cumsum(np.where(positive, 0, weight), axis=-1)[..., ends]


def group_of_entries(mark: NDArray[np.uint8]) -> NDArray[np.intp]:
    """The number of the group of equal scores that each entry belongs to."""
    last = (mark & Ranking.LAST_OF_TIES) > 0
    return np.asarray(np.cumsum(last) - last, dtype=np.intp)


def concordance(mark: NDArray[np.uint8], weight: Array) -> Array:
    """Twice the concordance of each entry with the other class: 2 for a pair in order, 1 tied."""
    positive = (mark & Ranking.POSITIVE) > 0
    ends = np.flatnonzero(mark & Ranking.LAST_OF_TIES)
    group = group_of_entries(mark)
    tp, fp = np.cumsum(weight * positive)[ends], np.cumsum(weight * ~positive)[ends]
    p, q = np.diff(tp, prepend=0.0), np.diff(fp, prepend=0.0)
    for_negative = (2 * tp - p)[group]
    for_positive = (2 * (fp[-1] - fp) + q)[group]
    return np.where(positive, for_positive, for_negative)


def in_parts(sets: Array) -> Iterator[slice]:
    """A few test sets (S, k, n) at a time, so that their rankings stay in the caches of a core."""
    step = max(1, AT_A_TIME // max(sets[0].size, 1)) if len(sets) else 1
    return (slice(start, start + step) for start in range(0, len(sets), step))
