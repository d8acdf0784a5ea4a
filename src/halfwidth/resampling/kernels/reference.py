"""Plain NumPy kernels; ``plain`` is the oracle, the others its fast equals on the same draws.

All take samples sorted along the last axis and draws that are positions in the sorted sample.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.spec import Moments, Statistic
from halfwidth.core.types import Array

__all__ = [
    "count_draws",
    "middle_of",
    "moments_of_few",
    "moments_of_many",
    "plain",
    "total_weight",
    "weighted",
]

Draws = NDArray[np.intp]


def plain(sorted_values: Array, statistic: Statistic, draws: Draws) -> Array:
    """Gather every resample and call the statistic on it: (S, n), (B, n) -> (S, B)."""
    return np.stack([statistic(sample[draws]) for sample in sorted_values])


def count_draws(draws: Draws, n: int) -> NDArray[np.intp]:
    """How often each case was drawn in each resample: (B, n) -> (B, n)."""
    rows = len(draws)
    flat = draws + n * np.arange(rows)[:, None]
    return np.bincount(flat.ravel(), minlength=rows * n).reshape(rows, n)


def moments_of_few(centred: Array, form: Moments, draws: Draws) -> list[Array]:
    """Power sums of each resample by gathering; for batches too small to fill a matrix product."""
    sums = []
    for power in range(1, form.order + 1):
        powered = centred**power
        sums.append(np.stack([sample[draws].sum(axis=-1) for sample in powered]))
    return sums


def moments_of_many(centred: Array, form: Moments, draws: Draws) -> list[Array]:
    """Power sums of each resample as matrix products of shared counts with all samples."""
    counts = count_draws(draws, centred.shape[-1]).astype(float)
    return [centred**power @ counts.T for power in range(1, form.order + 1)]


def weighted(sorted_values: Array, weights: Array, draws: Draws) -> Array:
    """An L-statistic of each resample, without sorting any.

    In a sorted resample the case at sorted position i fills the places from C₍i-1₎ + 1 to C₍i₎,
    C the cumulated counts; its weight is the sum of the L-weights over those places.
    """
    n = sorted_values.shape[-1]
    cumulated = np.concatenate([[0.0], np.cumsum(weights)])
    places = np.cumsum(count_draws(draws, n), axis=-1)
    shares = np.diff(cumulated[places], prepend=0.0, axis=-1)
    middle = middle_of(sorted_values)
    return np.asarray(total_weight(weights) * middle + (sorted_values - middle) @ shares.T)


def middle_of(sorted_values: Array) -> Array:
    """The middle value of each sample, shape (S, 1): sums about it keep their digits.

    It lies within an SD of the mean, and differences of equal values from it are exactly 0.
    """
    return sorted_values[..., sorted_values.shape[-1] // 2, None]


def total_weight(weights: Array) -> float:
    """The sum of L-weights, 1 for location and 0 for spread, free of rounding."""
    return float(np.rint(weights.sum()))
