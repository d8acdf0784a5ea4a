"""Rates of one class against the rest, shares of the cases in their own denominator.

They take complex counts as well, so that a complex step differentiates them.
"""

from __future__ import annotations

import functools

from halfwidth.arithmetic.confusion_tables import ratio
from halfwidth.core.parameters import Parameter
from halfwidth.core.spec import Better, ClassNeed, Estimand, MetricLevel, Takes, Transform, metric
from halfwidth.core.types import UNIT_INTERVAL
from halfwidth.core.types import Numbers as Counts

__all__ = ["npv", "ppv", "sensitivity", "specificity"]

ONE_CLASS = ("binary", "none")
ALL_AVERAGES = ("binary", "none", "macro", "micro", "weighted")

PREVALENCE = Parameter(
    "prevalence",
    None,
    "of the target population; if not given, that of the data",
    above=0,
    below=1,
    optional=True,
)


# Pitfalls that several share.
DEPENDS_ON_THRESHOLD = (
    "depends on the threshold of the scores, which must not be chosen on the test set"
)


def _unless_at_a_prevalence(prevalence: float | None = None) -> Estimand:
    return Estimand.PROPORTION if prevalence is None else Estimand.COUNTING


one_class = functools.partial(
    metric,
    level=MetricLevel.SAMPLE,
    family="counting",
    takes=Takes.TWO_BY_TWO,
    estimand=Estimand.COUNTING,
    better=Better.HIGHER,
)


@one_class(
    listed=1,
    title="sensitivity",
    bounds=UNIT_INTERVAL,
    averages=ALL_AVERAGES,
    estimand=Estimand.PROPORTION,
    share=("tp", "fn"),
    synonyms=("recall", "tpr", "recall_score", "hit_rate", "true_positive_rate"),
    reliable_n=10,
    cite="maier_hein2024",
    pitfalls=(
        "calling every case positive scores 1: read it together with specificity",
        DEPENDS_ON_THRESHOLD,
    ),
)
def sensitivity(tp: Counts, fn: Counts, fp: Counts, tn: Counts) -> Counts:
    """Share of the cases of a class that are found, TP / (TP + FN); NaN without any.

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


@one_class(
    listed=1,
    title="specificity",
    bounds=UNIT_INTERVAL,
    averages=ALL_AVERAGES,
    estimand=Estimand.PROPORTION,
    class_needs=ClassNeed.NOTHING,
    share=("tn", "fp"),
    synonyms=("tnr", "selectivity", "true_negative_rate"),
    reliable_n=10,
    cite="maier_hein2024",
    pitfalls=(
        "calling every case negative scores 1: read it together with sensitivity",
        DEPENDS_ON_THRESHOLD,
    ),
)
def specificity(tp: Counts, fn: Counts, fp: Counts, tn: Counts) -> Counts:
    """Share of the negative cases that are called negative, TN / (TN + FP); NaN without any.

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


@one_class(
    listed=1,
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
    pitfalls=(
        (
            "in a test set enriched with positives it says nothing about practice: give the "
            "prevalence (`ppv:prevalence=0.05`)"
        ),
    ),
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


@one_class(
    listed=1,
    title="NPV",
    bounds=UNIT_INTERVAL,
    averages=ALL_AVERAGES,
    estimand=_unless_at_a_prevalence,
    class_needs=ClassNeed.NOTHING,
    share=("tn", "fn"),
    parameters=(PREVALENCE,),
    synonyms=("negative_predictive_value",),
    prevalence_dependent=True,
    transform=Transform.LOGIT,
    reliable_n=10,
    cite="mercaldo2007",
    pitfalls=(
        "near 1 without any skill where positives are rare",
        (
            "in a test set enriched with positives it says nothing about practice: give the "
            "prevalence (`npv:prevalence=0.05`)"
        ),
    ),
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
