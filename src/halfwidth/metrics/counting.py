"""Counting metrics of one class against the rest, functions of ``tp, fn, fp, tn``.

They take complex counts as well, so that a complex step differentiates them.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.core.errors import DataError
from halfwidth.core.forms import Quotient
from halfwidth.core.parameters import Parameter
from halfwidth.core.spec import Better, ClassNeed, Estimand, MetricLevel, Takes, Transform, metric
from halfwidth.core.types import UNIT_INTERVAL, Bounds
from halfwidth.core.types import Numbers as Counts

__all__ = [
    "balanced_accuracy",
    "confusion_matrix",
    "count_cells",
    "f1",
    "f_beta",
    "lr_plus",
    "net_benefit",
    "npv",
    "one_vs_rest",
    "ppv",
    "ratio",
    "sensitivity",
    "specificity",
    "youden_j",
]

CORRELATION = Bounds(-1.0, 1.0)
ONE_CLASS = ("binary", "none")
ALL_AVERAGES = ("binary", "none", "macro", "micro", "weighted")

BETA = Parameter("beta", 1.0, "weight of sensitivity against PPV", above=0, at_most=1000)
PREVALENCE = Parameter(
    "prevalence",
    None,
    "that of the target population; unsaid: that of the data",
    above=0,
    below=1,
    optional=True,
)
RATE = Parameter(
    "exchange_rate",
    None,
    "false positives that one true positive is worth, as a share: threshold / (1 - threshold)",
    at_least=0,
)


def _unless_at_a_prevalence(prevalence: float | None = None) -> Estimand:
    return Estimand.PROPORTION if prevalence is None else Estimand.COUNTING


_one_class = functools.partial(
    metric,
    level=MetricLevel.SAMPLE,
    family="counting",
    takes=Takes.TWO_BY_TWO,
    estimand=Estimand.COUNTING,
    better=Better.HIGHER,
)


def confusion_matrix(
    y_true: ArrayLike, y_pred: ArrayLike, n_classes: int, sample_weight: ArrayLike | None = None
) -> Counts:
    """Confusion matrix of class codes 0, 1, ...: rows are true classes, columns predicted ones.

    Parameters
    ----------
    y_true, y_pred : array-like of int, shape (n,)
        Codes below ``n_classes``.
    n_classes : int
    sample_weight : array-like, shape (n,), optional
        What each case counts; default 1.

    Returns
    -------
    ndarray, shape (n_classes, n_classes)
        Integers, or sums of weights.

    Raises
    ------
    DataError
        If a code is not one of ``0 .. n_classes - 1``.

    Examples
    --------
    >>> confusion_matrix([0, 1, 1, 1], [0, 1, 0, 1], 2)
    array([[1, 0],
           [1, 2]])
    """
    truth, predicted = np.asarray(y_true, dtype=np.intp), np.asarray(y_pred, dtype=np.intp)
    for codes in (truth, predicted):
        if len(codes) and not 0 <= codes.min() <= codes.max() < n_classes:
            raise DataError(f"class codes lie outside 0 to {n_classes - 1}")
    weights = None if sample_weight is None else np.asarray(sample_weight, float)
    counts = np.bincount(truth * n_classes + predicted, weights, minlength=n_classes**2)
    return np.asarray(counts.reshape(n_classes, n_classes))


def count_cells(codes: Counts, n_cells: int) -> Counts:
    """Cases in each cell of a table, given the code of each: (..., n) -> (..., n_cells).

    >>> count_cells(np.array([0, 3, 3, 1]), 4)
    array([1, 1, 0, 2])
    """
    flat = codes.reshape(-1, codes.shape[-1]).astype(np.intp)
    shifted = flat + n_cells * np.arange(len(flat))[:, None]
    counts = np.bincount(shifted.ravel(), minlength=len(flat) * n_cells)
    return np.asarray(counts.reshape(*codes.shape[:-1], n_cells))


def one_vs_rest(matrix: Counts) -> tuple[Counts, Counts, Counts, Counts]:
    """TP, FN, FP and TN of each class against the rest: (..., C, C) -> four of (..., C).

    >>> tp, fn, fp, tn = one_vs_rest(np.array([[40, 10], [5, 45]]))
    >>> tp, fn, fp, tn
    (array([40, 45]), array([10,  5]), array([ 5, 10]), array([45, 40]))
    """
    tp = np.diagonal(matrix, axis1=-2, axis2=-1)
    fn = matrix.sum(axis=-1) - tp
    fp = matrix.sum(axis=-2) - tp
    return tp, fn, fp, matrix.sum(axis=(-2, -1))[..., None] - tp - fn - fp


def ratio(part: Counts, whole: Counts) -> Counts:
    """Part / whole; NaN for 0 / 0, infinite for a positive part of nothing."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        if not np.iscomplexobj(part) and not np.iscomplexobj(whole):
            return np.asarray(np.true_divide(part, whole))
        known = np.asarray(whole).real != 0
        return np.where(known, np.divide(part, np.where(known, whole, 1.0)), np.nan)


