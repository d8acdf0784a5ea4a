"""What is asked of detections: metrics, each with its thresholds, sizes and averages.

Checked as far as it can be without data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from halfwidth.core.catalogue import plain_name
from halfwidth.core.errors import OptionError, UnknownNameError
from halfwidth.core.frozen import frozen
from halfwidth.core.kinds import Takes
from halfwidth.core.option_names import spelled
from halfwidth.core.parameters import bind, parse_name
from halfwidth.core.spec import Metric, MetricSpec, spec_of
from halfwidth.detection.estimation.matchings import Matching
from halfwidth.detection.estimation.thresholds import (
    COCO_AREAS,
    COCO_THRESHOLDS,
    AreaRange,
    parse_areas,
    parse_thresholds,
)
from halfwidth.detection.metrics.object_counts import ar
from halfwidth.detection.metrics.ranked import OVER_THRESHOLDS, ap
from halfwidth.metrics.all_metrics import (
    DETECTION_METRICS,
    METRICS,
    SAMPLE_METRICS,
    without_threshold,
)

# The twelve numbers that COCO's evaluation prints, by this name.
COCO = "coco"
COCO_MOST = 100


@frozen
class RequestedMetric:
    """One metric as it was asked for."""

    metric: Metric
    # Of localisation; None: those of the call, or the usual ones.
    thresholds: tuple[float, ...] | None = None
    # Whether the usual ones of overlap are all of COCO's.
    over_thresholds: bool = False
    # What its rows are called.
    label: str = ""
    # Range of sizes.
    area: AreaRange | None = None
    max_detections: int | None = None


def resolve_detection_metric(metric: Any) -> RequestedMetric:
    """The metric of a name, a spec or a function, with a threshold: ``ap50``, ``ap@0.5:0.95``."""
    if isinstance(metric, str):
        text, _, at = metric.partition("@")
        name, parameters = parse_name(text, _parameters)
        base, percent = without_threshold(name)
        if at and percent:
            raise OptionError(f"{spelled('metric', metric)} names two thresholds; name one")
        if percent:
            at = str(int(percent) / 100)
        spec = _spec_named(base, metric)
        label = f"{spec.display}{percent}" if percent else ""
        return RequestedMetric(
            Metric(spec, bind(spec.name, spec.parameters, parameters, complete=True)),
            parse_thresholds(at, "threshold") if at else None,
            spec.name == ar.__name__ or plain_name(base) in OVER_THRESHOLDS,
            label,
        )
    if isinstance(metric, Metric):
        spec, parameters = metric.spec, dict(metric.parameters)
    else:
        attached = metric if isinstance(metric, MetricSpec) else spec_of(metric)
        if not isinstance(attached, MetricSpec):
            raise OptionError(
                f"{spelled('metric', metric)} is neither a name nor a metric of detections "
                f"({', '.join(DETECTION_METRICS.names)})"
            )
        spec, parameters = attached, {}
    if spec.takes is not Takes.MATCHES:
        raise UnknownNameError("metric of detections", spec.name, DETECTION_METRICS.names)
    return RequestedMetric(
        Metric(spec, bind(spec.name, spec.parameters, parameters, complete=True)),
        over_thresholds=spec.name == ar.__name__,
    )


def _parameters(name: str) -> tuple[Any, ...]:
    base = without_threshold(name)[0]
    return DETECTION_METRICS[base].parameters if base in DETECTION_METRICS else ()


def _spec_named(name: str, metric: str) -> MetricSpec:
    if name in DETECTION_METRICS:
        return DETECTION_METRICS[name]
    if name in SAMPLE_METRICS:
        raise OptionError(
            f"{spelled('metric', metric)} measures images or cases and not where objects are "
            "(halfwidth explain HW881); metrics of detections: "
            f"{', '.join(DETECTION_METRICS.names)}. For whole images: metric_ci, halfwidth ci"
        )
    if name in METRICS:
        raise OptionError(
            f"{spelled('metric', metric)} measures one pair of masks. For the objects found use "
            "instance_dsc and its kin, for whole masks score_masks, halfwidth score"
        )
    raise UnknownNameError(
        "metric of detections", name, DETECTION_METRICS.names, synonyms=DETECTION_METRICS.every_name
    )


# --------------------------------------------------------------------------- COCO


def coco_summary() -> tuple[RequestedMetric, ...]:
    """The twelve numbers of COCO's evaluation, in its order and by its names."""
    every = parse_thresholds(COCO_THRESHOLDS)
    precision, recall = (
        RequestedMetric(
            Metric(spec, bind(spec.name, spec.parameters, {}, complete=True)),
            every,
            max_detections=COCO_MOST,
        )
        for spec in (spec_of(ap), spec_of(ar))
    )
    sizes = {name: area for name, area in COCO_AREAS.items() if area is not None}
    return (
        replace(precision, label="AP"),
        replace(precision, label="AP50", thresholds=(0.5,)),
        replace(precision, label="AP75", thresholds=(0.75,)),
        *(replace(precision, label=f"AP {name}", area=area) for name, area in sizes.items()),
        *(replace(recall, label=f"AR{most}", max_detections=most) for most in (1, 10, COCO_MOST)),
        *(replace(recall, label=f"AR {name}", area=area) for name, area in sizes.items()),
    )


def requested_metrics(metrics: Sequence[Any], matching: Matching) -> tuple[RequestedMetric, ...]:
    """All metrics with the thresholds, sizes and numbers of detections that a matching names."""
    at, sizes = parse_thresholds(matching.threshold), parse_areas(matching.area)
    requested: list[RequestedMetric] = []
    for metric in metrics:
        if isinstance(metric, str) and metric.strip().lower() == COCO:
            requested += coco_summary()
            continue
        one = resolve_detection_metric(metric)
        one = replace(
            one,
            thresholds=at if one.thresholds is None else one.thresholds,
            max_detections=matching.max_detections,
        )
        requested += [
            replace(one, area=area, label=_joined(one.label, name)) for name, area in sizes
        ]
    if at is not None and requested and all(one.thresholds != at for one in requested):
        raise OptionError(
            f"{spelled('threshold', matching.threshold)} has no effect: each metric names a "
            "threshold of its own"
        )
    return tuple(requested)


def _joined(*parts: str) -> str:
    return " ".join(filter(None, parts))


def check_together(metrics: Sequence[Any], options: Mapping[str, Any]) -> None:
    """Refuse what the twelve numbers of COCO fix."""
    named = [one for one in metrics if isinstance(one, str) and one.strip().lower() == COCO]
    excluded = [name for name, value in options.items() if value is not None]
    if named and excluded:
        raise OptionError(
            f"{' and '.join(excluded)} and {spelled('metric', 'coco')} exclude each other: its "
            "twelve numbers fix their own thresholds, sizes and numbers of detections; name the "
            "metrics instead (ap, ap50, ar)"
        )
