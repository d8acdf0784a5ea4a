"""Machine code for areas under lists of few units, whose counts stay close as they are.

The counts of some resamples side by side, of all units, fit into the caches of a core. So they are
made once for any number of lists, and lists are made for them whose branches depend on no count:

- For areas under ROC curves each list is cut into slots of equal shape, filled up with units that
  are never drawn. Sums within a slot have 8 bits, and products of them 16.
- For average precision the counts of a list are summed up entry by entry, modulo 256; differences
  between steps tell the sums. Some fractions are brought to one denominator: divisions are slow.
"""

# Numba has no types to check against, and it reads the types of arguments from the calls.
# mypy: ignore-errors
# ruff: noqa: ANN001, ANN202

from __future__ import annotations

import numpy as np
from numba import njit, types

from halfwidth.resampling.kernels._numba import FOUR, ONE, TWO, ZERO, U, _compiled
from halfwidth.resampling.kernels._numba_fractions import (
    _plus_four_fractions,
    _plus_two_fractions,
)
from halfwidth.resampling.kernels._numba_lists import (
    _NEAR_LISTS,
    MIXED,
    SLOT,
    far_lists,
    near_lists,
)
from halfwidth.resampling.kernels._numba_ranking import (
    _BYTES,
    _RANGE,
    _U64,
    FEW_ENTRIES,
    _count_one,
    _first_words,
    _list_areas,
    _list_precisions,
    _turn_some,
    count_bytes,
    rank_counted,
    rank_drawn,
)
from halfwidth.resampling.kernels._numba_vectors import (
    LANE_SHIFT,
    LANES,
    STEP,
    _at_least_one,
    _counts_at,
    _float_products,
    _halves,
    _masked,
    _minus,
    _no_bytes,
    _no_shorts,
    _no_sums,
    _plus,
    _plus_counts,
    _plus_products,
    _plus_wide,
    _put,
    _ratios,
    _small_products,
    _times,
    _to_floats,
)

# All that `compiled_ranking` calls.
__all__ = [
    "count_bytes",
    "far_lists",
    "near_drawn",
    "near_lists",
    "rank_counted",
    "rank_drawn",
    "rank_turned",
    "turn_counts",
]

# Steps whose fractions are put down before they are added up, in 4 KiB, and numbers of each.
AT_ONCE, EACH = U(16), TWO * LANES

_NUMBERS = types.uint32[::1]
# Sums behind each entry and behind each positive; fractions; a window, as in `_numba_ranking`.
_ROOM = types.Tuple((_BYTES, _BYTES, _NUMBERS, _BYTES))
# Positives; negatives, where they are wanted; areas: a row for each list.
_OUT = types.UniTuple(types.float64[::1], 3)
# From which list to before which; whether for average precision, and whether sums are left raw.
_ROWS, _OPTIONS = types.UniTuple(_U64, 2), types.UniTuple(types.boolean, 2)

# ---------------------------------------------------------------- areas


@njit(forceinline=True)
def _sum_places(counts, places, first):
    """Sum the counts of the entries of one mark in a slot."""
    sums = _no_bytes()
    for i in range(first, first + SLOT):
        sums = _plus_counts(sums, counts, U(places[i]))
    return _plus_wide(_no_shorts(), sums)


@njit(forceinline=True)
def _slot_areas(counts, places, whole, start, stop, step):
    """Positives, negatives and twice the area of one list in resamples side by side."""
    twice, misses, total = _no_shorts(), _no_shorts(), _no_sums()
    for first in range(start, stop, step):
        area, above, below = _no_shorts(), _no_shorts(), _no_shorts()
        for k in range(first, min(first + step, stop)):
            negative = _sum_places(counts, places, TWO * SLOT * k)
            positive = _sum_places(counts, places, TWO * SLOT * k + SLOT)
            area = _plus(area, _times(negative, above))
            above = _plus(above, _plus(positive, _masked(positive, whole[k])))
            below = _plus(below, negative)
        total = _plus_products(_plus_wide(total, area), below, twice)
        twice = _plus(twice, above)
        misses = _plus(misses, below)
    return _halves(twice), misses, total


# ---------------------------------------------------------------- precision


