"""Machine code for statistics of ranks: areas under ROC curves and sums of average precision.

A list holds entries by falling score, each with its unit, its mark and its ties. What a resample
needs of it are the sums of its counts over runs of entries: negatives, then positives, in turns.
One such turn is an item; `ranking_lists` finds the items once, for all resamples.

How it is fast:

- The draws of one resample are counted in bytes, which stay in the caches of a core, while the
  words of the next draws are made.
- Then the counts of some resamples are put side by side, a few entries of a list at a time, in a
  window that stays in the first cache; one instruction serves all these resamples.
- Sums of so few entries fit into 32 bits, and so do products of two of them.

Lists of few units have kernels of their own (`_numba_near`).
"""

# Numba has no types to check against, and it reads the types of arguments from the calls.
# mypy: ignore-errors
# ruff: noqa: ANN001, ANN202

from __future__ import annotations

import numpy as np
from numba import njit, types

from halfwidth.resampling.kernels._numba import (
    EIGHT,
    FEW_N,
    FOUR,
    ONE,
    SIXTEEN,
    TWO,
    ZERO,
    U,
    _block,
    _compiled,
    _fill,
    _layout,
    _to_positions,
)
from halfwidth.resampling.kernels._numba_lists import (
    _ENDS,
    _LISTS,
    AHEAD,
    MIXED,
    NEAR,
    ONWARDS,
)
from halfwidth.resampling.kernels._numba_vectors import (
    FLOATS,
    LANE_SHIFT,
    LANES,
    LINE,
    STEP,
    SUMS,
    TOTALS,
    _call_for,
    _masked,
    _move,
    _no_floats,
    _no_sums,
    _no_totals,
    _plus,
    _plus_counts,
    _plus_products,
    _plus_shares,
    _plus_wide,
    _store,
    _times,
    _turn,
)

__all__ = ["count_bytes", "rank_counted", "rank_drawn"]

# Sums of counts over a whole list are numbers of 32 bits. A count above 255, or sums that reach
# 2**31 over lists that fit into memory, have no probability that a computer could tell from 0.

# Twice the product of two sums over so many entries in all, each up to 255, fits into 32 bits.
FEW_ENTRIES = U(256)

# ---------------------------------------------------------------- draws


@njit(inline="always")  # compiled in its place only
def _count_and_fill(far, draws, positions, counts, words, full, counter, key_0, key_1):
    """Count ``full`` blocks of draws, and meanwhile make as many blocks of the next words."""
    at = ZERO
    for i in range(full):
        _block(words, i, counter + i, key_0, key_1)
        if far:
            for k in range(draws):
                _call_for(counts, U(positions[at + AHEAD + k]))
        for k in range(draws):
            counts[U(positions[at + k])] += np.uint8(1)
        at += draws


_BYTES = types.uint8[::1]
_WORDS = types.uint64[::1]
_U64 = types.uint64
_RANGE = (_U64,) * 5
_ROW_UNITS = types.int32[::1]
_TOTALS, _SHARES_OUT = types.int64[:, ::1], types.float64[:, ::1]
_STATE = types.UniTuple(_WORDS, 2)


@_compiled([_STATE(_STATE, _BYTES, _U64, _U64, _U64, _U64)])
def _count_one(state, counts, b, units, key_0, key_1):
    """Count the draws of resample ``b``, and make the first words of the next."""
    words, upcoming = state
    draws, blocks, size, pieces = _layout(units)
    few, far = units <= FEW_N, units > NEAR
    for piece in range(pieces):
        _to_positions(words, FOUR * size, units)
        pairs, ones = words.view(np.uint16), words.view(np.uint32)
        drawn = min(size * draws, units - piece * size * draws)
        full = drawn // draws
        # The next piece is one of this resample or the first of the next.
        counter = b * blocks + min((piece + ONE) * size, blocks)
        if few:
            _count_and_fill(False, SIXTEEN, pairs, counts, upcoming, full, counter, key_0, key_1)
        elif far:
            _count_and_fill(True, draws, ones, counts, upcoming, full, counter, key_0, key_1)
        else:
            _count_and_fill(False, EIGHT, ones, counts, upcoming, full, counter, key_0, key_1)
        _fill(upcoming, full, size, counter, key_0, key_1)
        for i in range(full * draws, drawn):
            counts[U(pairs[i]) if few else U(ones[i])] += np.uint8(1)
        words, upcoming = upcoming, words
    return words, upcoming


@njit(forceinline=True)
def _first_words(b, units, key_0, key_1):
    """The state before resample ``b``: its first words, and room for the next."""
    _, blocks, size, _ = _layout(units)
    words = np.zeros(FOUR * size + AHEAD, np.uint64)  # so that looking ahead stays inside
    _fill(words, ZERO, size, b * blocks, key_0, key_1)
    return words, np.zeros(FOUR * size + AHEAD, np.uint64)


@_compiled([types.void(*_RANGE, types.uint8[:, ::1], _U64)])
def count_bytes(key_0, key_1, start, stop, units, counts, first):
    """Add to the counts how often each unit is drawn; those of unit 0 are in column ``first``."""
    state = _first_words(start, units, key_0, key_1)
    for b in range(start, stop):
        row = counts[b - start, first : first + units]
        state = _count_one(state, row, b, units, key_0, key_1)


