"""Tables of any kind as the canonical long table, and several of them as one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, OptionError, UnknownNameError, shortened, shown
from halfwidth.core.option_names import spelled
from halfwidth.core.undefined import Status
from halfwidth.io.table import TEXT, Table
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
    metric: str | None = None,
    values: Sequence[str] | None = None,
    case: str | None = None,
    groups: str | None = None,
) -> Table:
    """A table as the canonical long one.

    ``table``: canonical already, or wide: a column of case ids and one of values for each label;
    ``metric``: what the values of a wide table are, with its parameters; without it, a wide table
    stays as it is; ``values``: columns of values; default: those with numbers; ``case``,
    ``groups``: columns of case ids and of clusters.

    Columns ``case, metric, value``, then those of the others that there are; with notes.
    """
    if METRIC in table and VALUE in table:
        if metric is not None or values:
            raise OptionError(
                f"{spelled('metric')} and {spelled('value')} are for wide tables; this one names "
                "the metric of each row"
            )
        return _in_order(_with_groups(table, groups), table)
    if metric is None:
        if values or case or groups:
            raise OptionError(
                f"{spelled('value')}, {spelled('case')} and {spelled('groups')} need "
                f"{spelled('metric')}: what the values are"
            )
        return table
    layout = layout_of(table, values, None, case, groups)
    if layout.case is None:
        raise DataError(
            f"no column of case ids; name it: {spelled('case')}. The table has "
            f"{shortened(table.names, 10)}"
        )
    numbers = [_numbers(table, name) for name in layout.values]
    count = len(layout.values)
    name, _, parameters = metric.partition(":")
    taken = (layout.case, *layout.values)
    kept = [one for one in CANONICAL if one in table and one not in taken]
    source = _with_groups(table, groups)
    columns = {one: np.repeat(source[one], count) for one in kept}
    models = next((one for one in MODEL_COLUMNS if one in table and one not in taken), None)
    if models is not None:
        columns[MODEL] = np.repeat(source[models], count)
    if groups is not None:
        columns[GROUP] = np.repeat(source[GROUP], count)
    columns[CASE] = np.repeat(table.columns[layout.case], count)
    columns[METRIC] = _same(metric_name(name), len(table) * count)
    columns[VALUE] = np.stack(numbers, axis=1).ravel()
    if parameters:
        columns[PARAMETERS] = _same(parameters.replace(",", ";"), len(table) * count)
    is_metric = count == 1 and metric_name(layout.values[0]) in (metric_name(name), VALUE)
    columns = _statuses(table, layout.values) | columns
    if LABEL not in kept and not is_metric:
        columns[LABEL] = np.tile(np.array(layout.values, dtype=TEXT), len(table))
    left_out = [one for one in table.names if one not in (*taken, groups, *kept, models)]
    by = f"cases by {layout.case!r}" + (f", models by {models!r}" if models else "")
    notes = [f"values of {_listed(layout.values)} as {metric}, {by}"]
    notes += [f"left out: {_listed(left_out)}"] * bool(left_out)
    return _in_order(columns, table, [*notes, *_missed_note(columns, kept)])


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


def _missed_note(columns: Mapping[str, NDArray[Any]], kept: Sequence[str]) -> Iterator[str]:
    """What the statuses that were found take for granted."""
    if STATUS not in kept and str(Status.MISSED) in columns.get(STATUS, ()):
        yield (
            "status 'missed' where a distance is missing and the overlap is 0; where the reference "
            "is empty, it is 'spurious', which nothing in the table tells"
        )


def stacked(tables: Mapping[str, Table], named: Collection[str] = (), column: str = MODEL) -> Table:
    """One table of several, each of a model or of a fold: its name stands in that ``column``.

    ``named`` are those whose names the user gave; a table that is not among them keeps the models
    or folds that its file names.
    """
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
