"""Estimates as text: a table for the terminal, JSON, CSV, Markdown and LaTeX."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from halfwidth.core import errors
from halfwidth.core.estimate import Estimate
from halfwidth.core.estimate_of_runs import RunsEstimate
from halfwidth.core.estimates import Estimates
from halfwidth.core.formatting import fixed, percent
from halfwidth.io.writers import csv_text
from halfwidth.report import page

# What has more letters without a space, a hyphen or an underscore is no word: it may be broken,
# into parts of that many.
LONGEST_WORD, PART_OF_WORD = 24, 16
# Between two columns.
GAP = 2
RIGHT = ("n", "runs", "clusters", "value", "half-width", "width/IDR")
# A word may end a line here, with a hyphen, which is not seen anywhere else.
SOFT_HYPHEN = "\xad"
# A heading that is longer than its numbers takes two lines.
_HEADING_BREAKS = {
    "half-width": "half-\nwidth",
    "clusters": "clus-\nters",
    "width/IDR": "width/\nIDR",
    # Where there is no room for the whole word.
    "cautions": f"cau{SOFT_HYPHEN}tions",
}


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
    statistic: str = ""
    relative_width: str = ""


def _row(estimate: Estimate) -> Row:
    e = estimate
    low, high = e.text_of(e.low), e.text_of(e.high)
    interval = {"two-sided": f"{low} to {high}", "lower": f"≥ {low}", "upper": f"≤ {high}"}
    undefined = e.low != e.low or e.high != e.high
    unit = e.metric_spec.unit
    return Row(
        label=printable(e.label),
        subject=printable(e.subject + (f" [{unit}]" if unit else "")),
        n=str(e.n),
        clusters="" if e.n_groups is None else str(e.n_groups),
        value=e.text_of(e.value),
        interval="none" if undefined else interval[e.alternative],
        halfwidth=fixed(e.halfwidth, e.decimals) if e.halfwidth == e.halfwidth else "",
        method=_method(e),
        cautions=" ".join(dict.fromkeys(caution.code for caution in e.cautions)),
        statistic=e.statistic_title,
        relative_width=_relative_width(e),
    )


def _method(estimate: Estimate) -> str:
    """The name of the method, or its title where the design makes another one of it."""
    e = estimate
    return e.method if e.method_title == e.method_spec.title else e.method_title


def _relative_width(estimate: Estimate) -> str:
    """The width of an interval over runs by their interdecile range; empty for any other."""
    width = estimate.relative_width if isinstance(estimate, RunsEstimate) else math.nan
    return "" if math.isnan(width) else f"{width:.2f}"


def printable(text: str) -> str:
    """Without line breaks and escape codes, which a table's labels may hold by accident or not."""
    return " ".join(errors.printable(text).splitlines()).replace("\t", " ")


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


def _columns_of_runs(columns: dict[str, Callable[[Row], str]]) -> dict[str, Callable[[Row], str]]:
    """Half-widths give way to what compares sources: widths by the spread of their runs."""
    made: dict[str, Callable[[Row], str]] = {}
    for name, cell in columns.items():
        if name == "statistic":
            made[name] = lambda row: row.statistic
        elif name == "half-width":
            made["width/IDR"] = lambda row: row.relative_width
        else:
            made["runs" if name == "n" else name] = cell
    return made


def text_table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[str] = (),
    whole: Sequence[str] = (),
) -> str:
    """A plain table that fits the page: ``right``-aligned columns, ``whole`` ones not wrapped.

    Cells are text: nothing in them is read as markup. They wrap between words. Where the terminal
    is narrower than the table can be, each row is a list of its cells instead.
    """
    import io

    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    widths = _widths(headings, rows, whole)
    needed = sum(widths) + GAP * (len(widths) - 1)
    if needed > page.most():
        return _records(headings, rows)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for heading, width in zip(headings, widths, strict=True):
        shown = _HEADING_BREAKS.get(heading, heading)
        table.add_column(
            Text("\n".join(_wrapped(shown, width))),
            justify="right" if heading in right else "left",
            no_wrap=True,
            width=width,
        )
    for row in rows:
        cells = zip(row, widths, strict=True)
        table.add_row(*(Text("\n".join(_wrapped(cell, width))) for cell, width in cells))
    stream = io.StringIO()
    # What cannot be narrowed to the page is not cut either.
    paper = max(page.width(), needed + GAP)
    Console(file=stream, width=paper, color_system=None, legacy_windows=False).print(table)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


