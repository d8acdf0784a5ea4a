"""A document as LaTeX: tables to paste, with notes as comments, or sections to compile."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from halfwidth.document.parts import (
    Code,
    Column,
    Document,
    Excerpt,
    Figure,
    Heading,
    Items,
    Kind,
    Note,
    Paragraph,
    Part,
    Section,
    Table,
)
from halfwidth.document.render.latex_letters import latex_text
from halfwidth.document.render.latex_whole import whole_latex
from halfwidth.document.wrapping import one_line

# Letters of a cell that one line holds.
LONGEST = 80


def render_latex(document: Document) -> str:
    """Tables with booktabs to paste, and the rest around them; a document of sections compiles."""
    parts = document.parts_for(terminal=False)
    if any(isinstance(part, Section) for part in document.parts):
        return whole_latex(document.title, parts)
    lines = ["% \\usepackage{booktabs}"] if any(isinstance(part, Table) for part in parts) else []
    before: Part | None = None
    for part, after in itertools.pairwise([*parts, None]):
        apart = isinstance(part, Heading | Paragraph | Table) and not isinstance(before, Heading)
        lines += [""] * bool(apart and before is not None)
        if isinstance(part, Table):
            title = before.text if isinstance(before, Heading) else ""
            lines += _table(part.without(Kind.CAUTIONS), title)
        elif part is not None and not (isinstance(part, Heading) and isinstance(after, Table)):
            lines += _lines(part)
        before = part
    return "".join(f"{line}\n" for line in lines)


def _lines(part: Part) -> Iterator[str]:
    match part:
        case Paragraph(text):
            yield latex_text(text)
        case Excerpt(text, language) if not language:
            yield latex_text(text)
        case Heading(text) | Note(text):
            yield f"% {one_line(text)}"
        case Items(items, title):
            yield from [f"% {one_line(title)}"] * bool(title)
            for item in items:
                yield f"% {one_line(f'{item.term} {item.whole}'.strip())}"
        case Code(lines):
            for line in lines:
                yield f"% {one_line(line, whole=True)}"
        case Figure(file=file) if file is not None:
            yield f"% \\includegraphics{{{one_line(file.as_posix(), whole=True)}}}"


def _table(table: Table, title: str = "") -> Iterator[str]:
    """A table, with a title that goes where it is pasted."""
    cells = zip(*table.texts, strict=True) if table.rows else [()] * len(table.columns)
    alignment = "".join(map(_alignment, table.columns, cells))
    heading, *rows = [
        " & ".join(map(latex_text, row)) + r" \\" for row in (table.headings, *table.texts)
    ]
    yield f"\\begin{{tabular}}{{{alignment}}}"
    yield "\\toprule"
    if title:
        yield f"\\multicolumn{{{len(table.columns)}}}{{l}}{{{latex_text(title)}}} \\\\"
        yield "\\midrule"
    yield from (heading, "\\midrule", *rows, "\\bottomrule", "\\end{tabular}")


def _alignment(column: Column, texts: Sequence[str]) -> str:
    """Sentences take several lines of half the text's width."""
    if any(len(text) > LONGEST for text in texts):
        return r"p{.5\linewidth}"
    return "r" if column.right else "l"
