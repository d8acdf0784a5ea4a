"""What is seen around a case: outcomes of the others, by a Dirichlet kernel."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.kernel_cases import evenly, in_order, taken_alone
from halfwidth.arithmetic.probabilities import clipped
from halfwidth.core.types import Array

# All pairs of so many cases are compared; of more, those of so many of them.
MOST_CASES = 10_000
# The bandwidths that are tried, and at how many cases their likelihood is reckoned.
BANDWIDTHS = np.array([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1])
LIKELIHOOD_AT = 500
# Elements of a temporary.
AT_ONCE = 2**21


def _log_kernels(p: Array, at: NDArray[np.intp], bandwidth: float) -> Array:
    """Logarithms of the densities of cases at some of them, (C, n) -> (m, n), none at their own.

    That of a case is Dirichlet, with the parameters p/h + 1.
    """
    from scipy import special

    inside = clipped(p)
    shape = p / bandwidth + 1
    size = special.gammaln(shape.sum(axis=0)) - special.gammaln(shape).sum(axis=0)
    result = np.log(inside[:, at]).T @ (shape - 1) + size
    result[np.arange(len(at)), at] = -np.inf
    return np.asarray(result)


def _blocks(places: NDArray[np.intp], n: int) -> Iterator[NDArray[np.intp]]:
    step = max(1, AT_ONCE // n)
    for start in range(0, len(places), step):
        yield places[start : start + step]


def likely_bandwidth(p: Array) -> float:
    """The bandwidth at which cases are most likely by the kernels of all others."""
    places, n = evenly(p.shape[-1], LIKELIHOOD_AT), p.shape[-1]

    def log_likelihood(bandwidth: float) -> float:
        total = 0.0
        for at in _blocks(places, n):
            logs = _log_kernels(p, at, bandwidth)
            highest = logs.max(axis=1)
            total += (highest + np.log(np.exp(logs - highest[:, None]).sum(axis=1))).sum()
        return total

    return float(BANDWIDTHS[np.argmax([log_likelihood(one) for one in BANDWIDTHS])])


def kernel_weights(p: Array, at: NDArray[np.intp], bandwidth: float) -> Array:
    """What the outcomes of all cases count at some of them, (C, n) -> (m, n); rows add up to 1."""
    weights = _log_kernels(p, at, bandwidth)
    weights -= weights.max(axis=1, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def smoothed(p: Array, values: Array, bandwidth: float) -> tuple[Array, Array]:
    """Values of the other cases around each, (C, n) and (K, n) -> (K, n), and their roughness.

    The roughness of a case, (n,), is the sum of the squares of what the others count: 1 where it is
    a single one, near 0 where they are many.
    """
    result, roughness = np.empty(values.shape), np.empty(p.shape[-1])
    for at in _blocks(np.arange(p.shape[-1]), p.shape[-1]):
        weights = kernel_weights(p, at, bandwidth)
        result[:, at] = values @ weights.T
        roughness[at] = np.einsum("mn,mn->m", weights, weights)
    return result, roughness


def bandwidth_of(p: Array, bandwidth: float | None) -> float:
    """Bandwidth as given, or the most likely one."""
    return likely_bandwidth(p) if bandwidth is None else bandwidth


def cases_of(p: Array, y: Array) -> tuple[Array, Array]:
    """Vectors of probabilities and outcomes, both (C, n), of so many cases as are compared."""
    p, y = in_order(*taken_alone(p, y))
    kept = evenly(p.shape[-1], MOST_CASES)
    return p[:, kept], y[:, kept]
