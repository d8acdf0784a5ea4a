"""Whether a published lead over another model is larger than noise at an unknown correlation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from halfwidth.core.formatting import as_given, decimals_for
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Better
from halfwidth.core.types import Level
from halfwidth.intervals.proportion import wilson
from halfwidth.planning.published.claims import AurocClaim, Claim, CountClaim, MeanClaim
from halfwidth.planning.published.estimates import auroc_estimates

# From models that have nothing in common to models that fail on the same cases.
CORRELATIONS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95)
# Which values of the two models are correlated.
CORRELATED = {"mean": "per-case values", "proportion": "case outcomes", "auroc": "two AUROCs"}


class Reach(NamedTuple):
    """How far the interval of one model reaches below and above its value."""

    below: float
    above: float


@frozen
class LeadRow:
    """The difference of two models at one correlation, with its interval."""

    correlation: float
    low: float
    high: float
    halfwidth: float
    # With the smallest and the largest SD; the same where SDs were published.
    halfwidth_low: float
    halfwidth_high: float
    # Whether the interval excludes 0: yes, no, or depends (on the SD, which is a guess).
    larger: str


@frozen
class Lead:
    """A published difference between two models on the same cases."""

    # The values of the two models, and value - versus.
    value: float
    versus: float
    difference: float
    # Whether the model of the claim is the better one; None if the values are equal, or if the
    # metric does not say what is better.
    ahead: bool | None
    # The correlated quantities.
    of: str
    rows: tuple[LeadRow, ...]
    # The correlation above which the lead is larger than noise, also with the smallest and the
    # largest SD: -inf if it always is, inf if it never is.
    needed: float
    needed_low: float
    needed_high: float
    # The largest correlation that the two values allow, 1 for values other than counts.
    most: float = 1.0
    # Decimals of the two values as published.
    given_decimals: int = 0
    # The largest difference that the metric allows.
    largest: float = math.inf

    @property
    def decimals(self) -> int:
        """Decimals shown of the difference: as many as the values were given with."""
        widths = [row.halfwidth for row in self.rows if row.halfwidth > 0]
        widths = widths[:-1] or widths
        supported = (decimals_for(self.difference, width, self.largest) for width in widths)
        return as_given(max(supported, default=0), self.given_decimals)


# --------------------------------------------------------------------------- formulas


def difference(
    value: float, versus: float, reach: Reach, other: Reach, correlation: float
) -> tuple[float, float]:
    """Interval of a difference from the intervals of its two terms.

    low = d - √(b₁² - 2ρ b₁ a₂ + a₂²) and high = d + √(a₁² - 2ρ a₁ b₂ + b₂²), where d is the
    difference, b how far an interval reaches below its value and a above it. For means with t
    intervals that is d ± t √(s₁² - 2ρ s₁ s₂ + s₂²)/√n, the paired t interval; for proportions with
    Wilson's intervals it is Newcombe's method 10 (1998) with ρ in place of his φ; for other values
    Zou & Donner's (2008).

    >>> reach = Reach(0.03, 0.03)
    >>> low, high = difference(0.85, 0.83, reach, reach, 0.5)
    >>> print(f"{low:.3f} {high:.3f}")
    -0.010 0.050
    """
    d = value - versus
    return d - _joint(reach.below, other.above, correlation), d + _joint(
        reach.above, other.below, correlation
    )


def _joint(first: float, second: float, correlation: float) -> float:
    squared = first**2 - 2 * correlation * first * second + second**2
    return math.sqrt(max(squared, 0.0))


def needed(value: float, versus: float, reach: Reach, other: Reach) -> float:
    """The correlation above which the interval of the difference excludes 0.

    (b² + a² - d²)/(2ba) with the reaches on the side of 0; -inf if the lead is larger than noise
    at any correlation, inf if at none.

    >>> reach = Reach(0.03, 0.03)
    >>> round(needed(0.85, 0.83, reach, reach), 4)
    0.7778
    """
    d = value - versus
    first, second = (reach.below, other.above) if d > 0 else (reach.above, other.below)
    if d == 0:
        return math.inf
    if abs(d) > first + second:
        return -math.inf
    if abs(d) <= abs(first - second):
        return math.inf
    return (first**2 + second**2 - d**2) / (2 * first * second)


# --------------------------------------------------------------------------- claims


def lead_over_rival(claim: Claim, level: Level) -> Lead | None:
    """The lead of a claim over its rival; None if it has none."""
    return None if claim.rival is None else lead_over(claim, claim.rival, level)


def lead_over(claim: Claim, rival: Claim, level: Level) -> Lead:
    """The difference between two claims of the same kind on the same cases."""
    reaches = list(zip(reaches_of(claim, level), reaches_of(rival, level), strict=True))
    most = _largest_correlation(claim, rival)
    grid = [rho for rho in CORRELATIONS if rho < most]
    # Two counts may rule out the higher correlations.
    grid += [most] if len(grid) < len(CORRELATIONS) and math.isfinite(most) else []
    d, better = claim.value - rival.value, claim.metric.spec.better
    default_sign = 1 if isinstance(claim, CountClaim) else 0
    sign = {Better.HIGHER: 1, Better.LOWER: -1}.get(better, default_sign)
    thresholds = [needed(claim.value, rival.value, reach, other) for reach, other in reaches]
    thresholds = [math.inf if threshold > most else threshold for threshold in thresholds]
    return Lead(
        claim.value,
        rival.value,
        d,
        ahead=sign * d > 0 if sign and d else None,
        of=CORRELATED[claim.kind],
        rows=tuple(_row(claim, rival.value, reaches, rho) for rho in grid),
        needed=thresholds[0],
        needed_low=thresholds[1],
        needed_high=thresholds[2],
        most=most,
        given_decimals=max(claim.decimals, rival.decimals),
        largest=claim.metric.spec.bounds.width,
    )


def _row(
    claim: Claim, versus: float, reaches: Sequence[tuple[Reach, Reach]], correlation: float
) -> LeadRow:
    width = claim.metric.spec.bounds.width
    intervals = []
    for reach, other in reaches:
        low, high = difference(claim.value, versus, reach, other, correlation)
        intervals.append((max(low, -width), min(high, width)))
    larger = {low > 0 or high < 0 for low, high in intervals}
    halves = [(high - low) / 2 for low, high in intervals]
    verdict = "depends" if len(larger) == 2 else ("yes" if larger.pop() else "no")
    return LeadRow(correlation, *intervals[0], halves[0], halves[1], halves[2], verdict)


def reaches_of(claim: Claim, level: Level) -> list[Reach]:
    """Reaches with the SD, then with the smallest and the largest that is plausible."""
    match claim:
        case MeanClaim():
            from scipy import special

            spread, t = claim.spread, float(-special.stdtrit(claim.n - 1, level.tail))
            reaches = [t * sd / math.sqrt(claim.n) for sd in (spread.sd, spread.low, spread.high)]
            return [Reach(reach, reach) for reach in reaches]
        case CountClaim():
            interval = wilson(claim.successes, claim.n, level)
            low, high = float(interval.low), float(interval.high)
        case AurocClaim():
            estimate = auroc_estimates(claim, level)[0]
            low, high = estimate.low, estimate.high
    return [Reach(claim.value - low, high - claim.value)] * 3


def _largest_correlation(claim: Claim, rival: Claim) -> float:
    """Correlation of two counts if as many cases as possible are right for both models."""
    if not isinstance(claim, CountClaim):
        return 1.0
    p, q = claim.value, rival.value
    variance = p * (1 - p) * q * (1 - q)
    # A count of none or all is correlated with nothing.
    return (min(p, q) - p * q) / math.sqrt(variance) if variance else 0.0
