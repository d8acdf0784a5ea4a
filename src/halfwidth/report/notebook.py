"""Results as a notebook shows them: the tables of the report with what belongs to them."""

from __future__ import annotations

from collections.abc import Iterable

from halfwidth.core.comparison import Comparisons
from halfwidth.core.estimates import Estimates
from halfwidth.core.ranking import Rankings
from halfwidth.report.document import Document, Item, Items, Note, Part
from halfwidth.report.html.page import render_fragment
from halfwidth.report.rankings import rankings_document
from halfwidth.report.whole.comparing import differences
from halfwidth.report.whole.performance import tables_of
from halfwidth.report.whole.results import Results

Shown = Estimates | Comparisons | Rankings


def notebook_html(results: Shown) -> str:
    """A part of a page, with a style of its own and no script."""
    parts = [*_parts(results), *(Note(text) for text in results.notes)]
    return render_fragment(Document(tuple(parts)))


def _parts(results: Shown) -> Iterable[Part]:
    if isinstance(results, Rankings):
        return rankings_document(results).parts
    cautions = Items(tuple(Item(code, text, code) for code, text in results.caution_lines()))
    if isinstance(results, Comparisons):
        section = differences(Results(title="", comparisons=results))
        found = section.parts if section is not None else (Note("No comparisons."),)
    else:
        found = tuple(tables_of(results)) or (Note("No estimates."),)
    return (*found, cautions)
