"""Detections as a kind of data: what verbs ask of them."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, TypeVar, cast

from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Metric, Statistic
from halfwidth.data.families import naming
from halfwidth.detection.data import Detections
from halfwidth.detection.detectors import (
    Read,
    detector_jobs,
    distinct_notes,
    measured_detectors,
)
from halfwidth.detection.estimation.caution_rules import DetectionCautions
from halfwidth.detection.estimation.curves import AREA_OF, curves_of_jobs
from halfwidth.detection.estimation.requests import DetectorRequest
from halfwidth.detection.estimation.sets import sets_of
from halfwidth.detection.io.read_objects import read_objects
from halfwidth.detection.matching.match_lists import MatchingRule
from halfwidth.detection.results.curves import DETECTION_CURVE_KINDS, DetectionCurves
from halfwidth.document.progress import following
from halfwidth.estimation.pipeline import Job
from halfwidth.estimation.resolve import Request, resolve_request
from halfwidth.measuring.curves import CurvesOfModel, together
from halfwidth.measuring.jobs import FamilyJobs, JobsOfCases
from halfwidth.measuring.plans import Comparable, Matched
from halfwidth.measuring.quantities import Quantities
from halfwidth.metrics.all_metrics import DETECTION_METRICS
from halfwidth.metrics.names import CustomMetric
from halfwidth.results.curves import SeveralCurves
from halfwidth.results.estimate import MODEL

T = TypeVar("T")
CURVES = DETECTION_CURVE_KINDS
DATA = Detections
MATCHED_WHEN_READ = True
# What a study has of detectors.
STUDY = "halfwidth.detection.study"


def request(data: Detections, **inference: Any) -> Request:
    """What all estimates of a verb share."""
    return resolve_request(kept=data.kept, **inference)


def jobs(data: Detections, quantities: Quantities, **inference: Any) -> tuple[JobsOfCases, Request]:
    """What is estimated of each detector, metric, class and threshold, and the request."""
    shared = request(data, **inference)
    requested = data.requested(quantities.metric, quantities.average)
    of_all: list[Job] = []
    notes: dict[str, list[str]] = {}
    for name, one in data.detections.items():
        with naming(name) if name else nullcontext():
            read = _read(data, one, data.references, requested)
            own = detector_jobs(read, requested).labelled_by(name)
        of_all += own.jobs
        for note in own.notes:
            notes.setdefault(note, []).append(name)
    distinct = distinct_notes(notes, len(data.detections))
    return JobsOfCases(tuple(of_all), tuple(distinct)), shared


def families(
    data: Detections, quantities: Quantities, _: Matched
) -> tuple[list[Comparable], list[str]]:
    """The detectors by each metric and class, matched, and notes on what was read."""
    requested = data.requested(quantities.metric, quantities.average)
    if not requested.metrics:
        raise OptionError(
            f"name the metric to compare detectors by: {spelled('metric')}, one of "
            f"{', '.join(DETECTION_METRICS.names)}"
        )

    def measured() -> tuple[list[Comparable], list[str]]:
        named = {"groups": data.groups, "strata": data.strata}
        columns: Any = {name: one for name, one in named.items() if isinstance(one, str)}
        true = read_objects(data.references, role="references", **columns)
        read = {}
        for name, one in data.detections.items():
            with naming(name):
                read[name] = _read(data, one, true, requested)
        of_detectors, notes = measured_detectors(read, requested)
        return [ComparedDetectors(one) for one in of_detectors], notes

    of = data.detections, data.matching, quantities.metric, quantities.average
    return _once(data, "families", of, measured)


@frozen(eq=False)
class ComparedDetectors:
    """Detectors by one metric, matched with the same references."""

    family: FamilyJobs

    @property
    def label(self) -> str:
        """Nothing: all metrics and classes are of the same images."""
        return ""

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the detectors."""
        return tuple(self.family.jobs)

    @property
    def metric(self) -> Metric | CustomMetric:
        """The metric they are compared on."""
        return next(iter(self.family.jobs.values())).functional.metric

    @property
    def statistic(self) -> Statistic | None:
        """None: images have no values of their own."""
        return None

    def measured(self, _: Matched, /) -> list[FamilyJobs]:
        """The family: detections were matched when they were read."""
        return [self.family]


def curves(
    data: Detections, kind: Any, average: Any, band: Any, inference: Mapping[str, Any]
) -> SeveralCurves[Any]:
    """The curves of each detector, with their bands."""
    quantities = Quantities(AREA_OF[kind], average=average)
    # All detectors have the same draws.
    same = {**inference, "rng": request(data, **inference).seed}
    parts = []
    for name, detections in following(data.detections.items(), "curves of models"):
        with naming(name) if name else nullcontext():
            alone = replace(data, detections={"": detections})
            of_detector, shared = jobs(alone, quantities, **same)
        # Of each threshold and range of sizes.
        by_matching: dict[MatchingRule, list[Job]] = {}
        for job in of_detector.jobs:
            if isinstance(job.matched, DetectionCautions):
                by_matching.setdefault(job.matched.matching, []).append(job)
        drawn = [
            curves_of_jobs(kind, own, matching, shared, band=band)
            for matching, own in by_matching.items()
        ]
        of_one = DetectionCurves(tuple(one for some in drawn for one in some))
        parts.append(CurvesOfModel(of_one, name, {MODEL: name} if name else {}))
    return together(parts)


def _read(data: Detections, detections: Any, references: Any, requested: DetectorRequest) -> Read:
    """Both sides of a detector."""
    of = detections, references, data.matching.by_class
    make = functools.partial(sets_of, detections, references, **requested.sources)
    return _once(data, "sets", of, make)


def _once(data: Detections, name: str, of: tuple[Any, ...], make: Callable[[], T]) -> T:
    """What is made of these very objects: once, where it is kept."""
    known = [] if data.kept is None else data.kept.setdefault(name, [])
    for objects, made in known:
        if all(map(operator.is_, objects, of)):
            return cast("T", made)
    made = make()
    known.append((of, made))
    return made
