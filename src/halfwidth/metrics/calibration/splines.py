"""Restricted cubic splines: cubic between knots, linear beyond the first and the last."""

from __future__ import annotations

import numpy as np

from halfwidth.core.types import Array

# Harrell (2015), table 2.3: at which quantiles of the values so many knots are.
QUANTILES_OF_KNOTS = {
    3: (0.1, 0.5, 0.9),
    4: (0.05, 0.35, 0.65, 0.95),
    5: (0.05, 0.275, 0.5, 0.725, 0.95),
}
FEWEST_KNOTS = 3


def spline_terms(x: Array, knots: int) -> Array:
    """1, x and the cubic terms of so many knots at quantiles of x, (n,) -> (K, n).

    Tied values give fewer knots than asked for; with fewer than three there are 1 and x alone.
    """
    placed = np.unique(np.quantile(x, QUANTILES_OF_KNOTS[knots])) if len(x) else np.empty(0)
    linear = [np.ones(len(x)), x]
    if len(placed) < FEWEST_KNOTS:
        return np.stack(linear)
    *inner, before_last, last = placed
    width, gap = last - placed[0], last - before_last

    def cubed(knot: float) -> Array:
        """With all terms on the scale of x."""
        return np.asarray(np.maximum(x - knot, 0.0) ** 3 / width**2)

    bent = [
        cubed(knot)
        - cubed(before_last) * (last - knot) / gap
        + cubed(last) * (before_last - knot) / gap
        for knot in inner
    ]
    return np.stack([*linear, *bent])