@njit(forceinline=True)
def _sum_along(counts, places, start, stop, sums):
    """The sums of counts behind each entry, modulo 256, after a row of zeros."""
    total = _no_bytes()
    _put(total, sums, ZERO)
    at = LANES
    for i in range(start, stop):
        total = _plus_counts(total, counts, U(places[i]))
        _put(total, sums, at)
        at += LANES


@njit(forceinline=True)
def _take_step(sums, hit_sums, ends, k, state):
    """All entries and positives behind a step, in 16 bits, and modulo 256."""
    every, hits, last, last_hits = state
    upto = _counts_at(sums, U(ends[TWO * k]) & ~(LANES - ONE))
    hits_upto = _counts_at(hit_sums, U(ends[TWO * k + ONE]))
    every = _plus_wide(every, _minus(upto, last))
    hits = _plus_wide(hits, _minus(hits_upto, last_hits))
    return every, hits, upto, hits_upto


@njit(forceinline=True)
def _add_up(total, fractions, stop, fours):
    """Add fractions, filled up with zeros."""
    while stop & (FOUR * EACH - ONE):
        for i in range(LANES):
            fractions[stop + i] = np.uint32(0)
            fractions[stop + LANES + i] = np.uint32(1)
        stop += EACH
    if fours:
        for place in range(ZERO, stop, FOUR * EACH):
            total = _plus_four_fractions(total, fractions, place)
    else:
        for place in range(ZERO, stop, TWO * EACH):
            total = _plus_two_fractions(total, fractions, place)
    return total


@njit(forceinline=True)
def _step_precisions(room, ends, start, ahead, stop, fours):
    """Positives and sums of precisions of one list in resamples side by side."""
    sums, hit_sums, fractions, _ = room
    state = _no_shorts(), _no_shorts(), _no_bytes(), _no_bytes()
    for k in range(start, start + ahead):
        state = _take_step(sums, hit_sums, ends, k, state)
    before = state[1]
    total = _to_floats(before)
    place = ZERO
    for k in range(start + ahead, stop):
        state = _take_step(sums, hit_sums, ends, k, state)
        if ends[TWO * k] & ONE:
            continue
        every, hits = state[:2]
        _put(_small_products(_minus(hits, before), hits), fractions, place)
        _put(_plus_wide(_no_sums(), _at_least_one(every)), fractions, place + LANES)
        before = hits
        place += EACH
        if place == AT_ONCE * EACH:
            total = _add_up(total, fractions, place, fours)
            place = ZERO
    return state[1], _add_up(total, fractions, place, fours)


# ---------------------------------------------------------------- lists


@njit(forceinline=True)
def _near_room(unit):
    """Room for what is made of a list."""
    entries = U(unit.shape[1]) + ONE
    return (
        np.empty(LANES * entries, np.uint8),
        np.empty(LANES * entries, np.uint8),
        np.empty(AT_ONCE * EACH, np.uint32),
        np.empty(LANES * (FEW_ENTRIES + STEP), np.uint8),
    )


@njit(forceinline=True)
def _write_areas(hits, misses, twice, raw, out, place):
    """Write areas, or what they are made of."""
    held, others, made = out
    _put(_to_floats(hits), held, place)
    if raw:
        _put(_to_floats(misses), others, place)
        _put(_to_floats(twice), made, place)
    else:
        pairs = _float_products(_to_floats(_plus(hits, hits)), _to_floats(misses))
        _put(_ratios(_to_floats(twice), pairs), made, place)


@_compiled([types.void(_BYTES, _ROOM, _NEAR_LISTS, _ROWS, types.boolean, _OUT, _U64, _U64)])
def _near_areas(counts, room, lists, rows, raw, out, place, width):
    """Write the areas of some lists."""
    unit, together, starts, places, whole = lists[:5]
    near = counts, ZERO, counts, room[3]
    for r in range(rows[0], rows[1]):
        first, stop = starts[r], starts[r + ONE]
        if together > ZERO:
            step = together // (TWO * SLOT)
            hits, misses, twice = _slot_areas(counts, places, whole, first, stop, step)
            _write_areas(hits, misses, twice, raw, out, place)
        else:
            ends = places[TWO * first : TWO * stop]
            above, below, area = _list_areas(near, unit[r], MIXED, ends, whole[first:stop])
            _write_areas(above, below, area, raw, out, place)
        place += width


@njit(forceinline=True)
def _write_precisions(hits, total, raw, out, place):
    """Write average precisions, or what they are made of."""
    _put(_to_floats(hits), out[0], place)
    _put(total if raw else _ratios(total, _to_floats(hits)), out[2], place)


