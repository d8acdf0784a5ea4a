"""Intervals for differences and ratios of two independent samples: unpaired comparisons."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.core.forms import Effect
from halfwidth.core.spec import Estimand, Need, Promise, Unanswered, interval_method
from halfwidth.core.types import Array, Interval, Level
from halfwidth.intervals.proportion import wilson

__all__ = ["mover", "mover_or_welch", "newcombe_unpaired", "welch"]


@interval_method(
    title="Newcombe hybrid score",
    accepts=frozenset({Estimand.PROPORTION}),
    needs=(Need.BOTH_SUCCESSES, Need.BOTH_TRIALS),
    use_when="for the difference of the proportions of two samples: near its level on average, "
    "defined at 0 and n successes",
    min_n=1,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.STAYS_IN_RANGE, Promise.NESTED}),
    cite="newcombe1998",
    synonyms=("hybrid_score",),
    assumes="The two samples are independent, and successes are binomial in each.",
)
def newcombe_unpaired(successes: ArrayLike, n: ArrayLike, level: Level) -> Interval:
    """Newcombe's hybrid score interval for two independent proportions (his method 10).

    Wilson's intervals (l₁, u₁) and (l₂, u₂) put together: from p₁ - p₂ - √((p₁ - l₁)² + (u₂ - p₂)²)
    to p₁ - p₂ + √((u₁ - p₁)² + (p₂ - l₂)²), which is `mover` of both.

    Parameters
    ----------
    successes, n : array-like, shape (2, ...)
        Counts of the first and of the second sample, 0 ≤ successes ≤ n.
    level : Level

    Returns
    -------
    Interval
        Of the first proportion minus the second, within [-1, 1].

    References
    ----------
    Newcombe (1998), Statistics in Medicine 17:873, method 10.

    Examples
    --------
    >>> interval = newcombe_unpaired([56, 48], [70, 80], Level(0.95))
    >>> print(f"{interval.low:.4f} {interval.high:.4f}")
    0.0524 0.3339
    """
    x, trials = (np.asarray(counts, float) for counts in (successes, n))
    first, second = (wilson(*counts, level) for counts in zip(x, trials, strict=True))
    return mover(x / trials, (first, second), "difference", level)


def _no_degrees(_sample: Unanswered) -> tuple[str, str]:
    return "one of the two samples has a single case (or cluster), and no spread", "add cases to it"


@interval_method(
    no_interval=_no_degrees,
    title="Welch",
    accepts=frozenset({Estimand.MEAN}),
    needs=(Need.BOTH_ESTIMATES, Need.BOTH_ERRORS, Need.BOTH_DEGREES),
    use_when="for the difference of the means of two samples of unequal spread: the classic; too "
    "narrow under strong skew; takes clusters and strata",
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.NESTED, Promise.EQUIVARIANT}),
    cite="welch1947",
    assumes="The two samples are independent, and their means nearly normal.",
)
def welch(
    estimates: ArrayLike, standard_errors: ArrayLike, degrees: ArrayLike, level: Level
) -> Interval:
    """Welch's t interval for two means, x̄₁ - x̄₂ ± t · √(SE₁² + SE₂²).

    With (SE₁² + SE₂²)²/(SE₁⁴/ν₁ + SE₂⁴/ν₂) degrees of freedom (Satterthwaite). With clusters and
    strata SE and ν of either sample are those of `t`.

    Parameters
    ----------
    estimates, standard_errors, degrees : array-like, shape (2, ...)
        Of the first and of the second sample.
    level : Level

    Returns
    -------
    Interval
        In the metric's unit, symmetric about the difference; may leave its range. NaN where a
        sample has no degree of freedom.

    References
    ----------
    Welch (1947); Satterthwaite (1946).

    Examples
    --------
    >>> interval = welch([0.90, 0.85], [0.01, 0.02], [19, 24], Level(0.95))
    >>> print(f"{interval.low:.4f} {interval.high:.4f}")
    0.0046 0.0954
    """
    from scipy import special

    means, errors, free = (np.asarray(one, float) for one in (estimates, standard_errors, degrees))
    variances = errors**2
    total = variances.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        # Samples of equal values vary by nothing, and any number of degrees says so.
        shared = np.where(total > 0, total**2 / (variances**2 / free).sum(axis=0), 1.0)
        degrees_of_freedom = np.where((free >= 1).all(axis=0), shared, np.nan)
        reach = -special.stdtrit(degrees_of_freedom, level.tail) * np.sqrt(total)
    difference = means[0] - means[1]
    return Interval.of(difference - reach, difference + reach, np.sqrt(total))


def _no_bounds(_sample: Unanswered) -> tuple[str, str]:
    return "one of the two samples has no interval of its own", "add cases to it"


@interval_method(
    no_interval=_no_bounds,
    title="MOVER",
    accepts=frozenset(Estimand),
    needs=(Need.BOTH_ESTIMATES, Need.BOTH_INTERVALS, Need.EFFECT),
    use_when="for the difference or the ratio of any statistic or metric of two samples: as good "
    "as the two intervals that it combines",
    min_n=1,
    promises=frozenset({Promise.CONTAINS_ESTIMATE}),
    cite="zou_donner2008",
    assumes="The two samples are independent, and the interval of each is right by itself.",
)
def mover(
    estimates: ArrayLike, intervals: tuple[Interval, Interval], effect: Effect, _level: Level
) -> Interval:
    """The intervals of two samples put together (MOVER, method of variance estimates recovery).

    How far a bound of the difference lies from its estimate follows from how far those of either
    sample do: from θ₁ - θ₂ - √((θ₁ - l₁)² + (u₂ - θ₂)²) to θ₁ - θ₂ + √((u₁ - θ₁)² + (θ₂ - l₂)²).
    The bounds R of a ratio solve (θ₁ - Rθ₂)² = (θ₁ - l₁)² + R²(u₂ - θ₂)² and the like (MOVER-R).

    Parameters
    ----------
    estimates : array-like, shape (2, ...)
        θ₁ and θ₂.
    intervals : tuple of Interval
        (l₁, u₁) and (l₂, u₂), at the level that is asked for.
    effect : {"difference", "ratio"}
        A ratio is of positive values; it has no upper bound where l₂ is not positive.

    Returns
    -------
    Interval
        Of the first minus, or over, the second.

    References
    ----------
    Zou & Donner (2008); Donner & Zou (2012) for ratios.

    Examples
    --------
    >>> both = Interval.of(0.88, 0.92), Interval.of(0.80, 0.88)
    >>> interval = mover([0.90, 0.85], both, "difference", Level(0.95))
    >>> print(f"{interval.low:.4f} {interval.high:.4f}")
    0.0139 0.1039
    """
    first, second = np.asarray(estimates, float)
    first_interval, second_interval = intervals
    if effect == "ratio":
        return _ratio(first, second, first_interval, second_interval)
    # A bound may lie a rounding beyond its estimate.
    down = np.hypot(first - first_interval.low, second_interval.high - second)
    up = np.hypot(first_interval.high - first, second - second_interval.low)
    error = np.hypot(first_interval.standard_error, second_interval.standard_error)
    difference = first - second
    return Interval.of(difference - down, difference + up, error)


def _ratio(
    first: Array, second: Array, first_interval: Interval, second_interval: Interval
) -> Interval:
    """Donner and Zou's equation 9, written such that nothing cancels."""
    product = first * second
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        low_first, low_second = (
            np.maximum(first_interval.low, 0.0),
            np.maximum(second_interval.low, 0.0),
        )
        above = low_first * (2 * first - low_first)
        below = second_interval.high * (2 * second - second_interval.high)
        low = above / (product + np.sqrt(product**2 - above * below))
        above = first_interval.high * (2 * first - first_interval.high)
        below = low_second * (2 * second - low_second)
        high = (product + np.sqrt(product**2 - above * below)) / below
        high = np.where(np.isnan(first_interval.high) | np.isnan(low_second), np.nan, high)
        high = np.where((below == 0) | np.isinf(first_interval.high), np.inf, high)
    defined = (first > 0) & (second > 0)
    return Interval.of(np.where(defined, low, np.nan), np.where(defined, high, np.nan))