# --------------------------------------------------------------------------- one class


@_one_class(
    listed=1,
    style=14,
    title="sensitivity",
    bounds=UNIT_INTERVAL,
    averages=ALL_AVERAGES,
    estimand=Estimand.PROPORTION,
    share=("tp", "fn"),
    synonyms=("recall", "tpr", "recall_score", "hit_rate"),
    reliable_n=10,
    cite="maier_hein2024",
)
def sensitivity(tp: Counts, fn: Counts, fp: Counts, tn: Counts) -> Counts:
    """Share of the cases of a class that are found, TP / (TP + FN); in [0, 1], NaN without any.

    Parameters
    ----------
    tp, fn, fp, tn : ndarray, same shape

    Returns
    -------
    ndarray

    References
    ----------
    Maier-Hein et al. (2024).

    Examples
    --------
    >>> float(sensitivity(45, 5, 10, 40))
    0.9
    """
    return ratio(tp, tp + fn)


@_one_class(
    listed=1,
    style=15,
    title="specificity",
    bounds=UNIT_INTERVAL,
    averages=ALL_AVERAGES,
    estimand=Estimand.PROPORTION,
    share=("tn", "fp"),
    synonyms=("tnr", "selectivity"),
    reliable_n=10,
    cite="maier_hein2024",
)
def specificity(tp: Counts, fn: Counts, fp: Counts, tn: Counts) -> Counts:
    """Share of the other cases that are left alone, TN / (TN + FP); in [0, 1], NaN without any.

    Parameters
    ----------
    tp, fn, fp, tn : ndarray, same shape

    Returns
    -------
    ndarray

    References
    ----------
    Maier-Hein et al. (2024).

    Examples
    --------
    >>> float(specificity(45, 5, 10, 40))
    0.8
    """
    return ratio(tn, tn + fp)


def _by_bayes(right: Counts, wrong: Counts, share: float) -> Counts:
    """Predictive value of a test that is positive at these rates in a share of all cases."""
    return ratio(right * share, right * share + wrong * (1 - share))


@_one_class(
    listed=1,
    style=16,
    title="PPV",
    bounds=UNIT_INTERVAL,
    averages=ALL_AVERAGES,
    estimand=_unless_at_a_prevalence,
    class_needs=ClassNeed.PREDICTIONS,
    share=("tp", "fp"),
    parameters=(PREVALENCE,),
    synonyms=("precision", "positive_predictive_value", "precision_score"),
    prevalence_dependent=True,
    transform=Transform.LOGIT,
    reliable_n=10,
    cite="mercaldo2007",
)
def ppv(
    tp: Counts, fn: Counts, fp: Counts, tn: Counts, *, prevalence: float | None = None
) -> Counts:
    """Share of the positive predictions that are right, TP / (TP + FP); in [0, 1].

    At a target prevalence π by Bayes' rule, Se·π / (Se·π + (1 - Sp)(1 - π)).

    Parameters
    ----------
    tp, fn, fp, tn : ndarray, same shape
    prevalence : float, optional
        π; default: that of the data.

    Returns
    -------
    ndarray
        NaN where nothing is predicted positive.

    References
    ----------
    Mercaldo, Lau & Zhou (2007).

    Examples
    --------
    >>> float(ppv(45, 5, 10, 40).round(3)), float(ppv(45, 5, 10, 40, prevalence=0.05).round(3))
    (0.818, 0.191)
    """
    if prevalence is None:
        return ratio(tp, tp + fp)
    return _by_bayes(ratio(tp, tp + fn), ratio(fp, fp + tn), prevalence)


