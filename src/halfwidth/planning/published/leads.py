"""Whether a published lead over another model is larger than noise, correlation unknown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from halfwidth.core.estimate import Estimate
from halfwidth.core.formatting import as_given, decimals_for
from halfwidth.core.spec import Better
from halfwidth.core.types import Level
from halfwidth.intervals.proportion import wilson
from halfwidth.planning.published.claims import Claim
from halfwidth.planning.published.estimates import estimates_of

__all__ = ["CORRELATIONS", "Lead", "LeadRow", "Reach", "difference", "lead_of", "needed"]

# From two models that have nothing in common to two that fail on the same cases.
CORRELATIONS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95)
# What of the two models is correlated.
CORRELATED = {"mean": "per-case values", "proportion": "case outcomes", "auroc": "two AUROCs"}


class Reach(NamedTuple):
    """How far the interval of one model reaches below and above its value."""

    below: float
    above: float


@dataclass(frozen=True)
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
        Whether the interval leaves out 0; it depends where the SD, a guess, decides.
    """

    correlation: float
    low: float
    high: float
    halfwidth: float
    halfwidth_low: float
    halfwidth_high: float
    larger: str


@dataclass(frozen=True)
class Lead:
    """A published difference between two models on the same cases.

    Attributes
    ----------
    value, versus : float
        Of the two models.
    difference : float
        ``value - versus``.
    ahead : bool or None
        Whether the model of the claim is the better one; None where neither is, or where the
        metric does not say what is better.
    of : str
        What is correlated.
    rows : tuple of LeadRow
    needed : float
        The correlation from which on the lead is larger than noise: -inf where it always is, inf
        where it never is.
    needed_low, needed_high : float
        With the smallest and the largest SD.
    most : float
        The largest correlation that the two values allow, 1 for values other than counts.
    given_decimals : int
        Of the two values, where they were published.
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
        """How many decimals of the difference are shown: as many as the values were given with."""
        widths = [row.halfwidth for row in self.rows if row.halfwidth > 0]
        supported = (decimals_for(self.difference, width) for width in widths[:-1] or widths)
        return as_given(max(supported, default=0), self.given_decimals)


# --------------------------------------------------------------------------- formulas


def difference(
    value: float, versus: float, own: Reach, other: Reach, correlation: float
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
    return d - _joint(own.below, other.above, correlation), d + _joint(
        own.above, other.below, correlation
    )


def _joint(first: float, second: float, correlation: float) -> float:
    squared = first**2 - 2 * correlation * first * second + second**2
    return math.sqrt(max(squared, 0.0))


def needed(value: float, versus: float, own: Reach, other: Reach) -> float:
    """The correlation from which on the interval of the difference leaves out 0.

    (b² + a² - d²)/(2ba) with the reaches on the side of 0; -inf where the lead is larger than
    noise at any correlation, inf where at none.

    >>> reach = Reach(0.03, 0.03)
    >>> round(needed(0.85, 0.83, reach, reach), 4)
    0.7778
    """
    d = value - versus
    first, second = (own.below, other.above) if d > 0 else (own.above, other.below)
    if d == 0:
        return math.inf
    if abs(d) > first + second:
        return -math.inf
    if abs(d) <= abs(first - second):
        return math.inf
    return (first**2 + second**2 - d**2) / (2 * first * second)


# --------------------------------------------------------------------------- claims


def lead_of(claim: Claim, level: Level) -> Lead | None:
    """The lead that a claim makes, or None where it makes none."""
    if claim.versus is None:
        return None
    pairs = _reaches(claim, level)
    most = _largest_correlation(claim)
    grid = [rho for rho in CORRELATIONS if rho < most]
    # Two counts may leave no room for the higher ones.
    grid += [most] if len(grid) < len(CORRELATIONS) and math.isfinite(most) else []
    d, better = claim.value - claim.versus, claim.metric.spec.better
    sign = {Better.HIGHER: 1, Better.LOWER: -1}.get(better, 1 if claim.of == "proportion" else 0)
    thresholds = [
        _within(needed(claim.value, claim.versus, own, other), most) for own, other in pairs
    ]
    return Lead(
        claim.value,
        claim.versus,
        d,
        ahead=sign * d > 0 if sign and d else None,
        of=CORRELATED[claim.of],
        rows=tuple(_row(claim, pairs, rho) for rho in grid),
        needed=thresholds[0],
        needed_low=thresholds[1],
        needed_high=thresholds[2],
        most=most,
        given_decimals=claim.decimals,
    )


def _within(threshold: float, most: float) -> float:
    return math.inf if threshold > most else threshold


def _row(claim: Claim, pairs: Sequence[tuple[Reach, Reach]], correlation: float) -> LeadRow:
    versus = claim.versus
    assert versus is not None  # noqa: S101 -- asked for leads only
    width = claim.metric.spec.bounds.width
    found = []
    for own, other in pairs:
        low, high = difference(claim.value, versus, own, other, correlation)
        found.append((max(low, -width), min(high, width)))
    larger = {low > 0 or high < 0 for low, high in found}
    halves = [(high - low) / 2 for low, high in found]
    verdict = "depends" if len(larger) == 2 else ("yes" if larger.pop() else "no")
    return LeadRow(correlation, *found[0], halves[0], halves[1], halves[2], verdict)


def _reaches(claim: Claim, level: Level) -> list[tuple[Reach, Reach]]:
    """Of both models; with the SD, then with the smallest and the largest that it may be."""
    if claim.of == "mean":
        own, other = claim.spread, claim.versus_spread
        assert own is not None  # noqa: S101 -- a mean has a spread
        assert other is not None  # noqa: S101 -- and so has the other one
        sds = [(own.sd, other.sd), (own.low, other.low), (own.high, other.high)]
        return [(_of_t(a, claim.n, level), _of_t(b, claim.n, level)) for a, b in sds]
    if claim.of == "proportion":
        pair = (
            _of_wilson(claim.successes, claim, level),
            _of_wilson(claim.versus_successes, claim, level),
        )
    else:
        versus = replace(claim, value=claim.versus or 0.0, versus=None)
        pair = (
            _of_estimate(estimates_of(claim, level)[0]),
            _of_estimate(estimates_of(versus, level)[0]),
        )
    return [pair] * 3


def _of_t(sd: float, n: int, level: Level) -> Reach:
    from scipy import special

    reach = float(-special.stdtrit(n - 1, level.tail)) * sd / math.sqrt(n)
    return Reach(reach, reach)


def _of_wilson(successes: int | None, claim: Claim, level: Level) -> Reach:
    x = successes or 0
    made = wilson(x, claim.n, level)
    return Reach(x / claim.n - float(made.low), float(made.high) - x / claim.n)


def _of_estimate(e: Estimate) -> Reach:
    return Reach(e.value - e.low, e.high - e.value)


def _largest_correlation(claim: Claim) -> float:
    """Of two counts: that with as many cases as can be right for both models."""
    if claim.of != "proportion" or claim.versus is None:
        return 1.0
    p, q = claim.value, claim.versus
    variance = p * (1 - p) * q * (1 - q)
    # A count of none or all is correlated with nothing.
    return (min(p, q) - p * q) / math.sqrt(variance) if variance else 0.0