@interval_method(
    no_interval=_no_bounds,
    title="MOVER or Welch",
    accepts=frozenset({Estimand.MEAN}),
    needs=(
        *(Need.BOTH_ESTIMATES, Need.BOTH_INTERVALS, Need.EFFECT),
        *(Need.BOTH_ERRORS, Need.BOTH_DEGREES),
    ),
    use_when="for the difference of the means of two samples of a metric with finite bounds: as "
    "far as intervals with failures in mind, and never shorter than Welch's",
    min_n=1,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.NESTED}),
    cite="zou_donner2008",
    assumes="The two samples are independent, and the interval of each allows for what a further "
    "case may be.",
)
def mover_or_welch(
    estimates: ArrayLike,
    intervals: tuple[Interval, Interval],
    effect: Effect,
    standard_errors: ArrayLike,
    degrees: ArrayLike,
    level: Level,
) -> Interval:
    """The farther end of `mover` and of `welch`, on either side.

    Intervals of single means reach towards failures on one side and hardly on the other: where
    both samples fail now and then, what `mover` makes of them is too short, and Welch's is not.

    Parameters
    ----------
    estimates, standard_errors, degrees : array-like, shape (2, ...)
        Of the first and of the second sample, as for `welch`.
    intervals : tuple of Interval
        Of either, as for `mover`.
    effect : {"difference"}
    level : Level

    Returns
    -------
    Interval
        Of the first mean minus the second; may leave its range. Where a sample has no degree of
        freedom, that of `mover`.

    References
    ----------
    Zou & Donner (2008); Welch (1947).

    Examples
    --------
    >>> both = Interval.of(0.88, 0.92), Interval.of(0.80, 0.88)
    >>> given = [0.90, 0.85], both, "difference", [0.01, 0.02], [19, 24]
    >>> interval = mover_or_welch(*given, Level(0.95))
    >>> print(f"{interval.low:.4f} {interval.high:.4f}")
    0.0046 0.1039
    """
    one = mover(estimates, intervals, effect, level)
    other = welch(estimates, standard_errors, degrees, level)
    return Interval.of(
        np.fmin(one.low, other.low) + 0 * one.low,
        np.fmax(one.high, other.high) + 0 * one.high,
        other.standard_error,
    )


# The catalogue lists these, in this order.
DECLARED = (newcombe_unpaired, welch, mover, mover_or_welch)
