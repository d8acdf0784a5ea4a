"""The gate of continuous integration: whether a new model is worse than the old by a margin.

Passing takes every comparison to be non-inferior, and needs no correction: a model that is worse
somewhere must slip through there. Failing takes one to be inferior, and would be the likelier the
more there are; with m comparisons its bound is that of the level 1 - α/m.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from halfwidth.comparison.verdicts import INCONCLUSIVE, INFERIOR
from halfwidth.core.errors import OptionError
from halfwidth.core.types import Level
from halfwidth.results.comparison import Comparisons, Difference
from halfwidth.results.gate import FAILED, PASSED, UNDECIDED, Gate

NOT_SHOWN = (INCONCLUSIVE, INFERIOR)


def judge(compare_at: Callable[[float], Comparisons], confidence_level: float) -> Gate:
    """Judge a new model by its comparisons with the old one.

    Parameters
    ----------
    compare_at : callable
        From a confidence level to the comparisons, new against old with a margin: one, or one for
        each of several organs, tasks, ...
    confidence_level : float
        1 - α. At a true difference of minus the margin a single comparison passes and fails with
        a probability of α/2 each.
    """
    comparisons = compare_at(confidence_level)
    words = [_word(item) for item in comparisons]
    stricter = words
    if INFERIOR in words and len(words) > 1:
        alpha = Decimal(repr(Level(confidence_level).alpha))
        stricter = [_word(item) for item in compare_at(float(1 - alpha / len(words)))]
    inferior = [item for item, word in zip(comparisons, stricter, strict=True) if word == INFERIOR]
    if inferior:
        return Gate(comparisons, FAILED, _first_of(inferior))
    shown = [item for item, word in zip(comparisons, words, strict=True) if word in NOT_SHOWN]
    if shown:
        return Gate(comparisons, UNDECIDED, _first_of(shown))
    return Gate(comparisons, PASSED, _all_of(comparisons))


def _word(item: Difference) -> str:
    if item.verdict is None or item.verdict.margin is None:
        raise OptionError("a gate needs comparisons with a margin")
    return item.verdict.word


def _place(item: Difference) -> str:
    return item.estimate.label


def _first_of(items: list[Difference]) -> str:
    """The sentence of the first, and how many there are more."""
    first = items[0]
    text = first.verdict.sentence.removeprefix("Inconclusive: ") if first.verdict else ""
    place = f"{_place(first)}: " if _place(first) else ""
    others = [_place(item) for item in items[1:]]
    more = f" Likewise {', '.join(others)}." if others else ""
    return f"{place}{text}{more}"


def _all_of(comparisons: Comparisons) -> str:
    first = comparisons[0]
    if len(comparisons) == 1 or first.verdict is None:
        return _first_of([first])
    return (
        f"{first.first} is not inferior to {first.second} by the margin of "
        f"{first.verdict.margin:g} in any of {len(comparisons)} comparisons: "
        f"{', '.join(map(_place, comparisons))}."
    )
