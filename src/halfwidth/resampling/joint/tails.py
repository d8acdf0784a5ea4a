"""How far out draws of many differences lie, and what intervals that hold together make of it.

Intervals hold together where each leaves as many draws in either tail as makes the level that of
all (Besag, Green, Higdon & Mengersen 1995): fewer than one alone may leave, and more than
Bonferroni's share.

With many pairs and few draws the single outermost draws of all sides are more than the level allows
to lie outside, so that ranks of draws cannot tell: that no draw of a pair reaches a margin does not
say how far the next would. There distances do: from the mean of the draws of a pair, in their SDs,
as far as 1 - α of the draws keep for all sides at once. Where the probabilities of a pair are known
without draws, these tell, and draws say only which share holds together.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array, Level
from halfwidth.resampling.exact.dirichlet_means import MeansBeyond
from halfwidth.resampling.expansion import expanded_tail
from halfwidth.resampling.joint.pair_claims import Claims, Flags, sides_of, stepdown

DRAWS_FOR_A_THRESHOLD = 512


@frozen
class Limit:
    """How far out the ends of several intervals must lie to hold together."""

    share: float  # Of the draws that each may leave beyond
    # From the mean of the draws, in their SDs, at the least; None where ranks of draws tell
    distance: float | None


@frozen(eq=False)
class Together:
    """What makes the intervals of all pairs hold together."""

    level: Level  # At which to make each
    # (P,) each. The lower and the upper ends that are the least they must reach to as well;
    # infinite where the draws are not finite. None where the level is enough.
    reach: tuple[Array, Array] | None


@frozen(eq=False)
class Tails:
    """The draws of each pair of models that lie furthest out.

    Of both sides of each pair, below and above; draws from above with their sign turned, so that
    the lowest lie furthest out on either side.
    """

    # (P, 2, D): which draws these are, the furthest first: no more than can matter to intervals of
    # the level, all together or alone
    outermost: NDArray[np.unsignedinteger[Any]]
    distances: Array  # (P, 2, D): how far below the mean of all draws they lie, in their SDs
    # (P, 2): these means and SDs
    means: Array
    deviations: Array
    # (P, 2): the share of the draws that do not reach beyond the margin, and the share of those
    # that lie beyond it on the other side
    beyond: Array
    within: Array
    n_draws: int
    level: Level
    margin: float
    degrees_of_freedom: float  # Of the cases
    # The probabilities in place of shares of draws, where they are known
    exact: MeansBeyond | None = None
    expands: bool = False  # Whether a share stands for the smaller one of an expanded level

    @classmethod
    def empty(
        cls,
        pairs: int,
        n_draws: int,
        level: Level,
        margin: float,
        degrees_of_freedom: float,
        *,
        exact: MeansBeyond | None = None,
        expands: bool = False,
    ) -> Tails:
        """Room for those of so many pairs."""
        depth = min(int(np.ceil(level.tail * n_draws)) + 1, n_draws - 1)
        means, deviations, beyond, within = np.empty((4, pairs, 2))
        return cls(
            np.empty((pairs, 2, depth), np.min_scalar_type(n_draws)),
            np.empty((pairs, 2, depth)),
            means,
            deviations,
            beyond,
            within,
            n_draws,
            level,
            margin,
            degrees_of_freedom,
            exact,
            expands,
        )

    def fill(self, part: slice, lower: Array, upper: Array) -> None:
        """Enter the draws of some pairs, for the lower and for the upper end, (p, B) each."""
        depth = self.outermost.shape[-1]
        for side, ascending in ((0, lower), (1, -upper)):
            places = _lowest(ascending, depth)
            means, deviations = _moments(ascending)
            self.outermost[part, side] = places
            self.means[part, side], self.deviations[part, side] = means, deviations
            with np.errstate(invalid="ignore", divide="ignore"):
                below = means[:, None] - np.take_along_axis(ascending, places, axis=-1)
                self.distances[part, side] = below / deviations[:, None]
            # A claim that the first is better rests on the lower end, as one that the second is
            # not.
            self.beyond[part, side] = _share(ascending <= self.margin)
            self.within[part, side] = _share(ascending < -self.margin)

    def subset(self, places: NDArray[Any]) -> Tails:
        """Those of some of the pairs, by their places or by a mask."""
        return replace(
            self,
            outermost=self.outermost[places],
            distances=self.distances[places],
            means=self.means[places],
            deviations=self.deviations[places],
            beyond=self.beyond[places],
            within=self.within[places],
            exact=self.exact and self.exact.some(places),
        )

    @property
    def outside(self) -> int:
        """How many draws may lie outside of some interval."""
        return min(int(self.level.alpha * self.n_draws), self.n_draws - 1)

    def limit(self, sides: Flags) -> Limit:
        """How far out some sides of the pairs, (P, 2), must end to hold together.

        They leave no less than Bonferroni's share, and no more than one alone may leave.
        """
        level, depth = self.level, self.outermost.shape[-1]
        # How far out each draw lies at most; of several entries the last one stays.
        nearest = np.full(self.n_draws, depth)
        inwards = self.outermost[sides][:, ::-1].T
        nearest[inwards.ravel()] = np.repeat(np.arange(depth)[::-1], inwards.shape[-1])
        # As many draws lie outside as the level allows.
        outermost_share = float(np.partition(nearest, self.outside)[self.outside]) / self.n_draws
        share = min(max(outermost_share, level.alpha / int(sides.sum())), level.tail)
        return Limit(
            share, None if outermost_share or self.exact is not None else self._distance(sides)
        )

    def _distance(self, sides: Flags) -> float:
        """The distance that as many draws exceed, on any of some sides, as the level allows."""
        distances = self.distances[sides]
        largest = np.full(self.n_draws, -np.inf)
        for places, own in zip(self.outermost[sides], distances, strict=True):
            largest[places] = np.fmax(largest[places], own)
        last = self.n_draws - 1 - self.outside
        # Draws that are not among the outermost of a side lie no further out than the last of them.
        innermost = np.fmax.reduce(distances[:, -1], initial=-np.inf)
        exceeded = max(float(np.partition(largest, last)[last]), float(innermost))
        return _by_student(_distance_of_new_draw(exceeded, self.n_draws), self.degrees_of_freedom)

    def ends(self, limit: Limit) -> Array:
        """How far each side must reach besides its share of the draws, (P, 2); NaN if unknown."""
        if limit.distance is None:
            return np.full_like(self.means, np.inf)
        with np.errstate(invalid="ignore"):
            return np.asarray(self.means - limit.distance * self.deviations)

    def together(self) -> Together:
        """What makes the intervals of these pairs hold together."""
        closed = sides_of(self.level)
        limit = self.limit(np.tile(closed, (len(self.means), 1)))
        level = Level(1 - int(closed.sum()) * limit.share, self.level.alternative)
        if limit.distance is None:
            return Together(level, None)
        ends = self.ends(limit)
        low, high = np.where(np.isnan(ends), -np.inf, ends).T
        return Together(level, (low, -high))

    def claimed(self, limit: Limit) -> Flags:
        """Which sides, (P, 2), end beyond the margin."""
        return self._beyond(limit)[0] & (self.ends(limit) > self.margin)

    def _beyond(self, limit: Limit) -> tuple[Flags, Flags]:
        """Which sides leave less than the level allows below the margin, and below the other."""
        tail = limit.share
        if self.expands:
            tail, _ = expanded_tail(tail, self.degrees_of_freedom)
        beyond, within = self.beyond, self.within
        if self.exact is not None:
            beyond, within = self.exact.shares(tail)
        return beyond < tail, within < tail

    def stepdown(self) -> Claims:
        """What is claimed of these pairs, with all that is claimed true at the level."""
        sides = np.tile(sides_of(self.level), (len(self.beyond), 1))
        better, limits = stepdown(sides, self.limit, self.claimed)
        if self.margin == 0 or not limits:
            return Claims(better, better[:, ::-1])
        last = limits[-1]
        within = self._beyond(last)[1] & (self.ends(last) >= -self.margin)
        return Claims(better, (sides & within)[:, ::-1])


def _lowest(rows: Array, depth: int) -> NDArray[np.intp]:
    """Places of the lowest values of each row, the lowest first: (m, B) -> (m, depth).

    A sample of the row says below which value they lie, so that few need to be sorted.
    """
    some = rows[:, :: max(1, rows.shape[-1] // DRAWS_FOR_A_THRESHOLD)]
    # Twice as many as are needed, and some more where the sample is of few.
    place = min(int(2 * depth / rows.shape[-1] * some.shape[-1]) + 8, some.shape[-1] - 1)
    thresholds = np.partition(some, place, axis=-1)[:, place]
    lowest = np.empty((len(rows), depth), dtype=np.intp)
    for row, threshold, into in zip(rows, thresholds, lowest, strict=True):
        places = np.flatnonzero(row <= threshold)
        if len(places) < depth:
            places = np.argpartition(row, depth)[:depth]
        into[:] = places[np.argsort(row[places], kind="stable")[:depth]]
    return lowest


def _share(flags: Flags) -> Array:
    return np.asarray(np.count_nonzero(flags, axis=-1) / flags.shape[-1])


def _moments(rows: Array) -> tuple[Array, Array]:
    """Means and SDs of the draws of each row that are known, (m, B) -> (m,)."""
    with np.errstate(invalid="ignore"):
        means = rows.mean(axis=-1)
        centred = rows - means[:, None]
        deviations = np.sqrt(np.einsum("ij,ij->i", centred, centred) / (rows.shape[-1] - 1))
    for row in np.flatnonzero(np.isnan(means)):
        known = rows[row][~np.isnan(rows[row])]
        if len(known) > 1:
            with np.errstate(invalid="ignore"):
                means[row], deviations[row] = known.mean(), known.std(ddof=1)
    return means, deviations


def _distance_of_new_draw(distance: float, n_draws: int) -> float:
    """How far a draw lies from the mean of the others, in their SDs, not in those of all.

    What is to be told is where draws that were not made would lie, and a draw that lies far out
    moves the mean and the SD towards itself.
    """
    n = n_draws
    left = (n - 1) - distance**2 * n / (n - 1)
    return math.inf if left <= 0 else distance * n / (n - 1) * math.sqrt((n - 2) / left)


def _by_student(distance: float, degrees_of_freedom: float) -> float:
    """The quantile of Student's t that lies as far out as this one of a normal distribution.

    The SD of the draws is that of the cases observed, and so far out it matters that these know it
    no better (Hesterberg 2015, of percentile intervals).
    """
    if not (math.isfinite(degrees_of_freedom) and math.isfinite(distance)):
        return distance
    from scipy import special  # needs time to load, and is needed for many pairs alone

    return float(-special.stdtrit(max(degrees_of_freedom, 1.0), float(special.ndtr(-distance))))
