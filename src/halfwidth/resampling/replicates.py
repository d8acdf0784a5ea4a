"""From a sample and a plan to a bootstrap distribution, by the statistic's declared form."""

from __future__ import annotations

import numpy as np

from halfwidth.core.forms import (
    CellCounts,
    Moments,
    OrderStatistics,
    RankedAreas,
    Ranking,
    SortedWeights,
    Sums,
    sum_of_squares,
)
from halfwidth.core.spec import Estimand, Statistic
from halfwidth.core.types import Array, Numbers
from halfwidth.resampling.areas import Areas, areas_of_resamples, areas_of_samples
from halfwidth.resampling.cells import cell_counts, finished
from halfwidth.resampling.convolution import MANY, convolved_means
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import Distribution, Scale, in_parts
from halfwidth.resampling.draws import Plan, counts_of_units, kept_counts, sums_by_stratum
from halfwidth.resampling.exact import binomial, order_statistics
from halfwidth.resampling.kernels import native, reference
from halfwidth.resampling.spacings import spacings
from halfwidth.resampling.tails import distribution_of

__all__ = ["bootstrap_distribution", "replicates"]

# Counts of cells of all resamples that are kept for other statistics of the same cases: 80 MB.
MOST_KEPT = 10**7
# Scores of samples that are ranked at once: some 30 MB with their order. No result depends on it.
MOST_RANKED = 2**20


def bootstrap_distribution(
    values: Array, design: Design, statistic: Statistic, plan: Plan, *, binary: bool = False
) -> Distribution:
    """The bootstrap distribution of a statistic, exact where that is known.

    Parameters
    ----------
    values : ndarray, shape (S, n)
        Samples, each in the canonical order of the design.
    design : Design
    statistic : Statistic
    plan : Plan
        Not used where the distribution is exact.
    binary : bool
        Whether the values are 0 and 1 and the statistic is their mean.

    Returns
    -------
    Distribution
        For S samples.
    """
    form, n = statistic.spec.form, values.shape[-1]
    if design.simple and binary:
        return binomial(values.sum(axis=-1), n)
    is_mean = isinstance(form, Moments) and statistic.spec.estimand is Estimand.MEAN
    if plan.convolves and is_mean and design.simple and n >= MANY:
        return convolved_means(values)
    if design.simple and isinstance(form, OrderStatistics):
        ranks, weights = form.picks(n, **statistic.parameters)
        if len(ranks) == 1 or (len(ranks) == 2 and ranks[1] == ranks[0] + 1):
            return order_statistics(values, ranks, weights)
        what = ("spacings", tuple(ranks))
        table = plan.once(what, (), design, lambda: _positions(ranks, n, plan))
        made = _picked(values, weights, table, plan)
        return distribution_of(made, plan)
    if isinstance(form, Moments | SortedWeights) and design.simple:
        kept = _kept_weights(design, statistic, plan)
        if kept is not None:
            return _of_linear(values, kept, statistic, plan)
    return distribution_of(replicates(values, design, statistic, plan), plan)


def _kept_weights(design: Design, statistic: Statistic, plan: Plan) -> Array | None:
    """How much each case counts in each resample, (B, n), for all samples of one size."""
    counts = kept_counts(design, plan)
    if counts is None or isinstance(statistic.spec.form, Moments):
        return counts
    what = ("shares", statistic.spec.name, *statistic.parameters.items())
    return plan.once(what, (), design, lambda: reference.shares(statistic, counts))


def _of_linear(values: Array, weights: Array, statistic: Statistic, plan: Plan) -> Distribution:
    """Replicates of a function of weighted sums, as what they increase with."""
    form, n, centre = statistic.spec.form, values.shape[-1], reference.middle_of(values)
    if isinstance(form, Moments):
        order, scale = (
            form.order,
            Scale(form.from_basis, form.to_basis, n, centre, statistic.parameters),
        )
    else:
        total = reference.total_weight(reference.weights_of(statistic, n))
        order, scale = 1, Scale(_moved, _moved_back, n, total * centre, {})
    sums = [(values - centre) ** power @ weights.T for power in range(1, order + 1)]
    if order == 1:
        return distribution_of(sums[0], plan, scale)
    for part in in_parts(*sums[0].shape):
        sums[1][part] = sum_of_squares(n, *(one[part] for one in sums))
    return distribution_of(sums[1], plan, scale)


def _moved(_n: int, sums: Array, by: Array) -> Array:
    return sums + by


def _moved_back(_n: int, values: Array, by: Array) -> Array:
    return values - by


def _positions(ranks: Array, n: int, plan: Plan) -> reference.Draws:
    """Positions of order statistics in each resample, (K, B)."""
    return np.ascontiguousarray(spacings(plan.entropy, ranks, n, plan.n_resamples).T)


def _picked(sorted_values: Array, weights: Array, table: reference.Draws, plan: Plan) -> Array:
    """Weighted order statistics, as gaps between neighbours: equal values have a spread of 0."""
    total = reference.total_weight(weights)
    gaps = -np.cumsum(weights[::-1])[::-1]
    pick = native.picked if plan.compiles else reference.picked
    return pick(sorted_values, table, total, gaps)


