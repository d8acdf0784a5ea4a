"""Curves of ranked matches in the compiled library.

Calls are checked as those of `native`, which makes them.
`halfwidth.detection.arithmetic.match_curves` has the NumPy twins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import Ranking
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.detection.forms.declared import ScoredMatches
from halfwidth.detection.matching.match_lists import Outcome
from halfwidth.resampling.kernels import native
from halfwidth.resampling.kernels.native import LANES, Counts, address

# As in the C file: bits of a word that stand for thresholds.
MOST_THRESHOLDS = 26
# Entries of a list, each as often as it may be drawn, fit into 32 bits.
MOST_ENTRIES = 2**27
# No number of false positives is larger.
MOST_FALSE = 2.0**30


@frozen(eq=False)
class Objects:
    """What is to be found, class after class."""

    starts: NDArray[np.intp]  # Where the images of each class begin
    # Units of images that hold some, and how many
    unit: NDArray[np.int32]
    times: NDArray[np.int32]
    units: int


@frozen(eq=False)
class PrecisionLists:
    """Detections in the form of the kernel for precision and recall, class after class."""

    thresholds: int
    units: int
    # Where the events, and the plain entries, of each class begin
    starts: NDArray[np.int64]
    plain_starts: NDArray[np.int64]
    # Units of the plain entries, false positives at all thresholds, and of the events
    plain: NDArray[np.int32]
    unit: NDArray[np.int32]
    runs: NDArray[np.int32]  # Plain entries before each event
    # At which thresholds an event is a true positive, and counts for nothing
    true: NDArray[np.uint32]
    ignored: NDArray[np.uint32]


@frozen(eq=False)
class FrocLists:
    """Detections in the form of the kernel for FROC curves, by class and threshold."""

    thresholds: int
    units: int
    starts: NDArray[np.int64]  # Where each list begins
    unit: NDArray[np.int32]
    mark: NDArray[np.uint8]  # As in `Ranking`


def fits(by_class: Sequence[ScoredMatches]) -> bool:
    """Whether lists are not too long for the kernels."""
    return all(
        len(one.image) < MOST_ENTRIES and 0 < len(one.outcome) <= MOST_THRESHOLDS
        for one in by_class
    )


def _starts(sizes: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)


def _joined(parts: Sequence[NDArray[Any]], kind: type) -> NDArray[Any]:
    return np.concatenate([*parts, np.empty(0, kind)]).astype(kind)


# --------------------------------------------------------------------------- preparing


def objects_of(
    by_class: Sequence[ScoredMatches], unit_of_image: NDArray[np.intp], units: int
) -> Objects:
    """What is to be found of each class, by unit."""
    places = [np.flatnonzero(one.references) for one in by_class]
    unit = _joined([unit_of_image[own] for own in places], np.int32)
    times = _joined(
        [one.references[own] for one, own in zip(by_class, places, strict=True)], np.int32
    )
    _check_units(unit, units)
    return Objects(_starts([len(own) for own in places]), unit, times, units)


def _check_units(unit: NDArray[np.int32], units: int) -> None:
    if len(unit) and (unit.min() < 0 or unit.max() >= units):
        raise ValueError(f"units {unit.min()} to {unit.max()} are beyond {units}")


def precision_lists(
    by_class: Sequence[ScoredMatches], unit_of_image: NDArray[np.intp], units: int
) -> PrecisionLists:
    """Matches in the form of the kernel, but for what never counts or follows the last true one."""
    parts = [_events(one, unit_of_image) for one in by_class]
    plain, unit, runs, true, ignored = zip(*parts, strict=True)
    all_plain, all_events = _joined(plain, np.int32), _joined(unit, np.int32)
    _check_units(all_plain, units)
    _check_units(all_events, units)
    return PrecisionLists(
        len(by_class[0].outcome),
        units,
        _starts([len(one) for one in unit]),
        _starts([len(one) for one in plain]),
        all_plain,
        all_events,
        _joined(runs, np.int32),
        _joined(true, np.uint32),
        _joined(ignored, np.uint32),
    )


def _events(matches: ScoredMatches, unit_of_image: NDArray[np.intp]) -> tuple[NDArray[Any], ...]:
    """Units of plain entries, units of events, plain ones before each, and what events are."""
    outcome = matches.outcome
    _check_found(matches)
    bit = np.uint32(1) << np.arange(len(outcome), dtype=np.uint32)[:, None]
    true, ignored = (
        np.where(outcome == which, bit, 0).sum(axis=0, dtype=np.uint32)
        for which in (Outcome.TRUE_POSITIVE, Outcome.IGNORED)
    )
    last = np.flatnonzero(true)[-1:] + 1
    kept = np.flatnonzero(ignored != bit.sum())
    kept = kept[kept < last] if len(last) else kept[:0]
    event = (true | ignored)[kept] != 0
    unit = unit_of_image[matches.image[kept]]
    runs = np.diff(np.cumsum(~event)[event], prepend=0)
    return unit[~event], unit[event], runs, true[kept][event], ignored[kept][event]


def _check_found(matches: ScoredMatches) -> None:
    """Whether no image has more true positives than objects, so that no recall exceeds 1."""
    for outcome in matches.outcome:
        true = matches.image[outcome == Outcome.TRUE_POSITIVE]
        counts = np.bincount(true, minlength=len(matches.references))
        if (counts > matches.references).any():
            raise ValueError("an image has more true positives than objects to be found")


def froc_lists(
    by_class: Sequence[ScoredMatches], unit_of_image: NDArray[np.intp], units: int
) -> FrocLists:
    """Lists of matches by class and threshold in the form of the kernel, for all resamples."""
    parts = [
        (unit_of_image[one.image[kept]], mark)
        for one in by_class
        for kept, mark in (marked(one, threshold) for threshold in range(len(one.outcome)))
    ]
    unit = _joined([own for own, _ in parts], np.int32)
    _check_units(unit, units)
    mark = _joined([own for _, own in parts], np.uint8)
    sizes = [len(own) for own, _ in parts]
    return FrocLists(len(by_class[0].outcome), units, _starts(sizes), unit, mark)


def marked(matches: ScoredMatches, threshold: int) -> tuple[NDArray[np.intp], NDArray[np.uint8]]:
    """Entries that count at a threshold, and their marks as in a `Ranking`."""
    outcome = matches.outcome[threshold]
    kept = np.flatnonzero(outcome != Outcome.IGNORED)
    score = np.append(0, np.cumsum(matches.last))[kept]
    last = np.diff(score, append=-1) != 0
    true = outcome[kept] == Outcome.TRUE_POSITIVE
    return kept, (Ranking.POSITIVE * true + Ranking.LAST_OF_TIES * last).astype(np.uint8)


# --------------------------------------------------------------------------- resamples


def _parts(array: NDArray[Any]) -> range:
    """Where each part of an array begins, by its first axis: a call takes longer to ask for it."""
    start = array.ctypes.data
    return range(start, start + len(array) * array.strides[0], array.strides[0])


def _blocks(counts: Counts, units: int) -> range:
    """Where the counts of each block of resamples are, after a look at them."""
    if counts.units != units:
        raise ValueError(f"counts of {counts.units} units, lists of {units}")
    address(counts.turned, np.uint8, counts.turned.shape)
    if counts.turned.shape[1] < (units + 1) * LANES:
        raise ValueError(f"counts of shape {counts.turned.shape} for {units} units")
    return _parts(counts.turned)


def objects_drawn(objects: Objects, counts: Counts) -> Array:
    """What is to be found of each class in each resample, (C, B)."""
    blocks = _blocks(counts, objects.units)
    sizes = np.diff(objects.starts).tolist()
    total = np.zeros((len(blocks), len(sizes), LANES))
    unit, times = (
        [one.ctypes.data + one.itemsize * first for first in objects.starts[:-1].tolist()]
        for one in (objects.unit, objects.times)
    )
    into = iter(_parts(total.reshape(-1, LANES)))
    for block in blocks:
        for arguments in zip(unit, times, sizes, strict=True):
            native.call("hw_drawn_total", block, *arguments, next(into))
    return _in_rows(total, counts)


def _in_rows(results: Array, counts: Counts) -> Array:
    """Results block by block, (blocks, ..., LANES), as rows of resamples: (..., B)."""
    rows = np.moveaxis(results, 0, -2)
    return rows.reshape(*rows.shape[:-2], -1)[..., : counts.resamples]


def _in_blocks(rows: Array, blocks: int, filled: float) -> Array:
    """Rows of resamples block by block, filled up: (K, B) -> (blocks, K, LANES)."""
    padded = np.full((len(rows), blocks * LANES), filled)
    padded[:, : rows.shape[1]] = rows
    return np.ascontiguousarray(np.moveaxis(padded.reshape(len(rows), blocks, LANES), 1, 0))


def precisions(
    lists: PrecisionLists, counts: Counts, objects: Array, steps: int, *, heights: bool = False
) -> tuple[Array, Array | None]:
    """Areas under the best precision at a recall or a higher one, (C, T, B); with heights there."""
    # The area is the mean over the recalls 0, 1/steps, ..., 1, or under all steps where these are
    # 0, and anything where there are no objects, (C, B). Heights are (C, T, steps + 1, B).
    blocks, classes = _blocks(counts, lists.units), len(lists.starts) - 1
    _check_resamples(objects, counts)
    upto = np.empty((int(np.diff(lists.starts).max(initial=1)), LANES), np.int32)
    area = np.empty((len(blocks), classes, lists.thresholds, LANES))
    height = np.zeros((*area.shape[:-1], steps + 1, LANES)) if heights else None
    # Under all steps the kernel adds up objects, in whole numbers, so that what is right all over
    # is 1; the recalls of COCO are shares of them.
    every = np.maximum(objects, 1.0)
    wanted = _in_blocks(every if steps else np.ones_like(every), len(blocks), 1.0)
    starts, plain = (lists.starts, lists.plain_starts), (lists.plain, lists.runs)
    arrays = (*starts, *plain, lists.unit, lists.true, lists.ignored)
    fixed = (classes, *(one.ctypes.data for one in arrays), lists.thresholds)
    room, high = upto.ctypes.data, [None] * len(blocks) if height is None else _parts(height)
    for block, own, into, above in zip(blocks, _parts(wanted), _parts(area), high, strict=True):
        native.call("hw_match_precisions", block, *fixed, own, steps, room, into, above)
    areas = _in_rows(area, counts)
    if not steps:
        areas /= every[:, None]
    return areas, None if height is None else _in_rows(height, counts)


def _check_resamples(rows: Array, counts: Counts) -> None:
    if rows.shape[1] != counts.resamples:
        raise ValueError(f"{rows.shape[1]} columns for {counts.resamples} resamples")


def frocs(lists: FrocLists, counts: Counts, targets: Array, *, stepped: bool) -> Array:
    """True positives at numbers of false ones ascending from 0, by steps or lines: (C, T, K, B)."""
    blocks, levels, rows = _blocks(counts, lists.units), len(targets), len(lists.starts) - 1
    if not levels or targets.min(initial=0) < 0 or (np.diff(targets, axis=0) < 0).any():
        raise ValueError("numbers of false positives must ascend, from 0 or more")
    _check_resamples(targets, counts)
    heights = np.empty((len(blocks), rows, levels, LANES))
    limits = _in_blocks(np.minimum(targets, MOST_FALSE), len(blocks), MOST_FALSE)
    fixed = tuple(one.ctypes.data for one in (lists.starts, lists.unit, lists.mark))
    for block, own, into in zip(blocks, _parts(limits), _parts(heights), strict=True):
        native.call("hw_match_frocs", block, rows, *fixed, own, levels, int(stepped), into)
    positives = _in_rows(heights, counts)
    return positives.reshape(-1, lists.thresholds, *positives.shape[1:])
