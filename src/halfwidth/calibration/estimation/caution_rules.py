"""What gives reason to doubt metrics of calibration."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from halfwidth.arithmetic.probabilities import CLIP, clipped
from halfwidth.calibration.metrics.bins import ece_l2
from halfwidth.calibration.metrics.chance import mean_absolute_deviation
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
from halfwidth.estimation.test_sets.probability_checks import takes_pairs
from halfwidth.estimation.test_sets.test_set import TestSet
from halfwidth.metrics.proper_scores import nll

# An error is called one by chance where a calibrated model would have this share of it.
BY_CHANCE = 0.25


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
