"""Tails of rough replicates and exact ones by rank, in machine code."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Array

__all__ = ["at_ranks", "shares", "tails"]

Rough = NDArray[np.float32]


@functools.cache
def _kernels() -> ModuleType:
    from halfwidth.resampling.kernels import _numba_screened

    return _numba_screened


def tails(
    rows: Rough, low: Rough, high: Rough, room: int
) -> tuple[Array, Array, NDArray[np.uint64]]:
    """What of each row lies up to one limit, and from another on.

    Parameters
    ----------
    rows : ndarray of float32, shape (S, B)
    low, high : ndarray of float32, shape (S,)
    room : int

    Returns
    -------
    lower, upper : ndarray, shape (S, room)
        Values with their places in the last bits, from the outside in; the upper ones negative.
        What lies behind the counts means nothing.
    counts : ndarray of int, shape (S, 2)
        How many; 0 where there are more than there is room for.
    """
    lower, upper = np.empty((2, len(rows), room))
    counts = np.empty((len(rows), 2), np.uint64)
    _kernels().tails_with_places(rows, low, high, np.uint64(room), lower, upper, counts)
    for side, tail in enumerate((lower, upper)):
        for keys, held in zip(tail, counts[:, side].tolist(), strict=True):
            keys[:held].sort()
    return lower, upper, counts


def at_ranks(
    ranks: NDArray[np.intp], tail: tuple[Any, ...], error: Rough, sign: float, linear: Any
) -> tuple[Array, NDArray[np.bool_]]:
    """Exact bases of ranks, and which could be told; see `_numba_screened.exact_at_ranks`."""
    made, found = np.full(len(ranks), np.nan), np.zeros(len(ranks), dtype=bool)
    keys, counts, side, limit = tail
    _kernels().exact_at_ranks(
        ranks.astype(np.int64),
        *(keys, counts, np.uint64(side), limit, error, sign),
        *linear,
        made,
        found,
    )
    return made, found


def shares(
    rows: Rough, error: Rough, below: Array, up_to: Array, features: Array, weights: Array
) -> NDArray[np.int64]:
    """How many exact bases of each row lie below one limit, and up to another: (S, 2)."""
    counts = np.empty((len(rows), 2), np.int64)
    limits = (np.ascontiguousarray(limit, float) for limit in (below, up_to))
    _kernels().exact_shares(rows, error, *limits, features, weights, counts)
    return counts
