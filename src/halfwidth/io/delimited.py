"""Tables of text: cells separated by commas, semicolons or tabs."""

from __future__ import annotations

import csv
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.csv_cells import as_written, runs
from halfwidth.core.errors import DataError, quoted
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.document.progress import tracked
from halfwidth.io.headers import (
    SAMPLE_ROWS,
    check_header,
    default_names,
    names_columns,
    numeric_names,
)
from halfwidth.io.numerals import Decimal, with_points
from halfwidth.io.table import Table, text_column
from halfwidth.io.table_sources import Source, text_of

# Rows that are Python objects at a time; of wide tables fewer, so that cells are no more than so
# many, but not so few that each part of a column is a handful.
CHUNK, CELLS, FEWEST = 1 << 14, 1 << 20, 1 << 6
# Columns take a thousand bytes each, however little there is in them.
MOST_COLUMNS = 10**5
# What Excel reads and writes above a table to say what separates its cells.
SAYS_SEPARATOR = re.compile(r'"?sep=([^\w\s"]|\t)"?', re.IGNORECASE)
LONGEST_LINE = 1 << 20


def read_delimited(
    source: Source, separators: str, *, header: bool | None, decimal: Decimal | None
) -> Table:
    """A table from text, by the preferred of ``separators``; ``header`` None: if it can be one."""
    with text_of(source) as (text, assumed):
        start = _start(text, separators, header=header)
        text.seek(0)
        for _ in range(start.above):
            text.readline(LONGEST_LINE)
        reader = csv.reader(text, delimiter=start.separator, strict=True)
        try:
            table = _table_of(reader, source, start, header=header)
        except csv.Error as error:
            raise DataError(_csv_error_text(error, start.above + reader.line_num)) from None
    notes = (assumed,) if assumed else ()
    table = Table(table.columns, table.row_numbers, (*notes, *table.notes))
    return with_points(table, decimal, start.separator)


@frozen
class _Start:
    """Where a table begins in its text."""

    # Lines above its rows.
    above: int
    separator: str
    # Of the columns, where the last line above holds them behind a #.
    names: tuple[str, ...] = ()


def _start(text: IO[str], separators: str, *, header: bool | None) -> _Start:
    """The start of a table, below what spreadsheets and people write above it."""
    named, comment, commented = "", "", 0
    number, line = 0, ""
    # A file whose lines never end is refused by its first cell.
    while following := text.readline(LONGEST_LINE):
        number += 1
        bare = following.strip("\r\n\ufeff")
        if number == 1 and (says := SAYS_SEPARATOR.fullmatch(bare)):
            named = says[1]
        elif bare.startswith("#"):
            comment, commented = bare, number
        elif bare:
            line = following
            break
    separator = named or max(separators, key=line.count)
    if comment and header is not False:
        comment_separator = named or max(separators, key=comment.count)
        rows = csv.reader(itertools.chain([comment, line], text), delimiter=comment_separator)
        try:
            names, *sample = itertools.islice(filter(None, rows), 2 + SAMPLE_ROWS)
        except csv.Error:
            # It is told where the rows are read.
            names, sample = [], []
        if names and (not sample or names_columns(names, sample)):
            names[0] = names[0].lstrip("#").strip() or names[0]
            return _Start(commented, comment_separator, tuple(names))
    if not line:
        raise DataError("the table has no rows")
    return _Start(number - 1, separator)


def _csv_error_text(error: csv.Error, line: int) -> str:
    if "field larger" in str(error):
        return f"line {line} has a cell of more than {csv.field_size_limit()} letters"
    return f"cannot be read as a table ({error}, line {line})"


def _table_of(reader: Any, source: Source, start: _Start, *, header: bool | None) -> Table:
    first = [as_written(name) for name in start.names or next(row for row in reader if row)]
    if len(first) > MOST_COLUMNS:
        raise DataError(f"has {len(first)} columns; at most {MOST_COLUMNS} are read")
    body = _Body(len(first))
    if header is False:
        body.add([start.above + reader.line_num], [first])
    unchecked = header is None
    for numbers, rows in _chunks(reader, source, start.above, len(first)):
        if unchecked:
            check_header(first, _sample(rows, len(first)), source.shown)
            unchecked = False
        body.add(numbers, rows)
    if unchecked:
        check_header(first, [], source.shown)
    names = default_names(len(first)) if header is False else first
    notes: tuple[str, ...] = ()
    if header is None and len(numeric_names(names)) == len(names):
        note = f"{', '.join(names[:4])}{', …' * (len(names) > 4)}"
        note = (
            f"the first line ({note}) was taken for the names of the columns; if it is data, say "
            f"{spelled('header', False)}"
        )
        notes = (note,)
    if start.names:
        notes = (f"line {start.above} was taken for the names of the columns, not for a comment",)
    return named_table(names, *body.columns(), notes)


