"""Metrics of objects that are found, missed and made up, at one threshold of the score.

They are functions of the sums of ``tp, fn, fp`` over images; no object is a true negative.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

from halfwidth.arithmetic.confusion_tables import ratio
from halfwidth.core.spec import Better, ClassNeed, Estimand, MetricLevel, Takes, metric, spec_of
from halfwidth.core.types import UNIT_INTERVAL, Array, Bounds, Numbers
from halfwidth.detection.forms.declared import ImageSums
from halfwidth.detection.metrics.tallies import OfSums, mean_outcomes, outcomes
from halfwidth.metrics.counting import BETA, f1, f_beta
from halfwidth.metrics.rates import ppv, sensitivity

__all__ = ["ar", "fppi", "object_f_beta", "object_ppv", "object_sensitivity"]

AVERAGES = ("macro", "micro", "weighted", "none")

of_objects = functools.partial(
    metric,
    level=MetricLevel.SAMPLE,
    family="detection",
    takes=Takes.MATCHES,
    estimand=Estimand.OTHER,
    better=Better.HIGHER,
    bounds=UNIT_INTERVAL,
    averages=AVERAGES,
)


# Pitfalls that several share.
DEPENDS_ON_SCORE = "depends on the score from which detections count"


def _names(*functions: Callable[..., object]) -> tuple[str, ...]:
    """What the same metric of cases is called, which is meant here where objects are."""
    specs = [spec_of(function) for function in functions]
    return tuple(name for spec in specs for name in (spec.name, *spec.synonyms))


def _found_among_references() -> ImageSums:
    return ImageSums(mean_outcomes, OfSums(object_sensitivity), ((1.0, 0.0), (1.0, 1.0)))


@of_objects(
    title="object sensitivity",
    form=_found_among_references,
    synonyms=_names(sensitivity),
    cite="maier_hein2024",
    pitfalls=(
        DEPENDS_ON_SCORE,
        "marking everything finds everything: read it together with false positives per image",
    ),
)
def object_sensitivity(tp: Numbers, fn: Numbers) -> Numbers:
    """Share of the reference objects that are found, TP / (TP + FN); in [0, 1].

    Over several thresholds of localisation it is the mean, which is `ar`.

    Parameters
    ----------
    tp, fn : ndarray, same shape
        Sums over images.

    Returns
    -------
    ndarray
        NaN where there is nothing to be found.

    References
    ----------
    Maier-Hein et al. (2024).

    Examples
    --------
    >>> float(object_sensitivity(45, 5))
    0.9
    """
    return ratio(tp, tp + fn)


def _found_among_detections() -> ImageSums:
    return ImageSums(outcomes, OfSums(object_ppv), ((1.0, 0.0, 0.0), (1.0, 0.0, 1.0)))


@of_objects(
    title="object PPV",
    form=_found_among_detections,
    class_needs=ClassNeed.PREDICTIONS,
    prevalence_dependent=True,
    synonyms=_names(ppv),
    cite="maier_hein2024",
    pitfalls=(
        DEPENDS_ON_SCORE,
        "says nothing about what is missed",
    ),
)
def object_ppv(tp: Numbers, fn: Numbers, fp: Numbers) -> Numbers:  # noqa: ARG001 -- as of others
    """Share of the detections that lie on an object, TP / (TP + FP); in [0, 1].

    Parameters
    ----------
    tp, fn, fp : ndarray, same shape
        Sums over images. Ignored detections, as those in crowds, are neither.

    Returns
    -------
    ndarray
        NaN where nothing is detected.

    References
    ----------
    Maier-Hein et al. (2024).

    Examples
    --------
    >>> float(object_ppv(45, 5, 15))
    0.75
    """
    return ratio(tp, tp + fp)


def _weighted_harmonic_mean(beta: float = 1.0) -> ImageSums:
    square = beta**2
    weights = (1 + square, 0.0, 0.0), (1 + square, square, 1.0)
    return ImageSums(outcomes, OfSums(object_f_beta, (("beta", beta),)), weights)


@of_objects(
    title="object Fβ",
    form=_weighted_harmonic_mean,
    class_needs=ClassNeed.EITHER,
    parameters=(BETA,),
    prevalence_dependent=True,
    reliable_n=50,
    synonyms=(*_names(f1, f_beta), "object_f1"),
    cite="van_rijsbergen1979",
    pitfalls=(DEPENDS_ON_SCORE,),
)
def object_f_beta(tp: Numbers, fn: Numbers, fp: Numbers, *, beta: float = 1.0) -> Numbers:
    """Weighted harmonic mean of PPV and sensitivity, (1 + β²)TP / ((1 + β²)TP + β²FN + FP).

    Parameters
    ----------
    tp, fn, fp : ndarray, same shape
        Sums over images.
    beta : float
        Weight of sensitivity against PPV; 1 gives the F1 score.

    Returns
    -------
    ndarray
        In [0, 1]; NaN where there is neither an object nor a detection.

    References
    ----------
    Van Rijsbergen (1979).

    Examples
    --------
    >>> float(object_f_beta(45, 5, 15).round(3)), float(object_f_beta(45, 5, 15, beta=2).round(3))
    (0.818, 0.865)
    """
    square = beta**2
    hits = (1 + square) * tp
    return ratio(hits, hits + square * fn + fp)


def _per_image(n: Numbers, sums: Numbers) -> Array:
    return fppi(sums[..., 2], n)


def _false_positives() -> ImageSums:
    return ImageSums(outcomes, _per_image)


@of_objects(
    title="FPPI",
    form=_false_positives,
    estimand=Estimand.RATE,
    better=Better.LOWER,
    bounds=Bounds(0.0, math.inf),
    # False alarms of any class are what a reader of an image has to look at.
    averages=("micro", "macro", "none"),
    class_needs=ClassNeed.NOTHING,
    synonyms=("false_positives_per_image", "false_positives_per_scan", "fp_per_image"),
    cite="van_ginneken2010",
    pitfalls=(
        DEPENDS_ON_SCORE,
        "one image with very many false positives can decide it",
    ),
)
def fppi(fp: Numbers, images: Numbers) -> Array:
    """False positives per image, FP / n; at least 0, lower is better.

    Parameters
    ----------
    fp : ndarray
        Sum over images, those without objects among them.
    images : ndarray
        How many there are, whether anything was detected in them or not.

    Returns
    -------
    ndarray
        Pooled over classes unless an average is named; never undefined.

    References
    ----------
    Van Ginneken et al. (2010).

    Examples
    --------
    >>> float(fppi(15, 60))
    0.25
    """
    return ratio(fp, images)


def _recall() -> ImageSums:
    return ImageSums(mean_outcomes, OfSums(ar), ((1.0, 0.0), (1.0, 1.0)))


@of_objects(
    title="AR",
    form=_recall,
    synonyms=("average_recall", "mean_average_recall"),
    cite="lin2014",
    pitfalls=("ignores false positives",),
)
def ar(tp: Numbers, fn: Numbers) -> Numbers:
    """Average recall: the sensitivity of all detections, its mean over thresholds; in [0, 1].

    As COCO has it: of at most so many detections of an image and a class (``max_detections``), the
    mean over the thresholds of localisation and over classes.

    Parameters
    ----------
    tp, fn : ndarray, same shape
        Sums over images of the means over thresholds.

    Returns
    -------
    ndarray
        NaN where there is nothing to be found.

    References
    ----------
    Lin et al. (2014).

    Examples
    --------
    >>> float(ar(45, 15))
    0.75
    """
    return ratio(tp, tp + fn)


# The catalogue lists these, in this order.
DECLARED = (object_sensitivity, object_ppv, object_f_beta, fppi, ar)
