"""ECE by a kernel: outcomes of the cases around each one say what was to be foreseen of it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.arithmetic.kernel_curves import (
    MOST_CASES,
    bandwidth_of,
    cases_of,
    likely_bandwidth,
    smoothed,
)
from halfwidth.arithmetic.probabilities import as_outcomes
from halfwidth.calibration.metrics.bins import BIASED
from halfwidth.core.forms import PairedCases
from halfwidth.core.parameters import Parameter
from halfwidth.core.spec import Better, Estimand, MetricLevel, Takes, metric
from halfwidth.core.types import UNIT_INTERVAL, Array, Bounds

__all__ = ["ece_kde"]

BANDWIDTH = Parameter(
    "bandwidth",
    None,
    "of the Dirichlet kernel; where it is not given the most likely one of 0.001 to 0.1",
    above=0.0,
    at_most=100.0,
    optional=True,
)
POWER = Parameter("p", 1.0, "power of the distances that are averaged", choices=(1.0, 2.0))


def _error(
    probabilities: Array, y: Array, *, bandwidth: float | None = None, p: float = 1.0
) -> float:
    """Mean distance of outcomes around a case from its probabilities, of (n,) or (C, n)."""
    one_class = probabilities.ndim == 1
    probabilities, y = cases_of(probabilities, y)
    if probabilities.shape[-1] < 2:
        return math.nan
    around, _ = smoothed(probabilities, y, bandwidth_of(probabilities, bandwidth))
    gaps = np.abs(around - probabilities) ** p
    return float((gaps[0] if one_class else gaps.sum(axis=0)).mean())


def _range(average: str | None = None, **_others: object) -> Bounds:
    """Distances of vectors are sums over the classes."""
    return Bounds(0.0, 2.0) if average == "canonical" else UNIT_INTERVAL


def _bandwidth(p: Array, y: Array) -> float:
    return likely_bandwidth(cases_of(p, y)[0])


def _curve(p: float = 1.0, **_others: float) -> PairedCases:
    """The metric's form; squares have the noise of their root, which grows as the distances do."""
    return PairedCases(_error, _bandwidth, MOST_CASES, MOST_CASES, power=p)


@metric(
    title="ECE-KDE",
    level=MetricLevel.SAMPLE,
    takes=Takes.PROBABILITIES,
    family="calibration",
    bounds=UNIT_INTERVAL,
    bounds_rule=_range,
    better=Better.LOWER,
    averages=("binary", "none", "canonical", "top_label"),
    synonyms=("ece_kernel", "kde_ece", "ecekde", "ece^kde"),
    parameters=(BANDWIDTH, POWER),
    halved=True,
    estimand=Estimand.ERROR_OF_PAIRS,
    form=_curve,
    reliable_n=200,
    prevalence_dependent=True,
    cite="popordanoska2022",
    pitfalls=(
        BIASED,
        "another bandwidth gives another value",
        "of vectors of more than about ten classes no two cases are close",
    ),
)
def ece_kde(
    y_true: ArrayLike, y_prob: ArrayLike, *, bandwidth: float | None = None, p: float = 1.0
) -> float:
    """ECE by kernels, Σⱼ |Σ_{i≠j} k(pⱼ; pᵢ) yᵢ / Σ_{i≠j} k(pⱼ; pᵢ) - pⱼ|ᵖ / n.

    It estimates E|E[y | p] - p|ᵖ, without bins, and leaves out of the outcomes around a case its
    own. k(·; pᵢ) is the density of the beta distribution with the parameters pᵢ/h + 1 and
    (1 - pᵢ)/h + 1; of vectors (``average="canonical"``, the default of three classes and more) that
    of the Dirichlet distribution, distances being sums over the classes. h is the one of .001,
    .002, .005, .01, .02, .05 and .1 at which the cases (of more than 500, 500 of them) are most
    likely by the kernels of all others: wider ones may be likelier, but smooth away what is asked
    for. All pairs of up to 10 000 cases are compared; of more, those of 10 000 at even ranks.

    Parameters
    ----------
    y_true : array-like of 0 and 1, shape (n,)
        Whether each case is of the class; of the top label, whether it is right.
    y_prob : array-like, shape (n,)
        The probability of it; nearer to 0 or 1 than 1e-7 it is taken to be 1e-7 away.
    bandwidth : float, optional
        h; by default the most likely.
    p : {1, 2}
        Power of the distances.

    Returns
    -------
    float
        In [0, 1], of vectors in [0, 2], which of two classes is twice that of one; NaN with
        fewer than two cases.

    References
    ----------
    Popordanoska, Sayer & Blaschko (2022).

    Examples
    --------
    >>> round(ece_kde([0, 1, 1, 0], [0.15, 0.85, 0.65, 0.65], bandwidth=0.1), 3)
    0.344
    """
    probabilities, y, _ = as_outcomes(y_true, y_prob)
    return _error(probabilities, y, bandwidth=bandwidth, p=p)


# The catalogue lists these, in this order.
DECLARED = (ece_kde,)
