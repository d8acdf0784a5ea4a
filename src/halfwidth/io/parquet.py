"""Tables in Parquet files."""

from __future__ import annotations

from typing import Any

from halfwidth.core.errors import DataError, one_line, quoted
from halfwidth.io.table import Table
from halfwidth.io.table_sources import Source

EXTRA = "pip install 'halfwidth[tables]'"
# Cells that a file may promise; a few bytes can stand for billions of equal ones.
MOST_CELLS = 2 * 10**8
# Memory that a table may take however small its file is, and how many times the size of a larger
# one. Each cell is there three times while it is read; one of text has two pointers besides.
ALWAYS_TAKEN, MOST_EXPANSION = 10**9, 50
BYTES_OF_NUMBER, BYTES_OF_TEXT, TIMES_TEXT = 24, 40, 2
# What a cell with cells in it is read as.
NESTED = "(nested)"


def read_parquet(source: Source) -> Table:
    """A table from Parquet."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise DataError(f"reading Parquet needs pyarrow: {EXTRA}") from None
    try:
        opened = pyarrow.parquet.ParquetFile(source.opened)
        _check(opened, source.size)
        texts = [one.name for one in opened.schema_arrow if _is_text(one.type)]
        if texts:
            # A text that is repeated is there once until it is known how often.
            source.opened.seek(0)
            opened = pyarrow.parquet.ParquetFile(source.opened, read_dictionary=texts)
        table = _read(opened)
        _check_memory(sum(map(_bytes_of, table.columns)), source.size)
        # Decode text here, where errors are handled.
        return Table.from_frame(_decoded(table).to_pandas())
    except DataError:
        raise
    except Exception as error:  # noqa: BLE001 -- the library raises a dozen kinds of its own
        first = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise DataError(f"cannot be read as Parquet ({one_line(first)})") from None


def _check(opened: Any, size: int) -> None:
    names = opened.schema_arrow.names
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise DataError(f"column name(s) {quoted(repeated)} appear more than once")
    cells = opened.metadata.num_rows * opened.metadata.num_columns
    if cells > MOST_CELLS:
        raise DataError(
            f"promises {cells} cells; at most {MOST_CELLS} are read. Save the columns that are "
            "needed in a file of their own"
        )
    _check_memory(BYTES_OF_NUMBER * cells, size)


def _read(opened: Any) -> Any:
    """The table; of lists and the like only that they are there, since a row may hold billions.

    How many values they have is in the directory, but pyarrow 26 ends the process where the part of
    it that says so is damaged.
    """
    import pyarrow as pa

    schema = opened.schema_arrow
    nested = {one.name for one in schema if pa.types.is_nested(one.type)}
    if not nested:
        return opened.read()
    flat = opened.read(columns=[name for name in schema.names if name not in nested])
    instead = pa.array([NESTED] * opened.metadata.num_rows, pa.string())
    columns = [instead if name in nested else flat.column(name) for name in schema.names]
    return pa.table(columns, names=schema.names)


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_listed_text(kind: Any) -> bool:
    """Whether a column holds the places of texts in a list."""
    import pyarrow as pa

    return bool(pa.types.is_dictionary(kind)) and _is_text(kind.value_type)


def _check_memory(taken: int, size: int) -> None:
    """Refuse a table that takes far more memory than its file."""
    if taken > max(ALWAYS_TAKEN, MOST_EXPANSION * size):
        raise DataError(
            f"is {size / 1e6:.2g} MB and would take {taken / 1e6:.0f} MB of memory; save the "
            "columns that are needed in a file of their own"
        )


def _bytes_of(column: Any) -> int:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not _is_listed_text(column.type):
        return max(BYTES_OF_NUMBER * len(column), int(column.nbytes))
    letters = 0
    for chunk in column.chunks:
        lengths = pc.fill_null(pc.binary_length(chunk.dictionary), 0)
        letters += pc.sum(pc.take(lengths.cast(pa.int64()), chunk.indices)).as_py() or 0
    return BYTES_OF_TEXT * len(column) + TIMES_TEXT * letters


def _decoded(table: Any) -> Any:
    """The table with its texts at their places."""
    import pyarrow as pa

    columns = [
        column.cast(column.type.value_type) if _is_listed_text(column.type) else column
        for column in table.columns
    ]
    return pa.table(columns, names=table.column_names)