@_one_class(
    listed=1,
    style=17,
    title="NPV",
    bounds=UNIT_INTERVAL,
    averages=ALL_AVERAGES,
    estimand=_unless_at_a_prevalence,
    share=("tn", "fn"),
    parameters=(PREVALENCE,),
    synonyms=("negative_predictive_value",),
    prevalence_dependent=True,
    transform=Transform.LOGIT,
    reliable_n=10,
    cite="mercaldo2007",
)
def npv(
    tp: Counts, fn: Counts, fp: Counts, tn: Counts, *, prevalence: float | None = None
) -> Counts:
    """Share of the negative predictions that are right, TN / (TN + FN); in [0, 1].

    At a target prevalence π by Bayes' rule, Sp(1 - π) / (Sp(1 - π) + (1 - Se)π).

    Parameters
    ----------
    tp, fn, fp, tn : ndarray, same shape
    prevalence : float, optional
        π; default: that of the data.

    Returns
    -------
    ndarray
        NaN where nothing is predicted negative.

    References
    ----------
    Mercaldo, Lau & Zhou (2007).

    Examples
    --------
    >>> float(npv(81, 9, 2, 8).round(2))
    0.47
    """
    if prevalence is None:
        return ratio(tn, tn + fn)
    return _by_bayes(ratio(tn, tn + fp), ratio(fn, fn + tp), 1 - prevalence)


def _f_beta_as_quotient(beta: float = 1.0) -> Quotient:
    square = beta**2
    return (1 + square, 0.0, 0.0, 0.0), (1 + square, square, 1.0, 0.0)


@_one_class(
    listed=1,
    style=9,
    title="F1",
    class_needs=ClassNeed.EITHER,
    bounds=UNIT_INTERVAL,
    averages=ALL_AVERAGES,
    quotient=_f_beta_as_quotient,
    synonyms=("f1_score", "f_1"),
    prevalence_dependent=True,
    reliable_n=50,
    cite="van_rijsbergen1979",
)
def f1(tp: Counts, fn: Counts, fp: Counts, tn: Counts) -> Counts:
    """Harmonic mean of PPV and sensitivity, 2 TP / (2 TP + FN + FP); in [0, 1].

    Parameters
    ----------
    tp, fn, fp, tn : ndarray, same shape

    Returns
    -------
    ndarray
        NaN where a class is neither there nor predicted.

    References
    ----------
    Van Rijsbergen (1979); Takahashi et al. (2022) for its averages.

    Examples
    --------
    >>> float(f1(45, 5, 10, 40).round(2))
    0.86
    """
    return f_beta(tp, fn, fp, tn)


@_one_class(
    listed=1,
    style=18,
    title="Fβ",
    class_needs=ClassNeed.EITHER,
    bounds=UNIT_INTERVAL,
    averages=ALL_AVERAGES,
    parameters=(BETA,),
    quotient=_f_beta_as_quotient,
    synonyms=("fbeta", "f_score", "fbeta_score"),
    prevalence_dependent=True,
    reliable_n=50,
    cite="van_rijsbergen1979",
)
def f_beta(tp: Counts, fn: Counts, fp: Counts, tn: Counts, *, beta: float = 1.0) -> Counts:
    """Weighted harmonic mean of PPV and sensitivity, (1 + β²)TP / ((1 + β²)TP + β²FN + FP).

    Parameters
    ----------
    tp, fn, fp, tn : ndarray, same shape
    beta : float
        Weight of sensitivity against PPV.

    Returns
    -------
    ndarray
        In [0, 1]; NaN where a class is neither there nor predicted.

    References
    ----------
    Van Rijsbergen (1979).

    Examples
    --------
    >>> float(f_beta(45, 5, 10, 40, beta=2).round(3))
    0.882
    """
    square = beta**2
    hits = (1 + square) * tp
    return ratio(hits, hits + square * fn + fp)


