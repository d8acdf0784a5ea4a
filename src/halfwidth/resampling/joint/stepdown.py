"""P values of several sides of pairs, so adjusted that all claims hold together: stepdown.

Sides that are claimed leave the family, whose others then are claimed more easily (Romano & Wolf
2005). Of the sides that are left a side has the probability that any lies as far out as it was
seen to: by the joint law where there is one, at least its own, at most Bonferroni's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.resampling.joint.laws import Flags, JointLaw, Side

# Tails that differ by less than this share of them differ by rounding.
SAME = 1e-9


@frozen(eq=False)
class Observed:
    """Sides of all pairs of a family as they were seen."""

    tails: Array  # (P, 2); NaN of those that are not looked at
    law: JointLaw | None
    seen: Array | None  # How far out each lies, (P, 2), by the law

    def in_law(self, side: Side) -> bool:
        """Whether the law knows a side."""
        return self.law is not None and bool(self.law.known[side[0]])

    def against(self, side: Side, family: _Sides) -> float:
        """The p value of a side against those of a family."""
        tail = float(self.tails[side])
        bonferroni = max(family.count, 2) * tail
        if self.law is None or self.seen is None or family.farthest is None:
            return bonferroni
        # Sides that the law does not know have their share of α of the whole family to themselves.
        total = self.tails.size
        if not self.in_law(side):
            return total * tail
        together = self.law.share(family.farthest, float(self.seen[side]))
        together /= 1 - (family.count - family.known) / total
        return min(max(together, 2 * tail), bonferroni)


@frozen(eq=False)
class _Sides:
    """Some sides, and how far out the farthest of those that a law knows lies in each draw."""

    count: int = 0
    known: int = 0
    farthest: Array | None = None

    def with_sides(self, sides: Sequence[Side], observed: Observed) -> _Sides:
        """The sides with some more added."""
        farthest, of_law = self.farthest, [side for side in sides if observed.in_law(side)]
        for side in of_law:
            farthest = observed.law.farthest(farthest, side) if observed.law else None
        return _Sides(self.count + len(sides), self.known + len(of_law), farthest)


def adjusted_by_stepdown(observed: Observed) -> Array:
    """Adjusted p values of the sides of pairs, (P, 2); NaN of those without a tail.

    A side whose p value is at most α is claimed with all others of which that is true at 1 - α.
    """
    adjusted = np.full(observed.tails.shape, np.nan)
    family, steps = _Sides(), []
    # From the last sides to the first the family grows.
    for sides in reversed(_ties(observed.tails)):
        family = family.with_sides(sides, observed)
        steps.append([(side, observed.against(side, family)) for side in sides])
    least = 0.0
    for tied in reversed(steps):
        for side, value in tied:
            adjusted[side] = min(max(least, value), 1.0)
        least = max(least, *(value for _, value in tied))
    return adjusted


def against_family(observed: Observed, members: Flags) -> Array:
    """P values of all sides, (P, 2), against a family of sides that need not hold them."""
    sides = [(int(pair), int(side)) for pair, side in np.argwhere(members)]
    family, values = _Sides().with_sides(sides, observed), np.full(observed.tails.shape, np.nan)
    for side in _by_tail(observed.tails):
        values[side] = min(observed.against(side, family), 1.0)
    return values


def _by_tail(tails: Array) -> list[Side]:
    """All sides that have one, the least first."""
    flat: NDArray[np.intp] = np.argsort(tails, axis=None, kind="stable")
    places = np.stack(np.unravel_index(flat, tails.shape), axis=-1).tolist()
    return [(pair, side) for pair, side in places if not np.isnan(tails[pair, side])]


def _ties(tails: Array) -> list[list[Side]]:
    """All sides, the least tail first; those of one tail together: their order means nothing."""
    groups: list[list[Side]] = []
    for side in _by_tail(tails):
        if groups and tails[side] <= tails[groups[-1][0]] * (1 + SAME):
            groups[-1].append(side)
        else:
            groups.append([side])
    return groups
