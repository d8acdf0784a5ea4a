"""Counting metrics of one class against the rest, functions of ``tp, fn, fp, tn``.

They take complex counts as well, so that a complex step differentiates them.
"""

from __future__ import annotations

import math

from halfwidth.arithmetic.confusion_tables import ratio
from halfwidth.core.parameters import Parameter
from halfwidth.core.spec import ClassNeed, Transform
from halfwidth.core.types import UNIT_INTERVAL, Bounds, Quotient
from halfwidth.core.types import Numbers as Counts
from halfwidth.metrics.rates import (
    ALL_AVERAGES,
    ONE_CLASS,
    npv,
    one_class,
    ppv,
    sensitivity,
    specificity,
)

__all__ = ["balanced_accuracy", "f1", "f_beta", "lr_plus", "net_benefit", "youden_j"]

CORRELATION = Bounds(-1.0, 1.0)

BETA = Parameter("beta", 1.0, "weight of sensitivity against PPV", above=0, at_most=1000)
RATE = Parameter(
    "exchange_rate",
    None,
    "false positives that one true positive is worth, as a share: threshold / (1 - threshold)",
    at_least=0,
)


# Pitfalls that several share.
NO_TRUE_NEGATIVES = "ignores true negatives"
WHICH_IS_POSITIVE = "changes when the other class is called positive"
NO_NAIVE = "does not say how much better than guessing it is, as LR+ does"


def _f_beta_as_quotient(beta: float = 1.0) -> Quotient:
    square = beta**2
    return (1 + square, 0.0, 0.0, 0.0), (1 + square, square, 1.0, 0.0)


@one_class(
    listed=1,
    title="F1",
    class_needs=ClassNeed.EITHER,
    bounds=UNIT_INTERVAL,
    averages=ALL_AVERAGES,
    quotient=_f_beta_as_quotient,
    synonyms=("f1_score", "f_1", "balanced_f_score"),
    prevalence_dependent=True,
    reliable_n=50,
    cite="van_rijsbergen1979",
    pitfalls=(NO_TRUE_NEGATIVES, WHICH_IS_POSITIVE, NO_NAIVE),
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


@one_class(
    listed=1,
    title="Fβ",
    class_needs=ClassNeed.EITHER,
    bounds=UNIT_INTERVAL,
    averages=ALL_AVERAGES,
    parameters=(BETA,),
    quotient=_f_beta_as_quotient,
    synonyms=("fbeta", "f_score", "fbeta_score", "f_beta_score"),
    prevalence_dependent=True,
    reliable_n=50,
    cite="van_rijsbergen1979",
    pitfalls=(
        NO_TRUE_NEGATIVES,
        "β trades missed cases against false positives: choose it beforehand",
        WHICH_IS_POSITIVE,
        NO_NAIVE,
    ),
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


@one_class(
    listed=3,
    title="Youden's J",
    bounds=CORRELATION,
    averages=("binary", "none", "macro", "weighted"),
    synonyms=("youden", "informedness", "youdens_j", "youden_index", "youdens_index_j"),
    reliable_n=50,
    cite="youden1950",
    pitfalls=("weighs both rates alike, as costs rarely do",),
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


@one_class(
    listed=3,
    title="LR+",
    bounds=Bounds(0.0, math.inf),
    averages=ONE_CLASS,
    synonyms=("positive_likelihood_ratio", "plr", "lr+"),
    transform=Transform.LOG,
    reliable_n=50,
    cite="simel1991",
    pitfalls=("has no upper limit, and is infinite without a false positive",),
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


@one_class(
    listed=3,
    title="net benefit",
    bounds=Bounds(-math.inf, 1.0),
    averages=ONE_CLASS,
    quotient=_net_benefit_as_quotient,
    parameters=(RATE,),
    synonyms=("nb",),
    prevalence_dependent=True,
    cite="vickers_elkin2006",
    pitfalls=(
        (
            "the exchange rate is a choice that decides the result: show several, or state why "
            "this one"
        ),
    ),
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


@one_class(
    listed=1,
    title="balanced accuracy",
    bounds=UNIT_INTERVAL,
    averages=("macro",),
    synonyms=("ba", "bacc", "balanced_accuracy_score", "macro_recall"),
    reliable_n=50,
    cite="maier_hein2024",
    pitfalls=(
        "a rare class weighs as much as a frequent one: a few cases may decide",
        "says nothing about how far to trust a positive answer",
        "knows neither costs nor an order of the classes",
    ),
)
def balanced_accuracy(tp: Counts, fn: Counts, fp: Counts, tn: Counts) -> Counts:
    """Mean over classes of the sensitivity of each; the function gives that of one class.

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
    >>> both = balanced_accuracy(45, 5, 10, 40), balanced_accuracy(40, 10, 5, 45)
    >>> float((sum(both) / 2).round(3))
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
