"""Multi-threshold metrics: areas under curves of ranked scores."""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.arithmetic.areas import (
    CONCORDANCE,
    INTERPOLATED,
    STEPS,
    TRAPEZOID,
    PartialConcordance,
    areas_of_rows,
)
from halfwidth.arithmetic.ranked_scores import rank
from halfwidth.core.checks import refuse_complex
from halfwidth.core.forms import Area
from halfwidth.core.parameters import Parameter
from halfwidth.core.spec import Better, Estimand, MetricLevel, Takes, Transform, metric
from halfwidth.core.types import UNIT_INTERVAL, Bounds
from halfwidth.metrics.rates import ALL_AVERAGES

__all__ = [
    "auroc",
    "average_precision",
    "average_precision_interpolated",
    "average_precision_trapezoid",
]

MAX_FPR = Parameter(
    "max_fpr",
    None,
    "largest false positive rate; if not given 1, the whole area",
    at_least=1e-6,
    at_most=1,
    optional=True,
)

_ranking = functools.partial(
    metric,
    level=MetricLevel.SAMPLE,
    takes=Takes.SCORES,
    family="ranking",
    bounds=UNIT_INTERVAL,
    better=Better.HIGHER,
    averages=ALL_AVERAGES,
)


# --------------------------------------------------------------------------- areas


# Pitfalls that several share.
GUESSING = "guessing scores the share of positives, not ½"


def area_of(
    area: Area, y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None
) -> float:
    """An area under a curve of one test set."""
    refuse_complex(y_score, "y_score")
    positive = np.asarray(y_true).astype(bool)
    if not len(positive):
        return float("nan")
    weight = None if sample_weight is None else np.asarray(sample_weight, float)[None]
    ranking = rank(positive[None], np.asarray(y_score, float)[None], weight)
    return float(areas_of_rows(area, ranking)[0][0])


def _is_partial(max_fpr: float | None) -> bool:
    return max_fpr is not None and max_fpr < 1


def _area_under_roc(max_fpr: float | None = None) -> Area:
    if max_fpr is None or not _is_partial(max_fpr):
        return CONCORDANCE
    return Area(PartialConcordance(max_fpr))


def _estimand_of_roc(max_fpr: float | None = None) -> Estimand:
    return Estimand.OTHER if _is_partial(max_fpr) else Estimand.AUROC


def _range_of_roc(max_fpr: float | None = None, **_tables: object) -> Bounds:
    """Range that begins with no area at all, which is no 0 on the scale of a part."""
    rate = 1.0 if max_fpr is None else max_fpr
    return Bounds((1 - rate) / (2 - rate), 1.0)


def _cases_for_roc(max_fpr: float | None = None) -> int:
    """About five negative cases within the rate, where half of the cases are negative."""
    return 25 if max_fpr is None else max(25, math.ceil(10 / max_fpr - 1e-6))


@_ranking(
    title="AUROC",
    synonyms=(
        *("auc", "roc_auc", "auc_roc", "roc_auc_score"),
        *("c_statistic", "c_statistics", "c_index"),
    ),
    parameters=(MAX_FPR,),
    estimand=_estimand_of_roc,
    form=_area_under_roc,
    bounds_rule=_range_of_roc,
    reliable_n=_cases_for_roc,
    cite="hanley_mcneil1982",
    pitfalls=(
        "thresholds that nobody would use count like all others; `max_fpr` leaves some out",
        "says nothing about a threshold, or about whether scores are probabilities",
        "looks good where positives are rare and most alarms are false",
        "a single score moves it far in a handful of cases",
        "needs scores: of decided classes it is a matter of how ties are taken",
    ),
)
def auroc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    max_fpr: float | None = None,
) -> float:
    """Area under the ROC curve, P(score of a positive > of a negative) + ½ P(equal).

    With ``max_fpr`` m it is the partial area A up to that false positive rate, standardised:
    ½ (1 + (A - m²/2) / (m - m²/2)).

    Parameters
    ----------
    y_true : array-like of bool or 0/1, shape (n,)
        Whether each case is positive.
    y_score : array-like, shape (n,)
        Higher means more likely positive; any scale. All distinct scores are thresholds.
    sample_weight : array-like, shape (n,), optional
    max_fpr : float, optional
        The largest false positive rate of interest, from 1e-6 to 1.

    Returns
    -------
    float
        In [0, 1], a partial one in [(1 - m) / (2 - m), 1]; ½ for guessing. NaN without positive
        or without negative cases.

    References
    ----------
    Hanley & McNeil (1982); McClish (1989) for the partial area.

    Examples
    --------
    >>> auroc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    >>> auroc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], max_fpr=0.5)
    0.6666666666666666
    """
    return area_of(_area_under_roc(max_fpr), y_true, y_score, sample_weight)


