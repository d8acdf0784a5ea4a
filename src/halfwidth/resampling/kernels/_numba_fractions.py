"""Sums of fractions of small whole numbers, several brought to one denominator."""

# Numba has no types to check against, and it reads the types of arguments from the calls.
# mypy: ignore-errors
# ruff: noqa: ANN001, ANN202, ARG001

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from halfwidth.resampling.kernels._numba_vectors import FLOAT, LANES, NUMBER, WORD, _places

# Floats that are worked on at once; with more, few would stay in registers.
WIDTH = 8


def _plus_fractions_of(items):
    """An addition of so many fractions at once, brought to one denominator: one division.

    Products of whole numbers are exact below 2**53, and then so is a total of 1 and 1.
    """

    def typed(typing, total, table, position):
        def build(context, builder, signature, arguments):
            total, array, position = arguments
            start = builder.gep(context.make_array(table)(context, builder, array).data, [position])
            made = []
            for first in range(0, int(LANES), WIDTH):
                pairs = [
                    [_floats_at(builder, start, first + int(LANES) * k) for k in (2 * i, 2 * i + 1)]
                    for i in range(items)
                ]
                while len(pairs) > 1:
                    pairs = [
                        _common(builder, *two) for two in zip(pairs[::2], pairs[1::2], strict=True)
                    ]
                own = _part(builder, total, first, WIDTH)
                made.append(builder.fadd(own, builder.fdiv(*pairs[0])))
            return _joined(builder, made)

        return total(total, table, types.uint64), build

    return typed


def _floats_at(builder, start, place):
    """Some whole numbers of 32 bits from a place on, as floats."""
    kind = ir.VectorType(NUMBER, WIDTH)
    address = builder.gep(start, [ir.Constant(WORD, place)])
    loaded = builder.load(builder.bitcast(address, kind.as_pointer()), align=4)
    return builder.sitofp(loaded, ir.VectorType(FLOAT, WIDTH))


def _common(builder, one, other):
    """Two fractions as one: where products are exact, so is fusing them with the sum."""
    fused = ("contract",)
    across = [
        builder.fmul(one[0], other[1], flags=fused),
        builder.fmul(other[0], one[1], flags=fused),
    ]
    return builder.fadd(*across, flags=fused), builder.fmul(one[1], other[1], flags=fused)


def _part(builder, vector, first, width):
    nothing = ir.Constant(vector.type, ir.Undefined)
    return builder.shuffle_vector(vector, nothing, _places(range(first, first + width)))


def _joined(builder, parts):
    while len(parts) > 1:
        places = _places(range(2 * parts[0].type.count))
        parts = [
            builder.shuffle_vector(one, other, places)
            for one, other in zip(parts[::2], parts[1::2], strict=True)
        ]
    return parts[0]


# Each fraction is a row of numerators and a row of denominators in a table of 32 bits.
_plus_two_fractions = intrinsic(_plus_fractions_of(2))
_plus_four_fractions = intrinsic(_plus_fractions_of(4))
