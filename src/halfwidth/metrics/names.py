"""Which metric, of cases or of a test set, a name, a spec or a function means."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from halfwidth.core import metric_spec
from halfwidth.core.errors import OptionError, UnknownNameError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.parameters import Parameter, bind, parse_name
from halfwidth.core.spec import Better, Estimand, Metric, MetricLevel, MetricSpec, spec_of
from halfwidth.core.types import UNBOUNDED, Bounds, as_bounds
from halfwidth.metrics.all_metrics import (
    DETECTION_METRICS,
    METRICS,
    SAMPLE_METRICS,
    is_sample_metric,
    refuse_detection_metric,
)

Average = Literal["binary", "macro", "micro", "weighted", "sum", "canonical", "top_label", "none"]
AVERAGES: tuple[Average, ...] = get_args(Average)


@frozen
class CustomMetric:
    """A user's function ``f(y_true, y_score)``."""

    function: Any
    metric: Metric


# --------------------------------------------------------------------------- metrics of a test set


def is_several(value: Any) -> bool:
    """Whether it holds several metrics, or averages, rather than being one."""
    single = isinstance(value, str | MetricSpec | Metric)
    # NumPy's scalars only look as if they held several.
    scalar = isinstance(value, np.ndarray) and not value.ndim
    return isinstance(value, Iterable) and not single and not scalar


def several(value: Any, name: str) -> list[Any]:
    """One name or several as a list."""
    values = list(value) if is_several(value) else [value]
    if not values:
        raise OptionError(f"{name}: name at least one")
    return values


def resolve_metric(metric: Any = None, bounds: Any = None) -> Metric:
    """The metric meant by a name, a spec, a function or nothing, with a range of its own."""
    spec, parameters = _named_metric(metric, bounds)
    # What is resolved already may be a regression's, whose bounds are to be set.
    if not isinstance(metric, str | Metric) and is_sample_metric(spec):
        raise _test_set_metric_error(spec.name)
    if bounds is not None:
        spec = replace(spec, bounds=_bounds_within(spec, bounds), bounds_given=True)
    return Metric(spec, bind(spec.name, spec.parameters, parameters, complete=False))


def _named_metric(metric: Any, bounds: Any) -> tuple[MetricSpec, Mapping[str, object]]:
    """What is known of a metric, and the parameters that are named with it."""
    parameters: Mapping[str, object] = {}
    if isinstance(metric, str):
        name, parameters = parse_name(metric, _metric_parameters)
        known = METRICS.find(name)
        if known is None and bounds is None:
            refuse_detection_metric(name)
            if name in SAMPLE_METRICS:
                raise _test_set_metric_error(name)
            raise UnknownNameError(
                "metric",
                name,
                METRICS.names,
                synonyms=METRICS.every_name,
                hint="A metric of your own needs bounds (low and high; inf is allowed).",
            )
        spec = known or MetricSpec(name)
    elif isinstance(metric, Metric):
        spec, parameters = metric.spec, dict(metric.parameters)
    elif isinstance(metric, MetricSpec):
        spec = metric
    elif metric is None:
        spec = metric_spec.UNNAMED
    else:
        attached = spec_of(metric) if callable(metric) else None
        if not isinstance(attached, MetricSpec):
            raise OptionError(
                f"{spelled('metric', metric)} is neither a name, a MetricSpec nor one of "
                "halfwidth's metric functions; the values are already computed, so name their "
                "metric, or give bounds"
            )
        spec = attached
    return spec, parameters


def _test_set_metric_error(name: str) -> OptionError:
    return OptionError(
        f"{name!r} is a metric of a whole test set, not of values of cases: give true classes and "
        f"scores to metric_ci ({spelled('y_true')}, {spelled('y_score')})"
    )


def _metric_parameters(name: str) -> tuple[Parameter, ...]:
    return METRICS[name].parameters if name in METRICS else ()


