"""From the scores of single cases to the table of all: every label in every case, and doubts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from halfwidth.core.errors import DataError, shortened
from halfwidth.core.parameters import UNIT, VOXEL
from halfwidth.scoring.cases import How
from halfwidth.scoring.caution_rules import doubts_about
from halfwidth.scoring.label_definitions import Label
from halfwidth.scoring.measuring import absent
from halfwidth.scoring.metric_choice import MASK_METRICS
from halfwidth.scoring.scores import CaseScores, LabelScores, Scores, Value

__all__ = ["assembled"]

SHOWN = 3


def assembled(
    cases: Sequence[CaseScores],
    how: How,
    *,
    in_voxels: bool,
    in_folders: bool = False,
    notes: Sequence[str] = (),
) -> Scores:
    """All cases with the same labels, doubts about them, and what should be said.

    Of folders of structures a case has the labels that it has files for.

    Raises
    ------
    DataError
        If there is no label at all, or none that predictions and references have in common.
    """
    told = [*notes, *how.wanted.notes, *_of_headers(cases)]
    if not in_folders:
        if how.labels is None:
            _check_common(cases, how)
        told += _unnamed(cases, how)
        cases = _completed(cases, how)
    labels = {one.label for case in cases for one in case.labels}
    if not labels:
        raise DataError("no label in any prediction or reference: all are background")
    unused = [name for name in how.wanted.tolerances.by_label if name not in labels]
    if unused:
        told.append(f"tolerances of labels that no case has: {shortened(unused)}")
    regions = {union.name for union in how.unions}
    regions |= {one.name for one in (*(how.labels or ()), *how.regions) if len(one.values) > 1}
    ignoring = any(case.ignored for case in cases)
    doubts = doubts_about(
        cases, how.wanted, regions=regions, in_voxels=in_voxels, ignoring=ignoring
    )
    if in_voxels:
        cases = [_in_voxels(case) for case in cases]
    return Scores(tuple(cases), doubts, tuple(told))


def _of_headers(cases: Sequence[CaseScores]) -> list[str]:
    """What was made of odd headers: the first ones, and how many more there are."""
    every = [note for case in cases for note in case.notes]
    more = [f"and of {len(every) - SHOWN} more files the like"] if len(every) > SHOWN else []
    return [*every[:SHOWN], *more]


def _in_voxels(case: CaseScores) -> CaseScores:
    """The case with the unit of its lengths said, so that it is not lost with the cautions."""
    labels = (replace(one, scores=tuple(map(_with_unit, one.scores))) for one in case.labels)
    return replace(case, labels=tuple(labels))


def _with_unit(value: Value) -> Value:
    if not MASK_METRICS[value.metric].spaced or "definition=cheng" in value.parameters:
        return value
    parts = [value.parameters] if value.parameters else []
    return value._replace(parameters=";".join([*parts, f"{UNIT.name}={UNIT.word(VOXEL)}"]))


def _check_common(cases: Sequence[CaseScores], how: How) -> None:
    """Refuse predictions and references whose numbers have nothing in common, if nobody names them.

    Values that a region joins are named by it.
    """
    joined = {value for region in how.regions for value in region.values}
    predicted, true = (
        {value for case in cases for value in case.held[side]} - joined for side in (0, 1)
    )
    if predicted and true and not predicted & true:
        raise DataError(
            f"predictions hold the labels {shortened(sorted(predicted), most=5)}, references "
            f"{shortened(sorted(true), most=5)}: none in common. If every value above 0 means the "
            "same, say binary=True (--binary); else name what belongs together with labels= "
            '(--label-names FILE.json, {"liver": [1, 255]})'
        )


def _unnamed(cases: Sequence[CaseScores], how: How) -> list[str]:
    """Values without a name, and names without a value."""
    if how.binary:
        return []
    named = (*(how.labels or ()), *how.regions)
    known = {value for label in named for value in label.values}
    held = {value for case in cases for side in case.held for value in side}
    told = []
    if how.labels is not None and not how.picked and held - known:
        told.append(f"values that are not scored: {shortened(sorted(held - known), most=10)}")
    never = [label.name for label in named if not set(label.values) & held]
    if how.picked and held and never:
        raise DataError(
            f"no case has label {shortened(never, most=5)}; the label maps hold "
            f"{shortened(_with_names(held, named))}"
        )
    if never:
        told.append(f"labels that no case has: {shortened(never, most=10)}")
    parts = {value for label in named if label.name not in never for value in label.values} - held
    if parts:
        told.append(f"values that no case has: {shortened(sorted(parts), most=10)}")
    return told


def _with_names(values: Iterable[int], named: Sequence[Label]) -> list[str]:
    """Values as a reader knows them: ``1 (liver)``; a region is not one of them."""
    names = {label.values[0]: label.name for label in named if len(label.values) == 1}
    told = []
    for value in sorted(values):
        name = names.get(value, str(value))
        told.append(str(value) if name == str(value) else f"{value} ({name})")
    return told


def _completed(cases: Sequence[CaseScores], how: How) -> list[CaseScores]:
    """The cases with all labels in one order; what a case lacks does not apply to it."""
    extra = [region.name for region in how.regions]
    if how.labels is None:
        found = {one.label for case in cases for one in case.labels}
        order = [*sorted(found - set(extra), key=int), *extra]
    else:
        order = [*(label.name for label in how.labels), *extra]
    nothing = {label: absent(label, how.wanted.of(label)) for label in order}
    return [_with_all(case, order, nothing) for case in cases]


def _with_all(
    case: CaseScores, order: Sequence[str], nothing: Mapping[str, LabelScores]
) -> CaseScores:
    own = {one.label: one for one in case.labels}
    labels = tuple(own.get(label, nothing[label]) for label in order)
    return replace(case, labels=labels)
