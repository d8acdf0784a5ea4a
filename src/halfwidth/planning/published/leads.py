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
    """The difference of two models at one correlation.

    Attributes
    ----------
    correlation : float
    low, high : float
        Interval of the difference.
    halfwidth : float
    halfwidth_low, halfwidth_high : float
        With the smallest and the largest SD; equal to ``halfwidth`` where SDs were published.
    larger : {"yes", "no", "depends"}
        Whether the interval excludes 0; ``"depends"`` if that depends on the SD, which is a
        guess.
    """

    correlation: float
    low: float
    high: float
    halfwidth: float
    halfwidth_low: float
    halfwidth_high: float
    larger: str


@frozen
class Lead:
    """A published difference between two models on the same cases.

    Attributes
    ----------
    value, versus : float
        The values of the two models.
    difference : float
        ``value - versus``.
    ahead : bool or None
        Whether the model of the claim is the better one; None if the values are equal, or if the
        metric does not say what is better.
    of : str
        The correlated quantities.
    rows : tuple of LeadRow
    needed : float
        The correlation above which the lead is larger than noise: -inf if it always is, inf if it
        never is.
    needed_low, needed_high : float
        With the smallest and the largest SD.
    most : float
        The largest correlation that the two values allow, 1 for values other than counts.
    given_decimals : int
        Decimals of the two values as published.
    """

    value: float
    versus: float
    difference: float
    ahead: bool | None
    of: str
    rows: tuple[LeadRow, ...]
    needed: float
    needed_low: float
    needed_high: float
    most: float = 1.0
    given_decimals: int = 0

    @property
    def decimals(self) -> int:
        """Decimals shown of the difference: as many as the values were given with."""
        widths = [row.halfwidth for row in self.rows if row.halfwidth > 0]
        supported = (decimals_for(self.difference, width) for width in widths[:-1] or widths)
        return as_given(max(supported, default=0), self.given_decimals)


# --------------------------------------------------------------------------- formulas


def difference(
    value: float, versus: float, reach: Reach, other: Reach, correlation: float
) -> tuple[float, float]:
    """Interval of a difference from the intervals of its two terms.

    low = d - √(b₁² - 2ρ b₁ a₂ + a₂²) and high = d + √(a₁² - 2ρ a₁ b₂ + b₂²), where d is the
    difference, b how far an interval reaches below its value and a above it. For means with t
    intervals that is d ± t √(s₁² - 2ρ s₁ s₂ + s₂²)/√n, the paired t interval; for proportions with
    Wilson's intervals it is Newcombe's method 10 with ρ in place of his φ.

    Parameters
    ----------
    value, versus : float
    own, other : Reach
        Of ``value`` and of ``versus``.
    correlation : float
        ρ, from -1 to 1.

    Returns
    -------
    low, high : float

    References
    ----------
    Newcombe (1998), method 10; Zou & Donner (2008) for other values.

    Examples
    --------
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
    reaches = list(zip(_reaches(claim, level), _reaches(rival, level), strict=True))
    most = _largest_correlation(claim, rival)
    grid = [rho for rho in CORRELATIONS if rho < most]
    # Two counts may rule out the higher correlations.
    grid += [most] if len(grid) < len(CORRELATIONS) and math.isfinite(most) else []
    d, better = claim.value - rival.value, claim.metric.spec.better
    default_sign = 1 if isinstance(claim, CountClaim) else 0
    sign = {Better.HIGHER: 1, Better.LOWER: -1}.get(better, default_sign)
    thresholds = [
        _at_most(needed(claim.value, rival.value, reach, other), most) for reach, other in reaches
    ]
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
    )


def _at_most(threshold: float, most: float) -> float:
    return math.inf if threshold > most else threshold


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


def _reaches(claim: Claim, level: Level) -> list[Reach]:
    """With the SD, then with the smallest and the largest that is plausible."""
    match claim:
        case MeanClaim():
            spread = claim.spread
            return [_t_reach(sd, claim.n, level) for sd in (spread.sd, spread.low, spread.high)]
        case CountClaim():
            return [_wilson_reach(claim.successes, claim.n, level)] * 3
        case AurocClaim():
            estimate = auroc_estimates(claim, level)[0]
            reach = Reach(estimate.value - estimate.low, estimate.high - estimate.value)
            return [reach] * 3


def _t_reach(sd: float, n: int, level: Level) -> Reach:
    from scipy import special

    reach = float(-special.stdtrit(n - 1, level.tail)) * sd / math.sqrt(n)
    return Reach(reach, reach)


def _wilson_reach(x: int, n: int, level: Level) -> Reach:
    interval = wilson(x, n, level)
    return Reach(x / n - float(interval.low), float(interval.high) - x / n)


def _largest_correlation(claim: Claim, rival: Claim) -> float:
    """For two counts: the correlation if as many cases as possible are right for both models."""
    if not isinstance(claim, CountClaim):
        return 1.0
    p, q = claim.value, rival.value
    variance = p * (1 - p) * q * (1 - q)
    # A count of none or all is correlated with nothing.
    return (min(p, q) - p * q) / math.sqrt(variance) if variance else 0.0
