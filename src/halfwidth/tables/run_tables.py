"""Tables of training runs, a row per run: plain ones, and those that MLflow and W&B export.

MLflow writes ``metrics.accuracy``, ``params.seed`` and a ``status`` of FINISHED, FAILED, ...; its
pages, and those of W&B, write the names alone with a ``State`` or ``Status``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, OptionError, UnknownNameError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.io.table import Table
from halfwidth.tables.repeats import is_index_column

METRIC_PREFIXES = ("metrics.", "summary.")
SETTING_PREFIXES = ("params.", "config.")
STATUS_COLUMNS = ("status", "state")
# Letters of an unknown word that a message shows.
MOST_LETTERS = 30
FINISHED = frozenset({"finished", "success", "succeeded", "completed", "done", "ok"})
UNFINISHED = frozenset(
    {
        *("failed", "failure", "crashed", "killed", "running", "scheduled", "pending", "queued"),
        *("preempting", "preempted", "error", "timeout", "cancelled", "canceled", "aborted"),
    }
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
SEED = "seed"
# The columns of a canonical table, whose rows are no runs.
VALUE = "value"
CASE_VALUES = ("case", "metric", VALUE)
FOLD = re.compile(r"(^|[^a-z])(k|cv)?folds?([^a-z]|$)")


@frozen
class RunTable:
    """Which column of a table of runs is what."""

    table: Table
    value: str
    # Columns whose levels are estimated apart.
    by: tuple[str, ...]
    status: str | None
    fold: str | None
    name: str | None
    # Columns of settings but those of seeds: ``params.``, and words that several runs share.
    settings: tuple[str, ...]
    seeds: tuple[str, ...]

    @property
    def metric(self) -> str:
        """The name of the metric, without the tracker's prefix."""
        return _without_prefix(self.value)


@frozen
class RunSlice:
    """The runs of one source of variation."""

    label: str
    by: Mapping[str, Any]
    # As they stand in the table, one for each run that finished, or for each seed over whose folds
    # they were averaged.
    values: NDArray[Any]
    names: list[str]
    # Runs that did not finish, which are left out.
    unfinished: list[str]
    # Settings that differ between runs, and seeds where more than one does.
    varying: tuple[str, ...]
    # Runs that say all that an earlier one does.
    repeated: int


def _without_prefix(name: str) -> str:
    for prefix in (*METRIC_PREFIXES, *SETTING_PREFIXES):
        name = name.removeprefix(prefix)
    return name


def _find_column(table: Table, name_given: str, prefixes: Sequence[str]) -> str:
    """The column meant: by its name, or by its name behind a tracker's prefix."""
    for name in (name_given, *(prefix + name_given for prefix in prefixes)):
        if name in table:
            return name
    raise UnknownNameError(
        "column", name_given, list(dict.fromkeys(map(_without_prefix, table.names)))
    )


def _first(table: Table, names: Sequence[str]) -> str | None:
    lowered = {name.lower(): name for name in reversed(table.names)}
    return next((lowered[name] for name in names if name in lowered), None)


def _status_column(table: Table) -> str | None:
    """The column with the status of runs; raises an error for unknown words in it."""
    for name in table.names:
        if name.lower() not in STATUS_COLUMNS:
            continue
        words = dict.fromkeys(_word(level) for level in table.levels(name) if level is not None)
        unknown = [word for word in words if word not in FINISHED | UNFINISHED]
        if len(unknown) == len(words) < 2:
            continue
        if unknown:
            named = shortened([word[:MOST_LETTERS] for word in unknown], 3)
            raise DataError(
                f"column {name!r} holds {named}, which say neither that a run "
                f"finished ({', '.join(sorted(FINISHED))}) nor that it did not; write one of these "
                "words, or leave the column out"
            )
        return name
    return None


def _word(level: Any) -> str:
    return str(level).strip().lower()


def _folds_column(table: Table) -> str | None:
    """A column of folds, whatever it is called: fold, cv_fold, kfold, fold_id, ..."""
    return next((name for name in table.names if FOLD.search(_without_prefix(name).lower())), None)


def run_table(frame: Any, value: str | None, by: Sequence[str]) -> RunTable:
    """What the columns of a table of runs mean.

    ``value``: column of the metric, with or without its prefix; default: the only one there is.
    """
    table = Table.from_frame(frame)
    if all(name in table for name in CASE_VALUES):
        raise DataError(
            f"the rows are values of cases (columns {', '.join(CASE_VALUES)}), not training runs; "
            "'halfwidth ci' takes them, and here a row is a run with its metric"
        )
    sources = tuple(_find_column(table, one, SETTING_PREFIXES) for one in by)
    fold = _folds_column(table)
    seeds = tuple(
        name for name in table.names if SEED in _without_prefix(name).lower() and name != value
    )
    status = _status_column(table)
    other = {*sources, *seeds, fold, status, value}
    settings = tuple(
        name
        for name in table.names
        if name not in other and (name.startswith(SETTING_PREFIXES) or _shared_words(table, name))
    )
    known = {*other, *settings}
    column = (
        _only_metric(table, known) if value is None else _find_column(table, value, METRIC_PREFIXES)
    )
    name = _first(table, NAME_COLUMNS)
    if column in sources:
        raise OptionError(
            f"column {column!r} cannot be both the value ({spelled('value')}) and a source "
            f"({spelled('by')})"
        )
    return RunTable(table, column, sources, status, fold, name, settings, seeds)


def _shared_words(table: Table, name: str) -> bool:
    """Whether a column holds a few words, such as the model or the source of each run."""
    if name.lower() in BOOKKEEPING or table.is_numeric(name) or table.is_empty(name):
        return False
    levels = {str(level) for level in table.levels(name)}
    return len(levels) <= len(table) // 2


