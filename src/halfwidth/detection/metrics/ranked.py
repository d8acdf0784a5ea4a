"""Metrics of detections ranked by their score: AP, FROC and AFROC."""

from __future__ import annotations

import functools
import math
from typing import Literal

import numpy as np

from halfwidth.core.errors import OptionError
from halfwidth.core.parameters import Parameter
from halfwidth.core.spec import Better, MetricLevel, Takes, metric
from halfwidth.core.types import UNIT_INTERVAL, Array
from halfwidth.detection.arithmetic.match_curves import (
    AveragePrecision,
    LesionConcordance,
    MeanSensitivity,
)
from halfwidth.detection.arithmetic.match_records import ScoreRecords, Unpack
from halfwidth.detection.forms.declared import MatchCurve
from halfwidth.detection.matching.match_lists import MatchLists

__all__ = ["afroc_auc", "ap", "froc_score", "sensitivity_at_fppi", "wafroc_auc"]

COCO, ALL_POINTS = 0.0, 1.0
LINEAR, STEPS = 0.0, 1.0
RECALLS = Parameter(
    "interpolation",
    COCO,
    "coco: mean over the recalls 0, 0.01, ..., 1; all_points: area under all steps",
    choices=(COCO, ALL_POINTS),
    words=(("coco", COCO), ("all_points", ALL_POINTS)),
)
BETWEEN_POINTS = Parameter(
    "interpolation",
    LINEAR,
    "linear: lines join the points of the curve; steps: the best with no more false positives",
    choices=(LINEAR, STEPS),
    words=(("linear", LINEAR), ("steps", STEPS)),
)
LOWEST = Parameter("lowest", 0.125, "fewest false positives per image", at_least=1e-3)
HIGHEST = Parameter("highest", 8.0, "most false positives per image", at_most=1e4)
FPPI = Parameter("fppi", 1.0, "false positives per image", at_least=1e-3, at_most=1e4)

_ranked = functools.partial(
    metric,
    level=MetricLevel.SAMPLE,
    takes=Takes.MATCHES,
    family="detection",
    bounds=UNIT_INTERVAL,
    better=Better.HIGHER,
    averages=("macro", "micro", "weighted", "none"),
    reliable_n=50,
)


# Names by which AP is the mean over COCO's thresholds of overlap, unless others are asked for.
OVER_THRESHOLDS = ("mean_ap", "map", "mean_average_precision", "coco_ap")
# Pitfalls that several share.
NEEDS_NORMAL_IMAGES = "needs images without objects"
WORST_MARK_ONLY = (
    "counts only the highest-scoring false positive of an image: further ones cost nothing"
)


def by_class(curve: MatchCurve, matches: MatchLists) -> Array:
    """The mean over the thresholds for each class, (C,)."""
    unpack = Unpack(len(matches.classes), len(matches.outcome))
    once = np.ones((1, matches.n_images), np.int64)
    each = unpack(ScoreRecords()(matches))
    return np.array([curve.values(one, once).mean() for one in each])


def _coded(parameter: Parameter, value: str | float) -> float:
    return parameter.check(value, "interpolation")


# --------------------------------------------------------------------------- precision and recall


def _precision_curve(interpolation: float = COCO) -> MatchCurve:
    return MatchCurve(AveragePrecision(interpolation == ALL_POINTS), "precision")


@_ranked(
    title="AP",
    form=_precision_curve,
    parameters=(RECALLS,),
    synonyms=OVER_THRESHOLDS,
    prevalence_dependent=True,
    cite="lin2014",
    pitfalls=(
        "means nothing without its localisation, threshold and interpolation",
        "cutting detections at a score or a number cuts off the end of the curve",
        "says nothing about the score threshold at which one would work",
    ),
)
def ap(
    matches: MatchLists, *, interpolation: Literal["coco", "all_points"] | float = "coco"
) -> Array:
    """Average precision of each class, averaged over the thresholds of localisation.

    The curve is the best precision at a recall or any higher one. Detections of equal score are
    taken in the order of the images, and of the detections in each, as COCO does.

    Parameters
    ----------
    matches : MatchLists
    interpolation : {"coco", "all_points"}
        Its mean over the recalls 0, 0.01, ..., 1, or the area under all of its steps.

    Returns
    -------
    ndarray, shape (C,)
        In [0, 1]; NaN for a class without an object to be found.

    References
    ----------
    Lin et al. (2014); Everingham et al. (2015) for all points.
    """
    return by_class(_precision_curve(_coded(RECALLS, interpolation)), matches)


# --------------------------------------------------------------------------- FROC


def _doubling(lowest: float, highest: float) -> tuple[float, ...]:
    """Levels from the lowest to the highest, each twice the one before."""
    if lowest > highest:
        raise OptionError(f"froc_score: lowest={lowest:g} is above highest={highest:g}")
    steps = math.floor(math.log2(highest / lowest) + 1e-9)
    return tuple(lowest * 2.0**step for step in range(steps + 1))


