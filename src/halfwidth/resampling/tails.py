"""Replicates of many samples, with only their tails sorted.

Bounds at the usual levels are made of a few replicates in either tail. What a limit cuts off is
copied in one pass and sorted; a limit is a quantile of the first replicates, which are as good a
sample of all as any. Ranks further in are looked up in the row, sorted as a whole.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.resampling.distribution import Distribution, DrawnReplicates, Replicates, tie_limits
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.kernels import native_selection

# Rows and replicates from which tails are quicker than sorting.
MANY_ROWS, MANY_REPLICATES = 16, 2000
# Parts of the first replicates, whose median quantiles are the limits, and the share cut off. More
# than 256 are sorted at a quarter of the speed.
PARTS, FIRST, SHARE = 5, 256, 0.065
# The efficiency of a median.
MEDIAN = 2 / np.pi


def as_distribution(replicates: Array, plan: Plan) -> Distribution:
    """The distribution of drawn replicates, which are taken over: (S, B).

    Its answers are the same whether rows are sorted or their tails are.
    """
    many = (
        replicates.ndim == 2
        and len(replicates) >= MANY_ROWS
        and replicates.shape[-1] >= MANY_REPLICATES
    )
    if many and replicates.flags.c_contiguous and plan.compiles:
        return Tails.from_replicates(replicates)
    return Replicates.sorting(replicates)


@frozen(eq=False)
class Tails(DrawnReplicates):
    """Replicates of a statistic, one row per sample of a batch, with their tails apart."""

    replicates: Array  # (S, B)
    # (S, room): the smallest, ascending from the left, and the largest, ascending to the right
    lower: Array
    upper: Array
    held: NDArray[np.intp]  # (S, 2): how many of them mean something, from the outside in
    undefined: NDArray[np.intp]  # (S,): how many are

    @classmethod
    def from_replicates(cls, replicates: Array) -> Tails:
        """Take over replicates and find their tails."""
        low, high = _limits(replicates)
        expected = SHARE * replicates.shape[-1]
        # Six standard deviations of how many a quantile of the first cuts off, on either side.
        room = 2 * int(expected + 6 * expected / np.sqrt(SHARE * FIRST * PARTS * MEDIAN)) + 72
        lower, upper, counts = native_selection.tails(replicates, low, high, room)
        below, at_low, above, at_high, undefined = counts.astype(np.intp).T
        fits = (below < room) & (above < room)
        room = max(int(np.maximum(below, above)[fits].max(initial=0)), 1)
        lower, upper = lower[:, :room], upper[:, :room]
        places = np.arange(room)
        np.copyto(lower, low[:, None], where=places >= below[:, None])
        np.copyto(upper, high[:, None], where=places >= above[:, None])
        lower.sort(axis=-1)
        upper.sort(axis=-1)
        held = np.stack([below + at_low, above + at_high], axis=-1)
        held = np.where(fits[:, None], np.minimum(held, room), 0)
        undefined = np.where(fits, undefined, -1)
        if (undefined < 0).any():
            undefined[undefined < 0] = np.isnan(replicates[undefined < 0]).sum(axis=-1)
        return cls(replicates, lower, upper, held, undefined)

    @property
    def n_resamples(self) -> int:
        """B."""
        return int(self.replicates.shape[-1])

    @property
    def n_undefined(self) -> NDArray[np.intp]:
        """Counted on the way."""
        return self.undefined

    @property
    def _rows(self) -> Array:
        return self.replicates

    def _at(self, rank: NDArray[np.intp]) -> Array:
        row, room = np.arange(len(self.replicates)), self.lower.shape[-1]
        from_above = np.maximum(self.n_resamples - self.n_undefined - 1 - rank, 0)
        in_lower, in_upper = rank < self.held[:, 0], from_above < self.held[:, 1]
        upper_place = np.where(in_upper, room - 1 - from_above, 0)
        values = np.where(
            in_lower, self.lower[row, np.where(in_lower, rank, 0)], self.upper[row, upper_place]
        )
        further_in = np.flatnonzero(~(in_lower | in_upper))
        if len(further_in):
            # Left in order: whoever asks once asks again.
            whole = self.replicates[further_in]
            whole.sort(axis=-1)
            self.replicates[further_in] = whole
            values[further_in] = whole[np.arange(len(further_in)), rank[further_in]]
        return values

    def share_below(self, value: Array, tolerance: Array) -> Array:
        """Share of the defined replicates below ``value``, plus half of those tied with it."""
        limits = tie_limits(value, tolerance)
        counted = native_selection.count_below(self.replicates, *limits).sum(axis=-1)
        with np.errstate(invalid="ignore"):
            return np.asarray(counted / (2.0 * (self.n_resamples - self.n_undefined)))


def _limits(replicates: Array) -> tuple[Array, Array]:
    """Values that cut off about the same share of each row at either end."""
    first = np.sort(replicates[:, : PARTS * FIRST].reshape(len(replicates), PARTS, FIRST), axis=-1)
    defined = FIRST - np.isnan(first).sum(axis=-1)
    place = np.floor(SHARE * np.maximum(defined, 1)).astype(np.intp)
    places = (place, np.maximum(defined - 1 - place, 0))
    quantiles = [np.take_along_axis(first, one[..., None], axis=-1)[..., 0] for one in places]
    low, high = (np.sort(one, axis=-1)[:, PARTS // 2] for one in quantiles)
    return low, high
