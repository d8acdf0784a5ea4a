"""The parts of an XLSX file: its sheets, texts, formats of dates, and the cells of a sheet.

Cells are streamed past a parser, so that neither a stray cell in the last column nor a few hundred
thousand rows cost more than what they hold.
"""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Iterator
from typing import IO, NamedTuple
from zipfile import ZipFile

from halfwidth.core.errors import DataError
from halfwidth.core.frozen import frozen
from halfwidth.io.xml_files import XmlParser

# Letters of one cell; a spreadsheet allows 32767.
LONGEST = 1 << 17
# Number formats of dates and times that need no declaration (ECMA-376, 18.8.30).
DATE_FORMATS = frozenset({*range(14, 23), *range(27, 37), 45, 46, 47, *range(50, 59)})
# What is no letter of a date in a number format: quoted text, escapes, colours and conditions.
NOT_A_FORMAT = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
WORKBOOK = "xl/workbook.xml"


@frozen
class Sheet:
    """A sheet and the part of the file that holds it."""

    name: str
    part: str


class Cell(NamedTuple):
    """A cell as it is stored."""

    # Counted from 1, and from 0.
    row: int
    column: int
    # ``n`` number, ``s`` shared text, ``str`` and ``inlineStr`` text, ``b`` truth, ``e`` error,
    # ``d`` date.
    kind: str
    style: int
    # None where nothing is stored.
    text: str | None
    # Whether a formula makes its value.
    formula: bool


def _elements(book: ZipFile, part: str) -> list[tuple[str, dict[str, str]]]:
    """All elements of a small part, in their order."""
    items: list[tuple[str, dict[str, str]]] = []
    with book.open(part) as opened:
        XmlParser("XLSX", lambda tag, has: items.append((tag, has)), lambda _: None).all(opened)
    return items


def sheets_of(book: ZipFile) -> list[Sheet]:
    """The sheets with cells, in their order."""
    relations = f"{posixpath.dirname(WORKBOOK)}/_rels/{posixpath.basename(WORKBOOK)}.rels"
    targets = {
        has["Id"]: has["Target"]
        for tag, has in _elements(book, relations)
        if tag == "Relationship" and has.get("Type", "").endswith("/worksheet")
    }
    items = []
    for tag, has in _elements(book, WORKBOOK):
        identity = next((has[key] for key in has if key.rpartition(":")[2] == "id"), "")
        if tag == "sheet" and identity in targets:
            part = posixpath.normpath(posixpath.join("/xl", targets[identity])).lstrip("/")
            items.append(Sheet(has.get("name", ""), part))
    return items


def shared_texts(book: ZipFile) -> list[str]:
    """The texts that cells refer to by number, without notes on pronunciation."""
    if "xl/sharedStrings.xml" not in book.namelist():
        return []
    items: list[str] = []
    parts: list[str] = []
    # How deep in notes on pronunciation, and in text.
    depth = {"rPh": 0, "t": 0}

    def start(tag: str, _: dict[str, str]) -> None:
        if tag == "si":
            parts.clear()
        elif tag in depth:
            depth[tag] += 1

    def end(tag: str) -> None:
        if tag == "si":
            items.append("".join(parts))
        elif tag in depth:
            depth[tag] -= 1

    def text(letters: str) -> None:
        if depth["t"] and not depth["rPh"]:
            parts.append(letters)

    with book.open("xl/sharedStrings.xml") as opened:
        XmlParser("XLSX", start, end, text).all(opened)
    return items


def date_styles(book: ZipFile) -> frozenset[int]:
    """The styles of cells whose numbers are dates or times."""
    if "xl/styles.xml" not in book.namelist():
        return frozenset()
    formats: dict[str, str] = {}
    styles: list[str] = []
    inside = False
    for tag, has in _elements(book, "xl/styles.xml"):
        if tag in ("cellXfs", "cellStyleXfs", "cellStyles", "dxfs"):
            inside = tag == "cellXfs"
        elif tag == "numFmt":
            formats[has.get("numFmtId", "")] = has.get("formatCode", "")
        elif tag == "xf" and inside:
            styles.append(has.get("numFmtId", "0"))
    return frozenset(place for place, name in enumerate(styles) if _is_date(name, formats))


def _is_date(name: str, formats: dict[str, str]) -> bool:
    if name in formats:
        code = NOT_A_FORMAT.sub("", formats[name]).partition(";")[0].lower()
        return "general" not in code and bool(set(code) & set("ymdhs"))
    return name.isdigit() and int(name[:4]) in DATE_FORMATS


def cells_of(opened: IO[bytes]) -> Iterator[list[Cell]]:
    """The cells of a sheet that hold something, some at a time, in their order."""
    reader = _CellReader()
    for _ in XmlParser("XLSX", reader.start, reader.end, reader.text).blocks(opened):
        if reader.cells:
            items, reader.cells = reader.cells, []
            yield items


class _CellReader:
    """Makes cells of the elements of a sheet."""

    def __init__(self) -> None:
        self.cells: list[Cell] = []
        self._row = 0
        self._column = -1
        self._has: dict[str, str] = {}
        self._letters: list[str] | None = None
        self._kept: str | None = None
        self._formula = False
        self._length = 0

    def start(self, tag: str, has: dict[str, str]) -> None:
        if tag == "c":
            self._begin(has)
        elif tag in ("v", "t"):
            self._letters, self._length = [], 0
        elif tag == "f":
            self._formula = True
        elif tag == "row":
            self._row = whole_number(has.get("r"), self._row + 1)
            self._column = -1

    def _begin(self, has: dict[str, str]) -> None:
        place = has.get("r")
        letters = place.rstrip("0123456789") if place else ""
        self._column = _column_of(letters) if letters else self._column + 1
        self._has, self._kept, self._formula = has, None, False

    def text(self, letters: str) -> None:
        if self._letters is not None:
            self._letters.append(letters)
            self._length += len(letters)
            if self._length > LONGEST:
                raise DataError(f"row {self._row} has a cell of more than {LONGEST} letters")

    def end(self, tag: str) -> None:
        if tag in ("v", "t") and self._letters is not None:
            # Rich text comes in several pieces.
            self._kept = (self._kept or "") + "".join(self._letters)
            self._letters = None
        elif tag == "c" and (self._kept or self._formula):
            has = self._has
            self.cells.append(
                Cell(
                    self._row,
                    self._column,
                    has.get("t", "n"),
                    whole_number(has.get("s"), 0),
                    self._kept or None,
                    self._formula,
                )
            )


def whole_number(text: str | None, default: int) -> int:
    """A number without a sign, of nine digits at most; the default for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else default


@functools.lru_cache(1024)
def _column_of(letters: str) -> int:
    """``A`` is 0, ``XFD`` 16383."""
    column = 0
    for letter in letters.upper()[:4]:
        column = 26 * column + ord(letter) - ord("A") + 1
    if not 1 <= column <= 16384:
        raise DataError(f"cannot be read as XLSX (there is no column {letters[:8]!r})")
    return column - 1