@_ranking(
    title="AP",
    form=STEPS,
    transform=Transform.LOGIT,
    synonyms=("ap", "average_precision_score", "auprc"),
    prevalence_dependent=True,
    reliable_n=50,
    cite="davis_goadrich2006",
    pitfalls=(
        GUESSING,
        "biased upwards in small samples",
    ),
)
def average_precision(
    y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Average precision, Σ (Rₖ - Rₖ₋₁) Pₖ over the distinct scores: steps, no interpolation.

    Parameters
    ----------
    y_true : array-like of bool or 0/1, shape (n,)
        Whether each case is positive.
    y_score : array-like, shape (n,)
        Higher means more likely positive; any scale.
    sample_weight : array-like, shape (n,), optional

    Returns
    -------
    float
        In [0, 1], about the prevalence for guessing; NaN without positive cases.

    References
    ----------
    Davis & Goadrich (2006), who show why linear interpolation flatters.

    Examples
    --------
    >>> round(average_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.8333
    """
    return area_of(STEPS, y_true, y_score, sample_weight)


@_ranking(
    title="area under the PR curve (trapezoid)",
    form=TRAPEZOID,
    synonyms=("auprc_trapezoid", "pr_auc"),
    prevalence_dependent=True,
    reliable_n=50,
    cite="davis_goadrich2006",
    pitfalls=(
        "no threshold reaches the straight lines between the points of the curve",
        GUESSING,
    ),
)
def average_precision_trapezoid(
    y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Area under the precision-recall points joined by straight lines, from (0, 1) on.

    Unlike `average_precision` it counts points on those lines, which no system reaches.

    Parameters
    ----------
    y_true, y_score, sample_weight
        As for `average_precision`.

    Returns
    -------
    float
        In [0, 1]; NaN without positive cases.

    References
    ----------
    Davis & Goadrich (2006).

    Examples
    --------
    >>> round(average_precision_trapezoid([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.7917
    """
    return area_of(TRAPEZOID, y_true, y_score, sample_weight)


@_ranking(
    title="AP (101 points)",
    form=INTERPOLATED,
    synonyms=("ap101", "interpolated_ap"),
    prevalence_dependent=True,
    reliable_n=50,
    cite="lin2014",
    pitfalls=(
        "takes the best precision at any higher recall, which flatters small samples",
        GUESSING,
    ),
)
def average_precision_interpolated(
    y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Mean over the recalls 0, 0.01, ..., 1 of the best precision at that recall or above.

    Parameters
    ----------
    y_true, y_score, sample_weight
        As for `average_precision`.

    Returns
    -------
    float
        In [0, 1]; NaN without positive cases.

    References
    ----------
    Lin et al. (2014), for detections.

    Examples
    --------
    >>> round(average_precision_interpolated([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.835
    """
    return area_of(INTERPOLATED, y_true, y_score, sample_weight)


# The catalogue lists these, in this order.
DECLARED = (auroc, average_precision, average_precision_trapezoid, average_precision_interpolated)
