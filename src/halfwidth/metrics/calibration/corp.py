"""What the Brier score is made of: miscalibration, discrimination and uncertainty (CORP)."""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.arithmetic.confusion_tables import ratio
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


def recalibrated(p: Array, y: Array, weights: Array) -> Array:
    """The non-decreasing function of p closest to the outcomes, by pool-adjacent-violators."""
    from scipy import optimize

    _, place = np.unique(p, return_inverse=True)
    mass = np.bincount(place, weights)
    held = mass > 0
    share = np.bincount(place, weights * y)[held] / mass[held]
    fitted = np.zeros(len(mass))
    fitted[held] = optimize.isotonic_regression(share, weights=mass[held]).x
    return np.asarray(fitted[place])


def _error(p: Array | float, y: Array, weights: Array) -> float:
    return float((weights * (p - y) ** 2).sum() / weights.sum())


# Of the last resamples: miscalibration and discrimination are asked of the same ones, and the fit
# is nearly all that either costs.
_FITTED: dict[bytes, float] = {}
MOST_FITTED = 2**17


def _error_of_recalibrated(p: Array, y: Array, weights: Array) -> float:
    """What is left of the Brier score, fitted once for all that ask it of the same cases."""
    digest = hashlib.blake2b(digest_size=16)
    for cells in (p, y, weights):
        digest.update(np.ascontiguousarray(cells, dtype=float).data)
    found = _FITTED.get(digest.digest())
    if found is None:
        found = _error(recalibrated(p, y, weights), y, weights)
        if len(_FITTED) >= MOST_FITTED:
            _FITTED.clear()
        _FITTED[digest.digest()] = found
    return found


def _miscalibration(p: Array, y: Array, weights: Array) -> float:
    return _error(p, y, weights) - _error_of_recalibrated(p, y, weights)


def _discrimination(p: Array, y: Array, weights: Array) -> float:
    share = (weights * y).sum() / weights.sum()
    return _error(share, y, weights) - _error_of_recalibrated(p, y, weights)


def _outcomes(p: Array, y: Array) -> Array:
    return np.broadcast_to(y, p.shape)[..., None, :]


def _finish_uncertainty(n: Numbers, sums: Numbers) -> Array:
    share = ratio(sums[..., 0], n)
    return np.asarray(share * (1 - share))


UNCERTAINTY = ProbabilitySums(_outcomes, _finish_uncertainty)


@_part(
    title="miscalibration (Brier)",
    synonyms=("mcb", "brier_mcb"),
    bounds=UNIT_INTERVAL,
    better=Better.LOWER,
    estimand=Estimand.ENLARGED,
    form=WholeSample(_miscalibration),
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
    return _value_of(_miscalibration, y_true, y_prob, sample_weight)


@_part(
    title="discrimination (Brier)",
    synonyms=("brier_dsc",),
    bounds=Bounds(0.0, 0.25),
    better=Better.HIGHER,
    estimand=Estimand.ENLARGED,
    form=WholeSample(_discrimination),
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
    return _value_of(_discrimination, y_true, y_prob, sample_weight)


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
    value: Callable[[Array, Array, Array], float],
    y_true: ArrayLike,
    y_prob: ArrayLike,
    sample_weight: ArrayLike | None,
) -> float:
    p, y, weights = as_outcomes(y_true, y_prob, sample_weight)
    return value(p, y, weights) if weights.sum() > 0 else math.nan


# The catalogue lists these, in this order.
DECLARED = (brier_miscalibration, brier_discrimination, brier_uncertainty)
