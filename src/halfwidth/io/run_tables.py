"""Tables of training runs, a row per run: plain ones, and those that MLflow and W&B export.

MLflow writes ``metrics.accuracy``, ``params.seed`` and a ``status`` of FINISHED, FAILED, ...; its
pages, and those of W&B, write the names alone with a ``State`` or ``Status``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, OptionError, UnknownNameError, quoted, shortened
from halfwidth.io.table import Table

__all__ = ["RunSlice", "RunTable", "run_slices", "run_table"]

METRIC_PREFIXES = ("metrics.", "summary.")
SETTING_PREFIXES = ("params.", "config.")
STATUS_COLUMNS = ("status", "state")
FINISHED = frozenset({"finished", "success", "succeeded", "completed"})
UNFINISHED = frozenset(
    {"failed", "crashed", "killed", "running", "scheduled", "pending", "preempting", "preempted"}
)
NAME_COLUMNS = ("run_id", "run id", "run", "name", "id", "tags.mlflow.runname")
# What a tracker writes down of every run; no user means them as metrics.
BOOKKEEPING = frozenset(
    {
        *NAME_COLUMNS,
        *STATUS_COLUMNS,
        *("experiment_id", "start_time", "start time", "end_time", "duration", "created"),
        *("runtime", "_runtime", "_timestamp", "_step", "_wandb", "notes", "tags", "user", "sweep"),
    }
)
FOLD, SEED = "fold", "seed"


@dataclass(frozen=True)
class RunTable:
    """Which column of a table of runs is what.

    Attributes
    ----------
    table : Table
    value : str
        Column of the metric.
    by : tuple of str
        Columns whose levels are estimated apart.
    status, fold, name : str or None
    settings : tuple of str
        Columns of settings (``params.``) but those of seeds.
    seeds : tuple of str
    """

    table: Table
    value: str
    by: tuple[str, ...]
    status: str | None
    fold: str | None
    name: str | None
    settings: tuple[str, ...]
    seeds: tuple[str, ...]

    @property
    def metric(self) -> str:
        """The name of the metric, without the tracker's prefix."""
        return _bare(self.value)


@dataclass(frozen=True)
class RunSlice:
    """The runs of one source of variation.

    Attributes
    ----------
    label : str
    by : mapping
    values : ndarray
        As they stand in the table, one for each run that finished, or for each seed over whose
        folds they were averaged.
    names : list of str
    unfinished : list of str
        Runs that did not finish, which are left out.
    varying : tuple of str
        Settings that differ between runs, and seeds where more than one does.
    folds : int
        Folds that were averaged into each value; 1 where there are none.
    repeated : int
        Runs with the seed and the value of an earlier one.
    """

    label: str
    by: Mapping[str, Any]
    values: NDArray[Any]
    names: list[str]
    unfinished: list[str]
    varying: tuple[str, ...]
    folds: int
    repeated: int


def _bare(name: str) -> str:
    for prefix in (*METRIC_PREFIXES, *SETTING_PREFIXES):
        name = name.removeprefix(prefix)
    return name


def _found(table: Table, asked: str, prefixes: Sequence[str]) -> str:
    """The column meant: by its name, or by its name behind a tracker's prefix."""
    for name in (asked, *(prefix + asked for prefix in prefixes)):
        if name in table:
            return name
    raise UnknownNameError("column", asked, list(dict.fromkeys(map(_bare, table.names))))


def _first(table: Table, names: Sequence[str]) -> str | None:
    lowered = {name.lower(): name for name in reversed(table.names)}
    return next((lowered[name] for name in names if name in lowered), None)


def _status_column(table: Table) -> str | None:
    """A column called so that says nothing but how runs ended."""
    known = FINISHED | UNFINISHED
    for name in table.names:
        if name.lower() in STATUS_COLUMNS:
            levels = {str(level).lower() for level in table.levels(name) if level is not None}
            if levels and levels <= known:
                return name
    return None


def run_table(frame: Any, value: str | None = None, by: Sequence[str] = ()) -> RunTable:
    """What the columns of a table of runs mean.

    Parameters
    ----------
    frame : DataFrame, mapping or Table
    value : str, optional
        Column of the metric, with or without its prefix; default: the only one there is.
    by : sequence of str
        Columns of sources of variation.

    Raises
    ------
    UnknownNameError
        For a column that is not there.
    OptionError
        If no column is named and several hold numbers.
    """
    table = Table.of_frame(frame)
    sources = tuple(_found(table, one, SETTING_PREFIXES) for one in by)
    fold = next((name for name in table.names if _bare(name).lower() == FOLD), None)
    seeds = tuple(name for name in table.names if SEED in _bare(name).lower() and name != value)
    settings = tuple(
        name
        for name in table.names
        if name.startswith(SETTING_PREFIXES) and name not in (*seeds, *sources, fold)
    )
    known = {*sources, *seeds, *settings, fold}
    column = _only_metric(table, known) if value is None else _found(table, value, METRIC_PREFIXES)
    name = _first(table, NAME_COLUMNS)
    if column in sources:
        raise OptionError(
            f"column {column!r} cannot be both the value (--value) and a source (--by)"
        )
    return RunTable(table, column, sources, _status_column(table), fold, name, settings, seeds)


