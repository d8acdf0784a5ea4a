"""Machine code for functions of counts of cells: runs the `Program` of a formula for many samples.

How it is fast:

- Cumulated draws lie side by side for `WIDTH` resamples, and so do the values of a register: one
  instruction of the processor serves many resamples, and what a step reads is in the first cache.
- A table of the cumulated draws of so many resamples stays in the second cache, from which all
  samples of a batch read a few rows each.
- Counts are made in 16 bits. Sums of them may overflow on the way, but what is left is right.

All registers are one array, and all positions unsigned: views of arrays cost more than the sums.
"""

# Numba has no types to check against, and it reads the types of arguments from the calls.
# mypy: ignore-errors
# ruff: noqa: ANN001, ANN202, ARG001, C901, PLR0912

from __future__ import annotations

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from halfwidth.resampling.kernels._numba import (
    FEW_N,
    FOUR,
    ONE,
    TWO,
    ZERO,
    U,
    _compiled,
    _fill,
    _layout,
    _to_positions,
)
from halfwidth.resampling.kernels.programs import WIDTH, Step

__all__ = ["cumulate", "run"]

SHORT, WORD = np.int16, np.int32
THREE, FIVE = U(3), U(5)
# Written out, as machine code that is kept on disk is known by what stands in this file alone.
ROW = U(256)
COUNT, ADD, SUBTRACT, MULTIPLY, DIVIDE, ROOT, GREATER = (U(step) for step in range(1, 8))
EQUAL, IS_NAN, CHOOSE, CHOOSE_IF_NAN, ADD_TO, ADD_PRODUCT_TO = (U(step) for step in range(8, 14))
if WIDTH != 256 or [*Step] != [*range(1, 14)]:
    raise ImportError("programs are not those that the kernel runs")
# Resamples whose counts are put side by side together.
LANES = U(16)
# How often the short program is not tried after it was of no use.
PATIENCE = U(8)


@intrinsic
def _data(typing, array):
    """Where the numbers of an array are; arrays themselves cost more to hand on than to add up."""

    def build(context, builder, signature, arguments):
        return context.make_array(array)(context, builder, arguments[0]).data

    return types.CPointer(array.dtype)(array), build


@intrinsic
def _from(typing, numbers, place):
    """The same numbers from a place on."""

    def build(context, builder, signature, arguments):
        return builder.gep(arguments[0], [arguments[1]])

    return numbers(numbers, types.uint64), build


# -------------------------------------------------------------------------------- draws


@njit(forceinline=True)
def _count_drawn(words, b, units, key_0, key_1, counts):
    """Add to every `LANES`-th of the counts how often a unit is drawn in resample ``b``."""
    draws, blocks, size, pieces = _layout(units)
    for piece in range(pieces):
        _fill(words, ZERO, size, b * blocks + piece * size, key_0, key_1)
        _to_positions(words, FOUR * size, units)
        pairs, ones = words.view(np.uint16), words.view(np.uint32)
        drawn = min(size * draws, units - piece * size * draws)
        if units <= FEW_N:
            for i in range(drawn):
                counts[pairs[i] * LANES] += SHORT(1)
        else:
            for i in range(drawn):
                counts[ones[i] * LANES] += SHORT(1)


_U64, _TABLES = types.uint64, types.int16[:, :, ::1]


