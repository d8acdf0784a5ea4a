"""Which metric of a test set a name, a spec or a function means."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args

import numpy as np

from halfwidth.core.errors import OptionError, UnknownNameError, shortened
from halfwidth.core.option_names import spelled
from halfwidth.core.parameters import bind, parse_name
from halfwidth.core.spec import Better, Estimand, Metric, MetricLevel, MetricSpec, spec_of
from halfwidth.core.types import UNBOUNDED
from halfwidth.estimation.functionals import CustomMetric
from halfwidth.metrics.all_metrics import (
    DETECTION_METRICS,
    METRICS,
    SAMPLE_METRICS,
    refuse_detection_metric,
)

Average = Literal["binary", "macro", "micro", "weighted", "sum", "canonical", "top_label", "none"]
AVERAGES: tuple[Average, ...] = get_args(Average)


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
