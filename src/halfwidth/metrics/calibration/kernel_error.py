"""The kernel calibration error: whether deviations of cases close to each other agree."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from halfwidth.arithmetic.kernel_products import (
    MOST_VECTORS,
    bandwidth_of,
    cases_of,
    median_distance,
    sum_of_products,
)
from halfwidth.arithmetic.probabilities import as_outcomes
from halfwidth.core.forms import PairedCases
from halfwidth.core.parameters import Parameter
from halfwidth.core.spec import Better, Estimand, MetricLevel, Takes, metric
from halfwidth.core.types import Array, Bounds

__all__ = ["kce"]

UNBIASED, BIASED = 0.0, 1.0
BANDWIDTH = Parameter(
    "bandwidth",
    None,
    "of the kernel; where it is not given the median distance of two cases",
    above=0.0,
    at_most=100.0,
    optional=True,
)
ESTIMATOR = Parameter(
    "estimator",
    UNBIASED,
    "of different cases (unbiased), or each with itself too (biased)",
    choices=(UNBIASED, BIASED),
    words=(("unbiased", UNBIASED), ("biased", BIASED)),
)


def _error(
    p: Array, y: Array, *, bandwidth: float | None = None, estimator: float = UNBIASED
) -> float:
    """Mean of k(pᵢ, pⱼ) rᵢ · rⱼ over pairs, p of (n,) or (C, n)."""
    p, y = cases_of(p, y)
    n, r = p.shape[-1], y - p
    if n < 2:
        return math.nan
    pairs = n * (n - 1.0)
    total = float(sum_of_products(p, r, bandwidth_of(p, bandwidth)))
    if estimator == BIASED:
        total, pairs = total + float((r**2).sum()), float(n**2)
    return float(total / pairs)


def _range(average: str | None = None, **_others: object) -> Bounds:
    """Two vectors of deviations have a product of 2 at most."""
    return Bounds(-2.0, 2.0) if average == "canonical" else Bounds(-1.0, 1.0)


def _bandwidth(p: Array, y: Array) -> float:
    return median_distance(cases_of(p, y)[0])


PRODUCTS = PairedCases(_error, _bandwidth, most_vectors=MOST_VECTORS, products=True)


@metric(
    title="squared KCE",
    level=MetricLevel.SAMPLE,
    takes=Takes.PROBABILITIES,
    family="calibration",
    bounds=Bounds(-1.0, 1.0),
    bounds_rule=_range,
    better=Better.LOWER,
    averages=("binary", "none", "canonical", "top_label"),
    synonyms=("skce", "kernel_calibration_error"),
    parameters=(BANDWIDTH, ESTIMATOR),
    estimand=Estimand.SQUARE_OF_PAIRS,
    form=PRODUCTS,
    reliable_n=50,
    prevalence_dependent=True,
    cite="widmann2019",
    pitfalls=(
        "says that a model is miscalibrated, not by how much: it is no probability",
        "another bandwidth gives another value, and that of these cases is usual",
        "below 0 for most samples of a calibrated model",
        "takes time that grows with the square of the cases",
    ),
)
def kce(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    bandwidth: float | None = None,
    estimator: float = UNBIASED,
) -> float:
    """Squared kernel calibration error, Σ_{i≠j} k(pᵢ, pⱼ) (yᵢ - pᵢ) (yⱼ - pⱼ) / (n (n - 1)).

    k(p, q) = exp(-‖p - q‖/h). An unbiased estimate of E[k(p, p') (y - p) · (y' - p')] of two cases,
    which is 0 for a calibrated model alone; of vectors (``average="canonical"``, the default of
    three classes and more) products are sums over the classes. h is the median distance of two
    cases (of more than 1000, of 1000 of them), to three digits. Of one class it is exact for any
    number of cases, of vectors for 20 000; of more it is that of 20 000 of them at even places.

    Parameters
    ----------
    y_true : array-like of 0 and 1, shape (n,)
        Whether each case is of the class; of the top label, whether it is right.
    y_prob : array-like, shape (n,)
        The probability of it.
    bandwidth : float, optional
        h; by default the median distance.
    estimator : {0, 1}
        ``"unbiased"``, or ``"biased"``: of each case with itself too, Σᵢⱼ … / n², never below 0.

    Returns
    -------
    float
        In [-1, 1], of vectors in [-2, 2]; NaN with fewer than two cases. Below 0 where deviations
        of cases close to each other differ in sign more than those of a calibrated model.

    References
    ----------
    Widmann, Lindsten & Zachariah (2019).

    Examples
    --------
    >>> round(kce([0, 1, 1, 0], [0.15, 0.85, 0.65, 0.65], bandwidth=0.5), 4)
    -0.0411
    """
    p, y, _ = as_outcomes(y_true, y_prob)
    return _error(p, y, bandwidth=bandwidth, estimator=estimator)


# The catalogue lists these, in this order.
DECLARED = (kce,)
