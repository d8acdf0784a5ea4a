"""Tables of counts of resamples, and programs of their cells, in the compiled library.

Calls are checked as those of `native`, which makes them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.rng import Key
from halfwidth.core.types import Array
from halfwidth.resampling.kernels import native
from halfwidth.resampling.kernels.formulas import MOST_WEIGHT
from halfwidth.resampling.kernels.native import LANES, address, in_calls
from halfwidth.resampling.kernels.programs import WIDTH, Program, Step

# Counts of tables, weighed and added up, fit into 16 bits.
MOST_TABLE_UNITS = (2**15 - 1) // MOST_WEIGHT


def cumulated(key: Key, start: int, stop: int, units: int) -> NDArray[np.int16]:
    """Draws of the units before each, and of all, in resamples ``start`` to ``stop``.

    Returns
    -------
    ndarray, shape (ceil((stop - start) / WIDTH), units + 1, WIDTH)
        Resamples of one row side by side; 0 where a row is not full.
    """
    if units > MOST_TABLE_UNITS:
        raise ValueError(f"{units} units are more than {MOST_TABLE_UNITS}")
    counts = native.side_by_side([(key, 0, units)], start, stop, units)
    made = np.zeros((-(-(stop - start) // WIDTH), units + 1, WIDTH), np.int16)
    squares = -(-units // LANES)
    turned = counts.turned.ctypes.data
    native.call("hw_cumulate", turned, len(counts.turned), squares, units, WIDTH, made.ctypes.data)
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
    if draws.shape[2] != WIDTH or rows * WIDTH < stop - start or size > MOST_TABLE_UNITS + 1:
        raise ValueError(f"draws of shape {draws.shape} do not fit {stop - start} resamples")
    if len(ends) != len(out) or program.pairs.max() >= ends.shape[1] or program.pairs.min() < 0:
        raise ValueError(f"ends of shape {ends.shape} do not fit")
    if ends.min() < 0 or ends.max() >= size or not 0 <= start <= stop <= out.shape[1]:
        raise ValueError(f"ends and resamples reach beyond {size - 1} units or {out.shape[1]}")
    _check_steps(program)
    held = np.zeros((program.registers, WIDTH))
    held[: len(program.numbers)] = program.numbers[:, None]
    places = np.ascontiguousarray(ends * WIDTH, np.int64)
    how = (
        address(program.pairs, np.int64, (len(program.pairs), 2)),
        address(program.steps, np.int64, (len(program.steps), 5)),
        *(len(program.steps), program.quick, program.quick_result, program.result),
        held.ctypes.data,
    )
    address(out, np.float64, out.shape)
    for part in in_calls(len(out), (stop - start) * len(program.steps) // 4):
        some, into = places[part], out[part]
        table = (address(draws, np.int16, draws.shape), size - 1)
        sizes = (into.ctypes.data, out.shape[1], start, stop)
        native.call("hw_run", *table, some.ctypes.data, len(some), ends.shape[1], *how, *sizes)


def _check_steps(program: Program) -> None:
    """Whether all that a program reads and writes is there."""
    steps, registers = program.steps, program.registers
    counting = steps[:, 0] == Step.COUNT
    others = steps[~counting, 1:]
    ranges = steps[counting, 2:4]
    results = np.array([program.result, program.quick_result, *steps[:, 1]])
    if (
        (results < 0).any()
        or (results >= registers).any()
        or (others < 0).any()
        or (others >= registers).any()
        or (ranges < 0).any()
        or (ranges > len(program.pairs)).any()
        or (ranges[:, 1] <= ranges[:, 0]).any()
        or not 0 <= program.quick <= len(steps)
    ):
        raise ValueError("a program reads or writes what is not there")
