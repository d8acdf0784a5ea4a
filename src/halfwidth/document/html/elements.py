"""Elements of a page; every text and every attribute is escaped when they are written."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from halfwidth.core.errors import without_endless_words

# What HTML allows in no form, but tables of results may hold.
# What no page may hold, and what turns the direction of writing: a name would be read as another.
_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)

_EMPTY, _RAW = {"meta", "img", "col"}, {"style", "script"}

Child = Element | str | None


def element(tag: str, *children: Child, **attributes: object) -> Element:
    """An element with its children; None is left out, of children and of attributes.

    An underscore at the end of a name keeps it apart from Python's words, others are hyphens.

    >>> markup(element("p", "a < b & c", class_="note", data_value=None))
    '<p class="note">a &lt; b &amp; c</p>'
    """
    attributes_given = {
        name.rstrip("_").replace("_", "-"): clean(str(value))
        for name, value in attributes.items()
        if value is not None
    }
    node = Element(tag, attributes_given)
    for child in children:
        append(node, child)
    return node


def append(parent: Element, child: Child) -> None:
    """A child after the others; text goes where the library keeps it."""
    if child is None:
        return
    if isinstance(child, Element):
        parent.append(child)
    elif len(parent):
        parent[-1].tail = (parent[-1].tail or "") + clean(child)
    else:
        parent.text = (parent.text or "") + clean(child)


def clean(text: str) -> str:
    """Text without what a page cannot hold."""
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)


def markup(one: Element) -> str:
    """An element as text; the standard library leaves ``<`` in attributes, which alarms."""
    return "".join(_written(one))


def _written(one: Element) -> Iterator[str]:
    attributes = "".join(f' {name}="{html.escape(value)}"' for name, value in one.items())
    yield f"<{one.tag}{attributes}>"
    if one.tag in _EMPTY:
        return
    text = one.text or ""
    # Style and script are our own files, and are not escaped in HTML.
    yield text if one.tag in _RAW else _escaped(text)
    for child in one:
        yield from _written(child)
        yield _escaped(child.tail or "")
    yield f"</{one.tag}>"


def _escaped(text: str) -> str:
    return html.escape(without_endless_words(text), quote=False)


def slug(text: str) -> str:
    """What a link calls a title.

    >>> slug("For the paper: LaTeX & co.")
    'for-the-paper-latex-co'
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "part"
