"""What a metric by kernels took of a test set: its bandwidth, and how many of the cases."""

from __future__ import annotations

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.forms import PairedCases
from halfwidth.core.spec import Metric
from halfwidth.core.titles import metric_title
from halfwidth.estimation.functionals import MetricRow, Policies, build_functional
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
    return Metric(metric.spec, {**metric.parameters, "bandwidth": bandwidth})


def subset_cautions(row: MetricRow, metric: Metric, cases: TestSet) -> tuple[Caution, ...]:
    """A caution where not all pairs of cases were compared."""
    form = metric.form
    if not isinstance(form, PairedCases):
        return ()
    most = form.most_vectors if row.average == "canonical" else form.most_cases
    if most is None or cases.n <= most:
        return ()
    return (caution("HW511", what=metric_title(metric), most=f"{most} of {cases.n}"),)