@_compiled([types.void(_U64, _U64, _U64, _U64, _U64, _TABLES)])
def cumulate(key_0, key_1, start, stop, units, tables):
    """Cumulate how often units are drawn in resamples ``start`` to ``stop``, side by side.

    ``tables``, of shape (rows, units + 1, ROW), hold zeros.
    """
    words = np.empty(FOUR * _layout(units)[2], np.uint64)
    counts, sums = np.empty(units * LANES, np.int16), np.empty(LANES, np.int16)
    drawn, total, into = _data(counts), _data(sums), _data(tables)
    for first in range(ZERO, stop - start, LANES):
        counts[:] = 0
        for lane in range(min(LANES, stop - start - first)):
            _count_drawn(words, start + first + lane, units, key_0, key_1, _from(drawn, lane))
        row = _from(into, first // ROW * (units + ONE) * ROW + first % ROW)
        sums[:] = 0
        for unit in range(units):
            own, after = _from(drawn, unit * LANES), _from(row, (unit + ONE) * ROW)
            for lane in range(LANES):
                total[lane] += own[lane]
                after[lane] = total[lane]


# -------------------------------------------------------------------------------- programs


@njit(error_model="numpy", forceinline=True)
def _quotient(part, whole):
    return part / whole


@njit(forceinline=True)
def _count(draws, ends, pairs, k, last, factor, into, sums):
    """The sum of some cells, from boundaries ``k`` to ``last``, a pair after another."""
    a, b = _from(draws, ends[pairs[k]]), _from(draws, ends[pairs[k + ONE]])
    k += TWO
    if k == last:
        for i in range(ROW):
            into[i] = factor * WORD(SHORT(b[i] - a[i]))
        return
    for i in range(ROW):
        sums[i] = b[i] - a[i]
    while k + TWO < last:
        a, b = _from(draws, ends[pairs[k]]), _from(draws, ends[pairs[k + ONE]])
        c, d = _from(draws, ends[pairs[k + TWO]]), _from(draws, ends[pairs[k + THREE]])
        for i in range(ROW):
            sums[i] += SHORT(b[i] - a[i]) + SHORT(d[i] - c[i])
        k += FOUR
    if k < last:
        a, b = _from(draws, ends[pairs[k]]), _from(draws, ends[pairs[k + ONE]])
        for i in range(ROW):
            into[i] = factor * WORD(SHORT(sums[i] + SHORT(b[i] - a[i])))
    else:
        for i in range(ROW):
            into[i] = factor * WORD(sums[i])


@njit(forceinline=True)
def _calculate(step, o, a, b):
    """One step of arithmetic."""
    if step == ADD_PRODUCT_TO:
        for i in range(ROW):
            o[i] += a[i] * b[i]
    elif step == ADD_TO:
        for i in range(ROW):
            o[i] += a[i]
    elif step == ADD:
        for i in range(ROW):
            o[i] = a[i] + b[i]
    elif step == SUBTRACT:
        for i in range(ROW):
            o[i] = a[i] - b[i]
    elif step == MULTIPLY:
        for i in range(ROW):
            o[i] = a[i] * b[i]
    elif step == DIVIDE:
        for i in range(ROW):
            o[i] = _quotient(a[i], b[i])
    else:
        for i in range(ROW):
            o[i] = np.sqrt(a[i])


@njit(forceinline=True)
def _decide(step, o, a, b, c):
    """One step that compares, or goes by a comparison."""
    if step == CHOOSE_IF_NAN:
        for i in range(ROW):
            there, other = b[i], c[i]  # read both, so that there is no branch
            o[i] = there if np.isnan(a[i]) else other
    elif step == CHOOSE:
        for i in range(ROW):
            there, other = b[i], c[i]
            o[i] = there if a[i] != 0.0 else other
    elif step == GREATER:
        for i in range(ROW):
            o[i] = 1.0 if a[i] > b[i] else 0.0
    elif step == EQUAL:
        for i in range(ROW):
            o[i] = 1.0 if a[i] == b[i] else 0.0
    else:
        for i in range(ROW):
            o[i] = 1.0 if np.isnan(a[i]) else 0.0


@njit(forceinline=True)
def _work_out(steps, begin, end, draws, ends, pairs, held, sums):
    """Steps ``begin`` to ``end`` on one row of resamples of one sample."""
    for j in range(begin, end):
        at = _from(steps, FIVE * j)
        step, first, second, third = at[ZERO], at[TWO], at[THREE], at[FOUR]
        into = _from(held, at[ONE])
        if step == COUNT:
            _count(draws, ends, pairs, first, second, float(third), into, sums)
        elif step < GREATER or step > CHOOSE_IF_NAN:
            _calculate(step, into, _from(held, first), _from(held, second))
        else:
            parts = _from(held, first), _from(held, second), _from(held, third)
            _decide(step, into, *parts)


@njit(forceinline=True)
def _any_nan(row, count):
    """Whether any of the first values of a row is NaN."""
    found = ZERO
    for i in range(count):
        found |= U(np.isnan(row[i]))
    return found != ZERO


_TABLE = types.uint64[:, ::1]


@_compiled(
    [
        types.void(
            *(_TABLES, _TABLE, _TABLE, _TABLE, _U64, _U64, _U64),
            *(types.float64[:, ::1], types.float64[:, ::1], _U64, _U64),
        )
    ]
)
def run(draws, ends, pairs, steps, quick, quick_result, result, held, out, first, last):
    """Work out a program for all samples, in resamples ``first`` to ``last``.

    Parameters
    ----------
    draws : ndarray of int16, shape (rows, U + 1, ROW)
        Cumulated draws, for one row of resamples after another.
    ends : ndarray of uint64, shape (S, n_cells + 1)
        Where in such a row the boundaries between the cells of a sample lie.
    pairs, steps, quick, quick_result, result
        As in `Program`; registers by where they start.
    held : ndarray, shape (registers, ROW)
    out : ndarray, shape (S, B)
    first, last : int
    """
    shorts = np.empty(ROW, np.int16)
    table, sums, all_steps = _data(draws), _data(shorts), U(steps.shape[0])
    where, whose, what, room = _data(ends), _data(pairs), _data(steps), _data(held)
    at = first
    while at < last:
        count, waits = min(ROW, last - at), ZERO
        for s in range(U(ends.shape[0])):
            own, into = (
                _from(where, s * U(ends.shape[1])),
                _from(_data(out), s * U(out.shape[1]) + at),
            )
            begin, end, found = ZERO, quick, _from(room, quick_result)
            if quick == ZERO or waits > ZERO:
                begin, end, found = quick, all_steps, _from(room, result)
                waits -= min(waits, ONE)
            while begin < end:
                _work_out(what, begin, end, table, own, whose, room, sums)
                begin = end
                if end < all_steps and _any_nan(found, count):
                    end, found, waits = all_steps, _from(room, result), PATIENCE
            for i in range(count):
                into[i] = found[i]
        table = _from(table, U(draws.shape[1]) * ROW)
        at += ROW
