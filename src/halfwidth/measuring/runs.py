"""Training runs: those of each source of variation, checked."""

from __future__ import annotations

from collections.abc import Iterator

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.errors import shortened
from halfwidth.data.case_values import CaseValues
from halfwidth.data.run_values import RunValues
from halfwidth.estimation.check import check_sample
from halfwidth.estimation.resolve import Request
from halfwidth.estimation.runs.quantiles import RunSource, resolve_run_metric
from halfwidth.measuring.quantities import Quantities
from halfwidth.results.estimate import Cases
from halfwidth.tables.run_tables import RunSlice, RunTable, run_slices


def run_sources(
    values: CaseValues, quantities: Quantities, request: Request
) -> Iterator[tuple[RunSource, Cases]]:
    """The runs of each source of variation, checked, and their values for figures."""
    runs = values.source
    if not isinstance(runs, RunValues):
        raise TypeError("values of cases have no runs")
    metric, bounds = values.with_metric(quantities.metric).metric, values.bounds
    table = runs.values
    if not isinstance(table, RunTable):
        run_metric = resolve_run_metric(metric, bounds)
        sample = check_sample(table, run_metric, request, scale=values.scale, where="values")
        yield RunSource(sample), Cases("", run_metric.spec.display, sample.in_order)
        return
    run_metric = resolve_run_metric(metric, bounds, column=table.metric)
    for part in run_slices(table, average_folds=runs.folds == "average"):
        where = f"column {table.value!r}" + (f", {part.label}" if part.label else "")
        sample = check_sample(
            part.values, run_metric, request, scale=values.scale, where=where, cases=part.names
        )
        source = RunSource(sample, part.label, part.by, _cautions(part))
        yield source, Cases(part.label, run_metric.spec.display, sample.in_order)


def _cautions(part: RunSlice) -> tuple[Caution, ...]:
    """What the table gives reason to doubt."""
    cautions, total = [], len(part.values)
    if part.varying:
        cautions.append(caution("HW704", columns=shortened(part.varying)))
    if part.unfinished:
        count = len(part.unfinished)
        names = shortened(part.unfinished)
        cautions.append(caution("HW705", count=count, total=total + count, names=names))
    if part.repeated:
        cautions.append(caution("HW706", repeated=part.repeated, total=total))
    return tuple(cautions)
