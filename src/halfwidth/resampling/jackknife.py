"""Values without each unit in turn, in O(n) where the form allows, and BCa's acceleration."""

from __future__ import annotations

import numpy as np

from halfwidth.core.forms import (
    CellCounts,
    Moments,
    OrderStatistics,
    RankedAreas,
    SortedWeights,
    Sums,
)
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.metrics.counting import count_cells
from halfwidth.resampling.areas_left_out import without_each_unit
from halfwidth.resampling.cells import counts_by_unit
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import BLOCK_ELEMENTS
from halfwidth.resampling.kernels import reference
from halfwidth.resampling.kernels.reference import middle_of, total_weight, weights_of
from halfwidth.resampling.progress import tracked

__all__ = ["acceleration", "leave_one_out", "proportion_acceleration", "tie_tolerance"]

# Rounding breaks ties between values that are equal; differences below this share of the
# sample's scale count as none.
TIE_SHARE = 1e-12


def tie_tolerance(values: Array, statistic: Statistic) -> Array:
    """Differences of the statistic below this are rounding, per sample."""
    if statistic.spec.of_records:
        size = np.abs(statistic(values))
        bounded = isinstance(statistic.spec.form, CellCounts | RankedAreas)
        return np.asarray(TIE_SHARE * (np.fmax(size, 1.0) if bounded else size))
    return np.asarray(TIE_SHARE * np.abs(values).max(axis=tuple(range(1, values.ndim))))


def leave_one_out(values: Array, design: Design, statistic: Statistic) -> Array:
    """The statistic without each unit (case or cluster) in turn: (S, n) -> (S, U)."""
    form = statistic.spec.form
    if isinstance(form, SortedWeights | OrderStatistics):
        if design.simple:
            return _without_each(values, weights_of(statistic, design.n - 1))
        return _without_each_cluster(values, design, statistic)
    if isinstance(form, Moments | Sums):
        return _from_sums(values, design, statistic)
    if isinstance(form, CellCounts):
        return _without_each_count(values, design, form)
    if isinstance(form, RankedAreas):
        return without_each_unit(form, values, design)
    out = np.empty((len(values), design.units))
    each = ((unit, unit + 1) for unit in range(design.units))
    for unit, _ in tracked(each, design.units, "units left out"):
        first, size = design.first_cases[unit], design.unit_sizes[unit]
        out[:, unit] = statistic(np.delete(values, np.s_[first : first + size], axis=-1))
    return out


def _from_sums(values: Array, design: Design, statistic: Statistic) -> Array:
    """A function of sums, which lose what the unit adds to them."""
    form, left = statistic.spec.form, design.n - design.unit_sizes
    if isinstance(form, Sums):
        features = form.features(values)
        rest = features.sum(axis=-1, keepdims=True) - design.totals(features)
        # Where the unit held all there is, rounding is left.
        size = np.abs(features).sum(axis=-1, keepdims=True)
        rest = np.where(np.abs(rest) <= 16 * np.finfo(float).eps * size, 0.0, rest)
        return form.finish(left.astype(float), np.moveaxis(rest, -2, -1))
    if not isinstance(form, Moments):
        raise TypeError(f"{statistic.spec.name} is no function of sums")
    centre = middle_of(values)
    powers = [(values - centre) ** power for power in range(1, form.order + 1)]
    lost = [power.sum(axis=-1, keepdims=True) - design.totals(power) for power in powers]
    return np.asarray(form.finish(left.astype(float), lost, centre, **statistic.parameters))


def _without_each(sorted_values: Array, weights: Array) -> Array:
    """An L-statistic without each case: those before it keep their place, those after move up."""
    middle = middle_of(sorted_values)
    centred = sorted_values - middle
    before = np.zeros_like(centred)
    before[..., 1:] = np.cumsum(weights * centred[..., :-1], axis=-1)
    after = np.zeros_like(centred)
    after[..., :-1] = np.cumsum((weights * centred[..., 1:])[..., ::-1], axis=-1)[..., ::-1]
    return np.asarray(before + after + middle * total_weight(weights))


def _without_each_cluster(values: Array, design: Design, statistic: Statistic) -> Array:
    """An L-statistic without each unit, as a resample that draws every other unit once."""
    out = np.empty((len(values), design.units))
    step = max(1, BLOCK_ELEMENTS // design.n)
    for start in range(0, design.units, step):
        counts = np.ones((min(step, design.units - start), design.units), dtype=np.intp)
        counts[np.arange(len(counts)), start + np.arange(len(counts))] = 0
        out[:, start : start + step] = reference.weighted(values, design, statistic, counts)
    return out


def _without_each_count(codes: Array, design: Design, form: CellCounts) -> Array:
    """A function of counts without each unit: as many evaluations as there are cells."""
    counts, each = count_cells(codes, form.n_cells), form.n_cells
    out = np.empty((len(codes), design.units))
    if design.sizes is not None:
        for sample, own, into in zip(codes, counts, out, strict=True):
            into[:] = form.finish(own - counts_by_unit(sample, design, each))
        return out
    step = max(1, BLOCK_ELEMENTS // each**2)
    for start in range(0, len(codes), step):
        some = np.s_[start : start + step]
        # The counts of a cell side by side, which is how they are added up: (cell, S, cell left).
        left = np.repeat(counts[some].T[:, :, None].astype(float), each, axis=-1)
        # From an empty cell nothing is taken, and nobody asks for what that gives.
        np.einsum("isi->is", left)[:] -= counts[some].T > 0
        of_cell = form.finish(np.moveaxis(left, 0, -1))
        out[some] = np.take_along_axis(of_cell, codes[some].astype(np.intp), axis=-1)
    return out


def acceleration(values: Array, design: Design, statistic: Statistic) -> Array:
    """BCa's acceleration, Σd³ / (6 (Σd²)^1.5).

    d = mean of the leave-one-out values of the stratum minus each. They come from the pooled
    sample, which weighs strata by what is left of them; Davison & Hinkley (1997, section 5.3.2)
    delete within strata of fixed weight, and so need a factor. NaN where the jackknife variance
    vanishes, so that BCa is undefined there.
    """
    if design.n - design.unit_sizes.max() < statistic.spec.min_n or design.units < 2:
        return np.full(len(values), np.nan)
    left_out = leave_one_out(values, design, statistic)
    with np.errstate(invalid="ignore"):  # a ratio without one unit may be infinite
        deviation = design.stratum_means(left_out) - left_out
    scale = np.abs(deviation).max(axis=-1, keepdims=True)
    vanishes = scale[..., 0] <= tie_tolerance(values, statistic)
    with np.errstate(invalid="ignore", divide="ignore"):
        # Scaled first: the cubes of small deviations would underflow.
        scaled = deviation / scale
        squares = scaled * scaled
        skew = (squares * scaled).sum(axis=-1) / (6 * squares.sum(axis=-1) ** 1.5)
    return np.where(vanishes, np.nan, skew)


def proportion_acceleration(successes: Array, n: int) -> Array:
    """The same for a proportion: (1 - 2p) / (6 √(n p (1 - p))); NaN at 0 and at 1."""
    p = np.asarray(successes, float) / n
    with np.errstate(invalid="ignore", divide="ignore"):
        value = (1 - 2 * p) / (6 * np.sqrt(n * p * (1 - p)))
    return np.where((p > 0) & (p < 1), value, np.nan)
