"""Estimates as text: a table for the terminal, JSON, CSV, Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from halfwidth.core.estimate import Estimate
from halfwidth.core.estimates import Estimates
from halfwidth.core.formatting import fixed, percent
from halfwidth.io.writers import csv_text

__all__ = ["FORMATS", "latex_text", "markdown_text", "printable", "render", "text_table"]

WIDTH = 80
SHORTEST = 8
LONGEST_WORD = 12
RIGHT = ("n", "clusters", "value", "half-width")
# A heading that is longer than its numbers takes two lines.
_HEADING_BREAKS = {"half-width": "half-\nwidth", "clusters": "clus-\nters"}


@dataclass(frozen=True)
class Row:
    """The cells of one estimate, as text."""

    label: str
    subject: str
    n: str
    clusters: str
    value: str
    interval: str
    halfwidth: str
    method: str
    cautions: str


def _row(estimate: Estimate) -> Row:
    e = estimate
    places = e.decimals
    low, high = fixed(e.low, places), fixed(e.high, places)
    interval = {"two-sided": f"{low} to {high}", "lower": f"≥ {low}", "upper": f"≤ {high}"}
    undefined = e.low != e.low or e.high != e.high
    unit = e.metric_spec.unit
    return Row(
        label=printable(e.label),
        subject=printable(e.subject + (f" [{unit}]" if unit else "")),
        n=str(e.n),
        clusters="" if e.n_groups is None else str(e.n_groups),
        value=fixed(e.value, places),
        interval="none" if undefined else interval[e.alternative],
        halfwidth=fixed(e.halfwidth, places) if e.halfwidth == e.halfwidth else "",
        method=e.method,
        cautions=" ".join(dict.fromkeys(caution.code for caution in e.cautions)),
    )


def printable(text: str) -> str:
    """Without line breaks and escape codes, which a table's labels may hold by accident or not."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _columns(estimates: Estimates) -> dict[str, Callable[[Row], str]]:
    """Headings and cells; a column that says nothing is left out."""
    level = percent(estimates[0].confidence_level)
    interval = {
        "two-sided": f"{level} CI",
        "lower": f"{level} bound",
        "upper": f"{level} bound",
    }[estimates[0].alternative]
    columns: dict[str, Callable[[Row], str]] = {}
    if any(e.label for e in estimates):
        columns["label"] = lambda row: row.label
    columns |= {
        "statistic": lambda row: row.subject,
        "n": lambda row: row.n,
    }
    if any(e.n_groups is not None for e in estimates):
        columns["clusters"] = lambda row: row.clusters
    columns |= {
        "value": lambda row: row.value,
        interval: lambda row: row.interval,
    }
    if estimates[0].alternative == "two-sided":
        columns["half-width"] = lambda row: row.halfwidth
    columns["method"] = lambda row: row.method
    if any(e.cautions for e in estimates):
        columns["cautions"] = lambda row: row.cautions
    return columns


def text_table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[str] = (),
    whole: Sequence[str] = (),
) -> str:
    """A plain table that fits 80 columns: ``right``-aligned columns, ``whole`` ones not wrapped.

    Cells are text: nothing in them is read as markup.
    """
    import io

    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for heading, width in zip(headings, _least_widths(headings, rows, whole), strict=True):
        table.add_column(
            Text(_HEADING_BREAKS.get(heading, heading)),
            justify="right" if heading in right else "left",
            overflow="fold",
            no_wrap=heading in whole,
            min_width=width,
        )
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    stream = io.StringIO()
    Console(file=stream, width=WIDTH, color_system=None, legacy_windows=False).print(table)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


def _least_widths(
    headings: Sequence[str], rows: Sequence[Sequence[str]], whole: Sequence[str]
) -> list[int]:
    """Widths at which lines break between words, unless one would starve the other columns."""
    widths = []
    for place, heading in enumerate(headings):
        words = [word for row in rows for word in row[place].split()]
        shown = _HEADING_BREAKS.get(heading, heading).split()
        widths.append(min(LONGEST_WORD, max(map(len, [*shown, *words]))))
    cells = [max([0, *(len(row[place]) for row in rows)]) for place in range(len(headings))]
    held = [max(w, c) if h in whole else w for w, c, h in zip(widths, cells, headings, strict=True)]
    loose = [place for place, heading in enumerate(headings) if heading not in whole]
    gaps = 2 * (len(headings) - 1)
    while sum(held) + gaps > WIDTH and any(held[place] > SHORTEST for place in loose):
        widest = max(loose, key=held.__getitem__)
        held[widest] -= 1
    return [held[p] if p in loose else widths[p] for p in range(len(headings))]


