"""Columns as wide in one table as in the next, so that axes of one scale stand on one line."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from xml.etree.ElementTree import Element

from halfwidth.document.html.elements import element
from halfwidth.document.parts import Kind

# Letters that fit side by side into a page, and those that the space beside a text and the arrow
# of a heading that sorts take; letters of headings and of names, many of them capitals, are wider.
PAGE, SPACE, ARROW, WIDE = 112, 1.6, 2.5, 1.15
# A longer text is broken into lines where its column is not of numbers, between words; longer
# words are broken too.
LONG, LONGEST_WORD = 24, 48
# Shares of the page for intervals that are drawn, in percent.
LEAST_DRAWN, MOST_DRAWN = 27.0, 42.0
# Letters of two codes of cautions side by side.
TWO_CODES = 11

Letters = dict[str, float]


def align(page: Element) -> None:
    """Let what is drawn on the same axis begin and end at the same places in all tables.

    The widths of columns are attributes, since the page allows no style but its own; a cell that
    needs more room takes it.
    """
    alike: dict[tuple[str, str], list[Element]] = defaultdict(list)
    for table in page.iter("table"):
        head = next(table.iter("tr"))
        if len(axes := [cell for cell in head if _kind(cell) == Kind.DRAWN.value]) == 1:
            alike[_heading(head[0]), "".join(axes[0].itertext())].append(table)
    for tables in alike.values():
        if len(tables) > 1:
            _align(tables)


def _align(tables: Iterable[Element]) -> None:
    """Give columns of the same heading the same widths.

    A column that a table does not have leaves its room to the first one or to the last.
    """
    split = [(table, *_around_the_drawn(table)) for table in tables]
    before = _needed(columns for _, columns, _ in split)
    behind = _needed(columns for _, _, columns in split)
    needed = sum(before.values()) + sum(behind.values())
    drawn = min(max(100 - needed, LEAST_DRAWN), MOST_DRAWN)
    stretch = (100 - drawn) / needed
    for table, *sides in split:
        left, right = (
            [stretch * all_[name] for name in own]
            for own, all_ in zip(sides, (before, behind), strict=True)
        )
        left[0] += stretch * sum(before.values()) - sum(left)
        if right:
            right[-1] += stretch * sum(behind.values()) - sum(right)
        widths = (f"{share:.2f}%" for share in (*left, drawn, *right))
        head = next(place for place, one in enumerate(table) if one.tag == "thead")
        table.insert(head, element("colgroup", *(element("col", width=width) for width in widths)))


def _around_the_drawn(table: Element) -> tuple[Letters, Letters]:
    """Letters that columns need, by their heading: those before what is drawn, and those behind."""
    sides: tuple[Letters, Letters] = {}, {}
    side = 0
    for head, *cells in zip(*table.iter("tr"), strict=True):
        if _kind(head) == Kind.DRAWN.value:
            side = 1
        else:
            sides[side][_heading(head)] = max(map(_letters, (head, *cells)))
    return sides


def _needed(tables: Iterable[Letters]) -> Letters:
    """Percent of the page that columns need, by their heading, in the table that needs most."""
    most: Letters = defaultdict(float)
    for columns in tables:
        for heading, letters in columns.items():
            most[heading] = max(most[heading], 100 * (letters + SPACE) / PAGE)
    return most


def _heading(cell: Element) -> str:
    return cell.text or "".join(cell[0].itertext() if len(cell) else ())


def _letters(cell: Element) -> float:
    """Letters of the longest line of a cell."""
    lines = [cell.text or "", *("".join(child.itertext()) for child in cell)]
    longest = max(map(len, lines))
    if cell.get("role") == "columnheader":
        return WIDE * longest + ARROW
    if _kind(cell) == Kind.CAUTIONS.value:
        return max(longest, TWO_CODES)
    if _kind(cell) != Kind.TEXT.value:
        return longest
    words = re.split(r"[\s-]", " ".join(lines))
    return WIDE * min(longest, max(LONG, min(max(map(len, words)), LONGEST_WORD)))


def _kind(cell: Element) -> str:
    return cell.get("class", "")
