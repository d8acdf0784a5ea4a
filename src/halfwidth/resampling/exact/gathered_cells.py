"""Very many values as few: two points in place of the values of a narrow cell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Array

# Half the width of a cell, as a share of its distance from the median.
HALF_WIDTH = 0.02
# A cell of no more values than this keeps them.
FEW_VALUES = 4
# Of the largest distance, what no cell is narrower than.
FINEST = 1e-30
# The variance of a cell, by its half-width, below which all its values are one.
NO_VARIANCE = 1e-24


def gathered(values: Array) -> tuple[float, Array, Array]:
    """The median of very many values, points about it and their masses, for sums of gammas.

    Cells have equal widths in arsinh((v - median)/w), where w is the median distance from the
    median: narrow near it and wider further out in proportion to the distance. Two points keep the
    mass, mean, variance and third moment of a cell, and lie within it, with positive masses, so
    that what they make is a gamma sum again. What the fourth moment of a cell of the half-width h
    still changes of -log(1 - s(t - v)) is below |hs/(1 - s(t - v))|⁴/4 for each value: 4e-8 where t
    is far from the cell. Where t is near it, the many values that are not have made the integrand
    vanish before s is large. Values of thinly filled cells, as outliers are, are kept.
    """
    median = _middle(values)
    distances = values - median
    others = distances[distances != 0]
    at_median = np.array([float(len(values) - len(others))])
    if not len(others):
        return median, np.zeros(1), at_median
    sizes = np.abs(others)
    width = max(_middle(sizes), FINEST * float(sizes.max()))
    place = np.floor(np.arcsinh(others / width) / (2 * HALF_WIDTH)).astype(np.intp)
    first = int(place.min())
    place -= first
    counts = np.bincount(place)
    many = counts > FEW_VALUES
    in_many = many[place]
    kept, others = others[~in_many], others[in_many]
    cell = (np.cumsum(many) - 1)[place[in_many]]
    low, high = (
        width * np.sinh(2 * HALF_WIDTH * (np.flatnonzero(many) + first + end)) for end in (0, 1)
    )
    middle, half = (low + high) / 2, (high - low) / 2
    nodes, shares = _two_points((others - middle[cell]) / half[cell], cell, counts[many])
    return (
        median,
        np.concatenate([np.zeros(1), kept, (middle + half * nodes).ravel()]),
        np.concatenate([at_median, np.ones(len(kept)), (counts[many] * shares).ravel()]),
    )


def _middle(values: Array) -> float:
    place = len(values) // 2
    return float(np.partition(values, place)[place])


def _two_points(
    offsets: Array, cell: NDArray[np.intp], counts: NDArray[np.intp]
) -> tuple[Array, Array]:
    """Points and shares with the first four moments of each cell: Gauss's rule, (2, cells)."""
    mean = np.bincount(cell, offsets, len(counts)) / counts
    off = offsets - mean[cell]
    squares = off * off
    variance = np.bincount(cell, squares, len(counts)) / counts
    third = np.bincount(cell, squares * off, len(counts)) / counts
    spread = variance > NO_VARIANCE
    deviation = np.where(spread, np.sqrt(variance), 0.0)
    lean = np.where(spread, third, 0.0) / np.where(spread, 2 * variance * deviation, 1.0)
    longer = np.abs(lean) + np.sqrt(1 + lean**2)
    above = np.where(lean > 0, longer, 1 / longer)
    share = 1 / (1 + above**2)
    nodes = mean + deviation * np.array([above, -1 / above])
    return np.asarray(nodes), np.array([share, 1 - share])
