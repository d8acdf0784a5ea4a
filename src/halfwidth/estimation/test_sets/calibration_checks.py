"""What metrics of calibration need of a test set, and what gives reason to doubt them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from halfwidth.arithmetic.probabilities import CLIP, clipped
from halfwidth.core.cautions import Caution, caution
from halfwidth.core.forms import AbsoluteSums, LogisticFit, PairedCases, Sums
from halfwidth.core.spec import Estimand, Metric, MetricSpec, spec_of
from halfwidth.core.titles import metric_title
from halfwidth.core.types import Array
from halfwidth.estimation.functionals import (
    MetricRow,
    Policies,
    build_functional,
    probabilities_of_one,
)
from halfwidth.estimation.records import Functional
from halfwidth.estimation.test_sets.test_set import TestSet
from halfwidth.metrics.calibration.bins import ece_l2
from halfwidth.metrics.calibration.chance import mean_absolute_deviation
from halfwidth.metrics.calibration.scores import nll

# An error is called one by chance where a calibrated model would have this share of it.
BY_CHANCE = 0.25


def with_bandwidth(row: MetricRow, metric: Metric, cases: TestSet) -> Metric:
    """With the bandwidth that these cases make, where none was given and there are two cases."""
    form = metric.form
    if not isinstance(form, PairedCases) or "bandwidth" in metric.parameters or cases.n < 2:
        return metric
    functional = build_functional(row, metric, cases.classes, Policies("omit", "omit"))
    row_form = functional.statistic.spec.form
    if not isinstance(row_form, PairedCases):
        raise TypeError(f"{metric.spec.name} does not compare pairs of cases")
    bandwidth = form.bandwidth(*row_form.cases(functional.records(cases)))
    return replace(metric, parameters={**metric.parameters, "bandwidth": bandwidth})


def why_no_fit(row: MetricRow, functional: Functional, records: Array) -> str:
    """Why cases, (k, n), have no logistic fit: one class, equal p, or p that separate; or empty."""
    form = functional.statistic.spec.form
    fitted = isinstance(form, LogisticFit) and records.shape[-1]
    if not fitted or not math.isnan(float(functional.statistic(records[None])[0])):
        return ""
    name, n = row.name, records.shape[-1]
    p, happened = records[0], records[1] == 1
    if happened.all() or not happened.any():
        if row.average == "top_label":
            every = "in the only case" if n == 1 else f"in all {n} cases"
            right = "right" if happened.all() else "wrong"
            return f"{name} needs right and wrong labels; the top label is {right} {every}"
        kind = "positive" if happened.all() else "negative"
        every = "the only case is" if n == 1 else f"all {n} cases are"
        return f"{name} needs cases of both classes; {every} {kind}"
    if len(np.unique(clipped(p))) == 1:
        return f"{name} needs probabilities that differ; those of all {n} cases are {p[0]:g}"
    apart = p[happened].min() >= p[~happened].max() or p[happened].max() <= p[~happened].min()
    if apart:
        return (
            f"{name} has no finite value: a threshold of the probability separates the "
            f"{happened.sum()} positive from the {(~happened).sum()} negative cases, so that the "
            "slope of the regression is infinite"
        )
    fewer = "" if row.called else f"fewer knots ({name}:3) or "
    return (
        f"{name} has no value: part of the curve separates the classes, so that none with finite "
        f"coefficients fits the {n} cases best; take {fewer}more cases"
    )


def calibration_cautions(
    row: MetricRow, metric: Metric, functional: Functional, cases: TestSet, policies: Policies
) -> Iterator[Caution]:
    """Logits of a limit, pairs of cases that were not compared, and much that may be chance."""
    form, n = metric.form, cases.n
    if not n:
        return
    if isinstance(form, LogisticFit) or form == spec_of(nll).form:
        p = probabilities_of_one(row, cases)[0]
        changed = int((clipped(p) != p).sum())
        if changed:
            yield caution("HW510", count=changed, n=n, limit=f"{CLIP:g}", what=metric_title(metric))
    if isinstance(form, PairedCases):
        most = form.most_vectors if row.average == "canonical" else form.most_cases
        if most is not None and n > most:
            yield caution("HW511", what=metric_title(metric), most=f"{most} of {n}")
    sums = functional.statistic.spec.form
    absolute = sums.absolute if isinstance(sums, Sums) else None
    if metric.estimand is Estimand.CALIBRATION_ERROR and absolute is not None:
        records = functional.records(cases)
        value = float(functional.statistic(records[None])[0])
        expected = expected_by_chance(records, absolute)
        if expected and expected >= BY_CHANCE * value:
            yield caution(
                "HW508",
                what=metric_title(metric),
                expected=f"{expected:.2g}",
                n=f"{n} case{'' if n == 1 else 's'}",
                debiased=_debiased_text(row, metric, cases, policies),
            )


def expected_by_chance(records: Array, absolute: AbsoluteSums) -> float:
    """The mean of the sum where outcomes have the probabilities of the records, (k, n)."""
    foreseen, size = absolute.probabilities(records), float(records.shape[-1])
    if not absolute.weighted:
        return absolute.share / size * sum(mean_absolute_deviation(p[p > 0]) for p in foreseen)
    foreseen, weights = foreseen[:-1], foreseen[-1]
    variances = (foreseen * (weights - foreseen)).sum(axis=-1)
    return float(absolute.share / weights.sum() * np.sqrt(2 * variances / np.pi).sum())


def _debiased_text(row: MetricRow, metric: Metric, cases: TestSet, policies: Policies) -> str:
    """The debiased ℓ2 ECE in the same bins, where there is one."""
    spec: MetricSpec = spec_of(ece_l2)
    if row.average not in spec.averages or not takes_pairs(cases):
        return ""
    bins = {parameter.name: metric.parameters[parameter.name] for parameter in spec.parameters}
    functional = build_functional(row, Metric(spec, bins), cases.classes, policies)
    value = float(functional.statistic(functional.records(cases)[None])[0])
    return "" if math.isnan(value) else f"; the {spec.title} is {value:.2g}"


def takes_pairs(cases: TestSet) -> bool:
    """Whether any two cases are independent, and count alike."""
    return cases.groups is None and cases.strata is None and cases.weights is None
