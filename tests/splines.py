"""Restricted cubic splines by the formula of Harrell's book, and where their knots lie."""

from __future__ import annotations

import numpy as np

from halfwidth.core.types import Array

__all__ = ["LEVELS_OF_KNOTS", "harrell"]

LEVELS_OF_KNOTS = {
    3: (0.1, 0.5, 0.9),
    4: (0.05, 0.35, 0.65, 0.95),
    5: (0.05, 0.275, 0.5, 0.725, 0.95),
}


def harrell(x: Array, knots: Array) -> Array:
    """Term by term: the constant, x, and what bends at the knots, which are ascending."""
    *_, last_but_one, last = knots

    def cubes(knot: float) -> Array:
        return np.asarray(np.maximum(x - knot, 0) ** 3)

    bent = [
        cubes(knot)
        - cubes(last_but_one) * (last - knot) / (last - last_but_one)
        + cubes(last) * (last_but_one - knot) / (last - last_but_one)
        for knot in knots[:-2]
    ]
    return np.stack([np.ones(len(x)), x, *(one / (last - knots[0]) ** 2 for one in bent)])
