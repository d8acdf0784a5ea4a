"""Values of training runs: in an array, or in a table with a row for each."""

from __future__ import annotations

from typing import Any, NoReturn

from halfwidth.core.errors import OptionError, UnknownNameError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.tables.run_tables import RunTable, run_table

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