def _only_metric(table: Table, known: set[str | None]) -> str:
    numeric = [
        name
        for name in table.names
        if name not in known
        and not (is_index_column(name) or name.lower() in BOOKKEEPING)
        and table.is_numeric(name)
    ]
    marked = [name for name in numeric if name.startswith(METRIC_PREFIXES)]
    candidates = marked or numeric
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        raise DataError(
            f"the table has no column of numbers; its columns: {shortened(table.names)}"
        )
    raise OptionError(
        f"{len(candidates)} columns may be the metric ({shortened(candidates)}); name one: "
        f"{spelled('value')}"
    )


# --------------------------------------------------------------------------- slices


def run_slices(runs: RunTable, *, average_folds: bool) -> Iterator[RunSlice]:
    """The runs of each source, in the order in which sources appear."""
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
    left_out = sorted(set(rows) - set(finished))
    unfinished = [_name(runs, row) for row in left_out]
    if not finished:
        raise DataError(f"{_prefix(label)}none of {len(rows)} runs finished ({runs.status!r})")
    values = runs.table.values(runs.value, np.array(finished))
    names = [_name(runs, row) for row in finished]
    folds = 1
    if runs.fold is not None and len(_distinct(runs, runs.fold, finished)) > 1:
        _refuse_folds(runs, label, finished, average_folds)
        values, names, folds = _fold_means(runs, label, finished, values)
    varying, seeds = (
        tuple(name for name in names_of if len(_distinct(runs, name, finished)) > 1)
        for names_of in (runs.settings, runs.seeds)
    )
    # One seed varies as it should.
    varying += seeds if len(seeds) > 1 else ()
    by = {_without_prefix(name): level for name, level in by.items()}
    repeated = 0 if folds > 1 else _repeated(runs, finished)
    return RunSlice(label, by, values, names, unfinished, varying, repeated)


def _prefix(label: str) -> str:
    return f"{label}: " if label else ""


def _finished(runs: RunTable, row: int) -> bool:
    if runs.status is None:
        return True
    return _word(runs.table.levels(runs.status)[row]) in FINISHED


def _name(runs: RunTable, row: int) -> str:
    if runs.name is None:
        return f"row {runs.table.row_number(row)}"
    return str(runs.table.levels(runs.name)[row])


def _distinct(runs: RunTable, column: str, rows: Sequence[int]) -> dict[Any, None]:
    levels = runs.table.levels(column)
    return dict.fromkeys(levels[row] for row in rows)


def _refuse_folds(runs: RunTable, label: str, rows: Sequence[int], average_folds: bool) -> None:
    folds = _distinct(runs, str(runs.fold), rows)
    if not average_folds:
        raise DataError(
            f"{_prefix(label)}column {runs.fold!r} has {len(folds)} folds: folds of one "
            "cross-validation share their training data, so they are not independent runs and "
            f"their number is not n; average them within each seed "
            f"({spelled('folds', 'average')}), or give one run per seed"
        )
    if not runs.seeds:
        raise DataError(
            f"{_prefix(label)}averaging folds within seeds needs a column seed; add one"
        )


def _fold_means(
    runs: RunTable, label: str, rows: Sequence[int], values: NDArray[Any]
) -> tuple[NDArray[Any], list[str], int]:
    """The mean over the folds of each run: of each seed and setting."""
    constant = (*runs.seeds, *runs.settings)
    places_of: dict[tuple[Any, ...], list[int]] = {}
    for place, row in enumerate(rows):
        places_of.setdefault(_cells(runs, constant, row), []).append(place)
    folds = runs.table.levels(str(runs.fold))
    held = [sorted(str(folds[rows[place]]) for place in places) for places in places_of.values()]
    names = [
        ", ".join(f"{_without_prefix(k)} {v}" for k, v in zip(constant, key, strict=True))
        for key in places_of
    ]
    for name, own in zip(names, held, strict=True):
        if own != held[0] or len(set(own)) < len(own):
            raise DataError(
                f"{_prefix(label)}{name} has the folds {', '.join(own)} and {names[0]} "
                f"{', '.join(held[0])}; a mean over folds needs each fold once for each of them"
            )
    try:
        numbers = values.astype(float)
    except (TypeError, ValueError):
        raise DataError(f"column {runs.value!r} holds values that are not numbers") from None
    if np.isnan(numbers).any():
        raise DataError(
            f"{_prefix(label)}{int(np.isnan(numbers).sum())} of {len(numbers)} folds have no value "
            f"in column {runs.value!r}; a mean over folds needs all of them"
        )
    means = [float(numbers[places].mean()) for places in places_of.values()]
    return np.array(means), names, len(held[0])


def _repeated(runs: RunTable, rows: Sequence[int]) -> int:
    """Rows that agree with an earlier one in all that is not bookkeeping, or in name and value.

    Without seeds and names equal rows may be different runs.
    """
    table = runs.table
    columns_compared = [name for name in table.names if name.lower() not in BOOKKEEPING]
    by_seed = [_cells(runs, columns_compared, row) for row in rows] if runs.seeds else []
    by_name = [_cells(runs, (runs.name, runs.value), row) for row in rows] if runs.name else []
    return max(len(cells) - len(set(cells)) for cells in (by_seed, by_name))


def _cells(runs: RunTable, columns: Sequence[str], row: int) -> tuple[Any, ...]:
    """The cells of a row; missing ones differ from nothing."""
    return tuple(str(runs.table.levels(name)[row]) for name in columns)
