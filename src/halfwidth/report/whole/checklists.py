"""What reporting guidelines ask for, answered from the results.

Items are named, not numbered: their numbers change between versions of a guideline.
"""

from __future__ import annotations

from collections.abc import Callable

from halfwidth.core.estimate import metric_title
from halfwidth.core.frozen import frozen
from halfwidth.report.document import Column, Heading, Note, Part, Section, Table
from halfwidth.report.whole.paper import POLICIES, methods_paragraph, results_paragraph
from halfwidth.report.whole.results import MODEL, Results

UNKNOWN = "Not known from the results: say it."


@frozen
class Guideline:
    """A reporting guideline, and what of it the results can answer.

    Attributes
    ----------
    name, source : str
    items : tuple of (str, callable)
        What an item asks for, and what the results say.
    """

    name: str
    source: str
    items: tuple[tuple[str, Callable[[Results], str]], ...]


def checklists(results: Results) -> Section | None:
    """A table for each guideline."""
    if not results.estimates:
        return None
    parts: list[Part] = [Note("Items that results of a test set can answer; the others are yours.")]
    for guideline in GUIDELINES:
        rows = tuple((asked, answer(results)) for asked, answer in guideline.items)
        table = Table((Column("item"), Column("from these results")), rows)
        parts += [Heading(guideline.name), table, Note(guideline.source)]
    return Section("Reporting checklists", tuple(parts), folded=True)


def _measures(results: Results) -> str:
    named = [metric_title(metric) or "values" for metric in results.metrics]
    statistics = dict.fromkeys(e.statistic_title for e in results.estimates if e.statistic)
    reduced = f", summarised as {', '.join(statistics)}" if statistics else ""
    return f"{', '.join(named)}{reduced}."


def _uncertainty(results: Results) -> str:
    return methods_paragraph(results)


def _found(results: Results) -> str:
    found = results_paragraph(results)
    return found or f"{len(results.estimates)} estimates with intervals: see Performance."


def _size(results: Results) -> str:
    cases = sorted({e.n for e in results.estimates})
    span = f"{cases[0]}" if len(cases) == 1 else f"{cases[0]} to {cases[-1]}"
    groups = {e.n_groups for e in results.estimates if e.n_groups is not None}
    clusters = f" in {', '.join(map(str, sorted(groups)))} clusters" if groups else ""
    return f"{span} cases{clusters}. How their number was determined: {UNKNOWN.lower()}"


def _missing(results: Results) -> str:
    lacking = [e for e in results.estimates if e.n_missing]
    if not lacking:
        return "No value was missing."
    most = max(e.n_missing for e in lacking)
    policies = ", ".join(POLICIES.get(one, one) for one in {e.missing: None for e in lacking})
    return (
        f"Up to {most} values of a row were missing: {policies}. Why they are missing: "
        f"{UNKNOWN.lower()}"
    )


def _compared(results: Results) -> str:
    if not results.comparisons:
        return "No models were compared."
    one = results.comparisons[0]
    paired = "the same cases" if one.paired else "different cases"
    margins = {c.verdict.margin for c in results.comparisons if c.verdict and c.verdict.margin}
    margin = f" Margin: {', '.join(f'{m:g}' for m in sorted(margins))}." if margins else ""
    return f"{len(results.comparisons)} differences on {paired}, with intervals.{margin}"


def _dependence(results: Results) -> str:
    designs = {e.design for e in results.estimates} - {"iid"}
    if designs:
        named = ", ".join(sorted(designs))
        return f"Cases were resampled or counted as they belong together: {named}."
    return (
        "All cases count as independent. If several come from one patient, name the patients "
        "(groups=, --groups)."
    )


def _subgroups(results: Results) -> str:
    names = dict.fromkeys(name for e in results.estimates for name in e.by if name != MODEL)
    return f"Apart by {', '.join(names)}." if names else "No subgroups."


def _protocol(results: Results) -> str:
    if results.protocol is None:
        return f"No protocol was named (--protocol FILE). {UNKNOWN}"
    return f"{results.protocol.name}, SHA-256 {results.protocol.digest}."


GUIDELINES = (
    Guideline(
        "CLAIM 2024",
        "Checklist for Artificial Intelligence in Medical Imaging, update of 2024 (Tejani et al., "
        "Radiology: Artificial Intelligence).",
        (
            ("Metrics of model performance", _measures),
            ("Statistical measures of significance and uncertainty", _uncertainty),
            ("Sample size", _size),
            ("Handling of missing data", _missing),
            ("Performance with its precision, such as 95 % confidence intervals", _found),
        ),
    ),
    Guideline(
        "TRIPOD+AI",
        "Reporting of prediction models that use regression or machine learning (Collins et al., "
        "BMJ 2024).",
        (
            ("Measures used to evaluate and compare models", _measures),
            ("Performance estimates with confidence intervals", _found),
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
            ("Methods for estimating or comparing measures of diagnostic accuracy", _uncertainty),
            ("Estimates of diagnostic accuracy and their precision", _found),
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
            ("Uncertainty of the results", _uncertainty),
        ),
    ),
)
