"""Comparisons as a document."""

from __future__ import annotations

import math
from collections.abc import Callable

from halfwidth.comparison.verdicts import equivalence_sentence
from halfwidth.core.comparison import Comparisons, Difference, GoalResult
from halfwidth.core.comparison_words import CORRECTIONS, p_text
from halfwidth.core.formatting import fixed, percent
from halfwidth.report.document import (
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
from halfwidth.report.estimates import CAUTIONS_TITLE

Columns = dict[Column, Callable[[Difference], Cell]]
_LABEL, _MODELS, _SUBJECT = Column("label"), Column("models", Kind.NAME), Column("of")
_FIRST, _SECOND = Column("first", Kind.NUMBER), Column("second", Kind.NUMBER)
_N, _METHOD = Column("n", Kind.NUMBER), Column("method")
_VERDICT = Column("verdict", Kind.NAME)
_CAUTIONS = Column("cautions", Kind.CAUTIONS, short="codes")
# Verdicts in full below the table, for as many comparisons as a reader would read.
MOST_SENTENCES = 6


def comparisons_document(comparisons: Comparisons) -> Document:
    """A table of differences, what they allow to say, goals, cautions, and the seed."""
    data = Data(comparisons.to_dict, comparisons.to_rows)
    parts: list[Part] = []
    if comparisons:
        parts += [_tables(comparisons), *_verdicts(comparisons), _remarks(comparisons)]
    if comparisons.goals:
        parts.append(_goals(comparisons.goals))
    if not parts:
        return Document((Note("No comparisons."),), data)
    below = [_cautions(comparisons), _seed(comparisons)]
    return Document((*parts, *(part for part in below if part.short or part.full)), data)


# --------------------------------------------------------------------------- the table


def _tables(comparisons: Comparisons) -> Adaptive:
    """All columns on a page; on a terminal what all rows have in common stands above them."""
    columns = _columns(comparisons)
    subjects = {_subject(item).text for item in comparisons}
    heading: tuple[Part, ...] = ()
    dropped = set(_in_common(comparisons))
    if len(comparisons) > MOST_SENTENCES:
        dropped |= {_N, _METHOD}
    if len(subjects) == 1:
        text = subjects.pop()
        heading, dropped = (Heading(f"{text[:1].upper()}{text[1:]}"),), dropped | {_SUBJECT}
    short = {column: cell for column, cell in columns.items() if column not in dropped}
    common = ", ".join(_in_common(comparisons).values())
    below = (Note(f"{common[:1].upper()}{common[1:]}."),) if common else ()
    return Adaptive((*heading, _table(comparisons, short), *below), (_table(comparisons, columns),))


def _in_common(comparisons: Comparisons) -> dict[Column, str]:
    """What the rows have in common besides their subject, in words, by its column."""
    cases = {item.estimate.n_text for item in comparisons}
    methods = {item.estimate.method_title for item in comparisons}
    return {
        column: texts.pop()
        for column, texts in ((_METHOD, methods), (_N, cases))
        if len(texts) == 1
    }


def _table(comparisons: Comparisons, columns: Columns) -> Table:
    rows = tuple(tuple(cell(item) for cell in columns.values()) for item in comparisons)
    return Table(tuple(columns), rows)


def _columns(comparisons: Comparisons) -> Columns:
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
        Column(first.effect, Kind.NUMBER): lambda item: _number(item, item.value),
        Column(f"{level} CI", Kind.INTERVAL): lambda item: _ends(
            item, item.estimate.low, item.estimate.high
        ),
    }
    if any(item.simultaneous for item in comparisons):
        columns[Column("all together", Kind.INTERVAL)] = _simultaneous
    if any(item.test for item in comparisons):
        columns[Column("p", Kind.NUMBER)] = _p_value
    columns |= {_N: lambda item: Cell(str(item.estimate.n), item.estimate.n), _METHOD: _method}
    if any(item.verdict for item in comparisons):
        columns[_VERDICT] = lambda item: Cell(item.verdict.word if item.verdict else "")
    if any(item.cautions for item in comparisons):
        columns[_CAUTIONS] = _codes
    return columns


def _models(item: Difference) -> Cell:
    return Cell(f"{item.first} vs {item.second}")


def _subject(item: Difference) -> Cell:
    unit = item.metric_spec.unit
    return Cell(f"{item.effect} in {item.subject}" + (f" [{unit}]" if unit else ""))


def _number(item: Difference, number: float) -> Cell:
    return Cell(item.estimate.text_of(number), number, item.metric_spec.unit)


def _ends(item: Difference, low: float, high: float) -> Cell:
    text = "none"
    if not (math.isnan(low) or math.isnan(high)):
        text = f"{item.estimate.text_of(low)} to {item.estimate.text_of(high)}"
    return Cell(text, (low, high), item.metric_spec.unit)


