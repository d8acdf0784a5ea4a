"""How models perform: a table with intervals for each metric, and what lies behind them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from halfwidth.core.spec import Estimand
from halfwidth.document.axes import axis_for
from halfwidth.document.parts import (
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
from halfwidth.report.whole.results import Family, Results
from halfwidth.report.whole.sentences import estimate_sentences, verdict_sentences
from halfwidth.results.documents.estimates import estimates_table
from halfwidth.results.estimate import IF_UNSEEN, Estimate
from halfwidth.results.estimates import Estimates

WHERE_DRAWN = "interval"
# Columns that a page sets beneath the first.
BENEATH = ("statistic", "matched by", "without a result", "clusters", "method")
# Columns that need not be repeated in every row.
SAID_ONCE = ("statistic", "matched by", "n", "method", "of", "models", "without a result")


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
    parts: list[Part] = []
    for title, estimates in _read_together(results.families):
        subjects = {estimate.subject for estimate in estimates}
        alike = [e for e in results.estimates if e.subject in subjects]
        parts += [Heading(title)] if title else []
        parts += tables_of(estimates, alike)
    return Section("Performance", tuple(parts))


def _read_together(families: Sequence[Family]) -> list[tuple[str, Estimates]]:
    """Estimates of each table with its title: families, or metrics of one range of one model."""
    several = len({family.metric for family in families}) > 1
    if len(families) == 1 or any(len(family.estimates) > 1 for family in families):
        return [(_title(family, several=several), family.estimates) for family in families]
    of_range: dict[tuple[str, str, str], list[Estimate]] = {}
    for family in families:
        (estimate,) = family.estimates
        metric = estimate.metric_spec
        key = family.task, str(metric.spec.bounds), metric.unit
        of_range.setdefault(key, []).append(estimate)
    return [(task, Estimates(tuple(some))) for (task, *_), some in of_range.items()]


def _title(family: Family, *, several: bool) -> str:
    """The task, and the metric where there are several and the task does not name it."""
    metric = family.metric if several and family.metric not in family.task else ""
    return ", ".join(filter(None, [family.task, metric]))


def tables_of(estimates: Sequence[Estimate], alike: Sequence[Estimate] = ()) -> list[Part]:
    """Tables with the intervals drawn, and below each what all of its rows have in common.

    ``alike``: what shares the axis, so that tables can be compared.
    """
    beside = _by_spread(alike)
    return [
        part
        for spread, some in _by_spread(estimates).items()
        for part in in_common(with_drawing(Estimates(tuple(some)), beside.get(spread, ())))
    ]


def _by_spread(estimates: Sequence[Estimate]) -> dict[bool, list[Estimate]]:
    """Locations and spreads of cases apart: on one axis neither could be read."""
    apart: dict[bool, list[Estimate]] = {}
    for estimate in estimates:
        spread = (
            bool(estimate.statistic) and estimate.statistic_spec.spec.estimand is Estimand.SPREAD
        )
        apart.setdefault(spread, []).append(estimate)
    return apart


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
    shown = table.columns_at(kept)
    words = [f"{table.columns[place].heading}: {text}" for place, text in said.items() if text]
    return [shown, *([Note(f"In all rows {', '.join(words)}.")] if words else [])]


def with_drawing(estimates: Estimates, alike: Sequence[Estimate]) -> Table:
    """The table of estimates, and a column in which the intervals are drawn."""
    table = _lead_named(estimates_table(estimates, titles=True), estimates)
    lead = table.columns[0].heading
    table = table.stacked({heading: lead for heading in BENEATH if heading != lead})
    axis = axis_for([drawn_numbers(e) for e in (*estimates, *alike)], pale=pale_text(estimates))
    if axis is None:
        return table
    cells = [Cell(f"{_named(e)}{drawn_text(e)}", drawn_numbers(e)) for e in estimates]
    return add_drawn(table, Column(WHERE_DRAWN, Kind.DRAWN, axis=axis), cells)


def _lead_named(table: Table, estimates: Estimates) -> Table:
    """The table with labels headed by the column whose levels they are: ``model``, ``organ``."""
    names = (name for name in estimates[0].by if name not in table.headings)
    for name in names:
        if all(e.label and e.label == str(e.by.get(name)) for e in estimates):
            return replace(table, columns=(Column(name), *table.columns[1:]))
    return table


def add_drawn(table: Table, column: Column, cells: Sequence[Cell]) -> Table:
    """The table with a further column behind that of the intervals."""
    kinds = [one.kind for one in table.columns]
    place = kinds.index(Kind.INTERVAL) + 1
    columns = (*table.columns[:place], column, *table.columns[place:])
    rows = ((*row[:place], cell, *row[place:]) for row, cell in zip(table.rows, cells, strict=True))
    return Table(columns, tuple(rows))


def _named(e: Estimate) -> str:
    return f"{e.label}: " if e.label else ""


def drawn_numbers(e: Estimate) -> tuple[float, ...]:
    """The value, the ends of its interval, and those of the pale line behind it."""
    return e.value, e.low, e.high, *e.unseen_ends


def drawn_text(e: Estimate) -> str:
    """The same in words."""
    unseen = f"; {e.unseen_failures_text} {IF_UNSEEN}" if e.unseen_failures_matter else ""
    return f"{e.text_of(e.value)} ({e.ends_text}){unseen}"


def pale_text(estimates: Iterable[Estimate]) -> str:
    """What pale lines are, where there are any."""
    return f"pale: {IF_UNSEEN}" if any(e.unseen_failures_matter for e in estimates) else ""
