"""From a test set and the metrics asked for to jobs: a statistic and the sample it works on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.checks import refuse_complex
from halfwidth.core.errors import DataError, OptionError, shortened
from halfwidth.core.forms import PerCase
from halfwidth.core.spec import Better, Estimand, Kind, Metric, Statistic, Takes
from halfwidth.core.types import Array
from halfwidth.core.undefined import AbsentClass, Undefined
from halfwidth.estimation.check import Sample
from halfwidth.estimation.grouping import arranged
from halfwidth.estimation.metric_doubts import ClassFacts
from halfwidth.estimation.pipeline import Job
from halfwidth.estimation.test_sets import TestSet
from halfwidth.metrics import building
from halfwidth.metrics.averaging import CountingFinish
from halfwidth.metrics.ranking import AreaFinish, RankEach
from halfwidth.resampling.designs import Design
from halfwidth.summaries.catalogue import STATISTICS

__all__ = ["COUNTING", "OwnMetric", "Policies", "Target", "job_for", "proportion", "targets_of"]

COUNTING = (Takes.TWO_BY_TWO, Takes.CONFUSION)
MEAN = Statistic(STATISTICS["mean"])


@dataclass(frozen=True)
class OwnMetric:
    """A user's function ``f(y_true, y_score)``."""

    function: Any
    metric: Metric


@dataclass(frozen=True)
class Policies:
    """What the metrics of a call share.

    Attributes
    ----------
    absent : {"omit", "zero", "undefined"}
    undefined : {"omit", "zero", "worst"}
    costs : tuple or None
    priors : tuple or None
    criterion : Metric or None
        What the threshold is chosen by, on the data.
    """

    absent: AbsentClass
    undefined: Undefined
    costs: tuple[tuple[float, ...], ...] | None = None
    priors: tuple[float, ...] | None = None
    criterion: Metric | None = None


@dataclass(frozen=True)
class Target:
    """One row to estimate.

    Attributes
    ----------
    metric : Metric or OwnMetric
    average : str or None
    which : int
        The class, where it is of one.
    label : str
    """

    metric: Metric | OwnMetric
    average: str | None = None
    which: int = 0
    label: str = ""


# --------------------------------------------------------------------------- what is asked for


def targets_of(
    metric: Metric | OwnMetric, averages: Sequence[str] | None, cases: TestSet
) -> Iterator[Target]:
    """The rows that a metric makes: one for each average, and for each class with ``"none"``."""
    if isinstance(metric, OwnMetric):
        yield Target(metric)
        return
    allowed = metric.spec.averages
    if len(allowed) < 2:
        # One that is of all classes at once, or has its average in its name.
        yield Target(metric, allowed[0] if allowed else None)
        return
    for average in averages if averages is not None else (_default_average(metric, cases),):
        if average not in allowed:
            raise OptionError(
                f"{metric.spec.name} has no average {average!r}; it has {', '.join(allowed)} "
                "(average=, --average)"
            )
        if average == "none":
            for which, label in enumerate(cases.labels):
                yield Target(metric, "none", which, str(label))
        elif average == "binary":
            yield Target(metric, "binary", _positive(metric, cases))
        else:
            yield Target(metric, average)


def _default_average(metric: Metric, cases: TestSet) -> str:
    if cases.n_classes == 2 or cases.positive is not None:
        return "binary"
    return "macro" if "macro" in metric.spec.averages else "none"


def _positive(metric: Metric, cases: TestSet) -> int:
    if cases.positive is None:
        named = shortened([repr(label) for label in cases.labels])
        if cases.n_classes > 2:
            raise OptionError(
                f"average='binary' needs one positive class of {named}: pos_label= (--positive)"
            )
        raise OptionError(
            f"{metric.spec.name} needs to know which of {named} is positive: pos_label= "
            "(--positive), or an average over both classes: average='macro' (--average macro)"
        )
    return cases.positive


# --------------------------------------------------------------------------- jobs


def job_for(target: Target, cases: TestSet, policies: Policies, facts: ClassFacts | None) -> Job:
    """The statistic and the sample of one row."""
    made = _made(target, cases, policies)
    if facts is not None and target.average in ("binary", "none"):
        facts = replace(facts, which=target.which)
    made = replace(made, label=target.label, average=target.average, classes=facts)
    metric = made.sample.metric
    if cases.threshold is None or metric.spec.takes not in COUNTING:
        return made
    stated = Metric(metric.spec, {**metric.parameters, "threshold": cases.threshold})
    return replace(made, sample=replace(made.sample, metric=stated))


def _made(target: Target, cases: TestSet, policies: Policies) -> Job:
    if isinstance(target.metric, OwnMetric):
        return _own(target.metric, cases)
    metric = target.metric.bounded(costs=policies.costs, priors=policies.priors)
    if metric.spec.takes is Takes.NUMBERS:
        return _regression(metric, cases)
    if metric.spec.takes is Takes.SCORES:
        return _ranked(target, metric, cases, policies)
    if policies.criterion is not None:
        return _tuned(target, metric, policies.criterion, cases, policies)
    return _counting(target, metric, cases, policies)


