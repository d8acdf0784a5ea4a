"""Distributions of a mean under Dirichlet weights.

With independent gammas g, a Gamma(1) variate for each unit (a case, or a cluster of B cases with
the total A) and a Gamma(mass) variate for each pseudo-unit, the weighted mean over cases is
Σ g A / Σ g B. A pseudo-cluster weighs as many cases as the clusters on average. In strata, whose
shares of the cases are fixed, it is the mean of those of the strata, weighted by these shares. The
mass of the pseudo-cases is divided among the strata in the same proportion, so that strata change
neither how far the interval's centre is moved nor how much unobserved cases could add.
"""

from __future__ import annotations

from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.pseudo_cases import Masses, PseudoCases
from halfwidth.core.types import Array
from halfwidth.resampling.cells import gathered
from halfwidth.resampling.designs import Design
from halfwidth.resampling.dirichlet_weights import pseudo_weights, unit_weights
from halfwidth.resampling.distribution import Quantiles
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.inversion import GammaRatios, lower_quantiles
from halfwidth.resampling.proportions import weighted_proportions
from halfwidth.resampling.tails import as_distribution

# More cases than this are gathered in cells.
MOST_VALUES = 4096


def weighted_means(
    values: Array, design: Design, plan: Plan, pseudo_cases: PseudoCases
) -> tuple[Quantiles, Quantiles]:
    """The distributions of the mean for the lower and for the upper end of an interval.

    Parameters
    ----------
    values : ndarray, shape (S, n)
        Values of cases, or their differences, in the canonical order of the design.
    design : Design
    plan : Plan
    pseudo_cases : PseudoCases
    """
    low, high = pseudo_cases.bounds.low, pseudo_cases.bounds.high
    if pseudo_cases.paired:
        low, high = low - high, high - low
    elif design.sizes is None and len(design.strata) == 1 and np.isin(values, (low, high)).all():
        return weighted_proportions((values == high).sum(axis=-1), design.n, pseudo_cases)

    both = pseudo_cases.low == pseudo_cases.high
    one_stratum = len(design.strata) == 1
    cells = _gathered(values, design) if one_stratum else None

    def distribution(masses: Masses) -> Quantiles:
        atoms = _atoms(pseudo_cases, masses)
        if not one_stratum:
            return _drawn(values, design, plan, atoms)
        if cells is not None:
            ends = _from_cells(cells, (low, high), atoms)
        else:
            ends = _from_units(values, design, (low, high), atoms)
        return DirichletMeans(low, high, *ends, both)

    for_low = distribution(pseudo_cases.low)
    if both:
        return for_low, for_low
    return for_low, distribution(pseudo_cases.high)


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


def _from_units(
    values: Array, design: Design, bounds: tuple[float, float], atoms: tuple[Array, Array]
) -> tuple[GammaRatios, GammaRatios]:
    """How far the mean is from either bound, in shares of their distance.

    From either, so that values next to a bound keep their digits.
    """
    points, masses = atoms
    low, high = bounds
    totals, sizes = design.totals(values), design.unit_sizes.astype(float)
    samples, size = len(values), design.n / design.units
    if design.equal_sizes:
        totals, sizes, size = totals / size, np.ones(design.units), 1.0

    def ratios(away: int, end: float) -> GammaRatios:
        return GammaRatios(
            away * (totals - end * sizes) / (high - low),
            sizes,
            np.tile(away * (points - end) * size / (high - low), (samples, 1)),
            np.full((samples, len(points)), size),
            np.tile(masses, (samples, 1)),
        )

    from_low, from_high = ratios(1, low), ratios(-1, high)
    merged = from_low.merged(), from_high.merged()
    # Values that differ by rounding can be equal as seen from one bound alone.
    alike = merged[0].masses.shape == merged[1].masses.shape
    return merged if alike else (from_low, from_high)


