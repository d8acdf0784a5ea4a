"""Functions of counts of cells in machine code, for all samples of a batch and their resamples.

What a function does is read off it once (`programs`); values equal those of the function on arrays,
but for the order in which a few terms are added up.
"""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.rng import Key
from halfwidth.core.types import Array
from halfwidth.resampling.kernels import compiled
from halfwidth.resampling.kernels.formulas import MOST_WEIGHT
from halfwidth.resampling.kernels.programs import WIDTH, Program, Step

__all__ = ["MOST_UNITS", "cumulated", "finish", "pays_off"]

# Counts, weighed and added up, fit into 16 bits.
MOST_UNITS = (2**15 - 1) // MOST_WEIGHT
# Replicates that take NumPy as long as compiling the kernel takes, and as long as loading it.
COMPILE_FROM, LOAD_FROM = 100_000_000, 10_000_000

_plainly = compiled.Odometer()


@functools.cache
def _kernels() -> ModuleType:
    from halfwidth.resampling.kernels import _numba_cells

    return _numba_cells


def loaded() -> bool:
    """Whether the machine code is in this process already."""
    return _kernels.cache_info().currsize > 0


def stored() -> bool:
    """Whether an earlier process has left the machine code where this one finds it."""
    tag = f"py{sys.version_info.major}{sys.version_info.minor}"
    files = Path(__file__).parent.joinpath("__pycache__")
    return any(files.glob(f"_numba_cells.run-*.{tag}.nbi"))


def pays_off(replicates: int) -> bool:
    """Whether to use the kernel for so many more replicates, by the rule of `compiled.pays_off`."""
    if loaded():
        return True
    _plainly.draws += replicates
    enough = LOAD_FROM if stored() else COMPILE_FROM
    return _plainly.draws >= enough and compiled.available() and _loads()


@functools.cache
def _loads() -> bool:
    try:
        _kernels()
    except ImportError:
        return False
    return True


def cumulated(key: Key, start: int, stop: int, units: int) -> NDArray[np.int16]:
    """Draws of the units before each, and of all, in resamples ``start`` to ``stop``.

    Returns
    -------
    ndarray, shape (ceil((stop - start) / WIDTH), units + 1, WIDTH)
        Resamples of one row side by side; 0 where a row is not full.
    """
    made = np.zeros((-(-(stop - start) // WIDTH), units + 1, WIDTH), np.int16)
    _kernels().cumulate(*compiled.arguments(key, start, stop, units), made)
    return made


def finish(
    program: Program,
    draws: NDArray[np.int16],
    ends: NDArray[np.intp],
    out: Array,
    start: int,
    stop: int,
) -> None:
    """Work out a program for resamples ``start`` to ``stop`` of all samples.

    Parameters
    ----------
    program : Program
    draws : ndarray, shape (ceil(B / WIDTH), units + 1, WIDTH)
        As `cumulated` makes them.
    ends : ndarray of int, shape (S, n_cells + 1)
        Units before the first case of each cell, and all units.
    out : ndarray, shape (S, resamples)
        Where the values go.
    start, stop : int
        ``stop - start`` is B.
    """
    rows, size = draws.shape[:2]
    # Machine code would read and write what lies behind.
    if draws.shape[2] != WIDTH or rows * WIDTH < stop - start or size > MOST_UNITS + 1:
        raise ValueError(f"draws of shape {draws.shape} do not fit {stop - start} resamples")
    if len(ends) != len(out) or program.pairs.max() >= ends.shape[1]:
        raise ValueError(f"ends of shape {ends.shape} do not fit")
    if ends.min() < 0 or ends.max() >= size or not 0 <= start <= stop <= out.shape[1]:
        raise ValueError(f"ends and resamples reach beyond {size - 1} units or {out.shape[1]}")
    held = np.zeros((program.registers, WIDTH))
    held[: len(program.numbers)] = program.numbers[:, None]
    _kernels().run(
        np.ascontiguousarray(draws),
        (ends * WIDTH).astype(np.uint64),
        program.pairs.astype(np.uint64),
        _addressed(program.steps),
        np.uint64(program.quick),
        np.uint64(program.quick_result * WIDTH),
        np.uint64(program.result * WIDTH),
        held,
        out,
        np.uint64(start),
        np.uint64(stop),
    )


def _addressed(steps: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Steps with the places of registers, and of pairs, instead of their numbers."""
    made = steps.copy()
    counts = steps[:, 0] == Step.COUNT
    made[:, 1] *= WIDTH
    made[~counts, 2:] *= WIDTH
    made[counts, 2:4] *= 2
    return made.astype(np.uint64)
