"""The choices of a matching, checked."""

from __future__ import annotations

import dataclasses
import math

from halfwidth.core.errors import OptionError
from halfwidth.core.formatting import per_cent_hint
from halfwidth.core.kinds import Better
from halfwidth.core.option_names import spelled
from halfwidth.detection.matching.match_lists import Admits, MatchingRule
from halfwidth.detection.metrics.all_criteria import ASSIGNMENTS, LOCALISATIONS
from halfwidth.detection.metrics.assignment import AssignmentSpec
from halfwidth.detection.metrics.localisation import LocalisationSpec


def settled(rule: MatchingRule) -> MatchingRule:
    """The rule with the names of the catalogues, or an error that says what is allowed.

    >>> settled(MatchingRule(localisation="bbox")).localisation
    'box_iou'
    """
    criterion, strategy = LOCALISATIONS[rule.localisation], ASSIGNMENTS[rule.assignment]
    checked = dataclasses.replace(
        rule,
        localisation=criterion.name,
        assignment=strategy.name,
        admits=Admits(rule.admits),
        thresholds=tuple(float(threshold) for threshold in rule.thresholds),
    )
    _check_numbers(checked)
    _check_strategy(checked, criterion, strategy)
    _check_admits(checked, criterion)
    return checked


def _check_numbers(rule: MatchingRule) -> None:
    if not rule.thresholds:
        raise OptionError("a matching needs at least one threshold of localisation")
    for threshold in rule.thresholds:
        if not math.isfinite(threshold):
            raise OptionError(
                f"{spelled('threshold', threshold)} of localisation is not a finite number"
            )
    if rule.max_detections is not None and rule.max_detections < 1:
        raise OptionError(f"{spelled('max_detections', rule.max_detections)} is not at least 1")
    if rule.area_range is not None and not rule.area_range[0] <= rule.area_range[1]:
        low, high = rule.area_range
        raise OptionError(f"area_range=({low:g}, {high:g}) has its low end above the high one")
    if rule.boundary_distance is not None and not 0 < rule.boundary_distance < math.inf:
        raise OptionError(
            f"{spelled('boundary_distance', rule.boundary_distance)} is not finite and above 0"
        )
    if rule.dilation < 0:
        raise OptionError(f"{spelled('dilation', rule.dilation)} is not at least 0")


def _check_admits(rule: MatchingRule, criterion: LocalisationSpec) -> None:
    higher = criterion.better is Better.HIGHER
    fitting = (Admits.AT_LEAST, Admits.ABOVE) if higher else (Admits.AT_MOST, Admits.BELOW)
    if rule.admits not in fitting:
        one, other = fitting
        raise OptionError(
            f"{criterion.name} is better when {'high' if higher else 'low'}, so its "
            f"threshold admits values {one} or {other} it, not {rule.admits}"
        )
    for threshold in rule.thresholds:
        if higher:
            _check_share(criterion.name, rule.admits, threshold)
        elif threshold < 0 or (threshold == 0 and rule.admits is Admits.BELOW):
            raise OptionError(f"{criterion.name} is never {rule.admits} {threshold:g}")


def _check_share(name: str, admits: Admits, threshold: float) -> None:
    """Refuse a threshold that all pairs of objects reach, or none."""
    if threshold == 0 and admits is Admits.AT_LEAST:
        raise OptionError(f"{name} ≥ 0 admits every pair; for any overlap take > 0 or mask_overlap")
    if not 0 <= threshold <= 1 or (threshold == 1 and admits is Admits.ABOVE):
        raise OptionError(
            f"{name} lies between 0 and 1, and a threshold {admits} {threshold:g} tells nothing "
            f"apart{per_cent_hint(threshold)}"
        )


def _check_strategy(
    rule: MatchingRule, criterion: LocalisationSpec, strategy: AssignmentSpec
) -> None:
    if strategy.localisation and criterion.name != strategy.localisation:
        raise OptionError(
            f"{strategy.name} takes localisation {strategy.localisation}, not {criterion.name}"
        )
    if strategy.localisation and (set(rule.thresholds) != {0.0} or len(rule.thresholds) > 1):
        thresholds = ", ".join(f"{threshold:g}" for threshold in rule.thresholds)
        raise OptionError(
            f"{strategy.name} matches all that touches and takes threshold 0, not {thresholds}"
        )
    if not strategy.of_overlap:
        return
    if not criterion.of_overlap:
        known = ", ".join(one.name for one in LOCALISATIONS if one.of_overlap)
        raise OptionError(f"{strategy.name} takes one of {known}, not {criterion.name}")
    least = min(rule.thresholds)
    if least < 0.5 or (least == 0.5 and rule.admits is not Admits.ABOVE):
        raise OptionError(
            f"{strategy.name} needs overlaps > 0.5, not {rule.admits} {least:g}, at which several "
            "detections may lie on one reference; hungarian takes any threshold "
            f"({spelled('assignment')})"
        )


def specs_of(rule: MatchingRule) -> tuple[LocalisationSpec, AssignmentSpec]:
    """What the catalogues say of the choices."""
    return LOCALISATIONS[rule.localisation], ASSIGNMENTS[rule.assignment]
