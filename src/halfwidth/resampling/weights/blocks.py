"""Blocks: how often, or how much, the units of a sample count in some resamples.

A maker of weights gives a block, a form of statistics evaluates it, and neither knows the other.
What the weights are asked for says how they are needed: a row for each resample, resamples side by
side for a kernel, or sums of features, for which some makers need no weights.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array, Numbers
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.kernels import native

T = TypeVar("T")

# Features that hold values in less than this part of the units are summed up there alone.
FEW_OF_THEM = 4


class Block(Protocol):
    """Weights of U units in B resamples."""

    @property
    def compiles(self) -> bool:
        """Whether kernels are to be used."""

    @property
    def resamples(self) -> int:
        """B."""

    @property
    def whole(self) -> bool:
        """Whether each resample holds as many units as there are."""

    def indices(self) -> NDArray[np.intp]:
        """The units that each resample holds, (B, U)."""

    def rows(self) -> NDArray[Any]:
        """How often each unit counts, (B, U)."""

    def lanes(self) -> native.Counts:
        """Counts of the units side by side for kernels, up to 255 times each."""

    def sums(self, features: Features) -> Array:
        """Sums of features over the units of each stratum, (H, K, B)."""


def cases_held(block: Block, design: Design) -> int | Array:
    """How many cases each resample holds, where all units are of one size."""
    return design.n if block.whole else block.rows() @ design.unit_sizes.astype(float)


@frozen(eq=False)
class Features:
    """What each unit adds to some sums."""

    values: Array  # (K, U)
    design: Design

    @functools.cached_property
    def by_stratum(self) -> list[Array]:
        """Features of the units of each stratum."""
        return [np.ascontiguousarray(part) for part in self.design.by_stratum(self.values)]

    @functools.cached_property
    def in_place(self) -> list[Array]:
        """Features of each stratum, among zeros for the units of the others."""
        parts = [np.zeros_like(self.values) for _ in self.design.strata]
        strata = zip(parts, self.design.first_units, self.design.strata, strict=True)
        for part, first, units in strata:
            part[:, first : first + units] = self.values[:, first : first + units]
        return parts

    @functools.cached_property
    def ranges(self) -> list[list[tuple[int, int]]]:
        """Units of each stratum where each feature is not 0, as of bins, if these are few."""
        return [_ranges_held(part) for part in self.by_stratum]


def _ranges_held(features: Array) -> list[tuple[int, int]]:
    some = features != 0
    first = some.argmax(axis=-1)
    last = np.where(some.any(axis=-1), features.shape[-1] - some[:, ::-1].argmax(axis=-1), first)
    few = (last - first).sum() <= features.size // FEW_OF_THEM
    return list(zip(first.tolist(), last.tolist(), strict=True)) if few else []


@frozen(eq=False)
class Planned:
    """What blocks of resamples ``start`` to ``stop`` of a plan have in common."""

    design: Design
    plan: Plan
    start: int
    stop: int

    @property
    def compiles(self) -> bool:
        """Whether kernels are used."""
        return self.plan.compiles

    @property
    def resamples(self) -> int:
        """B."""
        return self.stop - self.start


@frozen(eq=False)
class Given:
    """Counts that are there: of units left out, or of those that have changed places."""

    counts: Numbers  # (B, U)
    compiles: bool

    @property
    def resamples(self) -> int:
        """B."""
        return len(self.counts)

    @property
    def whole(self) -> bool:
        """Whether they add up to the number of units."""
        return bool((self.counts.sum(axis=1) == self.counts.shape[1]).all())

    def indices(self) -> NDArray[np.intp]:
        """Units that count, in order; as many in each resample."""
        each = np.broadcast_to(np.arange(self.counts.shape[1]), self.counts.shape)
        return np.repeat(each.ravel(), self.counts.ravel()).reshape(len(self.counts), -1)

    def rows(self) -> Numbers:
        """The counts themselves."""
        return self.counts

    def lanes(self) -> native.Counts:
        """Side by side."""
        return native.counts_side_by_side(self.counts.astype(np.uint8))

    def sums(self, features: Features) -> Array:
        """Products with the counts."""
        by_stratum = zip(features.by_stratum, features.design.by_stratum(self.counts), strict=True)
        return np.stack([part @ own.T for part, own in by_stratum])


# --------------------------------------------------------------------------- block after block


@frozen
class Pace:
    """How many resamples are evaluated at once, and how."""

    at_once: int
    # Whether threads share the blocks. Products of matrices in other blocks would differ in their
    # last bits.
    threaded: bool = False
    slow: bool = False  # Whether a resample may take long, so that the first blocks are small


def in_blocks(make: Callable[[int, int], T], plan: Plan, pace: Pace) -> Iterator[tuple[slice, T]]:
    """Ranges of resamples, and what is made of the first and of the end of each, in their order."""
    most = max(1, pace.at_once)
    if pace.threaded:
        for (start, stop), result in plan.in_threads(most, lambda block: make(*block)):
            yield slice(start, stop), result
        return
    for start, stop in plan.blocks(1, most=most, slow=pace.slow):
        yield slice(start, stop), make(start, stop)


def all_but_one(design: Design, at_once: int) -> Iterator[tuple[slice, Given]]:
    """Blocks of so many resamples that lack one unit each, and which units these are."""
    for start in range(0, design.units, max(1, at_once)):
        left_out = np.arange(start, min(start + max(1, at_once), design.units))
        counts = np.ones((len(left_out), design.units), dtype=np.int64)
        counts[np.arange(len(left_out)), left_out] = 0
        yield slice(start, start + len(left_out)), Given(counts, native.available())


def whole_lanes(most: int) -> int:
    """Number of resamples at most, in multiples of those that kernels take side by side."""
    return max(native.LANES, most // native.LANES * native.LANES)
