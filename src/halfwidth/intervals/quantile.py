"""Intervals for the median and other quantiles from order statistics alone."""

from __future__ import annotations

import numpy as np

from halfwidth.core.spec import Estimand, Need, Promise, interval_method
from halfwidth.core.types import Array, Interval, Level
from halfwidth.core.undefined import no_interval

__all__ = ["attainable_level", "exact", "exact_ranks", "minimum_n", "semiparametric"]

ACCEPTS = frozenset({Estimand.QUANTILE})
NEEDS = (Need.SORTED_VALUES, Need.QUANTILE_LEVEL)
# Binomial sums are rounded; a probability that misses the level by less attains it.
ROUNDING = 1e-12


def _binomial_cdf(n: int, q: float) -> Array:
    """P(Bin(n, q) ≤ s) for s = -1, 0, ..., n."""
    from scipy import special

    return np.concatenate([[0.0], special.bdtr(np.arange(n + 1), n, q)])


def attainable_level(n: int, q: float, level: Level) -> float:
    """The largest confidence level that order statistics of n values can give for quantile q.

    >>> attainable_level(5, 0.5, Level(0.95))
    0.9375
    """
    miss_low, miss_high = (1 - q) ** n, q**n
    return {
        "two-sided": 1 - miss_low - miss_high,
        "lower": 1 - miss_low,
        "upper": 1 - miss_high,
    }[level.alternative]


def minimum_n(q: float, level: Level) -> int:
    """The fewest values with which `exact` gives an interval for quantile q.

    >>> minimum_n(0.5, Level(0.95)), minimum_n(0.9, Level(0.95))
    (6, 29)
    """
    wanted = level.confidence_level - ROUNDING
    high = 2
    while attainable_level(high, q, level) < wanted:
        high *= 2
    low = 1
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (
            (low, middle) if attainable_level(middle, q, level) >= wanted else (middle, high)
        )
    return high


def exact_ranks(n: int, q: float, level: Level) -> tuple[int, int] | None:
    """Ranks (k, l) of the order statistics that bound quantile q, or None where there are none.

    P(X₍k₎ ≤ Q(q) ≤ X₍l₎) = Σ_{s=k}^{l-1} C(n, s) qˢ(1 - q)ⁿ⁻ˢ ≥ 1 - α. For the median the
    symmetric pair; else the shortest span, then the higher probability, then the more equal
    tails, then the smaller k. A one-sided bound takes the innermost rank.

    >>> exact_ranks(10, 0.5, Level(0.95)), exact_ranks(5, 0.5, Level(0.95))
    ((2, 9), None)
    """
    if attainable_level(n, q, level) < level.confidence_level - ROUNDING:
        return None
    cdf = _binomial_cdf(n, q)  # cdf[r] = P(fewer than r values lie below the quantile)
    # P(X₍k₎ > Q) = cdf[k] and P(X₍l₎ < Q) = 1 - cdf[l].
    innermost_low = int(np.searchsorted(cdf, level.tail + ROUNDING, side="right")) - 1
    innermost_high = int(np.searchsorted(cdf, 1 - level.tail - ROUNDING, side="left"))
    if level.alternative != "two-sided":
        return (max(innermost_low, 1), min(innermost_high, n))
    if q == 0.5:
        return (innermost_low, n + 1 - innermost_low)
    return _shortest_ranks(cdf, n, level.confidence_level)


def _shortest_ranks(cdf: Array, n: int, confidence_level: float) -> tuple[int, int]:
    k = np.arange(1, n)
    needed = cdf[k] + confidence_level - ROUNDING
    last = np.searchsorted(cdf, needed, side="left")
    k, last = k[last <= n], np.maximum(last, k + 1)[last <= n]
    probability = np.round(cdf[last] - cdf[k], 12)
    imbalance = np.round(np.abs(cdf[k] - (1 - cdf[last])), 12)
    best = np.lexsort((k, imbalance, -probability, last - k))[0]
    return int(k[best]), int(last[best])


