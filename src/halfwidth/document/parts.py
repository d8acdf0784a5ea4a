"""The answer of a verb before it is text: headings, tables, notes, figures and data.

A document is built once from finished results; each module of `halfwidth.document.render` turns it
into one kind of text. Nothing in it is escaped, wrapped or padded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from halfwidth.core.errors import bounded
from halfwidth.core.frozen import frozen


class Kind(StrEnum):
    """What the cells of a column hold."""

    TEXT = "text"
    NAME = "name"
    """A word of a catalogue, such as a method: never wrapped."""
    NUMBER = "number"
    """To the right, never wrapped."""
    INTERVAL = "interval"
    """Never wrapped."""
    CAUTIONS = "cautions"
    """Codes of cautions, which a paper has no use for."""
    DRAWN = "drawn"
    """An estimate with its interval, on the axis of the column; only a page can draw it."""


@frozen
class Cell:
    """A cell that programs can read too."""

    text: str
    # A number, the two ends of an interval, a tuple of codes: what a page sorts by, links to or
    # shows when it is pointed at.
    value: Any = None
    unit: str = ""


@frozen
class Axis:
    """What the intervals of a column are drawn on."""

    low: float
    high: float
    # Places with their labels.
    ticks: tuple[tuple[float, str], ...]
    # Where a line crosses all rows: no difference, margins, a goal.
    marks: tuple[float, ...] = ()
    # What pale lines behind the intervals are; empty where there are none.
    pale: str = ""


@frozen
class Column:
    """The heading of a column, what its cells hold, and a word for where it has no room."""

    heading: str
    kind: Kind = Kind.TEXT
    short: str = ""
    # Of a column of drawn intervals.
    axis: Axis | None = None
    # Heading of the column beneath whose cells a page sets these, in smaller type, so that the
    # table is narrow enough to be read; text keeps columns apart.
    under: str = ""

    @property
    def right(self) -> bool:
        """Whether its cells stand to the right."""
        return self.kind is Kind.NUMBER

    @property
    def wraps(self) -> bool:
        """Whether its cells may take several lines."""
        return self.kind in (Kind.TEXT, Kind.CAUTIONS)


@frozen
class Table:
    """Columns and rows; a cell is a `Cell` or its text alone."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell | str, ...], ...]

    @classmethod
    def from_rows(
        cls,
        headings: Iterable[str],
        rows: Iterable[Iterable[Cell | str]],
        *,
        kinds: Mapping[str, Kind],
    ) -> Table:
        """A table whose columns are of the ``kinds`` given by heading, or numbers.

        >>> table = Table.from_rows(["label", "n"], [["liver", "12"]], kinds={"label": Kind.TEXT})
        >>> [column.kind.value for column in table.columns]
        ['text', 'number']
        """
        columns = tuple(Column(heading, kinds.get(heading, Kind.NUMBER)) for heading in headings)
        return cls(columns, tuple(tuple(row) for row in rows))

    @property
    def headings(self) -> list[str]:
        """Headings of the columns."""
        return [column.heading for column in self.columns]

    @property
    def texts(self) -> list[list[str]]:
        """The rows as people read them: of names without end, their ends."""
        return [
            [bounded(cell if isinstance(cell, str) else cell.text) for cell in row]
            for row in self.rows
        ]

    def stacked(self, under: Mapping[str, str]) -> Table:
        """The table with columns that a page sets beneath others, by their headings."""
        columns = (
            replace(column, under=under.get(column.heading, column.under))
            for column in self.columns
        )
        return replace(self, columns=tuple(columns))

    def without(self, kind: Kind) -> Table:
        """The table without the columns of a kind."""
        return self.columns_at(
            [p for p, column in enumerate(self.columns) if column.kind is not kind]
        )

    def columns_at(self, places: Sequence[int]) -> Table:
        """The table of the columns at these places."""
        return Table(
            tuple(self.columns[place] for place in places),
            tuple(tuple(row[place] for place in places) for row in self.rows),
        )


@frozen
class Heading:
    """The title of what follows."""

    text: str
    # How deep it stands in a document of sections, from 1; 0 over a table by itself.
    level: int = 0


@frozen
class Paragraph:
    """Prose to read or to copy; ``wraps``: whether it may take several lines."""

    text: str
    wraps: bool = True


@frozen
class Note:
    """A remark on the numbers: what they are, what they rest on."""

    text: str


TO_DO = "What to do:"


