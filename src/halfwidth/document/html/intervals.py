"""Intervals drawn in the rows of a table, on the axis of its column."""

from __future__ import annotations

import math
from xml.etree.ElementTree import Element

from halfwidth.document.html.elements import element
from halfwidth.document.parts import Axis, Cell

# A drawing is as wide as its column, so that places are shares of it; heights are in pixels, and
# style.css has the height too.
HEIGHT, EDGE = 22, 7.5
_CAP, _DOT, _ARROW = 4, 4, 5


def axis_drawing(axis: Axis) -> Element:
    """The ticks with their labels, for the head of the column."""
    drawing = _drawing(aria_hidden="true", class_="axis")
    for place, label in axis.ticks:
        x = _x(place, axis)
        drawing.append(_line(x, HEIGHT - 4, x, HEIGHT))
        drawing.append(element("text", label, x=_at(x), y=HEIGHT - 8, text_anchor="middle"))
    drawing.append(_line(EDGE, HEIGHT, 100 - EDGE, HEIGHT))
    return drawing


def interval_drawing(cell: Cell, axis: Axis) -> Element:
    """Value and interval of a row; an end beyond the axis, or without limit, is an arrow.

    Two further numbers are the ends of a pale line behind it; NaN where there is none.
    """
    value, low, high, *pale = cell.value
    drawing = _drawing(role="img", aria_label=cell.text)
    drawing.append(element("title", cell.text))
    for mark in axis.marks:
        if axis.low <= mark <= axis.high:
            drawing.append(_line(_x(mark, axis), 0, _x(mark, axis), HEIGHT, class_="mark"))
    middle = HEIGHT / 2
    if pale and not math.isnan(pale[0]):
        first, last = (_x(max(min(end, axis.high), axis.low), axis) for end in pale)
        drawing.append(_line(first, middle, last, middle, class_="pale"))
    if not (math.isnan(low) or math.isnan(high)):
        ends = [_x(max(min(end, axis.high), axis.low), axis) for end in (low, high)]
        drawing.append(_line(ends[0], middle, ends[1], middle, class_="interval"))
        for x, beyond, way in (
            (ends[0], low < axis.low, -1),
            (ends[1], high > axis.high, 1),
        ):
            drawing.append(_arrow(x, middle, way) if beyond else _cap(x, middle))
    if axis.low <= value <= axis.high:
        drawing.append(element("circle", cx=_at(_x(value, axis)), cy=middle, r=_DOT))
    return drawing


def _drawing(**attributes: str) -> Element:
    return element("svg", width="100%", height=HEIGHT, **attributes)


def _x(place: float, axis: Axis) -> float:
    return EDGE + (100 - 2 * EDGE) * (place - axis.low) / (axis.high - axis.low)


def _at(share: float) -> str:
    return f"{share:.2f}%"


def _line(x1: float, y1: float, x2: float, y2: float, **attributes: str) -> Element:
    return element("line", x1=_at(x1), y1=y1, x2=_at(x2), y2=y2, **attributes)


def _cap(x: float, middle: float) -> Element:
    return _line(x, middle - _CAP, x, middle + _CAP, class_="interval")


def _arrow(x: float, middle: float, way: int) -> Element:
    """Draw an arrow by itself, with its point as the origin, since its corners are pixels."""
    points = f"0,0 {-way * _ARROW},{-_CAP} {-way * _ARROW},{_CAP}"
    polygon = element("polygon", points=points, class_="arrow")
    return element("svg", polygon, x=_at(x), y=middle, overflow="visible")
