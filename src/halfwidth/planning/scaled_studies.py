"""Studies simulated at few numbers of cases, whose intervals tell of those at numbers nearby.

With n' cases instead of n the ends of an interval lie about √(n / n') times as far from the true
value, so that studies of any number ask for another one; how what they ask for changes with their
own number says at which both are the same. Draws have fixed keys: a plan is the same whenever it is
asked for.
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

# Studies of numbers this near, or one case away, stand for each other; those within more count too.
SAME, NEAR = 1.02, 1.06
ROUNDS, FEWEST_ROUNDS, POINTS = 8, 3, 4
# By which power of n what is asked for may change.
SLOPES = (-1.5, 0.5)


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

    def at(self, n: int, *, simulate: bool = True) -> tuple[Array, Array]:
        """Both ends of the intervals of studies of n cases; of the nearest n, for a figure."""
        size = min(max(n, self.least), self.largest)
        sizes = [one for one in self.known if _apart(one, size) <= NEAR or _same(one, size)]
        if simulate and not any(_same(one, size) for one in self.known):
            self.known[size] = self.simulate(size)
            sizes.append(size)
        sizes = sizes or [min(self.known, key=lambda one: _apart(one, size))]
        scaled = [
            self.truth + math.sqrt(one / n) * (np.stack([ends.low, ends.high]) - self.truth)
            for one, ends in ((one, self.known[one]) for one in sizes)
        ]
        low, high = np.concatenate(scaled, axis=1)
        return low, high

    def width(self, n: int, *, simulate: bool = True) -> float:
        """The mean width."""
        low, high = self.at(n, simulate=simulate)
        return float((high - low).mean())

    def ends(self, n: int) -> tuple[float, float]:
        """Where the ends of an interval lie on average."""
        low, high = self.at(n)
        return float(low.mean()), float(high.mean())

    def power(self, n: int, margin: float | None) -> float:
        """How often an interval excludes 0, or lies above -margin."""
        low, high = self.at(n)
        if margin is not None:
            return float((low > -margin).mean())
        return float(((low > 0) | (high < 0)).mean())

    def note(self, n: int, *, power: float | None = None, share: float | None = None) -> str:
        """How sure a number found by simulation is."""
        low, high = self.at(n)
        if power is None and share is None:
            widths = high - low
            error = float(widths.std() / widths.mean())
            told = f"of the mean width {100 * error / math.sqrt(len(low)):.1f} %"
        else:
            found = power if power is not None else share or 0.0
            error = math.sqrt(found * (1 - found) / len(low))
            what = "power" if power is not None else "share of studies"
            told = f"of the {what} {100 * error:.1f} points"
        return f"By simulation of {len(low)} studies: Monte-Carlo standard error {told}."

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

    def _cases_for(self, exceeds: Callable[[Array, Array], float], start: int) -> int:
        """The number whose studies ask for as many, by how far ends exceed what is wanted."""
        n, asked = max(start, self.least), {}
        for turn in range(ROUNDS):
            size = min(n, self.largest)
            # Where nothing is in the way, no case more is needed.
            asked[size] = max(n * exceeds(*self.at(n)) ** 2, self.least)
            if not asked[size] < MOST_CASES:
                raise OptionError(
                    f"the plan takes more than {MOST_CASES} cases; ask for a wider interval or "
                    "less power"
                )
            found = math.ceil(_fixed_point(asked))
            if turn >= FEWEST_ROUNDS - 1 and _same(found, n):
                break
            n = found
        # The studies nearby, together, have the last word.
        step = max(1, found // 1000)
        while found - step >= self.least and exceeds(*self.at(found - step)) <= 1 + ROUNDING:
            found -= step
        while exceeds(*self.at(found)) > 1 + ROUNDING:
            found += step
        return found


def _fixed_point(asked: dict[int, float]) -> float:
    """Where the number of cases asked for is that of the studies, by those nearest to the last."""
    last = list(asked.values())[-1]
    sizes = sorted(asked, key=lambda size: _apart(size, last))[:POINTS]
    x, y = np.log(sizes), np.log([asked[size] for size in sizes])
    if np.ptp(x) < math.log(SAME):
        return float(np.exp(y.mean()))
    slope = float(np.clip(np.polyfit(x, y, 1)[0], *SLOPES))
    return math.exp((y.mean() - slope * x.mean()) / (1 - slope))


def _apart(one: float, other: float) -> float:
    return max(one, other) / min(one, other)


def _same(one: int, other: int) -> bool:
    return _apart(one, other) <= SAME or abs(one - other) <= 1
