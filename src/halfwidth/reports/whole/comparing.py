"""How models differ, and how sure their order is."""

from __future__ import annotations

from halfwidth.document.parts import Document, Figure, Items, Part, Section, Table, flattened
from halfwidth.reports.whole.results import Results
from halfwidth.results.documents.comparison_tables import comparisons_table, drawn_tables
from halfwidth.results.documents.comparisons import comparisons_document
from halfwidth.results.documents.rankings import rankings_document


def differences(results: Results) -> Section | None:
    """Differences with their intervals on one axis, and what they allow to say."""
    comparisons = results.comparisons
    if comparisons is None or not (len(comparisons) or comparisons.goals):
        return None
    said = comparisons_table(comparisons).headings if comparisons else []
    below = (part for part in _read(comparisons_document(comparisons)) if _is_new(part, said))
    return Section("Differences", (*drawn_tables(comparisons), *below))


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
