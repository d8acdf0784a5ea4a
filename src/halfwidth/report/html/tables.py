"""A table on a page: cells that sort by their values, codes that link, intervals that are drawn."""

from __future__ import annotations

import math
from typing import Any
from xml.etree.ElementTree import Element

from halfwidth.report.document import Cell, Column, Kind, Table
from halfwidth.report.html.elements import element
from halfwidth.report.html.intervals import axis_drawing, interval_drawing

# Rows from which on a table can be sorted.
FEW_ROWS = 3


def table_element(table: Table, caption: str = "") -> Element:
    """The table in a box of its own that scrolls where the page is narrow."""
    sortable = len(table.rows) >= FEW_ROWS
    head = element("tr", *(_heading(column, sortable=sortable) for column in table.columns))
    body = [
        element("tr", *(_cell(c, cell) for c, cell in zip(table.columns, row, strict=True)))
        for row in table.rows
    ]
    made = element(
        "table",
        element("caption", caption, class_="unseen") if caption else None,
        element("thead", head),
        element("tbody", *body),
        class_="sortable" if sortable else None,
    )
    label = caption or "Table"
    return element("div", made, class_="scroll", tabindex="0", role="region", aria_label=label)


def _heading(column: Column, *, sortable: bool) -> Element:
    if column.axis is not None:
        return element(
            "th",
            element("span", column.heading, class_="unseen"),
            axis_drawing(column.axis),
            scope="col",
            class_=column.kind.value,
        )
    title = element("button", column.heading, type="button") if sortable else column.heading
    return element("th", title, scope="col", class_=column.kind.value)


def _cell(column: Column, cell: Cell | str) -> Element:
    if isinstance(cell, str):
        cell = Cell(cell)
    if column.kind is Kind.DRAWN and column.axis is not None:
        return element("td", interval_drawing(cell, column.axis), class_=column.kind.value)
    if column.kind is Kind.CAUTIONS:
        return element("td", *_links(cell), class_=column.kind.value)
    return element(
        "td",
        cell.text,
        class_=column.kind.value,
        data_value=_sorted_by(cell.value),
        title=_precise(cell),
    )


def _links(cell: Cell) -> list[Element | str]:
    """Codes of cautions as links to where they are explained."""
    made: list[Element | str] = []
    for code in cell.value or ():
        made += [element("a", code, href=f"#{code.lower()}", class_="code"), " "]
    return made


def _sorted_by(value: Any) -> str | None:
    """What a row is sorted by: of an interval the lower end."""
    first = value[0] if isinstance(value, tuple) and value else value
    if not isinstance(first, int | float) or math.isnan(first):
        return None
    return f"{first:.12g}"


def _precise(cell: Cell) -> str | None:
    """The number in more digits, shown when the cell is pointed at."""
    values = cell.value if isinstance(cell.value, tuple) else (cell.value,)
    if not all(isinstance(one, float) and math.isfinite(one) for one in values):
        return None
    return " to ".join(f"{one:.6g}" for one in values) + (f" {cell.unit}" if cell.unit else "")
