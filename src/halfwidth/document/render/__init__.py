"""A document as text: a module for each kind of output."""

from __future__ import annotations

from collections.abc import Callable

from halfwidth.document.parts import Document
from halfwidth.document.render.data import render_csv, render_json
from halfwidth.document.render.latex import render_latex
from halfwidth.document.render.markdown import render_markdown
from halfwidth.document.render.terminal import render_terminal

FORMATS: dict[str, Callable[[Document], str]] = {
    "table": render_terminal,
    "json": render_json,
    "csv": render_csv,
    "markdown": render_markdown,
    "latex": render_latex,
}


def render(document: Document, fmt: str) -> str:
    """A document as text in one of the `FORMATS`, ending in a line break if there is any text."""
    return FORMATS[fmt](document)
