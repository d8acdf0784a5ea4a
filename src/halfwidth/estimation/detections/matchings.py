"""How detections are to be matched: what the user chose, and what is usual for their kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from halfwidth.core.catalogue import Catalogue, N
from halfwidth.core.checks import as_count, as_flag, as_number, one_of
from halfwidth.core.detection_forms import ImageSums
from halfwidth.core.errors import DataError, OptionError, UnknownNameError
from halfwidth.core.frozen import frozen
from halfwidth.core.kinds import Better
from halfwidth.core.match_lists import Admits, MatchingRule
from halfwidth.core.matching_words import matching_text
from halfwidth.core.objects import ObjectSet, Unit
from halfwidth.core.options import spelled
from halfwidth.estimation.detections.requested_metrics import RequestedMetric
from halfwidth.estimation.detections.thresholds import COCO_THRESHOLDS, parse_thresholds
from halfwidth.metrics.detection.assignment import greedy_by_localisation, greedy_by_score
from halfwidth.metrics.detection.catalogue import ASSIGNMENTS, LOCALISATIONS
from halfwidth.metrics.detection.localisation import LocalisationSpec
from halfwidth.metrics.detection.object_counts import ar
from halfwidth.metrics.detection.representations import Known, holds

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
# The words for what admits a match, as they can be typed.
ADMITS = {
    "at_least": Admits.AT_LEAST,
    "above": Admits.ABOVE,
    "at_most": Admits.AT_MOST,
    "below": Admits.BELOW,
    ">=": Admits.AT_LEAST,
    "<=": Admits.AT_MOST,
    **{str(one): one for one in Admits},
}
# Average recall is over these; at a single threshold it is the sensitivity.
COCO_RECALL = parse_thresholds(COCO_THRESHOLDS)
DUPLICATES = ("false_positive", "ignored")


@frozen(eq=False)
class MatchingOptions:
    """What the user chose of a matching, checked; None where nothing was said."""

    localisation: LocalisationSpec | None
    assignment: str | None
    admits: Admits | None
    score_threshold: float | None
    max_detections: int | None
    by_class: bool
    duplicates_ignored: bool
    boundary_distance: float | None
    dilation: int | None
    by_threshold: bool


def matching_options(
    *,
    localisation: Any = None,
    assignment: Any = None,
    admits: Any = None,
    score_threshold: Any = None,
    max_detections: Any = None,
    by_class: Any = True,
    duplicates: Any = "false_positive",
    boundary_distance: Any = None,
    dilation: Any = None,
    by_threshold: Any = False,
) -> MatchingOptions:
    """Check what can be checked without data."""
    one_of("duplicates", duplicates, DUPLICATES)
    return MatchingOptions(
        None if localisation is None else _named("localisation", localisation, LOCALISATIONS),
        None if assignment is None else _named("assignment", assignment, ASSIGNMENTS).name,
        _admits(admits),
        None if score_threshold is None else as_number("score_threshold", score_threshold),
        _count("max_detections", max_detections, 1),
        as_flag("by_class", by_class),
        duplicates == "ignored",
        _distance(boundary_distance),
        _count("dilation", dilation, 0),
        as_flag("by_threshold", by_threshold),
    )


def _named(option: str, given: Any, catalogue: Catalogue[N]) -> N:
    """What a name means; a part of several names, such as ``iou``, is told to be one."""
    if not isinstance(given, str):
        raise OptionError(f"{spelled(option, given)} is no name")
    several = [name for name in catalogue.names if given.lower() in name.split("_")]
    if given not in catalogue and len(several) > 1:
        raise OptionError(
            f"{spelled(option, given)} may be {', '.join(several[:-1])} or {several[-1]}; name "
            "one, or leave it out for what suits the objects"
        )
    return catalogue[given]


def _admits(given: Any) -> Admits | None:
    if given is None:
        return None
    if not isinstance(given, str) or given.strip().lower() not in ADMITS:
        raise UnknownNameError(
            f"way to admit a match ({spelled('admits')})", given, list(ADMITS)[:4]
        )
    return ADMITS[given.strip().lower()]


def _count(option: str, given: Any, least: int) -> int | None:
    if given is None:
        return None
    number = as_count(given)
    if number is None or number < least:
        raise OptionError(f"{spelled(option, given)} is not an integer from {least} up")
    return number


def _distance(given: Any) -> float | None:
    if given is None:
        return None
    number = as_number("boundary_distance", given)
    if number <= 0:
        raise OptionError(f"{spelled('boundary_distance', number)} is not above 0")
    return number


# --------------------------------------------------------------------------- with data


def known_of_set(objects: ObjectSet) -> list[Known]:
    """The ways in which all objects of all images are given."""
    filled = [one for one in objects.objects if len(one)]
    return [what for what in Known if all(holds(one, what) for one in filled)]


def usual_localisation(detections: ObjectSet, references: ObjectSet) -> LocalisationSpec:
    """What the objects of two sets are matched by unless the user says otherwise."""
    found, true = known_of_set(detections), known_of_set(references)
    for one, other, name in USUAL:
        if one in found and other in true and name in LOCALISATIONS:
            return LOCALISATIONS[name]
    raise DataError(
        f"no criterion matches detections of {_ways(found)} with references of {_ways(true)}; "
        f"there are {', '.join(LOCALISATIONS.names)} ({spelled('localisation')})"
    )


def _ways(known: Sequence[Known]) -> str:
    return " and ".join(known) or "classes alone"


def matching_for(
    requested: RequestedMetric,
    options: MatchingOptions,
    usual: LocalisationSpec,
    detections: ObjectSet,
) -> MatchingRule:
    """The matching that a metric is computed by."""
    form = requested.metric.form
    defined = form.assignment if isinstance(form, ImageSums) else ""
    strategy = ASSIGNMENTS[options.assignment or defined or _usual_assignment(detections)]
    only = LOCALISATIONS[strategy.localisation] if strategy.localisation else None
    criterion = options.localisation or only or usual
    thresholds = requested.thresholds or _usual_thresholds(requested, criterion, detections)
    if criterion.better is Better.HIGHER and max(thresholds) > 1:
        raise OptionError(
            f"{spelled('threshold', max(thresholds))}: {criterion.name} is at most 1; write 0.5 "
            "for 50 %"
        )
    return MatchingRule(
        criterion.name,
        strategy.name,
        thresholds,
        options.admits or strategy.admits or criterion.admits,
        options.score_threshold,
        requested.max_detections,
        requested.area,
        options.by_class,
        options.duplicates_ignored,
        options.boundary_distance,
        **({} if options.dilation is None else {"dilation": options.dilation}),
    )


def _usual_assignment(detections: ObjectSet) -> str:
    return (greedy_by_score if is_scored(detections) else greedy_by_localisation).__name__


def is_scored(detections: ObjectSet) -> bool:
    """Whether all detections have scores."""
    return all(one.score is not None for one in detections.objects if len(one))


def _usual_thresholds(
    requested: RequestedMetric, criterion: LocalisationSpec, detections: ObjectSet
) -> tuple[float, ...]:
    if criterion.of_overlap and requested.metric.spec.name == ar.__name__:
        return COCO_RECALL or ()
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
