"""The tables of comparisons: all columns on a page, and what fits 80 columns on a terminal."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from halfwidth.core.formatting import as_beginning, percent
from halfwidth.core.forms import NO_EFFECT
from halfwidth.document.axes import axis_for
from halfwidth.document.parts import Adaptive, Cell, Column, Heading, Kind, Note, Part, Table
from halfwidth.results.comparison_words import (
    MOST_SENTENCES,
    decisive_p,
    p_text,
    together_text,
    verdict_text,
)
from halfwidth.results.documents.estimates import (
    WHERE_DRAWN,
    add_drawn,
    drawn_numbers,
    drawn_text,
    in_common,
    pale_text,
)
from halfwidth.results.fields import codes_cell

if TYPE_CHECKING:
    from halfwidth.results.comparison import Difference

    Columns = dict[Column, Callable[[Difference], Cell]]

_LABEL, _MODELS, _SUBJECT = Column("label"), Column("models"), Column("of")
_FIRST, _SECOND = Column("first", Kind.NUMBER), Column("second", Kind.NUMBER)
_N, _METHOD = Column("n", Kind.NUMBER), Column("method")
_P = Column("p", Kind.NUMBER)
_VERDICT = Column("verdict", Kind.NAME)
_CAUTIONS = Column("cautions", Kind.CAUTIONS, short="codes")
_TOGETHER = Column("all together", Kind.INTERVAL)
_SHORT_EFFECT = {"difference": "diff.", "ratio": ""}


def tables(comparisons: Sequence[Difference]) -> Adaptive:
    """A table of all columns for a page; for a terminal what rows have in common stands once."""
    return Adaptive(
        _short(comparisons),
        (comparisons_table(comparisons),),
        functools.partial(drawn_tables, comparisons),
    )


def comparisons_table(comparisons: Sequence[Difference]) -> Table:
    """A row for each difference, in all columns that say something."""
    return _table(comparisons, _columns(comparisons))


def gate_tables(comparisons: Sequence[Difference]) -> tuple[Table, Table]:
    """What a gate rests on, with margins and the cases that are needed; of a terminal first."""
    columns: Columns = {}
    for column, cell in _columns(comparisons).items():
        if column is _VERDICT:
            columns[Column("margin", Kind.NUMBER)] = _margin
        if column is not _METHOD:
            columns[column] = cell
    columns[Column("n needed", Kind.NUMBER)] = _n_needed
    left_out = (_MODELS, _FIRST, _SECOND, _N, _P, _CAUTIONS)
    short = {column: cell for column, cell in columns.items() if column not in left_out}
    short[_SUBJECT] = lambda item: _subject_cell(item, item.subject)
    return _table(comparisons, short), _table(comparisons, columns)


def one_pair(comparisons: Sequence[Difference]) -> bool:
    """Whether all rows are of the same two models."""
    return len({(item.first, item.second) for item in comparisons}) == 1


# --------------------------------------------------------------------------- for a terminal


def _short(comparisons: Sequence[Difference]) -> tuple[Part, ...]:
    """Models, subject, n and method once, where all rows share them; cautions stand below."""
    columns = _short_columns(comparisons)
    families: dict[str, list[Difference]] = {}
    for item in comparisons:
        families.setdefault(item.estimate.label, []).append(item)
    parts: list[Part] = [Heading(text)] if (text := _heading(comparisons)) else []
    if len(families) == 1 or len(families) == len(comparisons):
        parts += _family(comparisons, columns)
    else:
        columns.pop(_LABEL, None)
        columns.pop(_N, None)
        for label, items in families.items():
            parts += [Heading(f"{label}, {items[0].estimate.n_text}"), *_family(items, columns)]
    common = ", ".join(_in_common(comparisons).values())
    return (*parts, *([Note(f"{as_beginning(common)}.")] if common else ()))


def _family(items: Sequence[Difference], columns: Columns) -> list[Part]:
    """The table of comparisons that belong together, and the values of the models below it."""
    table = _table(items, columns)
    return [table] if _FIRST in columns else [table, Note(_values_text(items))]


def _values_text(items: Sequence[Difference]) -> str:
    """What each model has by itself: ``Mean DSC: vit 0.865, unet 0.847.``."""
    values: dict[str, str] = {}
    coarsest = min(items, key=lambda item: item.estimate.decimals).estimate
    for item in items:
        for model, value in ((item.first, item.first_value), (item.second, item.second_value)):
            values.setdefault(model, coarsest.text_of(value))
    subject = items[0].subject
    listed = ", ".join(f"{model} {text}" for model, text in values.items())
    return f"{as_beginning(subject)}: {listed}."


def _heading(comparisons: Sequence[Difference]) -> str:
    """``Difference in mean DSC (first: unet, second: vit)``, as far as all rows share it."""
    subjects = {_subject(item).text for item in comparisons}
    text = subjects.pop() if len(subjects) == 1 else ""
    models = ", ".join(
        f"{place}: {names.pop()}"
        for place, names in (
            ("first", {item.first for item in comparisons}),
            ("second", {item.second for item in comparisons}),
        )
        if len(names) == 1 and (place == "second" or one_pair(comparisons))
    )
    if text and models:
        return f"{as_beginning(text)} ({models})"
    return f"{as_beginning(text)}{models}"


def _short_columns(comparisons: Sequence[Difference]) -> Columns:
    """The columns in which rows differ; the models' values give way to simultaneous intervals."""
    # The column of differences says what they are of.
    columns = _columns(comparisons) | {_SUBJECT: lambda item: _subject_cell(item, item.subject)}
    dropped = {*_in_common(comparisons), _CAUTIONS}
    if len(comparisons) > MOST_SENTENCES:
        dropped.add(_METHOD)
    if len({_subject(item).text for item in comparisons}) == 1:
        dropped.add(_SUBJECT)
        if _TOGETHER in columns:
            dropped |= {_FIRST, _SECOND}
    if one_pair(comparisons):
        dropped.add(_MODELS)
    elif len({item.second for item in comparisons}) == 1:
        firsts = Column("first model")
        columns = {
            firsts if column is _MODELS else column: _first if column is _MODELS else cell
            for column, cell in columns.items()
        }
    return {column: cell for column, cell in columns.items() if column not in dropped}


