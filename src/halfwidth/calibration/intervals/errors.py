"""Intervals for calibration errors in bins."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.core.forms import UnbiasedSquare
from halfwidth.core.spec import Estimand, Need, Promise, interval_method
from halfwidth.core.types import Array, Interval, Level
from halfwidth.resampling.noise.deviations import Deviations
from halfwidth.resampling.noise.noisy_samples import Noisy, NoisySamples
from halfwidth.resampling.noise.products import Products
from halfwidth.resampling.noise.true_sizes import PairedSizes, least_sizes, most_sizes

__all__ = ["debiased", "inverted", "inverted_products", "joint_inversion"]


@interval_method(
    title="test inversion",
    accepts=frozenset({Estimand.CALIBRATION_ERROR, Estimand.ERROR_OF_PAIRS}),
    needs=(Need.DEVIATIONS, Need.UNITS),
    use_when="for the ECE, of a calibrated model too, whose bootstraps exclude the truth",
    min_n=2,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.STAYS_IN_RANGE, Promise.NESTED}),
    clips=True,
    cite="cowan2011",
    assumes="The sums of deviations of the bins are nearly normal, from about 50 cases on, and the "
    "true ones are in the proportions that the cases show.",
)
def inverted(
    deviations: Deviations | NoisySamples[Noisy], units: ArrayLike, level: Level
) -> Interval:
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

    Of distances from a curve and of smoothed outcomes, as in ICI, `smooth_ece` and `ece_kde`,
    deviations are those of the curve at some points, which depend on each other.

    Parameters
    ----------
    deviations : Deviations or NoisySamples
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
    observed, median = deviations.size, np.median(deviations.perfect_sizes, axis=-1)
    low = np.quantile(least_sizes(deviations), level.tail, axis=-1)
    high = np.quantile(most_sizes(deviations), 1 - level.tail, axis=-1)
    certain = (observed == 0) & (median == 0)
    high = np.where(certain, 1 - level.tail ** (1 / np.asarray(units, float)), high)
    error = deviations.standard_deviation()
    return Interval.of(np.minimum(low, observed), np.maximum(high, observed), error)


@interval_method(
    title="root of a debiased square",
    accepts=frozenset({Estimand.ROOT_OF_SQUARE}),
    needs=(Need.SQUARE,),
    use_when="for the debiased ℓ2 ECE, of a calibrated model too",
    min_n=2,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.STAYS_IN_RANGE, Promise.NESTED}),
    clips=True,
    independent_only=True,
    cite="sun2024",
    assumes="The debiased square is nearly normal, from about 50 cases on.",
)
def debiased(square: UnbiasedSquare, level: Level) -> Interval:
    """Roots of the squares θ that a debiased square T fits: (T - θ)² ≤ z²(vθ + w).

    The variance of T is nearly vθ + w. The first term, 4 Var(h)/n of a U-statistic, vanishes where
    all bins are calibrated, so that T has a smaller error there; the second, 2 Σ_b σ_b⁴/n² (twice
    the squares of the variances of bins), is then left. Sun et al. (2024) take the one or the
    other, at T; here it is their sum, at each θ, as in Wilson's interval, which holds at, near and
    away from perfect calibration. σ_b² is at least that of outcomes with the probabilities
    predicted, so that rare outcomes do not seem certain. The ends are cut at 0; for the upper one a
    negative T counts as 0.

    It holds from about 50 cases on.

    Parameters
    ----------
    square : UnbiasedSquare
        T, v and w.
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

    z = -special.ndtri(level.tail)
    low = np.where(square.value <= 0, 0.0, square.fitting(z))
    return Interval.of(np.sqrt(low), np.sqrt(square.fitting(-z)))


