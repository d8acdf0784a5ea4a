"""What is computed on a test set: a statistic of records of its cases. Needs no test set."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.ranked_scores import RankEach
from halfwidth.core.errors import OptionError, shortened
from halfwidth.core.forms import LogisticFit, PerCase
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Better, Estimand, Kind, Metric, Statistic, Takes
from halfwidth.core.types import Array
from halfwidth.core.undefined import AbsentClass, Undefined
from halfwidth.estimation.records import Functional
from halfwidth.metrics import building
from halfwidth.metrics.averaging import AreaFinish, CountingFinish
from halfwidth.metrics.names import CustomMetric
from halfwidth.summaries.all_statistics import STATISTICS

MEAN = Statistic(STATISTICS["mean"])
# What is taken of more than two classes where nothing is said, the first that a metric has.
MANY_CLASSES = ("sum", "canonical", "top_label", "macro")


class Cases(Protocol):
    """Cases of a test set; of several test sets the axis of cases is the last one."""

    @property
    def truth(self) -> Any:
        """Codes of the true classes."""

    @property
    def predicted(self) -> Any:
        """Codes of the predicted ones."""

    @property
    def weights(self) -> Array | None:
        """Weights of the cases."""

    def score_rows(self) -> Array:
        """Scores of each class, (..., C, n)."""

    def probability_rows(self) -> Array:
        """Probabilities of each class, (..., C, n)."""


@frozen
class Classes:
    """The classes of a test set, in the order of their codes; empty for a regression."""

    labels: tuple[Any, ...]
    # Code of the positive class; None where nothing says which it is.
    positive: int | None = None

    def __len__(self) -> int:
        return len(self.labels)


@frozen
class Policies:
    """What the metrics of a call share."""

    absent: AbsentClass
    undefined: Undefined
    # What the threshold is chosen by, on the data.
    criterion: Metric | None = None


@frozen
class MetricRow:
    """One row to estimate."""

    metric: Metric | CustomMetric
    average: str | None = None
    # The class, where it is of one.
    which: int = 0
    label: str = ""
    # What messages call it, where nobody asked for the metric by its name.
    called: str = ""

    @property
    def name(self) -> str:
        """What messages call it."""
        own = self.metric.metric if isinstance(self.metric, CustomMetric) else self.metric
        return self.called or own.spec.name


# --------------------------------------------------------------------------- rows


def metric_rows(
    metric: Metric | CustomMetric, averages: Sequence[str] | None, classes: Classes
) -> Iterator[MetricRow]:
    """The rows that a metric makes: one for each average, and for each class with ``"none"``."""
    if isinstance(metric, CustomMetric):
        yield MetricRow(metric)
        return
    allowed = metric.spec.averages
    if len(allowed) < 2 and "binary" not in allowed:
        # It takes all classes at once, or has its average in its name.
        yield MetricRow(metric, allowed[0] if allowed else None)
        return
    for average in averages if averages is not None else (_default_average(metric, classes),):
        if average not in allowed:
            raise OptionError(
                f"{metric.spec.name} has no average {average!r}; it has {', '.join(allowed)} "
                f"({spelled('average')})"
            )
        if average == "none":
            for which, label in enumerate(classes.labels):
                yield MetricRow(metric, "none", which, str(label))
        elif average == "binary":
            yield MetricRow(metric, "binary", positive_code(metric, classes))
        else:
            yield MetricRow(metric, average)


def _default_average(metric: Metric, classes: Classes) -> str:
    if len(classes) == 2 or classes.positive is not None:
        return "binary"
    # Brier's own score is a sum over classes; the calibration of several is that of the top label.
    return next((one for one in MANY_CLASSES if one in metric.spec.averages), "none")


def positive_code(metric: Metric, classes: Classes) -> int:
    """The code of the positive class, or an `OptionError` where none is."""
    if classes.positive is None:
        named = shortened([repr(label) for label in classes.labels])
        if len(classes) > 2:
            raise OptionError(
                f"{spelled('average', 'binary')} needs one positive class of {named}: "
                f"{spelled('pos_label')}"
            )
        raise OptionError(
            f"{metric.spec.name} needs to know which of {named} is positive: "
            f"{spelled('pos_label')}, or an average over both classes: "
            f"{spelled('average', 'macro')}"
        )
    return classes.positive


# --------------------------------------------------------------------------- functionals


def is_one_class(row: MetricRow) -> bool:
    """Whether a row is of one class against the rest."""
    return row.average in ("binary", "none")


def build_functional(
    row: MetricRow, metric: Metric, classes: Classes, policies: Policies, *, weighted: bool = False
) -> Functional:
    """What is computed for one row, from its metric, the classes and the policies alone."""
    metric = metric.bounded(row.average)
    if metric.spec.takes is Takes.NUMBERS:
        return _number_functional(metric)
    if metric.spec.takes is Takes.PROBABILITIES:
        return _probability_functional(row, metric, classes, weighted=weighted)
    if metric.spec.takes is Takes.SCORES:
        return _score_functional(row, metric, classes, policies, weighted=weighted)
    if policies.criterion is not None:
        return _threshold_functional(row, metric, classes, policies)
    if not weighted and _is_accuracy(row, metric):
        return share_functional(metric, _hits)
    return counting_functional(row, metric, classes, policies, weighted=weighted)


def share_functional(metric: Metric, hits: Callable[[Any], Array] = np.asarray) -> Functional:
    """A proportion, whose records are 0 and 1."""
    binary = replace(metric, spec=replace(metric.spec, kind=Kind.BINARY))
    return Functional(MEAN, binary, binary=True, records=hits)


def is_share(row: MetricRow, metric: Metric) -> bool:
    """Whether a row is a proportion of the cases in its own denominator, as sensitivity."""
    return bool(metric.spec.share) and is_one_class(row) and not metric.parameters


def share_of(
    row: MetricRow, metric: Metric, truth: NDArray[Any], predicted: NDArray[Any]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which cases are hits and which are misses, where the row is a share."""
    true, positive = truth == row.which, predicted == row.which
    cells = {
        "tp": true & positive,
        "fn": true & ~positive,
        "fp": ~true & positive,
        "tn": ~true & ~positive,
    }
    hit, miss = (cells[name] for name in metric.spec.share)
    return hit, miss


