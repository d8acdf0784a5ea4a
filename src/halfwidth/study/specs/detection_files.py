"""Instances of detectors: images with their match lists, one instance for each metric."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halfwidth.core.cautions import caution
from halfwidth.core.matching_words import matching_parameters
from halfwidth.core.spec import MetricLevel
from halfwidth.core.types import UNBOUNDED
from halfwidth.estimation.detections.jobs import RequestedRow, Sets, jobs_of
from halfwidth.estimation.detections.requests import detector_request
from halfwidth.estimation.detections.rows import requested_rows
from halfwidth.estimation.detections.sets import sets_of
from halfwidth.estimation.functionals import MetricRow
from halfwidth.io.detections.read_objects import read_objects
from halfwidth.study.populations.empirical import ImagePopulation
from halfwidth.study.specs.matching import Match, identity, matches
from halfwidth.study.specs.spec import (
    FEW_CASES,
    DetectedRow,
    DetectionSource,
    Instance,
    digest_of,
    written,
)
from halfwidth.study.specs.toml_sections import placed

if TYPE_CHECKING:
    from halfwidth.estimation.pipeline import Job


def instances_of_detections(source: DetectionSource, folder: Path) -> Iterator[Instance]:
    """The instances of a source: one for each file of detections, metric, average and class."""
    references = read_objects(folder / source.references, role="references")
    for pattern in source.detections:
        for match in matches(pattern, folder):
            with placed(match.shown):
                instances = list(_file_instances(source, match, references))
            yield from instances


def _file_instances(source: DetectionSource, match: Match, references: Any) -> Iterator[Instance]:
    requested = detector_request(
        list(source.metrics),
        source.matching,
        average=list(source.averages) or None,
        classes=list(source.classes) or None,
    )
    sets, notes = sets_of(match.path, references, **requested.sources)
    rows = requested_rows(requested.metrics, requested.matching, sets)
    model, task = identity(match, source.model, source.task, columns=False)
    for row in rows:
        jobs, further = jobs_of([row], sets, requested.averages, requested.policies)
        for which, job in enumerate(jobs):
            metric_row = _row_of(job, which)
            yield _instance(match, (model, task), (row, metric_row), job, sets, (*notes, *further))


def _row_of(job: Job, which: int) -> MetricRow:
    """What its functional is built from again, wherever it is needed."""
    metric = job.functional.metric
    label = job.label if job.average == "none" else ""
    return MetricRow(metric, job.average, which if job.average == "none" else 0, label)


def _instance(
    match: Match,
    names: tuple[str, str],
    rows: tuple[RequestedRow, MetricRow],
    job: Job,
    sets: Sets,
    notes: tuple[str, ...],
) -> Instance:
    requested, row = rows
    (model, task), metric = names, job.functional.metric
    records = job.records.arranged
    classes = sets.references.classes
    detected = DetectedRow(row, classes, len(requested.matching.thresholds), metric_text(requested))
    by_class = classes[row.which] if row.average == "none" and len(classes) > 1 else ""
    chosen = matching_parameters(requested.matching)
    recipe = {
        "population": "images",
        "metric": written(metric, complete=True),
        "average": row.average or "",
        "which": row.which,
        "classes": list(classes),
        "matching": {name: repr(value) for name, value in chosen.items()},
    }
    n = records.shape[-1]
    return Instance(
        name="/".join(filter(None, (model, task, detected.metric, by_class))),
        task=task,
        model=model,
        source=f"{match.shown}, {job.matched.matched_by if job.matched else ''}",
        level=MetricLevel.SAMPLE,
        metric=metric,
        build=functools.partial(ImagePopulation, records),
        n_cases=n,
        digest=digest_of(recipe, records),
        bounds=UNBOUNDED,
        notes=notes,
        cautions=(caution("HW601", n=n, needed=FEW_CASES),) if n < FEW_CASES else (),
        detected=detected,
    )


def metric_text(row: RequestedRow) -> str:
    """The metric with its thresholds: ``ap@0.5``, ``ap@0.5:0.95``."""
    thresholds = row.matching.thresholds
    ends = sorted({min(thresholds), max(thresholds)})
    return f"{written(row.requested.metric)}@{':'.join(f'{end:g}' for end in ends)}"
