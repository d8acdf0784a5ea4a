"""How models differ, and how sure their order is."""

from __future__ import annotations

from dataclasses import replace

from halfwidth.core.formatting import as_beginning
from halfwidth.core.forms import NO_EFFECT
from halfwidth.document.axes import axis_for
from halfwidth.document.parts import (
    Cell,
    Column,
    Document,
    Figure,
    Heading,
    Items,
    Kind,
    Part,
    Section,
    Table,
    flattened,
)
from halfwidth.report.whole.performance import (
    WHERE_DRAWN,
    add_drawn,
    drawn_numbers,
    drawn_text,
    in_common,
    pale_text,
)
from halfwidth.report.whole.results import Results
from halfwidth.results.comparison import Comparisons, Difference
from halfwidth.results.documents.comparison_tables import comparisons_table, one_pair
from halfwidth.results.documents.comparisons import comparisons_document
from halfwidth.results.documents.rankings import rankings_document


def differences(results: Results) -> Section | None:
    """Differences with their intervals on one axis, and what they allow to say."""
    comparisons = results.comparisons
    if comparisons is None or not (len(comparisons) or comparisons.goals):
        return None
    parts: list[Part] = []
    each = _on_one_axis(comparisons)
    for subject, some in each.items():
        table = _drawn(some)
        if len(each) > 1:
            parts.append(Heading(as_beginning(subject)))
            table = table.columns_at([p for p, one in enumerate(table.headings) if one != "of"])
        parts += in_common(table)
    said = comparisons_table(comparisons).headings if comparisons else []
    below = (part for part in _read(comparisons_document(comparisons)) if _is_new(part, said))
    return Section("Differences", (*parts, *below))


def _on_one_axis(comparisons: Comparisons) -> dict[str, Comparisons]:
    """Those of one subject together."""
    by_subject: dict[str, list[Difference]] = {}
    for item in comparisons:
        by_subject.setdefault(item.effect_of_subject, []).append(item)
    return {subject: Comparisons(tuple(some)) for subject, some in by_subject.items()}


def _drawn(comparisons: Comparisons) -> Table:
    """The table with the intervals drawn, beside no difference and the margins."""
    marks = [NO_EFFECT[comparisons[0].effect]]
    for item in comparisons:
        if item.verdict is not None and item.verdict.margin:
            marks += [item.verdict.margin, -item.verdict.margin]
    estimates = [item.estimate for item in comparisons]
    intervals = [drawn_numbers(e) for e in estimates]
    axis = axis_for(intervals, dict.fromkeys(marks), pale_text(estimates))
    table = _narrow(comparisons_table(comparisons), comparisons)
    if axis is None:
        return table
    cells = [
        Cell(f"{item.first} vs {item.second}: {drawn_text(item.estimate)}", numbers)
        for item, numbers in zip(comparisons, intervals, strict=True)
    ]
    return add_drawn(table, Column(WHERE_DRAWN, Kind.DRAWN, axis=axis), cells)


def _narrow(table: Table, comparisons: Comparisons) -> Table:
    """The table in few columns on a page; values are headed by their models where all share them.

    What is compared has the values of the models beneath it, the difference its intervals, and the
    verdict the cautions.
    """
    lead = table.columns[0].heading
    intervals = [one.heading for one in table.columns if one.kind is Kind.INTERVAL]
    beneath: dict[str, str] = dict.fromkeys(intervals, str(comparisons[0].effect))
    beneath |= dict.fromkeys(("models", "of", "first", "second", "n", "method"), lead)
    beneath.pop(lead, None)
    if "verdict" in table.headings:
        beneath["cautions"] = "verdict"
    table = table.stacked(beneath)
    if not one_pair(comparisons):
        return table
    names = {"first": comparisons[0].first, "second": comparisons[0].second}
    columns = (replace(one, heading=names.get(one.heading, one.heading)) for one in table.columns)
    return replace(table, columns=tuple(columns))


def _is_new(part: Part, said: list[str]) -> bool:
    """Whether a part is not said elsewhere in the report: not the table, not the cautions."""
    if isinstance(part, Table):
        return part.headings != said
    return not (isinstance(part, Items) and any(item.code for item in part.items))


def ranks(results: Results, figures: tuple[Figure, ...]) -> Section | None:
    """The order of the models with the ranks that each may have; of two the difference says it."""
    rankings = results.rankings
    if not rankings or not results.rankings_of_many:
        return None
    document = rankings_document(rankings)
    said = [part for part in _read(document) if not _holds_cautions(part)]
    return Section("Ranks", (*figures, *said))


def _holds_cautions(part: Part) -> bool:
    return isinstance(part, Items) and any(item.code for item in part.items)


def _read(document: Document) -> list[Part]:
    return list(flattened(document.parts, terminal=False))