def _hits(cases: Cases) -> Array:
    return np.asarray(cases.truth == cases.predicted, dtype=float)


def _is_accuracy(row: MetricRow, metric: Metric) -> bool:
    """Micro-averaged sensitivity and PPV are the accuracy: every error is one FN and one FP.

    So is weighted sensitivity, which adds up what each class has right.
    """
    if metric.spec.takes is Takes.CONFUSION:
        return metric.estimand is Estimand.PROPORTION
    averages: dict[tuple[str, ...], tuple[str, ...]]
    averages = {("tp", "fn"): ("micro", "weighted"), ("tp", "fp"): ("micro",)}
    return row.average in averages.get(metric.spec.share, ()) and not metric.parameters


def _number_functional(metric: Metric) -> Functional:
    form = metric.form
    if isinstance(form, PerCase):
        return Functional(MEAN, metric, records=lambda cases: form.values(cases.rows))
    return Functional(building.sums_statistic(metric), metric, records=lambda cases: cases.rows)


# --------------------------------------------------------------------------- decisions


def counting_functional(
    row: MetricRow, metric: Metric, classes: Classes, policies: Policies, *, weighted: bool = False
) -> Functional:
    """A function of the confusion matrix."""
    finish = _finish(row, metric, classes, policies)
    build = building.weighted_counting_statistic if weighted else building.counting_statistic
    cells = _weighted_cells if weighted else _cells
    statistic = build(metric, finish, policies.undefined)
    return Functional(statistic, metric, records=functools.partial(cells, len(classes)))


def _cells(n_classes: int, cases: Cases) -> Array:
    """The cell of the confusion matrix that each case falls into, (..., n)."""
    return np.asarray(cases.truth * n_classes + cases.predicted, dtype=float)


def _weighted_cells(n_classes: int, cases: Cases) -> Array:
    return np.stack([_cells(n_classes, cases), np.asarray(cases.weights)], axis=-2)


def _finish(row: MetricRow, metric: Metric, classes: Classes, policies: Policies) -> CountingFinish:
    return CountingFinish(
        metric,
        len(classes),
        row.average or "",
        row.which,
        policies.absent,
        **metric.tables,
    )


# --------------------------------------------------------------------------- scores


def _score_functional(
    row: MetricRow, metric: Metric, classes: Classes, policies: Policies, *, weighted: bool
) -> Functional:
    if is_one_class(row):
        records: Callable[[Any], Array] = functools.partial(_scores_of_one, row.which)
        rank, finish = RankEach(1, weighted=weighted), AreaFinish(row.average or "")
    else:
        records = _scores_of_all
        rank = RankEach(len(classes), row.average == "micro", weighted)
        finish = AreaFinish(row.average or "", absent=policies.absent)
    statistic = building.ranking_statistic(metric, rank, finish, policies.undefined)
    return Functional(statistic, metric, records=records)


def _scores_of_one(which: int, cases: Cases) -> Array:
    """The score of a class, 0 for its cases and 1 for others, and maybe weights, (..., k, n)."""
    rows = [cases.score_rows()[..., which, :], np.where(cases.truth == which, 0.0, 1.0)]
    return np.stack(rows if cases.weights is None else [*rows, cases.weights], axis=-2)


