"""Intervals for the median and other quantiles from order statistics alone."""

from __future__ import annotations

import numpy as np

from halfwidth.core.formatting import percent
from halfwidth.core.spec import Estimand, Need, Promise, Unanswered, interval_method
from halfwidth.core.types import Array, Interval, Level
from halfwidth.core.undefined import no_interval
from halfwidth.intervals.ranks import (
    asymptotic_positions,
    attainable_level,
    exact_ranks,
    level_within_reach,
    minimum_n,
    minimum_n_asymptotic,
    randomized_ranks,
)
from halfwidth.summaries.quantiles import sample_rank

__all__ = ["asymptotic", "exact", "exact_attained", "exact_randomized", "semiparametric"]

ACCEPTS = frozenset({Estimand.QUANTILE})
NEEDS = (Need.SORTED_VALUES, Need.QUANTILE_LEVEL)


@interval_method(
    title="semiparametric bootstrap",
    accepts=ACCEPTS,
    needs=NEEDS,
    use_when="for studies: extrapolates the tails, and covers too seldom where exact does not "
    "exist",
    promises=frozenset({Promise.NESTED, Promise.EQUIVARIANT}),
    cite="hutson2002",
    assumes="Beyond the extreme values the tails fall off like those of an exponential "
    "distribution.",
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
    rank = sample_rank(n, q)
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


def _defined_from(sample: Unanswered, n: int) -> str:
    q, level, units = sample.quantile_level, sample.level, sample.units
    later = f"{sample.method} is defined from {n} {sample.noun}s on"
    within_reach = exact_ranks(units, q, level_within_reach(units, q, level)) is not None
    instead = exact_attained.__name__
    if not within_reach or sample.method == instead:
        return later
    return f"{instead} takes the level within reach, and {later}"


def _out_of_reach_reason(sample: Unanswered) -> tuple[str, str]:
    q = sample.quantile_level
    reached = percent(round(attainable_level(sample.units, q, sample.level), 4))
    return (
        f"order statistics of {sample.units_text} reach at most {reached}",
        _defined_from(sample, minimum_n(q, sample.level)),
    )


def _ranks_beyond(sample: Unanswered) -> tuple[str, str]:
    needed = minimum_n_asymptotic(sample.quantile_level, sample.level)
    return (
        f"its ranks lie beyond those of {sample.units_text}",
        _defined_from(sample, needed),
    )


@interval_method(
    no_interval=_out_of_reach_reason,
    attains=lambda statistic, _bounds, units, level: level_within_reach(
        units, statistic.quantile_level, level
    ),
    title="exact order-statistic, at the level within reach",
    accepts=ACCEPTS,
    needs=NEEDS,
    use_when="for a quantile with too few cases for exact: the interval is of the level that so "
    "many cases attain, or open on one side",
    promises=frozenset({Promise.STAYS_IN_RANGE, Promise.EQUIVARIANT, Promise.GUARANTEED}),
    cite="zielinski2005",
    assumes="Nothing about the distribution; ties only make it more conservative.",
)
def exact_attained(values: Array, q: float, level: Level) -> Interval:
    """`exact` at the level asked for, or at the one that so few values attain.

    Where qⁿ + (1 - q)ⁿ > α, no two order statistics hold the quantile often enough. The smallest
    and the largest value hold it with probability 1 - qⁿ - (1 - q)ⁿ, and that is then the level of
    the interval. If they miss it more than twice as often as one of them alone would, as they do
    for a quantile near an end, the interval is a bound on the nearer side, at the level asked for
    or, where that is out of reach as well, at the one attained; the other side is open.

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
        Values of the sample; infinite on a side that is open though an interval was asked for. NaN
        for a one-sided bound that would hold less than half the time.

    References
    ----------
    Zieliński & Zieliński (2005); Lehmann & Paromau (2025), section 3.2.

    Examples
    --------
    >>> interval = exact_attained(np.arange(1.0, 6.0), 0.5, Level(0.95))  # of 93.75 %
    >>> float(interval.low), float(interval.high)
    (1.0, 5.0)
    >>> interval = exact_attained(np.arange(1.0, 11.0), 0.9, Level(0.95))
    >>> float(interval.low), float(interval.high)
    (7.0, inf)
    """
    attained = level_within_reach(values.shape[-1], q, level)
    interval = exact(values, q, attained)
    if attained.alternative == level.alternative or np.isnan(interval.low).all():
        return interval
    if attained.alternative == "lower":
        return Interval.of(interval.low, np.inf)
    return Interval.of(-np.inf, interval.high)


@interval_method(
    no_interval=_out_of_reach_reason,
    instead=exact_attained,
    title="exact order-statistic",
    accepts=ACCEPTS,
    needs=NEEDS,
    use_when="for a median or quantile: guaranteed coverage without assumptions; needs enough "
    "cases",
    promises=frozenset({Promise.STAYS_IN_RANGE, Promise.EQUIVARIANT, Promise.GUARANTEED}),
    cite="zielinski2005",
    assumes="Nothing about the distribution; ties only make it more conservative.",
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
    no_interval=_out_of_reach_reason,
    title="randomized exact order-statistic",
    accepts=ACCEPTS,
    needs=(*NEEDS, Need.UNIFORM),
    use_when="for studies: meets the level exactly, on average over a seeded draw between two "
    "intervals",
    promises=frozenset({Promise.STAYS_IN_RANGE, Promise.EQUIVARIANT, Promise.GUARANTEED}),
    cite="zielinski2005",
    assumes="Values have no ties; nothing else about the distribution.",
)
def exact_randomized(values: Array, q: float, uniform: Array, level: Level) -> Interval:
    """One of two intervals between order statistics, drawn so that the level is met exactly.

    Of all mixtures of intervals [X₍k₎, X₍l₎] that hold the quantile exactly 1 - α often, the one of
    the least expected l - k (`halfwidth.intervals.ranks.randomized_ranks`).

    Parameters
    ----------
    values : ndarray, shape (..., n)
        Ascending along the last axis.
    q : float
        Level of the quantile, strictly between 0 and 1.
    uniform : ndarray, shape (...)
        A uniform number on [0, 1) for each sample; below the chance of the first interval that one
        is given.
    level : Level

    Returns
    -------
    Interval
        Two values of the sample; need not widen with the level. NaN below the minimum n of `exact`.

    References
    ----------
    Zieliński & Zieliński (2005); Lehmann & Paromau (2025), section 3.3.

    Examples
    --------
    >>> values = np.arange(1.0, 11.0)
    >>> interval = exact_randomized(values, 0.5, np.array(0.3), Level(0.95))
    >>> float(interval.low), float(interval.high)
    (2.0, 9.0)
    """
    pairs = randomized_ranks(values.shape[-1], q, level)
    if pairs is None:
        return no_interval(values[..., 0])
    first, last = pairs[0], pairs[-1]
    drawn = np.asarray(uniform) < first.chance
    return Interval.of(
        np.where(drawn, values[..., first.k - 1], values[..., last.k - 1]),
        np.where(drawn, values[..., first.l - 1], values[..., last.l - 1]),
    )


@interval_method(
    no_interval=_ranks_beyond,
    title="asymptotic order-statistic",
    accepts=ACCEPTS,
    needs=NEEDS,
    use_when="for a quantile of many runs; narrower than exact, but approximate",
    promises=frozenset({Promise.STAYS_IN_RANGE, Promise.NESTED, Promise.EQUIVARIANT}),
    cite="lehmann2025",
    assumes="Enough cases lie on either side of the quantile for their number to be nearly normal.",
)
def asymptotic(values: Array, q: float, level: Level) -> Interval:
    """Interpolated quantiles at the levels q ∓ z √(q (1 - q) / n).

    With k, l = n (q ∓ z √(q (1 - q) / n)) the bounds are Q̂_L(k/n) and Q̂_L(l/n), where Q̂_L
    interpolates between order statistics at i/(n + 1); from n/(n + 1) on the bound is the largest
    value, where Q̂_L is not defined.

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
        Within the values. NaN unless 1 ≤ k < l ≤ n.

    References
    ----------
    Lehmann & Paromau (2025), equations 5, 9 and 10.

    Examples
    --------
    >>> interval = asymptotic(np.arange(1.0, 26.0), 0.5, Level(0.95))
    >>> print(f"{interval.low:.2f} {interval.high:.2f}")
    7.90 18.10
    """
    n = values.shape[-1]
    positions = asymptotic_positions(n, q, level)
    if positions is None:
        return no_interval(values[..., 0])
    low, high = (_extrapolating(values, _inside(position / n, n)) for position in positions)
    return Interval.of(low, high)


def _inside(u: float, n: int) -> float:
    """A level at which no order statistic is extrapolated."""
    return min(max(u, 1 / (n + 1)), n / (n + 1))


# The catalogue lists these, in this order.
DECLARED = (exact, exact_attained, exact_randomized, asymptotic, semiparametric)
