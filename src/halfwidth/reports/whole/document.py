"""The report as a document, section by section."""

from __future__ import annotations

from functools import partial

from halfwidth.document.parts import Data, Document, Part, Section
from halfwidth.reports.whole.appendix import appendix, software
from halfwidth.reports.whole.cautions import cautions, explanations
from halfwidth.reports.whole.checklists import checklists
from halfwidth.reports.whole.comparing import differences, ranks
from halfwidth.reports.whole.paper import for_the_paper
from halfwidth.reports.whole.performance import in_brief, performance
from halfwidth.reports.whole.pictures import figures_of_cases, figures_of_ranks
from halfwidth.reports.whole.results import Results
from halfwidth.reports.whole.trust import trust
from halfwidth.results.curves import curves_figure


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
        _cases(shown),
    )
    parts: list[Part] = [section for section in sections if section is not None]
    return Document(tuple(parts), _data(results), results.title)


def _cases(results: Results) -> Section | None:
    """Ids and values, for those who asked for them."""
    return Section("The cases", results.cases, folded=True) if results.cases else None


def _data(results: Results) -> Data:
    """The JSON contracts of all results in one object."""
    # No function within this one: a report can be pickled.
    return Data(partial(_values, results), results.estimates.to_rows)


def _values(results: Results) -> dict[str, object]:
    whole: dict[str, object] = dict(results.estimates.to_dict())
    for one in (results.comparisons, results.rankings):
        whole |= one.to_dict() if one is not None else {}
    return whole | {"provenance": _provenance(results)}


def _provenance(results: Results) -> dict[str, object]:
    protocol = results.protocol
    return {
        "software": software(),
        "command": results.command or None,
        "inputs": [one.to_dict() for one in results.sources],
        "protocol": None if protocol is None else protocol.to_dict(),
    }