def _only_metric(table: Table, known: set[str | None]) -> str:
    numeric = [
        name
        for name in table.names
        if name not in known and name.lower() not in BOOKKEEPING and table.is_numeric(name)
    ]
    marked = [name for name in numeric if name.startswith(METRIC_PREFIXES)]
    found = marked or numeric
    if len(found) == 1:
        return found[0]
    if not found:
        raise DataError(f"the table has no column of numbers; its columns: {quoted(table.names)}")
    raise OptionError(
        f"{len(found)} columns may be the metric ({shortened(found)}); name one: value= (--value)"
    )


# --------------------------------------------------------------------------- slices


def run_slices(runs: RunTable, *, average_folds: bool = False) -> Iterator[RunSlice]:
    """The runs of each source, in the order in which sources appear.

    Raises
    ------
    DataError
        If folds of a cross-validation are offered as runs, or no run finished.
    """
    table = runs.table
    levels = [table.levels(name) for name in runs.by]
    rows_of: dict[tuple[Any, ...], list[int]] = {}
    for row in range(len(table)):
        rows_of.setdefault(tuple(column[row] for column in levels), []).append(row)
    for key, rows in rows_of.items():
        yield _slice(runs, dict(zip(runs.by, key, strict=True)), rows, average_folds)


def _slice(
    runs: RunTable, by: Mapping[str, Any], rows: Sequence[int], average_folds: bool
) -> RunSlice:
    label = ", ".join(str(level) for level in by.values())
    finished = [row for row in rows if _finished(runs, row)]
    unfinished = [_name(runs, row) for row in rows if row not in set(finished)]
    if not finished:
        raise DataError(f"{_where(label)}none of {len(rows)} runs finished ({runs.status!r})")
    values = runs.table.values(runs.value, np.array(finished))
    names = [_name(runs, row) for row in finished]
    folds = 1
    if runs.fold is not None and len(_distinct(runs, runs.fold, finished)) > 1:
        _refuse_folds(runs, label, finished, average_folds)
        values, names, folds = _fold_means(runs, label, finished, values)
    varying = tuple(
        name for name in runs.settings if len(_distinct(runs, name, finished)) > 1
    ) + _mixed_seeds(runs, finished)
    by = {_bare(name): level for name, level in by.items()}
    repeated = 0 if folds > 1 else _repeated(runs, finished, values)
    return RunSlice(label, by, values, names, unfinished, varying, folds, repeated)


def _where(label: str) -> str:
    return f"{label}: " if label else ""


def _finished(runs: RunTable, row: int) -> bool:
    if runs.status is None:
        return True
    return str(runs.table.levels(runs.status)[row]).lower() in FINISHED


def _name(runs: RunTable, row: int) -> str:
    if runs.name is None:
        return f"row {runs.table.row_number(row)}"
    return str(runs.table.levels(runs.name)[row])


def _distinct(runs: RunTable, column: str, rows: Sequence[int]) -> dict[Any, None]:
    levels = runs.table.levels(column)
    return dict.fromkeys(levels[row] for row in rows)


def _seeds_of(runs: RunTable, row: int) -> tuple[Any, ...]:
    return tuple(runs.table.levels(name)[row] for name in runs.seeds)


def _mixed_seeds(runs: RunTable, rows: Sequence[int]) -> tuple[str, ...]:
    """Seeds that vary, where it is more than one."""
    varying = tuple(name for name in runs.seeds if len(_distinct(runs, name, rows)) > 1)
    return varying if len(varying) > 1 else ()


def _refuse_folds(runs: RunTable, label: str, rows: Sequence[int], average_folds: bool) -> None:
    folds = _distinct(runs, str(runs.fold), rows)
    if not average_folds:
        raise DataError(
            f"{_where(label)}column {runs.fold!r} has {len(folds)} folds: folds of one "
            "cross-validation share their training data, so they are no independent runs and their "
            "number is no n; average them within each seed (--folds average), or give one run per "
            "seed"
        )
    if not runs.seeds:
        raise DataError(
            f"{_where(label)}folds can be averaged within seeds only, and no column is called seed"
        )


def _fold_means(
    runs: RunTable, label: str, rows: Sequence[int], values: NDArray[Any]
) -> tuple[NDArray[Any], list[str], int]:
    """The mean over the folds of each seed."""
    by_seed: dict[tuple[Any, ...], list[int]] = {}
    for place, row in enumerate(rows):
        by_seed.setdefault(_seeds_of(runs, row), []).append(place)
    sizes = {len(places) for places in by_seed.values()}
    if len(sizes) > 1:
        raise DataError(
            f"{_where(label)}seeds have between {min(sizes)} and {max(sizes)} folds; the mean over "
            "folds needs as many for each"
        )
    try:
        means = [float(np.mean(values[places].astype(float))) for places in by_seed.values()]
    except (TypeError, ValueError):
        raise DataError(f"column {runs.value!r} holds values that are not numbers") from None
    names = [f"seed {', '.join(map(str, seed))}" for seed in by_seed]
    return np.array(means), names, sizes.pop()


def _repeated(runs: RunTable, rows: Sequence[int], values: NDArray[Any]) -> int:
    """Runs that an earlier one says it all of: the same seeds, the same value."""
    if not runs.seeds:
        return 0
    seen = [
        (*_seeds_of(runs, row), value) for row, value in zip(rows, values.tolist(), strict=True)
    ]
    return len(seen) - len(set(seen))
