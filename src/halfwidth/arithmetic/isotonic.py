"""Isotonic regression of outcomes on probabilities, at many weights of the same cases at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array

# Arrays of the size of the weights that are made meanwhile: blocks so much smaller stay in a
# processor's nearest cache, which halves the time.
TEMPORARIES = 16


@frozen(eq=False)
class Ascending:
    """Cases in the order of their probabilities, for sums over those of equal ones."""

    order: NDArray[np.intp]  # (n,)
    first: NDArray[np.intp]  # Of each distinct probability, in that order

    @classmethod
    def from_probabilities(cls, p: Array) -> Ascending:
        """Sort cases by these probabilities."""
        order = np.argsort(p, kind="stable")
        return cls(order, np.unique(p[order], return_index=True)[1])

    def sums(self, cases: Array) -> Array:
        """Over the cases of each distinct probability, (..., n) -> (..., G)."""
        in_order = cases[..., self.order]
        if len(self.first) == len(self.order):
            return np.asarray(in_order)
        return np.asarray(np.add.reduceat(in_order, self.first, axis=-1))


def rising(hits: Array, mass: Array) -> Array:
    """The non-decreasing shares that fit those of hits best, by pool-adjacent-violators.

    Of each row, (B, G); 0 where there is no mass.

    >>> rising(np.array([[0.0, 1, 0, 1], [1, 0, 1, 0]]), np.ones((2, 4))).tolist()
    [[0.0, 0.5, 0.5, 1.0], [0.5, 0.5, 0.5, 0.5]]
    """
    from scipy.optimize import isotonic_regression

    fitted, held = np.zeros(mass.shape), np.flatnonzero(mass > 0)
    if len(held):
        some, weights = hits.ravel()[held], mass.ravel()[held]
        # Rows behind each other rise as one, since shares of the next lie above those of a row.
        shares = some / weights + 2 * (held // mass.shape[1])
        ends = isotonic_regression(shares, weights=weights).blocks
        pooled = np.add.reduceat(some, ends[:-1]) / np.add.reduceat(weights, ends[:-1])
        fitted.ravel()[held] = np.repeat(pooled, np.diff(ends))
    return fitted
