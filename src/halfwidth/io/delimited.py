"""Tables of text: cells separated by commas, semicolons or tabs."""

from __future__ import annotations

import csv
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, quoted
from halfwidth.io.headers import SAMPLE_ROWS, check_header, default_names, numeric_names
from halfwidth.io.numerals import Decimal, with_points
from halfwidth.io.sources import Source, text_of
from halfwidth.io.table import Table, text_column
from halfwidth.resampling.progress import tracked

__all__ = ["named_table", "read_delimited"]

# Rows that are Python objects at a time.
CHUNK = 1 << 14
Row = tuple[int, list[str]]


def read_delimited(
    source: Source, separators: str, *, header: bool | None, decimal: Decimal | None
) -> Table:
    """A table from text.

    Parameters
    ----------
    source : Source
    separators : str
        That may separate cells, the preferred one first.
    header : bool or None
        Whether the first line names the columns; None: it does, and is refused if it cannot.
    decimal : {".", ","} or None
    """
    with text_of(source) as (text, assumed):
        separator = _separator(text, separators)
        text.seek(0)
        # A table has one mark at its very beginning at most.
        if text.read(1) != "\ufeff":
            text.seek(0)
        reader = csv.reader(text, delimiter=separator, strict=True)
        try:
            table = _table_of(_rows(reader), source, header=header)
        except csv.Error as error:
            raise DataError(_said_of(error, reader.line_num)) from None
    notes = (assumed,) if assumed else ()
    table = Table(table.columns, table.row_numbers, (*notes, *table.notes))
    return with_points(table, decimal, separator)


def _separator(text: IO[str], separators: str) -> str:
    """The one that the first line has most of."""
    first = ""
    while not first:
        # A file whose lines never end is refused by its first cell.
        first = text.readline(1 << 20).strip("\r\n\ufeff")
    return max(separators, key=first.count)


def _said_of(error: csv.Error, line: int) -> str:
    if "field larger" in str(error):
        return f"line {line} has a cell of more than {csv.field_size_limit()} letters"
    return f"cannot be read as a table ({error}, line {line})"


def _rows(reader: Any) -> Iterator[Row]:
    """Rows and the lines on which they end, from the first that is not blank."""
    rows = ((reader.line_num, row) for row in reader)
    return itertools.dropwhile(lambda numbered: not numbered[1], rows)


def _table_of(rows: Iterator[Row], source: Source, *, header: bool | None) -> Table:
    line, first = next(rows)
    body = _cells(rows, len(first))
    if header is not False:
        ahead = list(itertools.islice(body, SAMPLE_ROWS))
        body = itertools.chain(ahead, body)
        if header is None:
            check_header(first, [row for _, row in ahead], source.shown)
        names = first
    else:
        body = itertools.chain([(line, first)], body)
        names = default_names(len(first))
    lines, columns = _columns(_chunks(body, source), len(names))
    notes: tuple[str, ...] = ()
    if header is None and len(numeric_names(names)) == len(names):
        notes = (
            f"the first line ({', '.join(names[:4])}{', …' * (len(names) > 4)}) was taken for the "
            "names of the columns; if it is data, say --no-header",
        )
    return named_table(names, columns, lines, notes)


def _cells(rows: Iterator[Row], width: int) -> Iterator[Row]:
    """Rows of so many cells, blank ones left out.

    A blank line is a missing value in a table of one column, unless nothing follows it.
    """
    blank: list[Row] = []
    for line, row in rows:
        if not row:
            if width == 1:
                blank.append((line, [""]))
            continue
        if len(row) != width:
            raise DataError(f"line {line} has {len(row)} cells where the header has {width}")
        if blank:
            yield from blank
            blank = []
        yield line, row


def _chunks(rows: Iterator[Row], source: Source) -> Iterator[list[Row]]:
    """Rows, many at a time; who waits at a terminal sees how far they are."""
    chunk: list[Row] = []

    def read() -> Iterator[tuple[int, int]]:
        while some := list(itertools.islice(rows, CHUNK)):
            chunk[:] = some
            yield 0, source.opened.tell() // 1000

    for _ in tracked(read(), source.size // 1000, "kB read"):
        yield chunk


def _columns(
    chunks: Iterator[list[Row]], width: int
) -> tuple[NDArray[np.intp], list[NDArray[Any]]]:
    lines: list[NDArray[np.intp]] = []
    parts: list[list[NDArray[Any]]] = [[] for _ in range(width)]
    for chunk in chunks:
        lines.append(np.array([line for line, _ in chunk], dtype=np.intp))
        for part, cells in zip(parts, zip(*(row for _, row in chunk), strict=True), strict=True):
            part.append(text_column(cells))
    if not lines:
        return np.empty(0, dtype=np.intp), [text_column([]) for _ in range(width)]
    return np.concatenate(lines), [np.concatenate(part) for part in parts]


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
