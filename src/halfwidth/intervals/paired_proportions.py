"""Intervals for the difference of two proportions of the same cases."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.core.forms import Effect
from halfwidth.core.spec import Estimand, Need, Promise, Unanswered, interval_method
from halfwidth.core.types import Array, Interval, Level
from halfwidth.intervals.proportion import wilson

__all__ = ["newcombe_paired", "tango"]

ACCEPTS = frozenset({Estimand.PROPORTION_DIFFERENCE})
# Halvings of an interval no longer than 2: what is left is less than the rounding of a bound.
HALVINGS = 64


# What several assume.
INDEPENDENT_PAIRS = "Pairs of answers are independent of each other."


def _cells(counts: ArrayLike) -> tuple[Array, Array, Array, Array]:
    """Pairs of two successes, of the first one's alone, of the second one's alone, of none."""
    table = np.asarray(counts, float)
    return table[..., 0], table[..., 1], table[..., 2], table[..., 3]


def _no_bounds(_sample: Unanswered) -> tuple[str, str]:
    return "a ratio needs two positive proportions", "ask for the difference"


def _standard_error(first_only: Array, second_only: Array, n: Array) -> Array:
    share, difference = (first_only + second_only) / n, (first_only - second_only) / n
    return np.asarray(np.sqrt(np.maximum(share - difference**2, 0.0) / n))


@interval_method(
    title="Newcombe score",
    accepts=ACCEPTS | {Estimand.PROPORTION_RATIO},
    needs=(Need.PAIRED_COUNTS, Need.EFFECT),
    use_when="for two proportions on the same cases, their difference or ratio: defined even "
    "without a disagreement, and each bound keeps its half of the error",
    min_n=1,
    no_interval=_no_bounds,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.STAYS_IN_RANGE}),
    cite="newcombe1998_paired",
    assumes=INDEPENDENT_PAIRS,
)
def newcombe_paired(counts: ArrayLike, effect: Effect, level: Level) -> Interval:
    """Newcombe's square-and-add interval for paired proportions (his method 10).

    Wilson's intervals (l₁, u₁) and (l₂, u₂) of both proportions, put together by their correlation
    φ: from p₁ - p₂ - √(d² - 2φde + e²), d = p₁ - l₁ and e = u₂ - p₂, to the same above, with
    u₁ - p₁ and p₂ - l₂. From a positive numerator of φ up to n/2 is taken (continuity correction).
    The bounds R of a ratio solve (p₁ - Rp₂)² = d² - 2φRde + R²e² (MOVER-R of dependent estimates).

    Parameters
    ----------
    counts : array-like, shape (..., 4)
        Cases in which both succeed, only the first, only the second, neither.
    effect : {"difference", "ratio"}
    level : Level

    Returns
    -------
    Interval
        Of the first proportion minus the second, within [-1, 1], or over the second: NaN unless
        both are positive. The standard error of a ratio is that of its logarithm.

    References
    ----------
    Newcombe (1998), Statistics in Medicine 17:2635, method 10; Donner & Zou (2012) for ratios.

    Examples
    --------
    >>> interval = newcombe_paired([1, 1, 7, 12], "difference", Level(0.95))
    >>> print(f"{interval.low:.4f} {interval.high:.4f}")
    -0.5069 -0.0256
    """
    both, first_only, second_only, neither = _cells(counts)
    n = both + first_only + second_only + neither
    first, second = both + first_only, both + second_only
    first_interval, second_interval = wilson(first, n, level), wilson(second, n, level)
    product = both * neither - first_only * second_only
    corrected = np.where(product > 0, np.maximum(product - n / 2, 0.0), product)
    margins = first * (n - first) * second * (n - second)
    correlation = np.where(margins > 0, corrected / np.sqrt(np.where(margins > 0, margins, 1)), 0)
    p, q = first / n, second / n
    if effect == "ratio":
        return Interval.of(
            _ratio_bound(
                p, q, p - first_interval.low, second_interval.high - q, correlation, upper=False
            ),
            _ratio_bound(
                p, q, first_interval.high - p, q - second_interval.low, correlation, upper=True
            ),
            _error_of_logarithm(first, second, first_only + second_only),
        )

    def reach(one: Array, other: Array) -> Array:
        squares = (one - other) ** 2 + 2 * (1 - correlation) * one * other
        return np.asarray(np.sqrt(np.maximum(squares, 0.0)))

    difference = (first_only - second_only) / n
    return Interval.of(
        difference - reach(p - first_interval.low, second_interval.high - q),
        difference + reach(first_interval.high - p, q - second_interval.low),
        _standard_error(first_only, second_only, n),
    )


def _ratio_bound(
    p: Array, q: Array, from_first: Array, from_second: Array, correlation: Array, *, upper: bool
) -> Array:
    """A root R of (p - Rq)² = d² - 2φRde + R²e², d and e the distances of two bounds from p, q."""
    square, constant = q**2 - from_second**2, p**2 - from_first**2
    half = p * q - correlation * from_first * from_second
    root = np.sqrt(np.maximum(half**2 - square * constant, 0.0))
    with np.errstate(invalid="ignore", divide="ignore"):
        bound = (half + root) / square if upper else constant / (half + root)
    if upper:
        bound = np.where(square > 0, bound, np.inf)
    return np.where((p > 0) & (q > 0), bound, np.nan)


def _error_of_logarithm(first: Array, second: Array, disagreements: Array) -> Array:
    """The delta method's, of the logarithm of a ratio of paired proportions."""
    defined = (first > 0) & (second > 0)
    return np.where(
        defined, np.sqrt(disagreements / np.where(defined, first * second, 1.0)), np.nan
    )