def _sample(
    records: Array,
    metric: Metric,
    cases: TestSet,
    chosen: NDArray[np.bool_] | None = None,
    *,
    binary: bool = False,
) -> Sample:
    """Records of cases, or of some of them, in the canonical order of their design."""
    groups, strata = cases.groups, cases.strata
    if chosen is not None:
        records = records[..., chosen]
        groups = None if groups is None else groups[chosen]
        strata = None if strata is None else strata[chosen]
    n = records.shape[-1]
    if groups is None and strata is None and records.ndim == 1:
        in_order, design = _few_values_sorted(records), Design.iid(n)
    else:
        in_order, design = arranged(records, groups, strata, "cases", paired=records.ndim > 1)
    return Sample(
        values=(in_order if design.simple else np.sort(in_order)) if binary else np.empty(0),
        metric=metric,
        binary=binary,
        design=design,
        arranged=in_order,
        given=np.broadcast_to(0.0, (n,)),
        kept=np.ones(n, dtype=bool),
        n_groups=None if groups is None else len(np.unique(groups)),
        n_missing=cases.n_missing,
        doubts=cases.doubts,
    )


def _few_values_sorted(values: Array) -> Array:
    """Small whole numbers in ascending order: counted, not sorted."""
    places, counts = _counted(values)
    return np.repeat(places.astype(float), counts)