def _scores_of_all(cases: Cases) -> Array:
    """The scores of all classes, the code of the true one, and maybe weights, (..., k, n)."""
    rows = [cases.score_rows(), np.asarray(cases.truth, dtype=float)[..., None, :]]
    if cases.weights is not None:
        rows.append(cases.weights[..., None, :])
    return np.concatenate(rows, axis=-2)


# --------------------------------------------------------------------------- probabilities


def _probability_functional(
    row: MetricRow, metric: Metric, classes: Classes, *, weighted: bool
) -> Functional:
    """A functional of one class, of the top or the true one, or an average or sum over classes."""
    over_classes = row.average in ("macro", "sum", "canonical")
    rows = functools.partial(_probabilities_of_all if over_classes else probabilities_of_one, row)
    form = metric.form
    if isinstance(form, PerCase):
        records = functools.partial(_values_of_cases, form, row.average or "", rows)
        mean = building.weighted_mean_statistic(metric) if weighted else MEAN
        return Functional(mean, metric, records=records)
    if isinstance(form, LogisticFit):
        statistic = building.logistic_statistic(metric, weighted=weighted)
        return Functional(statistic, metric, records=functools.partial(_with_weights, rows))
    statistic = building.probability_statistic(
        metric, len(classes) if over_classes else None, row.average or "", weighted=weighted
    )
    return Functional(statistic, metric, records=functools.partial(_with_weights, rows))


def probabilities_of_one(row: MetricRow, cases: Cases) -> Array:
    """The probability of a class, the top or the true one, and whether it is, (..., 2, n)."""
    p = cases.probability_rows()
    if row.average == "top_label":
        probability, right = p.max(axis=-2), p.argmax(axis=-2) == cases.truth
    elif row.average is None:
        true = np.asarray(cases.truth, dtype=np.intp)[..., None, :]
        probability = np.take_along_axis(p, true, axis=-2)[..., 0, :]
        right = np.ones(probability.shape)
    else:
        probability, right = p[..., row.which, :], cases.truth == row.which
    return np.stack([probability, np.asarray(right, dtype=float)], axis=-2)


def _probabilities_of_all(_row: MetricRow, cases: Cases) -> Array:
    """The probabilities of all classes and the code of the true one, (..., C + 1, n)."""
    truth = np.asarray(cases.truth, dtype=float)[..., None, :]
    return np.concatenate([cases.probability_rows(), truth], axis=-2)


def _with_weights(rows: Callable[[Any], Array], cases: Cases) -> Array:
    records = rows(cases)
    if cases.weights is None:
        return records
    return np.concatenate([records, cases.weights[..., None, :]], axis=-2)


def _values_of_cases(
    form: PerCase, average: str, rows: Callable[[Any], Array], cases: Cases
) -> Array:
    """A value of each case, (..., n), and maybe its weight, (..., 2, n)."""
    records = rows(cases)
    if average in ("macro", "sum"):
        codes = np.arange(records.shape[-2] - 1)[:, None]
        each = form.values(records[..., :-1, :], (records[..., -1:, :] == codes).astype(float))
        values = each.sum(axis=-2) if average == "sum" else each.mean(axis=-2)
    else:
        values = form.values(records[..., 0, :], records[..., 1, :])
    return values if cases.weights is None else np.stack([values, cases.weights], axis=-2)


# --------------------------------------------------------------------------- chosen thresholds


def _threshold_functional(
    row: MetricRow, metric: Metric, classes: Classes, policies: Policies
) -> Functional:
    tuned = tuned_metric(row, metric, classes, policies)
    statistic = building.tuned_statistic(metric, tuned, policies.undefined)
    records = functools.partial(_scores_of_one, positive_code(metric, classes))
    return Functional(statistic, metric, records=records)


def tuned_metric(
    row: MetricRow, metric: Metric, classes: Classes, policies: Policies
) -> building.Tuned:
    """A metric of two classes at the threshold that is best by the criterion."""
    criterion, positive = policies.criterion, positive_code(metric, classes)
    if criterion is None or len(classes) != 2:
        raise OptionError("a threshold is chosen by a criterion, on the scores of two classes")
    # The positive class is coded 1 here, whatever its place among the labels.
    which = 1 if row.which == positive else 0
    if positive == 0:
        metric, criterion = _with_classes_swapped(metric), _with_classes_swapped(criterion)
    finish = _finish(replace(row, which=which), metric, classes, policies)
    chooser = _finish(MetricRow(criterion, "binary", 1), criterion, classes, policies)
    return building.Tuned(finish, chooser, -1 if criterion.spec.better is Better.LOWER else 1)


def _with_classes_swapped(metric: Metric) -> Metric:
    """The metric with costs and priors of two classes in the other order."""
    swapped = {
        name: tuple(row[::-1] if name == "costs" else row for row in table[::-1])
        for name, table in metric.tables.items()
    }
    return replace(metric, tables=swapped)
