"""The p value that belongs to an interval: the least α at which it excludes a null."""

from __future__ import annotations

import math
from collections.abc import Callable

from halfwidth.core.frozen import frozen
from halfwidth.core.types import UNBOUNDED, Bounds, Level
from halfwidth.estimation.pipeline import Law
from halfwidth.estimation.resolve import Request
from halfwidth.results.estimate import Estimate

# Smaller ones are not told apart: no law of an interval is known so far out.
LEAST_P = 1e-6
# Here an interval has shrunk to its estimate.
LARGEST_P = 0.98
# Of the normal deviate of a tail: four digits of p.
TOLERANCE = 1e-5


@frozen(eq=False)
class InvertedInterval:
    """An estimate whose p values are those of its interval."""

    law: Law
    value: float
    level: Level
    # The ends at the level.
    low: float
    high: float
    # No p is smaller; 1/(B + 1) where the interval rests on B draws.
    least: float = LEAST_P
    range: Bounds = UNBOUNDED

    def p_value(self, null: float) -> float:
        """The least α at which the interval excludes a null; NaN where there is no interval.

        It is at most the α of the level exactly where the interval at the level excludes the null.
        """
        if math.isnan(self.low + self.high - self.value):
            return math.nan
        if null == self.value or math.isinf(null):
            return 1.0
        alpha, above = self.level.alpha, self.value > null

        def beyond(own: float) -> float:
            """How far beyond the null the nearer end at an α lies."""
            low, high = self.law.ends(Level(1 - own, self.level.alternative))
            distance = low - null if above else null - high
            return -abs(self.value - null) if math.isnan(distance) else distance

        excluded = self.low > null if above else self.high < null
        if self.law.tail_at is not None:
            p = max(2 * self.law.tail_at(null, above), self.least)
        elif excluded:
            p = _root(beyond, min(self.least, alpha), alpha)
        else:
            p = _root(beyond, alpha, LARGEST_P)
        return min(p, alpha) if excluded else min(max(p, math.nextafter(alpha, 1)), 1.0)


def inverted(law: Law, estimate: Estimate, request: Request) -> InvertedInterval:
    """The interval of an estimate, to be inverted."""
    low, high = estimate.low, estimate.high
    if estimate.asked is not None:
        # An interval of another level shows nothing at the one that was asked for.
        low = high = math.nan
    elif request.failures == "both" and not math.isnan(low):
        low, high = law.ends(request.level)
    drawn = estimate.n_resamples
    least = LEAST_P if drawn is None else max(1 / (drawn + 1), LEAST_P)
    return InvertedInterval(law, estimate.value, request.level, low, high, least, estimate.range)


def _root(beyond: Callable[[float], float], least: float, largest: float) -> float:
    """Where a function that grows with α changes its sign; the ends where it does not."""
    from scipy import optimize, special

    def excess_at(deviate: float) -> float:
        return beyond(2 * float(special.ndtr(-deviate)))

    near, far = (-float(special.ndtri(alpha / 2)) for alpha in (largest, least))
    if excess_at(far) > 0:
        return least
    if excess_at(near) <= 0:
        return 1.0
    deviate = optimize.toms748(excess_at, near, far, xtol=TOLERANCE, rtol=TOLERANCE)
    return 2 * float(special.ndtr(-deviate))