def _counted(values: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    counts = np.bincount(values.astype(np.intp))
    return np.arange(len(counts)), counts


def _counting(target: Target, metric: Metric, cases: TestSet, policies: Policies) -> Job:
    if cases.predicted is None:
        raise DataError(f"{metric.spec.name} needs decisions, and there are none")
    correct = cases.truth == cases.predicted
    unweighted = cases.weights is None
    if unweighted and _is_accuracy(target, metric):
        return proportion(correct, metric, cases, None)
    one = target.average in ("binary", "none") and not metric.parameters
    if unweighted and one and metric.spec.share:
        return _share(target, metric, cases, policies)
    finish = _finish(target, metric, cases, policies)
    codes = (cases.truth * cases.n_classes + cases.predicted).astype(float)
    if cases.weights is None:
        statistic = building.of_cells(metric, finish, policies.undefined)
        return Job(_sample(codes, metric, cases), statistic)
    statistic = building.of_weighted_cells(metric, finish, policies.undefined)
    return Job(_sample(np.stack([codes, cases.weights]), metric, cases), statistic)


def _is_accuracy(target: Target, metric: Metric) -> bool:
    """Micro-averaged sensitivity and PPV are the accuracy: every error is one FN and one FP."""
    if metric.spec.takes is Takes.CONFUSION:
        return metric.estimand is Estimand.PROPORTION
    hits_of_any = metric.spec.share in (("tp", "fn"), ("tp", "fp"))
    return target.average == "micro" and hits_of_any and not metric.parameters


def proportion(
    hits: NDArray[np.bool_],
    metric: Metric,
    cases: TestSet,
    trials: NDArray[np.bool_] | None,
) -> Job:
    """The share of hits among the trials, all cases where none are named."""
    binary = Metric(replace(metric.spec, kind=Kind.BINARY), metric.parameters)
    sample = _sample(hits.astype(float), binary, cases, trials, binary=True)
    return Job(sample, MEAN)


def _share(target: Target, metric: Metric, cases: TestSet, policies: Policies) -> Job:
    """A proportion of the cases in its own denominator."""
    assert cases.predicted is not None  # noqa: S101 -- checked by the caller
    true, said = cases.truth == target.which, cases.predicted == target.which
    cells = {"tp": true & said, "fn": true & ~said, "fp": ~true & said, "tn": ~true & ~said}
    hit, miss = (cells[name] for name in metric.spec.share)
    both_occur = bool(hit.any() and miss.any())
    if (hit | miss).any() and not (both_occur and cases.strata is not None):
        return proportion(hit, metric, cases, hit | miss)
    finish = CountingFinish(metric, cases.n_classes, target.average or "", target.which)
    codes = (cases.truth * cases.n_classes + cases.predicted).astype(float)
    if not both_occur:
        statistic = building.of_cells(metric, finish, policies.undefined)
        return Job(_sample(codes, metric, cases), statistic)
    # Strata fix the number of cases, not how many of them are in the denominator: it varies too.
    statistic = building.of_cells(metric, finish, "omit", Estimand.PROPORTION)
    whole, own = _sample(codes, metric, cases), proportion(hit, metric, cases, hit | miss).sample
    return Job(replace(whole, values=own.values, given=own.given, metric=own.metric), statistic)


def _finish(target: Target, metric: Metric, cases: TestSet, policies: Policies) -> CountingFinish:
    return CountingFinish(
        metric,
        cases.n_classes,
        target.average or "",
        target.which,
        policies.absent,
        policies.costs if "costs" in metric.spec.tables else None,
        policies.priors if "priors" in metric.spec.tables else None,
    )


def _ranked(target: Target, metric: Metric, cases: TestSet, policies: Policies) -> Job:
    weighted = cases.weights is not None
    if target.average in ("binary", "none"):
        positive = cases.truth == target.which
        if target.average == "binary" and (positive.all() or not positive.any()):
            every = f"all {cases.n} cases are" if cases.n > 1 else "the only case is"
            raise DataError(
                f"{metric.spec.name} compares the scores of positive and negative cases; "
                f"{every} {'positive' if positive.all() else 'negative'} "
                f"(positive class {cases.labels[target.which]!r})"
            )
        rows = [cases.score_rows()[target.which], np.where(positive, 0.0, 1.0)]
        rank, finish = RankEach(1, weighted=weighted), AreaFinish(target.average)
    else:
        rows = [*cases.score_rows(), cases.truth.astype(float)]
        flatten = target.average == "micro"
        rank = RankEach(cases.n_classes, flatten, weighted)
        finish = AreaFinish(target.average or "", absent=policies.absent)
    rows += [cases.weights] if cases.weights is not None else []
    statistic = building.of_areas(metric, rank, finish, policies.undefined)
    return Job(_sample(np.stack(rows), metric, cases), statistic)


def _tuned(
    target: Target, metric: Metric, criterion: Metric, cases: TestSet, policies: Policies
) -> Job:
    if cases.n_classes != 2 or cases.scores is None:
        raise OptionError(
            "a threshold is chosen on the scores of one positive class of two; "
            f"there are {cases.n_classes} classes"
            + (" and labels instead of scores" if cases.hard else "")
        )
    if cases.weights is not None:
        raise OptionError("a threshold chosen on the data cannot be combined with sample_weight")
    positive = _positive(metric, cases)
    # The positive class is coded 1 here, whatever its place among the labels.
    which = 1 if target.which == positive else 0
    two = replace(cases, labels=("negative", "positive"))
    if positive == 0:
        policies = _turned_round(policies)
    finish = _finish(replace(target, which=which), metric, two, policies)
    chooser = _finish(Target(criterion, "binary", 1), criterion, two, policies)
    sign = -1 if criterion.spec.better is Better.LOWER else 1
    tuned = building.Tuned(finish, chooser, sign)
    statistic = building.of_tuned(metric, tuned, policies.undefined)
    scores, is_other = cases.scores[positive], np.where(cases.truth == positive, 0.0, 1.0)
    threshold = tuned.threshold(is_other == 0, scores)
    if cases.logits:
        threshold = float(1 / (1 + np.exp(-threshold)))
    stated = Metric(metric.spec, {**metric.parameters, "threshold": threshold})
    return Job(_sample(np.stack([scores, is_other]), stated, cases), statistic)


def _turned_round(policies: Policies) -> Policies:
    """Costs and priors of two classes in the other order."""
    costs, priors = policies.costs, policies.priors
    return replace(
        policies,
        costs=None if costs is None else tuple(row[::-1] for row in costs[::-1]),
        priors=None if priors is None else priors[::-1],
    )


def _regression(metric: Metric, cases: TestSet) -> Job:
    form = metric.form
    if not isinstance(form, PerCase):
        return Job(_sample(cases.given, metric, cases), building.of_sums(metric))
    values = form.values(cases.given)
    in_order, design = arranged(values, cases.groups, cases.strata, "cases")
    sample = Sample(
        values=np.sort(in_order),
        metric=metric,
        binary=False,
        design=design,
        arranged=in_order,
        given=values,
        kept=np.ones(len(values), dtype=bool),
        n_groups=None if cases.groups is None else len(np.unique(cases.groups)),
        n_missing=cases.n_missing,
        doubts=cases.doubts,
    )
    return Job(sample, MEAN)


def _own(own: OwnMetric, cases: TestSet) -> Job:
    if cases.weights is not None:
        raise OptionError("sample_weight reaches no function of your own; it has two arguments")
    labels = np.array(cases.labels, dtype=None if cases.labels else float)
    columns = len(cases.given)

    def called(records: Array) -> float:
        if cases.numbers:
            return _number_of(own, records[0], records[1])
        truth = labels[records[0].astype(np.intp)]
        if cases.hard:
            return _number_of(own, truth, labels[records[1].astype(np.intp)])
        return _number_of(own, truth, records[1] if columns == 1 else records[1:].T)

    records = cases.given if cases.numbers else np.vstack([cases.truth, cases.given])
    statistic = building.of_callable(own.metric.spec.name, called)
    return Job(_sample(records, own.metric, cases), statistic)


def _number_of(own: OwnMetric, truth: NDArray[Any], predicted: NDArray[Any]) -> float:
    name = own.metric.spec.name
    try:
        made = own.function(truth, predicted)
    except Exception as error:
        told = " ".join(str(error).split())
        raise OptionError(
            f"metric {name!r} raised {type(error).__name__} on the cases or a resample of them: "
            f"{told[:200]}. Where it is undefined it must return nan"
        ) from error
    try:
        refuse_complex(made, name)
        return float(made)
    except (OverflowError, TypeError, ValueError):
        shape = f" of shape {np.shape(made)}" if isinstance(made, np.ndarray) else ""
        raise OptionError(
            f"metric {name!r} returned {type(made).__name__}{shape}; a metric of a test set "
            "returns one number"
        ) from None
