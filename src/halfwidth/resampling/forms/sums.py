"""Functions of sums of several features of each case: RMSE, R², metrics of weighted cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import Sums
from halfwidth.core.frozen import frozen
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.spec import Estimand, Statistic
from halfwidth.core.types import Array, Bounds, Quotient
from halfwidth.resampling.class_averages import Classes
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import BatchDistribution, Distribution
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.exact.ratios import quotient_distribution
from halfwidth.resampling.forms.contract import (
    BothEnds,
    Dirichlet,
    Engine,
    Errors,
    InPairs,
    Pair,
    Permutations,
    Prepared,
    declared_form,
)
from halfwidth.resampling.forms.counts_weighted import (
    weighted_table_pairs,
    weighted_tables,
    weights_of_tables,
)
from halfwidth.resampling.forms.joint_resamples import OfCounts, joint_sums
from halfwidth.resampling.forms.signed_sums import SignedSums, sums_of_models
from halfwidth.resampling.forms.weighted_rows import both_ends, in_pairs, sides_of
from halfwidth.resampling.weights.blocks import Block, Features, Pace, cases_held
from halfwidth.resampling.weights.bootstrap import pace_of_sums
from halfwidth.resampling.weights.dirichlet import (
    INDEPENDENT,
    discordance_of_left_out,
    masses_at_corners,
    pseudo_weights_of_classes,
    typical_weight,
)


@frozen(eq=False)
class SummedSamples(Prepared):
    """Features of S samples to be summed over the cases of units."""

    form: Sums
    each: int  # Features of a sample
    # Those of one sample after those of another, and sizes where units have several
    features: Features

    @classmethod
    def prepare(cls, records: Array, design: Design, statistic: Statistic) -> SummedSamples:
        """Take the features of records, (S, k, n)."""
        form = declared_form(statistic, Sums)
        features = form.features(records)
        by_unit = design.totals(features).reshape(-1, design.units)
        sizes = [] if design.equal_sizes else [design.unit_sizes[None].astype(float)]
        rows = np.concatenate([np.ascontiguousarray(by_unit), *sizes])
        return cls(form, features.shape[1], Features(rows, design))

    def pace(self, plan: Plan) -> Pace:
        """Pace of their sums."""
        return pace_of_sums(self.features, plan)

    def evaluate(self, block: Block, into: Array) -> None:
        """Evaluate sums with the weights of units."""
        total, design = block.sums(self.features).sum(axis=0), self.features.design
        n = np.broadcast_to(cases_held(block, design), into.shape[1:]).astype(float)
        n = n if design.equal_sizes else total[-1]
        sums = total[: len(into) * self.each].reshape(len(into), self.each, -1)
        into[:] = self.form.finish(n, np.moveaxis(sums, 1, -1))


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
    """Values without each unit, by sums that lose what the unit adds to them."""
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
    """Tables are weighted whatever their cases weigh; else pseudo-cases lie at the bounds."""
    form = declared_form(statistic, Sums)
    features = form.features(records)
    if form.table is not None:
        return weighted_tables(form.table, *_tables(features, design, plan), plan, pseudo_cases)
    averages, classes = _averages(form, features, design, plan), _classes(form, features)
    bounds = pseudo_cases.bounds
    replicates = [
        _mixed(averages, pseudo_weights_of_classes(masses, len(averages), plan), bounds, classes)
        for masses in sides_of(pseudo_cases, outward=form.by_class is not None)
    ]
    return both_ends(replicates, classes, plan)


def _mixed(
    averages: Sequence[_Averages], drawn: Array, bounds: Bounds, classes: Classes | None
) -> Array:
    """Averages with pseudo-cases of each class at either bound, (2, C, B) -> (S, C, B)."""
    each = [one.mixed(drawn[:, which], bounds) for which, one in enumerate(averages)]
    replicates = np.stack(each, axis=1)
    if classes is None:
        return replicates
    return classes.with_average(replicates, np.stack([one.support for one in averages], axis=1))


@frozen(eq=False)
class _Averages:
    """What a metric of S samples is an average of, under Dirichlet weights."""

    values: Array  # (S, B)
    # (S, B): what they are averages over: cases, or the denominator of a ratio of sums
    total: Array
    unit: Array  # (S,): a typical unit of that
    power: float = 1.0  # Of the metric that is an average
    support: Array = field(default_factory=lambda: np.empty(0))  # (S, B): of a class

    def mixed(self, drawn: Array, bounds: Bounds) -> Array:
        """Averages with pseudo-cases at either bound, (2, B) -> (S, B), maybe with them alone."""
        low, high = drawn
        ends = bounds.low**self.power, bounds.high**self.power
        observed = np.where(self.total > 0, self.total * self.values**self.power, 0.0)
        added = self.unit[:, None] * (low * ends[0] + high * ends[1])
        total = self.total + self.unit[:, None] * (low + high)
        return np.asarray(((observed + added) / total) ** (1 / self.power))


def _averages(form: Sums, features: Array, design: Design, plan: Plan) -> list[_Averages]:
    """Averages of the metric, or of each class of an average over classes."""
    sizes = np.broadcast_to(np.ones(design.n), (len(features), 1, design.n))
    by_unit = design.totals(np.concatenate([features, sizes], axis=1))
    sums = weights_of_tables(by_unit, design, plan)
    cases = sums[..., -1]
    if form.by_class is not None:
        parts, class_sums = (
            one.reshape(*one.shape[:-1], -1, form.by_class.classes)
            for one in (np.moveaxis(by_unit[:, :-1], 1, -1), sums[..., :-1])
        )
        return [
            replace(
                _ratio_averages(form.by_class.quotient, parts[..., which], class_sums[..., which]),
                support=class_sums[..., -1, which],
            )
            for which in range(form.by_class.classes)
        ]
    values = form.finish(cases, sums[..., :-1])
    if form.quotient is None:
        unit = np.full(len(features), design.n / design.units)
        return [_Averages(values, cases, unit, form.power)]
    parts = np.moveaxis(by_unit[:, :-1], 1, -1)
    return [replace(_ratio_averages(form.quotient, parts, sums[..., :-1]), values=values)]


def _ratio_averages(quotient: Quotient, units: Array, sums: Array) -> _Averages:
    """A ratio of sums: units have unequal parts in its denominator, (S, U, K), (S, B, K)."""
    above, below = np.array(quotient)
    total = np.maximum(sums @ below, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(total > 0, sums @ above / total, np.nan)
    below_each = units @ below
    unit = [typical_weight(own) if own.any() else 1.0 for own in below_each]
    return _Averages(values, total, np.array(unit))


def _classes(form: Sums, features: Array) -> Classes | None:
    """Classes of an average."""
    by_class = form.by_class
    if by_class is None:
        return None
    totals = features.sum(axis=-1).reshape(len(features), -1, by_class.classes)
    above, below = (np.einsum("k,skc->sc", np.array(one), totals) for one in by_class.quotient)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(below > 0, above / below, np.nan)
    return Classes.averaged(values, totals[:, -1], by_class.average)


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
    discordance: float,
) -> tuple[InPairs, InPairs]:
    """Replicates of models in pairs, on the same cases for every model."""
    form = declared_form(statistic, Sums)
    features = form.features(records)
    if form.table is not None:
        return weighted_table_pairs(
            form.table, *_tables(features, design, plan), plan, pseudo_cases
        )
    averages, classes = _averages(form, features, design, plan), _classes(form, features)
    replicates = []
    for masses in sides_of(pseudo_cases):
        both_bad, first_bad, second_bad, both_good = pseudo_weights_of_classes(
            masses_at_corners(masses, discordance), len(averages), plan
        )
        for bad, good in (
            (both_bad + first_bad, second_bad + both_good),
            (both_bad + second_bad, first_bad + both_good),
        ):
            drawn = np.stack([bad, good])
            replicates.append(_mixed(averages, drawn, pseudo_cases.bounds, classes))
    return in_pairs(replicates, classes)


def discordance(records: Array, places: NDArray[np.intp], statistic: Statistic) -> Array:
    """How often pseudo-cases lie at different bounds for two models; in tables, independently."""
    if declared_form(statistic, Sums).table is not None:
        return np.full(len(places), INDEPENDENT)
    design = Design((records.shape[-1],), paired=True)
    return discordance_of_left_out(leave_one_out(records, design, statistic), places)


def weights_need_bounds(statistic: Statistic) -> bool:
    """Not of tables, in which a case is right or wrong."""
    return declared_form(statistic, Sums).table is None


def joint(records: Sequence[Array], design: Design, statistic: Statistic) -> OfCounts | None:
    """Resamples of sums of several models."""
    counting = statistic.spec.estimand is Estimand.COUNTING
    return None if counting else joint_sums(records, design, declared_form(statistic, Sums))


def signed_sums(pair: Pair, design: Design, statistic: Statistic) -> SignedSums:
    """The sums of either model."""
    form = declared_form(statistic, Sums)
    first, second = (form.features(side[None])[0] for side in pair)

    def finish(sums: Array) -> Array:
        return form.finish(np.asarray(float(design.n)), np.ascontiguousarray(sums.T))

    return sums_of_models(first, second, design, finish)


def swapped_text(statistic: Statistic) -> str:
    """Decisions, where the sums are of a table."""
    return "" if declared_form(statistic, Sums).table is None else "paired decisions"


def seconds(_statistic: Statistic, n: int, _classes: int) -> float:
    """Gathered, as no study has such statistics yet."""
    return n * 2e-8


ENGINE = Engine(
    prepare=SummedSamples.prepare,
    leave_one_out=leave_one_out,
    exact_distribution=exact_distribution,
    errors=Errors(joint=joint),
    dirichlet=Dirichlet(
        both_ends=weighted,
        in_pairs=weighted_pairs,
        discordance=discordance,
        needs_bounds=weights_need_bounds,
    ),
    permutations=Permutations(signed_sums=signed_sums, swapped_text=swapped_text),
    seconds=seconds,
    paired=True,
)
