"""What is asked of several detectors, or of images in a study, checked without data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

from halfwidth.core.checks import one_of
from halfwidth.core.errors import OptionError, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Metric, MetricSpec
from halfwidth.core.undefined import ABSENT_CLASS, UNDEFINED_POLICIES
from halfwidth.estimation.detections.asked import AskedMetric, ask_metrics, check_together
from halfwidth.estimation.detections.matchings import MatchingOptions, matching_options
from halfwidth.estimation.functionals import Policies
from halfwidth.metrics.catalogue import DETECTION_METRICS


@frozen(eq=False)
class AskedDetectors:
    """What is computed of each detector, checked as far as it can be without data.

    Attributes
    ----------
    metrics : tuple of AskedMetric
    options : MatchingOptions
    averages : tuple of str or None
    policies : Policies
    sources : mapping
        How detections and references are read and brought together, as `sets_of` takes it.
    """

    metrics: tuple[AskedMetric, ...]
    options: MatchingOptions
    averages: tuple[str, ...] | None
    policies: Policies
    sources: Mapping[str, Any] = field(default_factory=dict)


def ask_detectors(
    metric: Any,
    *,
    threshold: Any,
    area: Any,
    average: Any,
    absent_class: Any,
    undefined: Any,
    sources: Mapping[str, Any],
    **matching: Any,
) -> AskedDetectors:
    """Check the options of detections; ``matching`` are those of `matching_options`."""
    metrics = listed(metric, "metric")
    if metric is None:
        raise OptionError(
            "nothing says what detectors are compared by: metric= (--metric), one of "
            f"{', '.join(DETECTION_METRICS.names)}"
        )
    options = matching_options(**matching)
    fixed = {"threshold": threshold, "area": area, "max_detections": options.max_detections}
    check_together(metrics, fixed)
    return AskedDetectors(
        ask_metrics(metrics, threshold, area, options.max_detections),
        options,
        None if average is None else tuple(listed(average, "average")),
        Policies(
            one_of("absent_class", absent_class, ABSENT_CLASS),
            one_of("undefined", undefined, UNDEFINED_POLICIES),
        ),
        sources,
    )


def listed(given: Any, name: str) -> list[Any]:
    """One name or several as a list."""
    if isinstance(given, Mapping):
        raise OptionError(f"{name}={shown(given)} is no name and no list of names")
    single = isinstance(given, str | MetricSpec | Metric) or callable(given)
    found = list(given) if isinstance(given, Iterable) and not single else [given]
    if not found:
        raise OptionError(f"{name}: name at least one")
    return found
