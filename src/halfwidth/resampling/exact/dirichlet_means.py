"""Distributions of a mean under Dirichlet weights.

With independent gammas g, a Gamma(1) variate for each unit (a case, or a cluster of B cases with
the total A) and a Gamma(mass) variate for each pseudo-unit, the weighted mean over cases is
Σ g A / Σ g B. A pseudo-cluster weighs as many cases as the clusters on average. In strata, whose
shares of the cases are fixed, it is the mean of those of the strata, weighted by these shares. The
mass of the pseudo-cases is divided among the strata in the same proportion, so that strata change
neither how far the interval's centre is moved nor how much unobserved cases could add. With a reach
a pseudo-unit lies beyond the outermost unit of its stratum; where there are no strata, the
inversion averages over its places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.pseudo_cases import Masses, PseudoCases
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import Quantiles, Undrawn
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.exact.gathered_cells import gathered
from halfwidth.resampling.exact.inversion import (
    GammaRatios,
    RandomUnit,
    log_probability_below,
    lower_quantiles,
)
from halfwidth.resampling.exact.proportions import weighted_proportions
from halfwidth.resampling.tails import as_distribution
from halfwidth.resampling.weights.dirichlet import Weighted, pseudo_weights
from halfwidth.resampling.weights.pareto_places import (
    FARTHEST,
    distances,
    drawn_reach,
    expected_places,
    shapes,
)

# More cases than this are gathered in cells.
MOST_VALUES = 4096
# Units that differ by less than this share of the range are equal: the inversion, which sees the
# whole range, tells hardly less apart.
SAME = 1e-11
# Where there is no bound, places that so small a share lies beyond are as far out as that: it moves
# no quantile of a tail of 1/1000 or more by as much as 1e-6 of its distance.
NEVER_DRAWN = 1e-7
# The mean of units, and how far the pseudo-units of either end can be taken to lie, (S,) each.
Outermost = tuple[Array, Array, Array]


def weighted_means(
    values: Array, design: Design, plan: Plan, pseudo_cases: PseudoCases
) -> tuple[Quantiles, Quantiles]:
    """The distributions of the mean for the lower and for the upper end of an interval."""
    low, high = pseudo_cases.value_bounds.low, pseudo_cases.value_bounds.high
    at_bounds = pseudo_cases.reach is None and not pseudo_cases.paired and design.independent
    if at_bounds and ((values == low) | (values == high)).all():
        return weighted_proportions((values == high).sum(axis=-1), design.n, pseudo_cases)
    if len(design.strata) > 1:
        return _drawn(values, design, plan, pseudo_cases)
    return _inverted(values, design, pseudo_cases)


def _inverted(
    values: Array, design: Design, pseudo_cases: PseudoCases, equal_distance: float = np.nan
) -> tuple[DirichletMeans, DirichletMeans]:
    """Without draws, where there is one stratum."""
    # `equal_distance` is how far the pseudo-unit of units that are all equal lies from them:
    # infinite, it is at the bound; NaN, it is nowhere, and neither are quantiles.
    low: Any = pseudo_cases.value_bounds.low
    high: Any = pseudo_cases.value_bounds.high
    units = _gathered(values, design) or _Units.from_values(values, design)
    outermost, tails = None, None
    if pseudo_cases.reach is not None:
        sizes = design.unit_sizes.astype(float)
        outermost = outer_distances(design.totals(values), sizes, pseudo_cases, equal_distance)
        tails = shapes(*outermost[1:], pseudo_cases.reach, design.units)
        low, high = _ends_of_places(low, high, outermost, tails)
    ends = [np.reshape(end, (-1, 1)) for end in (low, high)]
    from_low, from_high = units.seen_from(*ends), units.seen_from(*ends[::-1])
    # Values that differ by rounding can be equal as seen from one bound alone.
    merged = from_low.merged(), from_high.merged()
    if merged[0].masses.shape == merged[1].masses.shape:
        from_low, from_high = merged
    if outermost is None or tails is None:
        seen = (
            _with_atoms(from_low, pseudo_cases.low, (low, high), pseudo_cases, units.size),
            _with_atoms(from_high, pseudo_cases.high, (high, low), pseudo_cases, units.size),
        )
    else:
        seen = _reaching(from_low, from_high, design, (low, high), pseudo_cases, outermost, tails)
    lower = DirichletMeans(low, high, *seen)
    return lower, replace(lower, is_upper=True)


def _ends_of_places(
    low: float, high: float, outermost: Outermost, tails: tuple[Array, Array]
) -> tuple[Any, Any]:
    """What stands for a bound that is infinite: of each sample, as far out as counts, (S,)."""
    mean, below, above = outermost
    # Equal units see themselves from anywhere that is not lost beside them.
    anywhere = np.maximum(1.0, 2.0**20 * np.spacing(np.abs(mean)))
    below, above = (
        np.where(away > 0, np.minimum(FARTHEST, NEVER_DRAWN ** (-1 / shape)) * away, anywhere)
        for away, shape in zip((below, above), tails, strict=True)
    )
    return (
        low if np.isfinite(low) else mean - below,
        high if np.isfinite(high) else mean + above,
    )


@frozen(eq=False)
class _Units:
    """Units of samples: cases, clusters, or points that stand for very many of either."""

    totals: Array  # (S, U)
    sizes: Array  # (U,)
    size: float  # What a pseudo-unit weighs: as much as units on average

    @classmethod
    def from_values(cls, values: Array, design: Design) -> _Units:
        totals, size = design.totals(values), design.n / design.units
        if design.equal_sizes:
            return cls(totals / size, np.ones(design.units), 1.0)
        return cls(totals, design.unit_sizes.astype(float), size)

    def seen_from(self, end: Array, other: Array) -> GammaRatios:
        """Distances from a bound, (S or 1, 1), as shares of that to the other."""
        none = np.empty((len(self.totals), 0))
        totals = (self.totals - end * self.sizes) / (other - end)
        return GammaRatios(totals, self.sizes, none, none, none)


@frozen(eq=False)
class _Cells:
    """Points and masses in place of very many units of equal size (`cells`)."""

    medians: Array  # (S, 1)
    # (S, m): of the points, from the median
    distances: Array
    masses: Array
    size: float = 1.0

    def seen_from(self, end: Array, other: Array) -> GammaRatios:
        """Ratios seen from an end, as of `_Units`."""
        points = ((self.medians - end) + self.distances) / (other - end)
        none = np.empty((len(points), 0))
        return GammaRatios(none, none[0], points, np.ones(points.shape), self.masses)


def _gathered(values: Array, design: Design) -> _Cells | None:
    """Very many units of equal size; None where they are few, or differ in size."""
    if design.units <= MOST_VALUES or not design.equal_sizes:
        return None
    samples = [gathered(row) for row in design.totals(values) * (design.units / design.n)]
    most = max(len(masses) for _, _, masses in samples)
    medians = np.array([[median] for median, _, _ in samples])
    # Points without mass fill up the shorter rows.
    distances, masses = np.zeros((2, len(samples), most))
    for row, (_, own_distances, own_masses) in enumerate(samples):
        distances[row, : len(own_distances)] = own_distances
        masses[row, : len(own_masses)] = own_masses
    return _Cells(medians, distances, masses)


def _with_atoms(
    units: GammaRatios,
    masses: Masses,
    ends: tuple[float, float],
    pseudo_cases: PseudoCases,
    size: float,
) -> GammaRatios:
    """Units with pseudo-units at the bounds, the one that units are seen from first."""
    points, each = _atoms(pseudo_cases, masses)
    shape = (len(units.totals), len(points))
    places = (points - ends[0]) * size / (ends[1] - ends[0])
    return replace(
        units,
        atom_totals=np.append(units.atom_totals, np.broadcast_to(places, shape), axis=-1),
        atom_sizes=np.append(units.atom_sizes, np.full(shape, size), axis=-1),
        masses=np.append(units.masses, np.broadcast_to(each, shape), axis=-1),
    )


def _atoms(pseudo_cases: PseudoCases, masses: Masses) -> tuple[Array, Array]:
    """Values of pseudo-cases, ascending, and their masses."""
    if pseudo_cases.paired:
        corners = pseudo_cases.corners(masses)
        points = np.array([first - second for (first, second), _ in corners])
        each = np.array([mass for _, mass in corners])
    else:
        points = np.array([pseudo_cases.bounds.low, pseudo_cases.bounds.high], float)
        each = np.array(masses, float)
    distinct: Array = np.unique(points)
    total = (each * (points == distinct[:, None])).sum(axis=-1)
    return distinct[total > 0], total[total > 0]


def _reaching(
    from_low: GammaRatios,
    from_high: GammaRatios,
    design: Design,
    ends: tuple[Any, Any],
    pseudo_cases: PseudoCases,
    outermost: Outermost,
    tails: tuple[Array, Array],
) -> tuple[GammaRatios, GammaRatios]:
    """Ratios with a pseudo-unit beyond the outermost unit, at a place that is random."""
    (low, high), size = ends, 1.0 if design.equal_sizes else design.n / design.units
    mean, below, above = outermost

    def with_unit(
        units: GammaRatios, from_bound: Array, distance: Array, shape: Array, mass: float
    ) -> GammaRatios:
        own = np.where(np.isnan(distance), np.nan, from_bound / (high - low))
        places, shares = expected_places(own, distance / (high - low), shape)
        return replace(units, random=RandomUnit(places * size, shares, size, mass))

    return (
        with_unit(from_low, mean - low, below, tails[0], pseudo_cases.low[0]),
        with_unit(from_high, high - mean, above, tails[1], pseudo_cases.high[1]),
    )


def outer_distances(
    totals: Array, sizes: Array, pseudo_cases: PseudoCases, equal_distance: float = 0.0
) -> Outermost:
    """The mean of units, and its distances from the outermost ones that either end reaches by."""
    # `equal_distance` is that of units which are all equal, but for rounding.
    if pseudo_cases.reach is None:
        raise TypeError("pseudo-cases at the bounds have no reach")
    means, mean = totals / sizes, totals.sum(axis=-1) / sizes.sum()
    smallest, largest = means.min(axis=-1), means.max(axis=-1)
    width: Any = pseudo_cases.value_bounds.width
    if not np.isfinite(width):
        width = np.maximum(np.abs(smallest), np.abs(largest))
    equal = largest - smallest <= SAME * width
    if pseudo_cases.reach.least:
        # Of equal units a distance is known only from the models that differ by them.
        equal &= ~((np.array(pseudo_cases.reach.least) > 0) & np.isfinite(pseudo_cases.reach.least))
    below, above = distances(mean, smallest, largest, pseudo_cases.reach)
    return mean, np.where(equal, equal_distance, below), np.where(equal, equal_distance, above)


@frozen(eq=False)
class DirichletMeans(Undrawn):
    """Means under Dirichlet weights, for one end of an interval, known without a draw."""

    # Between which values lie, and what was not seen; of each sample where it has no bounds, (S,)
    low: Array | float
    high: Array | float
    # How far the mean is from either, in shares of their distance: for the lower end of an
    # interval, and for the upper one
    from_low: GammaRatios
    from_high: GammaRatios
    is_upper: bool = False  # For which of the two this is
    # The quantiles for either end that have been looked for, which both ends share
    quantiles: dict[float, Array] = field(default_factory=dict)

    def quantile(self, probability: Array | float) -> Array:
        """Quantile of each sample, at both ends, which are asked for in turn."""
        share = float(np.max(probability))
        tail, samples = 1 - share if self.is_upper else share, len(self.from_low.masses)
        key = round(tail, 15)
        if key not in self.quantiles:
            self.quantiles[key] = lower_quantiles(self.from_low.above(self.from_high), tail)
        away, width = self.quantiles[key], self.high - self.low
        upper, lower = self.high - width * away[samples:], self.low + width * away[:samples]
        return np.asarray(upper if self.is_upper else lower)

    def tail_of(self, values: Array, some: NDArray[np.bool_], *, above: bool) -> Array:
        """How likely some of the means lie up to a value, or of an upper end from it on."""
        if above is not self.is_upper:
            raise TypeError("an upper end has a tail above, a lower one below")
        ratios = self.from_high if self.is_upper else self.from_low
        away = (self.high - values if self.is_upper else values - self.low) / (self.high - self.low)
        low, high = ratios.limits
        shares = (away >= high).astype(float)
        inside = np.flatnonzero(some & (low < away) & (away < high))
        if len(inside):
            shares[inside] = np.exp(log_probability_below(ratios.rows(inside), away[inside])[0])
        return shares

    def standard_deviation(self) -> Array:
        """The SD, to first order where clusters differ in size; of the cases alone with a reach."""
        ratios = self.from_high if self.is_upper else self.from_low
        return np.asarray((self.high - self.low) * ratios.moments()[1])


def _drawn(
    values: Array, design: Design, plan: Plan, pseudo_cases: PseudoCases
) -> tuple[Quantiles, Quantiles]:
    """Distributions from weights that are drawn, where strata have fixed shares of the cases."""
    totals = design.by_stratum(design.totals(values))
    sizes = design.by_stratum(design.unit_sizes.astype(float))
    shares = [float(size.sum()) / design.n for size in sizes]
    pseudo_units = [
        _drawn_pseudo(totals, sizes, shares, plan, pseudo_cases, is_upper=is_upper)
        for is_upper in (False, True)
    ]
    out = np.zeros((2, len(values), plan.n_resamples))
    for start, stop in plan.blocks(max(design.units, len(values))):
        weights = design.by_stratum(Weighted(design, plan, start, stop).variates())
        for stratum, own in enumerate(weights):
            cases, weight = totals[stratum] @ own.T, own @ sizes[stratum]
            for end, pseudo in zip(out, pseudo_units, strict=True):
                added, moved = pseudo[stratum]
                total = cases + moved[..., start:stop]
                end[:, start:stop] += shares[stratum] * total / (weight + added[start:stop])
    return as_distribution(out[0], plan), as_distribution(out[1], plan)


def _drawn_pseudo(
    totals: Sequence[Array],
    sizes: Sequence[Array],
    shares: Sequence[float],
    plan: Plan,
    pseudo_cases: PseudoCases,
    *,
    is_upper: bool,
) -> list[tuple[Array, Array]]:
    """What the pseudo-units of each stratum weigh, (B,), and their weighted values, (S or 1, B)."""
    reach, masses = pseudo_cases.reach, pseudo_cases.high if is_upper else pseudo_cases.low
    points, each = _atoms(pseudo_cases, masses)
    weights = np.split(
        pseudo_weights(np.concatenate([share * each for share in shares]), plan),
        len(shares),
        axis=-1,
    )
    bounds, out = pseudo_cases.value_bounds, []
    for total, size, weight in zip(totals, sizes, weights, strict=True):
        own = size.mean() * weight
        if reach is not None:
            mean, below, above = outer_distances(total, size, pseudo_cases)
            away = above if is_upper else -below
            far = drawn_reach(shapes(below, above, reach, len(size))[int(is_upper)], plan)
            places = np.clip(mean[:, None] + away[:, None] * far, bounds.low, bounds.high)
            out.append((own[:, 0], own[:, 0] * places))
        else:
            out.append((own.sum(axis=-1), (own @ points)[None]))
    return out
