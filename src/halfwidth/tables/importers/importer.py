"""What an importer is: how a foreign format is recognised, and how it becomes a table."""

from __future__ import annotations

import csv
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from halfwidth.core.errors import DataError
from halfwidth.core.frozen import frozen
from halfwidth.io.delimited import read_delimited
from halfwidth.io.json_files import json_document
from halfwidth.io.numerals import Decimal
from halfwidth.io.table import Table
from halfwidth.io.table_sources import Source, head

# Bytes of a file that are enough to see what it is.
GLANCE = 1 << 16


@frozen(eq=False)
class Candidate:
    """A file that may be in a foreign format, opened once."""

    source: Source
    # None for standard input. Files that belong to it are looked for beside it.
    path: Path | None = None
    # What may separate the cells of text, the preferred one first.
    separators: str = ",;\t"
    decimal: Decimal | None = None

    @functools.cached_property
    def document(self) -> Any:
        """The JSON of the file."""
        return json_document(self.source)

    @functools.cached_property
    def first_line(self) -> str:
        """The first line that is not blank, of the first bytes, as text."""
        lines = head(self.source, GLANCE).decode("utf-8-sig", "replace").splitlines()
        return next((line for line in lines if line.strip()), "")

    @functools.cached_property
    def header(self) -> tuple[str, ...]:
        """The cells of the first line, without surrounding blanks."""
        separator = max(self.separators, key=self.first_line.count)
        try:
            cells = next(csv.reader([self.first_line], delimiter=separator), [])
        except csv.Error:
            return ()
        return tuple(cell.strip() for cell in cells)

    @functools.cached_property
    def table(self) -> Table:
        """The table of delimited text as it stands, its first line as the header."""
        return read_delimited(self.source, self.separators, header=True, decimal=self.decimal)

    def beside(self, name: str) -> Path | None:
        """A file of this name in the folder of this one, if there is one."""
        file = None if self.path is None else self.path.parent / name
        return file if file is not None and file.is_file() else None


@frozen
class ImportOptions:
    """What the user said about a foreign format; an option that it does not look at is an error."""

    # Where in a JSON document the cases are.
    path: str | None = None
    # The one of several answers of a language model that counts.
    filter: str | None = None
    # The column that names the cluster of each case. Where it is a field of the file, the importer
    # adds it to the table under this name.
    groups: str | None = None

    @property
    def given(self) -> frozenset[str]:
        """The options that were given and mean nothing for a plain table."""
        return frozenset(name for name in ("path", "filter") if getattr(self, name) is not None)


@frozen
class Importer:
    """A foreign format."""

    # In messages, and as a value of ``--input-format``.
    name: str
    title: str
    # Of its files, lower case, without that of compression.
    suffixes: tuple[str, ...]
    # Whether a file is in this format: from its structure, never from its name alone.
    recognises: Callable[[Candidate], bool]
    # The canonical table, with notes of what was taken for what. A wide table where the file does
    # not say which metric its values are.
    read: Callable[[Candidate, ImportOptions], Table]
    # Where the format is documented or its writer published.
    source: str
    # The `ImportOptions` that it looks at.
    options: frozenset[str] = frozenset()


def json_beside(file: Path) -> Any:
    """The JSON of a file that belongs to another one, within the same limits."""
    try:
        with Source.open(file) as source:
            return json_document(source)
    except OSError as error:
        raise DataError(f"{file} beside it cannot be read ({error.strerror or error})") from None
    except DataError as error:
        raise DataError(f"{file} beside it {error}") from None
