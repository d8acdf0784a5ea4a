"""How well a kernel density estimate fits its values."""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array, Bounds, as_bounds
from halfwidth.study.populations.base import finite_values
from halfwidth.study.populations.kde import AdaptiveKde

if TYPE_CHECKING:
    import pandas as pd


@frozen(eq=False)
class FitDiagnostics:
    """What a kernel density estimate keeps and changes of its values.

    Attributes
    ----------
    mass_outside : float
        Probability of a value outside the bounds: 0.
    n_atoms : int
        Single values that keep a mass of their own.
    atom_mass : float
        Their mass in all.
    integral : float
        ∫ density + the mass of the atoms, by quadrature of the density: 1.
    kolmogorov_distance : float
        Largest difference between the distribution functions of the KDE and of the values.
    data_mean, data_sd : float
        Of the values; the SD divides by n - 1.
    fitted_mean, fitted_sd : float
        Of the KDE: the same mean, and a larger SD by the spread of the kernels.
    """

    mass_outside: float
    n_atoms: int
    atom_mass: float
    integral: float
    kolmogorov_distance: float
    data_mean: float
    data_sd: float
    fitted_mean: float
    fitted_sd: float
    population: AdaptiveKde = field(repr=False)
    values: Array = field(repr=False)

    def histogram(self, bins: int = 30) -> pd.DataFrame:
        """The histogram of the values, and the KDE averaged over the same bins.

        Bins are of equal width over the support of the KDE, closed on the left; the last one is
        closed on both sides. Where all values are equal there is one, 1 wide, around them.

        Parameters
        ----------
        bins : int, default 30

        Returns
        -------
        pandas.DataFrame
            ``low`` and ``high`` ends, ``observed`` and ``fitted`` density (share over width; the
            mass of atoms counts to the bin that they lie in).

        Raises
        ------
        OptionError
            For less than one bin.
        """
        import pandas as pd

        if bins < 1:
            raise OptionError(f"bins={bins} is not at least 1")
        low, high = self.population.support
        edges = np.linspace(low, high, bins + 1) if low < high else np.array([low - 0.5, low + 0.5])
        width = np.diff(edges)
        counts, _ = np.histogram(self.values, edges)
        below = _just_below(self.population, edges)
        below[-1] = 1.0
        return pd.DataFrame(
            {
                "low": edges[:-1],
                "high": edges[1:],
                "observed": counts / len(self.values) / width,
                "fitted": np.diff(below) / width,
            }
        )


def fit_diagnostics(
    population: AdaptiveKde, values: ArrayLike, bounds: Bounds | tuple[float, float]
) -> FitDiagnostics:
    """Compare a kernel density estimate with its values.

    Parameters
    ----------
    population : AdaptiveKde
    values : array-like
        The values that it was made of.
    bounds : Bounds or pair of floats
        The range of the metric.

    Returns
    -------
    FitDiagnostics

    Raises
    ------
    DataError
        For fewer than two values, or values that are not finite.

    Examples
    --------
    >>> from halfwidth.study.populations import adaptive_kde
    >>> values, bounds = [0.7, 0.8, 0.9, 1.0], Bounds(0, 1)
    >>> found = fit_diagnostics(adaptive_kde(values, bounds), values, bounds)
    >>> found.mass_outside, found.n_atoms, found.atom_mass, round(found.integral, 9)
    (0.0, 1, 0.25, 1.0)
    """
    bounds = as_bounds(bounds)
    ordered = finite_values(values, least=2, purpose="a comparison with a fit")
    at, masses = population.atoms
    atom_mass = float(masses.sum())
    low, high = population.support
    # Only if the support says so: rounding alone puts 1e-33 of a kernel beyond its own end.
    outside = float(_just_below(population, np.array([bounds.low]))[0]) if low < bounds.low else 0.0
    outside += float(1 - population.cdf(bounds.high)) if high > bounds.high else 0.0
    return FitDiagnostics(
        mass_outside=outside,
        n_atoms=len(at),
        atom_mass=atom_mass,
        integral=_integral(population) + atom_mass,
        kolmogorov_distance=_kolmogorov(population, ordered),
        data_mean=float(ordered.mean()),
        data_sd=float(ordered.std(ddof=1)),
        fitted_mean=population.mean,
        fitted_sd=population.standard_deviation,
        population=population,
        values=ordered,
    )


def _just_below(population: AdaptiveKde, x: Array) -> Array:
    """P(X < x)."""
    at, masses = population.atoms
    jumps = np.concatenate([masses, [0.0]])[np.searchsorted(at, x)]
    at_jump = np.concatenate([at, [math.nan]])[np.searchsorted(at, x)] == x
    return np.asarray(population.cdf(x) - np.where(at_jump, jumps, 0.0))


def _integral(population: AdaptiveKde) -> float:
    """∫ density, by Gauss's rule with two nodes on each piece, exact for its parabolas."""
    ends = population.ends
    middle, half = (ends[1:] + ends[:-1]) / 2, np.diff(ends) / 2
    nodes = half / math.sqrt(3)
    total = population.density(middle - nodes) + population.density(middle + nodes)
    return float((total * half).sum())


def _kolmogorov(population: AdaptiveKde, ordered: Array) -> float:
    """Largest |F - F̂|, reached at a value or just below one, where either of them jumps."""
    at, counts = np.unique(ordered, return_counts=True)
    upto = np.cumsum(counts) / len(ordered)
    below = upto - counts / len(ordered)
    at_values = np.abs(population.cdf(at) - upto)
    just_below = np.abs(_just_below(population, at) - below)
    return float(max(at_values.max(), just_below.max()))
