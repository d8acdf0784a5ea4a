"""How rankings of resamples spread."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.ranks import Ranks, ranks_of
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array

# Numbers in the temporaries of a block of resamples. No result depends on it.
BLOCK = 2_000_000


@frozen(eq=False)
class RankDistribution:
    """How the ranks of K models spread over resamples."""

    # Resamples in which a model (row) has a rank (column, from rank 1), (K, K).
    counts: NDArray[np.intp]
    # Kendall's τ-b of the ranking of each resample with the full one, (B,); NaN where either has
    # all models equal.
    taus: Array

    @property
    def shares(self) -> Array:
        """The share of the resamples in which a model has a rank, (K, K)."""
        return np.asarray(self.counts / self.counts.sum(axis=-1, keepdims=True))

    def top(self, places: int) -> Array:
        """The share of the resamples in which a model has one of the first ranks, (K,)."""
        return np.asarray(self.shares[:, :places].sum(axis=-1))


def rank_distribution(
    merits: Array, replicates: Array, margin: float = 0.0
) -> RankDistribution | None:
    """Ranks on resamples, (K, B), and how they agree with those of the sample, (K,).

    Resamples on which the merit of some model is NaN are left out; None where all are.
    """
    models = len(merits)
    defined = replicates.T[np.isfinite(replicates).all(axis=0)]
    if not len(defined):
        return None
    counts = np.zeros((models, models), dtype=np.intp)
    taus, full = np.empty(len(defined)), ranks_of(merits, margin)
    block = max(1, BLOCK // models**2)
    for start in range(0, len(defined), block):
        rows = slice(start, start + block)
        ranks = ranks_of(defined[rows], margin)
        for model in range(models):
            counts[model] += np.bincount(ranks[:, model] - 1, minlength=models)
        taus[rows] = kendall_taus(ranks, full)
    return RankDistribution(counts, taus)


def shares_of(
    distribution: RankDistribution | None, model: int, top: int
) -> tuple[tuple[float, ...], float]:
    """The shares of the resamples in which a model has each rank, and one of the first ranks."""
    if distribution is None:
        return (), math.nan
    return tuple(distribution.shares[model].tolist()), float(distribution.top(top)[model])


def kendall_taus(rankings: Ranks, full: Ranks) -> Array:
    """Kendall's τ-b of some rankings with one, (B, K) and (K,) -> (B,).

    >>> kendall_taus(np.array([[1, 2, 3], [3, 2, 1], [1, 1, 3]]), np.array([1, 2, 3])).round(3)
    array([ 1.   , -1.   ,  0.816])
    """
    # One row for each model: whole rows are compared, in the smallest integers that hold a rank.
    ranks = np.ascontiguousarray(rankings.T.astype(np.int16 if len(full) < 2**15 else np.intp))
    signs = np.sign(full[:, None] - full).astype(np.int8)
    agreeing, untied = np.zeros((2, len(rankings)), dtype=np.intp)
    for model, own in enumerate(signs):
        differences = ranks[model] - ranks[model + 1 :]
        order = (differences > 0).view(np.int8) - (differences < 0).view(np.int8)
        untied += (differences != 0).sum(axis=0, dtype=ranks.dtype)
        agreeing += (order * own[model + 1 :, None]).sum(axis=0, dtype=ranks.dtype)
    pairs = untied * float(np.count_nonzero(signs) // 2)
    return np.where(pairs > 0, agreeing / np.sqrt(np.where(pairs > 0, pairs, 1.0)), np.nan)
