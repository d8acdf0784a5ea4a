"""Reviews of published numbers as a document: intervals, leads and paragraphs to paste."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from halfwidth.core.formatting import fixed, fixed_apart, percent
from halfwidth.document.parts import Data, Document, Heading, Kind, Paragraph, Part, Table
from halfwidth.planning.published.comparisons import Comparison, comparison_summary
from halfwidth.planning.published.leads import Lead
from halfwidth.planning.published.reviews import Review, Reviews
from halfwidth.planning.published.wording import (
    correlation_text,
    review_conditions,
    review_findings,
)
from halfwidth.results.documents.estimates import estimates_document

PLAUSIBLE = "over plausible SDs"
KINDS = {
    **dict.fromkeys(("label", "of", "better", "higher", "other"), Kind.TEXT),
    "larger than noise": Kind.NAME,
}


def reviews_document(reviews: Reviews) -> Document:
    """Intervals, leads over other models, and a paragraph for each review."""
    intervals = estimates_document(reviews.estimates)
    data = Data(reviews.to_dict, lambda: [item.to_row() for item in reviews])
    return Document((*intervals.parts, *_leads(reviews), *_paragraphs(reviews)), data)


def _paragraphs(reviews: Reviews) -> Iterator[Paragraph]:
    """The findings, and once what all that assume the same have in common."""
    alike: dict[str, list[str]] = {}
    for item in reviews:
        alike.setdefault(review_conditions(item), []).append(review_findings(item))
    for conditions, findings in alike.items():
        yield Paragraph(" ".join([*findings, conditions]))
    if reviews.comparisons:
        level = reviews[0].estimate.confidence_level
        yield Paragraph(comparison_summary(reviews.comparisons, level))


# --------------------------------------------------------------------------- leads


def _leads(reviews: Reviews) -> Iterator[Part]:
    """Every correlation for a single review, a row per review for several."""
    leading = [(item, item.lead) for item in reviews if item.lead is not None]
    if len(reviews) == 1 and leading:
        yield from _in_full(*leading[0])
    elif leading:
        yield from _in_short(leading)
    if reviews.comparisons:
        yield from _compared_rows(reviews.comparisons)


def _in_full(review: Review, lead: Lead) -> tuple[Part, ...]:
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
    return Heading(title), Table.from_rows(headings, rows, kinds=KINDS)


def _in_short(leading: Sequence[tuple[Review, Lead]]) -> tuple[Part, ...]:
    rows = [
        (
            item.claim.label,
            fixed(lead.versus, lead.decimals),
            fixed(lead.difference, lead.decimals),
            _needed_cell(lead.needed),
        )
        for item, lead in leading
    ]
    title = "Leads over another model on the same cases, and the correlation that they need"
    headings = ["label", "versus", "difference", "needed"]
    return Heading(title), Table.from_rows(headings, rows, kinds=KINDS)


def _compared_rows(comparisons: Sequence[Comparison]) -> tuple[Part, ...]:
    """Rows of the table against each other."""
    several = len({(one.part, one.subject, one.n) for one in comparisons}) > 1
    rows = []
    for one in comparisons:
        lead = one.lead
        ends = lead.rows[0]
        interval = " to ".join(fixed_apart(end, lead.decimals) for end in (ends.low, ends.high))
        about = ", ".join(part for part in (one.part, one.subject) if part)
        cells = [about, one.first, one.second][not several :]
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
    return Heading(title), Table.from_rows([*headings, "needed", "of all"], rows, kinds=KINDS)


def _needed_cell(needed: float) -> str:
    if not math.isfinite(needed):
        return "any" if needed < 0 else "none will do"
    return "0" if needed <= 0 else correlation_text(needed)
