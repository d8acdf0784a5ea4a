"""Areas under curves of ranked scores in the compiled library.

Calls are checked as those of `native`, which makes them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.rng import Key
from halfwidth.core.types import Array
from halfwidth.resampling.kernels import native
from halfwidth.resampling.kernels.native import (
    LANES,
    Counts,
    address,
    draw_arguments,
    in_calls,
)

# As in the C files: entries of each mark in a slot, and entries that are cumulated at a time.
SLOT, CHUNK = 4, 128
# Entries of a ranking, each as often as it may be drawn: twice the area is then exact in a float,
# and places of counts fit into 32 bits.
MOST_ENTRIES = 2**27 - LANES
# Up to here twice the area fits into 32 bits, and a number of entries into 8.
FEW_ENTRIES, FEW_STEPS = 92_000, 256
# Slots taken together: the sums of so many counts have no probability to exceed 16 bits.
TOGETHER = 16


@frozen(eq=False)
class Lists:
    """Rankings in the form of the kernels, made once for all resamples."""

    auroc: bool  # Whether for areas under ROC curves; else for average precision
    unit: NDArray[np.int32]  # (R, L)
    mark: NDArray[np.uint8]  # (R, L)
    units: int
    starts: NDArray[np.int64]  # The first slot, or step, of each list
    # Of slots where the counts of their entries are; of steps behind which entry they end
    places: NDArray[np.uint32]
    whole: NDArray[np.uint8]  # Of slots whether their positives count twice
    together: int  # Slots taken together
    small: bool  # Whether twice the area fits into 32 bits, or how many entries are drawn into 8


def fits(entries: int) -> bool:
    """Whether rankings of so many entries are not too long for the kernels."""
    return entries < MOST_ENTRIES


def prepared(unit: NDArray[np.int32], mark: NDArray[np.uint8], units: int, *, auroc: bool) -> Lists:
    """Rankings (R, L), by descending score, in the form of the kernels; marks as in `Ranking`."""
    rows, entries = unit.shape
    if not unit.size or not fits(max(entries, units)):
        raise ValueError(f"entries of shape {unit.shape} do not fit {units} units")
    unit, mark = np.ascontiguousarray(unit), np.ascontiguousarray(mark)
    own, marks = address(unit, np.int32, unit.shape), address(mark, np.uint8, unit.shape)
    times, most = np.zeros(units, np.int32), np.zeros(1, np.int64)
    native.call("hw_most_times", own, rows, entries, units, times.ctypes.data, most.ctypes.data)
    starts = np.empty(rows + 1, np.int64)
    if auroc:
        never = -(-units // LANES) * LANES
        entries_given = (own, marks, rows, entries, never, starts.ctypes.data)
        native.call("hw_slots", *entries_given, None, None)
        places = np.empty(starts[-1] * 2 * SLOT, np.uint32)
        whole = np.empty(starts[-1], np.uint8)
        native.call("hw_slots", *entries_given, places.ctypes.data, whole.ctypes.data)
    else:
        places, whole = np.empty(0, np.uint32), np.empty(0, np.uint8)
        steps = np.empty_like(mark)
        native.call("hw_steps", marks, rows, entries, steps.ctypes.data)
        mark = steps
    times_each = int(most[0])
    small = times_each * units < (FEW_ENTRIES if auroc else FEW_STEPS)
    together = max(1, TOGETHER // times_each)
    return Lists(auroc, unit, mark, units, starts, places, whole, together, small)


def areas(lists: Lists, counts: Counts, first: int, last: int) -> tuple[Array, Array]:
    """Areas of lists ``first`` to before ``last``, and the positives drawn: (R, B) each."""
    if counts.units != lists.units or not 0 <= first <= last <= len(lists.unit):
        raise ValueError(f"rows {first} to {last} of {len(lists.unit)}, {counts.units} units")
    blocks, pitch = counts.turned.shape
    held, area = np.empty((2, last - first, blocks * LANES))
    drawn = (address(counts.turned, np.uint8, (blocks, pitch)), blocks, pitch)
    if lists.unit.shape[1] * LANES > native.AT_A_TIME:
        for row in range(first, last):
            for block, turned in enumerate(counts.turned):
                own = slice(block * LANES, (block + 1) * LANES)
                area[row - first, own], held[row - first, own] = _area_by_parts(lists, row, turned)
        return area[:, : counts.resamples], held[:, : counts.resamples]
    for part in in_calls(last - first, blocks * lists.unit.shape[1]):
        rows = (first + part.start, first + part.stop)
        into = (*rows, held[part].ctypes.data, area[part].ctypes.data)
        if lists.auroc:
            starts, places = lists.starts.ctypes.data, lists.places.ctypes.data
            how = (lists.whole.ctypes.data, lists.together, int(lists.small))
            native.call("hw_areas", *drawn, starts, places, *how, *into)
        else:
            entries = (lists.unit.ctypes.data, lists.mark.ctypes.data, lists.unit.shape[1])
            native.call("hw_precisions", *drawn, *entries, int(lists.small), *into)
    return area[:, : counts.resamples], held[:, : counts.resamples]


def _area_by_parts(lists: Lists, row: int, turned: NDArray[np.uint8]) -> tuple[Array, Array]:
    """The area of one list in LANES resamples, and the positives: in several calls."""
    counts = turned.ctypes.data
    state = np.zeros((4, LANES))
    if lists.auroc:
        begin, end = (int(edge) for edge in lists.starts[row : row + 2])
        for part in in_calls(end - begin, 2 * SLOT * LANES, lists.together):
            places = lists.places[(begin + part.start) * 2 * SLOT :].ctypes.data
            whole = lists.whole[begin + part.start :].ctypes.data
            slots = part.stop - part.start
            native.call(
                "hw_add_slots", counts, places, whole, slots, lists.together, state.ctypes.data
            )
        twice, misses, total, _ = state
        positives, pairs = 0.5 * twice, twice * misses
    else:
        unit, mark = lists.unit[row], lists.mark[row]
        for part in in_calls(len(unit), LANES, CHUNK):
            some = (unit[part].ctypes.data, mark[part].ctypes.data, part.stop - part.start)
            native.call("hw_add_entries", counts, *some, state.ctypes.data)
        _, positives, _, total = state
        pairs = positives
    with np.errstate(invalid="ignore"):
        return total / pairs, positives


# --------------------------------------------------------------------------- weighted areas


def turned_exponentials(key: Key, start: int, stop: int, units: int) -> Array:
    """Exponential draws, as `rng.exponentials` in every bit: (blocks, units, LANES).

    1 where a block is not full.
    """
    drawing = draw_arguments(key, start, stop, units)[:2]
    turned = np.empty((-(-(stop - start) // LANES), units, LANES))
    for part in in_calls(len(turned), 2 * units * LANES):
        first, last = start + part.start * LANES, min(start + part.stop * LANES, stop)
        into = turned[part].ctypes.data
        native.call("hw_turn_exponentials", *drawing, first, last, units, into)
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
    """Areas of rankings under weights of units, and their positives: (R, sides, blocks * LANES).

    See `reference.weighted_areas`. Units and marks are (R, L), by descending score; an entry's
    weight is multiplied by ``value``, (R, L), or by 1. ``ends`` are the weights of pseudo-cases,
    positives and negatives above all scores, then below all: (C, blocks, sides, 4, LANES), of which
    row r has those of class r mod C.
    """
    (blocks, units, lanes), (rows, entries) = turned.shape, unit.shape
    if lanes != LANES or not unit.size or unit.min() < 0 or unit.max() >= units:
        raise ValueError(f"entries of {units} units do not fit weights of shape {turned.shape}")
    if value is not None:
        value = np.ascontiguousarray(value, float)
        address(value, np.float64, unit.shape)
    unit, mark = np.ascontiguousarray(unit), np.ascontiguousarray(mark)
    address(unit, np.int32, (rows, entries))
    address(mark, np.uint8, (rows, entries))
    classes, sides = len(ends), ends.shape[2]
    pseudo = address(ends, np.float64, (classes, blocks, sides, 4, LANES))
    weights = address(turned, np.float64, (blocks, units, LANES))
    area, positives = np.empty((2, rows, sides, blocks * LANES))
    for part in in_calls(rows, entries * blocks * LANES * sides):
        entries_given = (unit[part].ctypes.data, mark[part].ctypes.data)
        values = None if value is None else value[part].ctypes.data
        sizes = (entries, part.stop - part.start)
        pseudo_cases = (pseudo, classes, part.start, sides)
        into = (int(auroc), positives[part].ctypes.data, area[part].ctypes.data)
        own = (*entries_given, values, *sizes)
        native.call("hw_weighted_areas", weights, blocks, units, *own, *pseudo_cases, *into)
    return area, positives
