"""Cases as kernels compare them in pairs, and waves as a kernel damps them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Array


def evenly(n: int, most: int) -> NDArray[np.intp]:
    """All places of n, or so many at even steps."""
    return np.arange(n) if n <= most else np.arange(most) * n // most


def in_order(p: Array, y: Array) -> tuple[Array, Array]:
    """Cases in the order of their probabilities and outcomes, so that theirs does not matter."""
    order = np.lexsort((*y[::-1], *p[::-1]))
    return p[:, order], y[:, order]


def taken_alone(p: Array, y: Array) -> tuple[Array, Array]:
    """One class as a vector of two, (n,) -> (2, n); vectors as they are."""
    if p.ndim > 1:
        return p, y
    return np.stack([p, 1 - p]), np.stack([y, 1 - y])


def damping(orders: Array, bandwidth: Array | float) -> Array:
    """What a Gaussian kernel leaves of cos(kπt), for each order k."""
    return np.asarray(np.exp(-((orders * math.pi * bandwidth) ** 2) / 2))
