"""Areas under ranked scores without each unit in turn.

Of many test sets at once where cases are independent and weigh the same; else row by row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.areas import areas_of_counts
from halfwidth.arithmetic.ranked_scores import concordance, group_of_entries, in_parts
from halfwidth.arithmetic.tie_counts import TieCounts, count_ties
from halfwidth.core.forms import Area, FastArea, RankedAreas, Ranking
from halfwidth.core.types import Array, Numbers
from halfwidth.resampling.designs import Design
from halfwidth.resampling.weights.blocks import all_but_one

# Entries of resamples that are gone through at a time, 8 MiB.
MOST_ENTRIES = 2**20


def without_each_unit(form: RankedAreas, values: Array, design: Design) -> Array:
    """The statistic of each test set without each unit in turn, (S, k, n) -> (S, U)."""
    values_without = np.empty((len(values), design.units))
    for part in in_parts(values):
        ranking = form.rank(values[part])
        if form.area.fast is not None and design.independent and ranking.weight is None:
            area, positives = _without_each_case(form.area.fast, ranking, design.units)
        else:
            area, positives = _row_by_row(form.area, ranking, design)
        shape = (len(values[part]), -1, design.units)
        values_without[part] = form.finish(
            *(np.moveaxis(one.reshape(shape), 1, -1) for one in (area, positives))
        )
    return values_without


# --------------------------------------------------------------------------- independent cases


def _without_each_case(area: FastArea, ranking: Ranking, cases: int) -> tuple[Array, Array]:
    """Areas without each case and the positives left, both (R, n), where each weighs 1.

    Each case has the same number of entries in a row, one or more.
    """
    ties = count_ties(ranking.mark)
    place = _places_of_cases(ranking.case, cases)
    without = _auroc_without if area is FastArea.CONCORDANCE else _precision_without
    positive = _at(ties.positive, place)
    left = ties.positives[:, None] - positive.sum(axis=-1)
    return without(ties, place, positive, left), left


def _places_of_cases(case: NDArray[np.int32], cases: int) -> NDArray[np.intp]:
    """Positions of the entries of each case, ascending, (R, L) -> (R, n, L / n)."""
    # Small numbers are sorted digit by digit.
    small = case.astype(np.uint16) if cases <= 2**16 else case
    return np.argsort(small, axis=-1, kind="stable").reshape(len(case), cases, -1)


def _at(entries: Numbers, place: NDArray[np.intp]) -> Numbers:
    """What entries have at some places of their row: (R, L), (R, n, m) -> (R, n, m)."""
    flat = place.reshape(len(place), -1)
    return np.take_along_axis(entries, flat, axis=-1).reshape(place.shape)


def _auroc_without(
    ties: TieCounts, place: NDArray[np.intp], positive: NDArray[np.bool_], left: Array
) -> Array:
    entries = ties.upto.shape[-1]
    negatives = entries - ties.positives[:, None]
    below_upto, below_above = ties.stop - ties.upto, ties.first - ties.above
    # What an entry adds to twice the concordance; pairs within a case are taken away twice.
    credit = np.where(
        ties.positive,
        2.0 * negatives - below_upto - below_above,
        ties.upto + ties.above,
    )
    twice = np.where(ties.positive, credit, 0.0).sum(axis=-1, keepdims=True)
    kept = twice - _at(credit, place).sum(axis=-1) + _twice_within_cases(ties, place, positive)
    pairs = 2.0 * left * (entries - place.shape[-1] - left)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(pairs > 0, kept / pairs, np.nan)


def _twice_within_cases(
    ties: TieCounts, place: NDArray[np.intp], positive: NDArray[np.bool_]
) -> Array:
    """Twice the concordance among the entries of each case, (R, n)."""
    above: Array = np.cumsum(positive, axis=-1, dtype=float) - positive
    twice = 2.0 * np.where(positive, 0, above).sum(axis=-1)
    if place.shape[-1] == 1 or ties.last.all():
        return np.asarray(twice)
    first = _at(ties.first, place)
    for other in range(1, place.shape[-1]):
        tied = first[..., other:] == first[..., :-other]
        # A tied pair counts 1 in whichever order it stands: 1 less than 2, or 1 more than none.
        adds = positive[..., other:].astype(int) - positive[..., :-other]
        twice += np.where(tied, adds, 0).sum(axis=-1)
    return np.asarray(twice)


def _precision_without(
    ties: TieCounts, place: NDArray[np.intp], positive: NDArray[np.bool_], left: Array
) -> Array:
    """Average precision without each case, in one pass for each of its entries.

    What an entry takes away changes the counts of its ties and of all lower scores. So the total is
    that of the ties that the case has a part in, and of the pieces between them.
    """
    first, stop = _at(ties.first, place), _at(ties.stop, place)
    hits_gone: NDArray[np.intp] = np.cumsum(positive, axis=-1, dtype=np.intp)
    gain = np.where(ties.last, ties.upto - ties.above, 0.0)
    zero: NDArray[np.intp] = np.zeros(left.shape, np.intp)
    begun, hits, known = zero, zero, zero
    total = np.zeros(left.shape)
    for gone in range(place.shape[-1] + 1):
        behind = gone == place.shape[-1]
        to = np.full_like(zero, gain.shape[-1]) if behind else first[..., gone]
        total += _between(ties, gain, (gone, hits), begun, np.maximum(begun, to))
        if behind:
            break
        begun, hits = stop[..., gone], hits_gone[..., gone]
        if ties.last.all():  # ties of one entry go with it
            continue
        entry = place[..., gone : gone + 1]
        p, tp = (_at(one, entry)[..., 0] for one in (ties.upto - ties.above, ties.upto))
        every = np.maximum(begun - gone - 1, 1)
        share = (p - (hits - known)) * (tp - hits) / every
        # The next entry of the case may be among these ties too.
        last = np.ones(share.shape, bool)
        if gone + 1 < place.shape[-1]:
            last = first[..., gone + 1] != first[..., gone]
        total += np.where(last, share, 0.0)
        known = np.where(last, hits, known)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(left > 0, total / left, np.nan)


def _between(
    ties: TieCounts,
    gain: Array,
    gone: tuple[int, NDArray[np.intp]],
    begun: NDArray[np.intp],
    to: NDArray[np.intp],
) -> Array:
    """Precision at the positives from one place to before another, (R, n).

    ``gone`` are the entries taken away above them, and how many of these are positive, (R, n).
    """
    entries, positives = gone
    rows, length = gain.shape
    total = np.zeros(begun.shape)
    sums = np.zeros((rows, length + 1))
    # Where none are left nothing is asked for.
    every = np.maximum(ties.stop - entries, 1)
    for hits in range(int(positives.max(initial=0)) + 1):
        np.cumsum(gain * (ties.upto - hits) / every, axis=-1, out=sums[:, 1:])
        piece = np.take_along_axis(sums, to, axis=-1) - np.take_along_axis(sums, begun, axis=-1)
        total += np.where(positives == hits, piece, 0.0)
    return total


# --------------------------------------------------------------------------- any design


def _row_by_row(area_kind: Area, ranking: Ranking, design: Design) -> tuple[Array, Array]:
    unit = design.unit_of_case
    rows = [_row_without(area_kind, ranking, row, unit, design) for row in range(len(ranking.case))]
    area, positives = (np.stack(parts) for parts in zip(*rows, strict=True))
    return area, positives


def _row_without(
    area_kind: Area, ranking: Ranking, row: int, unit: NDArray[np.intp], design: Design
) -> tuple[Array, Array]:
    mark = ranking.mark[row]
    weight = np.ones(len(mark)) if ranking.weight is None else ranking.weight[row]
    entry_unit = unit[ranking.case[row]]
    positive = (mark & Ranking.POSITIVE) > 0
    totals = [
        np.bincount(entry_unit, weight * chosen, minlength=design.units)
        for chosen in (positive, ~positive)
    ]
    left = [total.sum() - total for total in totals]
    if area_kind.fast is FastArea.CONCORDANCE:
        gone = np.bincount(entry_unit, weight * concordance(mark, weight), minlength=design.units)
        twice = (weight * concordance(mark, weight) * positive).sum()
        # Pairs within a unit were taken away twice.
        kept = twice - gone + _twice_within(mark, weight, entry_unit, design.units)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(left[0] * left[1] > 0, kept / (2 * left[0] * left[1]), np.nan), left[0]
    area = np.empty(design.units)
    one = Ranking(
        ranking.case[row : row + 1],
        ranking.mark[row : row + 1],
        None if ranking.weight is None else ranking.weight[row : row + 1],
    )
    for left_out, block in all_but_one(design, MOST_ENTRIES // len(mark)):
        area[left_out] = areas_of_counts(area_kind, one, unit, block.rows())[0][0]
    return area, left[0]


def _twice_within(
    mark: NDArray[np.uint8], weight: Array, unit: NDArray[np.intp], units: int
) -> Array:
    """Twice the concordance among the entries of each unit, (L,) -> (U,)."""
    if len(mark) == units:
        return np.zeros(units)
    positive = (mark & Ranking.POSITIVE) > 0
    tie = group_of_entries(mark)
    order = np.argsort(unit, kind="stable")  # entries of a unit stay in descending order
    unit, tie, positive, weight = unit[order], tie[order], positive[order], weight[order]
    starts = np.flatnonzero(np.append(True, (np.diff(unit) != 0) | (np.diff(tie) != 0)))
    p, q = (np.add.reduceat(weight * chosen, starts) for chosen in (positive, ~positive))
    run_unit = unit[starts]
    first = np.flatnonzero(np.append(True, np.diff(run_unit) != 0))
    cumulated = np.cumsum(p)
    before_unit = np.repeat((cumulated - p)[first], np.diff(np.append(first, len(run_unit))))
    above = cumulated - p - before_unit
    return np.asarray(np.bincount(run_unit, q * (2 * above + p), minlength=units), dtype=float)
