"""Jobs from a test set and its rows: a functional and the records it is computed on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.branches import modules_brought
from halfwidth.core.checks import refuse_complex
from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.kinds import PAIRS_OF_CASES
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Estimand, Metric, Takes
from halfwidth.core.types import Array
from halfwidth.estimation.functionals import (
    MetricRow,
    Policies,
    build_functional,
    counting_functional,
    is_one_class,
    is_share,
    share_functional,
    share_of,
    tuned_metric,
)
from halfwidth.estimation.grouping import arrange_cases
from halfwidth.estimation.pipeline import Job
from halfwidth.estimation.records import NO_VALUES, Functional, Records
from halfwidth.estimation.test_sets.class_context import ClassContext
from halfwidth.estimation.test_sets.probability_checks import (
    takes_pairs,
    why_no_fit,
    with_bandwidth,
)
from halfwidth.estimation.test_sets.test_set import TestSet
from halfwidth.metrics import building
from halfwidth.metrics.names import CustomMetric
from halfwidth.resampling.designs import Design

COUNTING = (Takes.TWO_BY_TWO, Takes.CONFUSION)


def job_for(
    row: MetricRow, cases: TestSet, policies: Policies, classes: ClassContext | None
) -> Job:
    """The functional and the records of one row."""
    if isinstance(row.metric, CustomMetric):
        job = _job(_custom_functional(row.metric, cases), cases)
    else:
        _check_cases(row, row.metric, cases, policies)
        job = _job_of_metric(row, row.metric, cases, policies)
    if classes is not None and is_one_class(row):
        classes = replace(classes, which=row.which)
    return replace(job, label=row.label, average=row.average, classes=classes)


def _job_of_metric(row: MetricRow, metric: Metric, cases: TestSet, policies: Policies) -> Job:
    of_probabilities = metric.spec.takes is Takes.PROBABILITIES
    if of_probabilities:
        metric = with_bandwidth(row, metric, cases)
    weighted = cases.weights is not None
    job = _share(row, metric, cases, policies) or _job(
        build_functional(row, metric, cases.classes, policies, weighted=weighted), cases
    )
    if of_probabilities:
        no_value = why_no_fit(row, job.functional, job.records.arranged)
        # Other classes may have what this one lacks.
        if no_value and row.average != "none":
            raise DataError(no_value)
        cautions = (
            one
            for rules in modules_brought("PROBABILITIES")
            for one in rules.calibration_cautions(row, metric, job.functional, cases, policies)
        )
        return replace(job, cautions=tuple(cautions), no_value=no_value)
    threshold = None
    if metric.spec.takes in COUNTING:
        threshold = _threshold(row, metric, cases, policies)
    if threshold is None:
        return job
    stated = job.functional.metric
    stated = replace(stated, parameters={**stated.parameters, "threshold": threshold})
    return replace(job, functional=replace(job.functional, metric=stated))


def _threshold(row: MetricRow, metric: Metric, cases: TestSet, policies: Policies) -> float | None:
    """Where decisions begin: as given, or the best one on these cases; None where nothing says."""
    if policies.criterion is None or cases.scores is None:
        return cases.threshold
    tuned = tuned_metric(row, metric, cases.classes, policies)
    score, is_other = build_functional(row, metric, cases.classes, policies).records(cases)
    threshold = tuned.threshold(is_other == 0, score)
    return float(1 / (1 + np.exp(-threshold))) if cases.logits else threshold


def _check_cases(row: MetricRow, metric: Metric, cases: TestSet, policies: Policies) -> None:
    """Refuse test sets that lack what the metric is of."""
    if metric.spec.takes is Takes.SCORES and row.average == "binary":
        positive = cases.truth == row.which
        if positive.all() or not positive.any():
            every = f"all {cases.n} cases are" if cases.n > 1 else "the only case is"
            raise DataError(
                f"{row.name} compares the scores of positive and negative cases; "
                f"{every} {'positive' if positive.all() else 'negative'} "
                f"(positive class {cases.labels[row.which]!r})"
            )
    if metric.spec.takes is Takes.PROBABILITIES:
        check_probabilities(row.name, cases)
    compares_pairs = metric.estimand in PAIRS_OF_CASES | {Estimand.ROOT_OF_SQUARE}
    if compares_pairs and not takes_pairs(cases):
        raise OptionError(
            f"{metric.spec.name} rests on pairs of independent cases of equal weight: leave out "
            "groups, strata and sample_weight, or take ece"
        )
    if metric.estimand in PAIRS_OF_CASES and cases.identities is not None:
        raise OptionError(
            f"{metric.spec.name} cannot compare models on the same cases: copies of a case in a "
            "resample would form pairs; compare brier, which noise does not raise, or ece; "
            f"metric_ci (halfwidth ci) has the {metric.spec.name} of each model by itself"
        )
    if metric.spec.takes in COUNTING:
        _check_decisions(metric, cases, policies)


def _check_decisions(metric: Metric, cases: TestSet, policies: Policies) -> None:
    if policies.criterion is None:
        if cases.predicted is None:
            raise DataError(f"{metric.spec.name} needs decisions, and there are none")
        return
    if cases.n_classes != 2 or cases.scores is None:
        raise OptionError(
            "choosing a threshold takes the scores of one positive class of two; "
            f"there are {cases.n_classes} classes"
            + (" and labels instead of scores" if cases.hard else "")
        )
    if cases.weights is not None:
        raise OptionError("a threshold chosen on the data cannot be combined with sample_weight")


def check_probabilities(name: str, cases: TestSet) -> None:
    """Refuse labels, scores of any scale, and probabilities that do not add up to 1."""
    if cases.hard:
        raise DataError(
            f"{name} needs predicted probabilities, not labels: give the probability of the "
            "positive class, or one column for each class"
        )
    if cases.scale not in ("probabilities", "logits"):
        low, high = cases.rows.min(), cases.rows.max()
        raise DataError(
            f"{name} needs predicted probabilities, and scores from {low:g} to {high:g} are none; "
            f"if they are logits, say {spelled('scores', 'logits')}"
        )
    if cases.rows_miss_one:
        raise DataError(
            f"{name} needs predicted probabilities, and those of a case miss a sum of 1 by up to "
            f"{cases.rows_miss_one:.3g}; if they are logits, say {spelled('scores', 'logits')}; if "
            "the classes do not exclude each other, give each as a test set of its own"
        )


# --------------------------------------------------------------------------- records


def _job(functional: Functional, cases: TestSet, chosen: NDArray[np.bool_] | None = None) -> Job:
    """A functional of the records of cases, or of some of them."""
    return Job(functional, _records(functional.records(cases), functional, cases, chosen))


def _records(
    records: Array, functional: Functional, cases: TestSet, chosen: NDArray[np.bool_] | None
) -> Records:
    """Records of cases, or of some of them, in the canonical order of their design."""
    groups, strata, identities = cases.groups, cases.strata, cases.identities
    if chosen is not None:
        records = records[..., chosen]
        groups = None if groups is None else groups[chosen]
        strata = None if strata is None else strata[chosen]
        identities = None if identities is None else identities[chosen]
    takes_records = functional.statistic.spec.of_records
    n = records.shape[-1]
    together = groups is not None or strata is not None or identities is not None
    if not together and records.ndim == 1 and (takes_records or functional.binary):
        # Small whole numbers are counted, not sorted.
        counts = np.bincount(records.astype(np.intp))
        in_order, design = np.repeat(np.arange(len(counts), dtype=float), counts), Design.iid(n)
    else:
        in_order, design = arrange_cases(
            records, groups, strata, "cases", paired=records.ndim > 1, identities=identities
        )
    values = NO_VALUES
    if not takes_records:
        values = in_order if design.simple else np.sort(in_order)
    return Records(
        in_order,
        design,
        n,
        values=values,
        n_groups=None if groups is None else len(np.unique(groups)),
        n_effective=cases.n_effective,
        n_missing=cases.n_missing,
        absent=cases.absent,
        cautions=cases.cautions,
    )


# --------------------------------------------------------------------------- shares


def share_job(
    hits: NDArray[np.bool_], metric: Metric, cases: TestSet, trials: NDArray[np.bool_] | None
) -> Job:
    """The share of hits among the trials, all cases where none are named."""
    functional = share_functional(metric)
    return Job(functional, _records(hits.astype(float), functional, cases, trials))


def _share(row: MetricRow, metric: Metric, cases: TestSet, policies: Policies) -> Job | None:
    """A proportion of the cases in its own denominator, where the metric is one and has some."""
    plain = cases.weights is None and policies.criterion is None
    if cases.predicted is None or not (plain and is_share(row, metric)):
        return None
    hit, miss = share_of(row, metric, cases.truth, cases.predicted)
    trials = hit | miss
    compared = cases.identities is not None
    # Where the truth says which cases are trials, models of one truth share them.
    by_truth = set(metric.spec.share) in ({"tp", "fn"}, {"tn", "fp"})
    same_trials = not compared or (cases.shares_truth and by_truth)
    if not trials.any() or not same_trials:
        return None
    share = share_job(hit, metric, cases, trials)
    stratified = cases.strata is not None and len(np.unique(cases.strata)) > 1
    if not stratified or not (compared or (hit.any() and miss.any())):
        return share
    # Strata fix the number of cases, not how many of them are in the denominator: it varies too.
    omitting = replace(policies, undefined="omit")
    whole = _job(counting_functional(row, metric, cases.classes, omitting), cases)
    statistic = whole.functional.statistic
    statistic = replace(statistic, spec=replace(statistic.spec, estimand=Estimand.PROPORTION))
    values = share.records.values
    return replace(
        whole,
        functional=replace(whole.functional, statistic=statistic, metric=share.functional.metric),
        records=replace(whole.records, values=values, n_cases=len(values)),
    )


# --------------------------------------------------------------------------- a user's function


def _custom_functional(custom: CustomMetric, cases: TestSet) -> Functional:
    """A function is called with labels and predictions as they were given."""
    if cases.weights is not None:
        raise OptionError(
            "leave out sample_weight: a function of your own takes y_true and y_score alone"
        )
    labels = np.array(cases.labels, dtype=None if cases.labels else float)
    columns = len(cases.rows)

    def called(records: Array) -> float:
        if cases.numbers:
            return _checked_number(custom, records[0], records[1])
        truth = labels[records[0].astype(np.intp)]
        if cases.hard:
            return _checked_number(custom, truth, labels[records[1].astype(np.intp)])
        return _checked_number(custom, truth, records[1] if columns == 1 else records[1:].T)

    statistic = building.callable_statistic(custom.metric.spec.name, called)
    return Functional(statistic, custom.metric, records=_as_given)


def _as_given(cases: TestSet) -> Array:
    return cases.rows if cases.numbers else np.vstack([cases.truth, cases.rows], dtype=float)


def _checked_number(custom: CustomMetric, truth: NDArray[Any], predicted: NDArray[Any]) -> float:
    name = custom.metric.spec.name
    try:
        number = custom.function(truth, predicted)
    except Exception as error:
        message = " ".join(str(error).split())
        raise OptionError(
            f"metric {name!r} raised {type(error).__name__} on the cases or a resample of them: "
            f"{message[:200]}. Let it return nan where it is undefined"
        ) from error
    try:
        refuse_complex(number, name)
        return float(number)
    except (OverflowError, TypeError, ValueError):
        shape = f" of shape {np.shape(number)}" if isinstance(number, np.ndarray) else ""
        raise OptionError(
            f"metric {name!r} returned {type(number).__name__}{shape}; let it return one number"
        ) from None
