"""How models perform: a table with intervals for each metric, and what lies behind them."""

from __future__ import annotations

from collections.abc import Sequence

from halfwidth.core.comparison import Difference
from halfwidth.core.estimate import Estimate
from halfwidth.core.estimates import Estimates
from halfwidth.report.document import (
    Cell,
    Column,
    Heading,
    Kind,
    Note,
    Paragraph,
    Part,
    Section,
    Table,
)
from halfwidth.report.estimates import estimates_table
from halfwidth.report.whole.axes import axis_for
from halfwidth.report.whole.results import MOST_SENTENCES, Results

WHERE_DRAWN = "interval"
# Columns that need not be repeated in every row.
SAID_ONCE = ("statistic", "matched by", "n", "method", "of", "models", "without a result")


def in_brief(results: Results) -> Section:
    """What a reader who stops after the first lines should know."""
    texts = [estimate.sentence() for estimate in results.estimates]
    if len(texts) > MOST_SENTENCES:
        texts = [_counted(results)]
    texts += results.ranking_sentences
    verdicts = [_verdict(one) for one in results.comparisons or () if one.verdict]
    if not results.rankings_of_many and len(verdicts) <= MOST_SENTENCES:
        texts += verdicts
    return Section("In brief", tuple(Paragraph(text) for text in texts))


def _verdict(item: Difference) -> str:
    about = f"{item.estimate.label}: " if item.estimate.label else ""
    return f"{about}{item.verdict.sentence}" if item.verdict else ""


def _counted(results: Results) -> str:
    """How many estimates there are, of what, on how many cases."""
    estimates = results.estimates
    cases = sorted({estimate.n for estimate in estimates})
    span = str(cases[0]) if len(cases) == 1 else f"{cases[0]} to {cases[-1]}"
    subjects = list(dict.fromkeys(estimate.subject for estimate in estimates))
    of_what = ", ".join(subjects[:MOST_SENTENCES])
    return f"{len(estimates)} estimates ({of_what}), each of {span} cases."


def performance(results: Results) -> Section | None:
    """A table for each metric, with every interval drawn on one axis."""
    if not results.estimates:
        return None
    parts: list[Part] = []
    several = len(results.by_metric) > 1
    for family in results.families:
        title = ", ".join(filter(None, [family.task, family.metric if several else ""]))
        parts += [Heading(title)] if title else []
        parts += tables_of(family.estimates)
    return Section("Performance", tuple(parts))


def tables_of(estimates: Sequence[Estimate]) -> list[Part]:
    """Tables with the intervals drawn, and below each what all of its rows have in common."""
    return [part for some in _on_one_axis(estimates) for part in in_common(with_drawing(some))]


def _on_one_axis(estimates: Sequence[Estimate]) -> list[Estimates]:
    """Locations and spreads apart: on one axis neither could be read."""
    by_statistic: dict[str, list[Estimate]] = {}
    for estimate in estimates:
        by_statistic.setdefault(estimate.statistic_spec.spec.estimand.value, []).append(estimate)
    return [Estimates(tuple(some)) for some in by_statistic.values()]


def in_common(table: Table) -> list[Part]:
    """The table without the columns that are the same in every row, which are said below it."""
    if len(table.rows) < 2:
        return [table]
    texts = list(zip(*table.texts, strict=True))
    said = {
        place: texts[place][0]
        for place, column in enumerate(table.columns)
        if column.heading in SAID_ONCE and len(set(texts[place])) == 1
    }
    kept = [place for place in range(len(table.columns)) if place not in said]
    shown = Table(
        tuple(table.columns[place] for place in kept),
        tuple(tuple(row[place] for place in kept) for row in table.rows),
    )
    words = [f"{table.columns[place].heading}: {text}" for place, text in said.items() if text]
    return [shown, *([Note(f"In all rows {', '.join(words)}.")] if words else [])]


def with_drawing(estimates: Estimates) -> Table:
    """The table of estimates, and a column in which the intervals are drawn."""
    table = estimates_table(estimates)
    axis = axis_for([(e.value, e.low, e.high) for e in estimates])
    if axis is None:
        return table
    cells = [Cell(f"{_named(e)}{_text(e)}", (e.value, e.low, e.high)) for e in estimates]
    return add_drawn(table, Column(WHERE_DRAWN, Kind.DRAWN, axis=axis), cells)


def add_drawn(table: Table, column: Column, cells: Sequence[Cell]) -> Table:
    """The table with a further column behind that of the intervals."""
    kinds = [one.kind for one in table.columns]
    place = kinds.index(Kind.INTERVAL) + 1
    columns = (*table.columns[:place], column, *table.columns[place:])
    rows = ((*row[:place], cell, *row[place:]) for row, cell in zip(table.rows, cells, strict=True))
    return Table(columns, tuple(rows))


def _named(e: Estimate) -> str:
    return f"{e.label}: " if e.label else ""


def _text(e: Estimate) -> str:
    return f"{e.text_of(e.value)} ({e.text_of(e.low)} to {e.text_of(e.high)})"
