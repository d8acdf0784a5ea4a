"""The machine code behind `compiled`; importing this module compiles it or loads it from a cache.

How it is fast:

- A Philox block keeps the multiplier of a processor busy, adding up draws its memory ports. So the
  words of one piece of a resample are made in the same loop that adds up the piece before.
- Rows of a table too large for the caches of one core are called for some draws ahead of their use.
- Words become positions in place, a whole piece at once, in vector registers.

All counts and positions are unsigned 64-bit integers, constants included: Numba makes a float of
unsigned mixed with signed, and tests whether a signed position counts from the end.
"""

# Numba has no types to check against, and it reads the types of arguments from the calls.
# mypy: ignore-errors
# ruff: noqa: ANN001, ANN202, ARG001

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic, models, register_model

__all__ = ["WIDTHS", "count_rows", "sum_rows"]

# Features summed at once; each width is compiled for itself. Rows of a power of 2 floats, laid
# down where a line of the cache starts, never straddle two lines.
WIDTHS = (1, 2, 8)

U = np.uint64
ZERO, ONE, TWO, THREE, FOUR, EIGHT = (U(i) for i in (0, 1, 2, 3, 4, 8))
SIXTEEN, FORTY_EIGHT = U(16), U(48)
HALF, LOW, HIGH = U(32), U(0xFFFFFFFF), U(0xFFFFFFFF_00000000)
FEW_N, SMALL_N = U(2**10), U(2**20)
# Philox4x64-10, as in `halfwidth.core.rng`.
ROUNDS = 10
MULTIPLIER_0, MULTIPLIER_1 = U(0xD2E7470EE14C6C93), U(0xCA5A826395121157)
WEYL_0, WEYL_1 = U(0x9E3779B97F4A7C15), U(0xBB67AE8584CAA73B)
# Most blocks in a piece of a resample: 16 KiB of words.
PIECE = U(512)
# Bytes of a table that stay in the caches of one core.
NEAR = U(2**18)
# Draws between the call for a row and its use: some 300 cycles, the way from memory.
AHEAD = U(64)

WORD, WIDE = ir.IntType(64), ir.IntType(128)


def _compiled(signatures):
    """Compile for these signatures now, or load what an earlier process compiled."""

    def compiled(function):
        try:
            return njit(signatures, nogil=True, cache=True)(function)
        except (OSError, RuntimeError):  # there is no folder to write to
            return njit(signatures, nogil=True)(function)

    return compiled


class Row(types.Type):
    """A row of so many floats."""

    def __init__(self, width) -> None:
        self.width = width
        super().__init__(name=f"Row({width})")


@register_model(Row)
class _RowModel(models.PrimitiveModel):
    """In machine code a row is a vector, for which there are registers."""

    def __init__(self, manager, row) -> None:
        super().__init__(manager, row, ir.VectorType(ir.DoubleType(), row.width))


def _address(context, builder, signature, arguments):
    """Where a row starts: the first arguments are a row, a table of such rows and a position."""
    row, array = signature.args[:2]
    data = context.make_array(array)(context, builder, arguments[1]).data
    start = builder.gep(data, [builder.mul(arguments[2], ir.Constant(WORD, row.width))])
    return builder.bitcast(start, context.get_value_type(row).as_pointer())


@intrinsic
def _empty_row(typing, like):
    """Zeros, as many as the tuple has elements."""

    def build(context, builder, signature, arguments):
        return ir.Constant(context.get_value_type(signature.return_type), None)

    return Row(like.count)(like), build


@intrinsic
def _add_row(typing, sums, table, position):
    """The sums, each with its float of one row of the table added; no bounds are checked."""

    def build(context, builder, signature, arguments):
        start = _address(context, builder, signature, arguments)
        return builder.fadd(arguments[0], builder.load(start, align=8))

    return sums(sums, table, types.uint64), build


