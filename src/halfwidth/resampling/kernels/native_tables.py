"""Tables of counts of resamples, and programs of their cells, in the compiled library.

Calls are checked as those of `native`, which makes them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Array
from halfwidth.resampling.kernels import native
from halfwidth.resampling.kernels.formulas import MOST_WEIGHT
from halfwidth.resampling.kernels.native import LANES, Counts, address, in_calls
from halfwidth.resampling.kernels.programs import WIDTH, Program, Step

# Counts of tables, weighed and added up, fit into 16 bits.
MOST_TABLE_UNITS = (2**15 - 1) // MOST_WEIGHT


def cumulated(counts: Counts) -> NDArray[np.int16]:
    """Draws of the units before each, and of all, (rows, units + 1, WIDTH); 0 where a row ends."""
    units, blocks = counts.units, len(counts.turned)
    if units > MOST_TABLE_UNITS:
        raise ValueError(f"{units} units are more than {MOST_TABLE_UNITS}")
    draws = np.zeros((-(-counts.resamples // WIDTH), units + 1, WIDTH), np.int16)
    turned, into = counts.turned.ctypes.data, draws.ctypes.data
    native.call("hw_cumulate", turned, blocks, -(-units // LANES), units, WIDTH, into)
    return draws


def finish(program: Program, draws: NDArray[np.int16], ends: NDArray[np.intp], into: Array) -> None:
    """Work out a program for resamples of all samples, into rows that may be parts of longer ones.

    ``draws`` are as `cumulated` makes them; ``ends`` the units before the first case of each cell,
    and all units, (S, n_cells + 1).
    """
    (rows, size), (samples, resamples) = draws.shape[:2], into.shape
    if draws.shape[2] != WIDTH or rows * WIDTH < resamples or size > MOST_TABLE_UNITS + 1:
        raise ValueError(f"draws of shape {draws.shape} do not fit {resamples} resamples")
    if len(ends) != samples or program.pairs.max() >= ends.shape[1] or program.pairs.min() < 0:
        raise ValueError(f"ends of shape {ends.shape} do not fit")
    if ends.min() < 0 or ends.max() >= size:
        raise ValueError(f"ends reach beyond {size - 1} units")
    pitch, last = (stride // into.itemsize for stride in into.strides)
    if into.dtype != np.float64 or last != 1 or pitch < resamples:
        raise ValueError(f"values of {into.dtype} with strides {into.strides} do not lie in rows")
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
    table = (address(draws, np.int16, draws.shape), size - 1)
    for part in in_calls(samples, resamples * len(program.steps) // 4):
        some, sizes = places[part], (into[part].ctypes.data, pitch, 0, resamples)
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
