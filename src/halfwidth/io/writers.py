"""Writing tables, whole or not at all."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path

from halfwidth.core.csv_cells import csv_text
from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.files import write_whole

TABLE_SUFFIXES = (".csv", ".tsv", ".parquet")


def check_table_path(path: Path) -> None:
    """Refuse what cannot be written before the work is done that makes a table."""
    if path.suffix.lower() not in TABLE_SUFFIXES:
        raise OptionError(
            f"{path}: a per-case table is written to {', '.join(TABLE_SUFFIXES)}, not "
            f"{path.suffix or '(no suffix)'!r}"
        )
    if not path.parent.is_dir():
        raise DataError(f"{path}: cannot be written (no folder {path.parent})")
    if path.is_dir():
        raise DataError(f"{path}: cannot be written (it is a folder)")
    if path.suffix.lower() == ".parquet" and importlib.util.find_spec("pyarrow") is None:
        raise DataError(f"{path}: writing Parquet needs pyarrow: pip install 'halfwidth[tables]'")


def write_table(header: Sequence[str], rows: Sequence[Sequence[object]], path: Path) -> None:
    """Write a table as the file's suffix says, or leave the file as it was."""
    if path.suffix.lower() == ".parquet":
        import pandas as pd

        frame = pd.DataFrame(list(rows), columns=list(header))
        content: bytes = frame.to_parquet(index=False)
    else:
        separator = "\t" if path.suffix.lower() == ".tsv" else ","
        content = csv_text(header, rows, separator=separator).encode()
    write_whole(path, content)
