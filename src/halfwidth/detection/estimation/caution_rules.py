"""Caution rules for metrics of detections, besides those for all estimates."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.formatting import counted, rough_percent
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import ClassNeed
from halfwidth.core.types import Array
from halfwidth.data.repeat_cautions import patients_caution
from halfwidth.detection.estimation.context import DetectionContext, Units
from halfwidth.detection.estimation.metric_kinds import (
    counts_false_positives_per_image,
    falls_with_empty_images,
    needs_empty_images,
    needs_matches,
    penalty_of,
    weighs_images_alike,
)
from halfwidth.detection.estimation.score_caution_rules import score_cautions, subject_of_each
from halfwidth.detection.matching.match_lists import MatchLists, Outcome
from halfwidth.detection.metrics.tallies import by_class_and_image
from halfwidth.detection.results.estimate import DetectionEstimate
from halfwidth.estimation.caution_context import CautionContext
from halfwidth.estimation.test_sets.class_caution_rules import (
    OFTEN_MISSING,
    POLICY,
    without_a_value,
)
from halfwidth.estimation.test_sets.class_context import never_drawn
from halfwidth.results.estimate import Estimate

# Fewer images without objects than this share move a value by less than its interval is long.
SOME_EMPTY = 0.05
# False positives per image are of another kind of image where they differ so many times, by more
# than this many standard errors.
OTHER_RATE, ERRORS_APART = 1.5, 3.0
# Images or patients with objects of a class from which resamples of them say something: as of
# clusters, whose bootstraps hold from about twenty on (decision 0066).
FEW_WITH_OBJECTS = 20
# One unit that holds this share of the objects, and more than so many times its part.
FULL_SHARE, TIMES_ITS_PART = 0.2, 3.0
# Shares of the objects that make a caution.
SOME_TINY, SOME_RAGGED, SOME_LARGE = 0.05, 0.1, 0.1

# Why a class has no value, by what it needs; others lack what counts, as where all is ignored.
LACKS = {
    ClassNeed.CASES: "detected but never there",
    ClassNeed.PREDICTIONS: "there but never detected",
    ClassNeed.MATCHES: "never matched",
}
NOTHING_COUNTS = "without objects and detections that count"


@frozen(eq=False)
class DetectionCautions(DetectionContext):
    """What caution rules look at, and the estimate, its cautions and why it has no value."""

    @property
    def noun(self) -> str:
        """What an independent case is called."""
        return "image"

    def estimate(self, estimate: Estimate, /) -> DetectionEstimate:
        """The estimate with what is known of its detections."""
        return DetectionEstimate.from_estimate(
            estimate,
            matching=self.matching,
            matched_by=self.matched_by,
            n_empty=self.n_empty,
            n_objects=int(self.objects.sum()),
            n_detections=self.n_detections,
        )

    def cautions(self, context: CautionContext, /) -> Iterator[Caution | None]:
        """What the references and the detections of each detector call for."""
        e = context.estimate
        if not isinstance(e, DetectionEstimate):
            raise TypeError("only estimates of detections have matched detections")
        yield from _reference_cautions(e, self)
        for summary in (self.summary, *self.others):
            yield from _detector_cautions(e, replace(self, summary=summary))

    def why_undefined(self, estimate: Estimate, /) -> tuple[str, str]:
        """Why the metric has no value on the images, and what helps."""
        return _why_undefined(estimate, self)


def _reference_cautions(
    e: DetectionEstimate, context: DetectionContext
) -> Iterator[Caution | None]:
    """Images, the units they make up, their classes, and objects that are hard to match."""
    metric, summary = e.metric_spec, context.summary
    if falls_with_empty_images(metric) and context.counts_all_sizes:
        yield _empty_images(e, context)
    if not weighs_images_alike(metric):
        yield _one_full_unit(e, context)
    if summary.patients is not None:
        yield patients_caution(summary.lists.n_images, "images", *summary.patients)
    yield _few_with_objects(e, context)
    averaged = e.average in ("macro", "weighted")
    if e.method_spec.resamples and (averaged or e.average == "none"):
        yield _missing_from_resamples(e, context)
    if averaged:
        yield _without_objects(e, context)
    if needs_matches(metric):
        yield _tiny(context)
        ragged, total = summary.ragged or (0, 0)
        if ragged and ragged >= SOME_RAGGED * total:
            yield caution("HW876", count=ragged, total=total)
    yield _threshold_matters(e, context)


def _detector_cautions(e: DetectionEstimate, context: DetectionContext) -> Iterator[Caution | None]:
    """False positives, sizes and scores of detections, and what counts a penalty."""
    metric, summary = e.metric_spec, context.summary
    if counts_false_positives_per_image(metric) and context.counts_all_sizes:
        yield _case_mix(e, context)
    large, total = summary.large
    if large and large >= SOME_LARGE * total and needs_matches(metric):
        yield caution("HW883", count=large, total=total, criterion=summary.criterion.title)
    yield from score_cautions(e, context)
    penalty, (missed, spurious) = penalty_of(metric), context.unmatched
    if penalty is not None and missed + spurious:
        yield caution(
            "HW884",
            missed=counted(missed, "missed object"),
            spurious=counted(spurious, "false positive"),
            total=counted(int(context.objects.sum()) + spurious, "object"),
            penalty=f"{penalty:g} {metric.unit}".strip(),
        )


# --------------------------------------------------------------------------- images


def _empty_images(e: DetectionEstimate, context: DetectionContext) -> Caution | None:
    lists = context.summary.lists
    empty = int((lists.n_references.sum(axis=1) == 0).sum())
    if not max(1, SOME_EMPTY * lists.n_images) <= empty < lists.n_images:
        return None
    return caution("HW871", count=empty, total=lists.n_images, what=subject_of_each(e))


def _case_mix(e: DetectionEstimate, context: DetectionContext) -> Caution | None:
    empty = context.summary.lists.n_references.sum(axis=1) == 0
    if not empty.any():
        count = len(empty)
        detail = f"All {count} images hold objects" if count > 1 else "The only image holds objects"
        return caution("HW872", detail=detail, what=e.subject)
    if empty.all():
        return None
    wrong = _false_positives(context)
    rates = [float(wrong[kind].mean()) for kind in (~empty, empty)]
    errors = [float(wrong[kind].var() / kind.sum()) for kind in (~empty, empty)]
    apart = abs(rates[0] - rates[1]) > ERRORS_APART * math.sqrt(sum(errors))
    if not apart or max(rates) < OTHER_RATE * min(rates):
        return None
    detail = (
        f"{rates[0]:.2g} false positives per image with objects, {rates[1]:.2g} per image without"
    )
    return caution("HW872", detail=detail, what=e.subject)


def _false_positives(context: DetectionContext) -> Array:
    """False positives in each image; of scored ones the first, one per image on average."""
    lists = context.summary.lists
    wrong = lists.outcome[_place(context)] == Outcome.FALSE_POSITIVE
    if context.which is not None:
        wrong &= lists.category == context.which
    places = np.flatnonzero(wrong)
    if lists.score is not None and len(places) > lists.n_images:
        places = places[np.argsort(-lists.score[places], kind="stable")[: lists.n_images]]
    return np.bincount(lists.image[places], minlength=lists.n_images).astype(float)


def _place(context: DetectionContext) -> int:
    """The place of the estimate's first threshold among those of the lists."""
    return context.summary.lists.matching.thresholds.index(context.matching.thresholds[0])


