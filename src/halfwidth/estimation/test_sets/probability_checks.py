"""What metrics of predicted probabilities need of a test set."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from halfwidth.arithmetic.probabilities import clipped
from halfwidth.core.forms import LogisticFit, PairedCases
from halfwidth.core.spec import Metric
from halfwidth.core.types import Array
from halfwidth.estimation.functionals import (
    MetricRow,
    Policies,
    build_functional,
)
from halfwidth.estimation.records import Functional
from halfwidth.estimation.test_sets.test_set import TestSet


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


def takes_pairs(cases: TestSet) -> bool:
    """Whether any two cases are independent, and count alike."""
    return cases.groups is None and cases.strata is None and cases.weights is None
