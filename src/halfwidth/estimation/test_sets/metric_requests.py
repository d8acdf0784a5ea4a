"""What is asked of a test set: metrics, averages, and how labels and scores are to be read."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from halfwidth.core.checks import as_choice, as_number, one_of, refuse_complex
from halfwidth.core.errors import DataError, OptionError, proposed, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import at_door, spelled
from halfwidth.core.spec import Metric, Takes
from halfwidth.core.types import Scores
from halfwidth.core.undefined import (
    AnyMissing,
)
from halfwidth.data.test_set_options import TestSetOptions
from halfwidth.estimation.functionals import Policies, metric_rows
from halfwidth.estimation.pairing import by_class
from halfwidth.estimation.pipeline import Job
from halfwidth.estimation.test_sets.class_context import class_context
from halfwidth.estimation.test_sets.class_labels import declared_order
from halfwidth.estimation.test_sets.error_bounds import check_errors, within_bounds
from halfwidth.estimation.test_sets.jobs import COUNTING, job_for
from halfwidth.estimation.test_sets.reading import check_numbers, check_test_set
from halfwidth.estimation.test_sets.test_set import Decisions, TestSet
from halfwidth.metrics.all_metrics import METRICS, SAMPLE_METRICS
from halfwidth.metrics.names import AVERAGES, CustomMetric, resolve_sample_metric

# Options that some metrics look at and others do not.
SELECTIVE = ("threshold", "average")
# Options that nothing but metrics looks at.
OF_METRICS = ("absent_class", "undefined")
WANTED_THRESHOLD = "a number; to choose one on the data, use metric_ci with the name of a metric"


@frozen(eq=False)
class MetricRequest:
    """Metrics of test sets, checked as far as they can be without cases."""

    metrics: Sequence[Metric | CustomMetric]
    averages: Sequence[str] | None
    options: TestSetOptions
    # What the threshold is chosen by, on the data.
    criterion: Metric | None
    # Whether bounds of the errors of a regression were given.
    bounded: bool

    @property
    def numbers(self) -> bool:
        """Whether targets are numbers, not classes."""
        named = (one.spec.takes for one in self.metrics if isinstance(one, Metric))
        return Takes.NUMBERS in named

    def test_set(
        self,
        y_true: Any,
        y_score: Any,
        *,
        missing: AnyMissing,
        sample_weight: Any,
        groups: Any,
        strata: Any,
        where: tuple[str, str],
    ) -> TestSet:
        """Labels and predictions made ready."""
        options, tuned = self.options, self.criterion is not None
        kind, threshold = as_choice("scores", options.scores), None
        if options.threshold is not None and not tuned:
            threshold = as_number("threshold", options.threshold)
        if _is_regression(self.metrics, options, kind, y_true):
            labels = {"labels": options.labels, "pos_label": options.pos_label}
            _check_regression(self.metrics, kind, labels | {"sample_weight": sample_weight})
            cases = check_numbers(
                y_true, y_score, missing=missing, groups=groups, strata=strata, where=where
            )
        else:
            takes = [one.spec.takes for one in self.metrics if isinstance(one, Metric)]
            needed = any(one in COUNTING for one in takes)
            cases = check_test_set(
                y_true,
                y_score,
                Decisions(kind, threshold, needed, tuned),
                labels=options.labels,
                pos_label=options.pos_label,
                missing=missing,
                sample_weight=sample_weight,
                groups=groups,
                strata=strata,
                where=where,
            )
            if options.labels is None:
                _check_grades(self.metrics, y_true, cases)
        if self.bounded:
            check_errors(self.metrics[0], cases.rows)
        return cases

    def jobs(self, cases: TestSet) -> list[Job]:
        """One job for each metric, average and class."""
        options = self.options
        policies = Policies(
            as_choice("absent_class", options.absent_class),
            as_choice("undefined", options.undefined),
            None if self.criterion is None else _with_tables(self.criterion, cases),
        )
        metrics = [
            _with_tables(one, cases) if isinstance(one, Metric) else one for one in self.metrics
        ]
        rows = [row for one in metrics for row in metric_rows(one, self.averages, cases.classes)]
        context = None
        if not cases.numbers:
            criterion = self.criterion.spec.display if self.criterion else ""
            context = class_context(cases, policies.absent, criterion)
        return [job_for(row, cases, policies, context) for row in rows]


@frozen(eq=False)
class ScoreRequest:
    """The scores of a test set, or decisions by them, wanted for something else than a metric."""

    # What they are wanted for, in messages.
    purpose: str
    options: TestSetOptions
    # Whether scores are to become classes.
    decided: bool = False
    # Descriptions of cases that have no effect there.
    without: tuple[str, ...] = ()

    # Targets are classes.
    numbers = False

    def test_set(
        self,
        y_true: Any,
        y_score: Any,
        *,
        missing: AnyMissing,
        sample_weight: Any,
        groups: Any,
        strata: Any,
        where: tuple[str, str],
    ) -> TestSet:
        """Labels and predictions made ready."""
        described = {"sample_weight": sample_weight, "strata": strata}
        for name in self.without:
            if described[name] is not None:
                data = at_door(" of the data", "")
                raise OptionError(
                    f"{spelled(name)} has no effect on {self.purpose}; leave it out{data}"
                )
        options, threshold = self.options, self.options.threshold
        kind = as_choice("scores", options.scores)
        if threshold is not None:
            threshold = as_number("threshold", threshold, WANTED_THRESHOLD)
        return check_test_set(
            y_true,
            y_score,
            Decisions(kind, threshold, needed=self.decided, tuned=False),
            labels=options.labels,
            pos_label=options.pos_label,
            missing=missing,
            sample_weight=sample_weight,
            groups=groups,
            strata=strata,
            where=where,
        )


def score_request(
    purpose: str,
    options: TestSetOptions,
    bounds: Any,
    *,
    decided: bool = False,
    without: tuple[str, ...] = (),
) -> ScoreRequest:
    """Refuse options of a test set that are of metrics alone."""
    usual = TestSetOptions()
    values = {name: getattr(options, name) for name in OF_METRICS} | {"bounds": bounds}
    if not decided:
        values["threshold"] = options.threshold
    for name, value in values.items():
        if value is not None and not (
            isinstance(value, str) and value == getattr(usual, name, None)
        ):
            raise OptionError(
                f"{spelled(name, value)} has no effect on {purpose}; it is for metrics"
            )
    return ScoreRequest(purpose, options, decided, without)


def metric_request(
    metrics: Sequence[Any], averages: Sequence[Any] | None, options: TestSetOptions, bounds: Any
) -> MetricRequest:
    """Check what is asked of a test set."""
    resolved = within_bounds([resolve_sample_metric(one) for one in metrics], bounds)
    checked = None
    if averages is not None:
        named = ("none" if one is None else one for one in averages)
        checked = [str(one_of("average", one, AVERAGES)) for one in named]
    criterion = _criterion(options.threshold)
    _check_effects(resolved, checked, options)
    return MetricRequest(resolved, checked, options, criterion, bounds is not None)


# --------------------------------------------------------------------------- what is meant


def _check_effects(
    metrics: Sequence[Metric | CustomMetric],
    averages: Sequence[str] | None,
    options: TestSetOptions,
) -> None:
    """Refuse options that no metric of the call looks at."""
    named = [one.spec for one in metrics if isinstance(one, Metric)]
    lacking = [spec.name for spec in named if spec.worst is None]
    if isinstance(options.undefined, str) and options.undefined == "worst" and lacking:
        raise OptionError(
            f"{spelled('undefined', 'worst')} needs a metric with a worst value; "
            f"{', '.join(lacking)} has none"
        )
    names = ", ".join(spec.name for spec in named) or "your own metric"
    for option in SELECTIVE:
        value = (averages or None) if option == "average" else getattr(options, option)
        if value is None or any(_looks_at(one, option, value) for one in metrics):
            continue
        first = value[0] if option == "average" else value
        raise OptionError(f"{spelled(option, first)} has no effect on {names}")


def _looks_at(metric: Metric | CustomMetric, option: str, value: Any) -> bool:
    """Whether an option can change what a metric is; the averages are several."""
    if isinstance(metric, CustomMetric):
        return option == "average"
    spec = metric.spec
    if option == "threshold":
        return spec.takes in COUNTING
    return len(spec.averages) > 1 or not set(spec.averages).isdisjoint(value)


def _criterion(threshold: Any) -> Metric | None:
    if not isinstance(threshold, str | Metric | functools.partial):
        return None
    name = threshold.partition(":")[0] if isinstance(threshold, str) else ""
    if name and name not in SAMPLE_METRICS and name not in METRICS:
        raise OptionError(
            f"{spelled('threshold', threshold)} is neither a number nor a counting metric to "
            f"choose it by{proposed(threshold, SAMPLE_METRICS.every_name)}"
        )
    criterion = resolve_sample_metric(threshold)
    if not isinstance(criterion, Metric) or criterion.spec.takes not in COUNTING:
        raise OptionError(
            f"{spelled('threshold', threshold)} is not a counting metric to choose it by; give for "
            "example youden_j, f1, expected_cost"
        )
    return criterion


# --------------------------------------------------------------------------- the test set


def _is_regression(
    metrics: Sequence[Metric | CustomMetric], options: TestSetOptions, kind: Scores, y_true: Any
) -> bool:
    """Whether targets are numbers; of a function of one's own the data say it."""
    takes = [one.spec.takes for one in metrics if isinstance(one, Metric)]
    if not takes and options.labels is None and options.pos_label is None:
        return kind == "numbers" or _are_measurements(y_true)
    if Takes.NUMBERS not in takes and kind == "numbers":
        raise OptionError(
            f"{spelled('scores', 'numbers')} is for regressions, but these metrics need classes"
        )
    return Takes.NUMBERS in takes


