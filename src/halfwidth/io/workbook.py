"""Tables in XLSX workbooks."""

from __future__ import annotations

import datetime as dt
import zlib
from collections.abc import Iterator
from itertools import islice
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, UnknownNameError, one_line, shortened
from halfwidth.core.option_names import spelled
from halfwidth.document.progress import tracked
from halfwidth.io.delimited import named_table
from halfwidth.io.headers import SAMPLE_ROWS, check_header, default_names
from halfwidth.io.numerals import Decimal, with_points
from halfwidth.io.table import Table, is_missing_text
from halfwidth.io.table_sources import Source
from halfwidth.io.workbook_parts import (
    Cell,
    Sheet,
    cells_of,
    date_styles,
    shared_texts,
    sheets_of,
    whole_number,
)

ENCRYPTED = b"\xd0\xcf\x11\xe0"
# What the parts of a workbook may take when unpacked, and against their packed size.
MOST_UNPACKED, MOST_EXPANSION, ALWAYS_UNPACKED = 2 * 10**9, 500, 1 << 26
# Cells of the table that is made, empty ones included: 16 million take some 500 MB.
MOST_CELLS = 1 << 24
Row = dict[int, Any]


def read_workbook(
    source: Source, *, sheet: str | None, header: bool | None, decimal: Decimal | None
) -> Table:
    """A table from a sheet of a workbook.

    ``sheet``: its name; None for the first; ``decimal``: of numbers that are stored as text.
    """
    if source.first(4) == ENCRYPTED:
        raise DataError(
            "is encrypted, or a workbook of the old kind (.xls); save it as .xlsx without password"
        )
    try:
        with ZipFile(source.opened) as book:
            _check_parts(book)
            sheets = sheets_of(book)
            if not sheets:
                raise DataError("cannot be read as XLSX (it has no sheet with cells)")
            chosen = _chosen(sheets, sheet)
            table = _table_of(book, chosen, header=header, others=_others(sheets, chosen))
    except KeyError as error:
        raise DataError(f"cannot be read as XLSX (it is no workbook: {error.args[0]})") from None
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise DataError(f"cannot be read as XLSX ({one_line(error)})") from None
    notes = _notes(table, sheets, chosen, sheet_given=sheet is not None)
    return with_points(Table(table.columns, table.row_numbers, notes), decimal, None)


def _check_parts(book: ZipFile) -> None:
    """Refuse parts that would unpack to more than is sane."""
    for part in book.infolist():
        dense = part.file_size > MOST_EXPANSION * max(part.compress_size, 1)
        if part.file_size > MOST_UNPACKED or (dense and part.file_size > ALWAYS_UNPACKED):
            raise DataError(
                f"cannot be read as XLSX ({part.filename} unpacks to "
                f"{part.file_size / 1e6:.0f} MB from {part.compress_size / 1e6:.2g} MB)"
            )


def _chosen(sheets: list[Sheet], name: str | None) -> Sheet:
    if name is None:
        return sheets[0]
    by_name = {one.name.strip(): one for one in reversed(sheets)}
    if name.strip() not in by_name:
        raise UnknownNameError("sheet", name, [one.name for one in sheets])
    return by_name[name.strip()]


def _others(sheets: list[Sheet], chosen: Sheet) -> str:
    names = [one.name for one in sheets if one is not chosen]
    listed = shortened([repr(name) for name in names], 8)
    return f"; the others are {listed} ({spelled('sheet')})" if names else ""


def _notes(
    table: Table, sheets: list[Sheet], chosen: Sheet, *, sheet_given: bool
) -> tuple[str, ...]:
    if sheet_given or len(sheets) == 1:
        return table.notes
    empty = not any(table.is_numeric(name) for name in table.names)
    without = ", which holds no numbers" if empty else ""
    note = f"read sheet {chosen.name!r}, the first of {len(sheets)}{without}"
    return (note + _others(sheets, chosen), *table.notes)


