"""What is estimated in a cell: a statistic of per-case values, or a metric of test sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from halfwidth.core.forms import CellCounts, RankedAreas
from halfwidth.core.spec import Kind, MethodSpec, Metric, MetricLevel, Need, Statistic
from halfwidth.core.types import Array, Bounds
from halfwidth.estimation.metric_jobs import Policies, Target, job_for, targets_of
from halfwidth.estimation.test_sets import TestSet
from halfwidth.intervals.catalogue import METHODS
from halfwidth.intervals.compute import fits
from halfwidth.metrics import building
from halfwidth.metrics.averaging import CountingFinish
from halfwidth.resampling.designs import Design
from halfwidth.study.specs.spec import Instance, StudySpec, written

__all__ = ["Measured", "measured_on", "methods_for"]


@dataclass(frozen=True)
class Measured:
    """What intervals are made for.

    Attributes
    ----------
    metric, statistic : str
        As a spec writes them; a metric of test sets has no statistic.
    average, label : str
        Of a metric of test sets: how it is averaged, or the class it is of.
    reduce : Statistic
        From a sample to its value.
    samples : callable
        From what a population draws to the samples that ``reduce`` takes, in canonical order.
    bounds : Bounds
        The metric's range.
    binary : bool
        Whether samples are of 0 and 1.
    methods : tuple of MethodSpec
    """

    metric: str
    statistic: str
    average: str
    label: str
    reduce: Statistic
    samples: Callable[[Array], Array]
    bounds: Bounds
    binary: bool
    methods: tuple[MethodSpec, ...]

    def design(self, n: int) -> Design:
        """Independent cases, whose records stay together where they hold several values."""
        return Design((n,), paired=isinstance(self.reduce.spec.form, RankedAreas))


def methods_for(
    asked: Sequence[MethodSpec] | None, statistic: Statistic, bounds: Bounds, *, binary: bool
) -> tuple[MethodSpec, ...]:
    """The methods asked for (None: all) that make intervals for a statistic."""
    form = statistic.spec.form
    design = Design((0,), paired=isinstance(form, RankedAreas))
    return tuple(
        method
        for method in (METHODS if asked is None else asked)
        if fits(method, statistic, design, binary=binary)
        and (Need.BOUNDS not in method.needs or bounds.finite)
    )


def measured_on(instance: Instance, metric: Metric | None, spec: StudySpec) -> tuple[Measured, ...]:
    """All that is estimated of one metric on an instance, on the same samples.

    Parameters
    ----------
    instance : Instance
    metric : Metric or None
        Of test sets; None for per-case values, which have but one.
    spec : StudySpec
    """
    if instance.level is MetricLevel.SAMPLE and metric is not None:
        return tuple(_of_test_sets(instance, metric, spec))
    return tuple(_of_values(instance, spec))


# --------------------------------------------------------------------------- per-case values


def _of_values(instance: Instance, spec: StudySpec) -> Iterator[Measured]:
    metric = instance.metric
    binary = metric is not None and metric.spec.kind is Kind.BINARY
    for statistic in spec.statistics:
        yield Measured(
            metric=written(metric) if metric is not None else "",
            statistic=written(statistic),
            average="",
            label="",
            reduce=statistic,
            samples=_as_drawn,
            bounds=instance.bounds,
            binary=binary,
            methods=methods_for(spec.methods, statistic, instance.bounds, binary=binary),
        )


def _as_drawn(values: Array) -> Array:
    return values


# --------------------------------------------------------------------------- test sets


def _of_test_sets(instance: Instance, metric: Metric, spec: StudySpec) -> Iterator[Measured]:
    """As the front door would estimate it, which is asked for its statistic."""
    cases = _one_of_each(instance.classes)
    policies = Policies(spec.absent_class, "omit")
    allowed = [average for average in spec.averages if average in metric.spec.averages]
    for target in targets_of(metric, allowed or None, cases):
        made = _statistic_of(target, cases, policies)
        reduce, bounds = made.statistic, made.bounds
        yield Measured(
            metric=written(metric),
            statistic="",
            average=target.average or "",
            label=target.label,
            reduce=reduce,
            samples=_Samples(len(instance.classes), _kind_of(reduce), target.which),
            bounds=bounds,
            binary=made.binary,
            methods=methods_for(spec.methods, reduce, bounds, binary=made.binary),
        )


def _one_of_each(classes: Sequence[str]) -> TestSet:
    """A test set in which each class is once taken for each."""
    count = len(classes)
    truth, predicted = np.divmod(np.arange(count**2), count)
    scores = (predicted == np.arange(count)[:, None]).astype(float)
    positive = 1 if count == 2 else None
    return TestSet(
        labels=tuple(classes),
        truth=truth,
        given=scores,
        predicted=predicted,
        scores=scores,
        positive=positive,
    )


@dataclass(frozen=True)
class _Made:
    statistic: Statistic
    bounds: Bounds
    binary: bool


def _statistic_of(target: Target, cases: TestSet, policies: Policies) -> _Made:
    job = job_for(target, cases, policies, None)
    metric = job.sample.metric
    if job.sample.binary and job.sample.n_cases < cases.n and isinstance(target.metric, Metric):
        # A proportion of the cases in its denominator, of which samples hold more or less.
        finish = CountingFinish(
            target.metric, cases.n_classes, target.average or "", target.which, policies.absent
        )
        statistic = building.of_cells(target.metric, finish, policies.undefined)
        return _Made(statistic, metric.spec.bounds, binary=False)
    return _Made(job.statistic, metric.spec.bounds, job.sample.binary)


def _kind_of(statistic: Statistic) -> str:
    form = statistic.spec.form
    if isinstance(form, RankedAreas):
        return "scores" if form.row is None else "score"
    return "cells" if isinstance(form, CellCounts) else "hits"


@dataclass(frozen=True)
class _Samples:
    """From records (S, C + 1, n), scores of C classes and the code of the true one.

    Attributes
    ----------
    n_classes : int
    kind : {"hits", "cells", "score", "scores"}
    which : int
        The class whose score it is.
    """

    n_classes: int
    kind: str
    which: int

    def __call__(self, records: Array) -> Array:
        """The samples, their cases in the order of `designs.arrange`."""
        scores, truth = records[:, :-1], records[:, -1]
        if self.kind in ("hits", "cells"):
            # Of two equal scores that of the positive class decides, of more the first.
            two = self.n_classes == 2
            predicted = scores[:, 1] >= scores[:, 0] if two else scores.argmax(axis=1)
            if self.kind == "hits":
                return np.asarray(predicted == truth, dtype=float)
            return np.sort(truth * self.n_classes + predicted, axis=-1)
        if self.kind == "score":
            # As the front door has it: a positive case is marked by 0.
            marks = np.where(truth == self.which, 0.0, 1.0)
            return _in_order(np.stack([scores[:, self.which], marks], axis=1))
        return _in_order(records)


def _in_order(records: Array) -> Array:
    """Cases by their first value, then by the next: (S, k, n)."""
    first = records[:, 0]
    order = np.argsort(first, axis=-1)
    ordered = np.take_along_axis(first, order, axis=-1)
    for tied in np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=-1)):
        order[tied] = np.lexsort(records[tied, ::-1])
    return np.take_along_axis(records, order[:, None], axis=-1)
