"""The numbers behind the shapes of a figure: jitter, lanes of clusters, densities, boxes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Array, Bounds

Codes = NDArray[np.intp]

GOLDEN = (5**0.5 - 1) / 2
# Fewer cases are seen one by one; quartiles and densities of them would pretend to know more.
FEWEST = 5
# A density is drawn from so many cases at most; it is the same to the eye.
MOST = 4000
GRID = 160
# Clusters up to this size share one height, so that a straight line joins their cases.
SMALL_CLUSTER = 4


class Box(NamedTuple):
    """Quartiles, and the farthest cases within 1.5 IQR of them (Tukey)."""

    low_whisker: float
    low: float
    median: float
    high: float
    high_whisker: float


def jitter(n: int) -> Array:
    """Heights in (-1, 1) that keep neighbours apart.

    Multiples of the golden ratio spread evenly, look random, and need no random numbers.
    """
    return np.asarray(2 * ((np.arange(n) * GOLDEN) % 1.0) - 1, dtype=np.float64)


def few_levels(values: Array) -> bool:
    """Whether the values are so few, or so few different ones, that shares describe them best."""
    return len(np.unique(values)) < FEWEST


def tukey_box(values: Array) -> Box:
    """Quartiles and whiskers of a sample.

    >>> tukey_box(np.array([1.0, 2, 3, 4, 100]))
    Box(low_whisker=1.0, low=2.0, median=3.0, high=4.0, high_whisker=4.0)
    """
    low, median, high = (float(q) for q in np.quantile(values, [0.25, 0.5, 0.75]))
    reach = 1.5 * (high - low)
    inside = values[(values >= low - reach) & (values <= high + reach)]
    # Interpolated quartiles can lie beyond the last case inside.
    ends = min(float(inside.min()), low), max(float(inside.max()), high)
    return Box(ends[0], low, median, high, ends[1])


def kernel_density(values: Array, bounds: Bounds) -> tuple[Array, Array]:
    """A kernel density between the smallest and the largest case, and where it is taken.

    A Gaussian kernel with Silverman's robust bandwidth, 0.9 min(SD, IQR/1.34) n^(-1/5). What
    leaks over an end of the metric's range is reflected at it, so that the density of a metric
    that is mostly near 1 does not seem to fall there.

    ``values``: ascending, and not all equal.
    """
    n, ends = len(values), (values[0], values[-1])
    if n > MOST:
        values = np.quantile(values, (np.arange(MOST) + 0.5) / MOST)
    quartiles = np.quantile(values, [0.25, 0.75])
    # Heavily tied values can have an IQR of 0.
    spread = min(values.std(), (quartiles[1] - quartiles[0]) / 1.34) or values.std()
    width = 0.9 * spread * n**-0.2
    # Points where the cases are: an even grid would pass over them wherever there are outliers.
    even = np.linspace(*ends, GRID)
    among = np.quantile(values, np.linspace(0, 1, GRID))
    x = np.unique(np.concatenate([even, among]))
    density = _kernels(x, values, width)
    for end in (bounds.low, bounds.high):
        if np.isfinite(end):
            density += _kernels(2 * end - x, values, width)
    return x, density


def _kernels(x: Array, values: Array, width: float) -> Array:
    scaled = (x[:, None] - values) / width
    return np.asarray(np.exp(-0.5 * scaled**2).mean(axis=1) / (width * np.sqrt(2 * np.pi)))


def ranks_by_mean(values: Array, member: Codes) -> Codes:
    """Rank of each cluster by the mean of its cases, shape (G,)."""
    means = np.bincount(member, values) / np.bincount(member)
    ranks = np.empty(len(means), dtype=np.intp)
    ranks[np.argsort(means, kind="stable")] = np.arange(len(means))
    return ranks


def lanes(ranks: Codes, member: Codes) -> tuple[Array, Array]:
    """A lane for each cluster, in the order of the means: heights in (-1, 1), -1 at the top.

    Height of each lane; the highest mean is at the top. Height of each case: in the middle of its
    lane, or spread in it where there are many.
    """
    half = 1 / len(ranks)
    middles = np.asarray(1 - (2 * ranks + 1) * half, dtype=np.float64)
    heights = middles[member]
    for cluster in np.flatnonzero(np.bincount(member) > SMALL_CLUSTER):
        members = member == cluster
        heights[members] += 0.6 * half * jitter(int(members.sum()))
    return middles, heights