def _bounds_within(spec: MetricSpec, wanted: Any) -> Bounds:
    """Bounds for a metric: no value lies beyond its own, so that wider ones are a mistake."""
    bounds, own = as_bounds(wanted), spec.bounds
    if bounds.low < own.low or bounds.high > own.high:
        advice = "give narrower ones, or name the metric otherwise if it is another"
        low, high = bounds.low / 100, bounds.high / 100
        if own == Bounds(0, 1) and 0 <= low < high <= 1 < bounds.high / 2:
            advice = f"for values in per cent give {spelled('scale', 100)} and "
            advice += spelled("bounds", (low, high))
        raise OptionError(
            f"{spelled('bounds', (bounds.low, bounds.high))} reaches beyond the range of "
            f"{spec.called}, {own}: {advice}"
        )
    return bounds


def resolve_sample_metric(metric: Any) -> Metric | CustomMetric:
    """The metric of a test set meant by a name, a spec, a declared function or any callable."""
    parameters: Mapping[str, object] = {}
    tables: Mapping[str, Any] = {}
    if isinstance(metric, str):
        name, parameters = parse_name(metric, lambda n: SAMPLE_METRICS[n].parameters)
        if name not in SAMPLE_METRICS and name in METRICS:
            raise OptionError(
                f"{name!r} has a value for each case, not one for a test set; compute the values "
                "and give them to summary_ci, or to halfwidth ci as a column of a table"
            )
        if name not in SAMPLE_METRICS:
            refuse_detection_metric(name)
        spec = SAMPLE_METRICS[name]
    elif isinstance(metric, Metric):
        spec, parameters, tables = metric.spec, dict(metric.parameters), metric.tables
    elif isinstance(metric, MetricSpec):
        spec = metric
    elif isinstance(metric, functools.partial):
        return _with_keywords(metric)
    elif callable(metric):
        attached = spec_of(metric)
        if not isinstance(attached, MetricSpec):
            return _custom_metric(metric)
        spec = attached
    else:
        raise OptionError(
            f"{spelled('metric', metric)} is neither a name ({shortened(SAMPLE_METRICS.names)}) "
            "nor a function of y_true and y_score"
        )
    if spec.level is not MetricLevel.SAMPLE:
        raise UnknownNameError("metric of a test set", spec.name, SAMPLE_METRICS.names)
    return Metric(spec, bind(spec.name, spec.parameters, parameters, complete=True), tables)


def _with_keywords(function: functools.partial[Any]) -> Metric | CustomMetric:
    """A declared function with its parameters, of which costs and priors are no numbers."""
    spec = spec_of(function.func)
    if not isinstance(spec, MetricSpec):
        return _custom_metric(function)
    if function.args:
        raise OptionError(f"give the parameters of {spec.name} by name, not by place")
    parameters = {name: one for name, one in function.keywords.items() if name not in spec.tables}
    tables = {name: function.keywords[name] for name in spec.tables if name in function.keywords}
    for one in spec.parameters:
        # Costs say by themselves that they are the weights.
        for name in tables.keys() & dict(one.words):
            parameters.setdefault(one.name, name)
    return resolve_sample_metric(Metric(spec, parameters, tables))


def possible_estimands(name: str) -> frozenset[Estimand]:
    """What a metric of a test set or of detections, of one class, may be an estimate of."""
    # What both know by a name, as F1, is meant of test sets.
    requested = name.partition(":")[0]
    detection = requested in DETECTION_METRICS and requested not in SAMPLE_METRICS
    known = DETECTION_METRICS if detection else SAMPLE_METRICS
    if requested in METRICS and requested not in known:
        raise OptionError(
            f"{requested!r} has a value for each case, and its methods are those of the statistic "
            f"of the values: {spelled('statistic', 'mean')}, for example"
        )
    base, parameters = parse_name(name, lambda n: known[n].parameters)
    spec = known[base]
    bound = bind(spec.name, spec.parameters, parameters, complete=False)
    return frozenset({Metric(spec, bound).estimand})


def _custom_metric(function: Any) -> CustomMetric:
    inner = getattr(function, "func", function)
    name = getattr(inner, "__name__", type(inner).__name__)
    spec = MetricSpec(
        "metric" if name == "<lambda>" else name,
        bounds=UNBOUNDED,
        better=Better.UNSTATED,
        level=MetricLevel.SAMPLE,
        reliable_n=50,
    )
    return CustomMetric(function, Metric(spec))