# --------------------------------------------------------------------------- objects of units


def _one_full_unit(e: DetectionEstimate, context: DetectionContext) -> Caution | None:
    units, each = context.summary.units, context.objects.sum(axis=1)
    held, total = units.sums(each), int(each.sum())
    if len(held) < 2 or not total:
        return None
    fullest = int(held.argmax())
    share = held[fullest] / total
    if share < max(FULL_SHARE, TIMES_ITS_PART / np.count_nonzero(held)):
        return None
    noun = "Patient or cluster" if units.grouped else "Image"
    return caution(
        "HW873",
        unit=f"{noun} {units.names[fullest]!r}",
        share=rough_percent(float(share)),
        total=total,
        what=e.subject,
    )


def _few_with_objects(e: DetectionEstimate, context: DetectionContext) -> Caution | None:
    """Few images with objects of the rarest class, where each has a voice; else of all."""
    each = context.objects
    one_class = e.average in ("none", None) or each.shape[1] == 1
    by_class = e.average in ("macro", "weighted") or one_class
    counts = each if by_class else each.sum(axis=1, keepdims=True)
    units = context.summary.units
    held = (units.sums(counts) > 0).sum(axis=0)
    # Where all images hold objects, HW201 says that there are few.
    few = np.flatnonzero((held > 0) & (held < min(FEW_WITH_OBJECTS, len(units.names))))
    if not len(few):
        return None
    least = int(few[held[few].argmin()])
    noun = "cluster" if units.grouped else "image"
    others, labels = len(few) - 1, context.summary.lists.classes
    which = least if context.which is None else context.which
    name = f"Class {labels[which]!r}" if by_class and len(labels) > 1 else "All classes together"
    return caution(
        "HW882",
        name=name if len(labels) > 1 else "Few objects",
        count=counted(int(held[least]), noun),
        more=f", and {others} more class{'es' if others > 1 else ''} as rare" if others else "",
        what=e.subject,
        needed=f"{FEW_WITH_OBJECTS} {noun}s",
    )


