"""Reviews of published numbers as text: a table and paragraphs to paste."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from halfwidth.core.formatting import fixed, fixed_apart, percent
from halfwidth.io.writers import csv_text
from halfwidth.planning.published.comparisons import Comparison, comparison_summary
from halfwidth.planning.published.reviews import Review, Reviews
from halfwidth.planning.published.wording import correlation_text
from halfwidth.report import page, tables

# Stands for a blank where no line may break; of one column's width, and in no text.
HOLD = "\ue000"
PLAUSIBLE = "over plausible SDs"


@dataclass(frozen=True)
class LeadTable:
    """The lead of one review, or of several, as text."""

    title: str
    headings: list[str]
    rows: list[list[str]]

    @property
    def right(self) -> list[str]:
        """Headings of the columns that hold numbers."""
        words = ("label", "larger than noise", "of", "better", "higher", "other")
        return [name for name in self.headings if name not in words]


def render_reviews(reviews: Reviews, fmt: str) -> str:
    """Reviews as text in one of the `FORMATS`, ending in a line break."""
    return FORMATS[fmt](reviews)


def _table(reviews: Reviews) -> str:
    parts = [tables.render(reviews.estimates, "table")]
    for lead in _leads(reviews):
        breaking = ("label", PLAUSIBLE, "of", "better", "higher", "other")
        whole = [name for name in lead.headings if name not in breaking]
        shown = tables.text_table(lead.headings, lead.rows, right=lead.right, whole=whole)
        parts.append(f"{_wrapped(lead.title)}\n\n{shown}")
    parts += [f"{_wrapped(text)}\n" for text in _paragraphs(reviews)]
    return "\n".join(parts)


def _wrapped(text: str) -> str:
    from rich.console import Console
    from rich.text import Text

    # A number stays with its per cent.
    held = tables.printable(text).replace(" %", f"{HOLD}%")
    lines = Text(held).wrap(Console(width=page.width()), page.width())
    return "\n".join(line.plain.rstrip() for line in lines).replace(HOLD, " ")


def _markdown(reviews: Reviews) -> str:
    parts = [tables.render(reviews.estimates, "markdown")]
    for lead in _leads(reviews):
        cells = [lead.headings, ["---:" if n in lead.right else "---" for n in lead.headings]]
        cells += [[tables.markdown_text(cell) for cell in row] for row in lead.rows]
        rows = "".join(f"| {' | '.join(row)} |\n" for row in cells)
        parts.append(f"{tables.markdown_text(lead.title)}\n\n{rows}")
    parts += [f"{tables.markdown_text(text)}\n" for text in _paragraphs(reviews)]
    return "\n".join(parts)


def _latex(reviews: Reviews) -> str:
    parts = [tables.render(reviews.estimates, "latex")]
    for lead in _leads(reviews):
        columns = "".join("r" if name in lead.right else "l" for name in lead.headings)
        lines = [
            f"% {tables.printable(lead.title)}",
            f"\\begin{{tabular}}{{{columns}}}",
            "\\toprule",
            " & ".join(tables.latex_text(name) for name in lead.headings) + r" \\",
            "\\midrule",
            *(" & ".join(tables.latex_text(cell) for cell in row) + r" \\" for row in lead.rows),
            "\\bottomrule",
            "\\end{tabular}",
        ]
        parts.append("\n".join(lines) + "\n")
    parts += [f"{tables.latex_text(text)}\n" for text in _paragraphs(reviews)]
    return "\n".join(parts)


def _csv(reviews: Reviews) -> str:
    rows = [item.to_row() for item in reviews]
    return csv_text(list(rows[0]), (list(row.values()) for row in rows))


def _json(reviews: Reviews) -> str:
    return reviews.to_json() + "\n"


FORMATS: dict[str, Callable[[Reviews], str]] = {
    "table": _table,
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
    "latex": _latex,
}


def _paragraphs(reviews: Reviews) -> Iterator[str]:
    for item in reviews:
        yield item.paragraph()
    if reviews.comparisons:
        yield comparison_summary(reviews.comparisons, reviews[0].estimate.confidence_level)


# --------------------------------------------------------------------------- leads


def _leads(reviews: Reviews) -> Iterator[LeadTable]:
    """Every correlation for a single review, a row per review for several."""
    leading = [item for item in reviews if item.lead is not None]
    if len(reviews) == 1 and leading:
        yield _in_full(leading[0])
    elif leading:
        yield _in_short(leading)
    if reviews.comparisons:
        yield _of_rows(reviews.comparisons)


def _in_full(review: Review) -> LeadTable:
    lead = review.lead
    assert lead is not None  # noqa: S101 -- asked for leads only
    level = percent(review.estimate.confidence_level)
    places = lead.decimals
    guessed = review.approximate
    rows = []
    for row in lead.rows:
        low, high = fixed_apart(row.low, places), fixed_apart(row.high, places)
        half = fixed(row.halfwidth, places)
        cells = [f"{row.correlation:.2f}", f"{low} to {high}", half]
        if guessed:
            ends = [fixed(end, places) for end in (row.halfwidth_low, row.halfwidth_high)]
            cells.append(" to ".join(ends))
        rows.append([*cells, row.larger])
    headings = ["correlation", f"{level} CI of the difference", "half-width"]
    headings += [PLAUSIBLE] * guessed + ["larger than noise"]
    value, versus = fixed(lead.value, places), fixed(lead.versus, places)
    title = (
        f"Difference {fixed(lead.difference, places)} ({value} against {versus}) by the "
        f"correlation of the {lead.of}"
    )
    return LeadTable(title, headings, rows)


def _in_short(leading: Sequence[Review]) -> LeadTable:
    rows = []
    for item in leading:
        lead = item.lead
        assert lead is not None  # noqa: S101 -- asked for leads only
        places = lead.decimals
        rows.append(
            [
                tables.printable(item.claim.label),
                fixed(lead.versus, places),
                fixed(lead.difference, places),
                _needed_cell(lead.needed),
            ]
        )
    title = "Leads over another model on the same cases, and the correlation that they need"
    return LeadTable(title, ["label", "versus", "difference", "needed"], rows)


def _of_rows(comparisons: Sequence[Comparison]) -> LeadTable:
    """Rows of the table against each other."""
    several = len({(one.part, one.subject, one.n) for one in comparisons}) > 1
    rows = []
    for one in comparisons:
        lead = one.lead
        ends = lead.rows[0]
        interval = " to ".join(fixed_apart(end, lead.decimals) for end in (ends.low, ends.high))
        about = ", ".join(part for part in (one.part, one.subject) if part)
        cells = [tables.printable(name) for name in (about, one.first, one.second)][not several :]
        cells += [fixed_apart(lead.difference, lead.decimals), interval]
        rows.append([*cells, _needed_cell(lead.needed), _needed_cell(one.jointly.needed)])
    known = all(one.lead.ahead is not None or not one.lead.difference for one in comparisons)
    headings = ["of"] * several + [
        "better" if known else "higher",
        "other",
        "difference",
        "CI if uncorrelated",
    ]
    title = (
        "Rows against each other on the same cases: the correlation that a difference needs to be "
        "larger than noise, and the one that it needs where every pair counts (of all)"
    )
    return LeadTable(title, [*headings, "needed", "of all"], rows)


def _needed_cell(needed: float) -> str:
    if not math.isfinite(needed):
        return "any" if needed < 0 else "none will do"
    return "0" if needed <= 0 else correlation_text(needed)
