"""A document as plain text: for a terminal, a pipe, a log."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from halfwidth.document import terminal_width
from halfwidth.document.parts import (
    Code,
    Column,
    Document,
    Excerpt,
    Heading,
    Items,
    Kind,
    Note,
    Paragraph,
    Part,
    Table,
)
from halfwidth.document.wrapping import Break, length, longest, one_line, padded, wrapped

# Between two columns.
GAP = 2
_BEFORE_LEVEL = re.compile(r" (?=\()")
_AFTER_HYPHEN = re.compile(r"(?<=\w[-/])(?=[^\W\d])")


def render_terminal(document: Document) -> str:
    """Text wrapped to the page, a blank line between parts."""
    blocks: list[str] = []
    before: Part | None = None
    for part in document.parts_for(terminal=True):
        block = _block(part)
        if isinstance(part, Note) and isinstance(before, Note):
            blocks[-1] += block
        elif block:
            blocks.append(block)
        before = part
    return "\n".join(blocks)


def _block(part: Part) -> str:
    block = ""
    match part:
        case Paragraph(text, wraps=False):
            block = _lines([one_line(text)])
        case Heading(text) | Paragraph(text) | Note(text):
            block = _lines(wrapped(one_line(text), terminal_width.width()))
        case Items():
            block = _items(part)
        case Code(lines):
            block = _lines(f"  {one_line(line, whole=True)}" for line in lines)
        case Excerpt(text, language):
            prose = wrapped(one_line(text), terminal_width.width() - GAP)
            block = _lines(f"  {line}" for line in (text.splitlines() if language else prose))
        case Table():
            block = _table(part)
    return block


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _items(part: Items) -> str:
    heading = _lines(wrapped(one_line(part.title), terminal_width.width())) if part.title else ""
    if any(item.term for item in part.items):
        indent = " " * bool(part.title)
        return heading + _terms([(item.term, item.whole) for item in part.items], indent)
    return heading + "".join(_hanging(one_line(item.whole)) for item in part.items)


def _terms(pairs: Sequence[tuple[str, str]], indent: str = "") -> str:
    """Each text beside its term; terms take no more than half of the page."""
    pairs_shown = [(one_line(term), one_line(text)) for term, text in pairs]
    column = min(max(length(term) for term, _ in pairs_shown), (terminal_width.width() - GAP) // 2)
    room = terminal_width.width() - len(indent) - column - GAP
    lines = [
        indent + padded(term, column + GAP) + text
        for pair in pairs_shown
        for term, text in zip_longest(
            wrapped(pair[0], column), wrapped(pair[1], room), fillvalue=""
        )
    ]
    return _lines(line.rstrip() for line in lines)


def _hanging(text: str) -> str:
    """A text set in, its further lines more so."""
    first, *rest = wrapped(text, terminal_width.width() - 4)
    return _lines([f"  {first}", *(f"    {line}" for line in rest)])


# --------------------------------------------------------------------------- tables


def _table(table: Table) -> str:
    """A table that fits the page; where it cannot, each row as a list of its cells."""
    rows = [[one_line(cell) for cell in row] for row in table.texts]
    widths = _widths(table.columns, rows)
    if widths is None:
        named = ([(h, c) for h, c in zip(table.headings, row, strict=True) if c] for row in rows)
        return "\n".join(_terms(pairs) for pairs in named if pairs)
    columns = table.columns
    heads = [wrapped(_shown(*column), column[1]) for column in zip(columns, widths, strict=True)]
    height = max(map(len, heads), default=0)
    lines = _set([[""] * (height - len(head)) + head for head in heads], columns, widths)
    lines.append("─" * _total(widths))
    for row in rows:
        cells = [wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
        lines += _set(cells, columns, widths)
    return _lines(lines)


def _set(
    cells: Sequence[Sequence[str]], columns: Sequence[Column], widths: Sequence[int]
) -> list[str]:
    """The lines of a row."""
    height = max(map(len, cells), default=0)
    return [
        (" " * GAP)
        .join(
            padded(cell[place] if place < len(cell) else "", width, right=column.right)
            for cell, column, width in zip(cells, columns, widths, strict=True)
        )
        .rstrip()
        for place in range(height)
    ]


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[int] | None:
    """Widths of the columns: those of their cells, where all of them fit the page.

    Else cells of text give way, then headings, between words first. None where that is not
    enough on a terminal; what goes elsewhere may be wider than the page, but is never cut.
    """
    cells = [[_heading(column), *(row[i] for row in rows)] for i, column in enumerate(columns)]
    widths = [max(map(length, texts)) for texts in cells]
    # Only for a pipe are overlong words broken: a terminal gets a list instead.
    for where in list(Break)[:-1] if terminal_width.is_terminal() else Break:
        least = [_least(*column, where) for column in zip(columns, cells, strict=True)]
        if _total(least) <= terminal_width.table_width():
            lengths = [[length(text) for text in texts] for texts in cells]
            return _restored(_narrowed(widths, least, lengths), widths, cells)
    return None if terminal_width.is_terminal() else least


def _shown(column: Column, width: int) -> str:
    """The heading, or a shorter one where it has no room."""
    fits = longest(column.heading, Break.BETWEEN_WORDS) <= width
    return column.heading if fits or not column.short else column.short


def _heading(column: Column) -> str:
    """Longest part of a heading: over numbers it is broken at a hyphen or a slash."""
    parts = _AFTER_HYPHEN.split(column.heading) if column.right else [column.heading]
    return max(parts, key=length)


def _least(column: Column, cells: Sequence[str], where: Break) -> int:
    """The least width; numbers and names are never wrapped, headings are."""
    if not column.wraps:
        shortest = column.short if column.short and where > Break.NOWHERE else cells[0]
        heading = longest(shortest, where)
        if column.kind is Kind.INTERVAL and where > Break.NOWHERE:
            # A level of its own may stand below its interval.
            cells = [part for cell in cells for part in _BEFORE_LEVEL.split(cell)]
        return max([heading, *map(length, cells[1:])])
    texts = [column.short or cells[0], *cells[1:]]
    return max(longest(text, max(where, Break.BETWEEN_WORDS)) for text in texts)


def _narrowed(
    widths: Sequence[int], least: Sequence[int], lengths: Sequence[Sequence[int]]
) -> list[int]:
    """Widths that fit, narrowed step by step where that makes the table least longer."""
    narrowed = list(widths)
    while _total(narrowed) > terminal_width.table_width():
        able = [place for place, width in enumerate(narrowed) if width > least[place]]
        narrowed[min(able, key=lambda place: _height(lengths, narrowed, place))] -= 1
    return narrowed


def _restored(
    narrowed: Sequence[int], widths: Sequence[int], cells: Sequence[Sequence[str]]
) -> list[int]:
    """Columns need not wrap where what others leave empty, once wrapped, is enough for them."""
    used = [
        max(length(line) for text in texts for line in wrapped(text, width))
        for texts, width in zip(cells, narrowed, strict=True)
    ]
    restored, allowed = list(used), terminal_width.table_width()
    for place in sorted(range(len(restored)), key=lambda place: widths[place] - used[place]):
        missing = widths[place] - used[place]
        if widths[place] > narrowed[place] and _total(restored) + missing <= allowed:
            restored[place] = widths[place]
    return list(narrowed) if restored == used else restored


def _height(
    lengths: Sequence[Sequence[int]], widths: Sequence[int], narrowed: int
) -> tuple[int, int]:
    """About how many lines a table has once a column is narrower by one; the widest first."""
    tried = [width - (place == narrowed) for place, width in enumerate(widths)]
    rows = zip(*lengths, strict=True)
    lines = sum(max(-(-n // w) for n, w in zip(row, tried, strict=True)) for row in rows)
    return lines, -widths[narrowed]