# ---------------------------------------------------------------- resamples side by side

# Rows of counts, one of each resample, and the bytes from one to the next; the same counts with
# resamples side by side, where a list needs them; room for those of a few entries of a list.
_COUNTS = types.Tuple((_BYTES, _U64, _BYTES, _BYTES))


@njit(forceinline=True)
def _room(units, lists):
    """Room for counts; no two of its rows share all their sets of a cache."""
    pitch = (units + STEP + LANES + LINE) // LINE * LINE | LINE
    aside = units + STEP if (lists[1] == MIXED).any() else ZERO
    return (
        np.zeros(LANES * pitch, np.uint8),
        pitch,
        np.zeros(LANES * aside, np.uint8),  # the unit behind the last is never drawn
        np.empty(LANES * (FEW_ENTRIES + STEP), np.uint8),
    )


@njit(forceinline=True)
def _turn_some(rows, pitch, start, into, place, step):
    """Turn a step of units of all rows."""
    for first in range(ZERO, LANES, STEP):
        _turn(rows, pitch, start + first * pitch, into, place + first, step)


@njit(forceinline=True)
def _turn_all(room, units):
    """Turn all rows of counts, where a list needs it."""
    rows, pitch, aside, _ = room
    if aside.size > 0:
        for unit in range(ZERO, units, STEP):
            _turn_some(rows, pitch, STEP + unit, aside, unit << LANE_SHIFT, LANES)


@_compiled([types.void(_COUNTS, _ROW_UNITS, _U64, _U64, _U64)])
def _open(room, unit, order, first, stop):
    """Put the counts of some entries of a list into the window, by entry."""
    rows, pitch, aside, window = room
    entries = U(len(unit))
    if order == MIXED:
        for i in range(first, stop):
            ahead = U(unit[min(i + AHEAD, entries - ONE)])
            _call_for(aside, ahead << LANE_SHIFT)
            place = (i - first) << LANE_SHIFT
            _move(aside, U(unit[i]) << LANE_SHIFT, window, place, False)
        return
    start = STEP + first if order == ONWARDS else entries - first
    step = LANES if order == ONWARDS else ZERO - LANES
    place = ZERO if order == ONWARDS else (STEP - ONE) << LANE_SHIFT
    for i in range(LANES):  # what comes next
        for k in range(FEW_ENTRIES, TWO * FEW_ENTRIES, LINE):
            _call_for(rows, i * pitch + (start + k if order == ONWARDS else start - k))
    for _ in range(first, stop, STEP):
        _turn_some(rows, pitch, start, window, place, step)
        start = start + STEP if order == ONWARDS else start - STEP
        place += STEP << LANE_SHIFT


@njit(forceinline=True)
def _sum_window(window, first, stop):
    """Sum the counts of some entries in the window."""
    sums = _no_sums()
    for i in range(first, stop):
        sums = _plus_counts(sums, window, i << LANE_SHIFT)
    return sums


@njit(forceinline=True)
def _fitting(ends, i, first):
    """The item behind the last that ends among the next few entries, and where that one ends."""
    items, stop = U(len(ends)) // TWO, first
    while i < items and U(ends[TWO * i + ONE]) - first <= FEW_ENTRIES:
        stop = U(ends[TWO * i + ONE])
        i += ONE
    return i, stop


@_compiled([SUMS(_COUNTS, _ROW_UNITS, _U64, _U64, _U64)])
def _sum_entries(room, unit, order, first, stop):
    """Sum the counts of any number of entries."""
    sums = _no_sums()
    for begun in range(first, stop, FEW_ENTRIES):
        ended = min(begun + FEW_ENTRIES, stop)
        _open(room, unit, order, begun, ended)
        sums = _plus(sums, _sum_window(room[3], ZERO, ended - begun))
    return sums


@_compiled([types.Tuple((SUMS, SUMS, TOTALS))(_COUNTS, _ROW_UNITS, _U64, _ENDS, _ENDS)])
def _list_areas(room, unit, order, ends, tied):
    """Positives, negatives and twice the areas of one list in resamples side by side."""
    hits, misses, total = _no_sums(), _no_sums(), _no_totals()
    i, begun = ZERO, ZERO
    while i < U(len(tied)):
        area, above, below = _no_sums(), _no_sums(), _no_sums()
        item, stop = _fitting(ends, i, begun)
        if item > i:  # what they add to the area fits into 32 bits
            _open(room, unit, order, begun, stop)
            first = ZERO
            for k in range(i, item):
                middle, last = U(ends[TWO * k]) - begun, U(ends[TWO * k + ONE]) - begun
                negative = _sum_window(room[3], first, middle)
                positive = _sum_window(room[3], middle, last)
                twice = _plus(_plus(above, above), _masked(positive, tied[k]))
                area = _plus(area, _times(negative, twice))
                above = _plus(above, positive)
                below = _plus(below, negative)
                first = last
            i = item
        else:
            middle, stop = U(ends[TWO * i]), U(ends[TWO * i + ONE])
            below = _sum_entries(room, unit, order, begun, middle)
            above = _sum_entries(room, unit, order, middle, stop)
            total = _plus_products(total, below, _masked(above, tied[i]))
            i += ONE
        total = _plus_wide(total, area)
        total = _plus_products(total, below, hits)
        total = _plus_products(total, below, hits)
        hits = _plus(hits, above)
        misses = _plus(misses, below)
        begun = stop
    return hits, misses, total


