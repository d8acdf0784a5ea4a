"""How far out draws of many differences lie together: what p values and intervals of all rest on.

A side of a pair is that its difference lies above a value (side 0), or below one (side 1); its tail
is how likely the law of the pair alone has it on the other side of that value. Of several sides a
joint law tells how likely any lies as far out as one of them was seen to.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import TIE_SHARE
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.resampling.distribution import Replicates
from halfwidth.resampling.joint.simultaneous import StudentizedDifferences

Flags = NDArray[np.bool_]
# The place of a pair, and which of its sides.
Side = tuple[int, int]


class JointLaw(Protocol):
    """How far out all sides of some pairs lie in each draw."""

    def turned(self, pairs: Flags) -> JointLaw:
        """The law with the models of some pairs exchanged."""

    @property
    def known(self) -> Flags:
        """Which pairs the law knows, (P,)."""

    def seen(self, tails: Array, nulls: Array) -> Array:
        """How far out sides were seen to lie, (P, 2), on the scale that draws are compared on."""

    def farthest(self, so_far: Array | None, side: Side) -> Array:
        """How far out the farthest of several sides lies in each draw, (B,)."""

    def share(self, farthest: Array, seen: float) -> float:
        """The share of the draws in which the farthest lies as far out as was seen."""


@frozen(eq=False)
class RankedDraws:
    """Draws under Dirichlet weights, by their ranks on either side, 0 the farthest out."""

    ranks: NDArray[np.unsignedinteger[Any]]  # (P, 2, B)
    # Where draws alone tell how far out a side lies: their means and SDs from the side, (P, 2), and
    # the degrees of freedom of the cases. Beyond the outermost draw these tell.
    moments: tuple[Array, Array] | None = None
    degrees_of_freedom: float = math.inf

    @classmethod
    def from_draws(
        cls,
        pairs: int,
        draws: Iterable[tuple[Array, Array]],
        degrees_of_freedom: float = math.inf,
        *,
        moments: bool = True,
    ) -> RankedDraws:
        """Ranks of draws for the lower and for the upper end of each pair, (B,) each."""
        ranks: Any = None
        means, deviations = np.empty((2, pairs, 2))
        for pair, (lower, upper) in enumerate(draws):
            n_draws = len(lower)
            if ranks is None:
                ranks = np.empty((pairs, 2, n_draws), np.min_scalar_type(n_draws))
            for side, ascending in ((0, lower), (1, -upper)):
                ranks[pair, side, _order(ascending)] = np.arange(n_draws)
                if not moments:
                    continue
                defined = ascending[np.isfinite(ascending)]
                some = len(defined) > 1
                means[pair, side] = defined.mean() if some else np.nan
                deviations[pair, side] = defined.std(ddof=1) if some else np.nan
        return cls(ranks, (means, deviations) if moments else None, degrees_of_freedom)

    def turned(self, pairs: Flags) -> RankedDraws:
        """The law with the models of some pairs exchanged."""
        turned = pairs[:, None]
        ranks = np.where(turned[..., None], self.ranks[:, ::-1], self.ranks)
        if self.moments is None:
            return replace(self, ranks=ranks)
        means, deviations = (np.where(turned, one[:, ::-1], one) for one in self.moments)
        return replace(self, ranks=ranks, moments=(means, deviations))

    @property
    def n_draws(self) -> int:
        """B."""
        return int(self.ranks.shape[-1])

    @property
    def known(self) -> Flags:
        """All of them."""
        return np.ones(len(self.ranks), dtype=bool)

    def seen(self, tails: Array, nulls: Array) -> Array:
        """Tails; of a value that no draw reaches, Student's at its distance in SDs."""
        if self.moments is None:
            return tails
        from scipy import special

        means, deviations = self.moments
        with np.errstate(invalid="ignore", divide="ignore"):
            distances = (means - nulls * [1, -1]) / deviations
        # The SD of the draws is that of the cases seen, who know it no better so far out.
        student = special.stdtr(min(max(self.degrees_of_freedom, 1.0), 1e9), -distances)
        return np.where(tails * (self.n_draws + 1) > 1, tails, np.fmin(tails, student))

    def farthest(self, so_far: Array | None, side: Side) -> Array:
        """The lowest rank of each draw."""
        own = self.ranks[side]
        return np.asarray(own if so_far is None else np.minimum(so_far, own))

    def share(self, farthest: Array, seen: float) -> float:
        """The share of the draws whose lowest rank lies in the tail, linear between two ranks."""
        place = min(seen, 1.0) * self.n_draws
        below, up_to = (int(np.count_nonzero(farthest < math.floor(place) + i)) for i in (0, 1))
        return (below + (place - math.floor(place)) * (up_to - below)) / self.n_draws

    def tail(self, farthest: Array, alpha: float) -> float:
        """The tail that a share of the draws has a side in: the inverse of `share`."""
        counts = np.bincount(farthest, minlength=self.n_draws).cumsum()
        shares = np.concatenate([[0.0], counts / self.n_draws])
        at = int(np.searchsorted(shares, alpha, "right"))
        if at == len(shares):
            return 1.0
        step = (alpha - shares[at - 1]) / (shares[at] - shares[at - 1])
        return float(at - 1 + step) / self.n_draws

    def reach(self, tail: float) -> Array:
        """Where sides end that no draw tells of, (P, 2); infinite where draws do."""
        from scipy import special

        if self.moments is None or tail * (self.n_draws + 1) > 1:
            return np.full((len(self.ranks), 2), np.inf)
        means, deviations = self.moments
        away = -special.stdtrit(min(max(self.degrees_of_freedom, 1.0), 1e9), tail)
        return np.asarray(means - away * deviations)


