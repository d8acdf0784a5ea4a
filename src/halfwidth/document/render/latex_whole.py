"""A document of sections as LaTeX that can be compiled: nothing of it is a comment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from halfwidth.document.parts import (
    TO_DO,
    Code,
    Excerpt,
    Heading,
    Items,
    Kind,
    Note,
    Paragraph,
    Part,
    Table,
    shown,
)
from halfwidth.document.render.latex_letters import latex_text

PREAMBLE = r"""% Names in scripts other than Latin: compile with LuaLaTeX and a font that has them.
\documentclass[a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[margin=20mm]{geometry}
\usepackage{array,booktabs,longtable}
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.5\baselineskip}
\setlength{\tabcolsep}{4pt}
\setlength{\LTleft}{0pt}
\sloppy
\begin{document}"""
SECTIONS = ("section*", "subsection*", "subsubsection*")
# Letters that a column of text has in one line; wider ones wrap in a share of the line.
WIDEST, SHARE = 30, 0.9
SHOWN = Heading | Paragraph | Note | Items | Code | Table


def whole_latex(title: str, parts: Iterable[Part]) -> str:
    """A document with its title, each heading at its level; tables that go on over pages."""
    lines = [PREAMBLE, rf"{{\LARGE\bfseries {latex_text(title)}\par}}"] if title else [PREAMBLE]
    for part in shown(parts, _is_shown):
        lines += ["", *_lines(part)]
    return "".join(f"{line}\n" for line in [*lines, r"\end{document}"])


def _is_shown(part: Part) -> bool:
    return isinstance(part, SHOWN) or (isinstance(part, Excerpt) and not part.language)


def _lines(part: Part) -> Iterator[str]:
    match part:
        case Heading(text, level):
            yield rf"\{SECTIONS[min(level, len(SECTIONS)) - 1]}{{{latex_text(text)}}}"
        case Paragraph(text) | Note(text):
            yield latex_text(text)
        case Excerpt(text):
            yield rf"\begin{{quote}}{latex_text(text)}\end{{quote}}"
        case Items(items):
            yield r"\begin{description}"
            for item in items:
                yield rf"\item[{{{latex_text(item.term)}}}] {latex_text(item.text)}"
                yield from [rf"\emph{{{TO_DO}}} {latex_text(item.remedy)}"] * bool(item.remedy)
            yield r"\end{description}"
        case Code(lines):
            for line in lines:
                yield rf"{{\ttfamily\raggedright {latex_text(line)}\par}}"
        case Table():
            yield from _table(part.without(Kind.CAUTIONS))


def _table(table: Table) -> Iterator[str]:
    rows = [[latex_text(cell) for cell in row] for row in table.texts]
    heads = [rf"\textbf{{{latex_text(heading)}}}" for heading in table.headings]
    yield r"{\footnotesize"
    yield rf"\begin{{longtable}}{{{_alignment(table)}}}"
    yield from (r"\toprule", _row(heads), r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot")
    yield from map(_row, rows)
    yield r"\end{longtable}}"


def _row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _alignment(table: Table) -> str:
    """Columns of long texts share what the line has, so that they wrap."""
    columns = [list(texts) for texts in zip(table.headings, *table.texts, strict=True)]
    longest = [max(map(len, texts)) for texts in columns]
    wide = [
        column.wraps and length > WIDEST
        for column, length in zip(table.columns, longest, strict=True)
    ]
    # About as much of the line as the letters of the others leave, at footnote size.
    left = (
        SHARE - sum(length for length, wraps in zip(longest, wide, strict=True) if not wraps) / 110
    )
    each = max(left, 0.3) / max(sum(wide), 1)
    return "".join(
        rf">{{\raggedright\arraybackslash}}p{{{each:.2f}\linewidth}}"
        if wraps
        else "r"
        if column.right
        else "l"
        for column, wraps in zip(table.columns, wide, strict=True)
    )
