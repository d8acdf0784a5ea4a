"""What reporting guidelines ask for, answered from the results.

Items are named, not numbered: their numbers change between versions of a guideline.
"""

from __future__ import annotations

from collections.abc import Callable

from halfwidth.core.formatting import as_beginning
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import flag_of, spelled_both
from halfwidth.core.titles import metric_title
from halfwidth.document.parts import Column, Heading, Note, Part, Section, Table
from halfwidth.reports.paper import margins, methods_paragraph, missing_values, tests
from halfwidth.reports.results import Results
from halfwidth.reports.sentences import estimate_sentences, span
from halfwidth.results.estimate import MODEL
from halfwidth.results.ranking_words import listed

UNKNOWN = "not known from the results; to be stated by the authors."


@frozen
class Guideline:
    """A reporting guideline, and what of it the results can answer."""

    name: str
    source: str
    # What an item asks for, and what the results say.
    items: tuple[tuple[str, Callable[[Results], str]], ...]


def checklists(results: Results) -> Section | None:
    """A table for each guideline."""
    if not results.estimates:
        return None
    lead = "What these results can answer of each guideline; all other items are for the authors."
    parts: list[Part] = [Note(lead)]
    for guideline in GUIDELINES:
        rows = tuple((asked, answer(results)) for asked, answer in guideline.items)
        table = Table((Column("item"), Column("from these results")), rows)
        parts += [Heading(guideline.name), table, Note(guideline.source)]
    return Section("Reporting checklists", tuple(parts), folded=True)


def _measures(results: Results) -> str:
    named = [metric_title(metric) or "values" for metric in results.metrics]
    statistics = dict.fromkeys(e.statistic_title for e in results.estimates if e.statistic)
    reduced = (
        f", summarised over {results.units} by the {listed(list(statistics))}" if statistics else ""
    )
    return f"{as_beginning(', '.join(named))}{reduced}. Why these measures: {UNKNOWN}"


def _findings(results: Results) -> str:
    return " ".join([*estimate_sentences(results), "All are in the tables under Performance."])


def _size(results: Results) -> str:
    groups = {e.n_groups for e in results.estimates if e.n_groups is not None}
    clusters = f" in {span(groups)} clusters" if groups else ""
    cases = f"{span(e.n for e in results.estimates)} {results.units} per estimate"
    return f"{cases}{clusters}. How their number was determined: {UNKNOWN}"


def _missing(results: Results) -> str:
    said = missing_values(results)
    if not said:
        return "No value was missing."
    return f"{'. '.join(said)}. Why they are missing: {UNKNOWN}"


def _compared(results: Results) -> str:
    if not results.comparisons:
        ranked = "; models are ranked" if results.rankings_of_many else ""
        return f"No differences between models were estimated{ranked}."
    one = results.comparisons[0]
    paired = "the same cases" if one.paired else "different cases"
    number = len(results.comparisons)
    named = "1 difference" if number == 1 else f"{number} differences"
    sentences = [f"{named} on {paired}, with intervals", *tests(results), *margins(results)]
    return " ".join(f"{text}." for text in sentences)


def _dependence(results: Results) -> str:
    groups = {e.n_groups for e in results.estimates if e.n_groups is not None}
    if groups:
        return f"Cases come in clusters ({span(groups)} per estimate), which intervals allow for."
    return (
        f"All {results.units} count as independent. Where several come from one patient this does "
        f"not hold: name the patients ({spelled_both('groups')})."
    )


def _subgroups(results: Results) -> str:
    names = dict.fromkeys(name for e in results.estimates for name in e.by if name != MODEL)
    if names:
        return f"Apart by {listed(list(names))}."
    return f"None was estimated apart ({spelled_both('report.by')} does)."


def _protocol(results: Results) -> str:
    if results.protocol is None:
        return f"None was given ({flag_of('protocol')} FILE). Whether there is one: {UNKNOWN}"
    return f"{results.protocol.name}, SHA-256 {results.protocol.digest}."


GUIDELINES = (
    Guideline(
        "CLAIM 2024",
        "Checklist for Artificial Intelligence in Medical Imaging, update of 2024 (Tejani et al., "
        "Radiology: Artificial Intelligence).",
        (
            ("Metrics of model performance", _measures),
            ("Statistical measures of significance and uncertainty", methods_paragraph),
            ("Sample size", _size),
            ("Handling of missing data", _missing),
            ("Performance with its precision, such as 95 % confidence intervals", _findings),
        ),
    ),
    Guideline(
        "TRIPOD+AI",
        "Reporting of prediction models that use regression or machine learning (Collins et al., "
        "BMJ 2024).",
        (
            ("Measures used to evaluate and compare models", _measures),
            ("Performance estimates with confidence intervals", _findings),
            ("Performance in key subgroups", _subgroups),
            ("Comparison of models", _compared),
            ("Sample size", _size),
            ("Missing data", _missing),
            ("Protocol", _protocol),
        ),
    ),
    Guideline(
        "STARD-AI",
        "Reporting of diagnostic accuracy studies of artificial intelligence (Sounderajah et al., "
        "Nature Medicine 2025).",
        (
            (
                "Methods for estimating or comparing measures of diagnostic accuracy",
                methods_paragraph,
            ),
            ("Estimates of diagnostic accuracy and their precision", _findings),
            ("How missing data were handled", _missing),
            ("Intended sample size and how it was determined", _size),
        ),
    ),
    Guideline(
        "Metrics Reloaded",
        "Recommendations for image analysis validation (Maier-Hein, Reinke et al., Nature Methods "
        "2024).",
        (
            ("Metrics and their parameters", _measures),
            ("Aggregation and dependence of cases", _dependence),
            ("Values that are missing or invalid", _missing),
            ("Uncertainty of the results", methods_paragraph),
        ),
    ),
)
