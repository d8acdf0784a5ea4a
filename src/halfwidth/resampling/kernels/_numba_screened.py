"""The machine code behind `compiled_screened`: tails of rough replicates, and exact ones by rank.

Sixteen rough replicates are compared with the limits of their row at once; those beyond are written
side by side, with their places, by one instruction each where the processor has it.
"""

# Numba has no types to check against, and it reads the types of arguments from the calls.
# mypy: ignore-errors
# ruff: noqa: ANN001, ANN202, ARG001

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic

from halfwidth.resampling.kernels._numba import ONE, SIXTEEN, ZERO, U, _compiled

__all__ = ["exact_at_ranks", "exact_shares", "tails_with_places"]

FLOAT, BIT, SHORT, NUMBER, WORD = (
    ir.FloatType(),
    ir.IntType(1),
    ir.IntType(16),
    ir.IntType(32),
    ir.IntType(64),
)
AT_ONCE = 16
FLOATS, BITS, NUMBERS = (ir.VectorType(kind, AT_ONCE) for kind in (FLOAT, BIT, NUMBER))
# Replicates near a rank that are made exactly; where there are more, the whole row is.
NEAR = 1024
# The bits of a key that hold a place: a float of single precision leaves them empty in double.
PLACE = np.int64(2**29 - 1)
# As in `forms.sum_of_squares`.
ROUNDING = 8 * np.finfo(float).eps


def _start(context, builder, array, value, row, position, kind):
    """Where a row has this position; no bounds are checked."""
    made = context.make_array(array)(context, builder, value)
    width = builder.extract_value(made.shape, 1)
    place = builder.add(builder.mul(row, width), position)
    return builder.bitcast(builder.gep(made.data, [place]), kind.as_pointer())


def _sixteen(context, builder, array, value, row, position):
    start = _start(context, builder, array, value, row, position, FLOATS)
    return builder.load(start, align=4)


def _repeated(builder, scalar, kind):
    empty = ir.Constant(kind, ir.Undefined)
    one = builder.insert_element(empty, scalar, ir.Constant(NUMBER, 0))
    return builder.shuffle_vector(one, empty, ir.Constant(ir.VectorType(NUMBER, AT_ONCE), None))


def _count(builder, mask):
    kind = ir.FunctionType(SHORT, [SHORT])
    count = get_or_insert_function(builder.module, kind, "llvm.ctpop.i16")
    return builder.zext(builder.call(count, [builder.bitcast(mask, SHORT)]), WORD)


def _store(builder, name, vector, into, mask):
    kind = ir.FunctionType(ir.VoidType(), [vector.type, into.type, BITS])
    store = get_or_insert_function(builder.module, kind, f"llvm.masked.compressstore.{name}")
    builder.call(store, [vector, into, mask])


def _beyond(comparison):
    """Copy those of sixteen that lie at a limit or beyond, and where; return how many they are."""

    def typed(typing, rows, row, position, limit, kept, places, side, at):
        def build(context, builder, signature, arguments):
            rows_, row_, position_, limit_, kept_, places_, side_, at_ = arguments
            array, own, of_places = signature.args[0], signature.args[4], signature.args[5]
            values = _sixteen(context, builder, array, rows_, row_, position_)
            mask = builder.fcmp_ordered(comparison, values, _repeated(builder, limit_, FLOATS))
            into = _start(context, builder, own, kept_, side_, at_, FLOAT)
            _store(builder, "v16f32", values, into, mask)
            first = _repeated(builder, builder.trunc(position_, NUMBER), NUMBERS)
            numbers = builder.add(first, ir.Constant(NUMBERS, list(range(AT_ONCE))))
            into = _start(context, builder, of_places, places_, side_, at_, NUMBER)
            _store(builder, "v16i32", numbers, into, mask)
            return _count(builder, mask)

        word = types.uint64
        return word(rows, word, word, types.float32, kept, places, word, word), build

    return typed


_below, _above = intrinsic(_beyond("<=")), intrinsic(_beyond(">="))


def _compared(comparison):
    """How many of sixteen compare so with a limit."""

    def typed(typing, rows, row, position, limit):
        def build(context, builder, signature, arguments):
            rows_, row_, position_, limit_ = arguments
            values = _sixteen(context, builder, signature.args[0], rows_, row_, position_)
            limits = _repeated(builder, limit_, FLOATS)
            return _count(builder, builder.fcmp_ordered(comparison, values, limits))

        word = types.uint64
        return word(rows, word, word, types.float32), build

    return typed


_less, _up_to = intrinsic(_compared("<")), intrinsic(_compared("<="))

_ROWS, _KEYS = types.float32[:, ::1], types.float64[:, ::1]
_ROUGH, _EXACT = types.float32[::1], types.float64[::1]
_COUNTS, _RANKS = types.uint64[:, ::1], types.int64[::1]
_FEATURES, _WEIGHTS = types.float64[:, :, ::1], types.float64[:, ::1]


@intrinsic
def _as_bits(typing, number):
    """The bits of a float, as an integer."""

    def build(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], WORD)

    return types.int64(types.float64), build


@intrinsic
def _as_float(typing, bits):
    """The way back."""

    def build(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), build


@njit(inline="always")
def _key(value, place):
    """A rough value and its place in one float, whose order is that of the values."""
    return _as_float(_as_bits(np.float64(value)) | np.int64(place))


@njit(inline="always")
def _value(key):
    return _as_float(_as_bits(key) & ~PLACE)