def _check_regression(
    metrics: Sequence[Metric | CustomMetric], kind: Scores, of_classes: Mapping[str, Any]
) -> None:
    """Refuse metrics and options that are of classes."""
    if kind not in ("auto", "numbers"):
        raise OptionError(f"{spelled('scores', kind)} has no meaning for a regression")
    if any(isinstance(one, Metric) and one.spec.takes is not Takes.NUMBERS for one in metrics):
        raise OptionError("metrics of a regression and of a classification do not go together")
    for name, value in of_classes.items():
        if value is not None:
            raise OptionError(f"{spelled(name)} has no meaning for a regression")


def _are_measurements(y_true: Any) -> bool:
    """Whether targets for a function of one's own are numbers rather than classes."""
    array = np.asarray(y_true)
    if array.ndim != 1 or array.dtype.kind != "f":
        return False
    finite = array[np.isfinite(array)]
    return bool((finite != np.rint(finite)).any())


def _check_grades(metrics: Sequence[Metric | CustomMetric], y_true: Any, cases: TestSet) -> None:
    """Refuse to weigh confusions by how far texts are apart in the alphabet."""
    weighing = [
        m
        for m in metrics
        if isinstance(m, Metric) and m.parameters.get("weights") and not m.heeded_tables
    ]
    words = [label for label in cases.labels if isinstance(label, str)]
    # Grade 1, grade 2, ... are in order anyway.
    numbered = len({label.rstrip("0123456789") for label in words}) == 1 < len(words) <= 10
    if not weighing or len(words) < 3 or numbered or declared_order(y_true) is not None:
        return
    raise OptionError(
        f"{weighing[0].spec.name} with weights needs the order of the classes, and "
        f"{shortened(words, 10)} stand in alphabetical order: name all in their order, "
        f"{spelled('labels')}, or give an ordered categorical"
    )


