"""What is asked of detectors, or of images in a study, checked without data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from halfwidth.core.checks import as_choice, one_of
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.undefined import AbsentClass, Undefined
from halfwidth.detection.estimation.functionals import AVERAGES
from halfwidth.detection.estimation.matchings import Matching
from halfwidth.detection.estimation.requested_metrics import (
    RequestedMetric,
    check_together,
    requested_metrics,
)
from halfwidth.estimation.functionals import Policies
from halfwidth.metrics.names import several


@frozen(eq=False)
class DetectorRequest:
    """What is computed of each detector, checked as far as it can be without data."""

    # Empty where the usual ones are asked for.
    metrics: tuple[RequestedMetric, ...]
    matching: Matching
    averages: tuple[str, ...] | None
    policies: Policies
    # How detections and references are brought together, as `sets_of` takes it.
    sources: Mapping[str, Any]


def detector_request(
    metric: Any,
    matching: Matching,
    *,
    average: Any = None,
    absent_class: AbsentClass = "omit",
    undefined: Undefined = "omit",
    **sources: Any,
) -> DetectorRequest:
    """Check what is asked of detectors; no metric stands for the usual ones.

    ``sources`` are classes, the policy for unknown images, groups and strata.
    """
    metrics = [] if metric is None else listed(metric, "metric")
    threshold, area, most = matching.threshold, matching.area, matching.max_detections
    check_together(metrics, {"threshold": threshold, "area": area, "max_detections": most})
    return DetectorRequest(
        requested_metrics(metrics, matching),
        matching,
        None if average is None else checked_averages(average),
        Policies(
            as_choice("absent_class", absent_class),
            as_choice("undefined", undefined),
        ),
        {**sources, "by_class": matching.by_class},
    )


def check_one_area(requested: DetectorRequest) -> None:
    """Refuse several ranges of sizes where one metric is asked for."""
    if len(requested.metrics) > 1:
        area, count = requested.matching.area, len(requested.metrics)
        raise OptionError(f"{spelled('area', area)} names {count} ranges; give one here")


def checked_averages(averages: Any) -> tuple[str, ...]:
    """Averages by their names."""
    return tuple(str(one_of("average", one, AVERAGES)) for one in listed(averages, "average"))


def listed(value: Any, name: str) -> list[Any]:
    """One name or several as a list."""
    if isinstance(value, Mapping):
        raise OptionError(f"{spelled(name, value)} is neither a name nor a list of names")
    return several(value, name)