def _records(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Each row as lines of a heading and its cell; empty cells are left out."""
    from rich.cells import cell_len, set_cell_size

    indent = max(map(cell_len, headings)) + GAP
    room = max(page.width() - indent, PART_OF_WORD)
    blocks = []
    for row in rows:
        lines = []
        for heading, cell in zip(headings, row, strict=True):
            starts = [set_cell_size(heading, indent), *[" " * indent] * len(cell)]
            shown = _wrapped(cell, room) if cell else []
            lines += [f"{start}{line}\n" for start, line in zip(starts, shown, strict=False)]
        blocks.append("".join(lines))
    return "\n".join(blocks)


def _pieces(text: str) -> list[str]:
    """What a line may end between: words, and their parts at hyphens and underscores.

    >>> _pieces("Submandibular-Lt of model_a, -0.5")
    ['Submandibular-', 'Lt ', 'of ', 'model_', 'a, ', '-0.5']
    """
    from rich.cells import cell_len

    found = []
    for piece in re.split(r"(?<=\w-)(?=\w)|(?<=[_\xad])(?=[^_])|(?<= )(?=[^ ])", text):
        if len(piece) < cell_len(piece):
            # Scripts with wide letters put no spaces between words.
            found += list(piece)
        elif len(piece.rstrip()) > LONGEST_WORD:
            found += textwrap.wrap(piece, PART_OF_WORD, drop_whitespace=False)
        else:
            found.append(piece)
    return found


def _wrapped(text: str, width: int) -> list[str]:
    """The lines of a cell."""
    lines = []
    for paragraph in text.split("\n"):
        line = ""
        for piece in _pieces(paragraph):
            if line and _length(line + piece) > width:
                lines.append(_ended(line))
                line = ""
            line += piece
        lines.append(_ended(line))
    return lines


def _ended(line: str) -> str:
    """A line as it is shown."""
    hyphen = "-" if line.endswith(SOFT_HYPHEN) else ""
    return line.replace(SOFT_HYPHEN, "").rstrip() + hyphen


def _length(line: str) -> int:
    """Columns that a line takes."""
    from rich.cells import cell_len

    return cell_len(_ended(line))


def _widths(
    headings: Sequence[str], rows: Sequence[Sequence[str]], whole: Sequence[str]
) -> list[int]:
    """Of the columns: as wide as their cells, as long as all of them fit the page.

    Else those give way that make the table least longer, down to their longest piece (see
    `_pieces`); ``whole`` ones never do.
    """
    from rich.cells import cell_len

    shown = [_HEADING_BREAKS.get(heading, heading).split("\n") for heading in headings]
    cells = [[cell_len(row[place]) for row in rows] for place in range(len(headings))]
    widths = [
        max([*map(_length, heading), *column]) for heading, column in zip(shown, cells, strict=True)
    ]
    loose = [place for place, heading in enumerate(headings) if heading not in whole]
    least = {
        place: max(
            _length(piece)
            for text in [*shown[place], *(row[place] for row in rows)]
            for piece in _pieces(text)
        )
        for place in loose
    }
    while sum(widths) + GAP * (len(widths) - 1) > page.width():
        able = [place for place in loose if widths[place] > least[place]]
        if not able:
            break
        widths[min(able, key=lambda place: _lines(cells, widths, place))] -= 1
    return widths


def _lines(cells: Sequence[Sequence[int]], widths: Sequence[int], narrowed: int) -> tuple[int, int]:
    """About how many lines a table has once a column is narrower by one; the widest first."""
    tried = [width - (place == narrowed) for place, width in enumerate(widths)]
    rows = zip(*cells, strict=True)
    lines = sum(max(-(-n // w) for n, w in zip(row, tried, strict=True)) for row in rows)
    return lines, -widths[narrowed]


def _table(estimates: Estimates) -> str:
    columns = _columns(estimates)
    rows = [_row(estimate) for estimate in estimates]
    common = _common_subject(rows)
    if common:
        columns.pop("statistic")
    of_runs = {e.of_what for e in estimates if isinstance(e, RunsEstimate)}
    if len(of_runs) == 1:
        # What the rows have in common leaves room for the rest.
        common = common or f"quantiles {of_runs.pop()}"
        columns = _columns_of_runs(columns)
    cells = [[cell(row) for cell in columns.values()] for row in rows]
    numbers = [name for name in columns if name not in ("label", "statistic", "method", "cautions")]
    text = text_table(list(columns), cells, right=RIGHT, whole=numbers)
    heading = f"{common[:1].upper()}{common[1:]}\n\n" if common else ""
    said = [_readings(estimates), _choices(estimates), _cautions(estimates), _footer(estimates)]
    parts = [heading + text, *said]
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

    lines = textwrap.wrap("Cautions ('halfwidth explain CODE' says more)", page.width())
    for code, text in found:
        # Not textwrap, which takes every letter to be one column wide.
        wrapped = Text(printable(text)).wrap(Console(width=page.width()), page.width() - 8)
        starts = [f" {code}  ", *[" " * 8] * (len(wrapped) - 1)]
        lines += [f"{s}{w.plain}".rstrip() for s, w in zip(starts, wrapped, strict=True)]
    return "\n".join(lines) + "\n"


def _readings(estimates: Estimates) -> str:
    """What the quantiles of the first source say."""
    first = [e for e in estimates if e.label == estimates[0].label]
    said = [e.reading() for e in first if isinstance(e, RunsEstimate)]
    of = f" ({printable(estimates[0].label)})" if estimates[0].label else ""
    lines = [f"  {printable(line)}\n" for line in said if line]
    return "".join([f"Read{of}:\n", *lines]) if lines else ""


def _choices(estimates: Estimates) -> str:
    lines = [
        f"{textwrap.fill(line, page.width(), initial_indent='  ', subsequent_indent='    ')}\n"
        for line in _choice_lines(estimates)
    ]
    return "".join(["Drawn among, with probability:\n", *lines]) if lines else ""


def _choice_lines(estimates: Estimates) -> list[str]:
    """The intervals among which a randomized method drew, a line for each estimate."""
    lines = []
    for e in estimates:
        choices = e.choices if isinstance(e, RunsEstimate) else ()
        drawn = " or ".join(
            f"{e.text_of(one.low)} to {e.text_of(one.high)}, "
            f"ranks {one.k} and {one.l} ({one.probability:.4f})"
            for one in choices
        )
        about = ", ".join(part for part in (printable(e.label), e.statistic_title) if part)
        lines += [f"{about}: {drawn}"] * bool(choices)
    return lines


def _footer(estimates: Estimates) -> str:
    seeds = {e.seed for e in estimates if e.seed is not None}
    if not seeds:
        return ""
    resamples = max(e.n_resamples or 0 for e in estimates)
    drawn = f", {resamples} resamples" if resamples else ""
    return f"Seed {seeds.pop()}{drawn}.\n"


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
    said = [f"drawn among {markdown_text(line)}" for line in _choice_lines(estimates)]
    said += [f"{code} {markdown_text(text)}" for code, text in estimates.caution_lines()]
    lines += [""] * bool(said) + [f"- {line}" for line in said]
    return "\n".join(lines) + "\n"


def markdown_text(text: str) -> str:
    """Text that Markdown shows as it is."""
    return re.sub(r"([\\`*_{}\[\]<>|#~])", r"\\\1", printable(text))


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
    lines += [f"% drawn among {line}" for line in _choice_lines(estimates)]
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
    return "".join(_TEX.get(letter, letter) for letter in printable(text))


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
