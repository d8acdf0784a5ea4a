"""Functions of power sums: means and standard deviations.

Of independent cases the sums of all resamples are one product of the values with the counts of
draws; else sums over the units drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from halfwidth.core.forms import Moments
from halfwidth.core.frozen import frozen
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.spec import Estimand, Statistic
from halfwidth.core.types import Array
from halfwidth.core.undefined import studentized_ratio
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import BatchDistribution, Distribution
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.exact.convolution import sum_distribution, unit_draws
from halfwidth.resampling.exact.ratios import ratio_distribution, unit_pairs
from halfwidth.resampling.forms import generic
from halfwidth.resampling.forms.contract import (
    PRODUCT,
    REPLICATE,
    BothEnds,
    Dirichlet,
    Engine,
    Errors,
    Pair,
    Permutations,
    Prepared,
    declared_form,
    tie_size,
)
from halfwidth.resampling.forms.signed_sums import SignedSums, plain_sum, sums_of_models
from halfwidth.resampling.kernels.reference import middle_of
from halfwidth.resampling.weights.blocks import Block, Features, Pace, cases_held
from halfwidth.resampling.weights.bootstrap import evaluated, pace_of_sums

# What is left of the variance of a resample of equal values is rounding of either sign.
ROUNDING = 16 * np.finfo(float).eps


def exact_distribution(
    values: Array, design: Design, statistic: Statistic, plan: Plan
) -> Distribution | None:
    """The exact distribution of means: a sum, or a ratio of sums where resamples differ in size."""
    if not plan.convolves or statistic.spec.estimand is not Estimand.MEAN:
        return None
    means = statistic(values)
    return BatchDistribution.join(
        _mean_distribution(sample, float(mean), design)
        for sample, mean in zip(values, means, strict=True)
    )


def _mean_distribution(values: Array, mean: float, design: Design) -> Distribution | None:
    anchor = float(values[0])
    totals = design.by_stratum(design.totals(values - anchor))
    if design.equal_sizes:
        draws = [unit_draws(part) for part in totals]
        limits = float(values.min()), float(values.max())
        return sum_distribution(draws, centre=mean, scale=design.n, limits=limits)

    sizes = design.by_stratum(design.unit_sizes.astype(float))
    pairs = [unit_pairs(part, size) for part, size in zip(totals, sizes, strict=True)]
    return ratio_distribution(pairs, shift=anchor)


@frozen(eq=False)
class PowerSums(Prepared):
    """Sums of powers of values about the middle of each of S samples, over the cases of units."""

    form: Moments
    parameters: Mapping[str, Any]  # Of the statistic
    centre: Array  # (S, 1)
    # Powers of all samples, one power after another, and sizes where units have several
    features: Features

    @classmethod
    def prepare(cls, values: Array, design: Design, statistic: Statistic) -> PowerSums:
        """Raise values, (S, n), to powers."""
        form, centre = declared_form(statistic, Moments), middle_of(values)
        powers = [design.totals((values - centre) ** power) for power in range(1, form.order + 1)]
        sizes = [] if design.equal_sizes else [design.unit_sizes[None].astype(float)]
        rows = np.ascontiguousarray(np.concatenate([*powers, *sizes]))
        return cls(form, statistic.parameters, centre, Features(rows, design))

    def pace(self, plan: Plan) -> Pace:
        """Pace of their sums."""
        return pace_of_sums(self.features, plan)

    def evaluate(self, block: Block, into: Array) -> None:
        """Evaluate sums with the weights of units."""
        by_stratum, design = block.sums(self.features), self.features.design
        sums = by_stratum[0] if len(by_stratum) == 1 else by_stratum.sum(axis=0)
        n = cases_held(block, design) if design.equal_sizes else sums[-1]
        power_sums = [sums[power * len(into) :][: len(into)] for power in range(self.form.order)]
        into[:] = self.form.finish(n, power_sums, self.centre, **self.parameters)


def leave_one_out(values: Array, design: Design, statistic: Statistic) -> Array:
    """Values without each unit, by sums that lose what the unit adds to them."""
    form, left, centre = (
        declared_form(statistic, Moments),
        design.n - design.unit_sizes,
        middle_of(values),
    )
    powers = [(values - centre) ** power for power in range(1, form.order + 1)]
    lost = [power.sum(axis=-1, keepdims=True) - design.totals(power) for power in powers]
    return np.asarray(form.finish(left.astype(float), lost, centre, **statistic.parameters))


def studentized(values: Array, design: Design, statistic: Statistic, plan: Plan) -> Array:
    """A mean from sums over units; an SD from every resample."""
    if statistic.spec.estimand is not Estimand.MEAN:
        return generic.studentized(values, design, statistic, plan)
    samples, centre = len(values), middle_of(values)
    features = Features(_features_of_ratios(values - centre, design), design)
    deviation_of_sample = statistic(values)[:, None] - centre
    tolerance = tie_size(values)[:, None]
    out = np.empty((samples, plan.n_resamples))
    pace = pace_of_sums(features, plan)
    for some, sums in evaluated(lambda block: block.sums(features), design, plan, pace):
        total, square = sums[:, :samples], sums[:, samples : 2 * samples]
        product = size_square = None
        size = _units_of_strata(design) * float(design.unit_sizes[0])
        if not design.equal_sizes:
            product = sums[:, 2 * samples : 3 * samples]
            size, size_square = sums[:, -2, None], sums[:, -1, None]
        drawn = SumsOfUnits(total, square, size, product, size_square)
        mean, error = drawn.mean_and_error(design)
        out[:, some] = studentized_ratio(mean - deviation_of_sample, error, tolerance)
    return out


@frozen(eq=False)
class SumsOfUnits:
    """Sums over the units drawn, of S samples in each of H strata."""

    # (H, S, B): of the totals T of units, and of their squares
    total: Array
    square: Array
    size: Array  # Of their sizes n, as (H, S, B)
    # Of Tn and n²; None where all units are of one size
    product: Array | None = None
    size_square: Array | None = None

    def mean_and_error(self, design: Design, reach: Array | float = 0.0) -> tuple[Array, Array]:
        """The mean of each resample and its standard error, both (S, B)."""
        # With D = ΣT/Σn the influence of a unit is (T - Dn)/Σn, whose variance expands into these
        # sums. Totals are rounded like values of the size `reach`, where it is not their own.
        units = _units_of_strata(design)
        weight = np.where(units > 1, units / np.maximum(units - 1, 1), 0.0)
        n = self.size.sum(axis=0)
        mean = self.total.sum(axis=0)
        mean /= n
        each = float(design.unit_sizes[0])
        mean_square = mean**2 * (each * self.size if self.size_square is None else self.size_square)
        if self.product is None and len(design.strata) == 1:
            within = self.square - mean_square
        else:
            product = each * self.total if self.product is None else self.product
            within = self.square - 2 * mean * product + mean_square
            within -= (self.total - mean * self.size) ** 2 / units
        mean_square += self.square
        mean_square += np.abs(mean) * (reach * self.size)
        mean_square *= ROUNDING
        within[within <= mean_square] = 0.0
        error = within[0] * weight[0] if len(within) == 1 else (weight * within).sum(axis=0)
        np.sqrt(error, out=error)
        error /= n
        return mean, error


def _units_of_strata(design: Design) -> Array:
    return np.array(design.strata, float)[:, None, None]


def _features_of_ratios(centred: Array, design: Design) -> Array:
    """Totals T about the centre and T² of units, and n, Tn and n² where their sizes n differ."""
    totals = design.totals(centred)
    if design.equal_sizes:
        return np.concatenate([totals, totals**2])
    sizes = design.unit_sizes.astype(float)
    return np.concatenate([totals, totals**2, totals * sizes, sizes[None], sizes[None] ** 2])


def weighted(
    values: Array, design: Design, statistic: Statistic, plan: Plan, pseudo_cases: PseudoCases
) -> BothEnds:
    """A mean or an SD under Dirichlet weights."""
    # Bootstraps do not need what is known of random weights.
    from halfwidth.resampling.exact.dirichlet_means import weighted_means
    from halfwidth.resampling.forms.moments_weighted import weighted_deviations

    if statistic.spec.estimand is Estimand.MEAN:
        return weighted_means(values, design, plan, pseudo_cases)
    return weighted_deviations(values, design, statistic, plan, pseudo_cases)


def weighted_pairs(
    pairs: Array, design: Design, statistic: Statistic, plan: Plan, pseudo_cases: PseudoCases
) -> BothEnds:
    """A difference of two SDs under Dirichlet weights."""
    from halfwidth.resampling.forms.deviation_pairs import differences_of_deviations

    return differences_of_deviations(pairs, design, statistic, plan, pseudo_cases)


def signed_sums(pair: Pair, design: Design, statistic: Statistic) -> SignedSums:
    """A mean of differences; power sums of either model, about their common middle."""
    first, second = pair
    if statistic.spec.estimand is Estimand.MEAN:
        return plain_sum(design.totals(first - second) / design.n)
    form = declared_form(statistic, Moments)
    centre = middle_of(np.concatenate(pair)[None])
    both = [np.stack([(s - centre[0]) ** p for p in range(1, form.order + 1)]) for s in pair]

    def finish(sums: Array) -> Array:
        values = form.finish(design.n, list(sums[:, None]), centre, **statistic.parameters)
        return np.asarray(values[0])

    return sums_of_models(both[0], both[1], design, finish)


def seconds(statistic: Statistic, n: int, _classes: int) -> float:
    """A product with the counts of draws for each power."""
    return REPLICATE + declared_form(statistic, Moments).order * n * PRODUCT


ENGINE = Engine(
    prepare=PowerSums.prepare,
    leave_one_out=leave_one_out,
    exact_distribution=exact_distribution,
    errors=Errors(studentized=studentized),
    dirichlet=Dirichlet(
        both_ends=weighted,
        takes_reach=lambda _statistic: True,
        pairs_that_reach=weighted_pairs,
    ),
    permutations=Permutations(signed_sums=signed_sums),
    seconds=seconds,
)
