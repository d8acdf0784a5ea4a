"""Studentized replicates t* = (θ* - θ̂) / SE*, with the SE of each resample under its design."""

from __future__ import annotations

import numpy as np

from halfwidth.core.spec import Estimand, Statistic
from halfwidth.core.types import Array
from halfwidth.core.undefined import studentized_ratio
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import Distribution
from halfwidth.resampling.draws import Plan, sums_by_stratum
from halfwidth.resampling.exact import studentized_binomial
from halfwidth.resampling.jackknife import tie_tolerance
from halfwidth.resampling.kernels import reference
from halfwidth.resampling.linearization import standard_error
from halfwidth.resampling.tails import distribution_of

__all__ = ["studentized_distribution", "studentized_plain"]

# What is left of the variance of a resample of equal values is rounding of either sign.
ROUNDING = 16 * np.finfo(float).eps


def studentized_distribution(
    values: Array, design: Design, statistic: Statistic, plan: Plan, *, binary: bool = False
) -> Distribution:
    """Studentized replicates of S samples, on the draws that the other bootstraps use.

    Parameters
    ----------
    values : ndarray, shape (S, n)
        Samples, each in the canonical order of the design.
    design : Design
    statistic : Statistic
        Declares an influence.
    plan : Plan
    binary : bool
        Whether the values are 0 and 1 and the statistic is their mean.

    Returns
    -------
    Distribution
        t* of each resample. Infinite where SE* = 0 and θ* ≠ θ̂; undefined (NaN) where both are 0.
    """
    if design.simple and binary:
        return studentized_binomial(values.sum(axis=-1), design.n)
    make = _of_means if statistic.spec.estimand is Estimand.MEAN else studentized_plain
    return distribution_of(make(values, design, statistic, plan), plan)


def studentized_plain(values: Array, design: Design, statistic: Statistic, plan: Plan) -> Array:
    """Gather every resample, and reckon its statistic and its SE: (S, n) -> (S, B)."""
    estimate, tolerance = statistic(values), tie_tolerance(values, statistic)
    out = np.empty((len(values), plan.n_resamples))
    for start, stop in plan.blocks(design.n):
        draws = plan.indices(design, start, stop)
        for rows, positions, drawn in reference.resamples(design, draws):
            for place, sample in enumerate(values):
                gathered = reference.gather(sample, positions)
                out[place, start:stop][rows] = studentized_ratio(
                    statistic(gathered) - estimate[place],
                    standard_error(gathered, drawn, statistic),
                    tolerance[place],
                )
    return out


def _of_means(values: Array, design: Design, statistic: Statistic, plan: Plan) -> Array:
    """The same for means, from sums over units: of T, T², and n, Tn, n² where units differ in size.

    T is the total of a unit about the centre and n its size. With D = ΣT/Σn the influence of a unit
    is (T - Dn)/Σn, whose variance expands into those sums.
    """
    samples, centre = len(values), reference.middle_of(values)
    totals = design.totals(values - centre)
    sizes = design.unit_sizes.astype(float)
    parts = [totals, totals**2]
    if not design.equal_sizes:
        parts += [totals * sizes, sizes[None], sizes[None] ** 2]
    features = np.concatenate(parts)
    units = np.array(design.strata, float)[:, None, None]
    weight = np.where(units > 1, units / np.maximum(units - 1, 1), 0.0)
    deviation_of_sample = statistic(values)[:, None] - centre
    tolerance = tie_tolerance(values, statistic)[:, None]
    out = np.empty((samples, plan.n_resamples))
    for start, stop, sums in sums_by_stratum(features, design, plan):
        total, square = sums[:, :samples], sums[:, samples : 2 * samples]
        if design.equal_sizes:
            size = units * sizes[0]
            product, size_square = sizes[0] * total, sizes[0] * size
        else:
            product = sums[:, 2 * samples : 3 * samples]
            size, size_square = sums[:, -2, None], sums[:, -1, None]
        n = size.sum(axis=0)
        mean = total.sum(axis=0) / n
        squares = square - 2 * mean * product + mean**2 * size_square
        within = squares - (total - mean * size) ** 2 / units
        noise = ROUNDING * (square + mean**2 * size_square)
        variance = (weight * np.where(within <= noise, 0.0, within)).sum(axis=0) / n**2
        out[:, start:stop] = studentized_ratio(
            mean - deviation_of_sample, np.sqrt(variance), tolerance
        )
    return out
