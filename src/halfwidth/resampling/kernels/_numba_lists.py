"""Lists of ranked entries as the machine code for areas takes them, made once for all resamples.

A list holds entries by falling score, each with its unit, its mark and its ties. What a resample
needs of it are the sums of its counts over runs of entries: negatives, then positives, in turns.
One such turn is an item. A list of few units is cut into slots of equal shape instead for areas
under ROC curves, and into steps for average precision.
"""

# Numba has no types to check against, and it reads the types of arguments from the calls.
# mypy: ignore-errors
# ruff: noqa: ANN001, ANN202

from __future__ import annotations

import numpy as np
from numba import njit, types

from halfwidth.resampling.kernels._numba import (
    FOUR,
    ONE,
    TWO,
    ZERO,
    U,
    _compiled,
)
from halfwidth.resampling.kernels._numba_vectors import (
    LANE_SHIFT,
)

# Bits of a mark.
POSITIVE, LAST = np.uint8(1), np.uint8(2)
# Entries of each mark in a slot, and entries of slots taken together. Counts of so many entries of
# different units, which have no probability to be above 362 in sum, have products of 16 bits.
SLOT, TOGETHER = FOUR, U(128)
# Entries in a step: counts of so many, of different units, are below 256 in sum.
STRIDE = U(64)
# Where a list may have more than one entry of a unit, those are so many fewer; up to here they do.
MOST_TIMES = U(10)
# Counts of a whole list are below this in sum: so products of two of them have 32 bits.
MOST_DRAWN = U(2**15)
# Most positives of which four fractions may be brought to one denominator: their products then
# stay below 2**53 where all are 1, which leaves the average precision of a perfect list exact.
MOST_IN_FOURS = U(3400)
# Bytes of counts that stay in the caches of one core, and draws between call and use.
NEAR, AHEAD = U(2**18), U(32)
ALL_BITS, NO_BITS = np.uint32(0xFFFFFFFF), np.uint32(0)

# The entries of a list are the units from the first to the last, or back, or anything else.
ONWARDS, BACKWARDS, MIXED = U(0), U(1), U(2)

_READ_UNITS = types.Array(types.int32, 2, "C", readonly=True)
_READ_MARKS = types.Array(types.uint8, 2, "C", readonly=True)
_ROW_MARKS = types.Array(types.uint8, 1, "C", readonly=True)
_UNITS, _ENDS, _STARTS = types.int32[:, ::1], types.uint32[::1], types.uint64[::1]
# Units by list and entry, and the order of each list; for areas: the first item of each list, the
# end of the negatives and that of the positives of each item, all bits for items that are ties; for
# precision: the first items and the ends.
_LISTS = types.Tuple((_UNITS, _STARTS, _STARTS, _ENDS, _ENDS, _STARTS, _ENDS))
_ITEMS = types.Tuple((_STARTS, _ENDS, _ENDS))
# Of steps: the first step, entry and positive of each list; how many of its steps are ahead of the
# first negative; where the counts of entries are, and of positives; behind which entries and which
# positives a step ends.
_STEPS = types.Tuple((types.uint64[:, ::1], _STARTS, _ENDS, _ENDS, _ENDS))
# Units by list and entry; how many entries of slots are taken together, 0 where lists are not cut
# into slots and steps; for areas: the first slot of each list, where the counts of the entries of
# each slot are, all bits for slots whose positives count twice; or items, as above; for precision:
# steps, whether to bring four of their fractions to one denominator or two; or items.
_NEAR_LISTS = types.Tuple(
    (_UNITS, types.uint64, _STARTS, _ENDS, _ENDS, _STEPS, types.boolean, _STARTS, _ENDS)
)


@njit(forceinline=True)
def _group(marks, first):
    """Where the tie group that begins there stops, and its positives."""
    stop, hits = first + ONE, U(marks[first] & POSITIVE)
    while stop < U(len(marks)) and not marks[stop - ONE] & LAST:
        hits += U(marks[stop] & POSITIVE)
        stop += ONE
    return stop, hits


@njit(forceinline=True)
def _part_ties(units, marks):
    """Within each tie group put the negatives first, in place where they are not already."""
    entries = U(len(units))
    room = np.empty(len(units), np.int32)
    first = ZERO
    while first < entries:
        last = first
        while last + ONE < entries and not marks[last] & LAST:
            last += ONE
        stop = last + ONE
        if stop - first > ONE:
            at = first
            kept = ZERO
            for i in range(first, stop):
                if marks[i] & POSITIVE:
                    room[kept] = units[i]
                    kept += ONE
                else:
                    units[at] = units[i]
                    at += ONE
            for i in range(kept):
                units[at + U(i)] = room[i]
        first = stop


