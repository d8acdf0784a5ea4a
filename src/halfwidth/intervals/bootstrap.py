"""Intervals from a bootstrap distribution, drawn or exact."""

from __future__ import annotations

import numpy as np

from halfwidth.core.kinds import PAIRS_OF_CASES
from halfwidth.core.spec import Estimand, Need, Promise, Unanswered, interval_method
from halfwidth.core.types import Array, Interval, Level
from halfwidth.core.undefined import no_interval
from halfwidth.intervals.mean import hoeffding
from halfwidth.intervals.proportion import wilson
from halfwidth.intervals.ranks import (
    attainable_of_differences,
    holds_differences,
    level_of_differences,
    minimum_n,
)
from halfwidth.resampling.distribution import Distribution

__all__ = ["basic", "bca", "bca_expanded", "percentile", "percentile_attained", "studentized"]

# Copies of a case in a resample would be pairs.
ANY = frozenset(Estimand) - PAIRS_OF_CASES
# Of differences of medians of 3 to 5 cases, intervals between quantiles of replicates so far out
# cover what the cases attain: 75, 87.5 and 93.75 %.
OUTERMOST = 0.02
# Levels that are attained are rounded down to this.
LEVEL_STEP = 1e-4


@interval_method(
    title="percentile bootstrap",
    accepts=ANY,
    needs=(Need.DISTRIBUTION,),
    use_when="for any statistic, wherever it is defined; too narrow for a mean or an SD below 50 "
    "cases",
    promises=frozenset({Promise.STAYS_IN_RANGE, Promise.NESTED, Promise.EQUIVARIANT}),
    cite="efron_tibshirani1993",
    assumes="On some scale, estimates spread around the true value as replicates spread around "
    "the estimate, without bias or skew.",
)
def percentile(distribution: Distribution, level: Level) -> Interval:
    """Percentile bootstrap, the α/2 and 1 - α/2 quantiles of the replicates.

    Parameters
    ----------
    distribution : Distribution
        Bootstrap distributions of the statistic, one per sample.
    level : Level

    Returns
    -------
    Interval
        In the statistic's unit and range; NaN where every resample is undefined.

    References
    ----------
    Efron & Tibshirani (1993), chapter 13.
    """
    return Interval.of(distribution.quantile(level.tail), distribution.quantile(1 - level.tail))


def _too_few_reason(sample: Unanswered) -> tuple[str, str]:
    needed = minimum_n(sample.quantile_level, sample.level, attainable_of_differences)
    return (
        f"{sample.units_text} have hardly any values beyond the quantile",
        f"{percentile.__name__} reaches the level asked for from {needed} {sample.noun}s on",
    )


@interval_method(
    no_interval=_too_few_reason,
    attains=lambda statistic, _bounds, units, level: level_of_differences(
        units, statistic.quantile_level, level
    ),
    title="percentile bootstrap, at the level within reach",
    accepts=frozenset({Estimand.QUANTILE_CONTRAST}),
    needs=(Need.DISTRIBUTION, Need.QUANTILE_LEVEL, Need.UNITS),
    min_n=3,
    use_when="differences of medians or quantiles of so few cases that the smallest and the "
    "largest value of a model do not hold its quantile often enough",
    promises=frozenset({Promise.STAYS_IN_RANGE, Promise.EQUIVARIANT}),
    cite="efron_tibshirani1993",
    assumes="That a difference of quantiles is held as often as either quantile lies between the "
    "smallest and the largest value of its model, beyond which no resample reaches.",
)
def percentile_attained(distribution: Distribution, q: float, units: int, level: Level) -> Interval:
    """Percentile bootstrap of a difference of quantiles, at the level that few cases attain.

    No resample has a value beyond those observed, so that more than 1 - qⁿ - (1 - q)ⁿ is out of
    reach whatever level is asked for: 93.75 % for a difference of medians of five cases. The level
    is that of `exact_attained` for one model.

    Parameters
    ----------
    distribution : Distribution
        Bootstrap distributions of the difference, one per sample.
    q : float
        Level of the quantile, strictly between 0 and 1.
    units : int
        Cases.
    level : Level

    Returns
    -------
    Interval
        In the statistic's unit and range. NaN where it would hold less than half the time.

    References
    ----------
    Efron & Tibshirani (1993), chapter 13.
    """
    attained = level_of_differences(units, q, level)
    tail = attained.tail
    if attainable_of_differences(units, q, attained) < attained.confidence_level + LEVEL_STEP:
        # From about the smallest to about the largest replicate that so few cases make.
        tail = min(tail, OUTERMOST)
    low, high = distribution.quantile(tail), distribution.quantile(1 - tail)
    return Interval.of(low, high) if holds_differences(units, q, attained) else no_interval(low)


