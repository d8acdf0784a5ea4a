"""What is computed of each model: a statistic of its values, or a metric of its predictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Protocol

from halfwidth.core.by_metric import penalty_of
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import at_door, spelled
from halfwidth.core.spec import Metric, Statistic, Takes
from halfwidth.data.families import Family, Pairing
from halfwidth.data.test_set_options import TestSetOptions
from halfwidth.estimation.resolve import Request
from halfwidth.estimation.test_sets.metric_requests import MetricRequest, metric_request
from halfwidth.measuring.jobs import FamilyJobs
from halfwidth.measuring.matching import matched
from halfwidth.measuring.read_test_sets import measure_test_sets
from halfwidth.measuring.values import ValueOptions, measure_values
from halfwidth.metrics.all_metrics import METRICS, SAMPLE_METRICS
from halfwidth.metrics.names import CustomMetric, resolve_metric


@frozen(eq=False)
class Matched:
    """How the cases of models are brought together, and what all estimates of these share."""

    request: Request
    pairing: Pairing = "complete"

    @property
    def paired(self) -> bool:
        """Whether the models were measured on the same cases."""
        return self.pairing != "none"


@frozen(eq=False)
class MetricPlan:
    """What is computed of each model: of values of cases, or (``requested``) of its test set."""

    # In a table with a column of metrics, what the option names.
    metric: Metric | CustomMetric
    values: ValueOptions | None = None
    requested: MetricRequest | None = None

    @property
    def numbers(self) -> bool:
        """Whether targets are numbers, not classes."""
        return isinstance(self.metric, Metric) and self.metric.spec.takes is Takes.NUMBERS

    def measured(self, family: Family, how: Matched) -> list[FamilyJobs]:
        """The models of a family, matched and measured."""
        if how.paired:
            in_order = matched(family, how.pairing, values=self.values is not None)
            return self.measured_as_matched(in_order, how)
        # By their ids, which are to be taken for different.
        first, *others = [set(model.identities or ()) for model in family.models]
        n_shared = len(first.intersection(*others)) if others else 0
        return [replace(one, n_shared=n_shared) for one in self.measured_as_matched(family, how)]

    def measured_as_matched(self, family: Family, how: Matched) -> list[FamilyJobs]:
        """The models of a family, measured, with their cases in one order, or their own."""
        if self.values is not None:
            return [measure_values(family, self.values, how.request, paired=how.paired)]
        if self.requested is None:
            raise TypeError("either values or predictions are measured")
        return measure_test_sets(family, self.requested, how.request.missing, paired=how.paired)


@frozen(eq=False)
class FamilyPlan:
    """Models of one place of the data, and what is computed of each of them."""

    family: Family
    plan: MetricPlan

    @property
    def label(self) -> str:
        """The label of the cases, which all their metrics share."""
        return self.family.label

    @property
    def models(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(model.name for model in self.family.models)

    @property
    def metric(self) -> Metric | CustomMetric:
        """What they are compared on."""
        return self.family.metric

    @property
    def statistic(self) -> Statistic | None:
        """The statistic of values of cases; None for a metric of a test set."""
        values = self.plan.values
        return None if values is None else values.statistic

    def measured(self, how: Matched) -> list[FamilyJobs]:
        """The models, matched and measured."""
        return self.plan.measured(self.family, how)

    def keeping_missing(self) -> FamilyPlan:
        """The plan with cases without a value kept, and said to be such."""
        if self.plan.values is None:
            return self
        values = replace(self.plan.values, keeps_missing=True)
        return replace(self, plan=replace(self.plan, values=values))


class Comparable(Protocol):
    """Models of one place of some data, by one metric: what is compared, and ranked."""

    @property
    def label(self) -> str:
        """The place: the levels of columns."""

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""

    @property
    def metric(self) -> Metric | CustomMetric:
        """The metric they are compared on."""

    @property
    def statistic(self) -> Statistic | None:
        """The statistic of values of cases; None for a metric of a test set."""

    def measured(self, how: Matched, /) -> list[FamilyJobs]:
        """The models, matched and measured."""


def by_level(metrics: Sequence[FamilyPlan]) -> list[FamilyPlan]:
    """All metrics of a level together, levels in the order of their appearance."""
    order = list(dict.fromkeys(one.label for one in metrics))
    return sorted(metrics, key=lambda one: order.index(one.label))


def plan_of_values(
    metric: Any, bounds: Any, options: ValueOptions, *, named: bool = True
) -> MetricPlan:
    """A statistic of values of cases; ``named`` where the metric is not one that a table names."""
    name = metric.partition(":")[0] if isinstance(metric, str) else ""
    if name in SAMPLE_METRICS and name not in METRICS:
        raise OptionError(
            f"{name} is a metric of a whole test set: give the true classes, and scores or "
            "predictions of each model"
            + at_door(": (y_true, {'A': scores, 'B': scores})", f" ({spelled('y_true')})")
        )
    return MetricPlan(resolve_metric(metric, bounds) if named else resolve_metric(), options)


def plans_of_metrics(
    metrics: Sequence[Any], averages: Sequence[Any] | None, options: TestSetOptions, bounds: Any
) -> list[MetricPlan]:
    """Several metrics of whole test sets; an option need have an effect on one of them only."""
    requested = metric_request(metrics, averages, options, bounds)
    return [
        MetricPlan(one, requested=replace(requested, metrics=[one])) for one in requested.metrics
    ]


def penalized(families: Sequence[Comparable], how: Matched) -> Iterator[tuple[Comparable, Matched]]:
    """Each family with how it is measured: with the penalty of its own metric."""
    several = len({one.metric.spec for one in families if isinstance(one.metric, Metric)}) > 1
    for one in families:
        if not isinstance(one.metric, Metric):
            yield one, how
            continue
        penalty = penalty_of(how.request.penalty, one.metric, several=several)
        yield one, replace(how, request=replace(how.request, penalty=penalty))
