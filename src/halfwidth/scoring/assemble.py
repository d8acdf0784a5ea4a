"""Table of all scores, made of those of single cases: every label in every case, with cautions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from halfwidth.core.errors import DataError, shortened
from halfwidth.core.option_names import spelled
from halfwidth.core.parameters import UNIT, VOXEL
from halfwidth.scoring.cases import ScoringSettings
from halfwidth.scoring.caution_rules import mask_cautions
from halfwidth.scoring.label_definitions import Label
from halfwidth.scoring.measuring import absent
from halfwidth.scoring.metric_choice import MASK_METRICS
from halfwidth.scoring.scores import CaseScores, Scores, Value

SHOWN = 3


def assemble(
    cases: Sequence[CaseScores],
    settings: ScoringSettings,
    *,
    in_voxels: bool,
    in_folders: bool = False,
    notes: Sequence[str] = (),
) -> Scores:
    """Combine the cases into `Scores`: the same labels in each, cautions and notes.

    In folders of structures a case keeps the labels that it has files for.
    """
    notes = [*notes, *settings.metrics.notes, *_header_notes(cases)]
    if not in_folders:
        if settings.labels is None:
            _check_common(cases, settings)
        notes += _unnamed(cases, settings)
        cases = _with_all_labels(cases, settings)
    labels = {one.label for case in cases for one in case.labels}
    if not labels:
        raise DataError("no prediction or reference holds a label: all voxels are background")
    unused = [name for name in settings.metrics.tolerances.by_label if name not in labels]
    if unused:
        notes.append(f"tolerances of labels that no case has: {shortened(unused)}")
    regions = {union.name for union in settings.unions}
    regions |= {
        one.name for one in (*(settings.labels or ()), *settings.regions) if len(one.values) > 1
    }
    ignoring = any(case.ignored for case in cases)
    cautions = mask_cautions(
        cases, settings.metrics, regions=regions, in_voxels=in_voxels, ignoring=ignoring
    )
    if in_voxels:
        cases = [_measured_in_voxels(case) for case in cases]
    return Scores(tuple(cases), cautions, tuple(notes))


def _header_notes(cases: Sequence[CaseScores]) -> list[str]:
    """How odd headers were read: the first notes, and how many more there are."""
    every = [note for case in cases for note in case.notes]
    more = [f"and of {len(every) - SHOWN} more files the like"] if len(every) > SHOWN else []
    return [*every[:SHOWN], *more]


def _measured_in_voxels(case: CaseScores) -> CaseScores:
    """The case with the unit of its lengths among the parameters, where it cannot get lost."""
    labels = (replace(one, scores=tuple(map(_with_unit, one.scores))) for one in case.labels)
    return replace(case, labels=tuple(labels))


def _with_unit(value: Value) -> Value:
    if not MASK_METRICS[value.metric].spaced or "definition=cheng" in value.parameters:
        return value
    parts = [value.parameters] if value.parameters else []
    return value._replace(parameters=";".join([*parts, f"{UNIT.name}={UNIT.word(VOXEL)}"]))


def _check_common(cases: Sequence[CaseScores], settings: ScoringSettings) -> None:
    """Refuse predictions and references without a common value if there are no label names.

    Values that belong to a region count as named.
    """
    joined = {value for region in settings.regions for value in region.values}
    predicted, true = (
        {value for case in cases for value in case.held[side]} - joined for side in (0, 1)
    )
    if predicted and true and not predicted & true:
        raise DataError(
            f"predictions hold the labels {shortened(sorted(predicted), most=5)}, references "
            f"{shortened(sorted(true), most=5)}: none in common. If every value above 0 means the "
            f"same, say {spelled('binary', True)}; else name what belongs together: "
            f'{spelled("score.labels")}, {{"liver": [1, 255]}} for example'
        )


def _unnamed(cases: Sequence[CaseScores], settings: ScoringSettings) -> list[str]:
    """Values without a name, and names without a value."""
    if settings.binary:
        return []
    named = (*(settings.labels or ()), *settings.regions)
    known = {value for label in named for value in label.values}
    held = {value for case in cases for side in case.held for value in side}
    notes = []
    if settings.labels is not None and not settings.labels_selected and held - known:
        notes.append(f"values that are not scored: {shortened(sorted(held - known), most=10)}")
    never = [label.name for label in named if not set(label.values) & held]
    if settings.labels_selected and held and never:
        raise DataError(
            f"no case has label {shortened(never, most=5)}; the label maps hold "
            f"{shortened(_with_names(held, named))}"
        )
    if never:
        notes.append(f"labels that no case has: {shortened(never, most=10)}")
    parts = {value for label in named if label.name not in never for value in label.values} - held
    if parts:
        notes.append(f"values that no case has: {shortened(sorted(parts), most=10)}")
    return notes


def _with_names(values: Iterable[int], named: Sequence[Label]) -> list[str]:
    """Values with their names, as in ``1 (liver)``; regions are left out."""
    names = {label.values[0]: label.name for label in named if len(label.values) == 1}
    notes = []
    for value in sorted(values):
        name = names.get(value, str(value))
        notes.append(str(value) if name == str(value) else f"{value} ({name})")
    return notes


def _with_all_labels(cases: Sequence[CaseScores], settings: ScoringSettings) -> list[CaseScores]:
    """The cases with all labels in one order; a label that a case lacks is not applicable."""
    extra = [region.name for region in settings.regions]
    if settings.labels is None:
        held = {one.label for case in cases for one in case.labels}
        order = [*sorted(held - set(extra), key=int), *extra]
    else:
        order = [*(label.name for label in settings.labels), *extra]
    nothing = {label: absent(label, settings.metrics.for_label(label)) for label in order}
    complete = []
    for case in cases:
        own = {one.label: one for one in case.labels}
        labels = tuple(own.get(label, nothing[label]) for label in order)
        complete.append(replace(case, labels=labels))
    return complete
