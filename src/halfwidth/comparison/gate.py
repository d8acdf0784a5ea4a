"""The gate of continuous integration: whether a new model is worse than the old by a margin.

Passing takes every comparison to be non-inferior, and needs no correction: a model that is worse
somewhere must slip through there. Failing takes one to be inferior, and would be the likelier the
more there are; with m comparisons its bound is that of the level 1 - α/m.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from decimal import Decimal

from halfwidth.comparison.verdicts import INCONCLUSIVE, INFERIOR
from halfwidth.core.errors import OptionError
from halfwidth.core.formatting import percent
from halfwidth.core.types import Level
from halfwidth.results.comparison import Comparisons, Difference
from halfwidth.results.gate import FAILED, PASSED, UNDECIDED, Gate

NOT_SHOWN = (INCONCLUSIVE, INFERIOR)


def judge(compare_at: Callable[[float], Comparisons], confidence_level: float) -> Gate:
    """Judge a new model by its comparisons with the old one, with a margin, at a level.

    At a true difference of minus the margin a single comparison passes and fails with a probability
    of α/2 each.
    """
    comparisons = compare_at(confidence_level)
    words = [_word(item) for item in comparisons]
    stricter = words
    if INFERIOR in words and len(words) > 1:
        alpha = Decimal(repr(Level(confidence_level).alpha))
        stricter = [_word(item) for item in compare_at(float(1 - alpha / len(words)))]
    inferior = [word == INFERIOR for word in stricter]
    if any(inferior):
        return Gate(comparisons, FAILED, _first_of(comparisons, inferior))
    not_shown = [word in NOT_SHOWN for word in words]
    if not any(not_shown):
        return Gate(comparisons, PASSED, _all_of(comparisons))
    reason = _first_of(comparisons, not_shown)
    if INFERIOR in words:
        level = 1 - Level(confidence_level).alpha / len(words)
        reason += f" At {percent(level)}, by which one of {len(words)} fails, it is not shown."
    return Gate(comparisons, UNDECIDED, reason)


def _word(item: Difference) -> str:
    if item.verdict is None or item.verdict.margin is None:
        raise OptionError("a gate needs comparisons with a margin")
    return item.verdict.word


def _places(comparisons: Comparisons) -> list[str]:
    """What each comparison is of: its level, and its metric where levels do not tell them apart."""
    labels = [item.estimate.label for item in comparisons]
    if len(set(labels)) == len(labels):
        return labels
    return [
        " / ".join(filter(None, [label, item.subject]))
        for label, item in zip(labels, comparisons, strict=True)
    ]


def _first_of(comparisons: Comparisons, chosen: Sequence[bool]) -> str:
    """The verdict of the first chosen comparison, and where else the same holds."""
    places = zip(comparisons, _places(comparisons), strict=True)
    (first, place), *others = itertools.compress(places, chosen)
    text = first.verdict.sentence.removeprefix("Inconclusive: ") if first.verdict else ""
    more = f" Likewise {', '.join(other for _, other in others)}." if others else ""
    return f"{place}: {text}{more}" if place else f"{text}{more}"


def _all_of(comparisons: Comparisons) -> str:
    first = comparisons[0]
    if len(comparisons) == 1 or first.verdict is None:
        return _first_of(comparisons, [True])
    return (
        f"{first.first} is not inferior to {first.second} by the margin of "
        f"{first.verdict.margin:g} in any of {len(comparisons)} comparisons: "
        f"{', '.join(_places(comparisons))}."
    )
