"""Proper scores of probabilities, which calibration and discrimination share."""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.arithmetic.confusion_tables import ratio
from halfwidth.arithmetic.probabilities import (
    CLIP,
    as_outcomes,
    clipped,
    value_of,
    weighted_mean,
)
from halfwidth.core.forms import PerCase, ProbabilitySums
from halfwidth.core.spec import Better, Estimand, MetricLevel, Takes, metric
from halfwidth.core.types import UNIT_INTERVAL, Array, Bounds, Numbers

__all__ = ["brier", "brier_skill", "nll", "root_brier"]

SUMMED = ("binary", "none", "sum", "macro", "top_label")

_score = functools.partial(
    metric,
    level=MetricLevel.SAMPLE,
    takes=Takes.PROBABILITIES,
    family="calibration",
    prevalence_dependent=True,
)

# Pitfalls that several share.
MIXED = "mixes calibration with discrimination: a better value need not be better calibrated"
RARE = "small where positives are rare, whatever the model"
NO_ORDER = "not for ordered classes, nor where confusions cost differently: all count alike"


def _squared_errors(p: Array, y: Array) -> Array:
    return np.asarray((p - y) ** 2)


def _surprise(p: Array, y: Array) -> Array:
    """-log of the probability given to what happened."""
    inside = clipped(p)
    return np.asarray(-np.where(y == 1, np.log(inside), np.log1p(-inside)))


def _root_terms(p: Array, y: Array) -> Array:
    return _squared_errors(p, y)[..., None, :]


def _finish_root(n: Numbers, sums: Numbers) -> Array:
    return np.asarray(np.sqrt(ratio(sums[..., 0], n) + 0.0))


def _finish_root_of_classes(n: Numbers, sums: Numbers) -> Array:
    return _finish_root(n, sums.sum(axis=-2))


def _skill_terms(p: Array, y: Array) -> Array:
    return np.stack([_squared_errors(p, y), np.broadcast_to(y, p.shape)], axis=-2)


def _error_of_shares(n: Numbers, sums: Numbers) -> Array:
    """The squared errors of predicting the share of a class for every case."""
    return np.asarray(sums[..., 1] * (1 - ratio(sums[..., 1], n)))


def _skill(errors: Numbers, share_errors: Numbers) -> Array:
    return np.asarray(1 - ratio(errors, np.where(share_errors.real > 0, share_errors, np.nan)))


def _finish_skill(n: Numbers, sums: Numbers) -> Array:
    return _skill(sums[..., 0], _error_of_shares(n, sums))


def _finish_skill_of_classes(n: Numbers, sums: Numbers) -> Array:
    share_errors = _error_of_shares(np.asarray(n)[..., None], sums)
    return _skill(sums[..., 0].sum(axis=-1), share_errors.sum(axis=-1))


ROOT = ProbabilitySums(_root_terms, _finish_root, _finish_root_of_classes, power=2.0)
SKILL = ProbabilitySums(_skill_terms, _finish_skill, _finish_skill_of_classes)


def _range_of_sum(average: str | None = None, **_tables: object) -> Bounds:
    """At worst one class has the probability 1 and another one happens."""
    return Bounds(0.0, 2.0) if average == "sum" else UNIT_INTERVAL


def _range_of_root(average: str | None = None, **_tables: object) -> Bounds:
    return Bounds(0.0, math.sqrt(2.0)) if average == "sum" else UNIT_INTERVAL


