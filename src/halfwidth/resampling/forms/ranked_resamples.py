"""Areas of resamples under ranked scores, given how often each unit is drawn.

Where there is a kernel it does the work; `areas_of_counts` is the same in plain NumPy.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.ranked_scores import cumulated
from halfwidth.core.forms import Area, FastArea, Ranking
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array, Numbers
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import MOST_KEPT, Plan, count_blocks
from halfwidth.resampling.kernels import native, native_areas

# Areas that a call may return, 16 MiB, and counts of units, a byte each, that one makes; where
# samples share counts, more of these are made at once, and areas of some of the samples, 8 MiB,
# which the last cache of a processor holds until they are finished.
MOST_AREAS, MOST_COUNTS = 2**21, 2**20
MOST_SHARED, MOST_AT_ONCE = 2**24, 2**20


@frozen
class Areas:
    """Areas of rankings, and the positive entries they rest on; both (R, B).

    Attributes
    ----------
    area : ndarray
        NaN where it is undefined.
    positives : ndarray
        Entries, each as often as it is drawn, by its weight.
    """

    area: Array
    positives: Numbers


def unit_of_cases(design: Design) -> NDArray[np.intp]:
    """The unit that each case belongs to, shape (n,)."""
    return np.repeat(np.arange(design.units), design.unit_sizes)


def areas_of_counts(area: Area, ranking: Ranking, unit: NDArray[np.intp], counts: Numbers) -> Areas:
    """Areas of resamples given as counts of units: plain NumPy, (B, U) -> (R, B).

    Parameters
    ----------
    area : Area
    ranking : Ranking
    unit : ndarray of int, shape (n,)
        The unit of each case.
    counts : ndarray, shape (B, U)
    """
    rows = [_areas_of_row(area, ranking, row, unit, counts) for row in range(len(ranking.case))]
    return Areas(*(np.stack(parts) for parts in zip(*rows, strict=True)))


def _areas_of_row(
    area: Area, ranking: Ranking, row: int, unit: NDArray[np.intp], counts: Numbers
) -> tuple[Array, Numbers]:
    drawn = counts[:, unit[ranking.case[row]]]
    if ranking.weight is not None:
        drawn = drawn * ranking.weight[row]
    tp, fp = cumulated(ranking.mark[row], drawn)
    return area.curve(tp, fp), tp[:, -1]


# --------------------------------------------------------------------------- resamples


def areas_of_resamples(
    area: Area, ranking: Ranking, design: Design, plan: Plan
) -> Iterator[tuple[int, int, Areas]]:
    """Areas of each resample, block by block: ranges of resamples and areas (R, B)."""
    if _has_kernel(area, ranking, plan):
        yield from _compiled(area, ranking, design, plan)
    else:
        yield from _plainly(area, ranking, design, plan)


def areas_of_samples(
    area: Area, ranking: Ranking, samples: int, design: Design, plan: Plan
) -> Iterator[tuple[slice, slice, Areas]]:
    """Areas of each resample of samples that share their draws, some of both at a time.

    Parameters
    ----------
    area : Area
    ranking : Ranking
        Of all samples, the rows of one after those of another.
    samples : int
    design : Design
    plan : Plan

    Yields
    ------
    some, block : slice
        Of the samples, and of the resamples.
    areas : Areas
        Of the rows of those.
    """
    if _has_kernel(area, ranking, plan):
        yield from _areas_of_many_samples(area, ranking, samples, design, plan)
        return
    for start, stop, areas in _plainly(area, ranking, design, plan):
        yield slice(0, samples), slice(start, stop), areas


def _has_kernel(area: Area, ranking: Ranking, plan: Plan) -> bool:
    """Whether a kernel makes these areas, and is to."""
    if area.fast is None or ranking.weight is not None or not ranking.case.size:
        return False
    return plan.compiles and native_areas.fits(ranking.case.shape[-1])


def _plainly(
    area: Area, ranking: Ranking, design: Design, plan: Plan
) -> Iterator[tuple[int, int, Areas]]:
    unit = unit_of_cases(design)
    each = 4 * max(ranking.case.shape[-1], design.units)
    for start, stop, counts in count_blocks(design, plan, each):
        yield start, stop, areas_of_counts(area, ranking, unit, counts)


def _prepared(area: Area, ranking: Ranking, design: Design) -> native_areas.Lists:
    unit = unit_of_cases(design).astype(np.int32)[ranking.case]
    return native_areas.prepared(
        unit, ranking.mark, design.units, auroc=area.fast is FastArea.CONCORDANCE
    )


def _whole_blocks(most: int) -> int:
    """So many resamples, in multiples of those that kernels take side by side."""
    return max(native.LANES, most // native.LANES * native.LANES)


def _areas_of_many_samples(
    area: Area, ranking: Ranking, samples: int, design: Design, plan: Plan
) -> Iterator[tuple[slice, slice, Areas]]:
    """Counts of some resamples are made once; what a few samples make of them stays in caches."""
    lists, keys = _prepared(area, ranking, design), plan.keys(design)
    rows = len(lists.unit) // samples
    for start, stop in plan.blocks(1, most=_whole_blocks(MOST_SHARED // design.units)):
        make = functools.partial(native.side_by_side, keys, start, stop, design.units)
        # Other samples of a batch take the same counts.
        small = plan.n_resamples * design.units <= MOST_KEPT
        counts = plan.once(("counts", start, stop), (), design, make) if small else make()
        step = max(1, MOST_AT_ONCE // (rows * (stop - start)))
        for first in range(0, samples, step):
            last = min(first + step, samples)
            made = native_areas.areas(lists, counts, first * rows, last * rows)
            yield slice(first, last), slice(start, stop), Areas(*made)


def _compiled(
    area: Area, ranking: Ranking, design: Design, plan: Plan
) -> Iterator[tuple[int, int, Areas]]:
    lists, keys = _prepared(area, ranking, design), plan.keys(design)
    free: list[native.Room] = []

    def made(block: tuple[int, int]) -> Areas:
        room = free.pop() if free else native.Room()
        counts = native.side_by_side(keys, *block, design.units, room)
        areas = Areas(*native_areas.areas(lists, counts, 0, len(lists.unit)))
        free.append(room)
        return areas

    most = min(MOST_COUNTS // design.units, MOST_AREAS // len(lists.unit))
    for (start, stop), areas in plan.in_threads(_whole_blocks(most), made):
        yield start, stop, areas


# --------------------------------------------------------------------------- one ranking


def group_of_entries(mark: NDArray[np.uint8]) -> NDArray[np.intp]:
    """The number of the group of equal scores that each entry belongs to."""
    last = (mark & Ranking.LAST_OF_TIES) > 0
    return np.asarray(np.cumsum(last) - last, dtype=np.intp)


def concordance(mark: NDArray[np.uint8], weight: Array) -> Array:
    """What each entry adds to twice the concordance: 2 for a pair in order, 1 for a tied one.

    A negative is credited with the positives above, a positive with the negatives below.
    """
    positive = (mark & Ranking.POSITIVE) > 0
    ends = np.flatnonzero(mark & Ranking.LAST_OF_TIES)
    group = group_of_entries(mark)
    tp, fp = np.cumsum(weight * positive)[ends], np.cumsum(weight * ~positive)[ends]
    p, q = np.diff(tp, prepend=0.0), np.diff(fp, prepend=0.0)
    for_negative = (2 * tp - p)[group]
    for_positive = (2 * (fp[-1] - fp) + q)[group]
    return np.where(positive, for_positive, for_negative)
