"""What kinds of metrics of detections there are, as caution rules tell them apart."""

from __future__ import annotations

from halfwidth.core.detection_forms import ImageSums
from halfwidth.core.match_lists import MatchLists
from halfwidth.core.spec import Metric, spec_of
from halfwidth.metrics.detection.lesions import LesionMeans
from halfwidth.metrics.detection.object_counts import fppi
from halfwidth.metrics.detection.ranked import (
    afroc_auc,
    froc_score,
    sensitivity_at_fppi,
    wafroc_auc,
)

BY_RATE = frozenset(spec_of(one).name for one in (fppi, froc_score, sensitivity_at_fppi))
BY_IMAGE = frozenset(spec_of(one).name for one in (fppi, wafroc_auc))
OF_EMPTY_IMAGES = frozenset(spec_of(one).name for one in (afroc_auc, wafroc_auc))


def needs_empty_images(metric: Metric) -> bool:
    """Whether false positives on images without objects alone count."""
    return metric.spec.name in OF_EMPTY_IMAGES


def falls_with_empty_images(metric: Metric) -> bool:
    """Whether false positives on images without objects lower it."""
    return metric.spec.prevalence_dependent


def counts_false_positives_per_image(metric: Metric) -> bool:
    """Whether it counts false positives by images, whatever these hold."""
    return metric.spec.name in BY_RATE


def is_counting(metric: Metric) -> bool:
    """Whether it is of a fixed set of detections."""
    form = metric.form
    return isinstance(form, ImageSums) and not form.measured


def weighs_images_alike(metric: Metric) -> bool:
    """Whether an image counts as much as any other, however many objects it holds."""
    form = metric.form
    by_mean = isinstance(form, ImageSums) and isinstance(form.counts, LesionMeans)
    return metric.spec.name in BY_IMAGE or by_mean


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
