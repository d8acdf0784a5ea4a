"""Counting metrics of all classes at once, functions of a confusion matrix; rows are true classes.

They take complex counts as well, so that a complex step differentiates them.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.arithmetic.confusion_tables import ratio
from halfwidth.core.errors import OptionError
from halfwidth.core.forms import OfMargins
from halfwidth.core.option_names import spelled
from halfwidth.core.parameters import Parameter
from halfwidth.core.spec import Better, Estimand, MetricLevel, Takes, metric
from halfwidth.core.types import UNBOUNDED, UNIT_INTERVAL, Bounds
from halfwidth.core.types import Numbers as Counts
from halfwidth.metrics.counting import CORRELATION

__all__ = ["accuracy", "cohen_kappa", "expected_cost", "mcc", "normalized_expected_cost"]

BY_COSTS = 3.0
WEIGHTS = Parameter(
    "weights",
    0.0,
    "none: every confusion alike; linear or quadratic in the distance of ordered classes; costs: "
    "those given",
    choices=(0.0, 1.0, 2.0, BY_COSTS),
    words=(("none", 0.0), ("linear", 1.0), ("quadratic", 2.0), ("costs", BY_COSTS)),
)
# What is called weighted has weights: which, must be said.
WEIGHTED = ("weighted_cohens_kappa", "wck", "weighted_kappa", "weighted_kappa_score")
WEIGHTS_GIVEN = replace(
    WEIGHTS,
    default=None,
    summary="in the distance of ordered classes",
    choices=WEIGHTS.choices[1:],
    words=WEIGHTS.words[1:],
)

_all_classes = functools.partial(
    metric,
    level=MetricLevel.SAMPLE,
    family="counting",
    takes=Takes.CONFUSION,
    estimand=Estimand.COUNTING,
)


# Pitfalls that several share.
ALIKE = "all confusions cost the same: it knows neither costs nor an order of the classes"
COSTS_DECIDE = "costs and priors are choices that decide the result"
OF_COSTS = (
    COSTS_DECIDE,
    "rare in publications, so that there is little to compare it with",
    "can be near its best though most positive answers are wrong: read PPV and NPV beside it",
)


@_all_classes(
    listed=0,
    title="accuracy",
    estimand=Estimand.PROPORTION,
    bounds=UNIT_INTERVAL,
    better=Better.HIGHER,
    synonyms=("accuracy_score", "acc"),
    prevalence_dependent=True,
    reliable_n=10,
    cite="maier_hein2024",
    pitfalls=("high without any skill where one class dominates", ALIKE),
)
def accuracy(matrix: Counts) -> Counts:
    """Share of the cases that are classified correctly; in [0, 1], NaN without cases.

    Parameters
    ----------
    matrix : ndarray, shape (..., C, C)

    Returns
    -------
    ndarray, shape (...)

    References
    ----------
    Maier-Hein et al. (2024).

    Examples
    --------
    >>> float(accuracy(np.array([[40, 10], [5, 45]])))
    0.85
    """
    return ratio(np.trace(matrix, axis1=-2, axis2=-1), matrix.sum(axis=(-2, -1)))


def _mcc_of_margins(correct: Counts, truth: Counts, predicted: Counts) -> Counts:
    total = truth.sum(axis=-1)
    covariance = correct * total - (truth * predicted).sum(axis=-1)
    true_square, predicted_square = _squares_of_classes(truth), _squares_of_classes(predicted)
    # The root of a square is taken by hand: a test set without errors has 1, not nearly 1.
    alike = true_square == predicted_square
    size = np.where(alike, true_square, np.sqrt(true_square) * np.sqrt(predicted_square))
    value = ratio(covariance, size)[()]
    value = np.where(value.real > 1.0, 1.0, value)
    return np.asarray(np.where(value.real < -1.0, -1.0, value))


@_all_classes(
    listed=2,
    title="MCC",
    form=OfMargins(_mcc_of_margins),
    bounds=CORRELATION,
    better=Better.HIGHER,
    synonyms=(
        *("matthews_corrcoef", "matthews", "matthews_correlation_coefficient"),
        *("phi", "phi_coefficient"),
    ),
    prevalence_dependent=True,
    reliable_n=50,
    cite="gorodkin2004",
    pitfalls=(
        "hard to interpret between its ends: 0.6 is not twice as good as 0.3",
        "all wrong is not -1 with three classes and more, where its least value is nearer to 0",
        ALIKE,
    ),
)
def mcc(matrix: Counts) -> Counts:
    """Matthews correlation coefficient of true and predicted class, for any number of classes.

    (c·s - Σ pₖtₖ) / √((s² - Σpₖ²)(s² - Σtₖ²)): c correct of s cases, tₖ true and pₖ predicted
    cases of class k.

    Parameters
    ----------
    matrix : ndarray, shape (..., C, C)

    Returns
    -------
    ndarray, shape (...)
        In [-1, 1], 0 for guessing; NaN where there is, or is predicted, but one class.

    References
    ----------
    Gorodkin (2004).

    Examples
    --------
    >>> float(mcc(np.array([[40, 10], [5, 45]])).round(2))
    0.7
    """
    table = np.asarray(matrix) * 1.0
    correct = np.trace(table, axis1=-2, axis2=-1)
    return _mcc_of_margins(correct, table.sum(axis=-1), table.sum(axis=-2))


def _squares_of_classes(cases: Counts) -> Counts:
    """s² - Σcₖ² of cₖ cases of each class, s in all; 0, not rounding, for a single class."""
    square = cases.sum(axis=-1) ** 2
    left = square - (cases**2).sum(axis=-1)
    return np.asarray(np.where(left.real > 4 * np.finfo(float).eps * square.real, left, 0))[()]


def _disagreement(n_classes: int, power: float) -> Counts:
    """Costs of confusing ordered classes: |i - j|^power, and 0 where i = j."""
    apart = np.abs(np.subtract.outer(np.arange(n_classes), np.arange(n_classes))).astype(float)
    return np.where(apart > 0, apart**power, 0.0)


def _range_of_kappa(costs: ArrayLike | None, **_others: object) -> Bounds:
    """Range up to 1; from -1 by the weights that have a name, by costs whatever these are."""
    return Bounds(-1.0 if costs is None else -math.inf, 1.0)


def _kappa_of_margins(correct: Counts, truth: Counts, predicted: Counts) -> Counts:
    """Kappa with every confusion alike."""
    total = truth.sum(axis=-1)
    square = total**2
    expected = square - (truth * predicted).sum(axis=-1)
    # 0, not rounding, for a single class.
    expected = np.where(expected > 4 * np.finfo(float).eps * square, expected, 0.0)
    return ratio(expected - (total - correct) * total, expected)


def _form_of_kappa(weights: float = 0.0) -> OfMargins | None:
    return OfMargins(_kappa_of_margins) if weights == 0 else None


@_all_classes(
    listed=2,
    title="Cohen's κ",
    form=_form_of_kappa,
    bounds=Bounds(-1.0, 1.0),
    bounds_rule=_range_of_kappa,
    better=Better.HIGHER,
    parameters=(WEIGHTS,),
    tables=("costs",),
    synonyms=("kappa", "cohens_kappa", "cohen_kappa_score", "ck"),
    special={name: {"parameters": (WEIGHTS_GIVEN,)} for name in WEIGHTED},
    prevalence_dependent=True,
    reliable_n=50,
    cite="cohen1968",
    pitfalls=(
        "the same agreement gives a smaller κ where one class dominates",
        "weights are a choice that decides the result",
    ),
)
def cohen_kappa(matrix: Counts, *, weights: float = 0.0, costs: ArrayLike | None = None) -> Counts:
    """Cohen's κ, 1 - Σ w·observed / Σ w·expected, expected from the margins alone.

    Parameters
    ----------
    matrix : ndarray, shape (..., C, C)
    weights : {0, 1, 2, 3}
        Power of the distance between ordered classes: 0 counts every confusion alike, 1 is the
        linear, 2 the quadratic κ; 3 takes the costs, as 0 does where they are given.
    costs : array-like, shape (C, C), optional
        Any other weights of confusions, 0 on the diagonal.

    Returns
    -------
    ndarray, shape (...)
        From -1 to 1, lower only with costs of your own, 0 for guessing; NaN where no
        disagreement is expected.

    Raises
    ------
    OptionError
        If both costs and other weights are given, or ``weights=3`` without costs.

    References
    ----------
    Cohen (1960, 1968).

    Examples
    --------
    >>> float(cohen_kappa(np.array([[40, 10], [5, 45]])).round(2))
    0.7
    """
    if costs is None and weights == BY_COSTS:
        raise OptionError(f"cohen_kappa: weights=costs needs {spelled('costs')}")
    if costs is not None and weights not in (0, BY_COSTS):
        raise OptionError(
            f"cohen_kappa: weights={WEIGHTS.word(float(weights))} and costs are two ways to weigh "
            "confusions; give one of them"
        )
    table = np.asarray(matrix) * 1.0
    weight = _disagreement(table.shape[-1], weights) if costs is None else np.asarray(costs, float)
    total = table.sum(axis=(-2, -1))
    observed = (weight * table).sum(axis=(-2, -1)) * total
    outer = table.sum(axis=-1)[..., :, None] * table.sum(axis=-2)[..., None, :]
    expected = (weight * outer).sum(axis=(-2, -1))
    return ratio(expected - observed, expected)


def _weights_of_cases(matrix: Counts, priors: ArrayLike | None) -> Counts:
    """The matrix with rows that add up to the priors; shares of cases where none are given."""
    if priors is None:
        return ratio(matrix, matrix.sum(axis=(-2, -1))[..., None, None])
    prior = np.asarray(priors, float)
    rates = ratio(matrix, matrix.sum(axis=-1)[..., None])
    return np.asarray(np.where((prior > 0)[:, None], rates, 0.0) * prior[:, None])


def _costs(n_classes: int, costs: ArrayLike | None) -> Counts:
    return np.asarray(_disagreement(n_classes, 0.0) if costs is None else costs, float)


def _range_of_costs(costs: Sequence[Sequence[float]] | None, **_others: object) -> Bounds:
    """Range of the costs; any number where all costs are equal."""
    each = [0.0, 1.0] if costs is None else [cost for row in costs for cost in row]
    low, high = min(0.0, *each), max(each)
    return Bounds(low, high) if low < high else UNBOUNDED


@_all_classes(
    listed=4,
    title="expected cost",
    bounds_rule=_range_of_costs,
    bounds=UNBOUNDED,
    better=Better.LOWER,
    tables=("costs", "priors"),
    synonyms=("ec", "average_cost", "expected_loss", "expected_prediction_error"),
    prevalence_dependent=True,
    reliable_n=50,
    cite="ferrer2025",
    pitfalls=OF_COSTS,
)
def expected_cost(
    matrix: Counts, *, costs: ArrayLike | None = None, priors: ArrayLike | None = None
) -> Counts:
    """Expected cost, Σᵢ Pᵢ Σⱼ cᵢⱼ Rᵢⱼ: R the share of true class i decided as j.

    Parameters
    ----------
    matrix : ndarray, shape (..., C, C)
    costs : array-like, shape (C, C), optional
        cᵢⱼ; default: 1 for an error, so that the expected cost is the error rate.
    priors : array-like, shape (C,), optional
        Pᵢ; default: the shares of the classes in the data.

    Returns
    -------
    ndarray, shape (...)
        In the unit of the costs; NaN where a class with a prior above 0 has no cases.

    References
    ----------
    Ferrer (2025).

    Examples
    --------
    >>> float(expected_cost(np.array([[40, 10], [5, 45]])).round(2))
    0.15
    """
    table = np.asarray(matrix) * 1.0
    weighed = _weights_of_cases(table, priors)
    return np.asarray((weighed * _costs(table.shape[-1], costs)).sum(axis=(-2, -1)))


@_all_classes(
    listed=4,
    title="normalised expected cost",
    bounds=UNBOUNDED,
    better=Better.LOWER,
    tables=("costs", "priors"),
    synonyms=("ecn", "nec", "normalised_expected_cost"),
    prevalence_dependent=True,
    reliable_n=50,
    cite="ferrer2025",
    pitfalls=(
        *OF_COSTS,
        "above 1, giving every case the same answer would cost less",
        "priors that weigh all classes alike give up what it says of predictive values",
    ),
)
def normalized_expected_cost(
    matrix: Counts, *, costs: ArrayLike | None = None, priors: ArrayLike | None = None
) -> Counts:
    """Expected cost over that of the best decision made without looking at the case.

    Parameters
    ----------
    matrix : ndarray, shape (..., C, C)
    costs, priors
        As for `expected_cost`.

    Returns
    -------
    ndarray, shape (...)
        0 without errors, 1 for a system that is as good as none; NaN where the best constant
        decision costs nothing.

    References
    ----------
    Ferrer (2025).

    Examples
    --------
    >>> float(normalized_expected_cost(np.array([[40, 10], [5, 45]])).round(2))
    0.3
    """
    table = np.asarray(matrix) * 1.0
    cost = _costs(table.shape[-1], costs)
    weighed = _weights_of_cases(table, priors)
    constant = weighed.sum(axis=-1) @ cost
    best = np.take_along_axis(constant, constant.real.argmin(axis=-1)[..., None], axis=-1)[..., 0]
    return ratio((weighed * cost).sum(axis=(-2, -1)), np.where(best == 0, np.nan, best))


# The catalogue lists these, in this order.
DECLARED = (accuracy, mcc, cohen_kappa, expected_cost, normalized_expected_cost)
