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
# Of the normal deviate of a tail: seven digits of p.
TOLERANCE = 1e-8
MOST_STEPS = 60


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
            p = max(2 * self.law.tail_at(null), self.least)
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
    from scipy import special

    def excess_at(deviate: float) -> float:
        return beyond(2 * float(special.ndtr(-deviate)))

    near, far = (-float(special.ndtri(alpha / 2)) for alpha in (largest, least))
    at_near, at_far = excess_at(near), excess_at(far)
    if at_far > 0:
        return least
    if at_near <= 0:
        return 1.0
    # Regula falsi: an end that stays twice counts half (Illinois), and each fourth step halves.
    above_last = None
    for step in range(MOST_STEPS):
        slope = (at_far - at_near) / (far - near)
        ahead = near - at_near / slope if math.isfinite(slope) and slope else math.nan
        if step % 4 == 3 or not near < ahead < far:
            ahead = (near + far) / 2
        found = excess_at(ahead)
        above = found > 0
        share = 0.5 if above is above_last else 1.0
        if above:
            near, at_near, at_far = ahead, found, share * at_far
        else:
            far, at_far, at_near = ahead, found, share * at_near
        above_last = above
        if far - near <= TOLERANCE * far:
            break
    return 2 * float(special.ndtr(-far))
