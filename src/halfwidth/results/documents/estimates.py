"""Estimates as a document."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from halfwidth.core.formatting import as_beginning, fixed, percent
from halfwidth.core.spec import Estimand
from halfwidth.core.titles import IF_UNSEEN
from halfwidth.core.undefined import SIDE_BY_SIDE
from halfwidth.document.axes import axis_for
from halfwidth.document.parts import (
    Adaptive,
    Cell,
    Column,
    Data,
    Document,
    Heading,
    Item,
    Items,
    Kind,
    Note,
    Part,
    Table,
)
from halfwidth.results.fields import caution_items, codes_cell, seed_note

if TYPE_CHECKING:
    from halfwidth.results.estimate import Estimate, Estimates, Family
    from halfwidth.results.runs_estimate import RunsEstimate

    Columns = dict[Column, Callable[[Estimate], Cell]]

IDR_NOTE = "IDR: the interdecile range of the runs, from their 0.1 to their 0.9 quantile."
CLAIMS_TITLE = "What each policy claims of the cases without a result:"

_LABEL, _STATISTIC = Column("label"), Column("statistic")
_N, _RUNS = Column("n", Kind.NUMBER), Column("runs", Kind.NUMBER)
_CLUSTERS = Column("clusters", Kind.NUMBER)
_WITHOUT = Column("without a result")
_MATCHED = Column("matched by")
# Of what detections were matched by; more stands below the table.
MOST_IN_COLUMN = 24
_CHOICES = re.compile(r", | (?=[≥>≤<] )")
_VALUE, _HALFWIDTH = Column("value", Kind.NUMBER), Column("half-width", Kind.NUMBER)
_RELATIVE_WIDTH = Column("width/IDR", Kind.NUMBER)
# Wrapped, since a design may make a long title of a name.
_METHOD = Column("method")
_CAUTIONS = Column("cautions", Kind.CAUTIONS, short="codes")
WHERE_DRAWN = "interval"
# Columns that a page sets beneath the first.
BENEATH = ("statistic", "matched by", "without a result", "clusters", "method")
# Columns that need not be repeated in every row.
SAID_ONCE = ("statistic", "matched by", "n", "method", "of", "models", "without a result")


def estimates_document(estimates: Estimates) -> Document:
    """A table of estimates, what their quantiles say, cautions, and the seed."""
    data = Data(estimates.to_dict, estimates.to_rows)
    if not estimates:
        return Document((Note("No estimates."),), data)
    columns = _columns(estimates)
    table = Adaptive(
        _short(estimates, columns),
        (_table(estimates, columns),),
        functools.partial(drawn_tables, estimates),
    )
    below = [
        _claims(estimates),
        _readings(estimates),
        _relative(estimates),
        _choices(estimates),
        *caution_items(estimates.caution_lines()),
        rule_note(estimates),
        seed_note((e.seed for e in estimates), (e.n_resamples for e in estimates)),
    ]
    return Document((table, *(part for part in below if part.short)), data)


# --------------------------------------------------------------------------- the table


def estimates_table(estimates: Sequence[Estimate], *, titles: bool) -> Table:
    """A row for each estimate, in all columns that say something.

    ``titles``: methods as prose calls them, not by the names that options take, and no row without
    a label beside others that have one.
    """
    columns = _columns(estimates)
    if titles:
        columns[_METHOD] = lambda e: Cell(e.method_title, e.method)
        columns = _all_labelled(columns)
    return _table(estimates, columns)


def _columns(estimates: Sequence[Estimate]) -> Columns:
    """Columns and their cells; one that says nothing is left out."""
    columns: Columns = {}
    if any(e.label for e in estimates):
        columns[_LABEL] = lambda e: Cell(e.label)
    columns[_STATISTIC] = _subject
    if any(e.matched_by for e in estimates):
        columns[_MATCHED] = _matched
    columns[_N] = lambda e: Cell(str(e.n), e.n)
    if any(e.without_result is not None for e in estimates):
        columns[_WITHOUT] = _without
    if any(e.n_groups is not None for e in estimates):
        columns[_CLUSTERS] = _clusters
    columns[_VALUE] = lambda e: Cell(e.text_of(e.value), e.value, e.metric_spec.unit)
    column, cell = interval_column(estimates)
    columns[column] = cell
    if any(e.alternative == "two-sided" for e in estimates):
        columns[_HALFWIDTH] = _halfwidth
    columns[_METHOD] = _method
    if any(e.cautions for e in estimates):
        columns[_CAUTIONS] = codes_cell
    return columns


def interval_column(estimates: Sequence[Estimate]) -> tuple[Column, Callable[[Estimate], Cell]]:
    """The column of intervals, headed by the level asked for; cells name another one."""
    first = estimates[0]
    asked = (first.asked or first.level).confidence_level

    def cell(e: Estimate) -> Cell:
        other = f" ({percent(e.confidence_level)})" if e.confidence_level != asked else ""
        return Cell(f"{e.ends_text}{other}", (e.low, e.high), e.metric_spec.unit)

    two_sided = any(e.alternative == "two-sided" for e in estimates)
    return Column(f"{percent(asked)} {'CI' if two_sided else 'bound'}", Kind.INTERVAL), cell


def _table(estimates: Iterable[Estimate], columns: Columns) -> Table:
    rows = tuple(tuple(cell(e) for cell in columns.values()) for e in estimates)
    return Table(tuple(columns), rows)


def _short(estimates: Estimates, columns: Columns) -> tuple[Part, ...]:
    """What all rows have in common stands above them, where labels tell them apart."""
    subjects = {_subject(e).text for e in estimates}
    common = subjects.pop() if len(subjects) == 1 and _LABEL in columns else ""
    columns_shown = {
        column: cell for column, cell in columns.items() if column != _STATISTIC or not common
    }
    legend: tuple[Part, ...] = ()
    if common:
        columns_shown = _all_labelled(columns_shown)
    if _MATCHED in columns:
        one_way, columns_shown = _common_matching(estimates, columns_shown)
        common = ", ".join(filter(None, (common, one_way)))
        legend = _legend(estimates)
        if legend:
            del columns_shown[_MATCHED]
    sources = {e.quantity_phrase for e in _those_over_runs(estimates)}
    if len(sources) == 1:
        common = common or f"quantiles {sources.pop()}"
        columns_shown = _runs_columns(columns_shown)
    heading = (Heading(as_beginning(common)),) if common else ()
    return (*heading, _table(estimates, columns_shown), *legend)


def _all_labelled(columns: Columns) -> Columns:
    """Labels of all rows, where any has one: the subject, where an estimate has none."""
    labels: Columns = {_LABEL: lambda e: Cell(e.label or e.subject)}
    return {column: labels.get(column, cell) for column, cell in columns.items()}


def _common_matching(estimates: Estimates, columns: Columns) -> tuple[str, Columns]:
    """What all detections were matched by, and the column of what tells them apart, if any."""
    shared = _shared_choices(estimates)
    alike = all(len(_choices_of(e)) == len(shared) for e in estimates)
    shown = {
        column: (lambda e: Cell(_in_prose([one for one in _choices_of(e) if one not in shared])))
        if column == _MATCHED
        else cell
        for column, cell in columns.items()
        if column != _MATCHED or not alike
    }
    return f"matched by {_in_prose(shared)}" if shared else "", shown


def _shared_choices(estimates: Estimates) -> list[str]:
    """What detections of all rows were matched by."""
    parts = [_choices_of(e) for e in estimates]
    return [part for part in parts[0] if all(part in other for other in parts)]


def _legend(estimates: Estimates) -> tuple[Part, ...]:
    """What tells rows apart, below the table where a column would be too narrow for it."""
    shared = _shared_choices(estimates)
    own = [[one for one in _choices_of(e) if one not in shared] for e in estimates]
    labels = [e.label for e in estimates]
    if max(len(_in_prose(one)) for one in own) <= MOST_IN_COLUMN or len(set(labels)) < len(labels):
        return ()
    chosen_by: dict[str, list[str]] = {}
    for label, choices in zip(labels, own, strict=True):
        for choice in choices:
            chosen_by.setdefault(choice, []).append(label)
    items = tuple(Item(choice, ", ".join(names)) for choice, names in chosen_by.items())
    return (Items(items, "Of these:"),)


def _choices_of(e: Estimate) -> list[str]:
    """What detections were matched by: the criterion, its threshold, and further choices."""
    return _CHOICES.split(_matched(e).text)


def _in_prose(choices: Iterable[str]) -> str:
    """Choices with commas between them, but none before a threshold."""
    return re.sub(", (?=[≥>≤<] )", " ", ", ".join(choices))


def _runs_columns(columns: Columns) -> Columns:
    """Half-widths give way to what compares sources: widths by the spread of their runs."""
    instead: Columns = {
        _STATISTIC: lambda e: Cell(e.statistic_title),
        _HALFWIDTH: _relative_width,
        _N: columns[_N],
    }
    names = {_N: _RUNS, _HALFWIDTH: _RELATIVE_WIDTH}
    return {names.get(one, one): instead.get(one, cell) for one, cell in columns.items()}


def _subject(e: Estimate) -> Cell:
    unit = e.metric_spec.unit
    return Cell(e.subject + (f" [{unit}]" if unit else ""))


def _matched(e: Estimate) -> Cell:
    return Cell(e.matched_by)


def _clusters(e: Estimate) -> Cell:
    return Cell("" if e.n_groups is None else str(e.n_groups), e.n_groups)


def _without(e: Estimate) -> Cell:
    return Cell("" if e.without_result is None else e.without_result.text)


def _halfwidth(e: Estimate) -> Cell:
    text = "" if math.isnan(e.halfwidth) else fixed(e.halfwidth, e.decimals)
    return Cell(text, e.halfwidth, e.metric_spec.unit)


def _relative_width(e: Estimate) -> Cell:
    """The width of an interval over runs by their interdecile range; empty for any other."""
    width = math.nan if e.over_runs is None else e.over_runs.relative_width
    return Cell("" if math.isnan(width) else f"{width:.2f}", width)


def _method(e: Estimate) -> Cell:
    """The name of the method, or its title where the design makes another one of it."""
    return Cell(e.method if e.method_title == e.method_spec.title else e.method_title, e.method)


# --------------------------------------------------------------------------- drawn on a page


def drawn_tables(estimates: Estimates) -> tuple[Part, ...]:
    """A table for each metric and task; intervals of one metric are drawn on one axis."""
    parts: list[Part] = []
    for title, some in _read_together(estimates.families):
        subjects = {estimate.subject for estimate in some}
        alike = [e for e in estimates if e.subject in subjects]
        parts += [Heading(title)] if title else []
        parts += tables_of(some, alike)
    return tuple(parts)


def _read_together(families: Sequence[Family]) -> list[tuple[str, Sequence[Estimate]]]:
    """Estimates of each table with its title: families, or metrics of one range of one model."""
    several = len({family.metric for family in families}) > 1
    if len(families) == 1 or any(len(family.estimates) > 1 for family in families):
        return [(_title(family, several=several), family.estimates) for family in families]
    by_range: dict[tuple[str, str, str], list[Estimate]] = {}
    for family in families:
        (estimate,) = family.estimates
        metric = estimate.metric_spec
        key = family.task, str(metric.spec.bounds), metric.unit
        by_range.setdefault(key, []).append(estimate)
    return [(task, together) for (task, *_), together in by_range.items()]


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
        for part in in_common(with_drawing(some, beside.get(spread, ())))
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


def with_drawing(estimates: Sequence[Estimate], alike: Sequence[Estimate]) -> Table:
    """The table of estimates, and a column in which the intervals are drawn."""
    table = _lead_named(estimates_table(estimates, titles=True), estimates)
    lead = table.columns[0].heading
    table = table.stacked({heading: lead for heading in BENEATH if heading != lead})
    axis = axis_for([drawn_numbers(e) for e in (*estimates, *alike)], pale=pale_text(estimates))
    if axis is None:
        return table
    cells = [Cell(f"{_named(e)}{drawn_text(e)}", drawn_numbers(e)) for e in estimates]
    return add_drawn(table, Column(WHERE_DRAWN, Kind.DRAWN, axis=axis), cells)


def _lead_named(table: Table, estimates: Sequence[Estimate]) -> Table:
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
    """Value and ends in words."""
    unseen = f"; {e.unseen_failures_text} {IF_UNSEEN}" if e.unseen_failures_matter else ""
    return f"{e.text_of(e.value)} ({e.ends_text}){unseen}"


def pale_text(estimates: Iterable[Estimate]) -> str:
    """What pale lines are, where there are any."""
    return f"pale: {IF_UNSEEN}" if any(e.unseen_failures_matter for e in estimates) else ""


# --------------------------------------------------------------------------- below the table


def _claims(estimates: Estimates) -> Adaptive:
    """What each missing policy claims, where several stand side by side."""
    policies = dict.fromkeys(e.missing for e in estimates if e.without_result is not None)
    if not policies:
        return Adaptive((), ())
    aligned, in_text = (
        Items(tuple(Item(f"{one}{mark}", SIDE_BY_SIDE[one]) for one in policies), CLAIMS_TITLE)
        for mark in ("", ":")
    )
    return Adaptive((aligned,), (in_text,))


def _readings(estimates: Estimates) -> Adaptive:
    """What the quantiles of the first source say."""
    label = estimates[0].label
    texts = [e.reading() for e in _those_over_runs(estimates) if e.label == label]
    return Adaptive(_items(filter(None, texts), f"Read ({label}):" if label else "Read:"), ())


def _relative(estimates: Estimates) -> Adaptive:
    """What the widths of quantiles of runs are divided by."""
    return Adaptive((Note(IDR_NOTE),) if _those_over_runs(estimates) else (), ())


def _choices(estimates: Estimates) -> Adaptive:
    """The intervals among which a randomized method drew."""
    texts = [
        f"{', '.join(part for part in (e.label, e.statistic_title) if part)}: {_drawn(e)}"
        for e in _those_over_runs(estimates)
        if e.choices
    ]
    full = tuple(Note(f"drawn among {text}") for text in texts)
    return Adaptive(_items(texts, "Drawn among, with probability:"), full)


def _those_over_runs(estimates: Iterable[Estimate]) -> list[RunsEstimate]:
    """Estimates over training runs."""
    return [one for e in estimates if (one := e.over_runs) is not None]


def _items(texts: Iterable[str], title: str) -> tuple[Part, ...]:
    items = tuple(Item("", text) for text in texts)
    return (Items(items, title),) if items else ()


def _drawn(e: RunsEstimate) -> str:
    return " or ".join(
        f"{e.text_of(one.low)} to {e.text_of(one.high)}, ranks {one.k} and {one.l} "
        f"({one.probability:.4f})"
        for one in e.choices
    )


def rule_text(estimates: Iterable[Estimate]) -> list[str]:
    """Which version of ``auto`` chose methods, where it did."""
    rules = dict.fromkeys(e.rule for e in estimates if e.rule)
    return [f"Methods were chosen by {' and '.join(rules)}"] if rules else []


def rule_note(estimates: Iterable[Estimate]) -> Adaptive:
    """Version of ``auto`` as a remark below a table."""
    notes = tuple(Note(f"{text}.") for text in rule_text(estimates))
    return Adaptive(notes, notes)