@interval_method(
    title="joint test inversion",
    accepts=frozenset({Estimand.CALIBRATION_ERROR_DIFFERENCE}),
    needs=(Need.PAIRED_SIZES,),
    use_when="for the difference of two models' calibration errors, whose bias does not cancel",
    min_n=2,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.STAYS_IN_RANGE, Promise.NESTED}),
    clips=True,
    cite="hannig2009",
    assumes="What inverted and debiased suppose of each model, and that the noise of the two goes "
    "together as the cases show.",
)
def joint_inversion(sizes: PairedSizes, level: Level) -> Interval:
    """Difference of two models' calibration errors, from the true sizes that draws of noise allow.

    Each draw of the noise of both models, which goes together as in these cases, says which true
    errors make the observed ones: those of `inverted`, or of `debiased` for the ℓ2 ECE. The ends
    are quantiles of their differences: the lower one of the least of the first model minus the
    most of the second, the upper one the other way round. A model that may be calibrated, since its
    own interval reaches 0, counts as calibrated for the end that is the lower for it. No end is
    farther from 0 than the deviations of the two models are from each other, so that models that
    hardly differ have a short interval.

    What is estimated is the difference of the true errors. The difference of the errors observed
    has a bias, towards 0 where one model is better calibrated than the other; the interval is
    extended to it where it does not hold it.

    Parameters
    ----------
    sizes : PairedSizes
    level : Level

    Returns
    -------
    Interval
        In [-1, 1], with the SD of the difference that is observed.

    References
    ----------
    Hannig (2009) for intervals from such draws.
    """
    reaches_0 = np.quantile(sizes.least, level.tail, axis=-1) == 0
    least = np.where(reaches_0[..., None], 0.0, sizes.least)
    low = np.quantile(least[:, 0] - sizes.most[:, 1], level.tail, axis=-1)
    high = np.quantile(sizes.most[:, 0] - least[:, 1], 1 - level.tail, axis=-1)
    apart = np.quantile(sizes.apart, 1 - level.tail, axis=-1)
    low, high = np.maximum(low, -apart), np.minimum(high, apart)
    observed = sizes.observed[:, 0] - sizes.observed[:, 1]
    return Interval.of(np.minimum(low, observed), np.maximum(high, observed), sizes.error)


@interval_method(
    title="test inversion by products",
    accepts=frozenset({Estimand.SQUARE_OF_PAIRS}),
    needs=(Need.PRODUCTS, Need.ESTIMATE),
    use_when="for the kernel calibration error, of a calibrated model too",
    min_n=2,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.STAYS_IN_RANGE, Promise.NESTED}),
    clips=True,
    independent_only=True,
    cite="widmann2019",
    assumes="The mean deviations' part of the error is nearly normal, from about 50 cases on, with "
    "a variance in proportion to the error.",
)
def inverted_products(products: Products, estimate: Array, level: Level) -> Interval:
    """Inverted test: true squared errors at which the one observed is neither too small nor large.

    At a true squared error θ the unbiased estimate is taken to be θ + √(vθ) z + T₀: z is standard
    normal and vθ the variance of what cases deviate by on average, which vanishes with θ; T₀ is the
    estimate of outcomes drawn from the predicted probabilities, a mean of products of noise, which
    is what is left of a calibrated model, and skewed. The lower end is the largest θ at which the
    estimate exceeds the one observed with probability α/2, 0 where it does so of a calibrated
    model; the upper end that at which it falls below with probability α/2, for an estimate no lower
    than the median of a calibrated model: luck is no evidence. The interval is extended to the
    estimate.

    It holds from about 50 cases on.

    Parameters
    ----------
    products : Products
        With draws of T₀ and z.
    estimate : ndarray
        The unbiased one, or the biased.
    level : Level

    Returns
    -------
    Interval
        From 0, or from an estimate below it.

    References
    ----------
    Widmann, Lindsten & Zachariah (2019) for the two kinds of noise; Cowan et al. (2011) for the
    upper end.
    """
    observed, at_random = products.value, products.at_random
    squares = products.true_squares(observed)
    low = np.quantile(np.where(at_random <= observed[:, None], squares, 0.0), level.tail, axis=-1)
    median = np.median(at_random, axis=-1)
    squares = products.true_squares(np.maximum(observed, median))
    high = np.quantile(squares, 1 - level.tail, axis=-1)
    error = products.standard_deviation()
    return Interval.of(np.minimum(low, estimate), np.maximum(high, estimate), error)


# The catalogue lists these, in this order.
DECLARED = (inverted, debiased, inverted_products, joint_inversion)
