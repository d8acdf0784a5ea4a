"""P values of several sides of pairs, so adjusted that all claims hold together: stepdown.

Sides that are claimed leave the family, whose others then are claimed more easily (Romano & Wolf
2005). Of the sides that are left a side has the probability that any lies as far out as it was
seen to: by the joint law where there is one, at least its own, at most Bonferroni's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Array
from halfwidth.resampling.joint.laws import Flags, JointLaw, Side

# Tails that differ by less than this share of them differ by rounding.
SAME = 1e-9


def adjusted_by_stepdown(tails: Array, seen: Array | None, law: JointLaw | None) -> Array:
    """Adjusted p values, (P, 2), of the tails of the sides of pairs, (P, 2); NaN of NaN.

    A side whose p value is at most α is claimed with all others of which that is true at 1 - α.
    ``seen``: how far out each side lies, by the joint law.
    """
    adjusted = np.full(tails.shape, np.nan)
    farthest, count, known = None, 0, 0
    values: list[list[tuple[Side, float]]] = []
    # From the last sides to the first the family grows.
    for sides in reversed(_ties(_by_tail(tails), tails)):
        for side in sides:
            if law is not None and law.known[side[0]]:
                farthest, known = law.farthest(farthest, side), known + 1
        count += len(sides)
        of_all = farthest, count, known
        values.append(
            [(side, _of_family(float(tails[side]), side, seen, law, *of_all)) for side in sides]
        )
    least = 0.0
    for tied in reversed(values):
        for side, value in tied:
            adjusted[side] = min(max(least, value), 1.0)
        least = max(least, *(value for _, value in tied))
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


def _ties(order: Sequence[Side], tails: Array) -> list[list[Side]]:
    """Sides of the same tail together, so that their order means nothing."""
    groups: list[list[Side]] = []
    for side in order:
        if groups and tails[side] <= tails[groups[-1][0]] * (1 + SAME):
            groups[-1].append(side)
        else:
            groups.append([side])
    return groups


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
