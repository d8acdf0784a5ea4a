"""Reading tables: CSV, TSV, Parquet and XLSX, with errors a user can act on."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from halfwidth.core.errors import DataError, proposed, quoted, shortened
from halfwidth.io.paths import no_such_file
from halfwidth.io.table import Table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SUFFIXES", "read_table"]

EXTRA = "pip install 'halfwidth[tables]'"


def read_table(path: str | Path) -> Table:
    """A table from a file, told by its suffix.

    Parameters
    ----------
    path : str or Path
        ``.csv`` (comma, semicolon or tab), ``.tsv`` or ``.txt`` (tab, else comma), ``.parquet``,
        ``.xlsx`` (first sheet).

    Returns
    -------
    Table
        Column names as in the file, except that surrounding blanks are removed.

    Raises
    ------
    DataError
        If the file does not exist, cannot be read as what its suffix says, is empty, is ragged or
        repeats a column name.
    """
    file = Path(path)
    _check_exists(file)
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        raise DataError(
            f"{file}: cannot tell the format from the suffix {file.suffix or '(none)'!r}; "
            f"use {shortened(SUFFIXES)}{proposed(file.suffix, _READERS)}"
        )
    try:
        table = reader(file)
    except OSError as error:
        raise DataError(f"{file}: cannot be read ({error.strerror or error})") from None
    except DataError as error:
        named = str(error) if str(error).startswith(str(file)) else f"{file}: {error}"
        raise DataError(named) from None
    if not len(table):
        raise DataError(f"{file}: the table has no rows")
    return table


def _check_exists(file: Path) -> None:
    if file.is_dir():
        raise DataError(f"{file}: is a folder; name a file ({shortened(SUFFIXES)})")
    if not file.exists():
        raise no_such_file(file)


def _check_names(names: list[str], file: Path) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise DataError(f"{file}: column name(s) {quoted(repeated)} appear more than once")


def _read_text(file: Path) -> Table:
    content = file.read_bytes()
    if b"\0" in content:
        raise DataError(f"{file}: is not a text table (it holds binary data)")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{file}: is not text in UTF-8; save it as CSV in UTF-8") from None
    if not text.strip():
        raise DataError(f"{file}: the file is empty")
    first = text.lstrip("\r\n").partition("\n")[0]
    separator = max("\t,;" if file.suffix.lower() != ".csv" else ",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise DataError(f"{file}: cannot be read as a table ({error})") from None
    while not rows[-1][1]:
        rows.pop()
    while not rows[0][1]:
        rows.pop(0)
    header, body = rows[0][1], rows[1:]
    if all(_is_number(name) for name in header):
        raise DataError(f"{file}: has no header: its first line holds numbers only")
    # A blank line is a missing value in a table of one column, and nothing in any other.
    body = [(line, row or [""]) for line, row in body if row or len(header) == 1]
    for line, row in body:
        if len(row) != len(header):
            raise DataError(
                f"{file}: line {line} has {len(row)} cells where the header has {len(header)}"
            )
    table = Table.of_text(_numbered(header), [row for _, row in body], [line for line, _ in body])
    return _named(table, header, file)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _numbered(header: list[str]) -> list[str]:
    """Stand-ins for column names, none of them twice."""
    return [str(place) for place in range(len(header))]


def _named(table: Table, header: list[str], file: Path) -> Table:
    """The table under its header, without columns that have neither a name nor a value."""
    kept = [
        (key, name.strip())
        for key, name in zip(table.columns, header, strict=True)
        if name.strip() or not table.is_empty(key)
    ]
    _check_names([name for _, name in kept], file)
    return Table({name: table.columns[key] for key, name in kept}, table.row_numbers)


def _read_parquet(file: Path) -> Table:
    import pandas as pd

    frame = _frame(lambda: pd.read_parquet(file), file, "Parquet", "pyarrow")
    return Table.of_frame(frame)


def _read_xlsx(file: Path) -> Table:
    import pandas as pd

    # Without a header of pandas' making, which would rename repeated columns.
    frame = _frame(lambda: pd.read_excel(file, header=None, dtype=object), file, "XLSX", "openpyxl")
    if frame.empty:
        raise DataError(f"{file}: the first sheet is empty")
    header = ["" if pd.isna(cell) else str(cell) for cell in frame.iloc[0]]
    body = frame.iloc[1:].set_axis(_numbered(header), axis="columns")
    return _named(Table.of_frame(body), header, file)


def _frame(read: Callable[[], pd.DataFrame], file: Path, kind: str, library: str) -> pd.DataFrame:
    try:
        return read()
    except ImportError:
        raise DataError(f"{file}: reading {kind} needs {library}: {EXTRA}") from None
    except Exception as error:  # noqa: BLE001 -- each library raises a dozen kinds of its own
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise DataError(f"{file}: cannot be read as {kind} ({reason})") from None


_READERS: dict[str, Callable[[Path], Table]] = {
    ".csv": _read_text,
    ".tsv": _read_text,
    ".txt": _read_text,
    ".parquet": _read_parquet,
    ".xlsx": _read_xlsx,
}
SUFFIXES = tuple(_READERS)
