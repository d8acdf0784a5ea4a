"""Kernels in machine code, made by Numba where it is installed; the draws are those of `rng`.

Resamples are drawn and added up in one go, so that no index is ever stored. The code is loaded, or
compiled on the first use after an installation, when a kernel is first called.
"""

from __future__ import annotations

import functools
import importlib.util
import os
from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.rng import Key
from halfwidth.core.types import Array

__all__ = [
    "COMPILE_FROM",
    "Odometer",
    "arguments",
    "available",
    "count_drawn",
    "loaded",
    "pays_off",
    "sum_drawn",
]

# Draws in which the kernels save as much time as it takes to compile them once.
COMPILE_FROM = 10**9

# Floats in a line of the cache.
LINE = 8
# Positions are integers of 32 bits.
MOST_UNITS = 2**32


def available() -> bool:
    """Whether Numba is installed and not switched off; it is not imported."""
    switched_off = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
    return not switched_off and importlib.util.find_spec("numba") is not None


def loaded() -> bool:
    """Whether the machine code is in this process already, so that a call costs nothing extra."""
    return _kernels.cache_info().currsize > 0


@functools.cache
def _kernels() -> ModuleType:
    from halfwidth.resampling.kernels import _numba

    return _numba


@dataclass
class Odometer:
    """Draws that this process has made without the kernels, though they might have served."""

    draws: int = 0


_plainly = Odometer()


def pays_off(draws: int) -> bool:
    """Whether to use the kernels for so many more draws.

    Once they are loaded, always. Until then, when all draws so far would have paid for loading
    them: whatever comes next, that costs at most twice as much as knowing it beforehand.
    """
    if loaded():
        return True
    _plainly.draws += draws
    return _plainly.draws >= COMPILE_FROM and available() and _loads()


@functools.cache
def _loads() -> bool:
    """Whether Numba, which is installed, can be imported with this version of NumPy too."""
    try:
        _kernels()
    except ImportError:
        return False
    return True


def sum_drawn(features: Array, key: Key, start: int, stop: int, units: int) -> Array:
    """Sums of features over the units drawn, as `reference.sum_drawn` of ``rng.indices``.

    Parameters
    ----------
    features : ndarray, shape (K, units)
    key : Key
    start, stop : int
        Range of resamples. The sums of a resample do not depend on the range it is made in, in
        no bit.
    units : int
        Draws per resample, and number of units to draw from.

    Returns
    -------
    ndarray, shape (K, stop - start)
    """
    if features.shape[-1] != units:  # machine code would read what lies behind
        raise ValueError(f"{features.shape[-1]} columns of features for {units} units")
    kernels = _kernels()
    sums = np.empty((len(features), stop - start))
    widest = kernels.WIDTHS[-1]
    for first in range(0, len(features), widest):
        part = features[first : first + widest]
        width = min(width for width in kernels.WIDTHS if width >= len(part))
        table, made = _table(part, width), np.empty((stop - start, width))
        like = (0.0,) * width
        kernels.sum_rows(table, like, *arguments(key, start, stop, units), made.ravel())
        sums[first : first + widest] = made[:, : len(part)].T
    return sums


def count_drawn(key: Key, start: int, stop: int, units: int) -> NDArray[np.int32]:
    """How often each unit is drawn, as `reference.count_draws` of ``rng.indices``.

    Parameters
    ----------
    key : Key
    start, stop : int
        Range of resamples.
    units : int
        Draws per resample, and number of units to draw from.

    Returns
    -------
    ndarray of int32, shape (stop - start, units)
    """
    kernels = _kernels()
    counts = np.zeros((stop - start, units), np.int32)
    kernels.count_rows(*arguments(key, start, stop, units), counts)
    return counts


def arguments(key: Key, start: int, stop: int, units: int) -> list[np.uint64]:
    """Key, range and number of units as the kernels take them."""
    if not 0 < units <= MOST_UNITS:
        raise ValueError(f"{units} units are none or more than {MOST_UNITS}")
    low, high = key.value % 2**64, key.value >> 64
    return [np.uint64(number) for number in (low, high, start, stop, units)]


def _table(features: Array, width: int) -> Array:
    """The features of each unit side by side, and zeros up to the width: one flat array.

    It starts where a line of the cache does, so that no row straddles two lines.
    """
    if width == 1:
        return np.ascontiguousarray(features[0], dtype=float)
    units = features.shape[-1]
    room = np.empty(units * width + LINE)
    offset = -(room.ctypes.data // room.itemsize) % LINE
    table = room[offset : offset + units * width]
    rows = table.reshape(units, width)
    rows[:, : len(features)] = features.T
    rows[:, len(features) :] = 0.0
    return table
