"""Tables in Parquet files."""

from __future__ import annotations

from typing import Any

from halfwidth.core.errors import DataError, one_line, quoted
from halfwidth.io.table import Table
from halfwidth.io.table_sources import Source

EXTRA = "pip install 'halfwidth[tables]'"
# Cells that a file may promise; a few bytes can stand for billions of equal ones.
MOST_CELLS = 2 * 10**8


def read_parquet(source: Source) -> Table:
    """A table from Parquet."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise DataError(f"reading Parquet needs pyarrow: {EXTRA}") from None
    try:
        opened = pyarrow.parquet.ParquetFile(source.opened)
        _check(opened)
        # Decode text here, where errors are handled.
        return Table.of_frame(opened.read().to_pandas())
    except DataError:
        raise
    except Exception as error:  # noqa: BLE001 -- the library raises a dozen kinds of its own
        first = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise DataError(f"cannot be read as Parquet ({one_line(first)})") from None


def _check(opened: Any) -> None:
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
