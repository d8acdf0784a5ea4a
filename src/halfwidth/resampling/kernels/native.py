"""The contract of the compiled library: every call into it is made here, and draws are checked.

C trusts its arguments. So this module, and those named after it for what is done with draws, look
at types, contiguity, lengths and ranges of indices before an array is handed over, and this one
alone names the functions and their types. `reference` has the NumPy twins, which serve where there
is no library. ctypes lets go of the interpreter while C works, so that threads share it. No call
works for much longer than a tenth of a second, but where one resample of one sample does: its draws
are the least unit.
"""

from __future__ import annotations

import ctypes
import functools
import os
import struct
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.rng import Key
from halfwidth.core.types import Array
from halfwidth.resampling.kernels import shared_library

# As in the C files: resamples side by side.
LANES = 32
# Positions of units, and of floats of a table, are integers of 32 bits.
MOST_UNITS = 2**32
# Exponentials to a block of words.
EXPONENTIALS = 12
# Widths of the tables that sums are drawn from, and floats in a line of the cache.
WIDTHS, LINE = (1, 2, 4, 8), 8
# Bytes of the header of a library for Linux.
ELF_HEADER = 64
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
    "hw_weighted_areas": (_P, _I, _I, _P, _P, _P, _I, _I, _P, _I, _I, _I, _I, _P, _P),
    "hw_turn": (_P, _I, _I, _I, _P),
    "hw_cumulate": (_P, _I, _I, _I, _I, _P),
    "hw_most_times": (_P, _I, _I, _I, _P, _P),
    "hw_slots": (_P, _P, _I, _I, _I, _P, _P, _P),
    "hw_steps": (_P, _I, _I, _P),
    "hw_areas": (_P, _I, _I, _P, _P, _P, _I, _I, _I, _I, _P, _P),
    "hw_add_slots": (_P, _P, _P, _I, _I, _P),
    "hw_precisions": (_P, _I, _I, _P, _P, _I, _I, _I, _I, _P, _P),
    "hw_add_entries": (_P, _P, _P, _I, _P),
    "hw_drawn_total": (_P, _P, _P, _I, _P),
    "hw_match_precisions": (_P, _I, *(_P,) * 7, _I, _P, _I, _P, _P, _P),
    "hw_match_frocs": (_P, _I, _P, _P, _P, _P, _I, _I, _P),
    "hw_run": (_P, _I, _P, _I, _I, _P, _P, _I, _I, _I, _I, _P, _P, _I, _I, _I),
    "hw_tails": (_P, _I, _I, _P, _P, _I, _P, _P, _P),
    "hw_count_below": (_P, _I, _I, _P, _P, _P),
    "hw_assign": (_P, _P, _I, _P, _I, _P, _I, _P, _P, _P),
    "hw_pick": (_P, _I, _I, _P, _I, _I, ctypes.c_double, _P, _P),
}


# --------------------------------------------------------------------------- loading


def available() -> bool:
    """Whether the compiled library is there and not switched off."""
    return _loaded()[0] is not None


def status() -> str:
    """Say in a few words what does the work, and why."""
    return _loaded()[1]


def _asked(variable: str) -> bool:
    return os.environ.get(variable, "0") not in {"", "0"}


@functools.cache
def _loaded() -> tuple[Any, str]:
    """The library or None, and what there is to say about it."""
    if _asked("HALFWIDTH_NO_C"):
        return None, "NumPy: HALFWIDTH_NO_C is set"
    try:
        library = _library()
    except (OSError, AttributeError, ImportError) as error:
        if _asked("HALFWIDTH_REQUIRE_C"):
            raise ImportError(
                f"HALFWIDTH_REQUIRE_C is set, but the compiled library cannot be used: {error}"
            ) from error
        return None, f"NumPy: {error}"
    return library, "compiled library"


def _library() -> Any:
    """Load it, and set the types of its functions."""
    path = shared_library.SOURCES.parent / shared_library.NAME
    if not path.exists():
        raise OSError("no compiled library was built at installation")
    if sys.byteorder != "little" or sys.maxsize < 2**32:
        raise OSError("the compiled library is for little-endian machines of 64 bits")
    if not _is_whole(path):
        raise _not_used(f"{path.name} is cut off")
    loaded = ctypes.CDLL(str(path))
    for name, types in _SIGNATURES.items():
        function = getattr(loaded, name)
        function.argtypes, function.restype = types, ctypes.c_int
    loaded.hw_source_hash.argtypes, loaded.hw_source_hash.restype = (), ctypes.c_char_p
    expected = shared_library.source_hash()
    if expected and loaded.hw_source_hash().decode() != expected:
        # The functions may take other arguments by now.
        raise _not_used(f"{path.name} was built from other C files")
    return loaded