@interval_method(
    title="basic bootstrap",
    accepts=ANY,
    needs=(Need.DISTRIBUTION, Need.ESTIMATE),
    use_when="rarely: it is mostly the least reliable of the bootstraps",
    promises=frozenset({Promise.NESTED, Promise.EQUIVARIANT}),
    cautions=("HW302",),
    cite="davison_hinkley1997",
    synonyms=("reverse_percentile",),
    assumes="Estimates spread around the true value as replicates spread around the estimate, on "
    "the metric's own scale.",
)
def basic(distribution: Distribution, estimate: Array, level: Level) -> Interval:
    """Basic (reverse percentile) bootstrap, 2θ̂ minus the percentile bounds, swapped.

    Parameters
    ----------
    distribution : Distribution
        Bootstrap distributions of the statistic, one per sample.
    estimate : ndarray
        θ̂, the statistic of each sample.
    level : Level

    Returns
    -------
    Interval
        In the statistic's unit; may leave its range. NaN where every resample is undefined.

    References
    ----------
    Davison & Hinkley (1997), section 5.2.
    """
    with np.errstate(invalid="ignore"):  # infinite ratios have no difference
        low = 2 * estimate - distribution.quantile(1 - level.tail)
        high = 2 * estimate - distribution.quantile(level.tail)
    return Interval.of(low, high)


def _equal_values_reason(sample: Unanswered) -> tuple[str, str]:
    if sample.proportion:
        return "all cases are alike", f"{wilson.__name__} is defined"
    defined = hoeffding if sample.bounded_mean else percentile
    return "all values are equal", f"{defined.__name__} is defined"


def _no_correction_reason(sample: Unanswered) -> tuple[str, str]:
    if sample.constant:
        return _equal_values_reason(sample)
    reason = "its bias correction or its acceleration is undefined on these values"
    return reason, f"{percentile.__name__} is defined"


def _no_error_reason(sample: Unanswered) -> tuple[str, str]:
    if sample.constant:
        return _equal_values_reason(sample)
    return "the standard error is 0 or undefined", f"{percentile.__name__} is defined"


@interval_method(
    no_interval=_no_correction_reason,
    instead=percentile,
    title="BCa bootstrap",
    accepts=ANY,
    needs=(Need.DISTRIBUTION, Need.ESTIMATE, Need.TIE_TOLERANCE, Need.ACCELERATION),
    use_when="for smooth statistics (mean, SD) from about 50 cases on: corrects bias and skew",
    min_n=3,
    promises=frozenset({Promise.STAYS_IN_RANGE, Promise.NESTED, Promise.EQUIVARIANT}),
    cite="efron1987",
    assumes="On some scale the estimate is normal, with a constant bias and an SD that changes "
    "linearly; the statistic is smooth.",
)
def bca(
    distribution: Distribution,
    estimate: Array,
    tolerance: Array,
    acceleration: Array,
    level: Level,
) -> Interval:
    """Bias-corrected and accelerated bootstrap.

    The quantiles at Φ(z₀ + (z₀ + z)/(1 - a(z₀ + z))), z = ±z₁₋α/₂, z₀ = Φ⁻¹ of the share of
    replicates below θ̂ plus half of those tied with it, and a the acceleration.

    Parameters
    ----------
    distribution : Distribution
        Bootstrap distributions of the statistic, one per sample.
    estimate : ndarray
        θ̂, the statistic of each sample.
    tolerance : ndarray
        Differences from θ̂ that count as ties.
    acceleration : ndarray
        From the jackknife.
    level : Level

    Returns
    -------
    Interval
        In the statistic's unit and range. NaN where the jackknife variance vanishes (the
        acceleration is NaN) or all replicates lie on one side of θ̂.

    References
    ----------
    Efron (1987).
    """
    from scipy import special

    return _corrected(distribution, estimate, tolerance, acceleration, special.ndtri(level.tail))


def _corrected(
    distribution: Distribution,
    estimate: Array,
    tolerance: Array,
    acceleration: Array,
    normal_tail: float,
) -> Interval:
    """BCa's quantiles for the normal quantile of the lower tail."""
    from scipy import special

    bias = special.ndtri(distribution.share_below(estimate, tolerance))

    def position(normal: float) -> Array:
        with np.errstate(invalid="ignore", divide="ignore"):
            shifted = bias + normal
            scale = 1 - acceleration * shifted
            # Towards a scale of 0 the position goes to an end of the replicates, and stays there.
            beyond = np.where(shifted < 0, -np.inf, np.inf)
            corrected = special.ndtr(np.where(scale > 0, bias + shifted / scale, beyond))
        defined = np.isfinite(bias) & np.isfinite(acceleration)
        return np.where(defined, corrected, np.nan)

    low, high = (distribution.quantile(position(z)) for z in (normal_tail, -normal_tail))
    return Interval.of(low, high)


