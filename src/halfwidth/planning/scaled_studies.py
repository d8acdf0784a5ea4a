"""Studies simulated at few numbers of cases, whose intervals tell of those at numbers between.

With n' cases instead of n the ends of an interval lie about √(n / n') times as far from the true
value. Studies are simulated at nodes, each a tenth larger than the one before, and what holds at n
lies between what those of either side say of it. Draws have fixed keys: a plan is the same whenever
it is asked for, and the width that it finds is that of its n.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import field

import numpy as np

from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array, Interval
from halfwidth.planning.width_formulas import MOST_CASES, ROUNDING

NODES_APART = 1.1
ROUNDS, NEAR = 6, 1.03
# The last steps are of so many parts of n.
STEPS = 1000

# What is asked of the ends of intervals.
Question = Callable[[Array, Array], float]


@frozen(eq=False)
class ScaledStudies:
    """Intervals of simulated studies, and how many cases a share of them needs."""

    # Intervals of many studies of n cases.
    simulate: Callable[[int], Interval]
    # What they estimate.
    truth: float
    # Fewest cases with an interval, and those beyond which nothing but the scale changes.
    least: int
    largest: int
    known: dict[int, Interval] = field(default_factory=dict)

    def width(self, n: int, *, simulate: bool = True) -> float:
        """The mean width; for a figure from the nodes that there are."""
        return self._answer(n, lambda low, high: float((high - low).mean()), simulate=simulate)

    def ends(self, n: int) -> tuple[float, float]:
        """Where the ends of an interval lie on average."""
        low = self._answer(n, lambda low, _: float(low.mean()))
        return low, self._answer(n, lambda _, high: float(high.mean()))

    def power(self, n: int, margin: float | None) -> float:
        """How often an interval excludes 0, or lies above -margin."""

        def shown(low: Array, high: Array) -> float:
            limit = -(margin or 0.0)
            return float(((low > limit) | ((high < 0) & (margin is None))).mean())

        return self._answer(n, shown)

    def note(self, n: int, *, power: float | None = None, share: float | None = None) -> str:
        """How sure a number found by simulation is."""
        studies = sum(len(self.known[size].low) for _, size in self._nodes(n))
        found = power if power is not None else share
        if found is None:
            spread = self._answer(n, lambda low, high: float((high - low).std()))
            error = 100 * spread / self.width(n) / math.sqrt(studies)
            told = f"of the mean width {error:.1f} %"
        else:
            error = 100 * math.sqrt(found * (1 - found) / studies)
            told = f"of the {'share of studies' if power is None else 'power'} {error:.1f} points"
        return f"By simulation of {studies} studies: Monte-Carlo standard error {told}."

    def cases_for_width(self, wanted: float, share: float | None, start: int) -> int:
        """The fewest cases with so narrow an interval on average, or in a share of the studies."""

        def exceeds(low: Array, high: Array) -> float:
            widths = high - low
            typical = widths.mean() if share is None else np.quantile(widths, share)
            return float(typical / wanted)

        return self._cases_for(exceeds, start)

    def cases_for_power(self, power: float, margin: float | None, start: int) -> int:
        """The fewest cases of which so many studies exclude 0, or a loss of the margin."""
        ahead = self.truth + (margin or 0.0)

        def exceeds(low: Array, high: Array) -> float:
            # The end that has to pass the limit does where it lies nearer to the truth.
            reach = (self.truth - low if ahead > 0 else self.truth - high) / ahead
            return float(np.quantile(reach, power))

        return self._cases_for(exceeds, start)

    def _cases_for(self, exceeds: Question, start: int) -> int:
        """The number of cases from which on ends are near enough: by a factor that is 1 at most."""
        n = max(start, self.least)
        for turn in range(ROUNDS):
            # Where nothing is in the way, no case more is needed.
            factor = max(self._answer(n, exceeds), 0.0)
            # What few cases cost falls faster than the scale: half of the way, after the first.
            asked = max(n * factor ** (2 if turn == 0 else 1), self.least)
            if not asked < MOST_CASES:
                raise OptionError(
                    f"the plan takes more than {MOST_CASES} cases; ask for a wider interval or "
                    "less power"
                )
            n = math.ceil(asked)
            if 1 / NEAR < factor < NEAR:
                break
        step = max(1, n // STEPS)
        while n - step >= self.least and self._answer(n - step, exceeds) <= 1 + ROUNDING:
            n -= step
        while self._answer(n, exceeds) > 1 + ROUNDING:
            n += step
        return n

    def _answer(self, n: int, question: Question, *, simulate: bool = True) -> float:
        """What studies of n cases say, between the nodes on either side of it."""
        nodes = self._nodes(n)
        for _, size in nodes:
            if size not in self.known and simulate:
                self.known[size] = self.simulate(size)
        if any(size not in self.known for _, size in nodes):
            nodes = [(1.0, min(self.known, key=lambda size: abs(math.log(size / n))))]
        answer = 0.0
        for share, size in nodes:
            ends, scale = self.known[size], math.sqrt(size / n)
            low, high = (self.truth + scale * (end - self.truth) for end in (ends.low, ends.high))
            answer += share * question(low, high)
        return answer

    def _nodes(self, n: int) -> list[tuple[float, int]]:
        """The nodes on either side of n, and how much they say of it."""
        if n <= self.least or n >= self.largest:
            return [(1.0, self.least if n <= self.least else self.largest)]
        place = math.floor(math.log(n / self.least) / math.log(NODES_APART) + ROUNDING)
        low, high = (self._node(place + k) for k in (0, 1))
        if n >= high:
            low, high = high, self._node(place + 2)
        share = math.log(n / low) / math.log(high / low) if high > low else 0.0
        return [(1 - share, low), (share, high)] if share else [(1.0, low)]

    def _node(self, place: int) -> int:
        return min(math.floor(self.least * NODES_APART**place), self.largest)
