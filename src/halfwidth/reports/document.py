"""The report as a document, section by section."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from halfwidth.core.references import cite
from halfwidth.document.parts import (
    Data,
    Document,
    Figure,
    Item,
    Items,
    Note,
    Paragraph,
    Part,
    Section,
    Table,
    flattened,
)
from halfwidth.plots.of_results import figure_of
from halfwidth.reports.appendix import appendix, software
from halfwidth.reports.checklists import checklists
from halfwidth.reports.paper import for_the_paper
from halfwidth.reports.results import Results
from halfwidth.reports.sentences import estimate_sentences, verdict_sentences
from halfwidth.reports.trust import trust
from halfwidth.results.curves import curves_figure
from halfwidth.results.documents.comparison_tables import comparisons_table
from halfwidth.results.documents.comparison_tables import drawn_tables as drawn_differences
from halfwidth.results.documents.comparisons import comparisons_document
from halfwidth.results.documents.estimates import drawn_tables, pale_text
from halfwidth.results.documents.rankings import rankings_document
from halfwidth.results.estimate import Cases, Estimates
from halfwidth.results.ranking import Rankings


def report_document(results: Results, *, with_figures: bool) -> Document:
    """What there is to say of some results: cautions first, provenance at the end."""
    case_figures = tuple(figures_of_cases(results)) if with_figures else ()
    curve_figures = tuple(map(curves_figure, results.curves)) if with_figures else ()
    rank_figures = figures_of_ranks(results.rankings) if with_figures else ()
    shown = results.without_common_label()
    sections = (
        cautions(shown),
        in_brief(shown),
        performance(shown),
        Section("The values behind the estimates", case_figures) if case_figures else None,
        Section("Curves", curve_figures) if curve_figures else None,
        differences(shown),
        ranks(shown, rank_figures),
        trust(shown),
        for_the_paper(shown),
        checklists(shown),
        appendix(shown),
        explanations(shown),
        Section("The cases", shown.cases, folded=True) if shown.cases else None,
    )
    parts: list[Part] = [section for section in sections if section is not None]
    # No function within this one: a report can be pickled.
    data = Data(partial(_values, results), results.estimates.to_rows)
    return Document(tuple(parts), data, results.title)


def _values(results: Results) -> dict[str, object]:
    """The JSON contracts of all results in one object."""
    whole: dict[str, object] = dict(results.estimates.to_dict())
    for one in (results.comparisons, results.rankings):
        whole |= one.to_dict() if one is not None else {}
    protocol = results.protocol
    provenance = {
        "software": software(),
        "command": results.command or None,
        "inputs": [one.to_dict() for one in results.sources],
        "protocol": None if protocol is None else protocol.to_dict(),
    }
    return whole | {"provenance": provenance}


def cautions(results: Results) -> Section:
    """Each caution once, with what to do about it."""
    if not results.caution_lines:
        return Section("Cautions", (Paragraph("None was raised."),), "cautions")
    remedies = {caution.code: caution.remedy for caution in results.cautions}
    items = tuple(Item(code, text, code, remedies[code]) for code, text in results.caution_lines)
    return Section("Cautions", (Items(items),), "cautions")


def explanations(results: Results) -> Section | None:
    """What each code means, where its links lead."""
    sections = []
    for caution in results.cautions:
        spec = caution.spec
        source = (Note(str(cite(spec.source))),) if spec.source else ()
        sections.append(
            Section(
                f"{spec.code} {spec.title}",
                (Paragraph(spec.meaning), Paragraph(spec.remedy), *source),
                spec.code.lower(),
            )
        )
    if not sections:
        return None
    where = Note(
        "The documentation has the same under Cautions; in a shell: halfwidth explain "
        f"{results.cautions[0].code}."
    )
    return Section("What the cautions mean", (where, *sections), "caution-meanings", folded=True)


def in_brief(results: Results) -> Section:
    """What a reader who stops after the first lines should know."""
    texts = [*estimate_sentences(results), *results.ranking_sentences]
    if not results.rankings_of_many:
        texts += verdict_sentences(results.comparisons or ())
    texts += [goal.sentence for goal in results.goals]
    return Section("In brief", (*map(Paragraph, texts), *map(Note, results.notes)))


def performance(results: Results) -> Section | None:
    """A table for each metric and task; intervals of one metric are drawn on one axis."""
    if not results.estimates:
        return None
    return Section("Performance", drawn_tables(results.estimates))


def differences(results: Results) -> Section | None:
    """Differences with their intervals on one axis, and what they allow to say."""
    comparisons = results.comparisons
    if comparisons is None or not (len(comparisons) or comparisons.goals):
        return None
    said = comparisons_table(comparisons).headings if comparisons else []
    # Neither the table again nor the cautions.
    below = [
        part
        for part in _without_cautions(comparisons_document(comparisons))
        if not (isinstance(part, Table) and part.headings == said)
    ]
    return Section("Differences", (*drawn_differences(comparisons), *below))


def ranks(results: Results, figures: tuple[Figure, ...]) -> Section | None:
    """The order of the models with the ranks that each may have; of two the difference says it."""
    rankings = results.rankings
    if not rankings or not results.rankings_of_many:
        return None
    return Section("Ranks", (*figures, *_without_cautions(rankings_document(rankings))))


def _without_cautions(document: Document) -> Iterator[Part]:
    for part in flattened(document.parts, terminal=False):
        if not (isinstance(part, Items) and any(item.code for item in part.items)):
            yield part


# --------------------------------------------------------------------------- pictures


def figures_of_cases(results: Results) -> Iterator[Figure]:
    """A figure of the values of each family, in dots, so that none can be read out of the page."""
    numbers: dict[Any, int] = {}
    for family in results.estimates.families:
        known = {cases.label: cases for cases in family.cases if cases is not None}
        if not results.cases:
            known = {label: _numbered(cases, numbers) for label, cases in known.items()}
        about = f"{family.task}: " if family.task else ""
        caption = f"{about}{family.metric or 'values'} of each case, with estimates and intervals"
        if pale := pale_text(family.estimates):
            caption += f"; {pale}"
        if known:
            shown = Estimates(
                tuple(e for e in family.estimates if e.label in known), cases=tuple(known.values())
            )
            yield Figure("distribution", caption, shown, pictures=shown.pictures)


def _numbered(cases: Cases, numbers: dict[Any, int]) -> Cases:
    """Cases whose clusters have numbers, the same in all figures: their names may be patients."""
    if cases.groups is None:
        return cases
    places = [numbers.setdefault(name, len(numbers) + 1) for name in cases.groups]
    return replace(cases, groups=tuple(f"cluster {place}" for place in places))


def figures_of_ranks(rankings: Rankings | None) -> tuple[Figure, ...]:
    """The sets of ranks of each ranking."""
    if not rankings:
        return ()
    return (Figure("rank-sets", figure_of(rankings).caption, rankings, pictures=rankings.pictures),)
