"""Comparisons as a document."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from halfwidth.core.formatting import fixed, percent
from halfwidth.core.forms import NO_EFFECT
from halfwidth.core.option_names import spelled_both
from halfwidth.core.spec import Better
from halfwidth.document.parts import (
    Adaptive,
    Cell,
    Column,
    Data,
    Document,
    Item,
    Items,
    Kind,
    Note,
    Part,
    Table,
)
from halfwidth.results.comparison_results import OPEN, TOO_FEW
from halfwidth.results.comparison_words import (
    CORRECTIONS,
    MOST_SENTENCES,
    equivalence_sentence,
    families_of,
    family_sentence,
)
from halfwidth.results.documents.comparison_tables import tables
from halfwidth.results.documents.estimates import interval_column, rule_note
from halfwidth.results.fields import caution_items, seed_note

if TYPE_CHECKING:
    from halfwidth.results.comparison import Comparisons, GoalResult


def comparisons_document(comparisons: Comparisons) -> Document:
    """A table of differences, what they allow to say, goals, cautions, and the seed."""
    data = Data(comparisons.to_dict, comparisons.to_rows)
    parts: list[Part] = []
    if comparisons:
        remarks = tuple(map(Note, _remarks(comparisons)))
        parts += [tables(comparisons), *_verdicts(comparisons), Adaptive(remarks, remarks)]
    if comparisons.goals:
        parts += [_goals(comparisons.goals), *_goal_sentences(comparisons.goals)]
    if not parts:
        return Document((Note("No comparisons."),), data)
    chosen = [item.estimate for item in (*comparisons, *comparisons.goals)]
    below = [*caution_items(comparisons.caution_lines()), rule_note(chosen), _seed(comparisons)]
    return Document((*parts, *(part for part in below if part.short or part.full)), data)


# --------------------------------------------------------------------------- below the table


def _verdicts(comparisons: Comparisons) -> tuple[Part, ...]:
    """What each comparison allows to say; of many, what those of a level do."""
    items = [item for item in comparisons if item.verdict is not None]
    if not items:
        return ()
    title = "Verdict" if len(items) == 1 else "Verdicts"
    if len(items) > MOST_SENTENCES:
        texts = [family_sentence(family) for family in families_of(items)]
    else:
        texts = [f"{item.sentence()} {equivalence_sentence(item)}".rstrip() for item in items]
    return (Items(tuple(Item("", text) for text in texts), title),)


def _remarks(comparisons: Comparisons) -> list[str]:
    """What p-values and simultaneous intervals are, superiority, and cases left out."""
    texts = []
    if all(item.verdict is None for item in comparisons):
        better = comparisons[0].metric_spec.spec.better
        subject = "value" if better is Better.UNSTATED else comparisons[0].subject
        hint = f" ({spelled_both('metric')} does)" if better is Better.UNSTATED else ""
        texts.append(
            f"No verdict: the {subject} {better} is better, which a difference does not show."
            if better in (Better.ZERO, Better.ONE)
            else f"No verdict: nothing says whether a higher or a lower {subject} is better{hint}."
        )
    if any(not math.isnan(item.p_value) for item in comparisons):
        texts.append(_p_remark(comparisons))
    tests = {(item.test.title, item.test.correction) for item in comparisons if item.test}
    for title, correction in sorted(tests):
        adjusted = f", adjusted by {CORRECTIONS[correction]}" if correction else ""
        texts.append(f"p, {title}: another test{adjusted}; verdicts do not rest on it.")
    held = {
        (item.simultaneous.title, item.simultaneous.n_comparisons)
        for item in comparisons
        if item.simultaneous is not None
    }
    for title, count in sorted(held):
        texts.append(
            f"All together: intervals of {count} comparisons that hold at once ({title})"
            f"{_claims_text(comparisons)}."
        )
    if len(comparisons) == 1 and not math.isnan(comparisons[0].superiority):
        share = percent(round(comparisons[0].superiority, 3))
        where = "the cases" if comparisons[0].paired else "all pairs of a case of each"
        texts.append(
            f"{comparisons[0].first} is the better one in {share} of {where} (ties count half)."
        )
    return texts


def _p_remark(comparisons: Comparisons) -> str:
    """What p is, and how many comparisons it allows for."""
    families = {(item.correction, item.n_comparisons) for item in comparisons if item.correction}
    excludes = f"excludes {NO_EFFECT[comparisons[0].effect]:g}"
    if not families:
        return f"p: the least alpha at which the interval {excludes}."
    adjusted = ", ".join(
        f"by {CORRECTIONS[correction]} for {count} comparisons"
        for correction, count in sorted(families)
    )
    return (
        f"p: the least alpha at which the interval of a pair alone {excludes}, adjusted {adjusted}."
    )


def _claims_text(comparisons: Comparisons) -> str:
    """What an interval says that ends at a claim of stepwise tests."""
    verdicts = [item.verdict for item in comparisons if item.correction != "bonferroni"]
    if all(one is None or one.word in (OPEN, TOO_FEW) for one in verdicts):
        return ""
    ends = f"{NO_EFFECT[comparisons[0].effect]:g}"
    if any(one is not None and one.margin for one in verdicts):
        ends += " or at the margin"
    return f"; one that ends at {ends} says no more than the verdict"


def _goal_sentences(goals: tuple[GoalResult, ...]) -> tuple[Part, ...]:
    """What each bound allows to say, where there are few enough to be read."""
    if len(goals) > MOST_SENTENCES:
        return ()
    named = [f"{one.estimate.label}: {one.sentence}".removeprefix(": ") for one in goals]
    return (Items(tuple(Item("", text) for text in named), "Goal"),)


def _goals(goals: tuple[GoalResult, ...]) -> Table:
    column, interval = interval_column([one.estimate for one in goals])
    columns = (
        Column("model"),
        Column("label"),
        Column("value", Kind.NUMBER),
        column,
        Column("goal", Kind.NUMBER),
        Column("reached", Kind.NAME),
    )
    rows = tuple(
        (
            Cell(one.model),
            Cell(one.estimate.label),
            Cell(one.estimate.text_of(one.estimate.value), one.estimate.value),
            interval(one.estimate),
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


def _seed(comparisons: Comparisons) -> Adaptive:
    estimates = [item.estimate for item in comparisons]
    resamples = [e.n_resamples for e in estimates]
    resamples += [item.test.n_resamples for item in comparisons if item.test is not None]
    return seed_note((e.seed for e in estimates), resamples)
