"""Bins of probabilities: which case is in which, and errors of calibration that are sums over them.

A bin is open below and closed above, (lo, hi]; the first is closed at 0 too. Equal probabilities
are always in one bin.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfwidth.arithmetic.confusion_tables import ratio
from halfwidth.arithmetic.probabilities import value_of
from halfwidth.core.forms import ProbabilitySums, UnbiasedSquare
from halfwidth.core.parameters import Parameter
from halfwidth.core.spec import Better, Estimand, MetricLevel, Takes, metric
from halfwidth.core.types import UNIT_INTERVAL, Array, Numbers

__all__ = ["ece", "ece_l2", "mce"]

CALIBRATION_AVERAGES = ("binary", "none", "macro", "top_label")
CLASS_WISE = ("cwce", "class_wise_calibration_error", "class_wise_ece", "classwise_ece")
WIDTH, MASS = 0.0, 1.0
BINS = Parameter("bins", 10, "number of bins", at_least=1, at_most=1000, whole=True)
BINNING = Parameter(
    "binning",
    WIDTH,
    "bins of equal width, or of equal mass (as many cases in each)",
    choices=(WIDTH, MASS),
    words=(("width", WIDTH), ("mass", MASS)),
)

_binned = functools.partial(
    metric,
    level=MetricLevel.SAMPLE,
    takes=Takes.PROBABILITIES,
    family="calibration",
    bounds=UNIT_INTERVAL,
    better=Better.LOWER,
    parameters=(BINS, BINNING),
    prevalence_dependent=True,
    cite="naeini2015",
)

# A probability above an edge by less lies on it: so far may 1 - 0.7 or a number of single precision
# be from what is meant.
SLACK = 1e-7

# A bin of one case has no pairs; shares of one case may add up to a little more than 1.
ONE_CASE = 1.5

# Pitfalls that several share.
BIASED = "too large in small samples: of a perfectly calibrated model it is not 0"
DEPENDS_ON_BINS = "another number of bins, or bins of equal mass, give another value"


def bin_of(p: Array, bins: int, binning: float) -> NDArray[np.intp]:
    """The bin of each probability, (..., n) -> (..., n).

    Bins of equal width have edges k/K. Those of equal mass divide the ranks; cases of equal
    probability are where the middle of their ranks is.

    >>> bin_of(np.array([0.0, 0.1, 1 - 0.7, 0.70001, 1.0]), 10, WIDTH).tolist()
    [0, 0, 2, 7, 9]
    >>> bin_of(np.array([0.1, 0.4, 0.2, 0.3]), 2, MASS).tolist()
    [0, 1, 0, 1]
    """
    if binning == WIDTH:
        return np.searchsorted(np.arange(1, bins) / bins + SLACK, p, side="left")
    flat = p.reshape(-1, p.shape[-1])
    bin_numbers = np.empty(flat.shape, dtype=np.intp)
    for row, values in enumerate(flat):
        ascending = np.sort(values)
        below = np.searchsorted(ascending, values, side="left")
        up_to = np.searchsorted(ascending, values, side="right")
        bin_numbers[row] = (below + up_to - 1) * bins // (2 * len(values))
    return bin_numbers.reshape(p.shape)


def _in_bins(values: Array, p: Array, bins: float, binning: float) -> Array:
    """Values of cases, each in the row of its bin, (..., n) -> (..., K, n)."""
    rows = np.arange(int(bins))[:, None]
    return np.where(bin_of(p, int(bins), binning)[..., None, :] == rows, values[..., None, :], 0.0)


def size_of(numbers: Numbers) -> Numbers:
    """|x|, of complex numbers by their real part, so that a complex step differentiates it."""
    return np.where(numbers.real < 0, -numbers, numbers)


def _deviations(p: Array, y: Array, *, bins: float, binning: float) -> Array:
    """What the probabilities of each bin exceed the outcomes by."""
    return _in_bins(p - y, p, bins, binning)


def _finish_ece(n: Numbers, sums: Numbers, **_bins: float) -> Array:
    return np.asarray(ratio(size_of(sums).sum(axis=-1), n))


def _deviations_and_cases(p: Array, y: Array, *, bins: float, binning: float) -> Array:
    return np.concatenate(
        [_in_bins(p - y, p, bins, binning), _in_bins(np.ones(p.shape), p, bins, binning)], axis=-2
    )


def _finish_mce(_n: Numbers, sums: Numbers, *, bins: float, **_binning: float) -> Array:
    deviations, cases = sums[..., : int(bins)], sums[..., int(bins) :]
    some = cases.real > 0
    gaps = np.where(some, size_of(deviations) / np.where(some, cases, 1), 0.0)
    largest = gaps.real.argmax(axis=-1)
    return np.asarray(np.take_along_axis(gaps, largest[..., None], axis=-1)[..., 0])


ECE = ProbabilitySums(_deviations, _finish_ece, absolute=True)
MCE = ProbabilitySums(_deviations_and_cases, _finish_mce)


@_binned(
    title="ECE",
    averages=CALIBRATION_AVERAGES,
    synonyms=("expected_calibration_error", "calibration_error"),
    special={name: {"averages": ("macro",), "title": "class-wise ECE"} for name in CLASS_WISE},
    estimand=Estimand.CALIBRATION_ERROR,
    form=ECE,
    reliable_n=50,
    pitfalls=(
        BIASED,
        DEPENDS_ON_BINS,
        "0 for a model that gives every case the prevalence",
        "of the mean over ten classes that are off, 9 to 13 % of intervals lie above the truth",
    ),
)
def ece(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    bins: float = 10,
    binning: float = WIDTH,
) -> float:
    """Expected calibration error in fixed bins, Σ_b |Σ_{i in b} (pᵢ - yᵢ)| / n.

    It estimates the same of all cases that there could be, in these bins. Of several classes
    ``"top_label"`` compares the largest probability with whether it is right, ``"macro"`` is the
    class-wise ECE, the mean over classes, and ``"none"`` has each class.

    Parameters
    ----------
    y_true : array-like of 0 and 1, shape (n,)
        Whether each case is of the class.
    y_prob : array-like, shape (n,)
        The probability of it.
    sample_weight : array-like, shape (n,), optional
    bins : int, default 10
    binning : {0, 1}
        Equal width (``"width"``), edges at k/K, or equal mass (``"mass"``): as many cases in each,
        by the ranks of these cases, which resamples keep; equal probabilities are in one bin. A bin
        is (lo, hi], the first [0, hi]; above hi by less than 1e-7 counts as hi.

    Returns
    -------
    float
        In [0, 1]; NaN without cases. A perfectly calibrated model of 100 cases scores about .1.

    References
    ----------
    Naeini, Cooper & Hauskrecht (2015); Kull et al. (2019) for the class-wise one.

    Examples
    --------
    >>> round(ece([0, 1, 1, 0], [0.15, 0.85, 0.65, 0.65]), 3)
    0.15
    """
    return value_of(ECE, y_true, y_prob, sample_weight, bins=bins, binning=binning)


@_binned(
    title="MCE",
    averages=CALIBRATION_AVERAGES,
    synonyms=("maximum_calibration_error",),
    estimand=Estimand.ENLARGED,
    form=MCE,
    reliable_n=1000,
    pitfalls=(
        BIASED,
        DEPENDS_ON_BINS,
        "that of the bin with the fewest cases, as a rule, so that chance decides",
        "no interval covers: basic holds the true one of a calibrated model in 10 to 75 %",
    ),
)
def mce(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    bins: float = 10,
    binning: float = WIDTH,
) -> float:
    """Maximum calibration error, the largest |mean of p - mean of y| of a bin that has cases.

    Parameters
    ----------
    y_true, y_prob, sample_weight, bins, binning
        As for `ece`.

    Returns
    -------
    float
        In [0, 1]; NaN without cases.

    References
    ----------
    Naeini, Cooper & Hauskrecht (2015).

    Examples
    --------
    >>> round(mce([0, 1, 1, 0], [0.15, 0.85, 0.65, 0.65]), 3)
    0.15
    """
    return value_of(MCE, y_true, y_prob, sample_weight, bins=bins, binning=binning)


def _pairs(p: Array, y: Array, *, bins: float, binning: float) -> Array:
    """Σ(p - y), Σ(p - y)², Σp(1 - p) and cases of each bin."""
    each = [p - y, (p - y) ** 2, p * (1 - p), np.ones(p.shape)]
    return np.concatenate([_in_bins(one, p, bins, binning) for one in each], axis=-2)


def _bins_of_pairs(sums: Numbers, bins: float) -> list[Numbers]:
    return [np.asarray(sums[..., int(bins) * k : int(bins) * (k + 1)]) for k in range(4)]


def _square_of_pairs(n: Numbers, sums: Numbers, bins: float) -> Numbers:
    total, squares, _, cases = _bins_of_pairs(sums, bins)
    several = cases.real > ONE_CASE
    products = np.where(several, (total**2 - squares) / np.where(several, cases - 1, 1), 0.0)
    paired = several.any(axis=-1)
    return np.asarray(np.where(paired, products.sum(axis=-1) / n, np.nan))


def _finish_l2(n: Numbers, sums: Numbers, *, bins: float, **_binning: float) -> Array:
    square = _square_of_pairs(n, sums, bins)
    # Not by `maximum`, which a complex step could not pass.
    positive = square.real > 0
    root = np.sqrt(np.where(positive, square, 1.0))
    return np.asarray(np.where(np.isnan(square.real), np.nan, np.where(positive, root, 0.0)))


def _unbiased_square(n: Array, sums: Array, *, bins: float, **_binning: float) -> UnbiasedSquare:
    """T, the unbiased square of the ℓ2 ECE, and what its variance is.

    The influence of a case of bin b on T is 2me - m² - θ, e = p - y, m its mean in the bin: of
    variance Σ_b π_b (4m²σ² + m⁴) - θ², which is taken to be proportional to θ = Σ_b π_b m². If all
    m are 0, T is a sum of products of noise, of variance 2 Σ_b σ⁴ n_b/(n_b - 1)/n².
    """
    total, squares, foreseen, cases = _bins_of_pairs(sums, bins)
    several, some = cases > ONE_CASE, np.maximum(cases, 1)
    mean, share = total / some, cases / np.asarray(n)[..., None]
    variance = np.where(several, (squares - cases * mean**2) / np.maximum(cases - 1, 1), 0.0)
    plain = (share * mean**2).sum(axis=-1)
    spread = (share * (4 * mean**2 * variance + mean**4)).sum(axis=-1) - plain**2
    noise = np.maximum(variance, foreseen / some) ** 2 * some / np.maximum(some - 1, 1)
    return UnbiasedSquare(
        _square_of_pairs(n, sums, bins),
        np.where(plain > 0, spread / np.where(plain > 0, plain, 1.0), 0.0) / n,
        2 * np.where(several, noise, 0.0).sum(axis=-1) / n**2,
    )


L2 = ProbabilitySums(_pairs, _finish_l2, square=_unbiased_square)


@_binned(
    title="debiased ℓ2 ECE",
    synonyms=("debiased_ece", "ece_l2_debiased"),
    averages=("binary", "none", "top_label"),
    estimand=Estimand.ROOT_OF_SQUARE,
    form=L2,
    reliable_n=50,
    cite="sun2024",
    pitfalls=(
        DEPENDS_ON_BINS,
        "0 for half of the samples of a perfectly calibrated model, and for some of others",
        "no average of the ECE, but the root of a mean square: larger where bins differ",
    ),
)
def ece_l2(
    y_true: ArrayLike, y_prob: ArrayLike, *, bins: float = 10, binning: float = WIDTH
) -> float:
    """Debiased ℓ2 calibration error in fixed bins, √max(T, 0).

    T = Σ_b Σ_{i≠j in b} (pᵢ - yᵢ)(pⱼ - yⱼ) / (n (n_b - 1)): products of different cases, whose
    noise cancels on average, so that T is an unbiased estimate of Σ_b π_b E[p - y | b]², but for
    bins of one case, which add nothing. T is negative where cases fit a calibrated model better
    than most samples of one would; the error is 0 then.

    Parameters
    ----------
    y_true, y_prob, bins, binning
        As for `ece`.

    Returns
    -------
    float
        In [0, 1]; NaN where no bin has two cases.

    References
    ----------
    Sun, Chaudhari, Barnett & Dobriban (2024); Kumar, Liang & Ma (2019).

    Examples
    --------
    >>> round(ece_l2([0, 1, 1, 0, 0, 0], [0.75] * 6), 3)
    0.359
    """
    return value_of(L2, y_true, y_prob, bins=bins, binning=binning)


# The catalogue lists these, in this order.
DECLARED = (ece, mce, ece_l2)
