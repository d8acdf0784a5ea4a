"""What is estimated in a cell: a statistic of per-case values, or a metric of test sets."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Estimand, Kind, MethodSpec, Metric, MetricLevel, Statistic
from halfwidth.core.types import Array, Bounds
from halfwidth.estimation.functionals import (
    Classes,
    MetricRow,
    Policies,
    build_functional,
    is_share,
    metric_rows,
    share_functional,
    share_of,
)
from halfwidth.estimation.records import Functional
from halfwidth.estimation.resolve import AUTO
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.compute import fits, rests_on_bounds
from halfwidth.metrics.names import resolve_metric
from halfwidth.resampling.designs import Design
from halfwidth.resampling.forms.engines import engine_for
from halfwidth.study.specs.branches import detection_sources
from halfwidth.study.specs.spec import DetectedRow, Instance, StudySpec, written


@frozen
class Measured:
    """What intervals are made for."""

    # As a spec writes them; a metric of test sets has no statistic.
    metric: str
    statistic: str
    # Of a metric of test sets: how it is averaged, or the class it is of.
    average: str
    label: str
    functional: Functional
    # From what a population draws to the samples that ``reduce`` takes, in canonical order.
    samples: Callable[[Array], Array]
    # Those that the study names.
    methods: tuple[MethodSpec, ...]
    # Whether intervals are made by what ``auto`` chooses for each sample, too.
    auto: bool = False
    # From samples to their hits and misses, where users get a proportion of these.
    share: Callable[[Array], tuple[NDArray[np.bool_], NDArray[np.bool_]]] | None = None
    # Of a metric of test sets: from cases with a row of weights to its value.
    weighted_value: Callable[[Array], Array] | None = None

    @property
    def reduce(self) -> Statistic:
        """The function from a sample to its value."""
        return self.functional.statistic

    @property
    def bounds(self) -> Bounds:
        """The metric's range."""
        return self.functional.metric.spec.bounds

    @property
    def binary(self) -> bool:
        """Whether samples are of 0 and 1."""
        return self.functional.binary

    @property
    def method_names(self) -> tuple[str, ...]:
        """The methods of the rows of a cell, at each level."""
        return (*(method.name for method in self.methods), *((AUTO,) if self.auto else ()))

    def design(self, n: int) -> Design:
        """Independent cases."""
        return _independent_design(self.reduce, n)

    def as_users_have_them(self, samples: Array) -> Iterator[AutomaticSamples]:
        """What ``auto`` chooses a method for: shares are of the cases that they count alone."""
        rows, n = np.arange(len(samples)), samples.shape[-1]
        if self.share is None:
            yield AutomaticSamples(rows, self.functional, samples, self.design(n))
            return
        hits, misses = (cases.sum(axis=-1) for cases in self.share(samples))
        trials = hits + misses
        functional = share_functional(self.functional.metric)
        for m in np.unique(trials):
            own = rows[trials == m]
            if m:
                ones = np.arange(m) >= m - hits[own, None]
                yield AutomaticSamples(own, functional, ones.astype(float), Design.iid(int(m)))
            else:
                yield AutomaticSamples(own, self.functional, samples[own], self.design(n))


@frozen
class AutomaticSamples:
    """Samples whose intervals ``auto`` makes, and their places among all samples."""

    rows: NDArray[np.intp]
    functional: Functional
    # Shape (S, m) or (S, k, m).
    samples: Array
    design: Design


def methods_for(
    named: Sequence[MethodSpec] | None, statistic: Statistic, bounds: Bounds, *, binary: bool
) -> tuple[MethodSpec, ...]:
    """The methods that are named (None: all) that make intervals for a statistic."""
    design = _independent_design(statistic, 0)
    return tuple(
        method
        for method in (METHODS if named is None else named)
        if fits(method, statistic, design, binary=binary)
        and (bounds.finite or not rests_on_bounds(method, statistic))
    )


def _independent_design(statistic: Statistic, n: int) -> Design:
    """Independent cases, whose records stay together where they hold several values."""
    return Design((n,), paired=engine_for(statistic).paired)


def measured_on(instance: Instance, metric: Metric | None, spec: StudySpec) -> tuple[Measured, ...]:
    """All that is estimated on an instance, on the same samples.

    ``metric`` is that of a test set; per-case values have but one.
    """
    if instance.detected is not None:
        return (_measured_of_images(instance.detected, spec),)
    if instance.level is MetricLevel.SAMPLE and metric is not None:
        return tuple(_measured_of_test_sets(instance, metric, spec))
    return tuple(_measured_of_values(instance, spec))