@interval_method(
    title="Tango score",
    accepts=ACCEPTS,
    needs=(Need.PAIRED_COUNTS,),
    use_when="for two proportions on the same cases: inverts the score test, so it agrees with "
    "McNemar's test at 0",
    min_n=1,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.STAYS_IN_RANGE, Promise.NESTED}),
    cite="tango1998",
    assumes=INDEPENDENT_PAIRS,
)
def tango(counts: ArrayLike, level: Level) -> Interval:
    """Tango's score interval, the differences δ at which |b - c - nδ| ≤ z √(n(2q + δ(1 - δ))).

    Of n cases b are right by the first alone and c by the second alone; q is the share of the
    latter that is most likely where the difference is δ.

    Parameters
    ----------
    counts : array-like, shape (..., 4)
        Cases in which both succeed, only the first, only the second, neither.
    level : Level

    Returns
    -------
    Interval
        Of the first proportion minus the second, within [-1, 1].

    References
    ----------
    Tango (1998), Statistics in Medicine 17:891.

    Examples
    --------
    >>> interval = tango([1, 1, 7, 12], Level(0.95))
    >>> print(f"{interval.low:.4f} {interval.high:.4f}")
    -0.5172 -0.0260
    """
    from scipy import special

    both, first_only, second_only, neither = _cells(counts)
    n = both + first_only + second_only + neither
    z = -special.ndtri(level.tail)
    return Interval.of(
        _lower_score_bound(first_only, second_only, n, z),
        -_lower_score_bound(second_only, first_only, n, z),
        _standard_error(first_only, second_only, n),
    )


def _lower_score_bound(first_only: Array, second_only: Array, n: Array, z: float) -> Array:
    """The smallest difference that the score test does not reject, by halving."""
    estimate = (first_only - second_only) / n
    low, high = np.full(estimate.shape, -1.0), estimate
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        spread = z * np.sqrt(n * _score_variance(first_only, second_only, n, middle))
        rejected = first_only - second_only - n * middle > spread
        low, high = np.where(rejected, middle, low), np.where(rejected, high, middle)
    return np.asarray((low + high) / 2)


def _score_variance(first_only: Array, second_only: Array, n: Array, difference: Array) -> Array:
    """Variance of the difference of one pair, where the true difference is the one given.

    For δ ≥ 0 it is 2q + δ(1 - δ), with q the root of 2n q² + Bq - cδ(1 - δ) = 0 that is a share,
    B = (2n - b + c)δ - b - c. For δ < 0 the models change places, so that nothing cancels.
    """
    positive, size = difference >= 0, np.abs(difference)
    more = np.where(positive, first_only, second_only)
    fewer = np.where(positive, second_only, first_only)
    linear = (2 * n - more + fewer) * size - more - fewer
    constant = fewer * size * (1 - size)
    root = np.sqrt(linear**2 + 8 * n * constant)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(linear > 0, 2 * constant / (linear + root), (root - linear) / (4 * n))
    return np.asarray(2 * share + size * (1 - size))


# The catalogue lists these, in this order.
DECLARED = (newcombe_paired, tango)
