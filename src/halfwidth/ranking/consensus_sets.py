"""Ranks over several rankings: their means or medians, and sets of the ranks by these.

Where the claims of all rankings hold together, they bound the difference between the mean ranks of
any two models, and so the rank of each in the consensus.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Array
from halfwidth.ranking.rank_sets import Claims, Flags, rank_bounds

# Numbers in the temporaries of a block of resamples. No result depends on it.
BLOCK = 2_000_000
REDUCTIONS: Mapping[str, Callable[..., Array]] = {"mean_rank": np.mean, "median_rank": np.median}


def combined_ranks(ranks: Sequence[NDArray[np.signedinteger[Any]]], combine: str) -> Array:
    """Means or medians of the ranks in several rankings, each (B, K)."""
    rows = np.stack(ranks)
    block = max(1, BLOCK // max(rows[:, :1].size, 1))
    reduce = REDUCTIONS[combine]
    return np.concatenate(
        [
            reduce(rows[:, start : start + block], axis=0)
            for start in range(0, max(rows.shape[1], 1), block)
        ]
    )


def consensus_bounds(claims: Sequence[Claims], combine: str) -> NDArray[np.intp]:
    """The least and the largest rank of each model in the consensus, (K, 2).

    Model k is behind model j where all claims together leave its mean (or median) rank no choice
    but to be larger.

    The first of three models is claimed better than the second on one task, and nothing is claimed
    on the other, where the second may make up for it:

    >>> none = np.zeros((3, 3), dtype=bool)
    >>> one = none.copy()
    >>> one[0, 1] = True
    >>> consensus_bounds([(one, one.T), (none, none)], "mean_rank").tolist()
    [[1, 3], [1, 3], [1, 3]]

    Claimed better on both it is ahead, although the ranges of its ranks overlap:

    >>> consensus_bounds([(one, one.T), (one, one.T)], "mean_rank").tolist()
    [[1, 2], [2, 3], [1, 3]]
    """
    least = _least_differences(claims, combine)
    # A model is not better than another whose value is at most as large.
    return rank_bounds(least > 0, (least >= 0).T)


def _least_differences(claims: Sequence[Claims], combine: str) -> Array:
    """How much larger than that of the row the value of the column must at least be, (K, K)."""
    bounds = np.stack([rank_bounds(*one) for one in claims])
    each = np.stack([_least_rank_differences(*one) for one in claims])
    if combine == "mean_rank":
        # Sums of whole numbers: none is 0 by rounding alone.
        return np.asarray(each.sum(axis=0).astype(float))
    lowest, highest = np.median(bounds, axis=0).T
    # Where one model is ahead by so many ranks everywhere, its median is too.
    return np.asarray(np.maximum(lowest - highest[:, None], each.min(axis=0)))


def _least_rank_differences(better: Flags, not_better: Flags) -> NDArray[np.intp]:
    """How many ranks the column must at least be behind the row.

    A model that is better than another (by more than the margin) is ahead of it, by one rank and
    one more for each model that is better than the other and not than itself. For other pairs the
    ranges of the ranks bound the difference.
    """
    low, high = rank_bounds(better, not_better).T
    off_diagonal = ~np.eye(len(better), dtype=bool)
    others = (not_better & off_diagonal).T.astype(np.intp) @ (better & off_diagonal)
    apart = low - high[:, None]
    return np.asarray(np.where(better, np.maximum(apart, 1 + others), apart))