# --------------------------------------------------------------------------- per-case values


def _measured_of_values(instance: Instance, spec: StudySpec) -> Iterator[Measured]:
    metric = instance.metric or resolve_metric(bounds=instance.bounds)
    binary = metric.spec.kind is Kind.BINARY
    for statistic in spec.statistics:
        yield Measured(
            metric=written(metric) if instance.metric is not None else "",
            statistic=written(statistic),
            average="",
            label="",
            functional=Functional(statistic, metric, binary),
            samples=_as_drawn,
            methods=methods_for(spec.methods, statistic, instance.bounds, binary=binary),
            auto=spec.auto,
        )


def _as_drawn(values: Array) -> Array:
    return values


# --------------------------------------------------------------------------- images


def _measured_of_images(detected: DetectedRow, spec: StudySpec) -> Measured:
    """Estimate as `hw.estimate` would, on images of samples."""
    policies, row = Policies(spec.absent_class, "omit"), detected.row
    functional = detection_sources().functional_of(detected, policies)
    bounds = functional.metric.spec.bounds
    return Measured(
        metric=detected.metric,
        statistic="",
        average=row.average or "",
        label=row.label,
        functional=functional,
        samples=_as_drawn,
        methods=methods_for(spec.methods, functional.statistic, bounds, binary=False),
        auto=spec.auto,
    )


# --------------------------------------------------------------------------- test sets


def _measured_of_test_sets(
    instance: Instance, metric: Metric, spec: StudySpec
) -> Iterator[Measured]:
    """Estimate as `metric_ci` would, on the cases of samples in place of a test set."""
    if metric.estimand is Estimand.ERROR_OF_PAIRS:
        raise OptionError(
            f"metrics: {written(metric)} cannot be studied: its value in a population takes too "
            "many pairs of cases; use ece, smooth_ece or kce"
        )
    classes = Classes(instance.classes, 1 if len(instance.classes) == 2 else None)
    policies = Policies(spec.absent_class, "omit")
    allowed = [average for average in spec.averages if average in metric.spec.averages]
    for target in metric_rows(metric, allowed or None, classes):
        functional = build_functional(target, metric, classes, policies)
        weighted = build_functional(target, metric, classes, policies, weighted=True)
        bounds = functional.metric.spec.bounds
        yield Measured(
            metric=written(metric),
            statistic="",
            average=target.average or "",
            label=target.label,
            functional=functional,
            samples=functools.partial(_records, functional),
            methods=methods_for(
                spec.methods, functional.statistic, bounds, binary=functional.binary
            ),
            auto=spec.auto,
            share=functools.partial(_share, target, metric, len(classes))
            if is_share(target, metric)
            else None,
            weighted_value=functools.partial(_weighted_value, weighted),
        )


def _share(
    row: MetricRow, metric: Metric, n_classes: int, cells: Array
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Hits and misses among cells of the confusion matrix."""
    return share_of(row, metric, *np.divmod(cells, n_classes))


@frozen
class _Drawn:
    """Cases of samples as a population draws them: scores (S, C, n), true and predicted classes.

    Of two equal scores that of the positive class decides, of more the first.
    """

    scores: Array
    truth: Array
    weights: Array | None = None

    @property
    def predicted(self) -> NDArray[Any]:
        if self.scores.shape[1] == 2:
            return np.asarray(self.scores[:, 1] >= self.scores[:, 0])
        return np.asarray(self.scores.argmax(axis=1))

    def score_rows(self) -> Array:
        return self.scores

    def probability_rows(self) -> Array:
        return self.scores


def _records(functional: Functional, drawn: Array) -> Array:
    """Records of samples (S, C + 1, n), scores of C classes and the true one, in order."""
    records = functional.records(_Drawn(drawn[:, :-1], drawn[:, -1]))
    if records.ndim == 2:
        return np.sort(records, axis=-1)
    return _in_order(records)


def _weighted_value(functional: Functional, drawn: Array) -> Array:
    """The value of cases (S, C + 2, n) of which the last row is weights."""
    return functional.statistic(
        functional.records(_Drawn(drawn[:, :-2], drawn[:, -2], drawn[:, -1]))
    )


def _in_order(records: Array) -> Array:
    """Cases by their first value, then by the next: (S, k, n)."""
    first = records[:, 0]
    order = np.argsort(first, axis=-1)
    ordered = np.take_along_axis(first, order, axis=-1)
    for tied in np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=-1)):
        order[tied] = np.lexsort(records[tied, ::-1])
    return np.take_along_axis(records, order[:, None], axis=-1)