@_compiled([types.void(_BYTES, _ROOM, _NEAR_LISTS, _ROWS, types.boolean, _OUT, _U64, _U64)])
def _near_precisions(counts, room, lists, rows, raw, out, place, width):
    """Write the average precisions of some lists."""
    unit, together, steps, fours, starts, all_ends = lists[0], lists[1], *lists[5:]
    begin, before, places, hit_places, ends = steps
    near = counts, ZERO, counts, room[3]
    for r in range(rows[0], rows[1]):
        if together > ZERO:
            _sum_along(counts, places, begin[1, r], begin[1, r + ONE], room[0])
            _sum_along(counts, hit_places, begin[2, r], begin[2, r + ONE], room[1])
            stop = begin[0, r + ONE]
            hits, total = _step_precisions(room, ends, begin[0, r], before[r], stop, fours)
            _write_precisions(hits, total, raw, out, place)
        else:
            own = all_ends[TWO * starts[r] : TWO * starts[r + ONE]]
            above, _, precision = _list_precisions(near, unit[r], MIXED, own)
            _write_precisions(above, precision, raw, out, place)
        if raw:
            for i in range(LANES):
                out[1][place + i] = -out[0][place + i]
            for i in range(U(unit.shape[1])):
                for k in range(LANES):
                    out[1][place + k] += counts[(U(unit[r, i]) << LANE_SHIFT) + k]
        place += width


@_compiled([types.void(types.uint8[:, ::1], types.uint8[:, ::1], _U64)])
def turn_counts(counts, turned, units):
    """Put resamples side by side: a row of counts for each becomes a row for each few of them."""
    pitch = U(counts.shape[1])
    rows = counts.reshape(-1)
    for block in range(U(turned.shape[0])):
        first = (block << LANE_SHIFT) * pitch
        for unit in range(ZERO, units, STEP):
            _turn_some(rows, pitch, first + unit, turned[block], unit << LANE_SHIFT, LANES)


@njit(forceinline=True)
def _near_block(counts, room, lists, rows, options, out, place, width):
    """Write what the resamples side by side make of some lists."""
    if options[0]:
        _near_precisions(counts, room, lists, rows, options[1], out, place, width)
    else:
        _near_areas(counts, room, lists, rows, options[1], out, place, width)


@_compiled([types.void(types.uint8[:, ::1], _NEAR_LISTS, _ROWS, _OPTIONS, _OUT)])
def rank_turned(turned, lists, rows, options, out):
    """Write what resamples make of some lists, ``rows`` from one to before another.

    ``turned`` are counts of units as `turn_counts` puts them. The options are whether average
    precisions are wanted, not areas, and whether sums are left raw. Outputs have a row for each
    list and a column for each resample: positives; negatives, where sums are raw; areas or average
    precisions, which as raw sums are twice the area times both, and the sum over positives.
    """
    room = _near_room(lists[0])
    width = U(turned.shape[0]) << LANE_SHIFT
    for block in range(U(turned.shape[0])):
        place = block << LANE_SHIFT
        _near_block(turned[block], room, lists, rows, options, out, place, width)


@_compiled([types.void(*_RANGE, _NEAR_LISTS, _OPTIONS, _OUT)])
def near_drawn(key_0, key_1, start, stop, units, lists, options, out):
    """Draw resamples ``start`` to ``stop`` and write what they make of all lists."""
    state = _first_words(start, units, key_0, key_1)
    room = _near_room(lists[0])
    pitch = (units + STEP) | ONE
    counts, turned = np.zeros(LANES * pitch, np.uint8), np.zeros(LANES * (units + STEP), np.uint8)
    rows = ZERO, U(lists[0].shape[0])
    width = (stop - start + LANES - ONE) >> LANE_SHIFT << LANE_SHIFT
    for first in range(start, stop, LANES):
        counts[:] = np.uint8(0)
        for i in range(min(LANES, stop - first)):
            row = counts[i * pitch : i * pitch + units]
            state = _count_one(state, row, first + i, units, key_0, key_1)
        for unit in range(ZERO, units, STEP):
            _turn_some(counts, pitch, unit, turned, unit << LANE_SHIFT, LANES)
        _near_block(turned, room, lists, rows, options, out, first - start, width)
