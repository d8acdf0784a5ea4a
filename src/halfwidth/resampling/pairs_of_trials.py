"""Pairs of 0 and 1, the values of two models for each case, as a table of two by two."""

from __future__ import annotations

import numpy as np

from halfwidth.core.types import Array


def counts_of_pairs(pairs: Array) -> Array:
    """Cases in which both are 1, only the first, only the second, neither: (S, 2, n) -> (S, 4).

    >>> counts_of_pairs(np.array([[[1.0, 1, 1, 0, 0, 0], [1, 0, 0, 0, 0, 1]]]))
    array([[1., 2., 1., 2.]])
    """
    both = (pairs[:, 0] * pairs[:, 1]).sum(axis=-1)
    first, second = pairs[:, 0].sum(axis=-1), pairs[:, 1].sum(axis=-1)
    neither = pairs.shape[-1] - first - second + both
    return np.stack([both, first - both, second - both, neither], axis=-1)


def differences_of_pairs(pairs: Array) -> Array:
    """First less second value of each case: 1, 0 or -1, (S, 2, n) -> (S, n)."""
    return np.asarray(pairs[:, 0] - pairs[:, 1])


def variance_of_pairs(shares: Array) -> Array:
    """Variance of the difference of one case, from the shares of the four kinds: (S, 4) -> (S,)."""
    first_only, second_only = shares[:, 1], shares[:, 2]
    return np.asarray(first_only + second_only - (first_only - second_only) ** 2)