def _table(estimates: Estimates) -> str:
    columns = _columns(estimates)
    rows = [_row(estimate) for estimate in estimates]
    common = _common_subject(rows)
    if common:
        columns.pop("statistic")
    cells = [[cell(row) for cell in columns.values()] for row in rows]
    numbers = [name for name in columns if name not in ("label", "statistic", "cautions")]
    text = text_table(list(columns), cells, right=RIGHT, whole=numbers)
    heading = f"{common[:1].upper()}{common[1:]}\n\n" if common else ""
    parts = [heading + text, _cautions(estimates), _footer(estimates)]
    return "\n".join(part for part in parts if part)


def _common_subject(rows: Sequence[Row]) -> str:
    """What all rows estimate, if that is one thing and there are labels to tell them apart."""
    subjects = {row.subject for row in rows}
    return subjects.pop() if len(subjects) == 1 and any(row.label for row in rows) else ""


def _cautions(estimates: Estimates) -> str:
    """Each code once, with its message, and how many rows share it."""
    found = estimates.caution_lines()
    if not found:
        return ""
    from rich.console import Console
    from rich.text import Text

    lines = ["Cautions ('halfwidth explain CODE' says more)"]
    for code, text in found:
        # Not textwrap, which takes every letter to be one column wide.
        wrapped = Text(printable(text)).wrap(Console(width=WIDTH), WIDTH - 8)
        starts = [f" {code}  ", *[" " * 8] * (len(wrapped) - 1)]
        lines += [f"{s}{w.plain}".rstrip() for s, w in zip(starts, wrapped, strict=True)]
    return "\n".join(lines) + "\n"


def _footer(estimates: Estimates) -> str:
    seeds = {e.seed for e in estimates if e.seed is not None}
    if not seeds:
        return ""
    resamples = max(e.n_resamples or 0 for e in estimates)
    return f"Seed {seeds.pop()}, {resamples} resamples.\n"


# --------------------------------------------------------------------------- files


def _json(estimates: Estimates) -> str:
    return estimates.to_json() + "\n"


def _csv(estimates: Estimates) -> str:
    rows = estimates.to_rows()
    return csv_text(list(rows[0]), (list(row.values()) for row in rows))


def _markdown(estimates: Estimates) -> str:
    columns = _columns(estimates)
    rows = [_row(estimate) for estimate in estimates]
    lines = [
        "| " + " | ".join(columns) + " |",
        "| " + " | ".join("---:" if name in RIGHT else "---" for name in columns) + " |",
    ]
    lines += [
        "| " + " | ".join(markdown_text(cell(row)) for cell in columns.values()) + " |"
        for row in rows
    ]
    found = estimates.caution_lines()
    lines += [""] * bool(found) + [f"- {code} {markdown_text(text)}" for code, text in found]
    return "\n".join(lines) + "\n"


def markdown_text(text: str) -> str:
    """Text that Markdown shows as it is."""
    escaped = re.sub(r"([\\`*_{}\[\]<>|#~])", r"\\\1", text)
    return " ".join(escaped.splitlines())


def _latex(estimates: Estimates) -> str:
    columns = _columns(estimates)
    columns.pop("cautions", None)
    rows = [_row(estimate) for estimate in estimates]
    alignment = "".join("r" if name in RIGHT else "l" for name in columns)
    lines = [
        "% \\usepackage{booktabs}",
        f"\\begin{{tabular}}{{{alignment}}}",
        "\\toprule",
        " & ".join(latex_text(name) for name in columns) + r" \\",
        "\\midrule",
        *(" & ".join(latex_text(cell(row)) for cell in columns.values()) + r" \\" for row in rows),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    lines += [f"% {code} {printable(text)}" for code, text in estimates.caution_lines()]
    return "\n".join(lines) + "\n"


_TEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    # At the start of a row these two would belong to the line break before it.
    "[": "{[}",
    "*": "{*}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "∞": r"$\infty$",
    "β": r"$\beta$",
    "³": r"$^3$",
}


def latex_text(text: str) -> str:
    """Text that LaTeX prints as it is."""
    return "".join(_TEX.get(letter, letter) for letter in " ".join(text.splitlines()))


FORMATS: dict[str, Callable[[Estimates], str]] = {
    "table": _table,
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
    "latex": _latex,
}


def render(estimates: Estimates, fmt: str) -> str:
    """Estimates as text in one of the `FORMATS`, ending in a line break."""
    if not len(estimates) and fmt != "json":
        return "" if fmt == "csv" else "No estimates.\n"
    return FORMATS[fmt](estimates)
