"""Detectors matched with references: what is estimated of each, and families to be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from halfwidth.core.errors import DataError
from halfwidth.core.option_names import spelled
from halfwidth.data.families import naming
from halfwidth.detection.arithmetic.match_records import with_equal_slots
from halfwidth.detection.estimation.jobs import RequestedRow, Sets, jobs_of
from halfwidth.detection.estimation.matching_rules import is_scored
from halfwidth.detection.estimation.matchings import Matching
from halfwidth.detection.estimation.requested_metrics import requested_metrics
from halfwidth.detection.estimation.requests import DetectorRequest
from halfwidth.detection.estimation.rows import requested_rows
from halfwidth.detection.forms.declared import MatchedScores
from halfwidth.detection.metrics.object_counts import (
    fppi,
    object_f_beta,
    object_ppv,
    object_sensitivity,
)
from halfwidth.detection.metrics.ranked import ap, froc_score
from halfwidth.estimation.pipeline import Job
from halfwidth.measuring.jobs import FamilyJobs, JobsOfCases

# Both sides of a detector, and notes on what was read.
Read = tuple[Sets, tuple[str, ...]]


def detector_jobs(read: Read, requested: DetectorRequest) -> JobsOfCases:
    """What is estimated of a detector: a job for each metric, class and threshold."""
    sets, notes = read
    matching = requested.matching
    metrics = requested.metrics or requested_metrics(usual_metrics(sets, matching), matching)
    rows = requested_rows(metrics, matching, sets)
    jobs, further = jobs_of(rows, sets, requested.averages, requested.policies)
    return JobsOfCases(tuple(jobs), (*notes, *further))


def usual_metrics(sets: Sets, matching: Matching) -> tuple[Any, ...]:
    """What is estimated unless something is asked for."""
    counting = (object_sensitivity, object_ppv, object_f_beta, fppi)
    if not is_scored(sets.detections):
        return counting
    ranked = (ap, froc_score)
    return ranked if matching.score_threshold is None else (*ranked, *counting)


def measured_detectors(
    models: Mapping[str, Read], requested: DetectorRequest
) -> tuple[list[FamilyJobs], list[str]]:
    """A family for each metric, average and class, and notes on what was read."""
    notes: dict[str, list[str]] = {}
    prepared: dict[str, tuple[Sets, list[RequestedRow]]] = {}
    for name, (sets, own) in models.items():
        with naming(name):
            rows = requested_rows(requested.metrics, requested.matching, sets)
        for note in own:
            notes.setdefault(note, []).append(name)
        prepared[name] = sets, rows
    _check_alike(prepared)
    jobs: dict[str, list[Job]] = {}
    for name, (sets, rows) in prepared.items():
        with naming(name):
            jobs[name], further = jobs_of(rows, sets, requested.averages, requested.policies)
        for note in further:
            notes.setdefault(note, []).append(name)
    families = [
        _family(dict(zip(jobs, row, strict=True))) for row in zip(*jobs.values(), strict=True)
    ]
    return families, distinct_notes(notes, len(models))


def distinct_notes(notes: Mapping[str, Sequence[str]], detectors: int) -> list[str]:
    """Notes with the detectors that they are of, unless they are of all of several."""
    return [
        f"{', '.join(whose)}: {note}" if any(whose) and not len(whose) == detectors > 1 else note
        for note, whose in notes.items()
    ]


def _check_alike(prepared: Mapping[str, tuple[Sets, list[RequestedRow]]]) -> None:
    """Refuse detectors that would be matched in different ways, or whose classes differ."""
    first, *others = prepared
    sets, rows = prepared[first]
    for other in others:
        own_sets, own_rows = prepared[other]
        if own_sets.references.classes != sets.references.classes:
            raise DataError(
                f"{first} and {other} detect different classes; name the classes that count: "
                f"{spelled('classes')}"
            )
        for one, two in zip(rows, own_rows, strict=True):
            for rule in ("localisation", "assignment"):
                ways = [getattr(row.matching, rule) for row in (one, two)]
                if ways[0] != ways[1]:
                    raise DataError(
                        f"{first} would be matched by {ways[0]} and {other} by {ways[1]}, since "
                        "they do not hold the same kind of objects or scores; name one: "
                        f"{spelled(rule)}"
                    )


def _family(jobs: Mapping[str, Job]) -> FamilyJobs:
    """One row of all detectors, whose records have the same shape and the same images."""
    first = next(iter(jobs.values()))
    arranged: Sequence[Any] = [job.records.arranged for job in jobs.values()]
    if isinstance(first.functional.statistic.spec.form, MatchedScores):
        arranged = with_equal_slots(arranged)
    in_shape = {
        name: replace(job, records=replace(job.records, arranged=records))
        for (name, job), records in zip(jobs.items(), arranged, strict=True)
    }
    return FamilyJobs(in_shape, first.label, first.by)
