"""Summary statistics of spread: standard deviation and interquartile range."""

from __future__ import annotations

import math

import numpy as np

from halfwidth.core.forms import Moments, OrderStatistics
from halfwidth.core.parameters import Parameter
from halfwidth.core.spec import Estimand, range_of_gaps, statistic
from halfwidth.core.types import Array, Bounds
from halfwidth.core.undefined import nan_per_sample
from halfwidth.summaries.location import mean
from halfwidth.summaries.quantiles import quantile, quantile_picks

__all__ = ["iqr", "sd"]

# Deviations whose squares keep their digits.
SMALLEST, LARGEST = 1e-140, 1e140
DDOF = Parameter("ddof", 1.0, "1 divides by n - 1, 0 by n", choices=(0.0, 1.0))


def _sd_from_squares(n: int | Array, squares: Array, _centre: Array, ddof: float) -> Array:
    left = np.where(np.greater(n, ddof), np.subtract(n, ddof), np.nan)
    return np.asarray(np.sqrt(squares / left))


def _range_of_sd(bounds: Bounds, n: float, ddof: float) -> Bounds:
    """No n values within bounds lie farther apart than half of them at either."""
    widest = bounds.width / 2 / math.sqrt(1 - ddof / n) if n > ddof else bounds.width
    # An SD may be rounded up: that of 0 and 1 exceeds 1/√2 as it is reckoned here.
    return Bounds(0.0, widest * (1 + 4 * np.finfo(float).eps))


def _influence_on_sd(values: Array, ddof: float) -> Array:
    """((x - x̄)² - m₂) s / (2 m₂), m₂ the mean square deviation; 0 where all values are equal."""
    squares = (values - mean(values)[..., None]) ** 2
    second = squares.mean(axis=-1, keepdims=True)
    spread = sd(values, ddof=ddof)[..., None]
    excess = squares - second
    # Two values, half of the cases each, lie one SD from the mean: what is left is rounding.
    rounding = 16 * np.finfo(float).eps * np.abs(values).max(axis=-1, keepdims=True)
    excess = np.where(np.abs(excess) <= rounding * np.sqrt(second), 0.0, excess)
    divisor = np.where(second > 0, 2 * second, 1.0)
    return np.asarray(excess / divisor * np.where(second > 0, spread, 0.0))


def _cases_for_sd(metric_n: int, **_: float) -> int:
    return 3 * metric_n


@statistic(
    listed=3,
    title="SD",
    estimand=Estimand.SPREAD,
    form=Moments(2, _sd_from_squares),
    influence=_influence_on_sd,
    range_rule=_range_of_sd,
    min_n=2,
    parameters=(DDOF,),
    synonyms=("std", "standard_deviation"),
    reliable_n=_cases_for_sd,
)
def sd(values: Array, *, ddof: float = 1.0, axis: int = -1) -> Array:
    """Standard deviation, √(Σ(x - x̄)² / (n - ddof)): the spread of cases, not of an estimate.

    Parameters
    ----------
    values : ndarray
        Finite values of the metric, in its unit.
    ddof : {1, 0}
        1 divides by n - 1 (default), 0 by n.
    axis : int
        The sample axis.

    Returns
    -------
    ndarray
        One SD per sample, at least 0, in the metric's unit; NaN where n ≤ ddof.

    Examples
    --------
    >>> float(sd(np.array([1.0, 2.0, 3.0])))
    1.0
    """
    if np.shape(values)[axis] <= ddof:
        return nan_per_sample(values, axis=axis)
    # About the first value, so that equal values have an SD of exactly 0.
    centred = values - np.take(values, [0], axis=axis)
    largest = np.abs(centred).max(axis=axis, keepdims=True)
    if ((largest > 0) & (largest < SMALLEST) | (largest > LARGEST)).any():
        # Powers of two change no digit.
        by = np.ldexp(1.0, np.clip(-np.frexp(largest)[1], -1000, 1000))
        return np.asarray(np.std(centred * by, axis=axis, ddof=ddof) / by.squeeze(axis))
    return np.asarray(np.std(centred, axis=axis, ddof=ddof))


def _iqr_picks(n: int) -> tuple[Array, Array]:
    lower_ranks, lower_weights = quantile_picks(n, 0.25)
    upper_ranks, upper_weights = quantile_picks(n, 0.75)
    ranks, where = np.unique(np.concatenate([lower_ranks, upper_ranks]), return_inverse=True)
    weights = np.zeros(len(ranks))
    np.add.at(weights, where, np.concatenate([-lower_weights, upper_weights]))
    return ranks, weights


def _cases_for_iqr(_metric_n: int) -> int:
    return 50


@statistic(
    listed=3,
    title="IQR",
    estimand=Estimand.SPREAD,
    form=OrderStatistics(_iqr_picks),
    range_rule=range_of_gaps,
    smooth=False,
    synonyms=("interquartile_range",),
    reliable_n=_cases_for_iqr,
    cite="hyndman_fan1996",
)
def iqr(values: Array, *, axis: int = -1) -> Array:
    """Interquartile range, the 0.75 quantile minus the 0.25 quantile (both type 7).

    Parameters
    ----------
    values : ndarray
        Finite values of the metric, in its unit.
    axis : int
        The sample axis.

    Returns
    -------
    ndarray
        One IQR per sample, at least 0, in the metric's unit; NaN for an empty sample.

    References
    ----------
    Hyndman & Fan (1996).

    Examples
    --------
    >>> float(iqr(np.array([1.0, 2.0, 3.0, 4.0, 5.0])))
    2.0
    """
    return quantile(values, q=0.75, axis=axis) - quantile(values, q=0.25, axis=axis)


# The catalogue lists these, in this order.
DECLARED = (sd, iqr)
