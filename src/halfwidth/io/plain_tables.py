"""Plain tables: text, Parquet and XLSX as they stand, also where other programs wrote them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from halfwidth.core.errors import DataError, OptionError, UnknownNameError, proposed, shortened
from halfwidth.core.option_names import spelled
from halfwidth.io.delimited import read_delimited
from halfwidth.io.numerals import Decimal
from halfwidth.io.parquet import read_parquet
from halfwidth.io.paths import no_such_file
from halfwidth.io.table import Table
from halfwidth.io.table_sources import STANDARD_INPUT, Source
from halfwidth.io.workbook import read_workbook

# What may separate the cells of each kind of text, the preferred one first.
SEPARATORS = {"csv": ",;\t", "tsv": "\t,;", "txt": "\t,;"}
FORMATS = (*SEPARATORS, "parquet", "xlsx")
# Text may be compressed too.
PLAIN_SUFFIXES = tuple(f".{name}" for name in FORMATS)
PACKED = ".gz"


def plain_table(path: Path, *, may_be_empty: bool = False) -> Table:
    """The table of a file, whose first line names the columns."""
    check_is_file(path, PLAIN_SUFFIXES)
    suffixes = [suffix.lower().removeprefix(".") for suffix in path.suffixes[-2:]]
    kind = next((one for one in reversed(suffixes) if one in FORMATS), None)
    if kind is None:
        raise unknown_suffix(path, PLAIN_SUFFIXES)
    with table_source(path) as source:
        # Names are looked for among the first line, so that it need not look like a header.
        table = read_as_it_stands(source, kind, header=True)
    return named_by_source(table, path, may_be_empty=may_be_empty)


def check_is_file(path: Path, suffixes: tuple[str, ...]) -> None:
    """Refuse a folder, and what is not there."""
    if path.is_dir():
        raise DataError(f"{path}: is a folder; name a file ({shortened(suffixes)})")
    if not path.exists():
        raise no_such_file(path)


def unknown_suffix(path: Path, suffixes: tuple[str, ...]) -> DataError:
    """The error for a file whose suffix names no format of tables."""
    return DataError(
        f"{path}: cannot tell the format from the suffix {path.suffix or '(none)'!r}; "
        f"use {shortened(suffixes)}{proposed(path.suffix, PLAIN_SUFFIXES)}"
    )


@contextlib.contextmanager
def table_source(path: str | Path) -> Iterator[Source]:
    """An open file or standard input, which every error names that comes up with it."""
    shown = _called(path)
    try:
        with Source.open(path) as source:
            yield source
    except OSError as error:
        raise DataError(f"{shown}: cannot be read ({error.strerror or error})") from None
    except UnknownNameError as error:
        raise OptionError(f"{shown}: {error}") from None
    except MemoryError:
        raise DataError(f"{shown}: does not fit into memory") from None
    except DataError as error:
        raise DataError(f"{shown}: {error}") from None


def named_by_source(table: Table, path: str | Path, *, may_be_empty: bool = False) -> Table:
    """The table with what it is from; refused if it has no columns, or no rows and has to."""
    shown = _called(path)
    if not table.columns or not (len(table) or may_be_empty):
        is_json = any(name.startswith(("{", "[")) for name in table.names[:1])
        hint = "; it looks like JSON: give it a name that ends in .json" if is_json else ""
        missing = "rows" if table.columns else "columns"
        raise DataError(f"{shown}: the table has no {missing}{hint}")
    return replace(table, source=shown)


def _called(path: str | Path) -> str:
    return "standard input" if str(path) == STANDARD_INPUT else str(path)


def read_as_it_stands(
    source: Source,
    kind: str,
    *,
    sheet: str | None = None,
    header: bool | None = None,
    decimal: Decimal | None = None,
) -> Table:
    """The table of a file of this kind, one of `FORMATS`."""
    if sheet is not None and kind != "xlsx":
        raise OptionError(
            f"{source.shown}: {spelled('sheet')} is of a workbook, and this is read as {kind}"
        )
    if kind == "parquet":
        if header is False or decimal is not None:
            option = spelled("header", False) if header is False else spelled("decimal")
            raise OptionError(f"{source.shown}: {option} has no effect on Parquet; leave it out")
        return read_parquet(source)
    if kind == "xlsx":
        return read_workbook(source, sheet=sheet, header=header, decimal=decimal)
    return read_delimited(source, SEPARATORS[kind], header=header, decimal=decimal)
