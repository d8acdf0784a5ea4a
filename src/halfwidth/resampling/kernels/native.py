"""The contract of the compiled library: every call into it is checked and made here.

C trusts its arguments. So this module alone names its functions and their types, and looks at
types, contiguity, lengths and ranges of indices before it hands an array over. `reference` has the
NumPy twins, which serve where there is no library. ctypes lets go of the interpreter while C works,
so that threads share it. No call works for much longer than a tenth of a second, but where one
resample of one sample does: its draws are the least unit.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.rng import Key
from halfwidth.core.types import Array
from halfwidth.resampling.kernels import shared_library
from halfwidth.resampling.kernels.formulas import MOST_WEIGHT
from halfwidth.resampling.kernels.programs import WIDTH, Program, Step

# As in the C files: resamples side by side, entries of each mark in a slot, and entries that are
# cumulated at a time.
LANES, SLOT, CHUNK = 32, 4, 128
# Positions are integers of 32 bits.
MOST_UNITS = 2**32
# Counts of tables, weighed and added up, fit into 16 bits.
MOST_TABLE_UNITS = (2**15 - 1) // MOST_WEIGHT
# Entries of a ranking, each as often as it may be drawn: twice the area is then exact in a float,
# and places of counts fit into 32 bits.
MOST_ENTRIES = 2**27 - LANES
# Up to here twice the area fits into 32 bits, and a number of entries into 8.
FEW_ENTRIES, FEW_STEPS = 92_000, 256
# Slots taken together: the sums of so many counts have no probability to exceed 16 bits.
TOGETHER = 16
# Exponentials to a block of words.
EXPONENTIALS = 8
# Widths of the tables that sums are drawn from, and floats in a line of the cache.
WIDTHS, LINE = (1, 2, 4, 8), 8
# Draws, values of rows, and steps of programs that one call goes through.
AT_A_TIME = 2**24

_I, _K, _P = ctypes.c_int64, ctypes.c_uint64, ctypes.c_void_p
_DRAWS = (_K, _K, _I, _I, _I)
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "hw_sum_drawn": (*_DRAWS, _P, _I, _P),
    "hw_count_drawn": (*_DRAWS, _P, _I),
    "hw_sum_weighted": (*_DRAWS, _P, _I, _I, _P),
    "hw_exponentials": (*_DRAWS, _P),
    "hw_turn_exponentials": (*_DRAWS, _P),
    "hw_weighted_areas": (_P, _I, _I, _P, _P, _P, _I, _I, _P, _I, _P, _P),
    "hw_turn": (_P, _I, _I, _I, _P),
    "hw_cumulate": (_P, _I, _I, _I, _I, _P),
    "hw_most_times": (_P, _I, _I, _I, _P, _P),
    "hw_slots": (_P, _P, _I, _I, _I, _P, _P, _P),
    "hw_steps": (_P, _I, _I, _P),
    "hw_areas": (_P, _I, _I, _P, _P, _P, _I, _I, _I, _I, _P, _P),
    "hw_add_slots": (_P, _P, _P, _I, _I, _P),
    "hw_precisions": (_P, _I, _I, _P, _P, _I, _I, _I, _I, _P, _P),
    "hw_add_entries": (_P, _P, _P, _I, _P),
    "hw_run": (_P, _I, _P, _I, _I, _P, _P, _I, _I, _I, _I, _P, _P, _I, _I, _I),
    "hw_tails": (_P, _I, _I, _P, _P, _I, _P, _P, _P),
    "hw_count_below": (_P, _I, _I, _P, _P, _P),
    "hw_pick": (_P, _I, _I, _P, _I, _I, ctypes.c_double, _P, _P),
}


# --------------------------------------------------------------------------- loading


def available() -> bool:
    """Whether the compiled library is there and not switched off."""
    return _loaded()[0] is not None


def status() -> str:
    """In a few words what does the work, and why.

    Examples
    --------
    >>> status().partition(":")[0] in ("compiled library", "NumPy")
    True
    """
    return _loaded()[1]


def _asked(variable: str) -> bool:
    return os.environ.get(variable, "0") not in {"", "0"}


@functools.cache
def _loaded() -> tuple[Any, str]:
    """The library or None, and what there is to say about it."""
    if _asked("HALFWIDTH_NO_C"):
        return None, "NumPy: HALFWIDTH_NO_C is set"
    try:
        made = _library()
    except (OSError, AttributeError, ImportError) as error:
        if _asked("HALFWIDTH_REQUIRE_C"):
            raise ImportError(
                f"HALFWIDTH_REQUIRE_C is set, but the compiled library cannot be used: {error}"
            ) from error
        return None, f"NumPy: {error}"
    return made, "compiled library"


def _library() -> Any:
    """Load it, and set the types of its functions."""
    path = shared_library.SOURCES.parent / shared_library.NAME
    if not path.exists():
        raise OSError("no compiled library was built at installation")
    if sys.byteorder != "little" or sys.maxsize < 2**32:
        raise OSError("the compiled library is for little-endian machines of 64 bits")
    loaded = ctypes.CDLL(str(path))
    for name, types in _SIGNATURES.items():
        function = getattr(loaded, name)
        function.argtypes, function.restype = types, ctypes.c_int
    loaded.hw_source_hash.argtypes, loaded.hw_source_hash.restype = (), ctypes.c_char_p
    expected = shared_library.source_hash()
    if expected and loaded.hw_source_hash().decode() != expected:
        # The functions may take other arguments by now.
        message = f"{path.name} was built from other C files; install halfwidth again"
        warnings.warn(message, RuntimeWarning, stacklevel=2)
        raise OSError(message)
    return loaded


def _call(name: str, *arguments: Any) -> None:
    loaded = _loaded()[0]
    if loaded is None:
        raise RuntimeError(f"{name} needs the compiled library: {status()}")
    failed = getattr(loaded, name)(*arguments)
    if failed:
        raise ValueError(f"{name} refused its arguments (status {failed})")


def _at(array: NDArray[Any], kind: Any, shape: tuple[int, ...]) -> int:
    """Where an array starts, if it is what C takes it for."""
    if array.dtype != kind or array.shape != shape or not array.flags.c_contiguous:
        raise ValueError(
            f"an array of {array.dtype}, shape {array.shape}, is not one of {np.dtype(kind)}, "
            f"shape {shape}, in one piece"
        )
    return array.ctypes.data


def _drawing(key: Key, start: int, stop: int, units: int) -> tuple[int, int, int, int, int]:
    if not 0 < units <= MOST_UNITS:
        raise ValueError(f"{units} units are none or more than {MOST_UNITS}")
    if not 0 <= start <= stop:
        raise ValueError(f"there are no resamples {start} to {stop}")
    return key.value % 2**64, key.value >> 64, start, stop, units


def _parts(rows: int, each: int, multiple: int = 1) -> Iterator[slice]:
    """Some rows at a time, or a multiple of so many, which one call may work on."""
    step = max(1, AT_A_TIME // max(each * multiple, 1)) * multiple
    return (slice(first, min(first + step, rows)) for first in range(0, rows, step))


# --------------------------------------------------------------------------- draws


def sum_drawn(features: Array, key: Key, start: int, stop: int, units: int) -> Array:
    """Sums of features over the units drawn, as `reference.sum_drawn` of ``rng.indices``.

    Parameters
    ----------
    features : ndarray, shape (K, units)
    key : Key
    start, stop : int
        Range of resamples. The sums of a resample do not depend on the range it is made in, in
        no bit.
    units : int
        Draws per resample, and number of units to draw from.

    Returns
    -------
    ndarray, shape (K, stop - start)
    """
    if features.shape[-1] != units:
        raise ValueError(f"{features.shape[-1]} columns of features for {units} units")
    drawing = _drawing(key, start, stop, units)
    sums = np.empty((len(features), stop - start))
    for first in range(0, len(features), WIDTHS[-1]):
        part = features[first : first + WIDTHS[-1]]
        width = min(width for width in WIDTHS if width >= len(part))
        table, made = _table(part, width), np.empty((stop - start, width))
        _call(
            "hw_sum_drawn",
            *drawing,
            _at(table, np.float64, (units * width,)),
            width,
            made.ctypes.data,
        )
        sums[first : first + WIDTHS[-1]] = made[:, : len(part)].T
    return sums


def _table(features: Array, width: int) -> Array:
    """The features of each unit side by side, and zeros up to the width: one flat array.

    It starts where a line of the cache does, so that no row straddles two lines.
    """
    if width == 1:
        return np.ascontiguousarray(features[0], dtype=float)
    units = features.shape[-1]
    room = np.empty(units * width + LINE)
    offset = -(room.ctypes.data // room.itemsize) % LINE
    table = room[offset : offset + units * width]
    rows = table.reshape(units, width)
    rows[:, : len(features)] = features.T
    rows[:, len(features) :] = 0.0
    return table


def count_drawn(key: Key, start: int, stop: int, units: int) -> NDArray[np.int32]:
    """How often each unit is drawn, as `reference.count_draws` of ``rng.indices``: (B, units)."""
    drawing = _drawing(key, start, stop, units)
    counts = np.zeros((stop - start, units), np.uint8)
    _call("hw_count_drawn", *drawing, counts.ctypes.data, units)
    return counts.astype(np.int32)


def sum_weighted(features: Array, key: Key, start: int, stop: int, units: int) -> Array:
    """Sums of features weighted by exponentials, as `reference.sum_weighted` of `rng.exponentials`.

    Parameters
    ----------
    features : ndarray, shape (K, units)
    key : Key
    start, stop : int
        Range of resamples. The sums of a resample do not depend on the range it is made in, in
        no bit.
    units : int
        Draws per resample.

    Returns
    -------
    ndarray, shape (K, stop - start)
    """
    if features.shape[-1] != units:
        raise ValueError(f"{features.shape[-1]} columns of features for {units} units")
    drawing = _drawing(key, start, stop, units)[:2]
    sums = np.empty((len(features), stop - start))
    for first in range(0, len(features), WIDTHS[-1]):
        some = features[first : first + WIDTHS[-1]]
        table = np.zeros((len(some), -(-units // EXPONENTIALS) * EXPONENTIALS))
        table[:, :units] = some
        rows = np.empty((stop - start, len(some)))
        for part in _parts(stop - start, 2 * table.shape[1]):
            resamples = (start + part.start, start + part.stop, units)
            given = (table.ctypes.data, *table.shape, rows[part].ctypes.data)
            _call("hw_sum_weighted", *drawing, *resamples, *given)
        sums[first : first + len(some)] = rows.T
    return sums


def exponentials(key: Key, start: int, stop: int, units: int) -> Array:
    """Exponential draws, as `rng.exponentials` in every bit: (stop - start, units)."""
    drawing = _drawing(key, start, stop, units)[:2]
    draws = np.empty((stop - start, units))
    for part in _parts(stop - start, 2 * units):
        resamples = (start + part.start, start + part.stop, units)
        _call("hw_exponentials", *drawing, *resamples, draws[part].ctypes.data)
    return draws


@frozen(eq=False)
class Counts:
    """How often each unit is drawn, resamples side by side.

    Attributes
    ----------
    turned : ndarray of uint8, shape (blocks, (32 squares + 1) LANES)
        LANES counts of each unit, filled up, and of one that is never drawn.
    resamples, units : int
    """

    turned: NDArray[np.uint8]
    resamples: int
    units: int


class Room:
    """Memory that counts of one block of resamples after another take, where it is large.

    The system takes back what is freed there, and fresh pages cost as much as the draws.
    """

    def __init__(self) -> None:
        self._held: dict[str, NDArray[np.uint8]] = {}

    def of(self, name: str, shape: tuple[int, int]) -> NDArray[np.uint8]:
        """An array that holds anything, the same memory at each call of that name."""
        size = shape[0] * shape[1]
        if name not in self._held or self._held[name].size < size:
            self._held[name] = np.empty(size, np.uint8)
        return self._held[name][:size].reshape(shape)


def side_by_side(
    keys: Sequence[tuple[Key, int, int]],
    start: int,
    stop: int,
    units: int,
    room: Room | None = None,
) -> Counts:
    """Draw resamples start to stop and count, for strata given by key, first unit and units.

    Counts in a ``room`` last until the next ones are made there.
    """
    room = Room() if room is None else room
    blocks, squares = -(-(stop - start) // LANES), -(-units // LANES)
    # An odd number of lines: rows then do not share the same few places of a cache.
    pitch = 64 * (-(-units // 64) | 1)
    counts = room.of("counts", (blocks * LANES, pitch))
    counts.fill(0)
    for key, first, own in keys:
        if first < 0 or first + own > units:
            raise ValueError(f"units {first} to {first + own} are beyond {units}")
        for part in _parts(stop - start, own):
            drawing = _drawing(key, start + part.start, start + part.stop, own)
            into = counts[part.start :].ctypes.data + first
            _call("hw_count_drawn", *drawing, into, pitch)
    turned = room.of("turned", (blocks, (squares * LANES + 1) * LANES))
    for block in _parts(blocks, LANES * pitch):
        rows, into = counts[block.start * LANES :].ctypes.data, turned[block].ctypes.data
        # Only a single block comes in parts. Each ends with a unit that is never drawn, where the
        # next one begins.
        for part in _parts(squares, (block.stop - block.start) * LANES**2):
            sizes = (block.stop - block.start, pitch, part.stop - part.start)
            _call("hw_turn", rows + part.start * LANES, *sizes, into + part.start * LANES**2)
    return Counts(turned, stop - start, units)


# --------------------------------------------------------------------------- areas


@frozen(eq=False)
class Lists:
    """Rankings in the form of the kernels, made once for all resamples.

    Attributes
    ----------
    auroc : bool
        Whether for areas under ROC curves; else for average precision.
    unit, mark : ndarray, shape (R, L)
    units : int
    starts : ndarray of int
        The first slot, or step, of each list.
    places : ndarray of uint32
        Of slots where the counts of their entries are; of steps behind which entry they end.
    whole : ndarray of uint8
        Of slots whether their positives count twice.
    together : int
        Slots taken together.
    small : bool
        Whether twice the area fits into 32 bits, or how many entries are drawn into 8.
    """

    auroc: bool
    unit: NDArray[np.int32]
    mark: NDArray[np.uint8]
    units: int
    starts: NDArray[np.int64]
    places: NDArray[np.uint32]
    whole: NDArray[np.uint8]
    together: int
    small: bool


def fits(entries: int) -> bool:
    """Whether rankings of so many entries are not too long for the kernels."""
    return entries < MOST_ENTRIES


def prepared(unit: NDArray[np.int32], mark: NDArray[np.uint8], units: int, *, auroc: bool) -> Lists:
    """Rankings (R, L), by descending score, in the form of the kernels.

    Parameters
    ----------
    unit : ndarray of int32, shape (R, L)
        The unit of each entry.
    mark : ndarray of uint8, shape (R, L)
        As in `Ranking`.
    units : int
    auroc : bool
        Whether for areas under ROC curves; else for average precision.
    """
    rows, entries = unit.shape
    if not unit.size or not fits(max(entries, units)):
        raise ValueError(f"entries of shape {unit.shape} do not fit {units} units")
    unit, mark = np.ascontiguousarray(unit), np.ascontiguousarray(mark)
    own, marks = _at(unit, np.int32, unit.shape), _at(mark, np.uint8, unit.shape)
    times, most = np.zeros(units, np.int32), np.zeros(1, np.int64)
    _call("hw_most_times", own, rows, entries, units, times.ctypes.data, most.ctypes.data)
    starts = np.empty(rows + 1, np.int64)
    if auroc:
        never = -(-units // LANES) * LANES
        given = (own, marks, rows, entries, never, starts.ctypes.data)
        _call("hw_slots", *given, None, None)
        places = np.empty(starts[-1] * 2 * SLOT, np.uint32)
        whole = np.empty(starts[-1], np.uint8)
        _call("hw_slots", *given, places.ctypes.data, whole.ctypes.data)
    else:
        places, whole = np.empty(0, np.uint32), np.empty(0, np.uint8)
        steps = np.empty_like(mark)
        _call("hw_steps", marks, rows, entries, steps.ctypes.data)
        mark = steps
    times_each = int(most[0])
    small = times_each * units < (FEW_ENTRIES if auroc else FEW_STEPS)
    together = max(1, TOGETHER // times_each)
    return Lists(auroc, unit, mark, units, starts, places, whole, together, small)


def areas(lists: Lists, counts: Counts, first: int, last: int) -> tuple[Array, Array]:
    """Areas of lists ``first`` to before ``last`` in each resample, and the positives drawn.

    Returns
    -------
    area, positives : ndarray, shape (last - first, resamples)
    """
    if counts.units != lists.units or not 0 <= first <= last <= len(lists.unit):
        raise ValueError(f"rows {first} to {last} of {len(lists.unit)}, {counts.units} units")
    blocks, pitch = counts.turned.shape
    held, made = np.empty((2, last - first, blocks * LANES))
    drawn = (_at(counts.turned, np.uint8, (blocks, pitch)), blocks, pitch)
    if lists.unit.shape[1] * LANES > AT_A_TIME:
        for row in range(first, last):
            for block, turned in enumerate(counts.turned):
                own = slice(block * LANES, (block + 1) * LANES)
                made[row - first, own], held[row - first, own] = _area_by_parts(lists, row, turned)
        return made[:, : counts.resamples], held[:, : counts.resamples]
    for part in _parts(last - first, blocks * lists.unit.shape[1]):
        rows = (first + part.start, first + part.stop)
        into = (*rows, held[part].ctypes.data, made[part].ctypes.data)
        if lists.auroc:
            starts, places = lists.starts.ctypes.data, lists.places.ctypes.data
            how = (lists.whole.ctypes.data, lists.together, int(lists.small))
            _call("hw_areas", *drawn, starts, places, *how, *into)
        else:
            entries = (lists.unit.ctypes.data, lists.mark.ctypes.data, lists.unit.shape[1])
            _call("hw_precisions", *drawn, *entries, int(lists.small), *into)
    return made[:, : counts.resamples], held[:, : counts.resamples]


def _area_by_parts(lists: Lists, row: int, turned: NDArray[np.uint8]) -> tuple[Array, Array]:
    """The area of one list in LANES resamples, and the positives: in several calls."""
    counts = turned.ctypes.data
    state = np.zeros((4, LANES))
    if lists.auroc:
        begin, end = (int(edge) for edge in lists.starts[row : row + 2])
        for part in _parts(end - begin, 2 * SLOT * LANES, lists.together):
            places = lists.places[(begin + part.start) * 2 * SLOT :].ctypes.data
            whole = lists.whole[begin + part.start :].ctypes.data
            slots = part.stop - part.start
            _call("hw_add_slots", counts, places, whole, slots, lists.together, state.ctypes.data)
        twice, misses, total, _ = state
        positives, pairs = 0.5 * twice, twice * misses
    else:
        unit, mark = lists.unit[row], lists.mark[row]
        for part in _parts(len(unit), LANES, CHUNK):
            some = (unit[part].ctypes.data, mark[part].ctypes.data, part.stop - part.start)
            _call("hw_add_entries", counts, *some, state.ctypes.data)
        _, positives, _, total = state
        pairs = positives
    with np.errstate(invalid="ignore"):
        return total / pairs, positives


# --------------------------------------------------------------------------- weighted areas


def turned_exponentials(key: Key, start: int, stop: int, units: int) -> Array:
    """Exponential draws of resamples side by side, as `rng.exponentials` in every bit.

    Returns
    -------
    ndarray, shape (ceil((stop - start) / LANES), units, LANES)
        1 where a block is not full.
    """
    drawing = _drawing(key, start, stop, units)[:2]
    turned = np.empty((-(-(stop - start) // LANES), units, LANES))
    for part in _parts(len(turned), 2 * units * LANES):
        first, last = start + part.start * LANES, min(start + part.stop * LANES, stop)
        into = turned[part].ctypes.data
        _call("hw_turn_exponentials", *drawing, first, last, units, into)
    return turned


def weighted_areas(
    turned: Array,
    unit: NDArray[np.int32],
    mark: NDArray[np.uint8],
    value: Array | None,
    ends: Array,
    *,
    auroc: bool,
) -> tuple[Array, Array]:
    """Areas of rankings under weights of units; see `reference.weighted_areas`.

    Parameters
    ----------
    turned : ndarray, shape (blocks, U, LANES)
        Weights of the units, resamples side by side.
    unit, mark : ndarray, shape (R, L)
        Of each entry, by descending score; ``mark`` as in `Ranking`.
    value : ndarray, shape (R, L), or None
        What an entry's weight is multiplied by; None: 1.
    ends : ndarray, shape (R, blocks, 4, LANES)
        Weights of pseudo-cases: positives and negatives above all scores, then below all.
    auroc : bool
        Whether areas under ROC curves; else average precisions.

    Returns
    -------
    area, positives : ndarray, shape (R, blocks * LANES)
    """
    (blocks, units, lanes), (rows, entries) = turned.shape, unit.shape
    if lanes != LANES or not unit.size or unit.min() < 0 or unit.max() >= units:
        raise ValueError(f"entries of {units} units do not fit weights of shape {turned.shape}")
    if value is not None:
        value = np.ascontiguousarray(value, float)
        _at(value, np.float64, unit.shape)
    unit, mark = np.ascontiguousarray(unit), np.ascontiguousarray(mark)
    _at(unit, np.int32, (rows, entries))
    _at(mark, np.uint8, (rows, entries))
    _at(ends, np.float64, (rows, blocks, 4, LANES))
    weights = _at(turned, np.float64, (blocks, units, LANES))
    area, positives = np.empty((2, rows, blocks * LANES))
    for part in _parts(rows, entries * blocks * LANES):
        given = (unit[part].ctypes.data, mark[part].ctypes.data)
        values = None if value is None else value[part].ctypes.data
        sizes = (entries, part.stop - part.start, ends[part].ctypes.data, int(auroc))
        into = (positives[part].ctypes.data, area[part].ctypes.data)
        _call("hw_weighted_areas", weights, blocks, units, *given, values, *sizes, *into)
    return area, positives


# --------------------------------------------------------------------------- tables


def cumulated(key: Key, start: int, stop: int, units: int) -> NDArray[np.int16]:
    """Draws of the units before each, and of all, in resamples ``start`` to ``stop``.

    Returns
    -------
    ndarray, shape (ceil((stop - start) / WIDTH), units + 1, WIDTH)
        Resamples of one row side by side; 0 where a row is not full.
    """
    if units > MOST_TABLE_UNITS:
        raise ValueError(f"{units} units are more than {MOST_TABLE_UNITS}")
    counts = side_by_side([(key, 0, units)], start, stop, units)
    made = np.zeros((-(-(stop - start) // WIDTH), units + 1, WIDTH), np.int16)
    squares = -(-units // LANES)
    turned = counts.turned.ctypes.data
    _call("hw_cumulate", turned, len(counts.turned), squares, units, WIDTH, made.ctypes.data)
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
        _at(program.pairs, np.int64, (len(program.pairs), 2)),
        _at(program.steps, np.int64, (len(program.steps), 5)),
        *(len(program.steps), program.quick, program.quick_result, program.result),
        held.ctypes.data,
    )
    _at(out, np.float64, out.shape)
    for part in _parts(len(out), (stop - start) * len(program.steps) // 4):
        some, into = places[part], out[part]
        table = (_at(draws, np.int16, draws.shape), size - 1)
        sizes = (into.ctypes.data, out.shape[1], start, stop)
        _call("hw_run", *table, some.ctypes.data, len(some), ends.shape[1], *how, *sizes)


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


# --------------------------------------------------------------------------- selection


def _limits(number: int, *limits: Array) -> list[Array]:
    made = [np.ascontiguousarray(limit, float) for limit in limits]
    for limit in made:
        _at(limit, np.float64, (number,))
    return made


def tails(
    rows: Array, low: Array, high: Array, room: int
) -> tuple[Array, Array, NDArray[np.int64]]:
    """What of each row lies below one limit and above another; see `reference.tails`.

    Where that is ``room - 64`` or more, the counts of both are ``room``.
    """
    number, size = rows.shape
    lower, upper = np.empty((2, number, room))
    counts = np.empty((number, 5), np.int64)
    low, high = _limits(number, low, high)
    for part in _parts(number, size):
        some = rows[part]
        given = (_at(some, np.float64, (len(some), size)), len(some), size)
        limits = [limit[part].ctypes.data for limit in (low, high)]
        into = (lower[part].ctypes.data, upper[part].ctypes.data, counts[part].ctypes.data)
        _call("hw_tails", *given, *limits, room, *into)
    return lower, upper, counts


def count_below(rows: Array, below: Array, up_to: Array) -> NDArray[np.int64]:
    """How many of each row lie below one limit, and up to another: (S, B) -> (S, 2)."""
    number, size = rows.shape
    counts = np.empty((number, 2), np.int64)
    below, up_to = _limits(number, below, up_to)
    for part in _parts(number, size):
        some = rows[part]
        given = (_at(some, np.float64, (len(some), size)), len(some), size)
        limits = [limit[part].ctypes.data for limit in (below, up_to)]
        _call("hw_count_below", *given, *limits, counts[part].ctypes.data)
    return counts


def picked(values: Array, table: NDArray[np.intp], total: float, gaps: Array) -> Array:
    """Weighted values at the positions of a table; see `reference.picked`."""
    (number, size), (places, each) = values.shape, table.shape
    if table.min() < 0 or table.max() >= size or len(gaps) != places:
        raise ValueError(f"positions up to {table.max()} in rows of {size}")
    values, gaps = np.ascontiguousarray(values, float), np.ascontiguousarray(gaps, float)
    table = np.ascontiguousarray(table, np.int64)
    made = np.empty((number, each))
    for part in _parts(number, places * each):
        some = values[part]
        given = (some.ctypes.data, len(some), size, table.ctypes.data, places, each)
        _call("hw_pick", *given, float(total), gaps.ctypes.data, made[part].ctypes.data)
    return made
