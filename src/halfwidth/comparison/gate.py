"""The gate of continuous integration: whether a new model is worse than the old by a margin.

Passing takes every comparison to be non-inferior, and needs no correction: a model that is worse
somewhere must slip through there. Failing takes one to be inferior, and would be the likelier the
more there are; with m comparisons its bound is that of the level 1 - α/m.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from halfwidth.comparison.verdicts import INCONCLUSIVE, INFERIOR
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Level
from halfwidth.results.comparison import Comparisons, Difference
from halfwidth.results.result import SCHEMA_VERSION

PASSED, FAILED, UNDECIDED = "passed", "failed", "undecided"
NOT_SHOWN = (INCONCLUSIVE, INFERIOR)
# Neither 1 to 3, which say what else went wrong, nor what shells use.
STATUS = {PASSED: 0, FAILED: 4, UNDECIDED: 5}


@frozen
class Gate:
    """Whether the new model may pass.

    Attributes
    ----------
    comparisons : Comparisons
        The new model against the old one, with verdicts.
    outcome : {"passed", "failed", "undecided"}
        Not inferior by the margin; inferior; too few cases to say.
    sentence : str
        Why, on one line.
    """

    comparisons: Comparisons
    outcome: str
    sentence: str

    @property
    def status(self) -> int:
        """Exit status of the command: 0, 4 or 5."""
        return STATUS[self.outcome]

    @property
    def line(self) -> str:
        """The outcome and its sentence."""
        return f"{self.outcome}: {self.sentence}"

    def to_dict(self) -> dict[str, Any]:
        """The outcome, and the JSON contract of the comparisons."""
        needed = [item.verdict.n_needed for item in self.comparisons if item.verdict]
        return {
            "schema_version": SCHEMA_VERSION,
            "gate": {
                "outcome": self.outcome,
                "status": self.status,
                "sentence": self.sentence,
                "n_needed": max((n for n in needed if n is not None), default=None),
            },
            **self.comparisons.to_dict(),
        }

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each comparison, after the outcome of all."""
        return [{"outcome": self.outcome, **row} for row in self.comparisons.to_rows()]


def judged(compare_at: Callable[[float], Comparisons], confidence_level: float) -> Gate:
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
