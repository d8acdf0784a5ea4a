"""Functions of sums of several features of each case: RMSE, R², metrics of weighted cases."""

from __future__ import annotations

import numpy as np

from halfwidth.core.forms import Sums
from halfwidth.core.pseudo_cases import Masses, PseudoCases
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.dirichlet_weights import pseudo_weights, typical_weight
from halfwidth.resampling.distribution import BatchDistribution, Distribution
from halfwidth.resampling.draws import Plan, sums_by_stratum
from halfwidth.resampling.forms.contract import BothEnds, Engine, InPairs, declared_form
from halfwidth.resampling.forms.counts_weighted import (
    of_paired_tables,
    of_tables,
    weights_of_tables,
)
from halfwidth.resampling.ratios import quotient_distribution
from halfwidth.resampling.tails import as_distribution


def replicates(records: Array, design: Design, statistic: Statistic, plan: Plan) -> Array:
    """From sums over the units drawn."""
    form = declared_form(statistic, Sums)
    features = form.features(records)
    samples, each = features.shape[:2]
    by_unit = design.totals(features).reshape(samples * each, design.units)
    rows = [np.ascontiguousarray(by_unit), design.unit_sizes[None].astype(float)]
    out = np.empty((samples, plan.n_resamples))
    for start, stop, by_stratum in sums_by_stratum(np.concatenate(rows), design, plan):
        total = by_stratum.sum(axis=0)
        sums = np.moveaxis(total[:-1].reshape(samples, each, -1), 1, -1)
        out[:, start:stop] = form.finish(total[-1], sums)
    return out


def exact_distribution(
    records: Array, design: Design, statistic: Statistic, plan: Plan
) -> Distribution | None:
    """The exact distribution of a ratio of two weighted sums."""
    form = declared_form(statistic, Sums)
    if form.quotient is None or not plan.convolves:
        return None
    weights = np.array(form.quotient)
    return BatchDistribution.join(
        quotient_distribution(weights @ features, design) for features in form.features(records)
    )


def leave_one_out(records: Array, design: Design, statistic: Statistic) -> Array:
    """From the sums, which lose what the unit adds to them."""
    form, left = declared_form(statistic, Sums), design.n - design.unit_sizes
    features = form.features(records)
    rest = features.sum(axis=-1, keepdims=True) - design.totals(features)
    # Where the unit held all there is, rounding is left.
    size = np.abs(features).sum(axis=-1, keepdims=True)
    rest = np.where(np.abs(rest) <= 16 * np.finfo(float).eps * size, 0.0, rest)
    return form.finish(left.astype(float), np.moveaxis(rest, -2, -1))


def weighted(
    records: Array, design: Design, statistic: Statistic, plan: Plan, pseudo_cases: PseudoCases
) -> BothEnds:
    """Of tables of weighted cases as of others; else with pseudo-cases at the bounds."""
    form = declared_form(statistic, Sums)
    features = form.features(records)
    if form.table is not None:
        return of_tables(form.table, *_tables(features, design, plan), plan, pseudo_cases)
    sizes = np.broadcast_to(np.ones(design.n), (len(records), 1, design.n))
    by_unit = design.totals(np.concatenate([features, sizes], axis=1))
    sums = weights_of_tables(by_unit, design, plan)
    values, total = form.finish(sums[..., -1], sums[..., :-1]), sums[..., -1]
    lower, upper = (
        _with_pseudo_cases(form, values, total, design, plan, pseudo_cases, masses)
        for masses in (pseudo_cases.low, pseudo_cases.high)
    )
    return lower, upper


def _tables(features: Array, design: Design, plan: Plan) -> tuple[Array, Array, float]:
    """Tables observed and under Dirichlet weights, and what a unit counts on average."""
    cells = weights_of_tables(design.totals(features), design, plan)
    unit = typical_weight(features[0].sum(axis=0)) * design.n / design.units
    return features.sum(axis=-1), cells, unit


def weighted_pairs(
    records: Array,
    design: Design,
    statistic: Statistic,
    plan: Plan,
    pseudo_cases: PseudoCases,
    _discordance: float,
) -> tuple[InPairs, InPairs]:
    """Of tables of weighted cases, which are the same cases for every model."""
    form = declared_form(statistic, Sums)
    if form.table is None:
        raise TypeError(f"{statistic.spec.name} is not a function of a table")
    tables = _tables(form.features(records), design, plan)
    return of_paired_tables(form.table, *tables, plan, pseudo_cases)


def _with_pseudo_cases(
    form: Sums,
    values: Array,
    total: Array,
    design: Design,
    plan: Plan,
    pseudo_cases: PseudoCases,
    masses: Masses,
) -> Distribution:
    """Averages, of a power of the statistic, with the values of pseudo-cases."""
    drawn = design.n / design.units * pseudo_weights(masses, plan)
    bounds = np.array([pseudo_cases.bounds.low, pseudo_cases.bounds.high])
    average = total * values**form.power + drawn @ bounds**form.power
    return as_distribution((average / (total + drawn.sum(axis=-1))) ** (1 / form.power), plan)


def weights_need_bounds(statistic: Statistic) -> bool:
    """Not of tables, in which a case is right or wrong."""
    return declared_form(statistic, Sums).table is None


def seconds(_statistic: Statistic, n: int, _classes: int) -> float:
    """Gathered, as no study has such statistics yet."""
    return n * 2e-8


ENGINE = Engine(
    replicates=replicates,
    leave_one_out=leave_one_out,
    exact_distribution=exact_distribution,
    weighted=weighted,
    weighted_pairs=weighted_pairs,
    weights_need_bounds=weights_need_bounds,
    seconds=seconds,
    paired=True,
)