def _order(draws: Array) -> NDArray[np.intp]:
    """The order of draws, of equal ones as they come; where none are another sort is faster."""
    order = np.argsort(draws)
    ascending = draws[order]
    strictly = (ascending[1:] > ascending[:-1]).all()
    return order if strictly else np.argsort(draws, kind="stable")


@frozen(eq=False)
class LargestT:
    """Differences studentized on each resample: of several sides the largest t* (max-t)."""

    differences: StudentizedDifferences
    known: Flags
    of_ratios: bool = False  # Whose logarithms these are

    def turned(self, pairs: Flags) -> LargestT:
        """The law with the models of some pairs exchanged."""
        signs = np.where(pairs, -1.0, 1.0)
        estimates = self.differences.estimates * signs
        replicates = self.differences.replicates * signs[:, None] if pairs.any() else None
        differences = replace(
            self.differences,
            estimates=estimates,
            replicates=self.differences.replicates if replicates is None else replicates,
        )
        return replace(self, differences=differences)

    def seen(self, tails: Array, nulls: Array) -> Array:
        """How many standard errors away they lie, whatever their own tails."""
        del tails
        nulls = np.log(nulls) if self.of_ratios else nulls
        errors = np.where(self.known, self.differences.standard_errors, np.nan)
        with np.errstate(invalid="ignore", divide="ignore"):
            away = (self.differences.estimates[:, None] - nulls) / errors[:, None]
        return np.asarray(away * [1, -1])

    def farthest(self, so_far: Array | None, side: Side) -> Array:
        """The largest t* of each resample; NaN where that is undefined for one."""
        pair, upper = side
        own = self.differences.replicates[pair]
        own = -own if upper else own
        return np.asarray(own if so_far is None else np.maximum(so_far, own))

    def share(self, farthest: Array, seen: float) -> float:
        """The share of the resamples that lie as far out, with the sample among them."""
        defined = len(farthest) - int(np.count_nonzero(np.isnan(farthest)))
        # Where few outcomes are possible many are as far out, but for rounding.
        seen -= TIE_SHARE * abs(seen)
        return (1 + int(np.count_nonzero(farthest >= seen))) / (1 + defined)

    def ends(self, farthest: Array, alpha: float) -> Array:
        """Ends that hold together, (P, 2): c SEs away, c the quantile of the largest t*."""
        critical = float(Replicates.sorting(farthest).quantile(1 - alpha))
        errors = np.where(self.known, self.differences.standard_errors, np.nan)
        with np.errstate(invalid="ignore"):
            reach = np.stack([-critical * errors, critical * errors], axis=-1)
        ends = self.differences.estimates[:, None] + reach
        return np.exp(ends) if self.of_ratios else ends