def _in_common(comparisons: Sequence[Difference]) -> dict[Column, str]:
    """What the rows have in common besides their subject, in words, by its column."""
    cases = {item.estimate.basis_text for item in comparisons}
    if len(cases) > 1:
        cases = {item.estimate.n_text for item in comparisons}
    methods = {item.estimate.method_title for item in comparisons}
    return {
        column: texts.pop()
        for column, texts in ((_METHOD, methods), (_N, cases))
        if len(texts) == 1
    }


# --------------------------------------------------------------------------- drawn on a page


def drawn_tables(comparisons: Sequence[Difference]) -> tuple[Part, ...]:
    """A table for each subject, its intervals drawn on one axis."""
    parts: list[Part] = []
    by_subject: dict[str, list[Difference]] = {}
    for item in comparisons:
        by_subject.setdefault(item.effect_of_subject, []).append(item)
    for subject, items in by_subject.items():
        table = _drawn(items)
        if len(by_subject) > 1:
            parts.append(Heading(as_beginning(subject)))
            table = table.columns_at([p for p, one in enumerate(table.headings) if one != "of"])
        parts += in_common(table)
    return tuple(parts)


def _drawn(comparisons: Sequence[Difference]) -> Table:
    """The table with the intervals drawn, beside no difference and the margins."""
    marks = [NO_EFFECT[comparisons[0].effect]]
    for item in comparisons:
        if item.verdict is not None and item.verdict.margin:
            marks += [item.verdict.margin, -item.verdict.margin]
    estimates = [item.estimate for item in comparisons]
    intervals = [drawn_numbers(e) for e in estimates]
    axis = axis_for(intervals, dict.fromkeys(marks), pale_text(estimates))
    table = _narrow(comparisons_table(comparisons), comparisons)
    if axis is None:
        return table
    cells = [
        Cell(f"{item.first} vs {item.second}: {drawn_text(item.estimate)}", numbers)
        for item, numbers in zip(comparisons, intervals, strict=True)
    ]
    return add_drawn(table, Column(WHERE_DRAWN, Kind.DRAWN, axis=axis), cells)


def _narrow(table: Table, comparisons: Sequence[Difference]) -> Table:
    """The table in few columns on a page; models head their values where all share them."""
    lead = table.columns[0].heading
    intervals = [one.heading for one in table.columns if one.kind is Kind.INTERVAL]
    beneath: dict[str, str] = dict.fromkeys(intervals, str(comparisons[0].effect))
    beneath |= dict.fromkeys(("models", "of", "first", "second", "n", "method"), lead)
    beneath.pop(lead, None)
    if "verdict" in table.headings:
        beneath["cautions"] = "verdict"
    table = table.stacked(beneath)
    if not one_pair(comparisons):
        return table
    names = {"first": comparisons[0].first, "second": comparisons[0].second}
    columns = (replace(one, heading=names.get(one.heading, one.heading)) for one in table.columns)
    return replace(table, columns=tuple(columns))