@njit(forceinline=True)
def _items(marks, merge, ends, tied, made):
    """Append the items of one list; ``merge`` makes one of positives that no negative parts."""
    entries = U(len(marks))
    first = stop = end = ZERO  # where the open item starts, its negatives stop, and it ends
    while end < entries:
        last, hits = end, U(marks[end] & POSITIVE)
        while last + ONE < entries and not marks[last] & LAST:
            last += ONE
            hits += U(marks[last] & POSITIVE)
        group = last + ONE - end
        misses = group - hits
        mixed = merge and hits > ZERO and misses > ZERO
        parted = end > stop and (misses > ZERO or not merge)
        if parted or (mixed and end > first):
            ends[TWO * made], ends[TWO * made + ONE] = stop, end
            tied[made] = NO_BITS
            made += ONE
            first = stop = end
        if misses > ZERO:
            stop = end + misses
        end = last + ONE
        if mixed:
            ends[TWO * made], ends[TWO * made + ONE] = stop, end
            tied[made] = ALL_BITS
            made += ONE
            first = stop = end
    if end > first:
        ends[TWO * made], ends[TWO * made + ONE] = stop, end
        tied[made] = NO_BITS
        made += ONE
    return made


@njit(forceinline=True)
def _all_items(marks, merge, wanted):
    """The items of all lists: where those of each list start, their ends and whether they tie."""
    if not wanted:
        return np.empty(0, np.uint64), np.empty(0, np.uint32), np.empty(0, np.uint32)
    lists = len(marks)
    starts = np.zeros(lists + 1, np.uint64)
    ends = np.empty(2 * marks.size, np.uint32)
    tied = np.empty(marks.size, np.uint32)
    for r in range(lists):
        starts[r + 1] = _items(marks[r], merge, ends, tied, starts[r])
    made = starts[lists]
    return starts, ends[: TWO * made].copy(), tied[:made].copy()


@njit(forceinline=True)
def _most_times(unit, units):
    """How often a unit comes in a list at most."""
    most = ZERO
    for r in range(unit.shape[0]):
        times = np.zeros(units, np.uint64)
        for i in range(unit.shape[1]):
            times[U(unit[r, i])] += ONE
            most = max(most, times[U(unit[r, i])])
    return most


@njit(forceinline=True)
def _fill_slots(state, units, first, stop, positive, twice, places, whole):
    """Append some entries of one mark to the slots of a list.

    The state are the slots so far, and the negatives and positives in the last.
    """
    made, misses, hits = state
    for i in range(first, stop):
        if positive:
            fits = hits == ZERO or (hits < SLOT and whole[made - ONE] == twice)
        else:
            fits = hits == ZERO and misses < SLOT
        if made == ZERO or not fits:
            made += ONE
            misses = hits = ZERO
        place = U(units[i]) << LANE_SHIFT
        if positive:
            places[(TWO * made - ONE) * SLOT + hits] = place
            whole[made - ONE] = twice
            hits += ONE
        else:
            places[(TWO * made - TWO) * SLOT + misses] = place
            misses += ONE
    return made, misses, hits


@_compiled([types.uint64(types.int32[::1], _ROW_MARKS, _ENDS, _ENDS)])
def _slots(units, marks, places, whole):
    """Fill the slots of one list whose ties are parted; return how many there are.

    A tie counts half. So positives that are tied with negatives come before them, to count once,
    and again behind them; others come once, to count twice.
    """
    entries = U(len(marks))
    state = ZERO, ZERO, ZERO
    first = ZERO
    while first < entries:
        stop, hits = _group(marks, first)
        middle = stop - hits
        tied = first < middle < stop
        if tied:
            state = _fill_slots(state, units, middle, stop, True, NO_BITS, places, whole)
        state = _fill_slots(state, units, first, middle, False, NO_BITS, places, whole)
        twice = NO_BITS if tied else ALL_BITS
        state = _fill_slots(state, units, middle, stop, True, twice, places, whole)
        first = stop
    return state[0]


@_compiled([_ITEMS(_UNITS, _READ_MARKS, types.uint64)])
def _all_slots(unit, marks, units):
    """The slots of all lists: where those of each list start, places, and what counts twice."""
    lists, entries = len(marks), U(marks.shape[1])
    starts = np.zeros(lists + 1, np.uint64)
    places = np.empty(TWO * SLOT * entries, np.uint32)
    whole = np.empty(entries, np.uint32)
    for r in range(lists):
        starts[r + 1] = starts[r] + _slots(unit[r], marks[r], places, whole)
    all_places = np.empty(TWO * SLOT * starts[lists], np.uint32)
    for i in range(len(all_places)):
        all_places[i] = units << LANE_SHIFT
    all_whole = np.zeros(starts[lists], np.uint32)
    for r in range(lists):
        first, stop = starts[r], starts[r + 1]
        own = all_places[TWO * SLOT * first : TWO * SLOT * stop]
        _slots(unit[r], marks[r], own, all_whole[first:stop])
    return starts, all_places, all_whole


@njit(forceinline=True)
def _step(ends, made, entries, hits, passed):
    """Append a step that ends behind so many entries, of which so many are positive."""
    ends[TWO * made] = (entries << LANE_SHIFT) | passed
    ends[TWO * made + ONE] = hits << LANE_SHIFT
    return made + ONE


