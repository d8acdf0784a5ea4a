"""The rule by which detections are matched: what was chosen, else what is usual for their kind."""

from __future__ import annotations

from collections.abc import Sequence

from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.kinds import Better
from halfwidth.core.objects import ObjectSet, Unit
from halfwidth.core.option_names import spelled
from halfwidth.detection.estimation.matchings import ADMITS, Matching
from halfwidth.detection.estimation.requested_metrics import RequestedMetric
from halfwidth.detection.estimation.thresholds import (
    COCO_THRESHOLDS,
    parse_thresholds,
)
from halfwidth.detection.forms.declared import ImageSums
from halfwidth.detection.matching.match_lists import MatchingRule
from halfwidth.detection.matching.words import matching_text
from halfwidth.detection.metrics.all_criteria import ASSIGNMENTS, LOCALISATIONS
from halfwidth.detection.metrics.assignment import greedy_by_localisation, greedy_by_score
from halfwidth.detection.metrics.localisation import LocalisationSpec
from halfwidth.detection.metrics.representations import Known, holds

# What objects are matched by where the user does not say, given what is known of both sides.
USUAL = (
    (Known.BOXES, Known.BOXES, "box_iou"),
    (Known.MASKS, Known.MASKS, "mask_iou"),
    (Known.POINTS, Known.BALLS, "centre_in_radius"),
    (Known.POINTS, Known.MASKS, "point_in_mask"),
    (Known.POINTS, Known.BOXES, "point_in_box"),
    (Known.BOXES, Known.MASKS, "approximate_iou"),
    (Known.MASKS, Known.BOXES, "approximate_iou"),
    (Known.POINTS, Known.POINTS, "centre_distance"),
)
# Average recall is over these, which at a single threshold is the sensitivity, and so is mAP.
COCO_RANGE = parse_thresholds(COCO_THRESHOLDS)


def known_of_set(objects: ObjectSet) -> list[Known]:
    """The ways in which all objects of all images are given."""
    filled = [one for one in objects.objects if len(one)]
    return [way for way in Known if all(holds(one, way) for one in filled)]


def usual_localisation(detections: ObjectSet, references: ObjectSet) -> LocalisationSpec:
    """What the objects of two sets are matched by unless the user says otherwise."""
    detected, referenced = known_of_set(detections), known_of_set(references)
    for one, other, name in USUAL:
        if one in detected and other in referenced and name in LOCALISATIONS:
            return LOCALISATIONS[name]
    raise DataError(
        f"no criterion matches detections of {_ways(detected)} with references of "
        f"{_ways(referenced)}; there are {', '.join(LOCALISATIONS.names)} "
        f"({spelled('localisation')})"
    )


def _ways(known: Sequence[Known]) -> str:
    return " and ".join(known) or "classes alone"


def rule_for(
    requested: RequestedMetric,
    matching: Matching,
    usual: LocalisationSpec,
    detections: ObjectSet,
) -> MatchingRule:
    """The rule of the matching that a metric is computed by."""
    form = requested.metric.form
    defined = form.assignment if isinstance(form, ImageSums) else ""
    greedy = greedy_by_score if is_scored(detections) else greedy_by_localisation
    strategy = ASSIGNMENTS[matching.assignment or defined or greedy.__name__]
    only = LOCALISATIONS[strategy.localisation] if strategy.localisation else None
    chosen = matching.localisation
    criterion = LOCALISATIONS[chosen] if chosen is not None else only or usual
    thresholds = requested.thresholds or _usual_thresholds(requested, criterion, detections)
    if criterion.better is Better.HIGHER and max(thresholds) > 1:
        raise OptionError(
            f"{spelled('threshold', max(thresholds))}: {criterion.name} is at most 1; write 0.5 "
            "for 50 %"
        )
    usually = strategy.admits or criterion.admits
    admits = usually if matching.admits is None else ADMITS[matching.admits]
    return MatchingRule(
        criterion.name,
        strategy.name,
        thresholds,
        admits,
        matching.score_threshold,
        requested.max_detections,
        requested.area,
        matching.by_class,
        matching.duplicates == "ignored",
        matching.boundary_distance,
        **({} if matching.dilation is None else {"dilation": matching.dilation}),
    )


def is_scored(detections: ObjectSet) -> bool:
    """Whether all detections have scores."""
    return all(one.score is not None for one in detections.objects if len(one))


def _usual_thresholds(
    requested: RequestedMetric, criterion: LocalisationSpec, detections: ObjectSet
) -> tuple[float, ...]:
    if criterion.of_overlap and requested.over_thresholds:
        return COCO_RANGE or ()
    if criterion.threshold is not None:
        return (criterion.threshold,)
    raise OptionError(
        f"{criterion.name} needs a threshold, for example {spelled('threshold', 5)}: at most 5 "
        f"{_unit(criterion, detections) or 'pixels'} apart"
    )


def _unit(criterion: LocalisationSpec, objects: ObjectSet) -> str:
    """What the values of a criterion are in, of some objects; empty where they have no unit."""
    if not criterion.unit:
        return ""
    if objects.spacing is not None or objects.unit is Unit.MILLIMETRE:
        return "mm"
    return "image sides" if objects.unit is Unit.FRACTION else "pixels"


def prose_of(matching: MatchingRule, references: ObjectSet) -> str:
    """The choices in prose: ``box IoU ≥ 0.5, greedy by score``."""
    criterion = LOCALISATIONS[matching.localisation]
    return matching_text(
        matching,
        criterion.title,
        ASSIGNMENTS[matching.assignment].title,
        unit=_unit(criterion, references),
        has_threshold=not criterion.binary,
    )
