"""What is computed of each model: a statistic of its values, or a metric of its predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from halfwidth.comparison.case_values import ValueOptions, measure_values
from halfwidth.comparison.families import Family, MeasuredFamily
from halfwidth.comparison.matching import matched, shared_cases
from halfwidth.comparison.settings import (
    Settings,
    check_against_metric,
    check_against_statistic,
    check_models,
)
from halfwidth.comparison.test_sets import measure_test_sets
from halfwidth.core.errors import OptionError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.options import spelled
from halfwidth.core.spec import Metric, Takes
from halfwidth.estimation.functionals import CustomMetric
from halfwidth.estimation.resolve import resolve_metric, resolve_statistic
from halfwidth.estimation.test_sets.options import MetricRequest, TestSetOptions, metric_request
from halfwidth.metrics.catalogue import METRICS, SAMPLE_METRICS

# The defaults of options that only one of the two looks at.
OF_VALUES: Mapping[str, Any] = {"statistic": "mean", "over": "cases", "scale": 1.0, "penalty": None}
OF_TEST_SETS: Mapping[str, Any] = {
    "average": None,
    "labels": None,
    "pos_label": None,
    "scores": "auto",
    "threshold": None,
    "absent_class": "omit",
    "undefined": "omit",
    "costs": None,
    "priors": None,
    "sample_weight": None,
}


@frozen(eq=False)
class Measuring:
    """What is computed of each model.

    Attributes
    ----------
    metric : Metric or CustomMetric
        In a table with a column of metrics, what the option names.
    values : ValueOptions or None
        For values of cases.
    requested : MetricRequest or None
        For metrics of a test set.
    """

    metric: Metric | CustomMetric
    values: ValueOptions | None = None
    requested: MetricRequest | None = None

    @property
    def numbers(self) -> bool:
        """Whether targets are numbers, not classes."""
        return isinstance(self.metric, Metric) and self.metric.spec.takes is Takes.NUMBERS

    def measured(self, family: Family, settings: Settings) -> list[MeasuredFamily]:
        """The models of a family, matched and measured."""
        check_models([model.name for model in family.models], settings)
        check_against_metric(settings, family.metric)
        if self.values is not None:
            check_against_statistic(settings, self.values.statistic)
        if settings.paired:
            return self._measured(matched(family, settings.unmatched), settings)
        n_shared = shared_cases(family)
        return [replace(one, n_shared=n_shared) for one in self._measured(family, settings)]

    def _measured(self, family: Family, settings: Settings) -> list[MeasuredFamily]:
        request, paired = settings.request, settings.paired
        if self.values is not None:
            return [measure_values(family, self.values, request, paired=paired)]
        if self.requested is None:
            raise TypeError("either values or predictions are measured")
        return measure_test_sets(family, self.requested, request.missing, paired=paired)


def measuring_values(
    metric: Any, bounds: Any, given: Mapping[str, Any], *, named: bool = True
) -> Measuring:
    """A statistic of values of cases; ``named`` where the metric is not one that a table names."""
    _refuse(given, OF_TEST_SETS, f"needs the true classes: {spelled('y_true')}")
    name = metric.partition(":")[0] if isinstance(metric, str) else ""
    if name in SAMPLE_METRICS and name not in METRICS:
        raise OptionError(
            f"{name} is a metric of a whole test set: give the true classes, {spelled('y_true')} "
            f"(in a table {spelled('target')}), and scores or predictions of each model"
        )
    options = ValueOptions(resolve_statistic(given["statistic"]), given["scale"])
    return Measuring(resolve_metric(metric, bounds) if named else resolve_metric(), options)


def measuring_test_sets(metric: Any, bounds: Any, given: Mapping[str, Any]) -> Measuring:
    """A metric of whole test sets."""
    if isinstance(metric, list | tuple | set):
        raise OptionError(f"{spelled('metric', metric)} is several; models are compared on one")
    return measuring_each_metric([metric], bounds, given)[0]


def measuring_each_metric(
    metrics: Sequence[Any], bounds: Any, given: Mapping[str, Any]
) -> list[Measuring]:
    """Several metrics of whole test sets; an option need have an effect on one of them only."""
    _refuse(given, OF_VALUES, "has no effect on a metric of a test set")
    if any(metric is None for metric in metrics):
        raise OptionError(
            f"true classes are given, and no metric of a test set: {spelled('metric')}, one of "
            f"{shortened(SAMPLE_METRICS.names)}"
        )
    average = given["average"]
    averages = None if average is None else [average]
    names = [name for name in OF_TEST_SETS if name not in ("average", "sample_weight")]
    options = TestSetOptions(**{name: given[name] for name in names})
    requested = metric_request(metrics, averages, options, bounds)
    return [
        Measuring(one, requested=replace(requested, metrics=[one])) for one in requested.metrics
    ]


def _refuse(given: Mapping[str, Any], defaults: Mapping[str, Any], why: str) -> None:
    """An option that would be ignored is an error."""
    for name, default in defaults.items():
        value = given[name]
        is_default = value is default or (type(value) is type(default) and value == default)
        if not is_default and not (name == "scale" and value == 1):
            raise OptionError(f"{spelled(name, value)} {why}")
