"""Values of training runs: in an array, or in a table with a row for each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.errors import OptionError, UnknownNameError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.estimation.check import check_sample
from halfwidth.estimation.resolve import Request
from halfwidth.estimation.runs.quantiles import RunSource, resolve_run_metric
from halfwidth.results.estimate import Cases
from halfwidth.tables.run_tables import RunSlice, RunTable, run_slices, run_table

FOLDS = ("refuse", "average")
NOT_COMPARED = (
    "values are of training runs, which are estimated (estimate, runs_ci), not compared; "
    "CaseValues.from_table takes a column of procedures as that of models"
)


@frozen(eq=False)
class RunValues:
    """Training runs as they were given."""

    # A RunTable, or an array.
    values: Any
    folds: str = "refuse"

    @property
    def models(self) -> tuple[str, ...]:
        """None: sources of variation are no models."""
        return ()

    @property
    def tables(self) -> NoReturn:
        """Refuse what is done to tables of cases."""
        raise OptionError(
            "these are values of training runs, not of cases; estimate them (estimate, runs_ci)"
        )

    def roles(self, _: Any) -> dict[str, Any]:
        """The columns of the metric and of the sources of variation."""
        if not isinstance(self.values, RunTable):
            return {}
        return {"value": self.values.value, "by": ", ".join(self.values.by) or None}

    def sources(
        self, metric: Any, bounds: Any, scale: float, request: Request
    ) -> Iterator[tuple[RunSource, Cases]]:
        """The runs of each source of variation, checked, and their values for figures."""
        table = self.values
        if not isinstance(table, RunTable):
            run_metric = resolve_run_metric(metric, bounds)
            sample = check_sample(table, run_metric, request, scale=scale, where="values")
            yield RunSource(sample), Cases("", run_metric.spec.display, sample.in_order)
            return
        run_metric = resolve_run_metric(metric, bounds, column=table.metric)
        for part in run_slices(table, average_folds=self.folds == "average"):
            where = f"column {table.value!r}" + (f", {part.label}" if part.label else "")
            sample = check_sample(
                part.values, run_metric, request, scale=scale, where=where, cases=part.names
            )
            source = RunSource(sample, part.label, part.by, _cautions(part))
            yield source, Cases(part.label, run_metric.spec.display, sample.in_order)

    def jobs(self, *_: Any) -> NoReturn:
        """Refuse what is done to cases."""
        raise OptionError(
            "these are values of training runs; estimate their quantiles and mean (estimate, "
            "runs_ci)"
        )

    def families(self, *_: Any) -> NoReturn:
        """Refuse what is done to models."""
        raise OptionError(NOT_COMPARED)


def run_values(runs: Any, value: Any, by: Any, folds: Any, *, is_table: bool) -> RunValues:
    """Runs in a table or an array, with the columns that are named."""
    if is_table:
        table = run_table(runs, value, by)
        if not isinstance(folds, str) or folds not in FOLDS:
            raise UnknownNameError("folds", folds, FOLDS)
        return RunValues(table, folds)
    for name, option, usual in (("value", value, None), ("by", by, ()), ("folds", folds, "refuse")):
        if option != usual:
            raise OptionError(f"{spelled(name, option)} goes with a table of runs, not with values")
    return RunValues(runs)


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
