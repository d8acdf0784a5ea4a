"""Areas under ranked scores in machine code; the draws are those of `rng`, the sums exact.

Counts of draws are bytes: one above 255 has no probability that a computer could tell from 0.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.rng import Key
from halfwidth.core.types import Array
from halfwidth.resampling.kernels import compiled

__all__ = [
    "COMPILE_FROM",
    "LOAD_FROM",
    "Prepared",
    "Sums",
    "areas",
    "areas_drawn",
    "counted",
    "drawn",
    "is_near",
    "pays_off",
    "prepared",
    "turned",
]

# Entries of rankings, over all resamples, that take NumPy as long as compiling the kernels takes,
# and as long as loading them takes once they are.
COMPILE_FROM, LOAD_FROM = 300_000_000, 25_000_000
# Units whose counts in resamples side by side stay in the caches of one core, resamples side by
# side, and room behind the counts of one; as in the kernels.
NEAR_UNITS, LANES, STEP = 2**13, 32, 16

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
    from halfwidth.resampling.kernels import _numba_near

    return _numba_near


def loaded() -> bool:
    """Whether the machine code is in this process already."""
    return _kernels.cache_info().currsize > 0


def stored() -> bool:
    """Whether an earlier process has left the machine code where this one finds it."""
    tag = f"py{sys.version_info.major}{sys.version_info.minor}"
    files = Path(__file__).parent.joinpath("__pycache__")
    return any(files.glob(f"_numba_near.near_drawn-*.{tag}.nbi"))


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
    near : bool
        Whether the units are so few that their counts, turned, serve all lists.
    areas, precisions : bool
        What is wanted.
    """

    lists: Any
    rows: int
    units: int
    near: bool
    areas: bool
    precisions: bool


def is_near(rows: int, units: int) -> bool:
    """Whether counts of so many units are put side by side first, for so many lists.

    One list is read in the order of its units, which lie side by side as far as they are needed.
    """
    return units <= (NEAR_UNITS if rows > 1 else NEAR_UNITS // 2)


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
    near = is_near(len(unit), units)
    made = _kernels().near_lists if near else _kernels().far_lists
    lists = made(*arrays, np.uint64(units), areas, precisions)
    return Prepared(lists, len(unit), units, near, areas, precisions)


def drawn(ready: Prepared, key: Key, start: int, stop: int) -> Sums:
    """Draw units with replacement, as many as there are, and sum over resamples start to stop."""
    given = compiled.arguments(key, start, stop, ready.units)
    if ready.near:
        return _near_sums(ready, stop - start, functools.partial(_kernels().near_drawn, *given))
    made = _room(ready, stop - start)
    _kernels().rank_drawn(*given, ready.lists, *_outputs(made))
    return made


def counted(ready: Prepared, keys: Sequence[tuple[Key, int, int]], start: int, stop: int) -> Sums:
    """The same with units drawn within strata: key, first unit and units of each."""
    if ready.near:
        counts = turned(keys, start, stop, ready.units)
        rows = (np.uint64(0), np.uint64(ready.rows))

        def write(lists: Any, *rest: Any) -> None:
            _kernels().rank_turned(counts, lists, rows, *rest)

        return _near_sums(ready, stop - start, write)
    counts = np.zeros((stop - start, ready.units), np.uint8)
    _count_into(counts, keys, start, stop)
    made = _room(ready, stop - start)
    _kernels().rank_counted(counts, ready.lists, *_outputs(made))
    return made


def turned(
    keys: Sequence[tuple[Key, int, int]], start: int, stop: int, units: int
) -> NDArray[np.uint8]:
    """How often each unit is drawn in resamples start to stop, some of them side by side.

    Parameters
    ----------
    keys : sequence of (Key, int, int)
        For each stratum its key, first unit and units.
    start, stop : int
    units : int
        Few, as `is_near` says.

    Returns
    -------
    ndarray of uint8
        For `areas`.
    """
    blocks = -(-(stop - start) // LANES)
    counts = np.zeros((blocks * LANES, units + STEP), np.uint8)
    _count_into(counts, keys, start, stop)
    made = np.zeros((blocks, LANES * (units + STEP)), np.uint8)
    _kernels().turn_counts(counts, made, np.uint64(units))
    return made


def _count_into(
    counts: NDArray[np.uint8], keys: Sequence[tuple[Key, int, int]], start: int, stop: int
) -> None:
    for key, first, units in keys:
        _kernels().count_bytes(
            *compiled.arguments(key, start, stop, units), counts, np.uint64(first)
        )


def areas(
    ready: Prepared, counts: NDArray[np.uint8], resamples: int, first: int, last: int
) -> tuple[Array, Array]:
    """Areas of some lists, rows ``first`` to before ``last``, and the positives drawn.

    Parameters
    ----------
    ready : Prepared
        Of few units, with areas or precisions wanted.
    counts : ndarray
        From `turned`.
    resamples : int
        That those are of.
    first, last : int

    Returns
    -------
    area, positives : ndarray, shape (last - first, resamples)
    """
    width = LANES * len(counts)
    held, made = np.empty((2, last - first, width))
    rows, options = (np.uint64(first), np.uint64(last)), (ready.precisions, False)
    out = (held.ravel(), held.ravel(), made.ravel())
    _kernels().rank_turned(counts, ready.lists, rows, options, out)
    return made[:, :resamples], held[:, :resamples]


def areas_drawn(ready: Prepared, key: Key, start: int, stop: int) -> tuple[Array, Array]:
    """The same of all lists, with resamples start to stop drawn for them alone."""
    held, made = np.empty((2, ready.rows, -(-(stop - start) // LANES) * LANES))
    given = compiled.arguments(key, start, stop, ready.units)
    out = (held.ravel(), held.ravel(), made.ravel())
    _kernels().near_drawn(*given, ready.lists, (ready.precisions, False), out)
    return made[:, : stop - start], held[:, : stop - start]


def _near_sums(ready: Prepared, resamples: int, write: Callable[..., None]) -> Sums:
    """Sums, from kernels that write floats."""
    width = -(-resamples // LANES) * LANES
    held, others, twice, precision = np.empty((4, ready.rows, width))
    counts = (held.ravel(), others.ravel())
    if ready.areas:
        write(ready.lists, (False, True), (*counts, twice.ravel()))
    if ready.precisions:
        write(ready.lists, (True, True), (*counts, precision.ravel()))
    nothing = np.empty((0, 0))
    return Sums(
        held[:, :resamples].astype(np.int64),
        others[:, :resamples].astype(np.int64),
        (twice[:, :resamples] if ready.areas else nothing).astype(np.int64),
        precision[:, :resamples] if ready.precisions else nothing,
    )


def _room(ready: Prepared, resamples: int) -> Sums:
    """Arrays for so many resamples."""
    shape, nothing = (ready.rows, resamples), (0, 0)
    return Sums(
        np.empty(shape, np.int64),
        np.empty(shape, np.int64),
        np.empty(shape if ready.areas else nothing, np.int64),
        np.empty(shape if ready.precisions else nothing),
    )


def _outputs(made: Sums) -> tuple[Any, ...]:
    return made.positives, made.negatives, made.twice_concordant, made.precision
