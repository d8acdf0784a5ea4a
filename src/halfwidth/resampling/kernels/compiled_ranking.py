"""Areas under ranked scores in machine code; the draws are those of `rng`, the sums exact.

Counts of draws are bytes: one above 255 has no probability that a computer could tell from 0.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.rng import Key
from halfwidth.core.types import Array
from halfwidth.resampling.kernels import compiled

__all__ = ["COMPILE_FROM", "LOAD_FROM", "Sums", "counted", "drawn", "pays_off", "prepared"]

# Entries of rankings, over all resamples, that take NumPy as long as compiling the kernels takes,
# and as long as loading them takes once they are.
COMPILE_FROM, LOAD_FROM = 300_000_000, 25_000_000

_plainly = compiled.Odometer()


@dataclass(frozen=True)
class Sums:
    """What areas are made of, all (R, B).

    Attributes
    ----------
    positives, negatives : ndarray of int64
        Entries drawn.
    twice_concordant : ndarray of int64
        2 for each pair in order and 1 for each tied one; empty where not wanted.
    precision : ndarray
        Sum of the precision at each positive entry; empty where not wanted.
    """

    positives: NDArray[np.int64]
    negatives: NDArray[np.int64]
    twice_concordant: NDArray[np.int64]
    precision: Array


@functools.cache
def _kernels() -> ModuleType:
    from halfwidth.resampling.kernels import _numba_ranking

    return _numba_ranking


def loaded() -> bool:
    """Whether the machine code is in this process already."""
    return _kernels.cache_info().currsize > 0


def stored() -> bool:
    """Whether an earlier process has left the machine code where this one finds it."""
    tag = f"py{sys.version_info.major}{sys.version_info.minor}"
    files = Path(__file__).parent.joinpath("__pycache__")
    return any(files.glob(f"_numba_ranking.rank_drawn-*.{tag}.nbi"))


def pays_off(entries: int) -> bool:
    """Whether to use the kernels for so many more entries, by the rule of `compiled.pays_off`."""
    if loaded():
        return True
    _plainly.draws += entries
    enough = LOAD_FROM if stored() else COMPILE_FROM
    return _plainly.draws >= enough and compiled.available() and _loads()


@functools.cache
def _loads() -> bool:
    try:
        _kernels()
    except ImportError:
        return False
    return True


@dataclass(frozen=True)
class Prepared:
    """Lists as the kernels take them, made once for all resamples.

    Attributes
    ----------
    lists : tuple
    rows, units : int
    areas, precisions : bool
        What is wanted.
    """

    lists: Any
    rows: int
    units: int
    areas: bool
    precisions: bool

    def room(self, resamples: int) -> Sums:
        """Arrays for so many resamples."""
        shape, nothing = (self.rows, resamples), (0, 0)
        return Sums(
            np.empty(shape, np.int64),
            np.empty(shape, np.int64),
            np.empty(shape if self.areas else nothing, np.int64),
            np.empty(shape if self.precisions else nothing),
        )


def prepared(
    unit: NDArray[np.int32], mark: NDArray[np.uint8], units: int, *, areas: bool, precisions: bool
) -> Prepared:
    """Rankings (R, L), by descending score, in the form of the kernels.

    Parameters
    ----------
    unit : ndarray of int32, shape (R, L)
        The unit of each entry.
    mark : ndarray of uint8, shape (R, L)
        As in `Ranking`.
    units : int
    areas, precisions : bool
        What is wanted.
    """
    # Machine code would read what lies behind.
    if unit.shape != mark.shape or not unit.size or unit.min() < 0 or unit.max() >= units:
        raise ValueError(f"entries of shape {unit.shape} do not fit {units} units")
    arrays = (np.ascontiguousarray(unit, np.int32), np.ascontiguousarray(mark, np.uint8))
    lists = _kernels().ranking_lists(*arrays, np.uint64(units), areas, precisions)
    return Prepared(lists, len(unit), units, areas, precisions)


def drawn(ready: Prepared, key: Key, start: int, stop: int) -> Sums:
    """Draw units with replacement, as many as there are, and sum over resamples start to stop."""
    made = ready.room(stop - start)
    _kernels().rank_drawn(
        *compiled.arguments(key, start, stop, ready.units), ready.lists, *_outputs(made)
    )
    return made


def counted(ready: Prepared, keys: Sequence[tuple[Key, int, int]], start: int, stop: int) -> Sums:
    """The same with units drawn within strata: key, first unit and units of each."""
    counts = np.zeros((stop - start, ready.units), np.uint8)
    for key, first, units in keys:
        _kernels().count_bytes(
            *compiled.arguments(key, start, stop, units), counts, np.uint64(first)
        )
    made = ready.room(stop - start)
    _kernels().rank_counted(counts, ready.lists, *_outputs(made))
    return made


def _outputs(made: Sums) -> tuple[Any, ...]:
    return made.positives, made.negatives, made.twice_concordant, made.precision
