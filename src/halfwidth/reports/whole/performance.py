"""How models perform: a table with intervals for each metric, and what lies behind them."""

from __future__ import annotations

from halfwidth.document.parts import Note, Paragraph, Section
from halfwidth.reports.whole.results import Results
from halfwidth.reports.whole.sentences import estimate_sentences, verdict_sentences
from halfwidth.results.documents.estimates import drawn_tables


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
