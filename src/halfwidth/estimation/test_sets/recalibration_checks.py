"""Test sets for which a logistic regression of the outcomes does not exist, and clipped logits."""

from __future__ import annotations

import math

import numpy as np

from halfwidth.arithmetic.probabilities import CLIP, clipped
from halfwidth.core.cautions import Caution, caution
from halfwidth.core.errors import DataError
from halfwidth.core.forms import LogisticFit
from halfwidth.core.spec import Metric, spec_of
from halfwidth.core.titles import metric_title
from halfwidth.core.types import Array
from halfwidth.estimation.functionals import MetricRow, probabilities_of_one
from halfwidth.estimation.records import Functional
from halfwidth.estimation.test_sets.test_set import TestSet
from halfwidth.metrics.calibration.scores import nll


def refuse_no_fit(row: MetricRow, metric: Metric, functional: Functional, records: Array) -> None:
    """Refuse cases of one class, equal probabilities and such as separate the classes, (k, n).

    Not of each class of several, where the others may have what this one lacks.
    """
    form = functional.statistic.spec.form
    if not isinstance(form, LogisticFit) or row.average == "none" or not records.shape[-1]:
        return
    if not math.isnan(float(functional.statistic(records[None])[0])):
        return
    name, n = metric.spec.name, records.shape[-1]
    p, happened = records[0], records[1] == 1
    if happened.all() or not happened.any():
        if row.average == "top_label":
            every = "in the only case" if n == 1 else f"in all {n} cases"
            right = "right" if happened.all() else "wrong"
            raise DataError(
                f"{name} needs right and wrong labels; the top label is {right} {every}"
            )
        kind = "positive" if happened.all() else "negative"
        every = "the only case is" if n == 1 else f"all {n} cases are"
        raise DataError(f"{name} needs cases of both classes; {every} {kind}")
    if len(np.unique(clipped(p))) == 1:
        raise DataError(
            f"{name} needs probabilities that differ; those of all {n} cases are {p[0]:g}"
        )
    apart = p[happened].min() >= p[~happened].max() or p[happened].max() <= p[~happened].min()
    if apart:
        raise DataError(
            f"{name} has no finite value: a threshold of the probability separates the "
            f"{happened.sum()} positive from the {(~happened).sum()} negative cases, so that the "
            "slope of the regression is infinite"
        )
    raise DataError(
        f"{name} has no value: part of the curve separates the classes, so that none with finite "
        f"coefficients fits the {n} cases best; take fewer knots ({name}:3) or more cases"
    )


def clipping_cautions(row: MetricRow, metric: Metric, cases: TestSet) -> tuple[Caution, ...]:
    """A caution where logarithms and logits of some probabilities are those of a limit."""
    takes_logs = isinstance(metric.form, LogisticFit) or metric.form == spec_of(nll).form
    if not takes_logs or not cases.n:
        return ()
    p = probabilities_of_one(row, cases)[0]
    changed = int((clipped(p) != p).sum())
    if not changed:
        return ()
    title = metric_title(metric)
    return (caution("HW510", count=changed, n=cases.n, limit=f"{CLIP:g}", what=title),)