@intrinsic
def _store_total(typing, even, table, position, odd):
    """Write the total of two rows into one row of the table."""

    def build(context, builder, signature, arguments):
        start = _address(context, builder, signature, arguments)
        builder.store(builder.fadd(arguments[0], arguments[3]), start, align=8)
        return context.get_dummy_value()

    return types.void(even, table, types.uint64, odd), build


@intrinsic
def _call_for_row(typing, sums, table, position):
    """Start to bring one row of the table close; harmless at any position."""

    def build(context, builder, signature, arguments):
        number, pointer = ir.IntType(32), ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        prefetch = get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        start = builder.bitcast(_address(context, builder, signature, arguments), pointer)
        to_read, keep, data = (ir.Constant(number, option) for option in (0, 3, 1))
        builder.call(prefetch, [start, to_read, keep, data])
        return context.get_dummy_value()

    return types.void(sums, table, types.uint64), build


@intrinsic
def _product(typing, left, right):
    """The high and the low 64 bits of a product; most processors make both at once."""

    def build(context, builder, signature, arguments):
        product = builder.mul(*(builder.zext(factor, WIDE) for factor in arguments))
        high = builder.lshr(product, ir.Constant(WIDE, 64))
        halves = [builder.trunc(part, WORD) for part in (high, product)]
        return context.make_tuple(builder, signature.return_type, halves)

    return types.UniTuple(types.uint64, 2)(types.uint64, types.uint64), build


@njit(forceinline=True)
def _block(words, i, counter, key_0, key_1):
    """Philox of one counter, into the i-th four words."""
    a, b, c, d = counter, ZERO, ZERO, ZERO
    for _ in range(ROUNDS):
        high_0, low_0 = _product(MULTIPLIER_0, a)
        high_1, low_1 = _product(MULTIPLIER_1, c)
        a, b, c, d = high_1 ^ b ^ key_0, low_1, high_0 ^ d ^ key_1, low_0
        key_0 += WEYL_0
        key_1 += WEYL_1
    at = FOUR * i
    words[at], words[at + ONE], words[at + TWO], words[at + THREE] = a, b, c, d


@njit(forceinline=True)
def _fill(words, first, stop, counter, key_0, key_1):
    """Blocks ``first`` to ``stop`` of the words; ``counter`` is that of block 0."""
    for i in range(first, stop):
        _block(words, i, counter + i, key_0, key_1)


@njit(forceinline=True)
def _to_positions(words, count, units):
    """Turn words into positions below ``units``, in place, by the rule of `halfwidth.core.rng`.

    The positions are the result seen as integers of 16 bits, four to a word, where units are few;
    else as integers of 32 bits, two to a word or one.
    """
    factor = units & LOW  # tells the compiler that both factors fit into 32 bits
    if units <= FEW_N:
        for i in range(count):
            low, high = (words[i] & LOW) * factor, (words[i] >> HALF) * factor
            left_low, left_high = (low & LOW) * factor, (high & LOW) * factor
            words[i] = (
                (low >> HALF)
                | (left_low >> HALF << SIXTEEN)
                | (high & HIGH)
                | (left_high >> HALF << FORTY_EIGHT)
            )
    elif units <= SMALL_N:
        for i in range(count):
            word = words[i]
            words[i] = ((word & LOW) * factor >> HALF) | ((word >> HALF) * factor & HIGH)
    else:
        positions = words.view(np.uint32)
        for i in range(count):
            positions[i] = _product(words[i], units)[0]


@njit(forceinline=True)
def _parts(whole, most):
    """How many parts of at most so much make a whole."""
    return (whole + most - ONE) // most


@njit(forceinline=True)
def _layout(units):
    """Draws in a block, blocks of a resample, blocks of one of its pieces, and its pieces."""
    draws = SIXTEEN if units <= FEW_N else EIGHT if units <= SMALL_N else FOUR
    blocks = _parts(units, draws)
    size = _parts(blocks, _parts(blocks, PIECE))
    return draws, blocks, size, _parts(blocks, size)