@_compiled([types.void(_ROWS, _ROUGH, _ROUGH, types.uint64, _KEYS, _KEYS, _COUNTS)])
def tails_with_places(rows, low, high, room, lower, upper, counts):
    """What of each row lies up to ``low`` and from ``high`` on, with its places, as keys.

    Those of the upper tail are of the negative values. A tail that does not fit counts 0.
    """
    size = U(rows.shape[1])
    whole = size - size % SIXTEEN
    values, places = np.empty((2, room), np.float32), np.empty((2, room), np.int32)
    for r in range(rows.shape[0]):
        row = U(r)
        below = above = j = ZERO
        while j < whole and below + SIXTEEN <= room and above + SIXTEEN <= room:
            below += _below(rows, row, j, low[row], values, places, ZERO, below)
            above += _above(rows, row, j, high[row], values, places, ONE, above)
            j += SIXTEEN
        if j < whole or below + SIXTEEN > room or above + SIXTEEN > room:
            counts[row, ZERO] = counts[row, ONE] = ZERO
            continue
        for k in range(whole, size):
            value = rows[row, U(k)]
            if value <= low[row]:
                values[ZERO, below], places[ZERO, below] = value, np.int32(k)
                below += ONE
            if value >= high[row]:
                values[ONE, above], places[ONE, above] = value, np.int32(k)
                above += ONE
        for k in range(below):
            lower[row, U(k)] = _key(values[ZERO, U(k)], places[ZERO, U(k)])
        for k in range(above):
            upper[row, U(k)] = _key(-values[ONE, U(k)], places[ONE, U(k)])
        counts[row, ZERO], counts[row, ONE] = below, above


@njit(inline="always")
def _sum(features, term, weights, row, place):
    """What one sample adds up to in one resample: four sums, none of which waits for another."""
    n = features.shape[2]
    whole = n - n % 4
    first = second = third = fourth = 0.0
    for i in range(0, whole, 4):
        first += weights[place, i] * features[term, row, i]
        second += weights[place, i + 1] * features[term, row, i + 1]
        third += weights[place, i + 2] * features[term, row, i + 2]
        fourth += weights[place, i + 3] * features[term, row, i + 3]
    for i in range(whole, n):
        first += weights[place, i] * features[term, row, i]
    return (first + second) + (third + fourth)


@njit(inline="always")
def _exactly(features, weights, row, place):
    """The sum, or the sum of squares about the mean, of one sample in one resample."""
    total = _sum(features, 0, weights, row, place)
    if features.shape[0] == 1:
        return total
    squares = _sum(features, 1, weights, row, place)
    made = squares - total * total / features.shape[2]
    return 0.0 if made <= ROUNDING * squares else made


@_compiled(
    [
        types.void(
            _RANKS, _KEYS, _COUNTS, types.uint64, _ROUGH, _ROUGH, types.float64,
            _FEATURES, _WEIGHTS, _EXACT, types.boolean[::1],
        )
    ]
)  # fmt: skip
def exact_at_ranks(ranks, keys, counts, side, limit, error, sign, features, weights, made, found):
    """The exact replicate of a rank, counted from the outside of a tail, for each row.

    The keys ascend. What lies further out than the rough replicate of the rank by twice the error
    is further out for certain; what lies within is made exactly.
    """
    near = np.empty(NEAR)
    for r in range(len(ranks)):
        row = U(r)
        rank, held = ranks[row], np.int64(counts[row, side])
        found[row] = False
        if rank < 0 or rank >= held:
            continue
        middle, reach = _value(keys[row, U(rank)]), 2 * error[row]
        # What the tail does not hold may matter too.
        if not middle + reach < sign * limit[row]:
            continue
        first, stop = rank, rank + 1
        while first > 0 and _value(keys[row, U(first - 1)]) >= middle - reach:
            first -= 1
        while stop < held and _value(keys[row, U(stop)]) <= middle + reach:
            stop += 1
        if stop - first > NEAR:
            continue
        for k in range(first, stop):
            place = _as_bits(keys[row, U(k)]) & PLACE
            near[k - first] = sign * _exactly(features, weights, row, place)
        near[: stop - first].sort()
        made[row] = sign * near[rank - first]
        found[row] = True


@_compiled([types.void(_ROWS, _ROUGH, _EXACT, _EXACT, _FEATURES, _WEIGHTS, types.int64[:, ::1])])
def exact_shares(rows, error, below, up_to, features, weights, counts):
    """How many exact replicates of each row lie below one limit, and up to another."""
    size = U(rows.shape[1])
    whole = size - size % SIXTEEN
    for r in range(rows.shape[0]):
        row = U(r)
        # Rounded outwards to single precision.
        low = np.float32(below[row] - 1.5 * error[row])
        high = np.float32(up_to[row] + 1.5 * error[row])
        first = second = ZERO
        j = ZERO
        while j < size:
            step = SIXTEEN if j < whole else ONE
            if step == SIXTEEN:
                certain, possible = _less(rows, row, j, low), _up_to(rows, row, j, high)
            else:
                certain, possible = U(rows[row, j] < low), U(rows[row, j] <= high)
            first += certain
            second += certain
            if certain != possible:
                for k in range(j, j + step):
                    value = rows[row, U(k)]
                    if low <= value <= high:
                        exact = _exactly(features, weights, row, np.int64(k))
                        first += U(exact < below[row])
                        second += U(exact <= up_to[row])
            j += step
        counts[row, ZERO], counts[row, ONE] = first, second
