"""A table on a page: cells that sort by their values, codes that link, intervals that are drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from xml.etree.ElementTree import Element

from halfwidth.document.html.elements import Child, append, element
from halfwidth.document.html.intervals import axis_drawing, interval_drawing
from halfwidth.document.parts import Cell, Column, Kind, Table

# Rows from which on a table can be sorted.
FEW_ROWS = 3
# A table of text alone, such as a checklist, keeps its order.
_NUMERIC = (Kind.NUMBER, Kind.INTERVAL)
# Cells of these say by themselves what they are.
_SELF_EVIDENT = (Kind.INTERVAL, Kind.CAUTIONS)

# A column and those whose cells stand beneath its own, each with its place in the rows.
Stack = tuple[tuple[int, Column], ...]


def table_element(table: Table, caption: str) -> Element:
    """The table in a box of its own that scrolls where the page is narrow.

    Roles are named, since browsers forget them where a narrow page sets a row as a block.
    """
    sortable = len(table.rows) >= FEW_ROWS and any(one.kind in _NUMERIC for one in table.columns)
    stacks = _stacks(table.columns)
    heads = (_heading(stack, sortable=sortable) for stack in stacks)
    node = element(
        "table",
        element("caption", caption, class_="unseen") if caption else None,
        element("thead", element("tr", *heads, role="row"), role="rowgroup"),
        element("tbody", *(_row(stacks, row) for row in table.rows), role="rowgroup"),
        class_="sortable" if sortable else None,
        role="table",
    )
    label = caption or "Table"
    return element("div", node, class_="scroll", tabindex="0", role="region", aria_label=label)


def _stacks(columns: Sequence[Column]) -> list[Stack]:
    """Columns with what stands beneath them; one whose place is not there stands by itself."""
    headings = {column.heading for column in columns}
    beneath: dict[str, list[tuple[int, Column]]] = {}
    for place, column in enumerate(columns):
        if column.under in headings:
            beneath.setdefault(column.under, []).append((place, column))
    return [
        ((place, column), *beneath.get(column.heading, ()))
        for place, column in enumerate(columns)
        if column.under not in headings
    ]


# --------------------------------------------------------------------------- head


def _heading(stack: Stack, *, sortable: bool) -> Element:
    (_, column), *beneath = stack
    named = (one for _, one in beneath if one.kind in _SELF_EVIDENT)
    below = [element("div", one.heading, class_="under") for one in named]
    title: list[Child] = [column.heading]
    if column.axis is not None:
        title = [
            element("span", column.heading, class_="unseen"),
            *([element("span", column.axis.pale, class_="pale")] if column.axis.pale else []),
            axis_drawing(column.axis),
        ]
    elif sortable and column.kind is not Kind.CAUTIONS:
        # The script makes a button of it; without one it is the heading alone.
        title = [element("span", column.heading, class_="sorts")]
    kind = column.kind.value
    return element("th", *title, *below, scope="col", role="columnheader", class_=kind)


# --------------------------------------------------------------------------- body


def _row(stacks: Iterable[Stack], row: Sequence[Cell | str]) -> Element:
    cells = [Cell(cell) if isinstance(cell, str) else cell for cell in row]
    node = element("tr", role="row")
    for stack in stacks:
        node.append(_cell(stack, cells, first=not len(node)))
    return node


def _cell(stack: Stack, cells: Sequence[Cell], *, first: bool) -> Element:
    (place, column), *beneath = stack
    cell = cells[place]
    if column.kind is Kind.DRAWN and column.axis is not None:
        drawing = interval_drawing(cell, column.axis)
        return element("td", drawing, class_=column.kind.value, role="cell")
    names = column.kind in (Kind.TEXT, Kind.NAME)
    node = element(
        "th" if first and names else "td",
        *_content(column, cell),
        class_=column.kind.value,
        data_value=_sorted_by(cell.value),
        title=_precise(cell),
        role="rowheader" if first and names else "cell",
        scope="row" if first and names else None,
        # On a narrow page each cell says what it is of.
        data_heading=None if first or column.kind is Kind.CAUTIONS else column.heading,
    )
    news = [(at, one) for at, one in beneath if cells[at].text not in ("", cell.text)]
    for child in _beneath(news, cells):
        append(node, child)
    return node


def _beneath(columns: Iterable[tuple[int, Column]], cells: Sequence[Cell]) -> Iterator[Element]:
    """Cells beneath another: what says by itself what it is on lines of its own."""
    named = element("div", class_="under")
    for place, column in columns:
        cell = cells[place]
        if column.kind in _SELF_EVIDENT:
            yield element("div", *_content(column, cell), class_="under", title=_precise(cell))
            continue
        heading = element("span", f"{column.heading} ", class_="what")
        text = element("span", heading, cell.text, title=_precise(cell))
        if len(named):
            append(named, " \N{MIDDLE DOT} ")
        named.append(text)
    if len(named):
        yield named


def _content(column: Column, cell: Cell) -> list[Child]:
    if column.kind is not Kind.CAUTIONS:
        return [cell.text]
    links: list[Child] = []
    for code in cell.value or ():
        links += [element("a", code, href=f"#{code.lower()}", class_="code"), " "]
    return links


def _sorted_by(value: Any) -> str | None:
    """What a row is sorted by: of an interval the lower end."""
    first = value[0] if isinstance(value, tuple) and value else value
    if not isinstance(first, int | float) or math.isnan(first):
        return None
    return f"{first:.12g}"


def _precise(cell: Cell) -> str | None:
    """The number in more digits, shown when the cell is pointed at."""
    values = cell.value if isinstance(cell.value, tuple) else (cell.value,)
    if not values or not all(isinstance(one, float) and math.isfinite(one) for one in values):
        return None
    return " to ".join(f"{one:.6g}" for one in values) + (f" {cell.unit}" if cell.unit else "")