def _is_whole(path: Path) -> bool:
    """Whether a library is as long as its header says; other loaders than that of ELF look there.

    That one maps what is not there, and the process dies where it is touched.
    """
    with path.open("rb") as opened:
        header = opened.read(ELF_HEADER)
    if header[:4] != b"\x7fELF":
        return True
    if len(header) < ELF_HEADER:
        return False
    # Its table of sections is the last thing in it.
    (table,), (entry, entries) = (
        struct.unpack_from("<Q", header, 40),
        struct.unpack_from("<HH", header, 58),
    )
    return bool(path.stat().st_size >= table + entry * entries)


def _not_used(why: str) -> OSError:
    message = f"{why}; install halfwidth again"
    warnings.warn(message, RuntimeWarning, stacklevel=3)
    return OSError(message)


def call(name: str, *arguments: Any) -> None:
    """Call a function of the library, which may refuse its arguments."""
    loaded = _loaded()[0]
    if loaded is None:
        raise RuntimeError(f"{name} needs the compiled library: {status()}")
    failed = getattr(loaded, name)(*arguments)
    if failed:
        raise ValueError(f"{name} refused its arguments (status {failed})")


def address(array: NDArray[Any], kind: Any, shape: tuple[int, ...]) -> int:
    """Where an array starts, if it is what C takes it for."""
    if array.dtype != kind or array.shape != shape or not array.flags.c_contiguous:
        raise ValueError(
            f"an array of {array.dtype}, shape {array.shape}, is not one of {np.dtype(kind)}, "
            f"shape {shape}, in one piece"
        )
    return array.ctypes.data


def draw_arguments(key: Key, start: int, stop: int, units: int) -> tuple[int, int, int, int, int]:
    """The arguments of each function that draws: both halves of the key, resamples, units."""
    if not 0 < units <= MOST_UNITS:
        raise ValueError(f"{units} units are none or more than {MOST_UNITS}")
    if not 0 <= start <= stop:
        raise ValueError(f"there are no resamples {start} to {stop}")
    return key.value % 2**64, key.value >> 64, start, stop, units


