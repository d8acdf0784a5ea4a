"""Intervals for calibration errors in bins."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.core.spec import Drawn, Estimand, Need, Promise, Unanswered, interval_method
from halfwidth.core.types import Array, Interval, Level
from halfwidth.intervals.auc import quantile_factor
from halfwidth.resampling.curve_gaps import CurveGaps
from halfwidth.resampling.deviations import Deviations

__all__ = ["debiased", "expected_score", "inverted"]

# Halvings after which a bisection has all the digits that matter.
HALVINGS = 50


@interval_method(
    title="test inversion",
    drawn=Drawn("green", "solid", "D"),
    accepts=frozenset({Estimand.CALIBRATION_ERROR}),
    needs=(Need.DEVIATIONS, Need.UNITS),
    use_when="for the ECE, of a calibrated model too, whose bootstraps exclude the truth",
    min_n=2,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.STAYS_IN_RANGE, Promise.NESTED}),
    clips=True,
    cite="cowan2011",
    assumes="The sums of deviations of the bins are nearly normal, from about 50 cases on, and the "
    "true ones are in the proportions that the cases show.",
)
def inverted(deviations: Deviations | CurveGaps, units: ArrayLike, level: Level) -> Interval:
    """Inverted test: the true ECE at which what was observed is neither too small nor too large.

    The ECE of a sample is Σ|δ + noise| of K deviations, on average above the true Σ|δ|. For
    deviations of the proportions observed, λδ, and normal noise of the covariance of their sums,
    the lower end is the λ at which the ECE of a sample exceeds the one observed with probability
    α/2, 0 where it does so of a perfectly calibrated model; the upper end that at which it falls
    below with probability α/2. The interval is extended to the estimate, which lies above it where
    the sample fits a calibrated model too well. Where the estimate is below the median ECE of
    samples of a calibrated model, the upper end is that of the median: luck is no evidence (Cowan
    et al. 2011). Where certain predictions are all right it is that of no success of n.

    For λ = 0 noise is that of outcomes with the probabilities predicted, for λ = 1 that of the
    cases, and changes linearly in between. It holds from about 50 cases on, of rare outcomes too.

    Parameters
    ----------
    deviations : Deviations
        With draws of their noise.
    units : array-like
        Cases, or clusters.
    level : Level

    Returns
    -------
    Interval
        In [0, 1], with the SD of the ECE of samples.

    References
    ----------
    Cowan, Cranmer, Gross & Vitells (2011) for the upper end.
    """
    observed, at_random = deviations.size, deviations.perfect_sizes
    sizes = deviations.true_sizes(observed, even=False)
    # Noise that by itself would give more is no evidence for any deviation.
    low = np.quantile(np.where(at_random <= observed[:, None], sizes, 0.0), level.tail, axis=-1)
    median = np.median(at_random, axis=-1)
    sizes = deviations.true_sizes(np.maximum(observed, median), even=True)
    high = np.quantile(sizes, 1 - level.tail, axis=-1)
    certain = (observed == 0) & (median == 0)
    high = np.where(certain, 1 - level.tail ** (1 / np.asarray(units, float)), high)
    error = deviations.standard_deviation()
    return Interval.of(np.minimum(low, observed), np.maximum(high, observed), error)


@interval_method(
    title="root of a debiased square",
    drawn=Drawn("olive", "dashed", "s"),
    accepts=frozenset({Estimand.ROOT_OF_SQUARE}),
    needs=(Need.SQUARE, Need.SQUARE_ERROR),
    use_when="for the debiased ℓ2 ECE, of a calibrated model too",
    min_n=2,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.STAYS_IN_RANGE, Promise.NESTED}),
    clips=True,
    independent_only=True,
    cite="sun2024",
    assumes="The debiased square is nearly normal, from about 200 cases on.",
)
def debiased(square: Array, standard_error: Array, level: Level) -> Interval:
    """Root of the debiased square of the ℓ2 ECE and its normal bounds, cut at 0.

    T ± z·SE, SE² = 4 Var(h)/n + 2 Σ_b σ_b⁴/n²: the first term vanishes where all bins are
    calibrated, so that T has a smaller error there, of which the second is left. Sun et al. (2024)
    take either the one or the other; the sum holds at and away from perfect calibration. The first
    is debiased as T is, and σ_b² is at least that of outcomes with the probabilities predicted, so
    that rare outcomes do not seem certain. A negative T counts as 0 for the upper end.

    It holds from about 200 cases on.

    Parameters
    ----------
    square, standard_error : ndarray
        T and its SE.
    level : Level

    Returns
    -------
    Interval
        In [0, 1]; NaN where no bin has two cases.

    References
    ----------
    Sun, Chaudhari, Barnett & Dobriban (2024).
    """
    from scipy import special

    reach = -special.ndtri(level.tail) * standard_error
    low, high = np.sqrt(np.maximum(square - reach, 0.0)), np.sqrt(np.maximum(square, 0.0) + reach)
    return Interval.of(low, high)


def _nothing_expected(_sample: Unanswered) -> tuple[str, str]:
    return "nothing is expected: all probabilities are 0", "no other method has an interval either"


@interval_method(
    title="score",
    no_interval=_nothing_expected,
    drawn=Drawn("teal", "dashed", "s"),
    accepts=frozenset({Estimand.OBSERVED_OVER_EXPECTED}),
    needs=(Need.ESTIMATE, Need.STANDARD_ERROR, Need.PROBABILITIES, Need.CLUSTER_DEGREES),
    use_when="observed over expected, from few cases of the class or none",
    min_n=2,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.STAYS_IN_RANGE, Promise.NESTED}),
    cite="wilson1927",
    assumes="Outcomes have the probabilities predicted times one factor, or scatter more by what "
    "the cases show.",
)
def expected_score(
    estimate: Array,
    standard_error: Array,
    probabilities: tuple[Array, Array],
    degrees: float,
    level: Level,
) -> Interval:
    """Score interval of observed over expected: the θ for which |O - θE| ≤ z √(k V(θ)).

    V(θ) = Σ q(1 - q), q = min(θp, 1), is the variance of the number observed of outcomes that have
    θ times the probabilities predicted, as in Wilson's interval of a proportion. k is the ratio of
    SE²E² to V(θ̂), the SE that the cases show, where that is above 1: clusters, and a model whose
    errors are not one factor, scatter more. With clusters t quantiles are used.

    Parameters
    ----------
    estimate, standard_error : ndarray
        θ̂ = O/E, and its SE.
    probabilities : tuple of ndarray, each (..., n)
        Those of cases, and their weights.
    degrees : float
        Infinite for independent cases.
    level : Level

    Returns
    -------
    Interval
        At least 0, and above it where nothing was observed; NaN where nothing is expected.

    References
    ----------
    Wilson (1927) for a proportion.
    """
    p, weights = probabilities
    expected, z = (weights * p).sum(axis=-1), quantile_factor(degrees, level)

    def variance(theta: Array) -> Array:
        chance = np.minimum(theta[..., None] * p, 1.0)
        return np.asarray((weights**2 * chance * (1 - chance)).sum(axis=-1))

    at_estimate = variance(estimate)
    seen = np.where(np.isfinite(standard_error), standard_error, 0.0) ** 2 * expected**2
    factor = np.fmax(seen / np.where(at_estimate > 0, at_estimate, np.inf), 1.0) * z**2
    # Beyond this end the variance, at most θE times the largest weight, is too small.
    most = factor * weights.max(axis=-1)
    observed = estimate * expected
    reach = most / 2 + np.sqrt(most * observed + most**2 / 4)
    with np.errstate(invalid="ignore", divide="ignore"):
        beyond = (observed + 1.01 * reach) / expected

    def end(outer: Array) -> Array:
        inner = estimate
        for _ in range(HALVINGS):
            middle = (inner + outer) / 2
            missed = (observed - middle * expected) ** 2 > factor * variance(middle)
            inner, outer = np.where(missed, inner, middle), np.where(missed, middle, outer)
        return np.asarray(inner)

    return Interval.of(end(np.zeros(estimate.shape)), end(beyond), standard_error)


# The catalogue lists these, in this order.
DECLARED = (inverted, debiased, expected_score)