@interval_method(
    title="exact order-statistic",
    accepts=ACCEPTS,
    needs=NEEDS,
    use_when="for a median or quantile: coverage guaranteed, no assumption; needs enough cases",
    promises=frozenset({Promise.STAYS_IN_RANGE, Promise.EQUIVARIANT, Promise.GUARANTEED}),
    cite="zielinski2005",
)
def exact(values: Array, q: float, level: Level) -> Interval:
    """Distribution-free interval between two order statistics (`exact_ranks`).

    Parameters
    ----------
    values : ndarray, shape (..., n)
        Ascending along the last axis.
    q : float
        Level of the quantile, strictly between 0 and 1.
    level : Level

    Returns
    -------
    Interval
        Two values of the sample; need not widen with the level. NaN below the minimum n, that is
        unless qⁿ + (1 - q)ⁿ ≤ α.

    References
    ----------
    Zieliński & Zieliński (2005); Lehmann & Paromau (2025), equation 7.

    Examples
    --------
    >>> interval = exact(np.arange(1.0, 11.0), 0.5, Level(0.95))
    >>> float(interval.low), float(interval.high)
    (2.0, 9.0)
    """
    ranks = exact_ranks(values.shape[-1], q, level)
    if ranks is None:
        return no_interval(values[..., 0])
    return Interval.of(values[..., ranks[0] - 1], values[..., ranks[1] - 1])


@interval_method(
    title="semiparametric bootstrap",
    accepts=ACCEPTS,
    needs=NEEDS,
    use_when="for a quantile with too few cases for exact; extrapolates the tails",
    promises=frozenset({Promise.NESTED, Promise.EQUIVARIANT}),
    cite="hutson2002",
)
def semiparametric(values: Array, q: float, level: Level) -> Interval:
    """Hutson's bootstrap, in closed form.

    A resample is Q̂_T at n uniform levels, Q̂_T the quantile function that is linear between order
    statistics at i/(n + 1) and logarithmic beyond the extremes; its statistic is the
    order statistic of rank ⌈nq⌉. Q̂_T is increasing, so the bootstrap distribution is Q̂_T of a
    Beta(⌈nq⌉, n + 1 - ⌈nq⌉) variate and its percentiles need no draws.

    Parameters
    ----------
    values : ndarray, shape (..., n)
        Ascending along the last axis.
    q : float
        Level of the quantile, strictly between 0 and 1.
    level : Level

    Returns
    -------
    Interval
        In the metric's unit; extrapolated tails may leave the metric's range. NaN for n = 1.

    References
    ----------
    Hutson (2002); Lehmann & Paromau (2025), equation 11.

    Examples
    --------
    >>> interval = semiparametric(np.arange(1.0, 6.0), 0.5, Level(0.95))
    >>> print(f"{interval.low:.3f} {interval.high:.3f}")
    0.872 5.128
    """
    from scipy import special

    n = values.shape[-1]
    if n < 2:
        return no_interval(values[..., 0])
    rank = min(max(int(np.ceil(n * q * (1 - 1e-12))), 1), n)
    low = special.betaincinv(rank, n + 1 - rank, level.tail)
    high = special.betainccinv(rank, n + 1 - rank, level.tail)
    return Interval.of(_extrapolating(values, low), _extrapolating(values, high))


def _extrapolating(values: Array, u: float) -> Array:
    """Q̂_T(u) of Lehmann & Paromau (2025), equation 11, for samples ascending on the last axis."""
    n = values.shape[-1]
    position = (n + 1) * u
    if position <= 1:
        return np.asarray(values[..., 0] + (values[..., 1] - values[..., 0]) * np.log(position))
    if position >= n:
        gap = values[..., -1] - values[..., -2]
        return np.asarray(values[..., -1] - gap * np.log((n + 1) * (1 - u)))
    below = int(position)
    step = values[..., below] - values[..., below - 1]
    return np.asarray(values[..., below - 1] + (position - below) * step)
