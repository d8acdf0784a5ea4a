"""Places of a pseudo-case that the data set: beyond the outermost unit, as a Pareto draw says.

Y = max(bound, mean - d U^(-1/ν)), U uniform and d from the mean to the smallest unit, for the lower
end of an interval; the same from the largest unit upwards for the upper end. Units are seen from
the bound, which is 0, so that either end is a lower one.
"""

from __future__ import annotations

import functools

import numpy as np

from halfwidth.core import rng
from halfwidth.core.pseudo_cases import Reach
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan

# Nodes of the Gauss-Legendre rules over log(U^(-1/ν)), up to a limit and beyond it. Quantiles are
# within 1e-7 of themselves where values spread over more than a millionth of the range.
LIMIT, NEAR, BEYOND = 5.0, 24, 16
# Places farther out than all but this share of them are as far as that one: of narrow differences
# the bounds have 1e-40 and less, which no level sees and which spoils every path of an inversion.
NEVER = 1e-25
# Of two models the distance is at least this share of the typical deviation of either: models that
# agree in every case are not known to do so in every case to come (decision 0093).
SHARE_OF_DEVIATION = 0.2
# Deviations below this share of the median are rounding.
EQUAL = 1e-12
# How many distances from the mean places are told apart where the metric has no bound.
FARTHEST = 1e8


def distances(mean: Array, smallest: Array, largest: Array, reach: Reach) -> tuple[Array, Array]:
    """Distances of the mean to the outermost unit, for the lower and for the upper end."""
    below, above = mean - smallest, largest - mean
    if reach.shared:
        below = above = np.maximum(below, above)
    if reach.least:
        below, above = (np.maximum(one, reach.least) for one in (below, above))
    return below, above


def least_distances(values: Array, design: Design, *, paired: bool = False) -> Array:
    """The least that d is, (S, n) -> (S,); of models, of which the larger one holds for a pair.

    Infinite where more than half of the units are equal, which tell of no distance. Else 0, and of
    models a share of the median absolute deviation of their units.
    """
    means = design.totals(values) / design.unit_sizes
    middle = np.median(means, axis=-1, keepdims=True)
    deviation = np.median(np.abs(means - middle), axis=-1)
    if paired:
        return np.asarray(SHARE_OF_DEVIATION * deviation)
    return np.where(deviation <= EQUAL * np.abs(middle[..., 0]), np.inf, 0.0)


def shapes(below: Array, above: Array, reach: Reach, units: int) -> tuple[Array, Array]:
    """The tail index of the lower and of the upper end of an interval, of each sample."""
    usual = np.full(np.shape(below), reach.shape)
    # Very few units do not show on which side failures are.
    if not reach.power or units < reach.fewest:
        return usual, usual
    known = (below > 0) & (above > 0) & np.isfinite(below) & np.isfinite(above)
    ratio = np.divide(above, below, out=np.ones_like(usual), where=known)
    most = max(reach.most, reach.shape)
    low, high = (
        np.minimum(reach.shape * np.maximum(one, 1.0) ** reach.power, most)
        for one in (ratio, 1 / ratio)
    )
    return low, high


def expected_places(mean: Array, distance: Array, shape: Array) -> tuple[Array, Array]:
    """Places between the bound 0 and the mean, and their probabilities: (S,) -> (S, K) each.

    The first place is the bound, where all that is cut lies, or where hardly anything lies farther
    out. The others are the nodes of a rule for the mean of any smooth function over what is not
    cut.

    >>> places, shares = expected_places(np.array([0.9]), np.array([0.1]), np.array([2.0]))
    >>> round(float(shares.sum()), 12), round(float(shares[0, 0]), 6)
    (1.0, 0.012346)
    >>> mean_of_pareto = 0.1 * 2 * (1 - 1 / 9)
    >>> round(float((shares[0, 1:] * (0.9 - places[0, 1:])).sum()) / mean_of_pareto, 9)
    1.0
    """
    reaches = distance > 0
    ratios = np.divide(mean, distance, out=np.ones_like(mean), where=reaches)
    longest = np.minimum(np.log(np.maximum(ratios, 1.0)), -np.log(NEVER) / shape)[:, None]
    rate = -shape[:, None]
    shorter = np.minimum(longest, LIMIT)
    (points, weights), (further, weights_further) = _rule(NEAR), _rule(BEYOND)
    logs = np.concatenate([shorter * points, shorter + (longest - shorter) * further], axis=-1)
    steps = np.concatenate([shorter * weights, (longest - shorter) * weights_further], axis=-1)
    places = np.maximum(mean[:, None] - distance[:, None] * np.exp(logs), 0.0)
    shares = steps * np.exp(rate * logs)
    cut = np.exp(rate * longest)
    total = shares.sum(axis=-1, keepdims=True)
    shares *= (1 - cut) / np.where(total > 0, total, 1.0)
    ends_before = ratios * NEVER ** (1 / shape) > 1
    first = np.where(ends_before, mean - distance * np.exp(longest[:, 0]), 0.0)
    # Where all units are equal, so is the pseudo-unit.
    first = np.where(reaches, first, mean)
    return np.column_stack([first, places]), np.column_stack([cut, shares])


def drawn_reach(shape: Array | float, plan: Plan) -> Array:
    """U^(-1/ν) of each draw, (..., B), U the same for both ends and for all samples."""
    key = rng.derive_key(plan.entropy, "places of pseudo-cases")
    uniform = rng.uniforms(key, 0, 1, plan.n_resamples)[0]
    return np.asarray(uniform ** (-1 / np.asarray(shape)[..., None]))


@functools.cache
def _rule(nodes: int) -> tuple[Array, Array]:
    points, weights = np.polynomial.legendre.leggauss(nodes)
    return (points + 1) / 2, weights / 2
