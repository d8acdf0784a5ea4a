"""Summary statistics that pick order statistics: median and quantiles."""

from __future__ import annotations

import math

import numpy as np

from halfwidth.core.forms import OrderStatistics
from halfwidth.core.parameters import Parameter
from halfwidth.core.spec import Estimand, range_of_values, statistic
from halfwidth.core.types import Array
from halfwidth.core.undefined import nan_per_sample

__all__ = ["median", "quantile", "quantile_picks"]

LEVEL = Parameter("q", None, "level of the quantile", above=0, below=1)


def quantile_picks(n: int, q: float) -> tuple[Array, Array]:
    """Ranks (1-based) and weights of the order statistics in the type-7 quantile.

    >>> quantile_picks(4, 0.5)
    (array([2, 3]), array([0.5, 0.5]))
    """
    position = (n - 1) * q
    nearest = round(position)
    # A position that misses a whole number by rounding alone is that number.
    if abs(position - nearest) <= 4 * np.finfo(float).eps * position:
        return np.array([nearest + 1]), np.array([1.0])
    below = int(position)
    return np.array([below + 1, below + 2]), np.array([1.0 + below - position, position - below])


def _cases_for_quantile(_metric_n: int, q: float) -> int:
    """About ten cases beyond the quantile."""
    return max(25, math.ceil(10 / min(q, 1 - q) - 1e-9))


def _median_picks(n: int) -> tuple[Array, Array]:
    return quantile_picks(n, 0.5)


@statistic(
    title="median",
    reliable_n=lambda metric_n, **_: 10,
    estimand=Estimand.QUANTILE,
    form=OrderStatistics(_median_picks),
    range_rule=range_of_values,
    smooth=False,
    quantile_level=lambda: 0.5,
)
def median(values: Array, *, axis: int = -1) -> Array:
    """Median: the middle value, or the mean of the two middle ones.

    Parameters
    ----------
    values : ndarray
        Finite values of the metric, in its unit.
    axis : int
        The sample axis.

    Returns
    -------
    ndarray
        One median per sample, in the metric's unit and range; NaN for an empty sample.

    Examples
    --------
    >>> float(median(np.array([0.9, 0.1, 0.8])))
    0.8
    """
    return quantile(values, q=0.5, axis=axis)


@statistic(
    title="quantile",
    reliable_n=_cases_for_quantile,
    estimand=Estimand.QUANTILE,
    form=OrderStatistics(quantile_picks),
    range_rule=range_of_values,
    smooth=False,
    parameters=(LEVEL,),
    quantile_level=lambda q: q,
    cite="hyndman_fan1996",
)
def quantile(values: Array, *, q: float, axis: int = -1) -> Array:
    """Quantile of level q by linear interpolation (type 7, the default of NumPy and R).

    With h = (n - 1)q and k = ⌊h⌋, it is (k + 1 - h)·x₍k+1₎ + (h - k)·x₍k+2₎.

    Parameters
    ----------
    values : ndarray
        Finite values of the metric, in its unit.
    q : float
        Level, strictly between 0 and 1.
    axis : int
        The sample axis.

    Returns
    -------
    ndarray
        One quantile per sample, in the metric's unit and range; NaN for an empty sample.

    References
    ----------
    Hyndman & Fan (1996).

    Examples
    --------
    >>> float(quantile(np.array([0.0, 1.0, 2.0, 3.0]), q=0.9))
    2.7
    """
    moved = np.moveaxis(np.asarray(values, dtype=float), axis, -1)
    n = moved.shape[-1]
    if n == 0:
        return nan_per_sample(moved)
    ranks, weights = quantile_picks(n, q)
    positions = [int(rank) - 1 for rank in ranks]
    ordered = np.partition(moved, positions, axis=-1)[..., positions]
    if len(ranks) == 1:
        return np.asarray(ordered[..., 0])
    # As low + weight·gap, so that two equal neighbours give exactly themselves.
    return np.asarray(ordered[..., 0] + weights[1] * (ordered[..., 1] - ordered[..., 0]))
