"""What is said of a calibration error besides its interval: how much of it may be chance."""

from __future__ import annotations

import math

import numpy as np

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.forms import AbsoluteSums, Sums
from halfwidth.core.spec import Metric, MetricSpec, spec_of
from halfwidth.core.titles import metric_title
from halfwidth.core.types import Array
from halfwidth.estimation.functionals import MetricRow, Policies, build_functional
from halfwidth.estimation.records import Functional
from halfwidth.estimation.test_sets.test_set import TestSet
from halfwidth.metrics.calibration.bins import ece_l2
from halfwidth.metrics.calibration.chance import mean_absolute_deviation

# An error is called one by chance where a calibrated model would have this share of it.
BY_CHANCE = 0.25


def chance_cautions(
    row: MetricRow, metric: Metric, functional: Functional, cases: TestSet, policies: Policies
) -> tuple[Caution, ...]:
    """A caution where much of a sum of sizes of deviations may be chance."""
    form = functional.statistic.spec.form
    absolute = form.absolute if isinstance(form, Sums) else None
    if absolute is None or not cases.n:
        return ()
    records = functional.records(cases)
    value = float(functional.statistic(records[None])[0])
    expected = expected_by_chance(records, absolute)
    if not expected >= BY_CHANCE * value or not expected:
        return ()
    return (
        caution(
            "HW508",
            what=metric_title(metric),
            expected=f"{expected:.2g}",
            n=f"{cases.n} case{'' if cases.n == 1 else 's'}",
            debiased=_debiased_text(row, metric, cases, policies),
        ),
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
