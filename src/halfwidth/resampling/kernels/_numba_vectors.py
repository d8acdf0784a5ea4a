"""Vectors of small numbers for machine code: the counts of some resamples side by side."""

# Numba has no types to check against, and it reads the types of arguments from the calls.
# mypy: ignore-errors
# ruff: noqa: ANN001, ANN202, ARG001

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic, models, register_model

from halfwidth.resampling.kernels._numba import U

# Resamples side by side, and the shift that multiplies by them.
LANES, LANE_SHIFT = U(32), U(5)
# The side of a square of counts that is turned at once.
STEP = U(16)
# Bytes in a line of the cache.
LINE = U(64)

BYTE, SHORT, NUMBER, WORD = (ir.IntType(bits) for bits in (8, 16, 32, 64))
FLOAT = ir.DoubleType()


class Vector(types.Type):
    """Numbers side by side, one of each resample."""

    def __init__(self, kind, element) -> None:
        self.element = element
        super().__init__(name=f"Vector({kind})")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    """In machine code there are registers for it."""

    def __init__(self, manager, vector) -> None:
        super().__init__(manager, vector, ir.VectorType(vector.element, int(LANES)))


SUMS, TOTALS, FLOATS = Vector("whole", NUMBER), Vector("long", WORD), Vector("float", FLOAT)
# Sums of few counts.
BYTES, SHORTS = Vector("byte", BYTE), Vector("short", SHORT)


def _load(context, builder, array, value, position, element, width):
    """So many elements of an array from a position on; no bounds are checked."""
    start = builder.gep(context.make_array(array)(context, builder, value).data, [position])
    kind = ir.VectorType(element, width)
    return builder.load(builder.bitcast(start, kind.as_pointer()), align=1)


def _splat(builder, scalar, width):
    """A vector that repeats one scalar."""
    empty = ir.Constant(ir.VectorType(scalar.type, width), ir.Undefined)
    one = builder.insert_element(empty, scalar, ir.Constant(NUMBER, 0))
    return builder.shuffle_vector(one, empty, ir.Constant(ir.VectorType(NUMBER, width), None))


def _places(places):
    return ir.Constant(ir.VectorType(NUMBER, len(places)), list(places))


def _zeros_of(vector):
    def typed(typing):
        def build(context, builder, signature, arguments):
            return ir.Constant(context.get_value_type(vector), None)

        return vector(), build

    return typed


_no_sums = intrinsic(_zeros_of(SUMS))
_no_floats = intrinsic(_zeros_of(FLOATS))
_no_totals = intrinsic(_zeros_of(TOTALS))
_no_bytes = intrinsic(_zeros_of(BYTES))
_no_shorts = intrinsic(_zeros_of(SHORTS))


@intrinsic
def _plus_counts(typing, sums, counts, position):
    """The sums, each with its count of one entry added."""

    def build(context, builder, signature, arguments):
        array = signature.args[1]
        loaded = _load(context, builder, array, *arguments[1:], BYTE, int(LANES))
        wide = builder.zext(loaded, context.get_value_type(sums))
        return builder.add(arguments[0], wide)

    return sums(sums, counts, types.uint64), build


@intrinsic
def _plus(typing, left, right):
    """Sums of whole numbers."""

    def build(context, builder, signature, arguments):
        return builder.add(*arguments)

    return left(left, right), build


@intrinsic
def _minus(typing, left, right):
    """Differences of whole numbers; of numbers modulo 256 those of 8 bits."""

    def build(context, builder, signature, arguments):
        return builder.sub(*arguments)

    return left(left, right), build


@intrinsic
def _times(typing, left, right):
    """Products of whole numbers."""

    def build(context, builder, signature, arguments):
        return builder.mul(*arguments)

    return left(left, right), build


@intrinsic
def _halves(typing, sums):
    """Half of each even number."""

    def build(context, builder, signature, arguments):
        kind = context.get_value_type(sums)
        return builder.lshr(arguments[0], ir.Constant(kind, [1] * int(LANES)))

    return sums(sums), build


@intrinsic
def _masked(typing, sums, mask):
    """The bits of each sum that are set in one mask."""

    def build(context, builder, signature, arguments):
        mask = builder.trunc(arguments[1], sums.element)
        return builder.and_(arguments[0], _splat(builder, mask, int(LANES)))

    return sums(sums, types.uint32), build


@intrinsic
def _small_products(typing, left, right):
    """Products of sums of few counts, each below 2**15: then one instruction makes several."""

    def build(context, builder, signature, arguments):
        kind = context.get_value_type(SUMS)
        below = ir.Constant(context.get_value_type(left), [2**15 - 1] * int(LANES))
        factors = (builder.zext(builder.and_(factor, below), kind) for factor in arguments)
        return builder.mul(*factors)

    return SUMS(left, right), build


@intrinsic
def _at_least_one(typing, sums):
    """Each sum, and 1 for 0."""

    def build(context, builder, signature, arguments):
        ones = ir.Constant(context.get_value_type(sums), [1] * int(LANES))
        above = builder.icmp_unsigned(">", arguments[0], ones)
        return builder.select(above, arguments[0], ones)

    return sums(sums), build


@intrinsic
def _to_floats(typing, sums):
    """Whole numbers as floats."""

    def build(context, builder, signature, arguments):
        kind = context.get_value_type(FLOATS)
        cast = builder.uitofp if sums.element is SHORT else builder.sitofp
        return cast(arguments[0], kind)

    return FLOATS(sums), build