def _table_of(book: ZipFile, sheet: Sheet, *, header: bool | None, others: str) -> Table:
    where = "" if not others else f"sheet {sheet.name!r}: "
    rows = _Rows(book, sheet)
    columns: dict[int, list[Any]] = {}
    numbers: list[int] = []
    for number, row in rows:
        # Cells of a column above its first are missing.
        for column in row.keys() - columns.keys():
            columns[column] = [None] * len(numbers)
        for column, cells in columns.items():
            cells.append(row.get(column))
        numbers.append(number)
        if len(numbers) * len(columns) > MOST_CELLS:
            raise DataError(
                f"{where}has more than {MOST_CELLS} cells, the empty ones between others included; "
                "save the table as CSV or Parquet, or remove stray cells"
            )
    if not numbers:
        raise DataError(f"{where or 'the first sheet '}is empty{others}")
    rows.check_formulas(where)
    listed = [columns[column] for column in sorted(columns)]
    return _under_header(numbers, listed, header=header, where=where)


def _under_header(
    numbers: list[int], columns: list[list[Any]], *, header: bool | None, where: str
) -> Table:
    lines = np.array(numbers, dtype=np.intp)
    if header is False:
        return named_table(default_names(len(columns)), [_array(one) for one in columns], lines)
    names = ["" if one[0] is None else _shown(one[0]) for one in columns]
    if header is None:
        sample = [
            ["" if cell is None else _shown(cell) for cell in row]
            for row in islice(zip(*columns, strict=True), 1, 1 + SAMPLE_ROWS)
        ]
        check_header(names, sample, where)
    return named_table(names, [_array(one[1:]) for one in columns], lines[1:])


def _array(cells: list[Any]) -> NDArray[Any]:
    """A column: of numbers where all are, else of objects."""
    if all(type(cell) is float or cell is None for cell in cells) and any(cells):
        return np.array(cells, dtype=float)
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def _shown(cell: Any) -> str:
    return f"{cell:.15g}" if isinstance(cell, float) else str(cell)


class _Rows:
    """The rows of a sheet that hold something, with their cells as values."""

    def __init__(self, book: ZipFile, sheet: Sheet) -> None:
        self._book, self._sheet = book, sheet
        self._texts = shared_texts(book)
        self._dates = date_styles(book)
        self._uncomputed: list[str] = []

    def __iter__(self) -> Iterator[tuple[int, Row]]:
        number, row = 0, Row()
        for cells in self._chunks():
            for cell in cells:
                if cell.row != number:
                    if row:
                        yield number, row
                    number, row = cell.row, Row()
                value = self._value(cell)
                if value is not None:
                    row[cell.column] = value
        if row:
            yield number, row

    def _chunks(self) -> Iterator[list[Cell]]:
        """Cells, many at a time; who waits at a terminal sees how far they are."""
        chunk: list[Cell] = []
        total = self._book.getinfo(self._sheet.part).file_size
        with self._book.open(self._sheet.part) as opened:

            def read() -> Iterator[tuple[int, int]]:
                for some in cells_of(opened):
                    chunk[:] = some
                    yield 0, opened.tell() // 1000

            for _ in tracked(read(), total // 1000, "kB read"):
                yield chunk

    def check_formulas(self, where: str) -> None:
        """Refuse formulas without computed values: they would be missing cells."""
        if self._uncomputed:
            raise DataError(
                f"{where}{len(self._uncomputed)} cell(s) hold a formula without its value "
                f"({shortened(self._uncomputed, 3)}); open the workbook in a spreadsheet program "
                "and save it, so that the values are computed"
            )

    def _value(self, cell: Cell) -> Any:
        text = cell.text
        if text is None:
            self._uncomputed.append(f"row {cell.row}, column {cell.column + 1}")
            return None
        if cell.kind == "n":
            return self._number(cell, text)
        if cell.kind == "s":
            text = self._shared(text)
        elif cell.kind == "b":
            return text.strip() not in ("0", "false")
        stripped = text.strip()
        return None if is_missing_text(stripped) else stripped

    def _number(self, cell: Cell, text: str) -> Any:
        try:
            number = float(text)
        except ValueError:
            return text.strip()
        return _date(number) if cell.style in self._dates else number

    def _shared(self, text: str) -> str:
        # Not as Python counts, for which -1 is the last.
        place = whole_number(text.strip(), default=len(self._texts))
        if place >= len(self._texts):
            raise DataError("cannot be read as XLSX (a cell refers to a text that is not there)")
        return self._texts[place]


def _date(number: float) -> str:
    """Days since 1899-12-30 as text, so that no date is taken for a value."""
    try:
        moment = dt.datetime(1899, 12, 30) + dt.timedelta(days=number)  # noqa: DTZ001
    except (OverflowError, ValueError):
        return f"date {number:g}"
    return str(moment.date() if number == int(number) else moment.replace(microsecond=0))
