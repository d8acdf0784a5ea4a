"""Which order statistics bound a quantile, whatever the distribution.

With s of n values below the quantile of level q, s ~ Bin(n, q): all that follows is about its
cumulative distribution.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from halfwidth.core.types import Array, Level

# Binomial sums are rounded; a probability that misses the level by less attains it.
ROUNDING = 1e-12


class RankPair(NamedTuple):
    """An interval from the k-th to the l-th smallest value, and how often it is the one given."""

    # From 1 on
    k: int
    l: int  # noqa: E741 -- the letter of the literature
    coverage: float  # The probability that it holds the quantile
    chance: float  # The probability with which it is drawn


def _binomial_cdf(n: int, q: float) -> Array:
    """P(Bin(n, q) ≤ s) for s = -1, 0, ..., n."""
    from scipy import special

    # Farther from the mean a tail is below e^-800 (Bernstein's inequality), which is 0.
    reach = 40 * math.sqrt(n * q * (1 - q)) + 600
    first, last = max(0, math.floor(n * q - reach)), min(n, math.ceil(n * q + reach))
    cdf = np.zeros(n + 2)
    cdf[first + 1 : last + 2] = special.bdtr(np.arange(first, last + 1), n, q)
    cdf[last + 2 :] = 1.0
    return cdf


def attainable_level(n: int, q: float, level: Level) -> float:
    """The largest confidence level that order statistics of n values can give for quantile q."""
    miss_low, miss_high = (1 - q) ** n, q**n
    return {
        "two-sided": 1 - miss_low - miss_high,
        "lower": 1 - miss_low,
        "upper": 1 - miss_high,
    }[level.alternative]


def attainable_of_differences(n: int, q: float, level: Level) -> float:
    """Level that a difference of two such quantiles can have: bounds need values on both sides."""
    if level.alternative == "two-sided":
        return attainable_level(n, q, level)
    return 1 - float(max((1 - q) ** n, q**n))


def minimum_n(
    q: float, level: Level, attainable: Callable[[int, float, Level], float] = attainable_level
) -> int:
    """The fewest values with which `exact` gives an interval for quantile q."""
    target = level.confidence_level - ROUNDING
    high = 2
    while attainable(high, q, level) < target:
        high *= 2
    low = 1
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if attainable(middle, q, level) >= target else (middle, high)
    return high


def level_within_reach(n: int, q: float, level: Level) -> Level:
    """The level asked for, or the one that order statistics of n values give for quantile q.

    Below the minimum n that is the level of the interval from the smallest to the largest value,
    rounded down. Where it misses more than twice as often as a bound on one side alone would, the
    other side is left open: at the level asked for, if such a bound exists, else at the one that it
    attains. A bound that would hold less than half the time is none: the level stays as it was.
    """
    if attainable_level(n, q, level) >= level.confidence_level - ROUNDING:
        return level
    above, below = ((1 - q) ** n, q**n)  # how often the extremes miss on their side
    if level.alternative != "two-sided":
        attained = 1 - (above if level.alternative == "lower" else below)
        return Level(_rounded_down(attained), level.alternative) if attained >= 0.5 else level
    alone = max(level.alpha, min(above, below))
    attained = _rounded_down(1 - above - below)
    if attained > 0 and above + below <= 2 * alone + ROUNDING:
        return Level(attained)
    # A bound on one side is no use below 0.5, nor is the level of a single value above it.
    if alone > 0.5:
        return level
    at = level.confidence_level if alone == level.alpha else _rounded_down(1 - alone)
    return Level(at, "lower" if above < below else "upper")


def holds_differences(n: int, q: float, level: Level) -> bool:
    """Whether n values can hold the difference of two quantiles as often as the level says."""
    return attainable_of_differences(n, q, level) >= level.confidence_level - ROUNDING


def level_of_differences(n: int, q: float, level: Level) -> Level:
    """The level asked for, or the one out of whose reach no difference of two quantiles is.

    As of `level_within_reach`, but that no side can be left open.

    >>> level_of_differences(5, 0.5, Level(0.95)).confidence_level
    0.9375
    >>> level_of_differences(10, 0.9, Level(0.95)).confidence_level
    0.6513
    """
    attainable = attainable_of_differences(n, q, level)
    if holds_differences(n, q, level) or attainable < 0.5:
        return level
    return Level(_rounded_down(attainable), level.alternative)


def _rounded_down(confidence_level: float) -> float:
    """Round to hundredths of a per cent, so that no level is printed as more than it is."""
    return math.floor(1e4 * confidence_level + 1e-6) / 1e4


@functools.lru_cache(maxsize=1024)
def exact_ranks(n: int, q: float, level: Level) -> tuple[int, int] | None:
    """Ranks (k, l) of the order statistics that bound quantile q, or None where there are none.

    P(X₍k₎ ≤ Q(q) ≤ X₍l₎) = Σ_{s=k}^{l-1} C(n, s) qˢ(1 - q)ⁿ⁻ˢ ≥ 1 - α. For the median the
    symmetric pair; else the shortest span, then the higher probability, then the more equal
    tails, then the smaller k. A one-sided bound takes the innermost rank.
    """
    if attainable_level(n, q, level) < level.confidence_level - ROUNDING:
        return None
    cdf = _binomial_cdf(n, q)  # cdf[r] = P(fewer than r values lie below the quantile)
    innermost_low, innermost_high = _innermost(cdf, level)
    if level.alternative != "two-sided":
        return (max(innermost_low, 1), min(innermost_high, n))
    if q == 0.5:
        return (innermost_low, n + 1 - innermost_low)
    return _shortest_ranks(cdf, n, level.confidence_level)


def _innermost(cdf: Array, level: Level) -> tuple[int, int]:
    """The largest k and smallest l with misses cdf[k] and 1 - cdf[l] as rare as the level says."""
    low = int(np.searchsorted(cdf, level.tail + ROUNDING, side="right")) - 1
    high = int(np.searchsorted(cdf, 1 - level.tail - ROUNDING, side="left"))
    return low, high


def _shortest_ranks(cdf: Array, n: int, confidence_level: float) -> tuple[int, int]:
    # Of ranks below which no value can lie the last spans least; above others no level is reached.
    first = int(np.searchsorted(cdf, 0.0, side="right")) - 1
    stop = int(np.searchsorted(cdf, 1 - confidence_level + 2 * ROUNDING, side="right"))
    k = np.arange(max(1, first), min(n, stop))
    needed = cdf[k] + confidence_level - ROUNDING
    last = np.searchsorted(cdf, needed, side="left")
    k, last = k[last <= n], np.maximum(last, k + 1)[last <= n]
    probability = np.round(cdf[last] - cdf[k], 12)
    imbalance = np.round(np.abs(cdf[k] - (1 - cdf[last])), 12)
    best = np.lexsort((k, imbalance, -probability, last - k))[0]
    return int(k[best]), int(last[best])


def randomized_ranks(n: int, q: float, level: Level) -> tuple[RankPair, ...] | None:
    """One or two intervals that, drawn with their chances, hold quantile q exactly 1 - α often.

    Of all mixtures of intervals [X₍k₎, X₍l₎], 1 ≤ k < l ≤ n, that do, it has the least expected
    l - k. The best coverage of a span grows by ever less from one span to the next, as the
    binomial is unimodal, so the mixture is of the span that `exact_ranks` needs and of one less;
    among windows of a span the higher coverage, then the more equal tails, then the smaller k.
    None where `exact_ranks` gives none.
    """
    if attainable_level(n, q, level) < level.confidence_level - ROUNDING:
        return None
    cdf, target = _binomial_cdf(n, q), level.confidence_level
    if level.alternative != "two-sided":
        return _mixed(*_one_sided(cdf, n, level), target)
    low, high = 0, n - 1
    while low + 1 < high:
        middle = (low + high) // 2
        enough = _best_of_span(cdf, n, middle).coverage >= target - ROUNDING
        low, high = (low, middle) if enough else (middle, high)
    wide = _best_of_span(cdf, n, high)
    narrow = _best_of_span(cdf, n, high - 1) if high > 1 else _worst_neighbours(cdf, n)
    return _mixed(wide, narrow, target)


def _best_of_span(cdf: Array, n: int, span: int) -> RankPair:
    k = np.arange(1, n - span + 1)
    coverage = cdf[k + span] - cdf[k]
    imbalance = np.round(np.abs(cdf[k] - (1 - cdf[k + span])), 12)
    best = np.lexsort((k, imbalance, -np.round(coverage, 12)))[0]
    return RankPair(int(k[best]), int(k[best]) + span, float(coverage[best]), 1.0)


def _worst_neighbours(cdf: Array, n: int) -> RankPair:
    """Two neighbours that hold the quantile least often, for levels below all others."""
    k = int(np.argmin(np.diff(cdf[1 : n + 1]))) + 1
    return RankPair(k, k + 1, float(cdf[k + 1] - cdf[k]), 1.0)


def _one_sided(cdf: Array, n: int, level: Level) -> tuple[RankPair, RankPair]:
    """The innermost bound that suffices and the next one, which does not."""
    low, high = _innermost(cdf, level)
    if level.alternative == "lower":
        wide, narrow = ((k, n, 1 - float(cdf[k])) for k in (low, min(low + 1, n)))
    else:
        wide, narrow = ((1, k, float(cdf[k])) for k in (high, max(high - 1, 1)))
    return RankPair(*wide, 1.0), RankPair(*narrow, 1.0)


def _mixed(wide: RankPair, narrow: RankPair, target: float) -> tuple[RankPair, ...]:
    """Both with the chances that meet the level; the wide one alone where that cannot be."""
    spare = wide.coverage - target
    if spare <= ROUNDING or narrow.coverage >= target:
        return (wide,)
    chance = spare / (wide.coverage - narrow.coverage)
    return wide._replace(chance=1 - chance), narrow._replace(chance=chance)


def asymptotic_positions(n: int, q: float, level: Level) -> tuple[float, float] | None:
    """Ranks k, l = n (q ∓ z √(q (1 - q) / n)) around quantile q; None unless 1 ≤ k < l ≤ n."""
    from scipy import special

    reach = float(-special.ndtri(level.tail) * np.sqrt(n * q * (1 - q)))
    low, high = n * q - reach, n * q + reach
    if level.alternative != "upper" and not 1 <= low <= n:
        return None
    if level.alternative != "lower" and not 1 <= high <= n:
        return None
    return (low, high) if low < high or level.alternative != "two-sided" else None


def minimum_n_asymptotic(q: float, level: Level) -> int:
    """The fewest values with which `asymptotic` gives an interval for quantile q."""
    from scipy import special

    spread = float(-special.ndtri(level.tail) * np.sqrt(q * (1 - q)))
    # With x = √n, 1 ≤ k is q x² - spread x - 1 ≥ 0, and l ≤ n is (1 - q) x² - spread x ≥ 0.
    root_low = (spread + np.sqrt(spread**2 + 4 * q)) / (2 * q)
    root_high = spread / (1 - q)
    root = {"two-sided": max(root_low, root_high), "lower": root_low, "upper": root_high}[
        level.alternative
    ]
    n = max(2, int(np.floor(root**2)) - 1)
    while asymptotic_positions(n, q, level) is None:
        n += 1
    return n
