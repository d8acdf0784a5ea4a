"""Intervals for the difference of two proportions of the same cases."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.core.spec import Drawn, Estimand, Need, Promise, interval_method
from halfwidth.core.types import Array, Interval, Level
from halfwidth.intervals.proportion import wilson

__all__ = ["newcombe_paired", "tango"]

ACCEPTS = frozenset({Estimand.PROPORTION_DIFFERENCE})
# Halvings of an interval no longer than 2: what is left is less than the rounding of a bound.
HALVINGS = 64


def _cells(counts: ArrayLike) -> tuple[Array, Array, Array, Array]:
    """Pairs of two successes, of the first one's alone, of the second one's alone, of none."""
    table = np.asarray(counts, float)
    return table[..., 0], table[..., 1], table[..., 2], table[..., 3]


def _standard_error(first_only: Array, second_only: Array, n: Array) -> Array:
    share, difference = (first_only + second_only) / n, (first_only - second_only) / n
    return np.asarray(np.sqrt(np.maximum(share - difference**2, 0.0) / n))


@interval_method(
    title="Newcombe score",
    drawn=Drawn("green", "dashed", "D"),
    accepts=ACCEPTS,
    needs=(Need.PAIRED_COUNTS,),
    use_when="for two proportions of the same cases: works without a disagreement, and near 0 and "
    "1 minds how close either proportion is to its end",
    min_n=1,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.STAYS_IN_RANGE}),
    cite="newcombe1998_paired",
)
def newcombe_paired(counts: ArrayLike, level: Level) -> Interval:
    """Newcombe's square-and-add interval for paired proportions (his method 10).

    Wilson's intervals (l₁, u₁) and (l₂, u₂) of both proportions, put together by their correlation
    φ: from p₁ - p₂ - √(d² - 2φde + e²), d = p₁ - l₁ and e = u₂ - p₂, to the same above, with
    u₁ - p₁ and p₂ - l₂. From a positive numerator of φ up to n/2 is taken (continuity correction).

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
    Newcombe (1998), Statistics in Medicine 17:2635, method 10.

    Examples
    --------
    >>> interval = newcombe_paired([1, 1, 7, 12], Level(0.95))
    >>> print(f"{interval.low:.4f} {interval.high:.4f}")
    -0.5069 -0.0256
    """
    both, first_only, second_only, neither = _cells(counts)
    n = both + first_only + second_only + neither
    first, second = both + first_only, both + second_only
    of_first, of_second = wilson(first, n, level), wilson(second, n, level)
    product = both * neither - first_only * second_only
    corrected = np.where(product > 0, np.maximum(product - n / 2, 0.0), product)
    margins = first * (n - first) * second * (n - second)
    correlation = np.where(margins > 0, corrected / np.sqrt(np.where(margins > 0, margins, 1)), 0)

    def reach(one: Array, other: Array) -> Array:
        squares = (one - other) ** 2 + 2 * (1 - correlation) * one * other
        return np.asarray(np.sqrt(np.maximum(squares, 0.0)))

    difference = (first_only - second_only) / n
    return Interval.of(
        difference - reach(first / n - of_first.low, of_second.high - second / n),
        difference + reach(of_first.high - first / n, second / n - of_second.low),
        _standard_error(first_only, second_only, n),
    )


@interval_method(
    title="Tango score",
    drawn=Drawn("black", "solid", "P"),
    accepts=ACCEPTS,
    needs=(Need.PAIRED_COUNTS,),
    use_when="for two proportions of the same cases: inverts the score test, so that it agrees "
    "with McNemar's at 0",
    min_n=1,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.STAYS_IN_RANGE, Promise.NESTED}),
    cite="tango1998",
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
