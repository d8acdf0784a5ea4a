"""The kernel calibration error: whether deviations of cases close to each other agree."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any

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
from halfwidth.core.types import UNIT_INTERVAL, Array, Bounds

__all__ = ["kce", "root_kce"]

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


def _root(p: Array, y: Array, **parameters: Any) -> float:
    """The root of the same; 0 where it is below 0."""
    square = _error(p, y, **parameters)
    return math.sqrt(square) if square > 0 else 0.0 * square


def _range(average: str | None = None, **_others: object) -> Bounds:
    """Two vectors of deviations have a product of 2 at most."""
    return Bounds(-2.0, 2.0) if average == "canonical" else Bounds(-1.0, 1.0)


def _range_of_root(average: str | None = None, **_others: object) -> Bounds:
    return Bounds(0.0, math.sqrt(2.0)) if average == "canonical" else UNIT_INTERVAL


def _bandwidth(p: Array, y: Array) -> float:
    return median_distance(cases_of(p, y)[0])


PRODUCTS = PairedCases(_error, _bandwidth, most_vectors=MOST_VECTORS, products=True)

_kernel_error = functools.partial(
    metric,
    level=MetricLevel.SAMPLE,
    takes=Takes.PROBABILITIES,
    family="calibration",
    better=Better.LOWER,
    averages=("binary", "none", "canonical", "top_label"),
    parameters=(BANDWIDTH, ESTIMATOR),
    halved=True,
    estimand=Estimand.SQUARE_OF_PAIRS,
    reliable_n=50,
    prevalence_dependent=True,
    cite="widmann2019",
)

# Pitfalls that both share.
NO_SIZE = "says that a model is miscalibrated, not by how much: it is no probability"
BY_BANDWIDTH = "another bandwidth gives another value, and that of these cases is usual"
SLOWLY = "takes time that grows with the square of the cases"


@_kernel_error(
    title="squared KCE",
    bounds=Bounds(-1.0, 1.0),
    bounds_rule=_range,
    synonyms=("skce", "kernel_calibration_error"),
    form=PRODUCTS,
    pitfalls=(NO_SIZE, BY_BANDWIDTH, "below 0 for most samples of a calibrated model", SLOWLY),
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
        In [-1, 1], of vectors in [-2, 2], which of two classes is twice that of one at √2 times the
        bandwidth; NaN with fewer than two cases. Below 0 where deviations
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


@_kernel_error(
    title="root KCE",
    bounds=UNIT_INTERVAL,
    bounds_rule=_range_of_root,
    form=dataclasses.replace(PRODUCTS, value=_root, power=0.5),
    pitfalls=(
        NO_SIZE,
        BY_BANDWIDTH,
        "0 for most samples of a calibrated model, but biased upwards",
        SLOWLY,
    ),
)
def root_kce(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    bandwidth: float | None = None,
    estimator: float = UNBIASED,
) -> float:
    """Kernel calibration error, the root of the squared one, `kce`; 0 where that is below 0.

    Parameters
    ----------
    y_true, y_prob, bandwidth, estimator
        As for `kce`.

    Returns
    -------
    float
        In [0, 1], of vectors in [0, √2]; NaN with fewer than two cases.

    References
    ----------
    Widmann, Lindsten & Zachariah (2019).

    Examples
    --------
    >>> round(root_kce([0, 1, 1, 0], [0.15, 0.85, 0.65, 0.65], estimator=1, bandwidth=0.5), 4)
    0.0777
    """
    p, y, _ = as_outcomes(y_true, y_prob)
    return _root(p, y, bandwidth=bandwidth, estimator=estimator)


# The catalogue lists these, in this order.
DECLARED = (kce, root_kce)
