"""What stands beside a difference of two models: tests, intervals of a family, verdicts, goals."""

from __future__ import annotations

import math
from typing import Any

from halfwidth.core.cautions import Caution
from halfwidth.core.formatting import plain
from halfwidth.core.frozen import frozen
from halfwidth.results.estimate import Estimate


@frozen
class TestResult:
    """A test that two models do equally well; it stands beside the p value of the interval.

    Attributes
    ----------
    name : str
        ``"permutation"``, ``"mcnemar"``, ``"mcnemar_midp"`` or ``"wilcoxon"``.
    title : str
        The test in prose: ``sign-flip permutation``.
    p_value : float
        Two-sided; NaN where the test cannot be made.
    n_resamples : int or None
        Permutations drawn; None where all were counted or none are needed.
    adjusted : float
        The p-value adjusted for all comparisons; NaN where there is one comparison only.
    correction : str
        How it was adjusted: ``"holm"``, ``"bonferroni"``, ``"benjamini_hochberg"``; empty for one.
    cautions : tuple of Caution
        About the test itself.
    """

    __test__ = False  # not a class of tests

    name: str
    title: str
    p_value: float
    n_resamples: int | None = None
    adjusted: float = math.nan
    correction: str = ""
    cautions: tuple[Caution, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain types, NaN as None."""
        return {
            "name": self.name,
            "p_value": plain(self.p_value),
            "n_resamples": self.n_resamples,
            "adjusted": plain(self.adjusted),
            "correction": self.correction or None,
        }


# The ways to make intervals hold together, in prose, where their name does not say it (decision
# 0051).
SIMULTANEOUS_TITLES = {"max_t": "max-t bootstrap"}


@frozen
class SimultaneousInterval:
    """An interval that holds together with those of all other comparisons of its family.

    Attributes
    ----------
    low, high : float
    method : str
        ``"dirichlet"``, ``"max_t"`` or ``"bonferroni"``.
    n_comparisons : int
        How many hold together.
    """

    low: float
    high: float
    method: str
    n_comparisons: int

    @property
    def title(self) -> str:
        """The method in prose."""
        return SIMULTANEOUS_TITLES.get(self.method, self.method.replace("_", "-").title())

    def to_dict(self) -> dict[str, Any]:
        """Plain types, NaN as None."""
        return {
            "low": plain(self.low),
            "high": plain(self.high),
            "method": self.method,
            "n_comparisons": self.n_comparisons,
        }


BETTER, WORSE, OPEN, TOO_FEW = "better", "worse", "open", "too few pairs"
NON_INFERIOR, NON_SUPERIOR = "non-inferior", "non-superior"
# Whether the better model is so by more than the margin.
SHOWN, UNDECIDED, EXCLUDED = "shown", "open", "excluded"


@frozen
class Verdict:
    """What a comparison allows to say of its first model, by p values that are at most α.

    Attributes
    ----------
    word : {"better", "worse", "non-inferior", "non-superior", "open", "too few pairs"}
        With a margin a model that is not shown to be better or worse may be shown not to be worse
        by the margin (``"non-inferior"``), or not to be better by it, the other one then not being
        worse (``"non-superior"``). Of too few pairs no exact test has a p value of at most α.
    sentence : str
    margin : float or None
    beyond_margin : {"shown", "open", "excluded"} or None
        Whether the better model is so by more than the margin; None where none is better, or
        without a margin.
    p_not_worse : tuple of float
        P values of the first model, and of the second, not being worse by the margin; NaN without.
    least_p : float
        What no p value of so few units, in so large a family, is below.
    equivalent : bool or None
        Whether the interval at 1 - 2α lies within ±margin; None without a margin.
    equivalence_low, equivalence_high : float
        That interval of the difference (or ratio); NaN where it was not computed.
    simultaneous : bool
        Whether the p values are adjusted for the number of comparisons.
    lead_needed : float
        How far ahead a model would have to be at this n for the interval to exclude what it must:
        without a margin 0, of the model that is ahead (below 0 where that is the second); else the
        margin on the bad side of the first (below 0 where some loss would pass). Oriented; NaN
        without an interval.
    n_needed : int or None
        How many cases (clusters, where there are any) would settle the difference that was seen
        with a power of 80 %, to two digits; None where it is settled, or lies so near the limit
        that thirty times as many would not.
    """

    word: str
    sentence: str
    margin: float | None = None
    beyond_margin: str | None = None
    p_not_worse: tuple[float, float] = (math.nan, math.nan)
    least_p: float = 0.0
    equivalent: bool | None = None
    equivalence_low: float = math.nan
    equivalence_high: float = math.nan
    simultaneous: bool = False
    lead_needed: float = math.nan
    n_needed: int | None = None

    @property
    def not_inferior(self) -> bool:
        """Whether the first model is shown not to be worse by the margin."""
        by_less = self.word == WORSE and self.beyond_margin == EXCLUDED
        return self.word in (BETTER, NON_INFERIOR) or by_less

    @property
    def inferior(self) -> bool:
        """Whether the first model is shown to be worse by the margin."""
        return self.word == WORSE and self.beyond_margin == SHOWN

    @property
    def unsettled(self) -> bool:
        """Whether more cases could say who is better, or if the first is worse by the margin."""
        if self.margin is None or self.word == TOO_FEW:
            return self.word == OPEN
        return not (self.not_inferior or self.inferior)

    def to_dict(self) -> dict[str, Any]:
        """Plain types, NaN as None."""
        return {
            "word": self.word,
            "sentence": self.sentence,
            "margin": self.margin,
            "beyond_margin": self.beyond_margin,
            "p_not_worse": [plain(p) for p in self.p_not_worse],
            "equivalent": self.equivalent,
            "equivalence_low": plain(self.equivalence_low),
            "equivalence_high": plain(self.equivalence_high),
            "simultaneous": self.simultaneous,
            "lead_needed": plain(self.lead_needed),
            "n_needed": self.n_needed,
        }


@frozen
class GoalResult:
    """Whether one model reaches a goal: its bound lies beyond it.

    Attributes
    ----------
    model : str
    estimate : Estimate
        Of that model alone.
    goal : float
    met : bool
    sentence : str
    """

    model: str
    estimate: Estimate
    goal: float
    met: bool
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        """Plain types, NaN as None."""
        return {
            "model": self.model,
            "goal": self.goal,
            "met": self.met,
            "sentence": self.sentence,
            "estimate": self.estimate.to_dict(),
        }
