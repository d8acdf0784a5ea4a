"""Derivatives of a function of counts or sums, to all digits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from halfwidth.core.types import Array, Numbers

# A complex step this small leaves no trace in the real part, so the derivative has all its digits.
STEP = 1e-30


def derivatives(finish: Callable[[Numbers], Array], at: Numbers) -> Array:
    """Derivative by each component at a point, (..., K) -> (..., K), by a complex step."""
    derivative = np.zeros(at.shape)
    for place in np.flatnonzero(at.reshape(-1, at.shape[-1]).any(axis=0)):
        stepped = at.astype(complex)
        stepped[..., place] += 1j * STEP
        derivative[..., place] = np.imag(finish(stepped)) / STEP
    # A count that is 0 at one point of a batch may be positive at another.
    return np.where(at == 0, 0.0, derivative)


def influence_of_sums(
    finish: Callable[[Numbers, Numbers], Array], n: int, sums: Array, features: Array
) -> Array:
    """Influence of cases on a function of n and sums, (..., K) and (..., K, m) -> (..., m)."""
    # Not yet about its mean, which is that of the cases that the sums are of.
    size = np.full((*sums.shape[:-1], 1), float(n))
    slopes = derivatives(
        lambda at: finish(at[..., -1], at[..., :-1]), np.concatenate([sums, size], axis=-1)
    )
    with np.errstate(over="ignore", invalid="ignore"):  # of ratios to next to nothing
        total = slopes[..., 0, None] * features[..., 0, :]
        for place in range(1, features.shape[-2]):
            total += slopes[..., place, None] * features[..., place, :]
        total += slopes[..., -1:]
        total *= n
    return total
