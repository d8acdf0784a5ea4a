"""The machine code behind `compiled_tails`: which replicates lie in the tails of each row.

Eight replicates are compared with the limits of their row at once, and those beyond are written
side by side, by one instruction where the processor has it.
"""

# Numba has no types to check against, and it reads the types of arguments from the calls.
# mypy: ignore-errors
# ruff: noqa: ANN001, ANN202, ARG001

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic

from halfwidth.resampling.kernels._numba import EIGHT, ONE, ZERO, U, _compiled

__all__ = ["count_rows_below", "pick_rows", "tails_of_rows"]

FLOAT, BIT, BYTE, WORD = ir.DoubleType(), ir.IntType(1), ir.IntType(8), ir.IntType(64)
AT_ONCE = 8
FLOATS, BITS = ir.VectorType(FLOAT, AT_ONCE), ir.VectorType(BIT, AT_ONCE)


def _eight(context, builder, array, value, row, position):
    """Eight floats of a row from a position on; no bounds are checked."""
    return builder.load(_start(context, builder, array, value, row, position, FLOATS), align=8)


def _start(context, builder, array, value, row, position, kind):
    made = context.make_array(array)(context, builder, value)
    width = builder.extract_value(made.shape, 1)
    place = builder.add(builder.mul(row, width), position)
    return builder.bitcast(builder.gep(made.data, [place]), kind.as_pointer())


def _repeated(builder, scalar):
    empty = ir.Constant(FLOATS, ir.Undefined)
    number = ir.IntType(32)
    one = builder.insert_element(empty, scalar, ir.Constant(number, 0))
    return builder.shuffle_vector(one, empty, ir.Constant(ir.VectorType(number, AT_ONCE), None))


def _count(builder, mask):
    """How many bits of a mask are set, as a word."""
    kind = ir.FunctionType(BYTE, [BYTE])
    count = get_or_insert_function(builder.module, kind, "llvm.ctpop.i8")
    return builder.zext(builder.call(count, [builder.bitcast(mask, BYTE)]), WORD)


def _beyond(comparison):
    """Copy those of eight floats that lie beyond a limit; return how many they are."""

    def typed(typing, rows, row, position, limit, kept, at):
        def build(context, builder, signature, arguments):
            rows_, row_, position_, limit_, kept_, at_ = arguments
            array, own = signature.args[0], signature.args[4]
            eight = _eight(context, builder, array, rows_, row_, position_)
            mask = builder.fcmp_ordered(comparison, eight, _repeated(builder, limit_))
            into = _start(context, builder, own, kept_, row_, at_, FLOAT)
            kind = ir.FunctionType(ir.VoidType(), [FLOATS, FLOAT.as_pointer(), BITS])
            store = get_or_insert_function(builder.module, kind, "llvm.masked.compressstore.v8f64")
            builder.call(store, [eight, into, mask])
            return _count(builder, mask)

        word = types.uint64
        return word(rows, word, word, types.float64, kept, word), build

    return typed


_below = intrinsic(_beyond("<"))
_above = intrinsic(_beyond(">"))


def _alike(compare):
    def typed(typing, rows, row, position, limit):
        def build(context, builder, signature, arguments):
            rows_, row_, position_, limit_ = arguments
            eight = _eight(context, builder, signature.args[0], rows_, row_, position_)
            return _count(builder, compare(builder, eight, _repeated(builder, limit_)))

        word = types.uint64
        return word(rows, word, word, types.float64), build

    return typed


_equal = intrinsic(_alike(lambda builder, left, right: builder.fcmp_ordered("==", left, right)))
_less = intrinsic(_alike(lambda builder, left, right: builder.fcmp_ordered("<", left, right)))
_up_to = intrinsic(_alike(lambda builder, left, right: builder.fcmp_ordered("<=", left, right)))
_nan = intrinsic(_alike(lambda builder, left, _: builder.fcmp_unordered("uno", left, left)))

_ROWS, _LIMITS = types.float64[:, ::1], types.float64[::1]
_COUNTS = types.uint64[:, ::1]


@_compiled([types.void(_ROWS, _LIMITS, _LIMITS, _ROWS, _ROWS, _COUNTS)])
def tails_of_rows(rows, low, high, lower, upper, counts):
    """Copy what lies below ``low`` and above ``high`` of each row, and count.

    The counts of a row: below ``low``, equal to it, above ``high``, equal to it, and NaN. A tail
    that does not fit is counted no further and its row is cut short.
    """
    size, room = U(rows.shape[1]), U(lower.shape[1])
    whole = size - size % EIGHT
    for r in range(rows.shape[0]):
        row = U(r)
        below = above = at_low = at_high = undefined = ZERO
        j = ZERO
        while j < whole and below + EIGHT <= room and above + EIGHT <= room:
            below += _below(rows, row, j, low[row], lower, below)
            above += _above(rows, row, j, high[row], upper, above)
            at_low += _equal(rows, row, j, low[row])
            at_high += _equal(rows, row, j, high[row])
            undefined += _nan(rows, row, j, low[row])
            j += EIGHT
        for k in range(j, min(size, j + EIGHT)):
            value = rows[row, U(k)]
            if value < low[row] and below < room:
                lower[row, below] = value
                below += ONE
            elif value > high[row] and above < room:
                upper[row, above] = value
                above += ONE
            at_low += U(value == low[row])
            at_high += U(value == high[row])
            undefined += U(value != value)  # noqa: PLR0124 -- NaN differs from itself
        if j < whole:
            below = above = room
        counts[row, ZERO], counts[row, ONE], counts[row, U(2)] = below, at_low, above
        counts[row, U(3)], counts[row, U(4)] = at_high, undefined


@_compiled([types.void(_ROWS, _LIMITS, _LIMITS, _COUNTS)])
def count_rows_below(rows, below, up_to, counts):
    """Count what of each row lies below one limit, and up to another."""
    size = U(rows.shape[1])
    whole = size - size % EIGHT
    for r in range(rows.shape[0]):
        row = U(r)
        first = second = ZERO
        j = ZERO
        while j < whole:
            first += _less(rows, row, j, below[row])
            second += _up_to(rows, row, j, up_to[row])
            j += EIGHT
        for k in range(whole, size):
            first += U(rows[row, U(k)] < below[row])
            second += U(rows[row, U(k)] <= up_to[row])
        counts[row, ZERO], counts[row, ONE] = first, second


_READ = types.Array(types.float64, 2, "C", readonly=True)
_TABLE = types.Array(types.int64, 2, "C", readonly=True)


@_compiled([types.void(_READ, _TABLE, types.float64, _LIMITS, _ROWS)])
def pick_rows(values, table, total, gaps, made):
    """Weighted values of each row at the positions of a table, (S, n), (K, B) -> (S, B).

    The first counts ``total``, the gap before each other one ``gaps`` of its place.
    """
    places, size = table.shape
    for r in range(values.shape[0]):
        row, out = values[r], made[r]
        first = table[0]
        for b in range(size):
            out[b] = total * row[first[b]]
        for place in range(1, places):
            before, after, weight = table[place - 1], table[place], gaps[place]
            for b in range(size):
                out[b] += (row[before[b]] - row[after[b]]) * weight