def replicates(values: Array, design: Design, statistic: Statistic, plan: Plan) -> Array:
    """Replicates of a statistic on shared draws, shape (S, n) -> (S, B), in order of resamples."""
    form = statistic.spec.form
    if isinstance(form, Moments):
        return _of_moments(values, design, statistic, form, plan)
    if isinstance(form, CellCounts):
        return _of_cells(values, design, form, plan)
    if isinstance(form, Sums):
        return _of_sums(values, design, form, plan)
    if isinstance(form, RankedAreas):
        return _of_areas(values, design, form, plan)
    if isinstance(form, SortedWeights | OrderStatistics):
        return _of_sorted(values, design, statistic, plan)
    out = np.empty((len(values), plan.n_resamples))
    each = max(design.n, len(values))
    for start, stop in plan.blocks(each, slow=form is None):
        draws = plan.indices(design, start, stop)
        out[:, start:stop] = reference.plain(values, design, statistic, draws)
    return out


def _of_sorted(values: Array, design: Design, statistic: Statistic, plan: Plan) -> Array:
    out = np.empty((len(values), plan.n_resamples))
    for start, stop in plan.blocks(max(design.n, len(values))):
        drawn = counts_of_units(design, plan, start, stop)
        out[:, start:stop] = reference.weighted(values, design, statistic, drawn)
    return out


def _of_moments(
    values: Array, design: Design, statistic: Statistic, form: Moments, plan: Plan
) -> Array:
    samples, centre = len(values), reference.middle_of(values)
    powers = [design.totals((values - centre) ** power) for power in range(1, form.order + 1)]
    sizes = [] if design.equal_sizes else [design.unit_sizes[None].astype(float)]
    features = np.ascontiguousarray(np.concatenate([*powers, *sizes]))
    out = np.empty((samples, plan.n_resamples))
    for start, stop, by_stratum in sums_by_stratum(features, design, plan):
        sums = by_stratum[0] if len(by_stratum) == 1 else by_stratum.sum(axis=0)
        n = design.n if design.equal_sizes else sums[-1]
        own = [sums[power * samples :][:samples] for power in range(form.order)]
        out[:, start:stop] = form.finish(n, own, centre, **statistic.parameters)
    return out


def _of_cells(codes: Array, design: Design, form: CellCounts, plan: Plan) -> Array:
    def counted() -> Numbers:
        # The counts of a cell side by side, which is how they are added up.
        made = np.empty((form.n_cells, len(codes), plan.n_resamples), dtype=np.int64)
        for start, stop, counts in cell_counts(codes, form.n_cells, design, plan):
            made[..., start:stop] = np.moveaxis(counts, -1, 0)
        return np.moveaxis(made, 0, -1)

    if codes.size and codes.shape[0] == 1 and plan.n_resamples * form.n_cells <= MOST_KEPT:
        return form.finish(plan.once(("cells", form.n_cells), (codes,), design, counted))
    return finished(codes, design, form, plan)


def _of_sums(records: Array, design: Design, form: Sums, plan: Plan) -> Array:
    features = form.features(records)
    samples, each = features.shape[:2]
    of_units = design.totals(features).reshape(samples * each, design.units)
    rows = [np.ascontiguousarray(of_units), design.unit_sizes[None].astype(float)]
    out = np.empty((samples, plan.n_resamples))
    for start, stop, by_stratum in sums_by_stratum(np.concatenate(rows), design, plan):
        total = by_stratum.sum(axis=0)
        sums = np.moveaxis(total[:-1].reshape(samples, each, -1), 1, -1)
        out[:, start:stop] = form.finish(total[-1], sums)
    return out


def _of_areas(values: Array, design: Design, form: RankedAreas, plan: Plan) -> Array:
    """Rankings of many samples under one another, so that they share the counts of a resample."""
    out = np.empty((len(values), plan.n_resamples))
    if len(values) == 1:
        areas = _drawn_areas(form.rank(values[0]), design, form, plan)
        out[0] = form.finish(areas.area.T, areas.positives.T)
        return out
    step = max(1, MOST_RANKED // max(values[:1].size, 1))
    for start in range(0, len(values), step):
        part = values[start : start + step]
        ranking = form.rank(part)
        into = out[start : start + step]
        for some, block, areas in areas_of_samples(form.area, ranking, len(part), design, plan):
            shape = (some.stop - some.start, -1, block.stop - block.start)
            area, positives = (
                np.moveaxis(one.reshape(shape), 1, -1) for one in (areas.area, areas.positives)
            )
            into[some, block] = form.finish(area, positives)
    return out


def _drawn_areas(ranking: Ranking, design: Design, form: RankedAreas, plan: Plan) -> Areas:
    def drawn() -> Areas:
        shape = (len(ranking.case), plan.n_resamples)
        made = Areas(np.empty(shape), np.empty(shape))
        for start, stop, areas in areas_of_resamples(form.area, ranking, design, plan):
            made.area[:, start:stop] = areas.area
            made.positives[:, start:stop] = areas.positives
        return made

    arrays = [array for array in (ranking.case, ranking.mark, ranking.weight) if array is not None]
    return plan.once((form.area,), arrays, design, drawn)
