"""A document as Markdown."""

from __future__ import annotations

import re

from halfwidth.document.parts import (
    Code,
    Document,
    Excerpt,
    Figure,
    Heading,
    Items,
    Note,
    Paragraph,
    Part,
    Table,
    shown,
)
from halfwidth.document.wrapping import one_line


def render_markdown(document: Document) -> str:
    """Titles of sections as headings, others in bold, pipe tables, remarks as a list."""
    blocks = [f"# {markdown_text(document.title)}\n"] if document.title else []
    listing = False
    for part in shown(document.parts_for(terminal=False), lambda one: bool(_block(one))):
        begins = not isinstance(part, Note) and not (isinstance(part, Items) and not part.title)
        if blocks and listing and not begins:
            blocks[-1] += _block(part)
        else:
            blocks.append(_block(part))
        listing = isinstance(part, Note | Items)
    return "\n".join(block for block in blocks if block)


def markdown_text(text: str) -> str:
    """Text that Markdown shows as it is."""
    return re.sub(r"([\\`*_{}\[\]<>|#~$^])", r"\\\1", one_line(text))


def _block(part: Part) -> str:
    block = ""
    match part:
        case Heading(text, level):
            block = f"{'#' * (level + 1)} {markdown_text(text)}" if level else _bold(text)
        case Paragraph(text):
            block = markdown_text(text)
        case Note(text):
            block = f"- {markdown_text(text)}"
        case Items(items, title):
            lines = [f"- {markdown_text(f'{item.term} {item.whole}'.strip())}" for item in items]
            block = "\n".join([*[f"{_bold(title)}\n"] * bool(title), *lines])
        case Code(commands):
            lines = [one_line(command, whole=True) for command in commands]
            block = "\n".join(["```sh", *lines, "```"])
        case Excerpt(text, language) if language:
            block = f"```{language}\n{text.rstrip()}\n```"
        case Excerpt(text):
            block = f"> {markdown_text(text)}"
        case Table():
            block = _table(part)
        case Figure(caption=caption, file=file) if file is not None:
            block = f"![{markdown_text(caption)}](<{file.as_posix()}>)"
    return block + "\n" if block else ""


def _bold(text: str) -> str:
    return f"**{markdown_text(text)}**"


def _table(table: Table) -> str:
    rule = ["---:" if column.right else "---" for column in table.columns]
    heading, *rows = [map(markdown_text, row) for row in (table.headings, *table.texts)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heading, rule, *rows))
