"""Reading tables: text, Parquet and XLSX, with errors a user can act on."""

from __future__ import annotations

from pathlib import Path

from halfwidth.core.errors import DataError, OptionError, UnknownNameError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.io.numerals import Decimal
from halfwidth.io.plain_tables import (
    FORMATS,
    PACKED,
    PLAIN_SUFFIXES,
    SEPARATORS,
    check_is_file,
    named_by_source,
    read_as_it_stands,
    table_source,
    unknown_suffix,
)
from halfwidth.io.table import Table
from halfwidth.io.table_sources import STANDARD_INPUT, Source
from halfwidth.tables.importers.importer import Candidate, ImportOptions
from halfwidth.tables.importers.recognise import NAMES as FOREIGN
from halfwidth.tables.importers.recognise import SUFFIXES as FOREIGN_SUFFIXES
from halfwidth.tables.importers.recognise import imported

SUFFIXES = tuple(dict.fromkeys((*PLAIN_SUFFIXES, *FOREIGN_SUFFIXES)))
# The first bytes of files by which their format is detected.
MAGIC = {b"PK\x03\x04": "xlsx", b"PAR1": "parquet", b"\xd0\xcf\x11\xe0": "xlsx"}


@frozen
class Reading:
    """How a table is to be read, where its file does not say enough."""

    sheet: str | None = None
    # Decimal mark; None: a comma is recognised where semicolons or tabs separate the cells.
    decimal: Decimal | None = None
    # Whether the first line names the columns; None: yes, and it is refused if it is data.
    header: bool | None = None
    # One of `FORMATS`, or that of another program (`FOREIGN`); None: told by the suffix, of
    # standard input by its first bytes, and results of other programs by their structure.
    format: str | None = None
    # What the format of another program needs to be told.
    options: ImportOptions = ImportOptions()


def read_table(path: str | Path, reading: Reading | None = None) -> Table:
    """Read a table from a file, by its suffix, or from standard input.

    ``path``: ``.csv`` (comma, semicolon or tab), ``.tsv`` or ``.txt`` (tab, else comma), these also
    with ``.gz``; ``.parquet``; ``.xlsx``; results of other programs (`halfwidth.tables.importers`);
    or ``-``.

    Column names as in the file, except that surrounding blanks are removed; those of a canonical
    table for results of another program.
    """
    how = reading or Reading()
    kind = _format_of(str(path), how)
    with table_source(path) as source:
        table = _foreign(source, path, kind, how)
        if table is None:
            table = read_as_it_stands(
                source,
                kind or MAGIC.get(source.first(4), "csv"),
                sheet=how.sheet,
                header=how.header,
                decimal=how.decimal,
            )
    return named_by_source(table, path)


def _format_of(path: str, how: Reading) -> str | None:
    """The given format, or that of the suffix; None if there is neither."""
    if how.format is not None and how.format not in (*FORMATS, *FOREIGN):
        raise UnknownNameError("format", how.format, (*FORMATS, *FOREIGN))
    if path == STANDARD_INPUT:
        return how.format
    file = Path(path)
    check_is_file(file, SUFFIXES)
    if how.format is not None:
        return how.format
    suffix = file.suffix.lower()
    packed = suffix == PACKED
    suffix = Path(file.stem).suffix.lower() if packed else suffix
    name = suffix.removeprefix(".")
    if suffix in FOREIGN_SUFFIXES and name not in FORMATS:
        return None
    if name not in (SEPARATORS if packed else FORMATS):
        raise unknown_suffix(file, SUFFIXES)
    return name


def _foreign(source: Source, path: str | Path, kind: str | None, how: Reading) -> Table | None:
    """The table of a file of another program; None if it is a plain table."""
    named = how.format if how.format in FOREIGN else None
    file = None if str(path) == STANDARD_INPUT else Path(path)
    only_foreign = named is not None or (kind is None and file is not None)
    if only_foreign and (how.header is not None or how.sheet is not None):
        option = spelled("header", how.header) if how.sheet is None else spelled("sheet")
        raise OptionError(f"{option} is for plain tables; leave it out")
    if kind is None and file is not None and how.decimal is not None:
        raise OptionError(f"{spelled('decimal')} is for tables of text; leave it out")
    may_be = how.format is None and kind in (None, *SEPARATORS) and how.header is not False
    if only_foreign or may_be:
        if not source.first(1):
            raise DataError("the file is empty")
        candidate = Candidate(
            source, file, SEPARATORS.get(kind or "", SEPARATORS["csv"]), how.decimal
        )
        table = imported(candidate, named, how.options)
        if table is not None:
            return table
    unused = sorted(how.options.given)
    if unused:
        raise OptionError(f"--{unused[0]} is for results of other programs; this is a plain table")
    return None