@_score(
    title="Brier score",
    halved=True,
    synonyms=("brier_score", "brier_score_loss", "neg_brier_score", "bs"),
    bounds=UNIT_INTERVAL,
    bounds_rule=_range_of_sum,
    better=Better.LOWER,
    averages=SUMMED,
    estimand=Estimand.MEAN,
    form=PerCase(_squared_errors),
    cite="brier1950",
    pitfalls=(MIXED, RARE, NO_ORDER),
)
def brier(y_true: ArrayLike, y_prob: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Brier score, the mean of (p - y)² over cases.

    Of one class it lies in [0, 1], and is half of what Brier (1950) defined. Of several classes
    ``average="sum"`` is his: Σₖ (pₖ - yₖ)² over classes, in [0, 2].

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
        0 where every case was foreseen with certainty; NaN without cases.

    References
    ----------
    Brier (1950).

    Examples
    --------
    >>> round(brier([0, 1, 1], [0.1, 0.8, 0.6]), 2)
    0.07
    """
    p, y, weights = as_outcomes(y_true, y_prob, sample_weight)
    return weighted_mean(_squared_errors(p, y), weights)


@_score(
    title="root Brier score",
    halved=True,
    synonyms=("root_brier_score", "rbs"),
    bounds=UNIT_INTERVAL,
    bounds_rule=_range_of_root,
    better=Better.LOWER,
    averages=SUMMED,
    form=ROOT,
    reliable_n=50,
    cite="brier1950",
    pitfalls=(MIXED, RARE, NO_ORDER),
)
def root_brier(
    y_true: ArrayLike, y_prob: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Square root of the Brier score, on the scale of probabilities.

    Parameters
    ----------
    y_true, y_prob, sample_weight
        As for `brier`.

    Returns
    -------
    float
        In [0, 1], for the sum over classes in [0, √2]; NaN without cases.

    References
    ----------
    Brier (1950).

    Examples
    --------
    >>> round(root_brier([0, 1, 1], [0.1, 0.8, 0.6]), 4)
    0.2646
    """
    return value_of(ROOT, y_true, y_prob, sample_weight)


@_score(
    title="Brier skill score",
    synonyms=("brier_skill_score", "bss", "scaled_brier", "ipa"),
    bounds=Bounds(-math.inf, 1.0),
    better=Better.HIGHER,
    averages=SUMMED,
    form=SKILL,
    reliable_n=50,
    cite="murphy1973",
    pitfalls=(
        MIXED,
        "compares with the prevalence of this test set, which the model did not know",
        NO_ORDER,
    ),
)
def brier_skill(
    y_true: ArrayLike, y_prob: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Brier skill score, 1 - B / (ȳ (1 - ȳ)): how much better than predicting the prevalence ȳ.

    Of several classes ``average="sum"`` compares the sums over classes, 1 - Σₖ Bₖ / Σₖ ȳₖ (1 - ȳₖ).

    Parameters
    ----------
    y_true, y_prob, sample_weight
        As for `brier`.

    Returns
    -------
    float
        1 at best, 0 for predicting the prevalence, below 0 for worse; NaN where all cases are of
        one class.

    References
    ----------
    Murphy (1973); Steyerberg et al. (2010), who call it the scaled Brier score.

    Examples
    --------
    >>> round(brier_skill([0, 1, 1], [0.1, 0.8, 0.6]), 3)
    0.685
    """
    return value_of(SKILL, y_true, y_prob, sample_weight)


@_score(
    title="NLL",
    synonyms=("log_loss", "neg_log_loss", "cross_entropy", "negative_log_likelihood"),
    bounds=Bounds(0.0, -math.log(CLIP)),
    better=Better.LOWER,
    estimand=Estimand.MEAN,
    form=PerCase(_surprise),
    cite="good1952",
    pitfalls=(
        MIXED,
        "one certain prediction that is wrong weighs as much as the clipping of 0 and 1 lets it",
    ),
)
def nll(y_true: ArrayLike, y_prob: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Negative log-likelihood, the mean of -log of the probability given to the true class.

    Probabilities are clipped to [1e-7, 1 - 1e-7], so that a certain prediction that is wrong
    counts 16.1.

    Parameters
    ----------
    y_true : array-like of 0 and 1, shape (n,)
        Whether each case is of the class. Of several classes: 1 for every case, with the
        probability of its true class.
    y_prob : array-like, shape (n,)
        The probability of it.
    sample_weight : array-like, shape (n,), optional

    Returns
    -------
    float
        In [0, 16.12]; log 2 = 0.69 for one half everywhere; NaN without cases.

    References
    ----------
    Good (1952).

    Examples
    --------
    >>> round(nll([0, 1, 1], [0.1, 0.8, 0.6]), 4)
    0.2798
    """
    p, y, weights = as_outcomes(y_true, y_prob, sample_weight)
    return weighted_mean(_surprise(p, y), weights)


# The catalogue lists these, in this order.
DECLARED = (brier, root_brier, brier_skill, nll)