def _sample(rows: list[list[str]], width: int) -> list[list[str]]:
    return [row for row in itertools.islice(rows, SAMPLE_ROWS) if len(row) == width]


def _chunks(
    reader: Any, source: Source, above: int, width: int
) -> Iterator[tuple[list[int], list[list[str]]]]:
    """Rows and the lines on which they end, many at a time; who waits sees how far they are."""
    at_a_time = min(CHUNK, max(FEWEST, CELLS // width))
    numbers: list[int] = []
    rows: list[list[str]] = []

    def read() -> Iterator[tuple[int, int]]:
        while True:
            numbers.clear()
            rows.clear()
            for row in itertools.islice(reader, at_a_time):
                rows.append(row)
                numbers.append(above + reader.line_num)
            if not rows:
                return
            yield 0, source.opened.tell() // 1000

    for _ in tracked(read(), source.size // 1000, "kB read"):
        yield numbers, rows


class _Body:
    """The rows below the header, gathered as columns.

    A blank line is a missing value in a table of one column, unless nothing follows it; in any
    other table it is nothing.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._numbers: list[NDArray[np.intp]] = []
        self._parts: list[list[NDArray[Any]]] = [[] for _ in range(width)]
        # Rows up to the last that is not blank.
        self._rows = self._to_last = 0

    def add(self, numbers: list[int], rows: list[list[str]]) -> None:
        """Take more rows, and the lines on which they end."""
        if not all(rows):
            numbers, rows = self._without_blank(numbers, rows)
        else:
            self._to_last = self._rows + len(rows)
        if set(map(len, rows)) - {self._width}:
            line, row = next(
                (line, row)
                for line, row in zip(numbers, rows, strict=True)
                if len(row) != self._width
            )
            raise DataError(f"line {line} has {len(row)} cells where the header has {self._width}")
        self._rows += len(rows)
        self._numbers.append(np.array(numbers, dtype=np.intp))
        for part, cells in zip(self._parts, zip(*rows, strict=True), strict=bool(rows)):
            part.append(text_column(cells))

    def _without_blank(
        self, numbers: list[int], rows: list[list[str]]
    ) -> tuple[list[int], list[list[str]]]:
        kept = [place for place, row in enumerate(rows) if row]
        if self._width > 1:
            self._to_last = self._rows + len(kept)
            return [numbers[place] for place in kept], [rows[place] for place in kept]
        if kept:
            self._to_last = self._rows + kept[-1] + 1
        return numbers, [row or [""] for row in rows]

    def columns(self) -> tuple[list[NDArray[Any]], NDArray[np.intp]]:
        """The columns, and the line of each row."""
        if not self._rows:
            return [text_column([]) for _ in self._parts], np.empty(0, dtype=np.intp)
        return (
            [_as_written(np.concatenate(part)[: self._to_last]) for part in self._parts],
            np.concatenate(self._numbers)[: self._to_last],
        )


def _as_written(column: NDArray[Any]) -> NDArray[Any]:
    """A column whose cells that were defused as formulas are what they were before.

    What defuses cells leaves none as it was: where one stands, those with an apostrophe have it of
    their own, and are others.
    """
    defused = np.strings.startswith(column, "'")
    others = (cell for cell in column[~defused].tolist() if isinstance(cell, str))
    if defused.any() and not any(map(runs, others)):
        column[defused] = [as_written(cell) for cell in column[defused].tolist()]
    return column


def named_table(
    header: Sequence[str],
    columns: Sequence[NDArray[Any]],
    row_numbers: NDArray[np.intp],
    notes: tuple[str, ...] = (),
) -> Table:
    """The table under its header, without columns that have neither a name nor a value."""
    whole = Table({str(place): column for place, column in enumerate(columns)}, row_numbers)
    kept = {
        place: name.strip()
        for place, name in enumerate(header)
        if name.strip() or not whole.is_empty(str(place))
    }
    repeated = {name: count for name, count in Counter(kept.values()).items() if count > 1}
    if "" in repeated:
        unnamed = [str(place + 1) for place, name in kept.items() if not name]
        raise DataError(
            f"columns {', '.join(unnamed[:10])} have values and no name in the header; give each "
            "column a name of its own (a cell merged over several columns names the first alone)"
        )
    if repeated:
        raise DataError(f"column name(s) {quoted(repeated)} appear more than once")
    return Table({name: columns[place] for place, name in kept.items()}, row_numbers, notes)