def _gathered(values: Array, design: Design) -> tuple[Array, Array, Array] | None:
    """Medians (S, 1), and points about them and their masses (S, m), in place of very many units.

    None where they are few, or differ in size.
    """
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
    return medians, distances, masses


def _from_cells(
    cells: tuple[Array, Array, Array], bounds: tuple[float, float], atoms: tuple[Array, Array]
) -> tuple[GammaRatios, GammaRatios]:
    """The same as `_from_units`, of gathered units."""
    medians, distances, masses = cells
    low, high = bounds
    samples = len(medians)
    masses = np.append(masses, np.tile(atoms[1], (samples, 1)), axis=-1)
    none = np.empty((samples, 0))

    def ratios(away: int, end: float) -> GammaRatios:
        points = away * ((medians - end) + distances) / (high - low)
        pseudo = np.tile(away * (atoms[0] - end) / (high - low), (samples, 1))
        points = np.append(points, pseudo, axis=-1)
        return GammaRatios(none, none[0], points, np.ones(points.shape), masses)

    return ratios(1, low), ratios(-1, high)


@frozen(eq=False)
class DirichletMeans:
    """Means under Dirichlet weights, known without a draw.

    Attributes
    ----------
    low, high : float
        Between which values lie.
    from_low, from_high : GammaRatios
        How far the mean is from either, as a share of the distance between them.
    serves_both : bool
        Whether both ends of an interval are quantiles of it.
    found : dict
        Quantiles at either end that have been looked for.
    """

    low: float
    high: float
    from_low: GammaRatios
    from_high: GammaRatios
    serves_both: bool
    found: dict[float, Array] = field(default_factory=dict)

    @property
    def n_resamples(self) -> None:
        """None: nothing was drawn."""
        return None

    @property
    def n_undefined(self) -> NDArray[np.intp]:
        """Always 0."""
        return np.zeros(len(self.from_low.totals), dtype=np.intp)

    def quantile(self, probability: Array | float) -> Array:
        """The quantile of each sample's distribution, the same for all samples."""
        share = float(np.max(probability))
        tail, samples = min(share, 1 - share), len(self.from_low.totals)
        if not self.serves_both:
            ratios = self.from_low if share <= 0.5 else self.from_high
            return self._from(share, lower_quantiles(ratios, tail))
        # Both ends at once, which are asked for one after the other.
        key = round(tail, 15)
        if key not in self.found:
            self.found[key] = lower_quantiles(self.from_low.above(self.from_high), tail)
        tails = self.found[key]
        return self._from(share, tails[:samples] if share <= 0.5 else tails[samples:])

    def _from(self, share: float, away: Array) -> Array:
        width = self.high - self.low
        return self.low + width * away if share <= 0.5 else self.high - width * away

    def standard_deviation(self) -> Array:
        """The SD; to first order where clusters differ in size."""
        return (self.high - self.low) * self.from_low.moments()[1]


def _drawn(values: Array, design: Design, plan: Plan, atoms: tuple[Array, Array]) -> Quantiles:
    """From weights that are drawn."""
    points, masses = atoms
    totals = design.by_stratum(design.totals(values))
    sizes = design.by_stratum(design.unit_sizes.astype(float))
    shares = [size.sum() / design.n for size in sizes]
    pseudo_masses = np.concatenate([share * masses for share in shares])
    pseudo = pseudo_weights(pseudo_masses, plan)
    out = np.zeros((len(values), plan.n_resamples))
    for start, stop in plan.blocks(max(design.units, len(values))):
        weights = design.by_stratum(unit_weights(design, plan, start, stop))
        added_in = np.split(pseudo[start:stop], len(shares), axis=-1)
        for total, size, share, own, added in zip(
            totals, sizes, shares, weights, added_in, strict=True
        ):
            added_size = size.mean() * added
            denominator = own @ size + added_size.sum(axis=-1)
            out[:, start:stop] += share * (total @ own.T + added_size @ points) / denominator
    return as_distribution(out, plan)
