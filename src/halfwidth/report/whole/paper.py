"""What a paper takes over: a paragraph, and the table in LaTeX."""

from __future__ import annotations

from collections.abc import Iterable

from halfwidth.core.estimate import Estimate
from halfwidth.core.formatting import percent
from halfwidth.core.references import cite
from halfwidth.core.undefined import MISSING_POLICIES
from halfwidth.report.comparison_tables import comparisons_table
from halfwidth.report.document import Document, Excerpt, Heading, Kind, Part, Section, Table
from halfwidth.report.estimates import estimates_table
from halfwidth.report.render.latex import render_latex
from halfwidth.report.whole.results import MOST_SENTENCES, Results

# What each policy is in a sentence.
POLICIES: dict[str, str] = dict(
    zip(
        MISSING_POLICIES,
        ("none was allowed", "they were left out", "they count as the worst value"),
        strict=True,
    )
)


def for_the_paper(results: Results) -> Section:
    """A paragraph of methods and results to copy, and the tables."""
    parts: list[Part] = [Heading("Methods"), Excerpt(methods_paragraph(results))]
    found = results_paragraph(results)
    parts += [Heading("Results"), Excerpt(found)] if found else []
    tables = _tables(results)
    if tables:
        parts += [Heading("Tables in LaTeX"), Excerpt(render_latex(Document(tables)), "latex")]
    return Section("For the paper", tuple(parts))


def methods_paragraph(results: Results) -> str:
    """How the intervals were made: methods with their sources, units, seed, program."""
    from halfwidth import __version__

    estimates = list(results.every_estimate)
    texts = [f"Intervals were computed with halfwidth {__version__}"]
    levels = sorted({percent(e.confidence_level) for e in estimates})
    methods = dict.fromkeys(_method(e) for e in estimates)
    if methods:
        texts[0] += f" at the {' and '.join(levels)} level: {'; '.join(methods)}"
    designs = {e.design for e in estimates} - {"iid", "paired"}
    if designs:
        texts.append(f"Cases were resampled or counted as they belong together ({_list(designs)})")
    drawn = [e for e in estimates if e.n_resamples]
    if drawn:
        counts = sorted({e.n_resamples for e in drawn if e.n_resamples is not None})
        seeds = sorted({e.seed for e in drawn if e.seed is not None})
        texts.append(
            f"Resamples: {_list(map(str, counts))}; seed {_list(map(str, seeds))}, with which the "
            "same numbers come out again"
        )
    bands = sorted({curve.n_resamples for curves in results.curves for curve in curves})
    if bands:
        texts.append(
            "Bands of curves are pointwise percentile bootstrap intervals of "
            f"{_list(map(str, bands))} resamples"
        )
    policies = dict.fromkeys(e.missing for e in estimates if e.n_missing)
    if policies:
        said = "; ".join(POLICIES.get(one, one) for one in policies)
        texts.append(f"Missing values: {said}")
    return ". ".join(texts) + "."


def _method(e: Estimate) -> str:
    """The method in prose with its source: ``BCa bootstrap (Efron 1987)``."""
    key = e.method_spec.cite
    return f"{e.method_title} ({cite(key).in_prose})" if key else e.method_title


def _list(words: Iterable[str]) -> str:
    return ", ".join(sorted(words))


def results_paragraph(results: Results) -> str:
    """The sentences of the estimates and of the comparisons, where they are few enough to read."""
    texts = [e.sentence() for e in results.estimates]
    texts = texts if len(texts) <= MOST_SENTENCES else []
    compared = [item.sentence() for item in results.comparisons or ()]
    if len(compared) <= MOST_SENTENCES:
        texts += compared
    texts += results.ranking_sentences
    return " ".join(texts)


def _tables(results: Results) -> tuple[Table, ...]:
    """Without codes of cautions, which stand in the text of a paper."""
    tables = []
    if results.estimates:
        tables.append(estimates_table(results.estimates, titles=True))
    if results.comparisons:
        tables.append(comparisons_table(results.comparisons))
    return tuple(table.without(Kind.CAUTIONS) for table in tables)
