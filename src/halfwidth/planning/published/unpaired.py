"""Differences of published numbers that are of different cases, with an interval and a p-value."""

from __future__ import annotations

import math

from halfwidth.core.formatting import as_given, decimals_for, fixed, fixed_apart, percent
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Level
from halfwidth.intervals.two_samples import mover, newcombe_unpaired, welch
from halfwidth.planning.published.claims import AurocClaim, Claim, CountClaim, MeanClaim
from halfwidth.planning.published.leads import difference, reaches_of
from halfwidth.results.comparison_words import p_equals, p_text

# Names of methods, and what stands for them in a sentence.
METHODS = {
    "mean": (welch.__name__, "Welch"),
    "proportion": (newcombe_unpaired.__name__, "Newcombe"),
    "auroc": (mover.__name__, "MOVER"),
}
# Halvings of the range of levels, in which a p is looked for.
STEPS = 60
SMALLEST_P = 1e-12
CONDITION = (
    "This holds if the two numbers are of different patients of the same kind: cases that both "
    "test sets share, or another mix of cases, change it"
)


@frozen
class UnpairedDifference:
    """Two published numbers of different cases: how far they differ, and how sure that is."""

    # What the two have in common: the structure or the task, and the metric.
    part: str
    subject: str
    # The better one and the other.
    first: str
    second: str
    value: float
    versus: float
    difference: float
    low: float
    high: float
    # The level at which the interval ends at 0.
    p: float
    n: int
    n_versus: int
    method: str
    confidence_level: float
    # Whether an SD is a guess.
    approximate: bool
    given_decimals: int

    @property
    def decimals(self) -> int:
        """Decimals shown, as many as the numbers were given with at least."""
        half = (self.high - self.low) / 2
        return as_given(decimals_for(self.difference, half) if half else 0, self.given_decimals)

    def sentence(self) -> str:
        """The difference, its interval and p, and on what they rest."""
        low, high = (fixed_apart(end, self.decimals) for end in (self.low, self.high))
        called = next(name for method, name in METHODS.values() if method == self.method)
        guessed = ", SD guessed" * self.approximate
        of = ", ".join(filter(None, [self.part, self.subject]))
        against = f"{self.first} against {self.second}, {of}" if self.first else of
        return (
            f"{against}: difference {fixed(self.difference, self.decimals)} "
            f"({percent(self.confidence_level)} CI {low} to {high}; n = {self.n} and "
            f"{self.n_versus}; {called}{guessed}; {p_equals(p_text(self.p))})."
        )


def unpaired_difference(
    claim: Claim, rival: Claim, level: Level, names: tuple[str, str] = ("", ""), part: str = ""
) -> UnpairedDifference:
    """The difference of two claims of one kind on different cases."""
    low, high = _interval(claim, rival, level)
    return UnpairedDifference(
        part,
        claim.metric.spec.display or claim.metric.spec.name,
        *names,
        claim.value,
        rival.value,
        claim.value - rival.value,
        low,
        high,
        _p(claim, rival),
        claim.n,
        rival.n,
        METHODS[claim.kind][0],
        level.confidence_level,
        "guess" in (claim.source, rival.source),
        max(claim.decimals, rival.decimals),
    )


def _interval(claim: Claim, rival: Claim, level: Level) -> tuple[float, float]:
    if isinstance(claim, MeanClaim) and isinstance(rival, MeanClaim):
        both = (claim, rival)
        errors = [one.spread.sd / math.sqrt(one.n) for one in both]
        ends = welch([one.value for one in both], errors, [one.n - 1 for one in both], level)
        low, high = float(ends.low), float(ends.high)
    elif isinstance(claim, CountClaim) and isinstance(rival, CountClaim):
        ends = newcombe_unpaired((claim.successes, rival.successes), (claim.n, rival.n), level)
        low, high = float(ends.low), float(ends.high)
    else:
        (reach, *_), (other, *_) = reaches_of(claim, level), reaches_of(rival, level)
        low, high = difference(claim.value, rival.value, reach, other, 0.0)
    width = claim.metric.spec.bounds.width
    return max(low, -width), min(high, width)


def _p(claim: Claim, rival: Claim) -> float:
    """The smallest α at which the interval of level 1 - α does not hold 0."""
    if claim.value == rival.value:
        return 1.0

    def holds(alpha: float) -> bool:
        low, high = _interval(claim, rival, Level(1 - alpha))
        return low <= 0 <= high

    least, most = math.log(SMALLEST_P), 0.0
    for _ in range(STEPS):
        middle = (least + most) / 2
        least, most = (middle, most) if holds(math.exp(middle)) else (least, middle)
    return math.exp(most)


def cases_of(claim: Claim) -> tuple[int, int | None]:
    """How many cases a number is of, and how many of them are positive, where it says so."""
    return claim.n, claim.positives if isinstance(claim, AurocClaim) else None
