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
# Sums of weights that differ by less of the total are equal.
ROUNDING = 1e-9


def weighted_quantile(level: float, values: Array, weights: Array) -> Array:
    """Where the distribution function of weighted values reaches a level, (..., n) -> (...).

    Halfway between two values where it is at the level from the one to the other, so that a median
    is the usual one; neither the scale of weights matters nor whether a case is there twice.
    """
    n = values.shape[-1]
    if (weights == weights.flat[0]).all():
        places = np.ceil(level * n - ROUNDING * n) - 1, np.floor(level * n + ROUNDING * n)
        below, above = (int(np.clip(place, 0, n - 1)) for place in places)
        parted = np.partition(values, (below, above), axis=-1)
        return np.asarray((parted[..., below] + parted[..., above]) / 2)
    order = np.argsort(values, axis=-1)
    ascending = np.take_along_axis(values, order, axis=-1)
    up_to = np.cumsum(np.take_along_axis(np.broadcast_to(weights, order.shape), order, -1), axis=-1)
    total = up_to[..., -1:]
    first = (up_to < total * (level - ROUNDING)).sum(axis=-1, keepdims=True)
    next_one = (up_to <= total * (level + ROUNDING)).sum(axis=-1, keepdims=True)
    ends = (
        np.take_along_axis(ascending, np.minimum(place, n - 1), axis=-1)[..., 0]
        for place in (first, next_one)
    )
    return np.asarray(sum(ends) / 2)


def spline_terms(x: Array, weights: Array, knots: int) -> Array:
    """1, x and the cubic terms of so many knots at quantiles of x, (n,) -> (K, n).

    Tied values give fewer knots than asked for; with fewer than three there are 1 and x alone.
    """
    levels = QUANTILES_OF_KNOTS[knots] if weights.any() else ()
    placed = np.unique([weighted_quantile(level, x, weights) for level in levels])
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