@_compiled([types.Tuple((SUMS, SUMS, FLOATS))(_COUNTS, _ROW_UNITS, _U64, _ENDS)])
def _list_precisions(room, unit, order, ends):
    """Positives, negatives and sums of precisions of one list in resamples side by side."""
    hits, misses, total = _no_sums(), _no_sums(), _no_floats()
    i, begun = ZERO, ZERO
    while i < U(len(ends)) // TWO:
        item, stop = _fitting(ends, i, begun)
        if item > i:
            _open(room, unit, order, begun, stop)
            first = ZERO
            for k in range(i, item):
                middle, last = U(ends[TWO * k]) - begun, U(ends[TWO * k + ONE]) - begun
                misses = _plus(misses, _sum_window(room[3], first, middle))
                positive = _sum_window(room[3], middle, last)
                hits = _plus(hits, positive)
                total = _plus_shares(total, positive, hits, _plus(hits, misses))
                first = last
            i = item
        else:
            middle, stop = U(ends[TWO * i]), U(ends[TWO * i + ONE])
            misses = _plus(misses, _sum_entries(room, unit, order, begun, middle))
            positive = _sum_entries(room, unit, order, middle, stop)
            hits = _plus(hits, positive)
            total = _plus_shares(total, positive, hits, _plus(hits, misses))
            i += ONE
        begun = stop
    return hits, misses, total


@njit(forceinline=True)
def _write(vector, room, row, column, lanes):
    """Write the numbers of some lanes into a row."""
    _store(vector, room)
    for i in range(lanes):
        row[column + i] = room[i]


@njit(forceinline=True)
def _rank_block(room, lists, column, lanes, positives, negatives, areas, precisions):
    """Write what the resamples side by side make of each list, from one column on."""
    unit, orders, roc, roc_ends, tied, curve, curve_ends = lists
    whole, share = np.empty(LANES, np.int64), np.empty(LANES, np.float64)
    for r in range(U(unit.shape[0])):
        order = orders[r]
        if roc.size > 0:
            first, stop = roc[r], roc[r + ONE]
            ends = roc_ends[TWO * first : TWO * stop]
            hits, misses, area = _list_areas(room, unit[r], order, ends, tied[first:stop])
            _write(area, whole, areas[r], column, lanes)
            _write(hits, whole, positives[r], column, lanes)
            _write(misses, whole, negatives[r], column, lanes)
        if curve.size > 0:
            ends = curve_ends[TWO * curve[r] : TWO * curve[r + ONE]]
            hits, misses, total = _list_precisions(room, unit[r], order, ends)
            _write(total, share, precisions[r], column, lanes)
            _write(hits, whole, positives[r], column, lanes)
            _write(misses, whole, negatives[r], column, lanes)


@_compiled([types.void(*_RANGE, _LISTS, *(_TOTALS,) * 3, _SHARES_OUT)])
def rank_drawn(key_0, key_1, start, stop, units, lists, positives, negatives, areas, precisions):
    """Draw resamples ``start`` to ``stop`` and write what they make of each list.

    Outputs have a row for each list and a column for each resample: drawn positives and negatives;
    twice the area times both, where asked for; the sum of precisions, where asked for.
    """
    state = _first_words(start, units, key_0, key_1)
    room = _room(units, lists)
    rows, pitch = room[:2]
    row = np.zeros(units + LANES, np.uint8)  # stays close, unlike all rows
    for first in range(start, stop, LANES):
        lanes = min(LANES, stop - first)
        for i in range(lanes):
            state = _count_one(state, row, first + i, units, key_0, key_1)
            for k in range(ZERO, units, LANES):
                _move(row, k, rows, i * pitch + STEP + k, True)
        _turn_all(room, units)
        _rank_block(room, lists, first - start, lanes, positives, negatives, areas, precisions)


@_compiled(
    [
        types.void(
            types.Array(types.uint8, 2, "C", readonly=True), _LISTS, *(_TOTALS,) * 3, _SHARES_OUT
        )
    ]
)
def rank_counted(given, lists, positives, negatives, areas, precisions):
    """Write what resamples make of each list: (B, units) says how often each has each unit."""
    resamples, units = U(given.shape[0]), U(given.shape[1])
    room = _room(units, lists)
    rows, pitch = room[:2]
    for first in range(ZERO, resamples, LANES):
        lanes = min(LANES, resamples - first)
        for i in range(lanes):
            for k in range(units):
                rows[i * pitch + STEP + k] = given[first + i, k]
        _turn_all(room, units)
        _rank_block(room, lists, first, lanes, positives, negatives, areas, precisions)
