"""What the Brier score is made of: miscalibration, discrimination and uncertainty (CORP)."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.arithmetic.confusion_tables import ratio
from halfwidth.arithmetic.isotonic import Ascending, rising
from halfwidth.arithmetic.probabilities import as_outcomes, value_of
from halfwidth.core.forms import ProbabilitySums, WholeSample
from halfwidth.core.spec import Better, Estimand, MetricLevel, Takes, metric
from halfwidth.core.types import UNIT_INTERVAL, Array, Bounds, Numbers

__all__ = ["brier_discrimination", "brier_miscalibration", "brier_uncertainty"]

_part = functools.partial(
    metric,
    level=MetricLevel.SAMPLE,
    takes=Takes.PROBABILITIES,
    family="calibration",
    averages=("binary", "none", "top_label"),
    prevalence_dependent=True,
    cite="dimitriadis2021",
)

# Pitfalls that both have.
OVERFITTED = "too large in small samples: the recalibration fits their noise"


def _parts(p: Array, y: Array) -> Callable[[Array], Array]:
    """A function from weights, (B, n), to their sum and each Brier score times it, (4, B).

    Brier scores are of the probabilities, of recalibrated ones, and of the prevalence.
    """
    cases, squares = Ascending.from_probabilities(p), (p - y) ** 2

    def parts(weights: Array) -> Array:
        total, hits = weights.sum(axis=-1), cases.sums(weights * y)
        # The errors of a share s of S outcomes are S (1 - s).
        recalibrated = (hits * (1 - rising(hits, cases.sums(weights)))).sum(axis=-1)
        happened = hits.sum(axis=-1)
        constant = happened * (1 - ratio(happened, total))
        return np.stack([total, (weights * squares).sum(axis=-1), recalibrated, constant])

    return parts


def _miscalibration(parts: Array) -> Array:
    total, given, recalibrated, _ = parts
    return ratio(given - recalibrated, total)


def _discrimination(parts: Array) -> Array:
    total, _, recalibrated, constant = parts
    return ratio(constant - recalibrated, total)


def _outcomes(p: Array, y: Array) -> Array:
    return np.broadcast_to(y, p.shape)[..., None, :]


def _finish_uncertainty(n: Numbers, sums: Numbers) -> Array:
    share = ratio(sums[..., 0], n)
    return np.asarray(share * (1 - share))


MISCALIBRATION = WholeSample(_parts, _miscalibration)
DISCRIMINATION = WholeSample(_parts, _discrimination)
UNCERTAINTY = ProbabilitySums(_outcomes, _finish_uncertainty)


@_part(
    title="miscalibration (Brier)",
    synonyms=("mcb", "brier_mcb"),
    bounds=UNIT_INTERVAL,
    better=Better.LOWER,
    estimand=Estimand.ENLARGED,
    form=MISCALIBRATION,
    reliable_n=200,
    pitfalls=(OVERFITTED,),
)
def brier_miscalibration(
    y_true: ArrayLike, y_prob: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Miscalibration, what isotonic recalibration takes from the Brier score: B(p) - B(p̂).

    p̂ is the non-decreasing function of p that fits the outcomes best, by the algorithm that pools
    adjacent violators. Brier score = miscalibration - discrimination + uncertainty, exactly and
    without bins. Each resample is sorted and fitted: 9999 of 1000 cases take seconds, of 100 000
    minutes.

    Parameters
    ----------
    y_true : array-like of 0 and 1, shape (n,)
        Whether each case is of the class.
    y_prob : array-like, shape (n,)
        The probability of it.
    sample_weight : array-like, shape (n,), optional

    Returns
    -------
    float
        In [0, 1], 0 for probabilities that no recalibration betters; NaN without cases.

    References
    ----------
    Dimitriadis, Gneiting & Jordan (2021).

    Examples
    --------
    >>> round(brier_miscalibration([0, 1, 0, 1], [0.1, 0.6, 0.7, 0.8]), 4)
    0.05
    """
    return _value_of(MISCALIBRATION, y_true, y_prob, sample_weight)


@_part(
    title="discrimination (Brier)",
    synonyms=("brier_dsc",),
    bounds=Bounds(0.0, 0.25),
    better=Better.HIGHER,
    estimand=Estimand.ENLARGED,
    form=DISCRIMINATION,
    reliable_n=200,
    pitfalls=(OVERFITTED, "limited by the prevalence: no more than p (1 - p)"),
)
def brier_discrimination(
    y_true: ArrayLike, y_prob: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Discrimination, how much better recalibrated probabilities are than the prevalence.

    ȳ(1 - ȳ) - B(p̂), with p̂ as for `brier_miscalibration`. It does not change where probabilities
    are replaced by an increasing function of them.

    Parameters
    ----------
    y_true, y_prob, sample_weight
        As for `brier_miscalibration`.

    Returns
    -------
    float
        In [0, 0.25], 0 for a constant; NaN without cases.

    References
    ----------
    Dimitriadis, Gneiting & Jordan (2021).

    Examples
    --------
    >>> round(brier_discrimination([0, 1, 0, 1], [0.1, 0.6, 0.7, 0.8]), 4)
    0.125
    """
    return _value_of(DISCRIMINATION, y_true, y_prob, sample_weight)


@_part(
    title="uncertainty (Brier)",
    synonyms=("brier_unc",),
    bounds=Bounds(0.0, 0.25),
    better=Better.UNSTATED,
    form=UNCERTAINTY,
    pitfalls=("says nothing of the model: it is the prevalence alone",),
)
def brier_uncertainty(
    y_true: ArrayLike, y_prob: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Uncertainty, ȳ(1 - ȳ): the Brier score of predicting the prevalence ȳ for every case.

    Parameters
    ----------
    y_true, y_prob, sample_weight
        As for `brier_miscalibration`.

    Returns
    -------
    float
        In [0, 0.25]; NaN without cases.

    References
    ----------
    Dimitriadis, Gneiting & Jordan (2021); Murphy (1973).

    Examples
    --------
    >>> brier_uncertainty([0, 1, 0, 1], [0.1, 0.6, 0.7, 0.8])
    0.25
    """
    return value_of(UNCERTAINTY, y_true, y_prob, sample_weight)


def _value_of(
    form: WholeSample,
    y_true: ArrayLike,
    y_prob: ArrayLike,
    sample_weight: ArrayLike | None,
) -> float:
    p, y, weights = as_outcomes(y_true, y_prob, sample_weight)
    return form.value(p, y, weights)


# The catalogue lists these, in this order.
DECLARED = (brier_miscalibration, brier_discrimination, brier_uncertainty)
