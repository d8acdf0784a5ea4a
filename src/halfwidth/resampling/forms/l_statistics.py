"""L-statistics, weighted sums of the sorted sample: trimmed means.

No resample is ever sorted: a case of the sorted sample fills the places of a resample that its
count of draws gives it, and its weight is the sum of theirs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import OrderStatistics, SortedWeights
from halfwidth.core.frozen import frozen
from halfwidth.core.pseudo_cases import Masses, PseudoCases
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import Quantiles
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.exact.dirichlet_order import at_both_ends, integrals, total_weight
from halfwidth.resampling.forms.contract import (
    PRODUCT,
    REPLICATE,
    BothEnds,
    Dirichlet,
    Engine,
    OfSwaps,
    Pair,
    Permutations,
    Prepared,
)
from halfwidth.resampling.forms.evaluation import without_each_unit
from halfwidth.resampling.forms.order_swaps import SwappedOrder
from halfwidth.resampling.kernels.reference import middle_of
from halfwidth.resampling.weights.blocks import Block, Pace

# Counts that are gone through at a time; a processor's cache holds them.
AT_A_TIME = 2**15

Weights = Callable[[int], Array]


def _weights(statistic: Statistic) -> Weights:
    """The weights of n sorted values, as a function of n."""
    form = statistic.spec.form
    if not isinstance(form, SortedWeights | OrderStatistics):
        raise TypeError(f"{statistic.spec.name} is no L-statistic")
    return functools.partial(form.weights, **statistic.parameters)


@frozen(eq=False)
class SortedSamples(Prepared):
    """Values of samples, each to be weighted by the places that it fills in the sorted resample."""

    values: Array  # (S, n)
    design: Design
    weights: Weights  # Of n sorted values

    @classmethod
    def prepare(cls, values: Array, design: Design, statistic: Statistic) -> SortedSamples:
        """Sort samples for an L-statistic."""
        return cls(values, design, _weights(statistic))

    def pace(self, plan: Plan) -> Pace:
        """Pace at which counts and values fit into a block."""
        return Pace(plan.block_elements // max(self.design.n, len(self.values)))

    def evaluate(self, block: Block, into: Array) -> None:
        """Evaluate by the weights of the places that a case fills."""
        # In a sorted resample the case at sorted position i fills the places from C₍i-1₎ + 1 to
        # C₍i₎, C the cumulated counts; its weight is the sum of the L-weights over those places.
        counts, design, weights = block.rows(), self.design, self.weights
        total, middle = total_weight(weights(design.n)), middle_of(self.values)
        if design.simple:
            into[:] = total * middle + (self.values - middle) @ shares(weights, counts).T
            return
        drawn = np.repeat(counts, design.unit_sizes, axis=-1)
        for sample, centre, row in zip(self.values, middle, into, strict=True):
            order = np.argsort(sample, kind="stable")
            row[:] = total * centre + shares(weights, drawn[:, order]) @ (sample[order] - centre)


def leave_one_out(values: Array, design: Design, statistic: Statistic) -> Array:
    """Cases before the one left out keep their place, those after move up."""
    weights = _weights(statistic)
    if design.simple:
        return _without_each_case(weights(design.n - 1), values)
    return without_each_unit(SortedSamples(values, design, weights), len(values), design)


def _without_each_case(weights: Array, sorted_values: Array) -> Array:
    middle = middle_of(sorted_values)
    centred = sorted_values - middle
    before = np.zeros_like(centred)
    before[..., 1:] = np.cumsum(weights * centred[..., :-1], axis=-1)
    after = np.zeros_like(centred)
    after[..., :-1] = np.cumsum((weights * centred[..., 1:])[..., ::-1], axis=-1)[..., ::-1]
    return np.asarray(before + after + middle * total_weight(weights))


def shares(weights: Weights, counts: NDArray[Any]) -> Array:
    """The weight of each sorted case in each resample, whose sizes may differ: (B, n) -> (B, n)."""
    out = np.empty(counts.shape)
    step = max(1, AT_A_TIME // max(counts.shape[-1], 1))
    for start in range(0, len(counts), step):
        part = slice(start, start + step)
        places = np.cumsum(counts[part], axis=-1, dtype=np.intp)
        into = out[part]
        for size in np.unique(places[:, -1]):
            rows = places[:, -1] == size
            cumulated = np.concatenate([[0.0], np.cumsum(weights(int(size)))])
            up_to = cumulated.take(places if rows.all() else places[rows])
            up_to[:, 1:] -= up_to[:, :-1].copy()
            into[rows] = up_to
    return out


def weighted(
    values: Array, design: Design, statistic: Statistic, plan: Plan, pseudo_cases: PseudoCases
) -> BothEnds:
    """Integrals of the weighted quantile: a trimmed mean is trimmed of weight."""
    counts = _weights(statistic)(design.n)

    def at_end(masses: Masses, extended: Array) -> Quantiles:
        return integrals(extended, design, plan, masses, counts)

    return at_both_ends(values, pseudo_cases, at_end, spread=total_weight(counts) == 0)


def swapping(pair: Pair, design: Design, statistic: Statistic) -> OfSwaps:
    """The values of both models are sorted once."""
    return SwappedOrder(pair, _weights(statistic)(design.n), design)


def seconds(_statistic: Statistic, n: int, _classes: int) -> float:
    """A product with the shares."""
    return REPLICATE + n * PRODUCT


ENGINE = Engine(
    prepare=SortedSamples.prepare,
    leave_one_out=leave_one_out,
    dirichlet=Dirichlet(both_ends=weighted),
    permutations=Permutations(swapping=swapping),
    seconds=seconds,
)
