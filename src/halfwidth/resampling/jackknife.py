"""Leave-one-out values, in O(n) for each declared form, and BCa's acceleration from them."""

from __future__ import annotations

import numpy as np

from halfwidth.core.spec import Moments, OrderStatistics, SortedWeights, Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.kernels.reference import middle_of, total_weight

__all__ = ["acceleration", "leave_one_out", "proportion_acceleration", "tie_tolerance"]

# Rounding breaks ties between values that are equal; differences below this share of the
# sample's scale count as none.
TIE_SHARE = 1e-12


def tie_tolerance(sorted_values: Array) -> Array:
    """Differences below this are rounding, per sample."""
    return np.asarray(
        TIE_SHARE * np.maximum(np.abs(sorted_values[..., 0]), np.abs(sorted_values[..., -1]))
    )


def leave_one_out(sorted_values: Array, statistic: Statistic) -> Array:
    """The statistic without each case in turn: (S, n) -> (S, n)."""
    form, n = statistic.spec.form, sorted_values.shape[-1]
    if isinstance(form, Moments):
        centre = middle_of(sorted_values)
        centred = sorted_values - centre
        powers = [centred**power for power in range(1, form.order + 1)]
        rest = [power.sum(axis=-1, keepdims=True) - power for power in powers]
        return np.asarray(form.finish(n - 1, rest, centre, **statistic.parameters))
    if isinstance(form, SortedWeights):
        return _without_each(sorted_values, form.weights(n - 1, **statistic.parameters))
    if isinstance(form, OrderStatistics):
        weights = np.zeros(n - 1)
        ranks, picked = form.picks(n - 1, **statistic.parameters)
        weights[ranks - 1] = picked
        return _without_each(sorted_values, weights)
    return np.stack([statistic(np.delete(sorted_values, i, axis=-1)) for i in range(n)], axis=-1)


def _without_each(sorted_values: Array, weights: Array) -> Array:
    """An L-statistic without each case: those before it keep their place, those after move up."""
    middle = middle_of(sorted_values)
    centred = sorted_values - middle
    before = np.zeros_like(centred)
    before[..., 1:] = np.cumsum(weights * centred[..., :-1], axis=-1)
    after = np.zeros_like(centred)
    after[..., :-1] = np.cumsum((weights * centred[..., 1:])[..., ::-1], axis=-1)[..., ::-1]
    return np.asarray(before + after + middle * total_weight(weights))


def acceleration(sorted_values: Array, statistic: Statistic) -> Array:
    """BCa's acceleration, Σd³ / (6 (Σd²)^1.5), d = mean of the leave-one-out values minus each.

    NaN where the jackknife variance vanishes, so that BCa is undefined there.
    """
    n = sorted_values.shape[-1]
    if n <= statistic.spec.min_n:
        return np.full(sorted_values.shape[:-1], np.nan)
    values = leave_one_out(sorted_values, statistic)
    deviation = values.mean(axis=-1, keepdims=True) - values
    scale = np.abs(deviation).max(axis=-1, keepdims=True)
    vanishes = scale[..., 0] <= tie_tolerance(sorted_values)
    with np.errstate(invalid="ignore", divide="ignore"):
        # Scaled first: the cubes of small deviations would underflow.
        scaled = deviation / scale
        skew = (scaled**3).sum(axis=-1) / (6 * (scaled**2).sum(axis=-1) ** 1.5)
    return np.where(vanishes, np.nan, skew)


def proportion_acceleration(successes: Array, n: int) -> Array:
    """The same for a proportion: (1 - 2p) / (6 √(n p (1 - p))); NaN at 0 and at 1."""
    p = np.asarray(successes, float) / n
    with np.errstate(invalid="ignore", divide="ignore"):
        value = (1 - 2 * p) / (6 * np.sqrt(n * p * (1 - p)))
    return np.where((p > 0) & (p < 1), value, np.nan)