@njit(forceinline=True)
def _add_rest(table, positions, sums, first, stop):
    """Add up the draws of a block that is used in part."""
    for i in range(first, stop):
        sums = _add_row(sums, table, U(positions[i]))
    return sums


@njit(inline="always")  # compiled in its place only, which takes a third less time
def _add_and_fill(far, draws, table, positions, even, odd, words, full, counter, key_0, key_1):
    """Add up ``full`` blocks of draws, and meanwhile make as many blocks of the next words."""
    at = ZERO
    for i in range(full):
        _block(words, i, counter + i, key_0, key_1)
        for _ in range(draws // FOUR):
            if far:
                for k in range(FOUR):
                    _call_for_row(even, table, U(positions[at + AHEAD + k]))
            even = _add_row(even, table, U(positions[at]))
            odd = _add_row(odd, table, U(positions[at + ONE]))
            even = _add_row(even, table, U(positions[at + TWO]))
            odd = _add_row(odd, table, U(positions[at + THREE]))
            at += FOUR
    return even, odd


_U64, _FLOATS = types.uint64, types.float64[::1]
_READ = types.Array(types.float64, 1, "C", readonly=True)
_RANGE = (_U64,) * 5


@_compiled([types.void(_READ, types.UniTuple(types.float64, w), *_RANGE, _FLOATS) for w in WIDTHS])
def sum_rows(table, like, key_0, key_1, start, stop, units, sums):
    """Sum the rows of a table drawn in resamples ``start`` to ``stop``.

    The order of addition depends on ``units`` alone. ``like`` is a tuple as long as a row.
    """
    draws, blocks, size, pieces = _layout(units)
    few, far = units <= FEW_N, EIGHT * U(table.size) > NEAR
    words = np.zeros(FOUR * size + AHEAD, np.uint64)  # so that looking ahead stays inside
    upcoming = np.zeros(FOUR * size + AHEAD, np.uint64)
    _fill(words, ZERO, size, start * blocks, key_0, key_1)
    for b in range(start, stop):
        even = odd = _empty_row(like)
        for piece in range(pieces):
            _to_positions(words, FOUR * size, units)
            pairs, ones = words.view(np.uint16), words.view(np.uint32)
            drawn = min(size * draws, units - piece * size * draws)
            full = drawn // draws
            # The next piece is one of this resample or the first of the next.
            counter = b * blocks + min((piece + ONE) * size, blocks)
            if far:
                even, odd = _add_and_fill(
                    True, draws, table, ones, even, odd, upcoming, full, counter, key_0, key_1
                )
            elif few:
                even, odd = _add_and_fill(
                    False, SIXTEEN, table, pairs, even, odd, upcoming, full, counter, key_0, key_1
                )
            else:
                even, odd = _add_and_fill(
                    False, EIGHT, table, ones, even, odd, upcoming, full, counter, key_0, key_1
                )
            _fill(upcoming, full, size, counter, key_0, key_1)
            if few:
                even = _add_rest(table, pairs, even, full * draws, drawn)
            else:
                even = _add_rest(table, ones, even, full * draws, drawn)
            words, upcoming = upcoming, words
        _store_total(even, sums, b - start, odd)


@_compiled([types.void(*_RANGE, types.int32[:, ::1])])
def count_rows(key_0, key_1, start, stop, units, counts):
    """Add to the counts how often each position is drawn in resamples ``start`` to ``stop``."""
    draws, blocks, size, pieces = _layout(units)
    few = units <= FEW_N
    words = np.empty(FOUR * size, np.uint64)
    for b in range(start, stop):
        for piece in range(pieces):
            _fill(words, ZERO, size, b * blocks + piece * size, key_0, key_1)
            _to_positions(words, FOUR * size, units)
            pairs, ones = words.view(np.uint16), words.view(np.uint32)
            drawn = min(size * draws, units - piece * size * draws)
            if few:
                for i in range(drawn):
                    counts[b - start, pairs[i]] += np.int32(1)
            else:
                for i in range(drawn):
                    counts[b - start, ones[i]] += np.int32(1)