@_one_class(
    listed=3,
    style=19,
    title="Youden's J",
    bounds=CORRELATION,
    averages=("binary", "none", "macro", "weighted"),
    synonyms=("youden", "informedness"),
    reliable_n=50,
    cite="youden1950",
)
def youden_j(tp: Counts, fn: Counts, fp: Counts, tn: Counts) -> Counts:
    """Youden's J, sensitivity + specificity - 1; in [-1, 1], 0 for guessing.

    Parameters
    ----------
    tp, fn, fp, tn : ndarray, same shape

    Returns
    -------
    ndarray
        NaN where one of the two is undefined.

    References
    ----------
    Youden (1950).

    Examples
    --------
    >>> float(youden_j(45, 5, 10, 40).round(2))
    0.7
    """
    return sensitivity(tp, fn, fp, tn) + specificity(tp, fn, fp, tn) - 1


@_one_class(
    listed=3,
    style=32,
    title="LR+",
    bounds=Bounds(0.0, math.inf),
    averages=ONE_CLASS,
    synonyms=("positive_likelihood_ratio", "plr"),
    transform=Transform.LOG,
    reliable_n=50,
    cite="simel1991",
)
def lr_plus(tp: Counts, fn: Counts, fp: Counts, tn: Counts) -> Counts:
    """Positive likelihood ratio, sensitivity / (1 - specificity), at least 0; 1 for guessing.

    Parameters
    ----------
    tp, fn, fp, tn : ndarray, same shape

    Returns
    -------
    ndarray
        Infinite without false positives; NaN where both rates are 0 or one is undefined.

    References
    ----------
    Simel, Samsa & Matchar (1991).

    Examples
    --------
    >>> float(lr_plus(45, 5, 10, 40).round(2))
    4.5
    """
    return ratio(ratio(tp, tp + fn), ratio(fp, fp + tn))


def _net_benefit_as_quotient(exchange_rate: float) -> Quotient:
    return (1.0, 0.0, -exchange_rate, 0.0), (1.0, 1.0, 1.0, 1.0)


@_one_class(
    listed=3,
    style=33,
    title="net benefit",
    bounds=Bounds(-math.inf, 1.0),
    averages=ONE_CLASS,
    quotient=_net_benefit_as_quotient,
    parameters=(RATE,),
    prevalence_dependent=True,
    cite="vickers_elkin2006",
)
def net_benefit(tp: Counts, fn: Counts, fp: Counts, tn: Counts, *, exchange_rate: float) -> Counts:
    """Net benefit, TP/n - FP/n · w, w the exchange rate; at most the prevalence.

    Parameters
    ----------
    tp, fn, fp, tn : ndarray, same shape
    exchange_rate : float
        w: the harm of a false positive in units of the benefit of a true one. At a risk threshold
        t it is t / (1 - t).

    Returns
    -------
    ndarray

    References
    ----------
    Vickers & Elkin (2006).

    Examples
    --------
    >>> float(net_benefit(30, 0, 75, 0, exchange_rate=1 / 9).round(3))
    0.206
    """
    return ratio(tp - fp * exchange_rate, tp + fn + fp + tn)


@_one_class(
    listed=1,
    style=8,
    title="balanced accuracy",
    bounds=UNIT_INTERVAL,
    averages=("macro",),
    synonyms=("ba", "bacc", "balanced_accuracy_score", "macro_recall"),
    reliable_n=50,
    cite="maier_hein2024",
)
def balanced_accuracy(tp: Counts, fn: Counts, fp: Counts, tn: Counts) -> Counts:
    """Mean over the classes of the share of each that is found; this is that share of one class.

    Parameters
    ----------
    tp, fn, fp, tn : ndarray, same shape

    Returns
    -------
    ndarray
        In [0, 1]; 1/C for guessing among C classes. NaN where the class is not there.

    References
    ----------
    Maier-Hein et al. (2024).

    Examples
    --------
    >>> float(np.mean(balanced_accuracy(*one_vs_rest(np.array([[40, 10], [5, 45]])))).round(3))
    0.85
    """
    return sensitivity(tp, fn, fp, tn)


# The catalogue lists these, in this order.
DECLARED = (
    balanced_accuracy,
    sensitivity,
    specificity,
    ppv,
    npv,
    f1,
    f_beta,
    youden_j,
    lr_plus,
    net_benefit,
)
