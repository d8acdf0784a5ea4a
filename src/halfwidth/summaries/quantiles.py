"""Summary statistics that pick order statistics: median and quantiles."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from halfwidth.core.forms import OrderStatistics
from halfwidth.core.parameters import Parameter
from halfwidth.core.spec import Estimand, range_of_values, statistic
from halfwidth.core.types import Array
from halfwidth.core.undefined import nan_per_sample

__all__ = [
    "bootstrap_median",
    "interpolated_quantile",
    "median",
    "quantile",
    "quantile_picks",
    "sample_quantile",
    "sample_rank",
]

Picks = Callable[[int, float], tuple[Array, Array]]
LEVEL = Parameter("q", None, "level of the quantile", above=0, below=1, apart=1e-9)


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


def _cases_for_median(_metric_n: int) -> int:
    return 10


def _level_of_median() -> float:
    return 0.5


def _level(q: float) -> float:
    return q


@statistic(
    listed=1,
    title="median",
    reliable_n=_cases_for_median,
    estimand=Estimand.QUANTILE,
    form=OrderStatistics(_median_picks),
    range_rule=range_of_values,
    smooth=False,
    quantile_level=_level_of_median,
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
    listed=4,
    title="quantile",
    reliable_n=_cases_for_quantile,
    estimand=Estimand.QUANTILE,
    form=OrderStatistics(quantile_picks),
    range_rule=range_of_values,
    smooth=False,
    parameters=(LEVEL,),
    quantile_level=_level,
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
    return _picked(values, axis, quantile_picks, q)


def _picked(values: Array, axis: int, picks: Picks, q: float) -> Array:
    """A weighted sum of one order statistic or of two adjacent ones."""
    moved = np.moveaxis(np.asarray(values, dtype=float), axis, -1)
    n = moved.shape[-1]
    if n == 0:
        return nan_per_sample(moved)
    ranks, weights = picks(n, q)
    positions = [int(rank) - 1 for rank in ranks]
    ordered = np.partition(moved, positions, axis=-1)[..., positions]
    if len(ranks) == 1:
        return np.asarray(ordered[..., 0])
    # As low + weight·gap, so that two equal neighbours give exactly themselves.
    return np.asarray(ordered[..., 0] + weights[1] * (ordered[..., 1] - ordered[..., 0]))


# --------------------------------------------------------------------------- of runs


def sample_rank(n: int, q: float) -> int:
    """The rank ⌈n q⌉ of the sample quantile, from 1 to n.

    >>> sample_rank(10, 0.3), sample_rank(10, 0.31)
    (3, 4)
    """
    # A product that exceeds a whole number by rounding alone is that number.
    return min(max(math.ceil(n * q * (1 - 1e-12)), 1), n)


def _sample_picks(n: int, q: float) -> tuple[Array, Array]:
    return np.array([sample_rank(n, q)]), np.array([1.0])


def _between(position: float, n: int) -> tuple[Array, Array]:
    """Ranks and weights at a position from 1 to n."""
    below = min(max(int(position), 1), n)
    if position <= below or below == n:
        return np.array([below]), np.array([1.0])
    return np.array([below, below + 1]), np.array([below + 1 - position, position - below])


def _interpolated_picks(n: int, q: float) -> tuple[Array, Array]:
    return _between((n + 1) * q, n)


def _bootstrap_picks(n: int, q: float) -> tuple[Array, Array]:
    from scipy import special

    rank = sample_rank(n, q)
    below = float(special.betaincinv(rank, n + 1 - rank, 0.5))
    above = float(special.betainccinv(rank, n + 1 - rank, 0.5))
    position = (n + 1) * below
    if n > 1 and position < 1:
        share = math.log(position)
        return np.array([1, 2]), np.array([1 - share, share])
    if n > 1 and position > n:
        share = math.log((n + 1) * (1 - above))
        return np.array([n - 1, n]), np.array([share, 1 - share])
    return _between(position, n)


@statistic(
    title="sample quantile",
    reliable_n=_cases_for_quantile,
    estimand=Estimand.QUANTILE,
    form=OrderStatistics(_sample_picks),
    range_rule=range_of_values,
    smooth=False,
    parameters=(LEVEL,),
    quantile_level=_level,
    cite="lehmann2025",
)
def sample_quantile(values: Array, *, q: float, axis: int = -1) -> Array:
    """Sample quantile of level q: the smallest value that a share q of the values do not exceed.

    Q̂(q) = x₍⌈nq⌉₎, the inverse of the empirical distribution function (type 1). It is one of the
    values, and the point estimate that goes with the exact interval of a quantile.

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
    Lehmann & Paromau (2025), equation 4.

    Examples
    --------
    >>> float(sample_quantile(np.array([0.0, 1.0, 2.0, 3.0]), q=0.6))
    2.0
    """
    return _picked(values, axis, _sample_picks, q)


@statistic(
    title="interpolated quantile",
    reliable_n=_cases_for_quantile,
    estimand=Estimand.QUANTILE,
    form=OrderStatistics(_interpolated_picks),
    range_rule=range_of_values,
    smooth=False,
    parameters=(LEVEL,),
    quantile_level=_level,
    cite="lehmann2025",
)
def interpolated_quantile(values: Array, *, q: float, axis: int = -1) -> Array:
    """Quantile of level q between order statistics at i/(n + 1) (type 6, NumPy's ``weibull``).

    With h = (n + 1) q and k = ⌊h⌋, Q̂_L(q) = (k + 1 - h)·x₍k₎ + (h - k)·x₍k+1₎; below 1/(n + 1) the
    smallest value, above n/(n + 1) the largest. It goes with the asymptotic interval of a quantile.

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
    Lehmann & Paromau (2025), equation 5; Hyndman & Fan (1996).

    Examples
    --------
    >>> float(interpolated_quantile(np.array([0.0, 1.0, 2.0, 3.0]), q=0.7))
    2.5
    """
    return _picked(values, axis, _interpolated_picks, q)


@statistic(
    title="bootstrap-median quantile",
    reliable_n=_cases_for_quantile,
    estimand=Estimand.QUANTILE,
    form=OrderStatistics(_bootstrap_picks),
    range_rule=range_of_values,
    smooth=False,
    parameters=(LEVEL,),
    quantile_level=_level,
    cite="hutson2002",
)
def bootstrap_median(values: Array, *, q: float, axis: int = -1) -> Array:
    """Median of Hutson's semiparametric bootstrap distribution of the quantile of level q.

    That distribution is Q̂_T of a Beta(⌈nq⌉, n + 1 - ⌈nq⌉) variate, and Q̂_T increases, so the
    median is Q̂_T at the median of the Beta: no draws are made. Q̂_T interpolates between order
    statistics at i/(n + 1) and extrapolates beyond them by logarithms, so that the median of an
    extreme quantile may leave the range of the values, and of the metric.

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
        One quantile per sample, in the metric's unit; NaN for an empty sample.

    References
    ----------
    Hutson (2002); Lehmann & Paromau (2025), section 4.1.

    Examples
    --------
    >>> print(f"{bootstrap_median(np.arange(1.0, 6.0), q=0.9):.3f}")
    5.253
    """
    return _picked(values, axis, _bootstrap_picks, q)


# The catalogue lists these, in this order.
DECLARED = (median, quantile, sample_quantile, interpolated_quantile, bootstrap_median)
