"""Reasons to doubt the results: first in plain words, and at the end in full."""

from __future__ import annotations

from halfwidth.core.references import cite
from halfwidth.document.parts import Item, Items, Note, Paragraph, Section
from halfwidth.reports.whole.results import Results


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
