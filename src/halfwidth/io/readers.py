"""Reading tables: CSV, TSV, Parquet and XLSX, with errors a user can act on."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from halfwidth.core.errors import DataError, closest, quoted, shortened

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SUFFIXES", "read_table"]

SUFFIXES = (".csv", ".tsv", ".txt", ".parquet", ".xlsx")
EXTRA = "pip install 'halfwidth[tables]'"


def read_table(path: str | Path) -> pd.DataFrame:
    """A table from a file, told by its suffix.

    Parameters
    ----------
    path : str or Path
        ``.csv`` (comma or semicolon), ``.tsv`` or ``.txt`` (tab), ``.parquet``, ``.xlsx`` (first
        sheet).

    Returns
    -------
    DataFrame
        Column names as in the file, except that surrounding blanks are removed.

    Raises
    ------
    DataError
        If the file does not exist, cannot be read as what its suffix says, is empty, or repeats a
        column name.
    """
    file = Path(path)
    _check_exists(file)
    suffix = file.suffix.lower()
    if suffix not in SUFFIXES:
        near = closest(suffix, SUFFIXES)
        raise DataError(
            f"{file}: cannot tell the format from the suffix {suffix or '(none)'!r}; "
            f"use {shortened(SUFFIXES)}" + (f" (did you mean {near!r}?)" if near else "")
        )
    if suffix == ".parquet":
        frame = _read_parquet(file)
    elif suffix == ".xlsx":
        frame = _read_xlsx(file)
    else:
        frame = _read_text(file, suffix)
    frame.columns = [str(name).strip() for name in frame.columns]
    _check_columns(list(frame.columns), file)
    if frame.empty:
        raise DataError(f"{file}: the table has no rows")
    return frame


def _check_exists(file: Path) -> None:
    if file.is_dir():
        raise DataError(f"{file}: is a folder; name a file ({shortened(SUFFIXES)})")
    if file.exists():
        return
    siblings = [p.name for p in file.parent.iterdir()] if file.parent.is_dir() else []
    near = closest(file.name, siblings)
    raise DataError(f"{file}: no such file" + (f"; did you mean {near!r}?" if near else ""))


def _check_columns(names: list[str], file: Path) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise DataError(f"{file}: column name(s) {quoted(repeated)} appear more than once")


def _read_text(file: Path, suffix: str) -> pd.DataFrame:
    import pandas as pd

    try:
        with file.open("rb") as stream:
            head = stream.read(4096)
        if b"\0" in head:
            raise DataError(f"{file}: is not a text table (it holds binary data)")
        with file.open(encoding="utf-8-sig", newline="") as stream:
            first = stream.readline()
        if not first.strip():
            raise DataError(f"{file}: the file is empty")
        separator = _separator(first, suffix)
        header = [name.strip() for name in next(csv.reader([first], delimiter=separator))]
        # pandas renames repeated columns silently, so they are looked for here.
        _check_columns([name for name in header if name], file)
        return pd.read_csv(file, sep=separator, encoding="utf-8-sig", index_col=False)
    except UnicodeDecodeError:
        raise DataError(f"{file}: is not text in UTF-8; save it as CSV in UTF-8") from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, csv.Error) as error:
        message = " ".join(str(error).split())
        raise DataError(f"{file}: cannot be read as a table ({message})") from None
    except pd.errors.ParserWarning:
        raise DataError(f"{file}: some rows have more cells than the header has names") from None
    except OSError as error:
        raise DataError(f"{file}: cannot be read ({error.strerror})") from None


def _separator(header: str, suffix: str) -> str:
    if suffix != ".csv":
        return "\t" if "\t" in header or suffix == ".tsv" else ","
    return max(",;\t", key=header.count)


def _read_parquet(file: Path) -> pd.DataFrame:
    import pandas as pd

    try:
        return pd.read_parquet(file)
    except ImportError:
        raise DataError(f"{file}: reading Parquet needs pyarrow: {EXTRA}") from None
    except Exception as error:  # noqa: BLE001
        # pyarrow raises its own kinds, which the core does not import to name.
        raise DataError(f"{file}: cannot be read as Parquet ({_first_line(error)})") from None


def _read_xlsx(file: Path) -> pd.DataFrame:
    import pandas as pd

    try:
        return pd.read_excel(file)
    except ImportError:
        raise DataError(f"{file}: reading XLSX needs openpyxl: {EXTRA}") from None
    except Exception as error:  # noqa: BLE001
        # openpyxl and zipfile raise a dozen kinds for a damaged workbook.
        raise DataError(f"{file}: cannot be read as XLSX ({_first_line(error)})") from None


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