def _as_table(name: str, table: Any) -> np.ndarray[Any, Any]:
    refuse_complex(table, name)
    try:
        return np.asarray(table, dtype=float)
    except (OverflowError, TypeError, ValueError):
        raise DataError(
            f"{spelled(name, table)} holds other things than numbers, or its rows differ in length"
        ) from None


def _with_tables(metric: Metric, cases: TestSet) -> Metric:
    """The metric with its costs and priors, checked and in the order of the classes."""
    checks = {"costs": _costs, "priors": _priors}
    tables = {name: checks[name](table, cases) for name, table in metric.tables.items()}
    return replace(metric, tables=tables)


def _costs(costs: Any, cases: TestSet) -> tuple[tuple[float, ...], ...]:
    table = _as_table("costs", by_class(costs, cases.labels, "costs"))
    shape = (cases.n_classes, cases.n_classes)
    if table.shape != shape or not np.isfinite(table).all():
        raise DataError(
            f"costs has shape {table.shape}; give a finite number for each true (row) and "
            f"predicted class (column), shape {shape}"
        )
    if (table < 0).any():
        raise DataError("costs holds negative numbers; a cost is at least 0")
    return tuple(tuple(row) for row in table.tolist())


def _priors(priors: Any, cases: TestSet) -> tuple[float, ...]:
    shares = _as_table("priors", by_class(priors, cases.labels, "priors"))
    if shares.shape != (cases.n_classes,) or not (shares >= 0).all():
        raise DataError(
            f"{spelled('priors', priors)} is not one share for each of {cases.n_classes} classes"
        )
    if abs(shares.sum() - 1) > 1e-6:
        raise DataError(f"priors add up to {shares.sum():g}, not to 1")
    return tuple(shares.tolist())
