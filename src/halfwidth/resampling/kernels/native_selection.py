"""The tails of rows of replicates, and weighted values of some places, in the compiled library."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Array
from halfwidth.resampling.kernels import native
from halfwidth.resampling.kernels.native import address, in_calls


def _limits(number: int, *limits: Array) -> list[Array]:
    arrays = [np.ascontiguousarray(limit, float) for limit in limits]
    for limit in arrays:
        address(limit, np.float64, (number,))
    return arrays


def tails(
    rows: Array, low: Array, high: Array, room: int
) -> tuple[Array, Array, NDArray[np.int64]]:
    """Tails as of `reference.tails`; counts are ``room`` where either is ``room - 64`` or more."""
    number, size = rows.shape
    lower, upper = np.empty((2, number, room))
    counts = np.empty((number, 5), np.int64)
    low, high = _limits(number, low, high)
    for part in in_calls(number, size):
        some = rows[part]
        arguments = (address(some, np.float64, (len(some), size)), len(some), size)
        limits = [limit[part].ctypes.data for limit in (low, high)]
        into = (lower[part].ctypes.data, upper[part].ctypes.data, counts[part].ctypes.data)
        native.call("hw_tails", *arguments, *limits, room, *into)
    return lower, upper, counts


def count_below(rows: Array, below: Array, up_to: Array) -> NDArray[np.int64]:
    """How many of each row lie below one limit, and up to another: (S, B) -> (S, 2)."""
    number, size = rows.shape
    counts = np.empty((number, 2), np.int64)
    below, up_to = _limits(number, below, up_to)
    for part in in_calls(number, size):
        some = rows[part]
        arguments = (address(some, np.float64, (len(some), size)), len(some), size)
        limits = [limit[part].ctypes.data for limit in (below, up_to)]
        native.call("hw_count_below", *arguments, *limits, counts[part].ctypes.data)
    return counts


def picked(values: Array, table: NDArray[np.intp], total: float, gaps: Array) -> Array:
    """Weighted values at the positions of a table; see `reference.picked`."""
    (number, size), (places, each) = values.shape, table.shape
    if table.min() < 0 or table.max() >= size or len(gaps) != places:
        raise ValueError(f"positions up to {table.max()} in rows of {size}")
    values, gaps = np.ascontiguousarray(values, float), np.ascontiguousarray(gaps, float)
    table = np.ascontiguousarray(table, np.int64)
    values_picked = np.empty((number, each))
    for part in in_calls(number, places * each):
        some = values[part]
        arguments = (some.ctypes.data, len(some), size, table.ctypes.data, places, each)
        native.call(
            "hw_pick", *arguments, float(total), gaps.ctypes.data, values_picked[part].ctypes.data
        )
    return values_picked
