"""Numbers as tables write them: decimal points, decimal commas, and separators of thousands."""

from __future__ import annotations

import math
import re
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, OptionError, shortened
from halfwidth.core.option_names import spelled
from halfwidth.io.table import TEXT, Table

Decimal = Literal[".", ","]
DECIMALS: tuple[Decimal, ...] = (".", ",")

COMMA = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")
POINT = re.compile(r"[+-]?(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?")
# 1,234 and 1.234,5: what separates thousands in one country is the decimal mark of another.
ONE_GROUP = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
GROUPED = re.compile(
    r"[+-]?(?:\d{1,3}(?:,\d{3})+\.\d+|\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:,\d{3}){2,}|"
    r"\d{1,3}(?:\.\d{3}){2,}|\d{1,3}(?:['’\u00a0\u202f ]\d{3})+(?:[.,]\d+)?)"
)
# Cells that are looked at to say whether a column is meant to hold numbers.
LOOKED_AT = 10_000


def as_decimal(mark: str | None) -> Decimal | None:
    """A decimal mark as an option gives it."""
    for known in DECIMALS:
        if mark == known:
            return known
    if mark is not None:
        raise OptionError(f"{spelled('decimal', mark)} is no decimal mark; use '.' or ','")
    return None


def is_number(text: str, *, commas: bool = False) -> bool:
    """Whether a text is a number, with a decimal comma where these are allowed."""
    if commas and COMMA.fullmatch(text):
        return True
    try:
        return "_" not in text and not math.isnan(float(text))
    except ValueError:
        return False


def like_a_number(cell: Any) -> bool:
    """Whether a cell is a number or was meant as one, with decimal commas or thousands."""
    if not isinstance(cell, str):
        return True
    return is_number(cell, commas=True) or bool(GROUPED.fullmatch(cell))


def with_points(table: Table, decimal: Decimal | None, separator: str | None) -> Table:
    """The table with decimal points where it has decimal commas.

    Without ``decimal`` commas are recognised where ``separator`` is a semicolon or a tab.
    """
    points = decimal == "." or (decimal is None and separator not in (";", "\t"))
    if points or not table.columns or not len(table):
        return table
    commas = {name: rows for name in table.names if len(rows := _comma_rows(table, name))}
    if decimal is None and not commas:
        return table
    if (
        decimal is None
        and separator == "\t"
        and all(
            ONE_GROUP.fullmatch(cell)
            for name, rows in commas.items()
            for cell in _cells(table, name, rows)
        )
    ):
        name, rows = next(iter(commas.items()))
        cell = _cells(table, name, rows[:1])[0]
        raise DataError(
            f"line {table.row_number(rows[0])}, column {name!r}: {cell} may be a thousand or a "
            f"fraction; say {spelled('decimal', ',')} if commas are decimal marks, else remove them"
        )
    _refuse_points(table)
    columns = dict(table.columns)
    for name, rows in commas.items():
        columns[name] = column = columns[name].copy()
        column[rows] = [cell.replace(",", ".") for cell in _cells(table, name, rows)]
    notes = "" if decimal else (f"decimal commas in column(s) {shortened(list(commas), 5)}",)
    return Table(columns, table.row_numbers, (*table.notes, *notes))


def _comma_rows(table: Table, name: str) -> NDArray[np.intp]:
    """Rows of a column of numbers whose cells have a decimal comma."""
    column = table.columns[name]
    none = np.empty(0, dtype=np.intp)
    if column.dtype.kind not in "TO" or table.is_numeric(name):
        return none
    step = -(-len(column) // LOOKED_AT)
    looked_at = [cell for cell in column[::step].tolist() if isinstance(cell, str)]
    if 2 * sum(like_a_number(cell) for cell in looked_at) < max(len(looked_at), 1):
        return none
    rows = []
    for row, cell in enumerate(column.tolist()):
        if isinstance(cell, str) and "," in cell:
            if GROUPED.fullmatch(cell):
                raise _grouped(table, name, row, cell)
            if COMMA.fullmatch(cell):
                rows.append(row)
    return np.array(rows, dtype=np.intp)


def _cells(table: Table, name: str, rows: NDArray[np.intp]) -> list[str]:
    cells: list[str] = table.columns[name][rows].tolist()
    return cells


def _grouped(table: Table, name: str, row: int, cell: str) -> DataError:
    return DataError(
        f"line {table.row_number(row)}, column {name!r}: {cell} has a separator of thousands; "
        "write numbers without"
    )


def _refuse_points(table: Table) -> None:
    """Refuse points in a table with decimal commas: 1.234 may be a thousand."""
    for name, column in table.columns.items():
        if column.dtype.kind != "T":
            continue
        filled = np.where(np.isnan(column), np.array("", dtype=TEXT), column)
        for row in np.flatnonzero(np.strings.find(filled, ".") >= 0).tolist():
            cell = column[row]
            if POINT.fullmatch(cell):
                raise DataError(
                    f"line {table.row_number(row)}, column {name!r}: {cell} has a point where "
                    "decimals have a comma; write all numbers alike, without separators of "
                    f"thousands ({spelled('decimal', '.')} reads commas as text)"
                )
