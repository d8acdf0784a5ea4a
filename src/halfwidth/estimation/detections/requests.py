"""What is asked of detectors, or of images in a study, checked without data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

import numpy as np

from halfwidth.core.checks import one_of
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.options import spelled
from halfwidth.core.spec import Metric, MetricSpec
from halfwidth.core.undefined import ABSENT_CLASS, UNDEFINED_POLICIES, AbsentClass, Undefined
from halfwidth.estimation.detections.functionals import AVERAGES
from halfwidth.estimation.detections.matchings import MatchingOptions, matching_options
from halfwidth.estimation.detections.requested_metrics import (
    RequestedMetric,
    check_together,
    requested_metrics,
)
from halfwidth.estimation.functionals import Policies
from halfwidth.metrics.catalogue import DETECTION_METRICS


class MatchingChoices(TypedDict, total=False):
    """How detections are matched with references, as `detection_ci` describes it."""

    localisation: str | None
    assignment: str | None
    threshold: Any
    admits: str | None
    score_threshold: float | None
    max_detections: int | None
    area: Any
    by_class: bool
    duplicates: str
    boundary_distance: float | None
    dilation: int | None
    classes: Sequence[str] | Mapping[str, str] | None
    unknown_images: str


class CurveChoices(MatchingChoices, total=False):
    """What else curves take."""

    average: Any
    absent_class: AbsentClass
    groups: Any
    strata: Any


class DetectorChoices(CurveChoices, total=False):
    """What else is said of detectors."""

    undefined: Undefined
    by_threshold: bool


# Their defaults.
MATCHING = MatchingChoices(
    localisation=None,
    assignment=None,
    threshold=None,
    admits=None,
    score_threshold=None,
    max_detections=None,
    area=None,
    by_class=True,
    duplicates="false_positive",
    boundary_distance=None,
    dilation=None,
    classes=None,
    unknown_images="raise",
)
CURVE = CurveChoices(**MATCHING, average=None, absent_class="omit", groups=None, strata=None)
DETECTOR = DetectorChoices(**CURVE, undefined="omit", by_threshold=False)
# Those that `sets_of` and `requested_metrics` take; the others are of `matching_options`.
OF_SETS = ("classes", "unknown_images", "groups", "strata")
OF_ROWS = ("threshold", "area", "average", "absent_class", "undefined")


@frozen(eq=False)
class DetectorRequest:
    """What is computed of each detector, checked as far as it can be without data.

    Attributes
    ----------
    metrics : tuple of RequestedMetric
        Empty where the usual ones are asked for.
    options : MatchingOptions
    averages : tuple of str or None
    policies : Policies
    sources : mapping
        How detections and references are brought together, as `sets_of` takes it.
    fixed : tuple
        The threshold and the area of the usual metrics.
    """

    metrics: tuple[RequestedMetric, ...]
    options: MatchingOptions
    averages: tuple[str, ...] | None
    policies: Policies
    sources: Mapping[str, Any]
    fixed: tuple[Any, Any]


def detector_request(
    metric: Any, choices: MatchingChoices | Mapping[str, Any], *, usual: bool = False
) -> DetectorRequest:
    """Check what is asked of detectors.

    Parameters
    ----------
    metric : str, MetricSpec, or sequence of them, or None
    choices : mapping
        Those of `DetectorChoices` that are not the defaults.
    usual : bool
        Whether None stands for the usual metrics.
    """
    if metric is None and not usual:
        raise OptionError(
            f"nothing says what detectors are compared by: {spelled('metric')}, one of "
            f"{', '.join(DETECTION_METRICS.names)}"
        )
    given: dict[str, Any] = {**DETECTOR, **choices}
    metrics = [] if metric is None else listed(metric, "metric")
    options = matching_options(
        **{name: one for name, one in given.items() if name not in (*OF_SETS, *OF_ROWS)}
    )
    fixed = {"threshold": given["threshold"], "area": given["area"]}
    check_together(metrics, fixed | {"max_detections": options.max_detections})
    average = given["average"]
    return DetectorRequest(
        requested_metrics(metrics, given["threshold"], given["area"], options.max_detections),
        options,
        None if average is None else checked_averages(average),
        Policies(
            one_of("absent_class", given["absent_class"], ABSENT_CLASS),
            one_of("undefined", given["undefined"], UNDEFINED_POLICIES),
        ),
        {name: given[name] for name in OF_SETS} | {"by_class": options.by_class},
        (given["threshold"], given["area"]),
    )


def checked_averages(given: Any) -> tuple[str, ...]:
    """Averages by their names."""
    return tuple(str(one_of("average", one, AVERAGES)) for one in listed(given, "average"))


def is_several(given: Any) -> bool:
    """Whether it holds several metrics, or averages, rather than being one."""
    single = isinstance(given, str | MetricSpec | Metric) or callable(given)
    scalar = isinstance(given, np.ndarray) and not given.ndim
    return isinstance(given, Iterable) and not single and not scalar


def listed(given: Any, name: str) -> list[Any]:
    """One name or several as a list."""
    if isinstance(given, Mapping):
        raise OptionError(f"{spelled(name, given)} is no name and no list of names")
    found = list(given) if is_several(given) else [given]
    if not found:
        raise OptionError(f"{name}: name at least one")
    return found
