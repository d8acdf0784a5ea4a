"""Bootstraps: units drawn with replacement, as many as there are in each stratum."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from halfwidth.core import rng
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import COMPILED_DRAWS, MOST_KEPT, Plan
from halfwidth.resampling.kernels import native, reference
from halfwidth.resampling.weights.blocks import Features, Pace, Planned, in_blocks
from halfwidth.resampling.weights.multinomial import multinomial

T = TypeVar("T")


@frozen(eq=False)
class Drawn(Planned):
    """How often each unit is drawn."""

    # Memory for counts side by side, which last until the next ones are made there. None: they are
    # kept for other samples, if the plan keeps things and they are small.
    room: native.Room | None = None

    @property
    def whole(self) -> bool:
        """True: as many units are drawn as there are."""
        return True

    def indices(self) -> reference.Draws:
        """Positions of the units drawn, (B, U)."""
        return self.plan.indices(self.design, self.start, self.stop)

    def rows(self) -> reference.Draws:
        """How often each unit is drawn, (B, U)."""
        return counter(self.design, self.plan)(self.start, self.stop)

    def lanes(self) -> native.Counts:
        """Counts of the units side by side."""
        plan, units = self.plan, self.design.units

        def counted() -> native.Counts:
            keys = plan.keys(self.design)
            return native.side_by_side(keys, self.start, self.stop, units, self.room)

        if self.room is None and plan.n_resamples * units <= MOST_KEPT:
            return plan.once(("counts", self.start, self.stop), (), self.design, counted)
        return counted()

    def sums(self, features: Features) -> Array:
        """Sums of features over the units drawn in each stratum, (H, K, B)."""
        design, plan, (start, stop) = self.design, self.plan, (self.start, self.stop)
        few = len(features.values) < reference.MANY_FEATURES
        kept = None if few else kept_counts(design, plan)
        if kept is not None:
            return np.asarray((features.values @ kept[start:stop].T)[None])
        strata = [
            (key, part, units)
            for (key, _, units), part in zip(plan.keys(design), features.by_stratum, strict=True)
        ]
        if plan.compiles and few:
            each = [native.sum_drawn(part, key, start, stop, units) for key, part, units in strata]
            return np.stack(each)
        sums = np.empty((len(strata), len(features.values), stop - start))
        ranges = features.ranges if plan.compiles else [[]] * len(strata)
        for into, (key, part, units), own in zip(sums, strata, ranges, strict=True):
            if plan.compiles:
                counts = _counted(plan, key, start, stop, units, float)
                if not own:
                    into[:] = part @ counts.T
                for row, (first, last) in enumerate(own):
                    into[row] = counts[:, first:last] @ part[row, first:last]
            else:
                into[:] = reference.sum_drawn(part, rng.indices(key, start, stop, units, units))
        return sums

    def tables(self, counts: NDArray[np.intp]) -> NDArray[np.int64]:
        """Tables of the cases drawn, (H, S, K) -> (S, B, K): a multinomial draw of each stratum."""
        drawn = np.zeros((counts.shape[1], self.resamples, counts.shape[2]), dtype=np.int64)
        for place, (units, samples) in enumerate(zip(self.design.strata, counts, strict=True)):
            key = rng.derive_key(self.plan.entropy, "cells", place, units)
            drawn += np.stack([multinomial(key, self.start, self.stop, one) for one in samples])
        return drawn


def pace_of_sums(features: Features, plan: Plan) -> Pace:
    """How many resamples have their sums at once."""
    # The kernel for a few features makes no temporaries, whose size would bound a block; patience
    # does.
    design, rows = features.design, len(features.values)
    each = rows * len(design.strata)
    if rows >= reference.MANY_FEATURES and kept_counts(design, plan) is not None:
        return Pace(plan.block_elements // max(design.units, rows))
    if plan.compiles and rows < reference.MANY_FEATURES:
        most = min(plan.block_elements // max(each, 1), COMPILED_DRAWS // design.units)
        return Pace(most, threaded=True)
    return Pace(plan.block_elements // max(design.units, each))


def evaluated(
    evaluate: Callable[[Drawn], T], design: Design, plan: Plan, pace: Pace, *, keeps: bool = False
) -> Iterator[tuple[slice, T]]:
    """What is made of each block, in order; ``keeps`` counts side by side for other samples."""
    free: list[native.Room] = []

    def evaluate_block(start: int, stop: int) -> T:
        if keeps:
            return evaluate(Drawn(design, plan, start, stop))
        try:
            room = free.pop()
        except IndexError:  # none yet, or another thread took it
            room = native.Room()
        values = evaluate(Drawn(design, plan, start, stop, room))
        free.append(room)
        return values

    return in_blocks(evaluate_block, plan, pace)


# --------------------------------------------------------------------------- counts


def kept_counts(design: Design, plan: Plan) -> Array | None:
    """How often each unit is drawn, (B, U), for all samples of one design; None: not to be kept."""
    small = plan.n_resamples * design.units <= MOST_KEPT
    if plan.kept is None or not small or len(design.strata) > 1:
        return None

    def counted() -> Array:
        kept = np.empty((plan.n_resamples, design.units))
        for start, stop, counts in count_blocks(design, plan, design.units):
            kept[start:stop] = counts
        return kept

    return plan.once("counts of units", (), design, counted)


def count_blocks(
    design: Design, plan: Plan, elements_each: int
) -> Iterator[tuple[int, int, reference.Draws]]:
    """Ranges of resamples of so many elements each, and how often each unit is drawn, (B, U)."""
    count = counter(design, plan)
    for start, stop in plan.blocks(elements_each):
        yield start, stop, count(start, stop)


def counter(design: Design, plan: Plan) -> Callable[[int, int], reference.Draws]:
    """A function that counts how often each unit is drawn in a range of resamples, (B, U)."""
    if not plan.compiles:
        return lambda start, stop: reference.count_draws(
            plan.indices(design, start, stop), design.units
        )
    strata = [(key, units) for key, _, units in plan.keys(design)]
    return lambda start, stop: np.concatenate(
        [_counted(plan, key, start, stop, units) for key, units in strata], axis=-1
    )


def _counted(
    plan: Plan, key: rng.Key, start: int, stop: int, units: int, kind: type = np.int32
) -> NDArray[Any]:
    """Counts of draws; blocks stay as large as for one thread."""
    return plan.drawn(
        lambda first, last: native.count_drawn(key, first, last, units, kind), start, stop, units
    )
