"""From a sample and a plan to a bootstrap distribution, by the statistic's declared form."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from halfwidth.core import rng
from halfwidth.core.forms import Moments, OrderStatistics, SortedWeights
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import Distribution, Replicates
from halfwidth.resampling.exact import binomial, order_statistics
from halfwidth.resampling.kernels import compiled, reference
from halfwidth.resampling.progress import growing, tracked
from halfwidth.resampling.spacings import spacings

__all__ = ["BLOCK_ELEMENTS", "Plan", "bootstrap_distribution", "replicates", "sums_by_stratum"]

# Elements of a temporary inside a kernel: 2**18 float64 are 2 MiB, which a processor's cache
# holds. No result depends on it.
BLOCK_ELEMENTS = 2**18
# Draws in one call of a compiled kernel, which makes no temporaries: a tenth of a second or two,
# after which an interrupt is heeded.
COMPILED_DRAWS = 2**26


@dataclass(frozen=True)
class Plan:
    """How a bootstrap is drawn.

    Attributes
    ----------
    entropy : int
        Root entropy; with what is computed it makes the key of the draws.
    n_resamples : int
    block_elements : int
        Upper bound on the elements of a temporary array.
    compiled : bool or None
        Whether to use the compiled kernels; None: where they are there and worth it. The draws
        are the same.
    """

    entropy: int
    n_resamples: int = 9999
    block_elements: int = BLOCK_ELEMENTS
    compiled: bool | None = None

    def blocks(
        self, elements_each: int, *, most: int | None = None, slow: bool = False
    ) -> Iterator[tuple[int, int]]:
        """Ranges of resamples, ``most`` at once, whose temporaries stay under the bound.

        Where a resample may take long the ranges begin small.
        """
        _let_memory_be_used_again()
        step = self.block_elements // max(elements_each, 1)
        step = max(1, step if most is None else min(step, most))
        ranges = (
            (start, min(start + step, self.n_resamples))
            for start in range(0, self.n_resamples, step)
        )
        yield from tracked(growing(self.n_resamples, step) if slow else ranges, self.n_resamples)

    def keys(self, design: Design) -> list[tuple[rng.Key, int, int]]:
        """For each stratum the key of its draws, its first unit and its number of units."""
        if len(design.strata) == 1:
            return [
                (rng.derive_key(self.entropy, "bootstrap", "iid", design.units), 0, design.units)
            ]
        return [
            (rng.derive_key(self.entropy, "bootstrap", "stratum", place, units), int(first), units)
            for place, (first, units) in enumerate(
                zip(design.first_units, design.strata, strict=True)
            )
        ]

    def indices(self, design: Design, start: int, stop: int) -> reference.Draws:
        """Positions of the units drawn in resamples ``start`` to ``stop``, shape (B, U)."""
        drawn = [
            first + rng.indices(key, start, stop, units, units)
            for key, first, units in self.keys(design)
        ]
        return drawn[0] if len(drawn) == 1 else np.concatenate(drawn, axis=-1)

    def compiles(self, design: Design) -> bool:
        """Whether the compiled kernels are used."""
        if self.compiled is not None:
            return self.compiled
        return compiled.pays_off(self.n_resamples * design.units)


@functools.cache
def _let_memory_be_used_again() -> None:
    """Teach the allocator of the C library to keep what a block frees for the next one.

    glibc gives an array of a few MiB back to the system as soon as it is freed, and asks for
    fresh pages for the next, which costs four times what is done with them. Once it has seen a
    larger array come and go it keeps up to twice the size of that. Elsewhere this does nothing.
    """
    np.empty(8 * BLOCK_ELEMENTS)


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
    if design.simple and isinstance(form, OrderStatistics):
        ranks, weights = form.picks(n, **statistic.parameters)
        if len(ranks) == 1 or (len(ranks) == 2 and ranks[1] == ranks[0] + 1):
            return order_statistics(values, ranks, weights)
        table = spacings(plan.entropy, ranks, n, plan.n_resamples)
        return Replicates.sorting(_picked(values, weights, table))
    return Replicates.sorting(replicates(values, design, statistic, plan))


def _picked(sorted_values: Array, weights: Array, table: reference.Draws) -> Array:
    """Weighted order statistics, as gaps between neighbours: equal values have a spread of 0."""
    previous = sorted_values[:, table[:, 0]]
    made = reference.total_weight(weights) * previous
    for place in range(1, len(weights)):
        current = sorted_values[:, table[:, place]]
        previous -= current
        previous *= -weights[place:].sum()
        made += previous
        previous = current
    return made


def replicates(values: Array, design: Design, statistic: Statistic, plan: Plan) -> Array:
    """Replicates of a statistic on shared draws, shape (S, n) -> (S, B), in order of resamples."""
    form = statistic.spec.form
    if isinstance(form, Moments):
        return _of_moments(values, design, statistic, form, plan)
    out = np.empty((len(values), plan.n_resamples))
    each = max(design.n, len(values))
    sorts = isinstance(form, SortedWeights | OrderStatistics)
    fast = sorts and plan.compiles(design)
    for start, stop in plan.blocks(each, slow=form is None):
        if sorts:
            counts = _counts(design, plan, start, stop, fast=fast)
            out[:, start:stop] = reference.weighted(values, design, statistic, counts)
        else:
            draws = plan.indices(design, start, stop)
            out[:, start:stop] = reference.plain(values, design, statistic, draws)
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
        sums = by_stratum.sum(axis=0)
        n = design.n if design.equal_sizes else sums[-1]
        own = [sums[power * samples :][:samples] for power in range(form.order)]
        out[:, start:stop] = form.finish(n, own, centre, **statistic.parameters)
    return out


def sums_by_stratum(
    features: Array, design: Design, plan: Plan
) -> Iterator[tuple[int, int, Array]]:
    """Sums of features over the units drawn, block by block of resamples.

    Parameters
    ----------
    features : ndarray, shape (K, U)
    design : Design
    plan : Plan

    Yields
    ------
    start, stop : int
        Range of resamples.
    sums : ndarray, shape (H, K, stop - start)
        One for each stratum.
    """
    fast = plan.compiles(design)
    fused = fast and len(features) < reference.MANY_FEATURES
    strata = [
        (key, np.ascontiguousarray(features[:, first : first + units]), units)
        for key, first, units in plan.keys(design)
    ]
    each = len(features) * len(strata)
    # A fused kernel makes no temporaries, whose size would bound a block; patience does.
    blocks = (
        plan.blocks(each, most=COMPILED_DRAWS // design.units)
        if fused
        else plan.blocks(max(design.units, each))
    )
    for start, stop in blocks:
        sums = np.empty((len(strata), len(features), stop - start))
        for into, (key, part, units) in zip(sums, strata, strict=True):
            if fused:
                into[:] = compiled.sum_drawn(part, key, start, stop, units)
            elif fast:
                into[:] = part @ compiled.count_drawn(key, start, stop, units).T.astype(float)
            else:
                into[:] = reference.sum_drawn(part, rng.indices(key, start, stop, units, units))
        yield start, stop, sums


def _counts(design: Design, plan: Plan, start: int, stop: int, *, fast: bool) -> reference.Draws:
    """How often each unit is drawn in resamples ``start`` to ``stop``, shape (B, U)."""
    if not fast:
        return reference.count_draws(plan.indices(design, start, stop), design.units)
    counts = [compiled.count_drawn(key, start, stop, units) for key, _, units in plan.keys(design)]
    return np.concatenate(counts, axis=-1)