@_compiled([types.UniTuple(types.uint64, 2)(_ROW_MARKS, types.uint64, _ENDS)])
def _steps(marks, stride, ends):
    """Write the steps of one list; return how many are ahead of its first negative, and how many.

    A step ends with a tie group that has a positive; or earlier, where it would get too long, and
    ahead of the first negative, where precision is 1: then its first number is odd.
    """
    entries = U(len(marks))
    ahead = made = kept = first = begun = hits = ZERO
    leads = True
    while first < entries:
        stop, own = _group(marks, first)
        behind = stop - own  # of its negatives
        if leads and behind > first:
            leads = False
            if first > begun:
                made, begun = _step(ends, made, first, hits, ONE), first
            ahead = kept = made
        while stop - begun > stride:
            begun += stride
            made = _step(ends, made, begun, hits + begun - min(begun, behind), ONE)
        hits += own
        if own > ZERO and not leads:
            made, begun = _step(ends, made, stop, hits, ZERO), stop
            kept = made
        first = stop
    if leads:
        ahead = kept = _step(ends, made, entries, hits, ONE)
    return ahead, kept


@_compiled([_STEPS(_UNITS, _READ_MARKS, types.uint64)])
def _all_steps(unit, marks, stride):
    """The steps of all lists whose ties are parted."""
    lists, entries = len(marks), U(marks.shape[1])
    starts, before = np.zeros((3, lists + 1), np.uint64), np.zeros(lists, np.uint64)
    most = TWO * (entries + entries // stride + TWO)
    places, hits = np.empty(marks.size, np.uint32), np.empty(marks.size, np.uint32)
    ends = np.empty(U(lists) * most, np.uint32)
    for r in range(lists):
        step, entry, hit = starts[0, r], starts[1, r], starts[2, r]
        own = ends[TWO * step :]
        before[r], made = _steps(marks[r], stride, own)
        first = ZERO
        while made > ZERO and first < own[TWO * made - TWO] >> LANE_SHIFT:
            stop, positives = _group(marks[r], first)
            for i in range(first, stop):
                places[entry + i] = U(unit[r, i]) << LANE_SHIFT
                if i >= stop - positives:
                    hits[hit] = places[entry + i]
                    hit += ONE
            first = stop
        starts[0, r + 1], starts[1, r + 1], starts[2, r + 1] = step + made, entry + first, hit
    return starts, before, places, hits, ends


@njit(forceinline=True)
def _no_steps():
    starts, nothing = np.empty((0, 0), np.uint64), np.empty(0, np.uint32)
    return starts, np.empty(0, np.uint64), nothing, nothing, nothing


@njit(forceinline=True)
def _part_all_ties(unit, mark):
    """A copy of the units of all lists, negatives first within each tie group."""
    parted = unit.copy()
    for r in range(unit.shape[0]):
        _part_ties(parted[r], mark[r])
    return parted


@_compiled([_LISTS(_READ_UNITS, _READ_MARKS, types.uint64, types.boolean, types.boolean)])
def far_lists(unit, mark, units, areas, precisions):
    """What `rank_drawn` and `rank_counted` need of the lists.

    ``unit`` and ``mark`` have a row for each list, its entries by falling score: which of the
    ``units`` an entry belongs to; whether it is positive (bit 0) and whether it is the last of its
    tie group (bit 1). Nothing is checked. Quickest are lists that go through all units in order,
    first to last or back; within a tie group that means negatives first.
    """
    unit = _part_all_ties(unit, mark)
    entries = U(unit.shape[1])
    orders = np.empty(unit.shape[0], np.uint64)
    for r in range(unit.shape[0]):
        onwards = backwards = entries == units
        for i in range(entries):
            onwards &= U(unit[r, i]) == i
            backwards &= U(unit[r, i]) + i + ONE == units
        orders[r] = ONWARDS if onwards else BACKWARDS if backwards else MIXED
    roc = _all_items(mark, True, areas)
    curve = _all_items(mark, False, precisions)
    return unit, orders, roc[0], roc[1], roc[2], curve[0], curve[1]


@_compiled([_NEAR_LISTS(_READ_UNITS, _READ_MARKS, types.uint64, types.boolean, types.boolean)])
def near_lists(unit, mark, units, areas, precisions):
    """What `near_drawn` and `rank_turned` need of the lists, of few units, in the same form."""
    unit = _part_all_ties(unit, mark)
    most = max(_most_times(unit, units), ONE)
    # All draws of one unit, or no more than what has no probability.
    short = most * units <= U(255) or (most <= MOST_TIMES and most * units < MOST_DRAWN)
    together = max(TOGETHER // most // (TWO * SLOT), ONE) * TWO * SLOT if short else ZERO
    roc = _all_slots(unit, mark, units) if short and areas else _all_items(mark, True, areas)
    curve = _all_items(mark, False, precisions and not short)
    steps = _all_steps(unit, mark, STRIDE // most) if short and precisions else _no_steps()
    fours = True
    for r in range(unit.shape[0]):
        fours &= (mark[r] & POSITIVE).sum() <= MOST_IN_FOURS
    return unit, together, roc[0], roc[1], roc[2], steps, fours, curve[0], curve[1]