def _score_curve(
    interpolation: float = LINEAR,
    lowest: float = 0.125,
    highest: float = 8.0,
) -> MatchCurve:
    return MatchCurve(MeanSensitivity(_doubling(lowest, highest), interpolation == STEPS), "froc")


@_ranked(
    title="FROC score",
    form=_score_curve,
    parameters=(BETWEEN_POINTS, LOWEST, HIGHEST),
    synonyms=(
        *("cpm", "froc", "competition_performance_metric"),
        *("free_response_receiver_operating_characteristic", "free_response_roc"),
    ),
    cite="van_ginneken2010",
    pitfalls=(
        "seven false-positive rates count alike, whichever of them matters in use",
        (
            "past the last detection it goes on with the sensitivity reached there, though no "
            "score threshold gives so many false positives"
        ),
    ),
)
def froc_score(
    matches: MatchLists,
    *,
    interpolation: Literal["linear", "steps"] | float = "linear",
    lowest: float = 0.125,
    highest: float = 8.0,
) -> Array:
    """Mean sensitivity at 1/8, 1/4, 1/2, 1, 2, 4 and 8 false positives per image, of each class.

    Straight lines join the points of all scores that occur, as in the evaluations of LUNA16 and
    CAMELYON16 (whose lowest level is 1/4); with ``steps`` it is what was reached with no more
    false positives. Beyond the last point the sensitivity stays as it is.

    Parameters
    ----------
    matches : MatchLists
    interpolation : {"linear", "steps"}
    lowest, highest : float
        Levels of false positives per image, from the lowest on twice as many each time.

    Returns
    -------
    ndarray, shape (C,)
        In [0, 1]; NaN for a class without an object to be found.

    References
    ----------
    van Ginneken et al. (2010); Setio et al. (2017) for LUNA16, Ehteshami Bejnordi et al. (2017)
    for CAMELYON16.
    """
    curve = _score_curve(_coded(BETWEEN_POINTS, interpolation), lowest, highest)
    return by_class(curve, matches)


def _level_curve(fppi: float = 1.0, interpolation: float = LINEAR) -> MatchCurve:
    return MatchCurve(MeanSensitivity((fppi,), interpolation == STEPS), "froc")


@_ranked(
    title="sensitivity at FPPI",
    form=_level_curve,
    parameters=(FPPI, BETWEEN_POINTS),
    synonyms=("froc_sensitivity",),
    cite="van_ginneken2010",
    pitfalls=("the score that gives this rate is chosen on the same images",),
)
def sensitivity_at_fppi(
    matches: MatchLists,
    *,
    fppi: float = 1.0,
    interpolation: Literal["linear", "steps"] | float = "linear",
) -> Array:
    """Sensitivity of each class at a given number of false positives per image.

    Parameters
    ----------
    matches : MatchLists
    fppi : float
        False positives per image.
    interpolation : {"linear", "steps"}
        As for `froc_score`.

    Returns
    -------
    ndarray, shape (C,)
        In [0, 1]; NaN for a class without an object to be found.

    References
    ----------
    van Ginneken et al. (2010).
    """
    return by_class(_level_curve(fppi, _coded(BETWEEN_POINTS, interpolation)), matches)


# --------------------------------------------------------------------------- AFROC


@_ranked(
    title="AFROC AUC",
    form=MatchCurve(LesionConcordance(), "afroc"),
    synonyms=("afroc",),
    cite="chakraborty_berbaum2004",
    pitfalls=(
        NEEDS_NORMAL_IMAGES,
        WORST_MARK_ONLY,
    ),
)
def afroc_auc(matches: MatchLists) -> Array:
    """Probability that a lesion scores above the highest false positive of a normal image.

    P(score of a lesion > highest false positive of an image without lesions) + ½ P(equal): the
    area under the share of lesions found against the share of such images with a false positive.
    Lesions that are not found, and images without a mark, score lowest. For each class.

    Parameters
    ----------
    matches : MatchLists

    Returns
    -------
    ndarray, shape (C,)
        In [0, 1]; NaN for a class without a lesion or without an image that has none.

    References
    ----------
    Chakraborty & Berbaum (2004).
    """
    return by_class(MatchCurve(LesionConcordance()), matches)


@_ranked(
    title="wAFROC AUC",
    form=MatchCurve(LesionConcordance(by_image=True), "afroc"),
    synonyms=("wafroc",),
    cite="chakraborty_zhai2016",
    pitfalls=(
        NEEDS_NORMAL_IMAGES,
        WORST_MARK_ONLY,
    ),
)
def wafroc_auc(matches: MatchLists) -> Array:
    """AFROC AUC in which the lesions of an image share a weight of 1.

    Parameters
    ----------
    matches : MatchLists

    Returns
    -------
    ndarray, shape (C,)
        In [0, 1]; NaN for a class without a lesion or without an image that has none.

    References
    ----------
    Chakraborty & Zhai (2016).
    """
    return by_class(MatchCurve(LesionConcordance(by_image=True)), matches)


# The catalogue lists these, in this order.
DECLARED = (ap, froc_score, sensitivity_at_fppi, afroc_auc, wafroc_auc)
