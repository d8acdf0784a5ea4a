"""Requested metrics of detections, each with the matching that it is computed by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.option_names import spelled
from halfwidth.detection.estimation.jobs import RequestedRow, Sets
from halfwidth.detection.estimation.matching_rules import rule_for, usual_localisation
from halfwidth.detection.estimation.matchings import Matching
from halfwidth.detection.estimation.requested_metrics import RequestedMetric
from halfwidth.detection.matching.match_lists import MatchingRule
from halfwidth.detection.metrics.all_criteria import ASSIGNMENTS, LOCALISATIONS
from halfwidth.detection.metrics.localisation import LocalisationSpec
from halfwidth.detection.metrics.overlap_criteria import boundary_iou
from halfwidth.detection.metrics.ranked import ap

# Over which a result is shown unless thresholds are given.
OVERLAPS = tuple(step / 10 for step in range(1, 10))


def requested_rows(
    metrics: Sequence[RequestedMetric], matching: Matching, sets: Sets
) -> list[RequestedRow]:
    """Each metric with the matching that it is computed by, one for each threshold if asked for."""
    if not sets.references.classes:
        raise DataError(
            "neither the detections nor the references hold an object, so there is no class; "
            f"leave classes out of account ({spelled('by_class', False)})"
        )
    chosen = matching.localisation
    if chosen is None:
        usual = usual_localisation(sets.detections, sets.references)
    else:
        usual = LOCALISATIONS[chosen]
    rows = []
    for one in metrics:
        if not matching.by_threshold:
            rule = rule_for(one, matching, usual, sets.detections)
            rows.append(RequestedRow(_at_threshold(one, rule), rule))
            continue
        for threshold in one.thresholds or _range_of(usual):
            at = replace(one, thresholds=(threshold,))
            rule = rule_for(at, matching, usual, sets.detections)
            rows.append(RequestedRow(at, rule, {"threshold": threshold}))
    _check_effect(matching, [row.matching for row in rows])
    return rows


def _at_threshold(one: RequestedMetric, rule: MatchingRule) -> RequestedMetric:
    """AP of one threshold of overlap is called AP50, AP75, ..., unless its label does so."""
    percent = 100 * rule.thresholds[0]
    named = one.metric.spec.name == ap.__name__ and LOCALISATIONS[rule.localisation].of_overlap
    whole = len(rule.thresholds) == 1 and math.isclose(percent, round(percent))
    title = f"{one.metric.spec.display}{percent:.0f}"
    if not named or not whole or one.label.startswith(title):
        return one
    return replace(one, metric=replace(one.metric, spec=replace(one.metric.spec, title=title)))


def _check_effect(matching: Matching, rules: Sequence[MatchingRule]) -> None:
    """Refuse choices that no matching heeds."""
    in_lesions = [one.name for one in ASSIGNMENTS if one.function is None]
    banded = boundary_iou.__name__
    for name, value, used, whose in (
        (
            "dilation",
            matching.dilation,
            any(one.assignment in in_lesions for one in rules),
            f"{spelled('assignment', in_lesions[0])}",
        ),
        (
            "boundary_distance",
            matching.boundary_distance,
            any(one.localisation == banded for one in rules),
            f"{spelled('localisation', banded)}",
        ),
    ):
        if value is not None and not used:
            raise OptionError(f"{spelled(name, value)} has no effect without {whose}")


def _range_of(criterion: LocalisationSpec) -> tuple[float, ...]:
    """Thresholds over which a result is shown where none are given."""
    if criterion.binary:
        raise OptionError(
            f"{spelled('by_threshold', True)} has no effect on {criterion.name}, which has no "
            "threshold"
        )
    if not criterion.of_overlap:
        raise OptionError(
            f"{spelled('by_threshold', True)} needs thresholds of {criterion.name}, for example "
            f"{spelled('threshold', (2, 5, 10))}"
        )
    return OVERLAPS
