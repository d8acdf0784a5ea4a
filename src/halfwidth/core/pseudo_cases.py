"""Pseudo-cases: what was not observed and might have been, at the bounds of a metric.

A Dirichlet interval takes the distribution of a statistic under random weights of the cases: a
Gamma(1) variate for each unit (a case, or a cluster), and a Gamma(mass) variate for each
pseudo-case, all divided by their sum. Each end of the interval is a quantile of a distribution of
its own, since `gaffke` has other pseudo-cases for the lower end than for the upper one, and a
pseudo-case can only ever add to a spread, so that it serves the upper end of an SD alone.

Each form of statistic reads them in its own way (``weighted`` of its engine):

- *values of cases*: the masses lie at the two bounds, `PseudoCases.low` and `PseudoCases.high`;
- *differences between the values of two models*: at the corners of the square of both ranges
  (`corners`), so that the values of either model have the pseudo-cases that they have alone;
- *with a `Reach`*: beyond the outermost value, or difference, as far as a Pareto draw says;
- *records of a test set* (labels, scores with labels): at the two ends of what a case of a class
  can be: the worst and the best that could be predicted for it. ``masses`` are those of each class
  of two. The form knows its classes, and what is worst for them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array, Bounds

Masses = tuple[float, float]
# Which failures an interval allows for: such as the cases show, or as none of them did; a verdict
# may have to hold for both.
Failures = Literal["seen", "unseen", "both"]
FAILURES: tuple[Failures, ...] = ("seen", "unseen", "both")


@frozen
class Reach:
    """How far beyond the outermost case a pseudo-case lies that the data place.

    At mean ∓ d U^(-1/shape), U uniform, d from the mean to the outermost case, and no further than
    the bound: 1 - 2^-shape of them lie within twice that distance.
    """

    # Of the Pareto law, its tail index: the smaller, the further it reaches.
    shape: float
    # Whether both ends reach as far as the farther one does.
    shared: bool = False
    # For each sample, a distance that d is not below, infinite for the bounds; empty: none.
    least: tuple[float, ...] = ()
    # Else the side on which cases lie less far out has a lighter tail: of so many units and more
    # its index is times (longer/shorter distance)^power, up to the most.
    power: float = 0.0
    most: float = 0.0
    fewest: int = 0


@frozen
class PseudoCases:
    """The masses of the pseudo-cases at the lower and at the upper bound, for each end.

    >>> half = PseudoCases.outward(0.5, Bounds(0, 1))
    >>> half.low, half.high
    ((0.5, 0.0), (0.0, 0.5))
    """

    # Of a value of a case; the range of the metric, or a narrower one that the user vouches for.
    # Of records, the range of the metric.
    bounds: Bounds
    # For the lower end of the interval and for the upper one: the masses at the lower and at the
    # upper bound.
    low: Masses
    high: Masses
    # Whether the values are those of two models for the same cases, or their differences;
    # ``bounds`` are those of one value.
    paired: bool = False
    # None where they lie at the bounds.
    reach: Reach | None = None

    @classmethod
    def outward(
        cls, mass: float, bounds: Bounds, *, paired: bool = False, reach: Reach | None = None
    ) -> PseudoCases:
        """Below all cases for the lower end of the interval, above all for the upper one."""
        return cls(bounds, (mass, 0.0), (0.0, mass), paired, reach)

    def with_least(self, least: Array) -> PseudoCases:
        """A copy that is at least a distance, (S,), from the mean of each sample."""
        if self.reach is None:
            return self
        return replace(self, reach=replace(self.reach, least=tuple(least.tolist())))

    @property
    def value_bounds(self) -> Bounds:
        """Bounds of a value, or of a difference of two."""
        width = self.bounds.width
        return Bounds(-width, width) if self.paired else self.bounds

    def corners(self, masses: Masses) -> tuple[tuple[tuple[float, float], float], ...]:
        """Pairs of values and their masses, such that both models have ``masses`` alone.

        Of the masses (½, ½) a quarter lies at each corner. For a bound of a difference the model
        that is subtracted has its masses the other way round.

        >>> outward = PseudoCases.outward(1, Bounds(0, 1), paired=True)
        >>> [corner for corner, mass in outward.corners(outward.low) if mass]
        [(0.0, 1.0)]
        """
        at_low, at_high = masses
        total = at_low + at_high
        ends = ((float(self.bounds.low), at_low), (float(self.bounds.high), at_high))
        opposite = ((float(self.bounds.low), at_high), (float(self.bounds.high), at_low))
        return tuple(
            ((first, second), mass * other / total)
            for first, mass in ends
            for second, other in opposite
        )