def _simultaneous(item: Difference) -> Cell:
    interval = item.simultaneous
    return Cell("") if interval is None else _ends(item, interval.low, interval.high)


def _p_value(item: Difference) -> Cell:
    if item.test is None:
        return Cell("")
    p = item.test.adjusted if item.test.correction else item.test.p_value
    return Cell("" if math.isnan(p) else p_text(p), p)


def _method(item: Difference) -> Cell:
    return Cell(item.estimate.method_title, item.estimate.method)


def _codes(item: Difference) -> Cell:
    codes = tuple(dict.fromkeys(caution.code for caution in item.cautions))
    return Cell(" ".join(codes), codes)


# --------------------------------------------------------------------------- below the table


def _verdicts(comparisons: Comparisons) -> tuple[Part, ...]:
    """What each interval allows to say, where there are few enough to be read."""
    if len(comparisons) > MOST_SENTENCES:
        return ()
    items = []
    for item in comparisons:
        if item.verdict is None:
            continue
        about = f"{item.estimate.label}: " if item.estimate.label else ""
        if len(comparisons) > 1 and not item.verdict.sentence.startswith(item.first):
            about += f"{item.first} vs {item.second}: "
        texts = [item.verdict.sentence, equivalence_sentence(item, item.verdict)]
        items.append(Item("", about + " ".join(filter(None, texts))))
    return (Items(tuple(items), "Verdict" if len(items) == 1 else "Verdicts"),) if items else ()


def _remarks(comparisons: Comparisons) -> Adaptive:
    """What p-values and simultaneous intervals are, superiority, and cases left out."""
    notes = [Note(text) for text in _remark_texts(comparisons)]
    return Adaptive(tuple(notes), tuple(notes))


def _remark_texts(comparisons: Comparisons) -> list[str]:
    texts = []
    tests = {
        (item.test.title, item.test.correction)
        for item in comparisons
        if item.test is not None and item.test.name != "none"
    }
    for title, correction in sorted(tests):
        adjusted = f", adjusted by {CORRECTIONS[correction]}" if correction else ""
        texts.append(f"p: {title}{adjusted}; it stands beside the interval.")
    held = {
        (item.simultaneous.title, item.simultaneous.n_comparisons)
        for item in comparisons
        if item.simultaneous is not None
    }
    for title, count in sorted(held):
        texts.append(f"All together: intervals of {count} comparisons that hold at once ({title}).")
    if len(comparisons) == 1 and not math.isnan(comparisons[0].superiority):
        share = percent(round(comparisons[0].superiority, 3))
        texts.append(
            f"{comparisons[0].first} is the better one in {share} of the cases, ties half."
        )
    unmatched = {item.estimate.label: item.n_unmatched for item in comparisons if item.n_unmatched}
    for label, count in unmatched.items():
        about = f"{label}: " if label else ""
        texts.append(f"{about}{count} cases left out that were not there for all models.")
    return texts


def _goals(goals: tuple[GoalResult, ...]) -> Table:
    columns = (
        Column("model", Kind.NAME),
        Column("label"),
        Column("value", Kind.NUMBER),
        Column("CI", Kind.INTERVAL),
        Column("goal", Kind.NUMBER),
        Column("reached", Kind.NAME),
    )
    rows = tuple(
        (
            Cell(one.model),
            Cell(one.estimate.label),
            Cell(one.estimate.text_of(one.estimate.value), one.estimate.value),
            Cell(
                f"{one.estimate.text_of(one.estimate.low)} to "
                f"{one.estimate.text_of(one.estimate.high)}",
                (one.estimate.low, one.estimate.high),
            ),
            Cell(fixed(one.goal, one.estimate.decimals), one.goal),
            Cell("yes" if one.met else "not shown"),
        )
        for one in goals
    )
    table = Table(columns, rows)
    if any(one.estimate.label for one in goals):
        return table
    return Table(
        tuple(column for column in columns if column.heading != "label"),
        tuple((row[0], *row[2:]) for row in rows),
    )


def _cautions(comparisons: Comparisons) -> Adaptive:
    """Each code once, with its message, and how many rows share it."""
    items = tuple(Item(code, text, code) for code, text in comparisons.caution_lines())
    part = (Items(items, CAUTIONS_TITLE),) if items else ()
    return Adaptive(part, (Items(items),) if items else ())


def _seed(comparisons: Comparisons) -> Adaptive:
    estimates = [item.estimate for item in comparisons]
    seeds = {estimate.seed for estimate in estimates if estimate.seed is not None}
    drawn = [estimate.n_resamples or 0 for estimate in estimates]
    drawn += [item.test.n_resamples or 0 for item in comparisons if item.test is not None]
    resamples = max(drawn, default=0)
    text = f", {resamples} resamples" if resamples else ""
    return Adaptive((Note(f"Seed {seeds.pop()}{text}."),) if seeds else (), ())
