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