@interval_method(
    no_interval=_no_correction_reason,
    instead=percentile,
    title="expanded BCa bootstrap",
    accepts=ANY,
    needs=(
        Need.DISTRIBUTION,
        Need.ESTIMATE,
        Need.TIE_TOLERANCE,
        Need.ACCELERATION,
        Need.UNITS,
        Need.UNIT_DEGREES,
    ),
    use_when="for the same as bca, without the narrowness of bootstraps of few cases; from about "
    "40 cases on",
    min_n=3,
    promises=frozenset({Promise.STAYS_IN_RANGE, Promise.NESTED, Promise.EQUIVARIANT}),
    cite="hesterberg2015",
    synonyms=("expanded_bca",),
    assumes="As bca; also that a bootstrap of few cases needs the correction that t makes for a "
    "mean.",
)
def bca_expanded(
    distribution: Distribution,
    estimate: Array,
    tolerance: Array,
    acceleration: Array,
    units: int,
    degrees_of_freedom: int,
    level: Level,
) -> Interval:
    """BCa at the levels Φ(∓√(n/(n - 1)) · t₍n₋₁,₁₋α/₂₎) in place of α/2 and 1 - α/2.

    The variance of a resample is (n - 1)/n of that of the cases, and its quantiles are those of a
    normal distribution where t would be right: a percentile interval of a mean is that much too
    short. Both are mended at once, here with BCa's correction of bias and skew.

    Parameters
    ----------
    distribution, estimate, tolerance, acceleration
        As for `bca`.
    units : int
        n, the units drawn: cases, or clusters.
    degrees_of_freedom : int
        Units less strata, in place of n - 1.
    level : Level

    Returns
    -------
    Interval
        In the statistic's unit and range; NaN as for `bca`, and without a degree of freedom.

    References
    ----------
    Hesterberg (2015) for the levels of an expanded percentile interval; Efron (1987) for BCa.
    """
    from scipy import special

    if degrees_of_freedom < 1:
        return no_interval(estimate)
    reach = np.sqrt(units / degrees_of_freedom) * special.stdtrit(degrees_of_freedom, level.tail)
    return _corrected(distribution, estimate, tolerance, acceleration, reach)


@interval_method(
    no_interval=_no_error_reason,
    title="studentized bootstrap",
    accepts=ANY,
    needs=(Need.STUDENTIZED, Need.ESTIMATE, Need.STANDARD_ERROR),
    use_when="for a mean, trimmed mean, proportion or SD: coverage and width much like those of "
    "hall",
    clips=True,
    promises=frozenset({Promise.STAYS_IN_RANGE, Promise.NESTED, Promise.EQUIVARIANT}),
    cite="efron_tibshirani1993",
    synonyms=("bootstrap_t", "bootstrap-t"),
    assumes="The error of the estimate over its SE is distributed as it is over resamples; hence "
    "a stable SE.",
)
def studentized(
    distribution: Distribution, estimate: Array, standard_error: Array, level: Level
) -> Interval:
    """Studentized bootstrap (bootstrap-t), [θ̂ - t*₁₋α/₂ SE, θ̂ - t*α/₂ SE].

    t* = (θ* - θ̂)/SE*, each resample with its own SE. A resample without a spread (SE* = 0) has an
    infinite t*, which is kept; enough of them make a bound infinite. The public functions cut
    bounds to the metric's range, and say so.

    Parameters
    ----------
    distribution : Distribution
        Of t*, one per sample.
    estimate, standard_error : ndarray
        θ̂ and its SE, of each sample.
    level : Level

    Returns
    -------
    Interval
        In the statistic's unit; ends may be infinite. NaN where the SE is 0 or undefined.

    References
    ----------
    Efron & Tibshirani (1993), section 12.5.
    """
    usable = np.where(standard_error > 0, standard_error, np.nan)
    return Interval.of(
        estimate - distribution.quantile(1 - level.tail) * usable,
        estimate - distribution.quantile(level.tail) * usable,
        standard_error,
    )


# The catalogue lists these, in this order.
DECLARED = (percentile, percentile_attained, bca, bca_expanded, studentized, basic)
