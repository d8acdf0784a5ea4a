"""Writing tables that spreadsheets and programs read back as they were."""

from __future__ import annotations

import csv
import importlib.util
import io
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.files import write_whole

TABLE_SUFFIXES = (".csv", ".tsv", ".parquet")


def csv_text(
    header: Sequence[str], rows: Iterable[Sequence[object]], *, separator: str = ","
) -> str:
    """A table as CSV: NaN and None as empty cells, text that begins like a formula defused.

    What reads tables of text undoes that with `as_written`.

    >>> print(csv_text(["case", "value"], [["=1+1", float("nan")]]), end="")
    case,value
    '=1+1,
    """
    lines = []
    for cells in [header, *rows]:
        line = io.StringIO()
        # With this line end, the writer puts quotes around a cell that holds either part of it.
        csv.writer(line, delimiter=separator, lineterminator="\r\n").writerow(
            [_defused(cell) for cell in cells]
        )
        lines.append(line.getvalue().removesuffix("\r\n") + "\n")
    return "".join(lines)


def check_table_path(path: Path) -> None:
    """Refuse what cannot be written before the work is done that makes a table.

    Raises
    ------
    OptionError
        If its suffix is none that tables are written to.
    DataError
        If there is no such folder, or a library is missing.
    """
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
    """Write a table as the file's suffix says, or leave the file as it was.

    Raises
    ------
    DataError
        If it cannot be written.
    """
    if path.suffix.lower() == ".parquet":
        import pandas as pd

        frame = pd.DataFrame(list(rows), columns=list(header))
        content: bytes = frame.to_parquet(index=False)
    else:
        separator = "\t" if path.suffix.lower() == ".tsv" else ","
        content = csv_text(header, rows, separator=separator).encode()
    write_whole(path, content)


def _defused(cell: object) -> object:
    """Text that a spreadsheet would run as a formula gets an apostrophe before it; NaN is empty.

    Text that looks as if it had one already gets another, so that both are read as they were.
    """
    if isinstance(cell, float) and cell != cell:  # noqa: PLR0124
        return None
    return f"'{cell}" if isinstance(cell, str) and _runs(cell.lstrip("'")) else cell


def as_written(cell: str) -> str:
    """A cell of text as it was before it was defused.

    >>> [as_written(cell) for cell in ("'=a", "''=a", "'tis", "'-1,1")]
    ['=a', "'=a", "'tis", "'-1,1"]
    """
    return cell[1:] if cell.startswith("'") and _runs(cell.lstrip("'")) else cell


def _runs(cell: str) -> bool:
    """Whether a spreadsheet may take a text for a formula."""
    return cell.startswith(("\t", "\r")) or (
        cell.startswith(("=", "+", "-", "@")) and not _are_numbers(cell)
    )


def _are_numbers(cell: str) -> bool:
    """Whether a text is a number or several, as the bounds ``-1,1`` are: nothing to run.

    >>> _are_numbers("-1,1"), _are_numbers("-1+cmd"), _are_numbers("-inf,0")
    (True, False, False)
    """
    try:
        return all(math.isfinite(float(part)) for part in cell.split(","))
    except ValueError:
        return False
