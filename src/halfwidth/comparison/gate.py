"""The gate of continuous integration: whether a new model is worse than the old by a margin.

Passing takes every comparison to be non-inferior, and needs no correction: a model that is worse
somewhere must slip through there. Failing takes one to be inferior, and would be the likelier the
more there are; with m comparisons its bound is that of the level 1 - α/m.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from decimal import Decimal

from halfwidth.core.errors import OptionError
from halfwidth.core.formatting import percent
from halfwidth.core.types import Level
from halfwidth.results.comparison import Comparisons, Difference, Verdict
from halfwidth.results.comparison_words import failing_text, share_that_undoes
from halfwidth.results.gate import FAILED, PASSED, UNDECIDED, Gate


def judge(compare_at: Callable[[float], Comparisons], confidence_level: float) -> Gate:
    """Judge a new model by its comparisons with the old one, with a margin, at a level.

    At a true difference of minus the margin a single comparison passes and fails with a probability
    of α/2 each.
    """
    comparisons = compare_at(confidence_level)
    inferior = [_verdict(item).inferior for item in comparisons]
    stricter, several = inferior, len(inferior)
    if any(inferior) and several > 1:
        alpha = Decimal(repr(Level(confidence_level).alpha))
        stricter = [_verdict(item).inferior for item in compare_at(float(1 - alpha / several))]
    if any(stricter):
        return Gate(comparisons, FAILED, _first_of(comparisons, stricter, "inferior"))
    not_shown = [not _verdict(item).not_inferior for item in comparisons]
    if not any(not_shown):
        return Gate(comparisons, PASSED, _all_of(comparisons) + _undone(comparisons))
    reason = _first_of(comparisons, not_shown, "open")
    if any(inferior):
        level = 1 - Level(confidence_level).alpha / several
        reason += f" At {percent(level)}, by which one of {several} fails, it is not shown."
    return Gate(comparisons, UNDECIDED, reason)


def _undone(comparisons: Comparisons) -> str:
    """Which share of failures of the new model alone would undo the outcome; empty if unknown."""
    shares = [(share, item) for item in comparisons if (share := share_that_undoes(item)) < 1]
    if not shares:
        return ""
    share, item = min(shares, key=lambda one: one[0])
    where = f" of {item.label}" if item.label and len(comparisons) > 1 else ""
    return f" Undone if {item.first} alone {failing_text(item, share, where)}."


def _verdict(item: Difference) -> Verdict:
    if item.verdict is None or item.verdict.margin is None:
        raise OptionError(
            f"{item.subject}: no margin says what a loss is, as neither more nor less of it is "
            "better; leave it out of the gate"
        )
    return item.verdict


def _places(comparisons: Comparisons) -> list[str]:
    """What each comparison is of: its level and its metric."""
    return [" / ".join(filter(None, [item.label, item.subject])) for item in comparisons]


def _first_of(comparisons: Comparisons, chosen: Sequence[bool], outcome: str) -> str:
    """The sentence of the first chosen comparison, and where else the same holds."""
    places = zip(comparisons, _places(comparisons), strict=True)
    (first, _), *others = itertools.compress(places, chosen)
    more = "; ".join(f"{other} ({_interval(item)})" for item, other in others)
    return first.sentence() + (f" Also {outcome}: {more}." if more else "")


def _interval(item: Difference) -> str:
    """``-4.8 to 0.5 mm, margin 1``."""
    unit = f" {item.metric_spec.unit}" if item.metric_spec.unit else ""
    margin = "" if item.verdict is None else f", margin {item.verdict.margin:g}"
    return f"{item.estimate.ends_text}{unit}{margin}"


def _all_of(comparisons: Comparisons) -> str:
    first = comparisons[0]
    if len(comparisons) == 1:
        return _first_of(comparisons, [True], "")
    listed = [
        f"{place} (margin {item.verdict.margin:g})" if item.verdict else place
        for item, place in zip(comparisons, _places(comparisons), strict=True)
    ]
    return (
        f"{first.first} is not inferior to {first.second} in any of {len(comparisons)} "
        f"comparisons: {', '.join(listed)}."
    )