# --------------------------------------------------------------------------- classes


def _missing_from_resamples(e: DetectionEstimate, context: DetectionContext) -> Caution | None:
    counts = _giving_a_value(e, context)
    if context.which is not None:
        counts = counts[:, [context.which]]
    missing = _never_drawn(counts, context.summary.units)
    worst = int(missing.argmax())
    if not missing[worst] > OFTEN_MISSING:
        return None
    labels = context.summary.lists.classes
    averaged = e.average in ("macro", "weighted")
    return caution(
        "HW205",
        label=labels[worst if context.which is None else context.which],
        share=rough_percent(float(missing[worst])),
        policy=POLICY[context.absent] if averaged else "the metric is undefined",
    )


def _giving_a_value(e: DetectionEstimate, context: DetectionContext) -> NDArray[np.intp]:
    """What gives a class a value: its objects, detections or matches in each image, (n, C)."""
    lists, needs = context.summary.lists, e.metric_spec.spec.class_needs
    if needs is ClassNeed.CASES:
        return lists.n_references
    outcome = lists.outcome[_place(context)]
    if needs is ClassNeed.MATCHES and penalty_of(e.metric_spec) is None:
        return _in_images(lists, outcome == Outcome.TRUE_POSITIVE)
    detected = _in_images(lists, outcome != Outcome.IGNORED)
    if needs is ClassNeed.NOTHING:
        return np.ones_like(detected)
    return detected if needs is ClassNeed.PREDICTIONS else detected + lists.n_references


def _in_images(lists: MatchLists, which: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Some of the detections, counted by image and class, (n, C)."""
    return np.rint(by_class_and_image(lists, which)).astype(np.intp).T


def _never_drawn(objects: NDArray[np.intp], units: Units) -> Array:
    """Probability that a resample holds no object of each class, for classes that have some."""
    held = units.sums(objects) > 0
    strata = int(units.strata.max(initial=0)) + 1
    by_stratum = np.zeros((strata, held.shape[1]), dtype=np.intp)
    np.add.at(by_stratum, units.strata, held.astype(np.intp))
    missing = never_drawn(by_stratum, np.bincount(units.strata, minlength=strata))
    return np.where(held.any(axis=0), missing, 0.0)


def _without_objects(e: DetectionEstimate, context: DetectionContext) -> Caution | None:
    lists = context.summary.lists
    there = lists.n_references.sum(axis=0) > 0
    # Of a class that is neither to be found nor detected nobody says anything.
    none = there | (np.bincount(lists.category, minlength=len(there)) > 0)
    none &= _giving_a_value(e, context).sum(axis=0) == 0
    names = [repr(label) for label, lacks in zip(lists.classes, none, strict=True) if lacks]
    why = LACKS.get(e.metric_spec.spec.class_needs, NOTHING_COUNTS)
    return (
        without_a_value(names, len(lists.classes), why, POLICY[context.absent]) if names else None
    )


# --------------------------------------------------------------------------- localisation


def _tiny(context: DetectionContext) -> Caution | None:
    shifted = context.summary.shifted
    if not context.summary.criterion.of_overlap or not len(shifted):
        return None
    thresholds = context.matching.thresholds
    threshold = thresholds[(len(thresholds) - 1) // 2]
    tiny = int((shifted < threshold).sum())
    if tiny < SOME_TINY * len(shifted):
        return None
    return caution("HW875", count=tiny, total=len(shifted), threshold=threshold)


def _threshold_matters(e: DetectionEstimate, context: DetectionContext) -> Caution | None:
    if math.isnan(e.low) or math.isnan(e.high):
        return None
    beyond = [
        (threshold, value)
        for threshold, value in context.neighbours
        if not math.isnan(value) and not e.low <= value <= e.high
    ]
    if not beyond:
        return None
    criterion = context.summary.criterion
    return caution(
        "HW880",
        what=e.subject,
        value=e.text_of(e.value),
        at=f"{criterion.title} {context.matching.admits} {context.matching.thresholds[0]:g}",
        others=" and ".join(f"{e.text_of(value)} at {threshold:g}" for threshold, value in beyond),
    )


def _why_undefined(e: Estimate, context: DetectionContext) -> tuple[str, str]:
    """Why a metric has no value on the images, and what helps."""
    objects = context.objects.sum()
    if not objects:
        return "there is no object to be found", "look at the classes and sizes that count"
    if needs_empty_images(e.metric_spec) and not context.n_empty:
        return (
            f"all images hold objects, and the {e.subject} compares these with images without any",
            "add such images, or use froc_score",
        )
    if not context.n_detections:
        return "there is no detection", "use object_sensitivity"
    return f"the {e.subject} of these images is undefined", "collect more images"
