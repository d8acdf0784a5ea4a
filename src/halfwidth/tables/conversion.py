"""Tables of any kind as the canonical long table, and several of them as one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, OptionError, UnknownNameError, shortened, shown
from halfwidth.core.option_names import spelled
from halfwidth.core.undefined import Status
from halfwidth.io.table import TEXT, Table
from halfwidth.metrics.all_metrics import METRICS
from halfwidth.tables.challenge_columns import MODEL_COLUMNS
from halfwidth.tables.importers.case_values import CaseValue, metric_name
from halfwidth.tables.layout import layout_of
from halfwidth.tables.missing_distances import missing_distances

# In the order in which a canonical table has them.
CANONICAL = CaseValue._fields
CASE, METRIC, VALUE, MODEL = "case", "metric", "value", "model"
LABEL, STATUS, PARAMETERS, GROUP = "label", "status", "parameters", "group"


def long_table(
    table: Table,
    metrics: Sequence[tuple[str | None, Sequence[str] | None]] = ((None, None),),
    case: str | None = None,
    groups: str | None = None,
) -> Table:
    """A table as the canonical long one.

    ``table``: canonical already, or wide: a column of case ids and columns of values; ``metrics``:
    what these are, with its parameters, and which they are; default: those with numbers. Without a
    metric they are what they are called, and a table whose columns are called otherwise stays as it
    is; ``case``, ``groups``: columns of case ids and of clusters.

    Columns ``case, metric, value``, then those of the others that there are; with notes.
    """
    metric, values = metrics[0]
    if METRIC in table and VALUE in table:
        if metric is not None or values:
            raise OptionError(
                f"{spelled('metric')} and {spelled('value')} are for wide tables; this one names "
                "the metric of each row"
            )
        return _in_order(_with_groups(table, groups), table)
    of_column = _metric_of_columns(table, metrics, case, groups)
    if not of_column:
        return table
    layout = layout_of(table, [*of_column], None, case, groups)
    if layout.case is None:
        raise DataError(
            f"no column of case ids; name it: {spelled('case')}. The table has "
            f"{shortened(table.names, 10)}"
        )
    numbers = [_numbers(table, name) for name in of_column]
    count = len(of_column)
    named = [one.partition(":")[::2] for one in of_column.values()]
    taken = (layout.case, *of_column)
    source = _with_groups(table, groups)
    models = next((one for one in MODEL_COLUMNS if one in table and one not in taken), None)
    left_out = [
        one
        for one in source
        if one not in taken and (one in (CASE, METRIC, VALUE) or _has_fractions(table, one))
    ]
    further = [one for one in source if one not in (*taken, *left_out)]
    columns = {MODEL if one == models else one: source[one] for one in further}
    columns[CASE] = table.columns[layout.case]
    # Whatever else a row tells, such as the organ: cases may repeat across it.
    columns = {one: np.repeat(cells, count) for one, cells in columns.items()}
    columns[METRIC] = _tiled([metric_name(name) for name, _ in named], len(table))
    columns[VALUE] = np.stack(numbers, axis=1).ravel()
    if any(parameters for _, parameters in named):
        columns[PARAMETERS] = _tiled(
            [parameters.replace(",", ";") or np.nan for _, parameters in named], len(table)
        )
    columns = _statuses(table, layout.values) | columns
    are_labels = len(set(of_column.values())) < count or (
        count == 1 and metric_name(layout.values[0]) not in (metric_name(named[0][0]), VALUE)
    )
    if LABEL not in columns and are_labels:
        columns[LABEL] = _tiled([*of_column], len(table))
    by = f"cases by {layout.case!r}" + (f", models by {models!r}" if models else "")
    as_what = ", ".join(dict.fromkeys(of_column.values()))
    notes = [f"values of {_listed([*of_column])} as {as_what}, {by}"]
    notes += [f"left out: {_listed(left_out)}"] * bool(left_out)
    if STATUS not in further and str(Status.MISSED) in columns.get(STATUS, ()):
        notes.append(
            "status 'missed' where a distance is missing and the overlap is 0; where the reference "
            "is empty, it is 'spurious', which nothing in the table tells"
        )
    return _in_order(columns, table, notes)


def _metric_of_columns(
    table: Table,
    metrics: Sequence[tuple[str | None, Sequence[str] | None]],
    case: str | None,
    groups: str | None,
) -> dict[str, str]:
    """The metric of each column of values; of none, where nothing says what these are."""
    metric, values = metrics[0]
    if len(metrics) > 1:
        of_column = {name: str(one) for one, names in metrics for name in names or ()}
        if len(of_column) < len(metrics):
            raise OptionError(f"{spelled('metric')} names a column twice; give each metric once")
        return of_column
    if metric is not None:
        return dict.fromkeys(layout_of(table, values, None, case, groups).values, metric)
    of_column = _called_as_metrics(table, values, case, groups)
    if not of_column and (values or case or groups):
        raise OptionError(
            f"{spelled('value')}, {spelled('case')} and {spelled('groups')} need "
            f"{spelled('metric')}: what the values are"
        )
    return of_column


def _has_fractions(table: Table, name: str) -> bool:
    """Whether a column holds numbers that are measured; whole ones may be levels."""
    if name not in table or not table.is_numeric(name):
        return False
    cells = _numbers(table, name)
    return bool((cells[np.isfinite(cells)] % 1 != 0).any())


def _called_as_metrics(
    table: Table, values: Sequence[str] | None, case: str | None, groups: str | None
) -> dict[str, str]:
    """The metric of each column of values, where all are called as metrics."""
    try:
        layout = layout_of(table, values, None, case, groups)
    except DataError:
        # Without numbers.
        return {}
    if layout.case is None and not values:
        # Whatever the table is, its rows cannot be told apart; nobody asked for them one by one.
        return {}
    named = {name: metric_name(name) for name in layout.values if name in METRICS}
    return named if len(named) == len(layout.values) else {}


def _statuses(table: Table, columns: Sequence[str]) -> dict[str, NDArray[Any]]:
    """The column of statuses, where overlaps say why distances are missing."""
    statuses = np.full((len(table), len(columns)), np.nan, dtype=object)
    for place, column in enumerate(columns):
        distances = missing_distances(table, column, np.arange(len(table)))
        if distances is not None:
            statuses[distances.one_empty, place] = str(Status.MISSED)
            statuses[distances.absent, place] = str(Status.NOT_APPLICABLE)
    stated = any(isinstance(cell, str) for cell in statuses.flat)
    return {STATUS: statuses.ravel().astype(TEXT)} if stated else {}


def stacked(tables: Mapping[str, Table], named: Collection[str] = (), column: str = MODEL) -> Table:
    """One table of several, named in ``column``; those not ``named`` keep what their file names."""
    for name, table in tables.items():
        if name in named and _names(table, column) and len(table.factor(column).distinct) > 1:
            raise DataError(
                f"{table.source} has the values of several {column}s, so they cannot all be of "
                f"{name!r}; convert it alone"
            )
    names = dict.fromkeys(one for table in tables.values() for one in table.names if one != column)
    columns = {one: [_cells(table, one) for table in tables.values()] for one in names}
    columns[column] = [
        table.columns[column]
        if _names(table, column) and name not in named
        else _same(name, len(table))
        for name, table in tables.items()
    ]
    whole = {one: _joined(parts) for one, parts in columns.items()}
    return _in_order(whole, next(iter(tables.values())))


def _listed(names: Sequence[str]) -> str:
    return f"{'column' if len(names) == 1 else 'columns'} {shortened(names, 8)}"


def _names(table: Table, column: str) -> bool:
    return column in table and not table.is_empty(column)


def rows_of(table: Table) -> list[tuple[Any, ...]]:
    """The rows of a table as they are written: missing text as None, numbers as Python has them."""
    lists = []
    for column in table.columns.values():
        cells = column.tolist()
        text = column.dtype.kind == "T"
        lists.append(
            [None if isinstance(cell, float) else cell for cell in cells] if text else cells
        )
    return list(zip(*lists, strict=True))


def _with_groups(table: Table, groups: str | None) -> dict[str, NDArray[Any]]:
    """The columns of a table, that of the clusters under its canonical name."""
    if groups is None:
        return dict(table.columns)
    if groups not in table:
        raise UnknownNameError("column", groups, table.names)
    others = {name: column for name, column in table.columns.items() if name != groups}
    return others | {GROUP: table.columns[groups]}


def _in_order(
    columns: Mapping[str, NDArray[Any]], table: Table, notes: Sequence[str] = ()
) -> Table:
    """The columns in canonical order, any others behind them."""
    known = [name for name in CANONICAL if name in columns]
    others = [name for name in columns if name not in known]
    return Table(
        {name: columns[name] for name in (*known, *others)},
        notes=tuple(notes),
        source=table.source,
    )


def _numbers(table: Table, name: str) -> NDArray[np.float64]:
    cells = table.values(name, np.arange(len(table)))
    if cells.dtype.kind == "O":
        wrong = next(row for row, cell in enumerate(cells) if isinstance(cell, str))
        raise DataError(
            f"column {name!r} holds {shown(cells[wrong])} in row {table.row_number(wrong)}, which "
            f"is no number; name the columns of values with {spelled('value')}"
        )
    return np.asarray(cells, dtype=float)


def _tiled(cells: Sequence[Any], times: int) -> NDArray[Any]:
    """Text for the columns of values, again for each row."""
    return np.tile(np.array(cells, dtype=TEXT), times)


def _same(text: str, count: int) -> NDArray[Any]:
    return np.full(count, text, dtype=TEXT)


def _cells(table: Table, name: str) -> NDArray[Any]:
    if name in table:
        return table.columns[name]
    return np.full(len(table), np.nan)


def _joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Parts of a column as one; numbers and text together become text."""
    kinds = {part.dtype.kind for part in parts}
    if len(kinds) == 1:
        return np.concatenate(parts)
    cells = [cell for part in parts for cell in part.tolist()]
    if kinds <= set("biuf"):
        return np.array(cells, dtype=float)
    texts = [np.nan if cell is None or cell != cell else str(cell) for cell in cells]  # noqa: PLR0124
    return np.array(texts, dtype=TEXT)