@frozen
class Item:
    """A term and what there is to say of it; the term may be empty."""

    term: str
    text: str
    # Of the caution that it explains.
    code: str = ""
    # What to do about it.
    remedy: str = ""

    @property
    def whole(self) -> str:
        """The text with what to do."""
        return f"{self.text} {TO_DO} {self.remedy}" if self.remedy else self.text


@frozen
class Items:
    """A list of terms and texts under a title."""

    items: tuple[Item, ...]
    title: str = ""
    # What each item begins with where the title is not shown.
    lead: str = ""

    @classmethod
    def from_texts(cls, texts: Iterable[tuple[str, str]]) -> Items:
        """Terms, each with its text."""
        return cls(tuple(Item(term, text) for term, text in texts))


@frozen
class Code:
    """Lines to be typed as they are."""

    lines: tuple[str, ...]


@frozen
class Excerpt:
    """Text to take over as it stands: a paragraph for a paper, the source of a table."""

    text: str
    # ``"latex"``; empty for prose.
    language: str = ""


@frozen
class Figure:
    """A figure of finished results."""

    # Which one of the figures that the results have: ``"forest"``.
    kind: str
    caption: str
    # The results that it is drawn from.
    source: Any = None
    # Where it was written.
    file: Path | None = None
    # Draws it: a PNG for each page that it takes, for a document that holds its pictures.
    pictures: Callable[[], Sequence[bytes]] | None = None


@frozen
class Section:
    """Parts of a long document under a title of their own."""

    title: str
    parts: tuple[Part, ...]
    # What links and the table of contents call it; made of the title where empty.
    name: str = ""
    # Whether a page that can shows no more than the title until it is opened.
    folded: bool = False


@frozen
class Adaptive:
    """One thing in several forms."""

    # For a terminal, and for text that is kept.
    short: tuple[Part, ...]
    full: tuple[Part, ...]
    # Makes the parts for HTML, which can draw; None where these are the full ones.
    page: Callable[[], tuple[Part, ...]] | None = None


Part = Heading | Paragraph | Note | Items | Code | Excerpt | Table | Figure | Adaptive | Section
Rows = Sequence[Mapping[str, Any]]


@frozen
class Data:
    """What programs read, made on demand, since most calls never need it."""

    # The object of the JSON contract.
    values: Callable[[], Mapping[str, Any]]
    # The rows of a CSV file, by column.
    rows: Callable[[], Rows]
    # Of the file, where it may have no rows.
    columns: tuple[str, ...] = ()


@frozen
class Document:
    """What a verb has to say.

    >>> from halfwidth.document.render import render
    >>> table = Table.from_rows(["label", "n"], [["liver", "12"]], kinds={"label": Kind.TEXT})
    >>> print(render(Document((Heading("Cases"), table, Note("All of them."))), "markdown"), end="")
    **Cases**
    <BLANKLINE>
    | label | n |
    | --- | ---: |
    | liver | 12 |
    <BLANKLINE>
    - All of them.
    """

    # In the order in which they are read.
    parts: tuple[Part, ...] = ()
    # None where there is nothing for programs.
    data: Data | None = None
    # Of a document that stands by itself.
    title: str = ""

    def parts_for(self, *, terminal: bool) -> list[Part]:
        """The parts, each of them in the form for a terminal or for a page that is kept."""
        return list(flattened(self.parts, terminal=terminal))


def flattened(parts: Iterable[Part], *, terminal: bool, level: int = 0) -> Iterator[Part]:
    """Parts one after the other: adaptive ones as wanted, sections opened from the ``level`` on."""
    for part in parts:
        if isinstance(part, Adaptive):
            full = part.short if terminal else part.full
            yield from flattened(full, terminal=terminal, level=level)
        elif isinstance(part, Section):
            yield Heading(part.title, max(level, 1))
            yield from flattened(part.parts, terminal=terminal, level=max(level, 1) + 1)
        elif isinstance(part, Heading):
            yield replace(part, level=part.level or level)
        elif isinstance(part, Table):
            # Text has no way to draw an interval.
            yield part.without(Kind.DRAWN)
        else:
            yield part


def shown(parts: Iterable[Part], is_shown: Callable[[Part], bool]) -> list[Part]:
    """The parts that a kind of text can show, and no heading with nothing below it."""
    kept: list[Part] = []
    for part in reversed([part for part in parts if is_shown(part)]):
        if isinstance(part, Heading) and part.level:
            below = kept[-1] if kept else None
            if below is None or (isinstance(below, Heading) and 0 < below.level <= part.level):
                continue
        kept.append(part)
    return kept[::-1]
