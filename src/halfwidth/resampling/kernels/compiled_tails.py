"""Tails of rows of replicates, in machine code: what bounds are made of, with the rest unsorted."""

from __future__ import annotations

import functools
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Array
from halfwidth.resampling.kernels import compiled

__all__ = ["count_below", "pays_off", "picked", "tails"]

# Replicates whose sorting takes as long as it takes to load the kernels.
LOAD_FROM = 10**9

_sorted = compiled.Odometer()


@functools.cache
def _kernels() -> ModuleType:
    from halfwidth.resampling.kernels import _numba_tails

    return _numba_tails


def pays_off(replicates: int) -> bool:
    """Whether to use the kernels for so many more, by the rule of `compiled.pays_off`."""
    if _kernels.cache_info().currsize > 0:
        return True
    _sorted.draws += replicates
    return _sorted.draws >= LOAD_FROM and compiled.available() and loads()


@functools.cache
def loads() -> bool:
    """Whether they can be had."""
    try:
        _kernels()
    except ImportError:
        return False
    return True


def tails(
    rows: Array, low: Array, high: Array, room: int
) -> tuple[Array, Array, NDArray[np.uint64]]:
    """What of each row lies below one limit and above another.

    Parameters
    ----------
    rows : ndarray, shape (S, B)
    low, high : ndarray, shape (S,)
    room : int
        Most of a tail; one that has no room is cut short, and its count is ``room``.

    Returns
    -------
    lower, upper : ndarray, shape (S, room)
        In no order; what lies behind the counts means nothing.
    counts : ndarray of int, shape (S, 5)
        Below ``low``, equal to it, above ``high``, equal to it, and NaN.
    """
    lower, upper = np.empty((len(rows), room)), np.empty((len(rows), room))
    counts = np.empty((len(rows), 5), np.uint64)
    limits = (np.ascontiguousarray(limit, float) for limit in (low, high))
    _kernels().tails_of_rows(rows, *limits, lower, upper, counts)
    return lower, upper, counts


def count_below(rows: Array, below: Array, up_to: Array) -> NDArray[np.uint64]:
    """How many of each row lie below one limit, and up to another: (S, B) -> (S, 2)."""
    counts = np.empty((len(rows), 2), np.uint64)
    limits = (np.ascontiguousarray(limit, float) for limit in (below, up_to))
    _kernels().count_rows_below(rows, *limits, counts)
    return counts


def picked(values: Array, table: NDArray[np.intp], total: float, gaps: Array) -> Array:
    """Weighted values at the positions of a table, (S, n), (K, B) -> (S, B).

    The first counts ``total``, the gap before each other one ``gaps`` of its place.
    """
    # Machine code would read what lies behind.
    if table.min() < 0 or table.max() >= values.shape[-1]:
        raise ValueError(f"positions up to {table.max()} in rows of {values.shape[-1]}")
    made = np.empty((len(values), table.shape[-1]))
    _kernels().pick_rows(
        np.ascontiguousarray(values), table.astype(np.int64, copy=False), total, gaps, made
    )
    return made