def in_calls(rows: int, each: int, multiple: int = 1) -> Iterator[slice]:
    """Some rows at a time, or a multiple of so many, which one call may work on."""
    step = max(1, AT_A_TIME // max(each * multiple, 1)) * multiple
    return (slice(first, min(first + step, rows)) for first in range(0, rows, step))


# --------------------------------------------------------------------------- draws


def sum_drawn(features: Array, key: Key, start: int, stop: int, units: int) -> Array:
    """Sums over the units drawn, (K, B), as `reference.sum_drawn`; no range changes a bit."""
    if features.shape[-1] != units:
        raise ValueError(f"{features.shape[-1]} columns of features for {units} units")
    drawing = draw_arguments(key, start, stop, units)
    sums = np.empty((len(features), stop - start))
    widest = max(width for width in WIDTHS if width * units <= MOST_UNITS)
    for first in range(0, len(features), widest):
        part = features[first : first + widest]
        width = min(width for width in WIDTHS if width >= len(part))
        table, rows = _table(part, width), np.empty((stop - start, width))
        call(
            "hw_sum_drawn",
            *drawing,
            address(table, np.float64, (units * width,)),
            width,
            rows.ctypes.data,
        )
        sums[first : first + widest] = rows[:, : len(part)].T
    return sums


def _table(features: Array, width: int) -> Array:
    """Features side by side, padded to the width: flat, and aligned to a line of the cache."""
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


def count_drawn(key: Key, start: int, stop: int, units: int, kind: type = np.int32) -> NDArray[Any]:
    """How often each unit is drawn, as `reference.count_draws` of ``rng.indices``: (B, units)."""
    drawing = draw_arguments(key, start, stop, units)
    counts = np.zeros((stop - start, units), np.uint8)
    call("hw_count_drawn", *drawing, counts.ctypes.data, units)
    return counts.astype(kind)


def sum_weighted(features: Array, key: Key, start: int, stop: int, units: int) -> Array:
    """Sums weighted by exponentials, (K, B), as `reference`; no range changes a bit."""
    if features.shape[-1] != units:
        raise ValueError(f"{features.shape[-1]} columns of features for {units} units")
    drawing = draw_arguments(key, start, stop, units)[:2]
    sums = np.empty((len(features), stop - start))
    for first in range(0, len(features), WIDTHS[-1]):
        some = features[first : first + WIDTHS[-1]]
        table = np.zeros((len(some), -(-units // EXPONENTIALS) * EXPONENTIALS))
        table[:, :units] = some
        rows = np.empty((stop - start, len(some)))
        for part in in_calls(stop - start, 2 * table.shape[1]):
            resamples = (start + part.start, start + part.stop, units)
            arrays = (table.ctypes.data, *table.shape, rows[part].ctypes.data)
            call("hw_sum_weighted", *drawing, *resamples, *arrays)
        sums[first : first + len(some)] = rows.T
    return sums


def exponentials(key: Key, start: int, stop: int, units: int) -> Array:
    """Exponential draws, as `rng.exponentials` in every bit: (stop - start, units)."""
    drawing = draw_arguments(key, start, stop, units)[:2]
    draws = np.empty((stop - start, units))
    for part in in_calls(stop - start, 2 * units):
        resamples = (start + part.start, start + part.stop, units)
        call("hw_exponentials", *drawing, *resamples, draws[part].ctypes.data)
    return draws


@frozen(eq=False)
class Counts:
    """How often each unit is drawn, resamples side by side."""

    # (blocks, (32 squares + 1) LANES): LANES counts of each unit, filled up, and of one that is
    # never drawn
    turned: NDArray[np.uint8]
    resamples: int
    units: int


class Room:
    """Memory that counts of one block of resamples after another take, where it is large.

    The system takes back what is freed there, and fresh pages cost as much as the draws.
    """

    def __init__(self) -> None:
        self._held: dict[str, NDArray[np.uint8]] = {}

    def array(self, name: str, shape: tuple[int, int]) -> NDArray[np.uint8]:
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
    """Draw and count, for strata of key, first unit and units; a ``room`` is used again."""
    room = Room() if room is None else room
    pitch = _pitch(units)
    counts = room.array("counts", (-(-(stop - start) // LANES) * LANES, pitch))
    counts.fill(0)
    for key, first, own in keys:
        if first < 0 or first + own > units:
            raise ValueError(f"units {first} to {first + own} are beyond {units}")
        for part in in_calls(stop - start, own):
            drawing = draw_arguments(key, start + part.start, start + part.stop, own)
            into = counts[part.start :].ctypes.data + first
            call("hw_count_drawn", *drawing, into, pitch)
    return _turned(counts, stop - start, units, room)


def counts_side_by_side(rows: NDArray[np.uint8]) -> Counts:
    """Counts of units that were drawn elsewhere, (B, units), as those of `side_by_side`."""
    (resamples, units), room = rows.shape, Room()
    counts = room.array("counts", (-(-resamples // LANES) * LANES, _pitch(units)))
    counts.fill(0)
    counts[:resamples, :units] = rows
    return _turned(counts, resamples, units, room)


def _pitch(units: int) -> int:
    """Bytes of a row: an odd number of lines, so that rows do not share few places of a cache."""
    return 64 * (-(-units // 64) | 1)


def _turned(counts: NDArray[np.uint8], resamples: int, units: int, room: Room) -> Counts:
    """Rows of counts, as many as fill up blocks, put side by side."""
    blocks, squares = len(counts) // LANES, -(-units // LANES)
    pitch = counts.shape[1]
    turned = room.array("turned", (blocks, (squares * LANES + 1) * LANES))
    for block in in_calls(blocks, LANES * pitch):
        rows, into = counts[block.start * LANES :].ctypes.data, turned[block].ctypes.data
        # Only a single block comes in parts. Each ends with a unit that is never drawn, where the
        # next one begins.
        for part in in_calls(squares, (block.stop - block.start) * LANES**2):
            sizes = (block.stop - block.start, pitch, part.stop - part.start)
            call("hw_turn", rows + part.start * LANES, *sizes, into + part.start * LANES**2)
    return Counts(turned, resamples, units)