@intrinsic
def _float_products(typing, left, right):
    """Products of floats."""

    def build(context, builder, signature, arguments):
        return builder.fmul(*arguments)

    return left(left, right), build


@intrinsic
def _ratios(typing, parts, wholes):
    """Ratios of floats; NaN for 0 of 0."""

    def build(context, builder, signature, arguments):
        return builder.fdiv(*arguments)

    return parts(parts, wholes), build


@intrinsic
def _plus_shares(typing, floats, hits, above, places):
    """The floats, each with ``hits * above / places`` added; 0 where there are no places."""

    def build(context, builder, signature, arguments):
        kind = context.get_value_type(floats)
        total, hits, above, places = arguments
        none = builder.icmp_signed("==", places, ir.Constant(places.type, None))
        places = builder.sub(places, builder.sext(none, places.type))  # 1 for none
        hits, above, places = (builder.sitofp(part, kind) for part in (hits, above, places))
        return builder.fadd(total, builder.fdiv(builder.fmul(hits, above), places))

    return floats(floats, hits, above, places), build


@intrinsic
def _plus_wide(typing, total, sums):
    """The total, with sums of fewer bits added."""

    def build(context, builder, signature, arguments):
        wide = builder.zext(arguments[1], context.get_value_type(total))
        return builder.add(arguments[0], wide)

    return total(total, sums), build


@intrinsic
def _plus_products(typing, total, left, right):
    """The total, with products added of factors that have fewer bits."""

    def build(context, builder, signature, arguments):
        kind = context.get_value_type(total)
        left, right = (builder.zext(factor, kind) for factor in arguments[1:])
        return builder.add(arguments[0], builder.mul(left, right))

    return total(total, left, right), build


@intrinsic
def _counts_at(typing, counts, position):
    """Counts from a position on, as they are."""

    def build(context, builder, signature, arguments):
        return _load(context, builder, signature.args[0], *arguments, BYTE, int(LANES))

    return BYTES(counts, types.uint64), build


@intrinsic
def _put(typing, vector, array, position):
    """Write a vector to an array of numbers as long as its own."""

    def build(context, builder, signature, arguments):
        value, target, position = arguments
        start = builder.gep(context.make_array(array)(context, builder, target).data, [position])
        builder.store(value, builder.bitcast(start, value.type.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(vector, array, types.uint64), build


@intrinsic
def _store(typing, vector, array):
    """Write a vector to the start of an array, whole numbers as those of 64 bits."""

    def build(context, builder, signature, arguments):
        value, target = arguments
        if vector.element is not FLOAT:
            value = builder.zext(value, ir.VectorType(WORD, int(LANES)))
        start = context.make_array(array)(context, builder, target).data
        builder.store(value, builder.bitcast(start, value.type.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.void(vector, array), build


@intrinsic
def _turn(typing, rows, pitch, start, window, into, step):
    """Turn a square of counts, whose rows are resamples: its columns become rows of lanes."""

    def build(context, builder, signature, arguments):
        rows, pitch, start, window, into, step = arguments
        array, side = signature.args[0], int(STEP)
        square = []
        for _ in range(side):
            square.append(_load(context, builder, array, rows, start, BYTE, side))
            start = builder.add(start, pitch)
        halves = [[i // 2 + start + i % 2 * side for i in range(side)] for start in (0, side // 2)]
        for _ in range(side.bit_length() - 1):
            pairs = [(square[i], square[i + side // 2]) for i in range(side // 2)]
            square = [
                builder.shuffle_vector(*pair, _places(half)) for pair in pairs for half in halves
            ]
        data = context.make_array(signature.args[3])(context, builder, window).data
        for row in square:
            place = builder.bitcast(builder.gep(data, [into]), row.type.as_pointer())
            builder.store(row, place, align=1)
            into = builder.add(into, step)
        return context.get_dummy_value()

    place = types.uint64
    return types.void(rows, place, place, window, place, place), build


@intrinsic
def _move(typing, source, position, target, place, clear):
    """Copy as many bytes as there are lanes, and set the source to 0 where asked for."""

    def build(context, builder, signature, arguments):
        source, position, target, place, clear = arguments
        kind = ir.VectorType(BYTE, int(LANES))
        here, there = (
            builder.bitcast(builder.gep(data, [at]), kind.as_pointer())
            for data, at in (
                (context.make_array(signature.args[0])(context, builder, source).data, position),
                (context.make_array(signature.args[2])(context, builder, target).data, place),
            )
        )
        builder.store(builder.load(here, align=1), there, align=1)
        with builder.if_then(clear):
            builder.store(ir.Constant(kind, None), here, align=1)
        return context.get_dummy_value()

    place = types.uint64
    return types.void(source, place, target, place, types.boolean), build


@intrinsic
def _call_for(typing, counts, position):
    """Start to bring one count close; harmless at any position."""

    def build(context, builder, signature, arguments):
        pointer = BYTE.as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, NUMBER, NUMBER, NUMBER])
        prefetch = get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        start = builder.bitcast(builder.gep(data, [arguments[1]]), pointer)
        to_write, keep, cached = (ir.Constant(NUMBER, option) for option in (1, 3, 1))
        builder.call(prefetch, [start, to_write, keep, cached])
        return context.get_dummy_value()

    return types.void(counts, types.uint64), build
