"""What kinds of metrics of detections there are, as caution rules tell them apart."""

from __future__ import annotations

from typing import Any

from halfwidth.core.spec import Metric
from halfwidth.detection.arithmetic.match_curves import LesionConcordance, MeanSensitivity
from halfwidth.detection.forms.declared import ImageSums, MatchCurve
from halfwidth.detection.matching.match_lists import MatchLists
from halfwidth.detection.metrics.lesions import LesionMeans
from halfwidth.detection.metrics.object_counts import fppi


def _curve(metric: Metric) -> Any:
    """What its curve is averaged by; None where it is of none."""
    return metric.form.values if isinstance(metric.form, MatchCurve) else None


def needs_empty_images(metric: Metric) -> bool:
    """Whether false positives on images without objects alone count."""
    return isinstance(_curve(metric), LesionConcordance)


def falls_with_empty_images(metric: Metric) -> bool:
    """Whether false positives on images without objects lower it."""
    return metric.spec.prevalence_dependent


def counts_false_positives_per_image(metric: Metric) -> bool:
    """Whether it counts false positives by images, whatever these hold."""
    return isinstance(_curve(metric), MeanSensitivity) or metric.spec.name == fppi.__name__


def is_counting(metric: Metric) -> bool:
    """Whether it is of a fixed set of detections."""
    form = metric.form
    return isinstance(form, ImageSums) and not form.measured


def weighs_images_alike(metric: Metric) -> bool:
    """Whether an image counts as much as any other, however many objects it holds."""
    form, curve = metric.form, _curve(metric)
    if isinstance(curve, LesionConcordance):
        return curve.by_image
    by_mean = isinstance(form, ImageSums) and isinstance(form.counts, LesionMeans)
    return by_mean or metric.spec.name == fppi.__name__


def needs_matches(metric: Metric) -> bool:
    """Whether it depends on which detection is whose."""
    form = metric.form
    return not isinstance(form, ImageSums) or form.matches


def unmatched(metric: Metric, lists: MatchLists, which: int | None) -> tuple[int, int]:
    """Objects missed and false positives, of one class or all, where each counts a penalty."""
    form = metric.form
    if penalty_of(metric) is None or not isinstance(form, ImageSums):
        return 0, 0
    by_class = form.counts.unmatched(lists).sum(axis=-1)  # type: ignore[attr-defined]
    missed, spurious = by_class.sum(axis=1) if which is None else by_class[:, which]
    return int(missed), int(spurious)


def penalty_of(metric: Metric) -> float | None:
    """What an object counts that is missed or made up; None where it counts nothing by itself."""
    form = metric.form
    instead = getattr(form.counts, "instead", None) if isinstance(form, ImageSums) else None
    return None if instead is None else float(instead)
