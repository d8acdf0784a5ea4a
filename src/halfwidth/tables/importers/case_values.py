"""From the values that a foreign file holds to the canonical table."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, shown
from halfwidth.core.undefined import is_missing
from halfwidth.io.table import TEXT, Table
from halfwidth.metrics.all_metrics import METRICS

NUMBERS_AS_TEXT = {"nan": math.nan, "inf": math.inf, "infinity": math.inf, "-inf": -math.inf}


class CaseValue(NamedTuple):
    """A row of a canonical table; columns that no row has are left out of the table."""

    case: str | None
    metric: str
    value: float
    model: str | None = None
    task: str | None = None
    label: str | None = None
    status: str | None = None
    parameters: str | None = None
    group: str | None = None
    stratum: str | None = None
    reader: str | None = None
    seed: str | None = None
    fold: str | None = None


def canonical_table(rows: Iterable[CaseValue], notes: Iterable[str]) -> Table:
    """The canonical table of some rows: values as numbers, everything else as text."""
    columns: dict[str, list[Any]] = {name: [] for name in CaseValue._fields}
    lists = list(columns.values())
    for row in rows:
        for cells, cell in zip(lists, row, strict=True):
            cells.append(cell)
    if not lists[0]:
        raise DataError("holds no values of single cases")
    _refuse_truths_among_numbers(columns)
    canonical: dict[str, NDArray[Any]] = {}
    for name, cells in columns.items():
        if name == "value":
            canonical[name] = np.array(cells, dtype=float)
        elif any(cell is not None for cell in cells):
            canonical[name] = _text(cells)
        cells.clear()
    return Table(canonical, notes=tuple(notes))


def _refuse_truths_among_numbers(columns: dict[str, list[Any]]) -> None:
    rows = list(zip(columns["metric"], columns["value"], columns["case"], strict=True))
    others = {metric for metric, value, _ in rows if value not in (0, 1) and not is_missing(value)}
    for metric, value, case in rows:
        if isinstance(value, bool) and metric in others:
            raise DataError(
                f"{metric} of case {case} is {value}, which is not a number, but other "
                f"values of {metric} are"
            )


def _text(cells: list[Any]) -> NDArray[Any]:
    texts = [math.nan if cell is None else cell for cell in cells]
    try:
        return np.array(texts, dtype=TEXT)
    except UnicodeEncodeError:
        # JSON may hold halves of letters, which no file can be written with.
        whole = [
            t if isinstance(t, float) else t.encode("utf-8", "replace").decode() for t in texts
        ]
        return np.array(whole, dtype=TEXT)


def names_in(table: Table, column: str) -> list[str | None]:
    """The names in a column of a text file; None where a cell is missing."""
    return [None if level is None else str(level) for level in table.levels(column)]


def metric_name(written: str) -> str:
    """The name of a metric here if it surely means the same, else what the file calls it.

    >>> metric_name("Dice"), metric_name("TP")
    ('dsc', 'TP')
    """
    return METRICS[written].name if written in METRICS else written


def number(cell: Any, where: str) -> float:
    """A number of a document, or a truth value as it is; null and NaN are missing."""
    if cell is None:
        return math.nan
    if isinstance(cell, str) and cell.strip().lower() in NUMBERS_AS_TEXT:
        return NUMBERS_AS_TEXT[cell.strip().lower()]
    if isinstance(cell, bool):
        return cell
    if not isinstance(cell, int | float):
        raise DataError(f"{where} is {shown(cell)}, not a number")
    try:
        return float(cell)
    except OverflowError:
        return math.inf if cell > 0 else -math.inf
