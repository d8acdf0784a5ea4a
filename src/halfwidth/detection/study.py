"""Detectors in a study: their section of a spec, and an instance for each metric of images."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halfwidth.core.cautions import caution
from halfwidth.core.spec import MetricLevel
from halfwidth.core.types import UNBOUNDED
from halfwidth.detection.estimation.functionals import detection_functional
from halfwidth.detection.estimation.jobs import RequestedRow, Sets, jobs_of
from halfwidth.detection.estimation.matchings import Matching
from halfwidth.detection.estimation.requests import detector_request
from halfwidth.detection.estimation.rows import requested_rows
from halfwidth.detection.estimation.sets import sets_of
from halfwidth.detection.io.read_objects import read_objects
from halfwidth.detection.matching.words import matching_parameters
from halfwidth.estimation.functionals import MetricRow, Policies
from halfwidth.estimation.records import Functional
from halfwidth.study.populations.empirical import ImagePopulation
from halfwidth.study.specs.matching import Match, identity, matches
from halfwidth.study.specs.parsing_sources import paths_of
from halfwidth.study.specs.spec import (
    FEW_CASES,
    DetectedRow,
    DetectionSource,
    Instance,
    digest_of,
    written,
)
from halfwidth.study.specs.toml_sections import Section, placed

if TYPE_CHECKING:
    from halfwidth.estimation.pipeline import Job


_MATCHING = (
    *("localisation", "assignment", "threshold", "admits", "score_threshold", "max_detections"),
    *("area", "boundary_distance", "dilation"),
)

_KEYS = (
    *("files", "references", "metric", "average", "classes", *_MATCHING, "by_class"),
    *("min_cases", "model", "task"),
)


def source_of(section: Section) -> DetectionSource:
    """A section ``[[detections]]``: detectors, with the objects to be found."""
    section.check_keys(_KEYS)
    section.require("files", 'detections of each model, for example files = "dets_*.json"')
    section.require("references", 'the objects to be found: references = "references.json"')
    section.require("metric", 'what detectors are measured by: metric = ["ap50", "froc_score"]')
    with placed(section.place):
        chosen = {key: section.content[key] for key in (*_MATCHING, "by_class") if key in section}
        matching = Matching(**chosen)
    source = DetectionSource(
        place=section.place,
        detections=paths_of(section, "files"),
        references=section.text("references"),
        metrics=section.texts("metric"),
        averages=section.texts("average"),
        classes=section.texts("classes"),
        matching=matching,
        min_cases=section.integer("min_cases", 0, at_least=0),
        model=section.text("model"),
        task=section.text("task"),
    )
    with placed(section.place):
        detector_request(list(source.metrics), matching, average=list(source.averages) or None)
    return source


def instances_of(source: DetectionSource, folder: Path) -> Iterator[Instance]:
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
        source=f"{match.shown}, {getattr(job.matched, 'matched_by', '')}",
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


def functional_of(detected: DetectedRow, policies: Policies) -> Functional:
    """What is computed of the images of an instance, as `hw.estimate` would."""
    return detection_functional(detected.row, detected.classes, detected.thresholds, policies)
