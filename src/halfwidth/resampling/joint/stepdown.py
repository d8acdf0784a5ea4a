"""P values of several sides of pairs, so adjusted that all claims hold together: stepdown.

Sides that are claimed leave the family, whose others then are claimed more easily (Romano & Wolf
2005). Of the sides that are left a side has the probability that any lies as far out as it was
seen to: by the joint law where there is one, at least its own, at most Bonferroni's.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Array
from halfwidth.resampling.joint.laws import Flags, JointLaw, Side


def adjusted_by_stepdown(tails: Array, seen: Array | None, law: JointLaw | None) -> Array:
    """Adjusted p values, (P, 2), of the tails of the sides of pairs, (P, 2); NaN of NaN.

    A side whose p value is at most α is claimed with all others of which that is true at 1 - α.
    ``seen``: how far out each side lies, by the joint law.
    """
    order = _by_tail(tails)
    adjusted = np.full(tails.shape, np.nan)
    if not order:
        return adjusted
    farthest, known, values = None, 0, []
    # From the last side to the first the family grows.
    for count, side in enumerate(reversed(order), 1):
        if law is not None and law.known[side[0]]:
            farthest, known = law.farthest(farthest, side), known + 1
        values.append(_of_family(float(tails[side]), side, seen, law, farthest, count, known))
    rising = np.minimum(np.maximum.accumulate(values[::-1]), 1.0)
    for side, value in zip(order, rising.tolist(), strict=True):
        adjusted[side] = value
    return adjusted


def against_family(tails: Array, seen: Array | None, law: JointLaw | None, family: Flags) -> Array:
    """P values of sides, (P, 2), against a family of sides that may not hold them."""
    sides = [(int(pair), int(side)) for pair, side in np.argwhere(family)]
    farthest, known = None, 0
    for side in sides:
        if law is not None and law.known[side[0]]:
            farthest, known = law.farthest(farthest, side), known + 1
    values = np.full(tails.shape, np.nan)
    for side in _by_tail(tails):
        own = law if law is not None and law.known[side[0]] and known else None
        values[side] = _of_family(
            float(tails[side]), side, seen, own, farthest, max(len(sides), 1), known
        )
    return np.asarray(np.minimum(values, 1.0))


def _by_tail(tails: Array) -> list[Side]:
    """All sides that have one, the least first."""
    flat: NDArray[np.intp] = np.argsort(tails, axis=None, kind="stable")
    places = np.stack(np.unravel_index(flat, tails.shape), axis=-1).tolist()
    return [(pair, side) for pair, side in places if not np.isnan(tails[pair, side])]


def _of_family(
    tail: float,
    side: Side,
    seen: Array | None,
    law: JointLaw | None,
    farthest: Array | None,
    count: int,
    known: int,
) -> float:
    """The p value of a side against so many sides, of which a joint law knows some."""
    bonferroni = max(count, 2) * tail
    if law is None or seen is None or farthest is None or not law.known[side[0]]:
        return bonferroni
    # The others have their share of α for themselves.
    together = law.share(farthest, float(seen[side])) * count / known
    return min(max(together, 2 * tail), bonferroni)