# --------------------------------------------------------------------------- columns and cells


def _table(items: Sequence[Difference], columns: Columns) -> Table:
    rows = tuple(tuple(cell(item) for cell in columns.values()) for item in items)
    return Table(tuple(columns), rows)


def _columns(comparisons: Sequence[Difference]) -> Columns:
    """Columns and their cells; one that says nothing is left out."""
    first = comparisons[0]
    level = percent(first.estimate.confidence_level)
    columns: Columns = {}
    if any(item.estimate.label for item in comparisons):
        columns[_LABEL] = lambda item: Cell(item.estimate.label)
    columns |= {
        _MODELS: _models,
        _SUBJECT: _subject,
        _FIRST: lambda item: _number(item, item.first_value),
        _SECOND: lambda item: _number(item, item.second_value),
        Column(first.effect, Kind.NUMBER, _SHORT_EFFECT[first.effect]): lambda item: _number(
            item, item.value
        ),
        Column(f"{level} CI", Kind.INTERVAL): lambda item: _ends(
            item, item.estimate.low, item.estimate.high
        ),
    }
    if any(item.simultaneous for item in comparisons):
        columns[_TOGETHER] = _simultaneous
    if any(not math.isnan(item.p_value) for item in comparisons):
        columns[_P] = _p_value
    titles = dict.fromkeys(item.test.title for item in comparisons if item.test)
    for title in titles:
        column = Column(f"p, {title}", Kind.NUMBER, "p, test" if len(titles) == 1 else "")
        columns[column] = functools.partial(_tested, title)
    columns |= {_N: lambda item: Cell(str(item.estimate.n), item.estimate.n), _METHOD: _method}
    if any(item.verdict for item in comparisons):
        columns[_VERDICT] = lambda item: Cell(verdict_text(item))
    if any(item.cautions for item in comparisons):
        columns[_CAUTIONS] = codes_cell
    return columns


def _models(item: Difference) -> Cell:
    return Cell(f"{item.first} vs {item.second}")


def _first(item: Difference) -> Cell:
    return Cell(item.first)


def _subject(item: Difference) -> Cell:
    return _subject_cell(item, item.effect_of_subject)


def _subject_cell(item: Difference, subject: str) -> Cell:
    unit = item.metric_spec.unit
    return Cell(subject + (f" [{unit}]" if unit and item.effect == "difference" else ""))


def _number(item: Difference, number: float) -> Cell:
    return Cell(item.estimate.text_of(number), number, item.metric_spec.unit)


def _ends(item: Difference, low: float, high: float) -> Cell:
    text = "none"
    if not (math.isnan(low) or math.isnan(high)):
        text = f"{item.estimate.text_of(low)} to {item.estimate.text_of(high)}"
    return Cell(text, (low, high), item.metric_spec.unit)


def _simultaneous(item: Difference) -> Cell:
    both = item.simultaneous
    if both is None:
        return Cell("")
    margin = item.verdict.margin if item.verdict else None
    return Cell(together_text(item, margin), (both.low, both.high), item.metric_spec.unit)


def _margin(item: Difference) -> Cell:
    margin = item.verdict.margin if item.verdict else None
    return Cell("") if margin is None else Cell(f"{margin:g}", margin, item.metric_spec.unit)


def _n_needed(item: Difference) -> Cell:
    needed = item.verdict.n_needed if item.verdict else None
    clusters = "" if item.estimate.n_groups is None else " clusters"
    return Cell("") if needed is None else Cell(f"{needed:,}{clusters}", needed)


def _p_value(item: Difference) -> Cell:
    p = decisive_p(item)
    return Cell("" if math.isnan(p) else p_text(p), p)


def _tested(title: str, item: Difference) -> Cell:
    """The p value of a test that was asked for."""
    if item.test is None or item.test.title != title:
        return Cell("")
    p = item.test.adjusted if item.test.correction else item.test.p_value
    return Cell("" if math.isnan(p) else p_text(p), p)


def _method(item: Difference) -> Cell:
    return Cell(item.estimate.method_title, item.estimate.method)
