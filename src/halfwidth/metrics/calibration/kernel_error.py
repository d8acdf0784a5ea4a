"""The kernel calibration error: whether deviations of cases close to each other agree."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.arithmetic.kernel_cases import evenly, in_order
from halfwidth.arithmetic.probabilities import as_outcomes
from halfwidth.core.forms import PairedCases
from halfwidth.core.parameters import Parameter
from halfwidth.core.spec import Better, Estimand, MetricLevel, Takes, metric
from halfwidth.core.types import Array, Bounds

__all__ = ["kce"]

# All pairs of so many vectors are compared; of more, those of so many of them.
MOST_VECTORS = 20_000
# At so many cases the median distance is taken.
DISTANCES_AT = 1000
# Elements of a temporary, and how far sums by exponentials reach without overflow.
AT_ONCE, REACH = 2**21, 300.0
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


def median_distance(p: Array) -> float:
    """That of two cases, p of (C, n), at most of 1000 at even places, to three digits.

    Where half of the pairs are equal, the mean distance; 1 where all are.
    """
    from scipy.spatial import distance

    between = distance.pdist(p[:, evenly(p.shape[-1], DISTANCES_AT)].T)
    middle = float(np.median(between)) if len(between) else 0.0
    middle = middle or (float(between.mean()) if len(between) else 0.0)
    return float(f"{middle:.3g}") or 1.0


def before_each(p: Array, deviations: Array, bandwidth: float) -> Array:
    """Σ_{j<i} exp(-|pᵢ - pⱼ|/h) rⱼ at each case, p ascending and r of (..., n) -> (..., n).

    On a line the kernel is a product, so that what comes before a case is cumulated.
    """
    scaled, made = p / bandwidth, np.empty(deviations.shape)
    carried, last, start = np.zeros(deviations.shape[:-1]), 0.0, 0
    while start < len(p):
        stop = int(np.searchsorted(scaled, scaled[start] + REACH, side="right"))
        here, r = scaled[start:stop] - scaled[start], deviations[..., start:stop]
        before = np.zeros((*r.shape[:-1], r.shape[-1] + 1))
        np.cumsum(r * np.exp(here), axis=-1, out=before[..., 1:])
        before += (carried * np.exp(last - scaled[start]))[..., None]
        falling = np.exp(-here)
        np.multiply(falling, before[..., :-1], out=made[..., start:stop])
        carried, last, start = before[..., -1] * falling[-1], scaled[stop - 1], stop
    return made


def _blocks_of_kernel(p: Array, bandwidth: float) -> Iterator[tuple[slice, Array]]:
    """exp(-‖pᵢ - pⱼ‖/h) of vectors (C, n), block by block of i, 0 for i = j."""
    from scipy.spatial import distance

    n = p.shape[-1]
    step = max(1, AT_ONCE // n)
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        kernel = distance.cdist(p[:, rows].T, p.T)
        kernel /= -bandwidth
        np.exp(kernel, out=kernel)
        kernel[np.arange(len(kernel)), np.arange(rows.start, rows.stop)] = 0.0
        yield rows, kernel


def sum_of_products(p: Array, deviations: Array, bandwidth: float) -> Array:
    """Σ_{i≠j} k(pᵢ, pⱼ) rᵢ · rⱼ, p of (C, n), in order, and r of (..., C, n) -> (...)."""
    if len(p) == 1:
        r = deviations[..., 0, :]
        return np.asarray(2 * (r * before_each(p[0], r, bandwidth)).sum(axis=-1))
    total = np.zeros(deviations.shape[:-2])
    for rows, kernel in _blocks_of_kernel(p, bandwidth):
        total += ((deviations @ kernel.T) * deviations[..., rows]).sum(axis=(-2, -1))
    return total


def products_of_cases(p: Array, deviations: Array, bandwidth: float) -> tuple[Array, float]:
    """Of each case Σ_{j≠i} k(pᵢ, pⱼ) rᵢ · rⱼ, (n,), and the sum of the squares of all products.

    Both p and r are of (C, n), in order.
    """
    if len(p) == 1:
        (r,) = deviations
        after = before_each(-p[0, ::-1], r[::-1], bandwidth)[::-1]
        squares = 2 * r**2 @ before_each(p[0], r**2, bandwidth / 2)
        return r * (before_each(p[0], r, bandwidth) + after), float(squares)
    made, squares = np.empty(p.shape[-1]), 0.0
    for rows, kernel in _blocks_of_kernel(p, bandwidth):
        products = kernel * (deviations[:, rows].T @ deviations)
        made[rows] = products.sum(axis=-1)
        squares += float((products**2).sum())
    return made, squares


def bandwidth_of(p: Array, bandwidth: float | None) -> float:
    """As given, or the median distance."""
    return median_distance(p) if bandwidth is None else bandwidth


def cases_of(p: Array, y: Array) -> tuple[Array, Array]:
    """Probabilities and outcomes in order, of one class as (1, n), of vectors at most so many."""
    if p.ndim == 1:
        return in_order(p[None], y[None])
    p, y = in_order(p, y)
    kept = evenly(p.shape[-1], MOST_VECTORS)
    return p[:, kept], y[:, kept]


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


def _range(average: str | None = None, **_given: object) -> Bounds:
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
