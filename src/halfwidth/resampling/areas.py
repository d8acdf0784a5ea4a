"""Areas under ranked scores: of resamples, without each unit, and their structural components.

A resample is how often each unit is drawn. The scores are sorted once; an area is a pass over the
sorted entries with the counts of their units.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import RankedAreas, Ranking
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array, Numbers
from halfwidth.metrics.ranking import Curve, cumulated, curve_of
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import COMPILED_DRAWS, Plan, counts_of_units
from halfwidth.resampling.kernels import compiled_ranking

__all__ = [
    "Areas",
    "areas_of_counts",
    "areas_of_resamples",
    "auroc_standard_error",
    "class_units",
    "concordance",
    "without_each_unit",
]


# A standard error below this is rounding.
ROUNDING = 1e-12
# Areas that there are kernels for.
COMPILED = ("auroc", "average_precision")
# Resamples that those take at once, and sums that a call may return: 16 MiB each.
SIDE_BY_SIDE, MOST_SUMS = 32, 2**21


@dataclass(frozen=True)
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


def areas_of_counts(
    kind: Curve | str, ranking: Ranking, unit: NDArray[np.intp], counts: Numbers
) -> Areas:
    """Areas of resamples given as counts of units: plain NumPy, (B, U) -> (R, B).

    Parameters
    ----------
    kind : str
    ranking : Ranking
    unit : ndarray of int, shape (n,)
        The unit of each case.
    counts : ndarray, shape (B, U)
    """
    rows = [_of_row(kind, ranking, row, unit, counts) for row in range(len(ranking.case))]
    return Areas(*(np.stack(parts) for parts in zip(*rows, strict=True)))


def _of_row(
    kind: Curve | str, ranking: Ranking, row: int, unit: NDArray[np.intp], counts: Numbers
) -> tuple[Array, Numbers]:
    drawn = counts[:, unit[ranking.case[row]]]
    if ranking.weight is not None:
        drawn = drawn * ranking.weight[row]
    tp, fp = cumulated(ranking.mark[row], drawn)
    return curve_of(kind)(tp, fp), tp[:, -1]


# --------------------------------------------------------------------------- resamples


def areas_of_resamples(
    kind: Curve | str, ranking: Ranking, design: Design, plan: Plan
) -> Iterator[tuple[int, int, Areas]]:
    """Areas of each resample, block by block: ranges of resamples and areas (R, B)."""
    rows, entries = ranking.case.shape
    if kind in COMPILED and ranking.weight is None and plan.ranks_compiled(rows * entries):
        yield from _compiled(str(kind), ranking, design, plan)
        return
    unit = unit_of_cases(design)
    for start, stop in plan.blocks(4 * max(entries, design.units)):
        counts = counts_of_units(design, plan, start, stop)
        yield start, stop, areas_of_counts(kind, ranking, unit, counts)


def _compiled(
    kind: str, ranking: Ranking, design: Design, plan: Plan
) -> Iterator[tuple[int, int, Areas]]:
    wants_areas = kind == "auroc"
    unit = unit_of_cases(design).astype(np.int32)[ranking.case]
    ready = compiled_ranking.prepared(
        unit, ranking.mark, design.units, areas=wants_areas, precisions=not wants_areas
    )
    keys = plan.keys(design)

    def made(block: tuple[int, int]) -> compiled_ranking.Sums:
        if len(keys) == 1:
            return compiled_ranking.drawn(ready, keys[0][0], *block)
        return compiled_ranking.counted(ready, keys, *block)

    # The kernels take some resamples side by side, in multiples of this.
    at_once = max(1, min(COMPILED_DRAWS // design.units, MOST_SUMS // len(ranking.case)))
    most = max(SIDE_BY_SIDE, at_once // SIDE_BY_SIDE * SIDE_BY_SIDE)
    for (start, stop), sums in plan.in_threads(most, made):
        with np.errstate(invalid="ignore", divide="ignore"):
            if wants_areas:
                pairs = 2.0 * sums.positives
                pairs *= sums.negatives
                area = np.divide(sums.twice_concordant, pairs, out=pairs)
            else:
                area = np.divide(sums.precision, sums.positives, out=sums.precision)
        yield start, stop, Areas(area, sums.positives)


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


def auroc_standard_error(ranking: Ranking, row: int, design: Design) -> float:
    """DeLong's standard error of one AUROC, Obuchowski's with clusters.

    T₁ and T₀ are the sums over the positive and the negative cases of a unit of their structural
    components less the area. Var = Σ I₁/(I₁-1) (T₁/m)² + I₀/(I₀-1) (T₀/n)² + 2 I/(I-1) T₁T₀/(mn),
    I₁ and I₀ the units with a positive and with a negative case, of all I. With strata it is the
    variance of Σ (T₁/m + T₀/n) over units drawn within each (`Design.variance_of_total`).

    Returns
    -------
    float
        NaN where fewer than two units of a class can be compared; 0 for AUROC 0 or 1, or all tied.
    """
    mark = ranking.mark[row]
    positive = (mark & Ranking.POSITIVE) > 0
    entries = len(mark)
    weight = np.ones(entries) if ranking.weight is None else ranking.weight[row]
    m, n = weight[positive].sum(), weight[~positive].sum()
    if m == 0 or n == 0:
        return float("nan")
    credit = concordance(mark, weight)
    area = (weight * credit * positive).sum() / (2 * m * n)
    component = np.where(positive, credit / (2 * n), credit / (2 * m)) - area
    unit = unit_of_cases(design)[ranking.case[row]]
    share = weight * component * np.where(positive, 1 / m, 1 / n)
    parts: list[Array] = [
        np.asarray(np.bincount(unit[own], share[own], minlength=design.units), dtype=float)
        for own in (positive, ~positive)
    ]
    held = [np.bincount(unit[own], minlength=design.units) > 0 for own in (positive, ~positive)]
    of_stratum = np.repeat(np.array(design.strata), design.strata)
    # What is seen of how a class varies: units of it that have a stratum with others.
    if min(int((units & (of_stratum > 1)).sum()) for units in held) < 2:
        return float("nan")
    if len(design.strata) > 1:
        # Strata fix how many units there are, not how many of them are positive.
        return _unless_rounding(float(design.variance_of_total(parts[0] + parts[1])))
    own = [
        (part**2).sum() * _of_few(int(units.sum())) for part, units in zip(parts, held, strict=True)
    ]
    cross = 2 * (parts[0] * parts[1]).sum() * _of_few(design.units)
    return _unless_rounding(float(own[0] + own[1] + cross))


def _of_few(units: int) -> float:
    """I / (I - 1): the mean was estimated from the same units."""
    return units / (units - 1)


def _unless_rounding(variance: float) -> float:
    """The root of a variance; 0 where what is left is rounding."""
    return 0.0 if variance <= ROUNDING**2 else float(np.sqrt(variance))


def class_units(values: Array, design: Design, statistic: Statistic) -> tuple[Array, Array]:
    """Units with a positive and units with a negative case, of each test set: (S, k, n) -> (S,).

    Independent cases are units; of clusters, the cases of one are not told apart. Units of unequal
    weight count as (Σw)²/Σw² equal ones (Kish).
    """
    form = statistic.spec.form
    if not isinstance(form, RankedAreas) or form.row is None:
        raise TypeError(f"{statistic.spec.name} is no area under one curve")
    unit, held = unit_of_cases(design), []
    for records in values:
        ranking = form.rank(records)
        positive = (ranking.mark[form.row] & Ranking.POSITIVE) > 0
        of_entry = unit[ranking.case[form.row]]
        if ranking.weight is None:
            held.append([float(len(np.unique(of_entry[own]))) for own in (positive, ~positive)])
            continue
        weight = ranking.weight[form.row]
        totals = [np.bincount(of_entry[own], weight[own]) for own in (positive, ~positive)]
        held.append([float(w.sum() ** 2 / (w**2).sum()) for w in totals])
    with_it, without = np.array(held, float).T
    return with_it, without


def without_each_unit(form: RankedAreas, records: Array, design: Design) -> Array:
    """The statistic without each unit in turn, (k, n) -> (U,)."""
    ranking = form.rank(records)
    unit = unit_of_cases(design)
    rows = [_row_without(form.kind, ranking, row, unit, design) for row in range(len(ranking.case))]
    area, positives = (np.stack(parts, axis=-1) for parts in zip(*rows, strict=True))
    return np.asarray(form.finish(area, positives))


def _row_without(
    kind: Curve | str, ranking: Ranking, row: int, unit: NDArray[np.intp], design: Design
) -> tuple[Array, Array]:
    mark = ranking.mark[row]
    weight = np.ones(len(mark)) if ranking.weight is None else ranking.weight[row]
    of_entry = unit[ranking.case[row]]
    positive = (mark & Ranking.POSITIVE) > 0
    own = [
        np.bincount(of_entry, weight * chosen, minlength=design.units)
        for chosen in (positive, ~positive)
    ]
    left = [total.sum() - total for total in own]
    if kind == "auroc":
        gone = np.bincount(of_entry, weight * concordance(mark, weight), minlength=design.units)
        twice = (weight * concordance(mark, weight) * positive).sum()
        # Pairs within a unit were taken away twice.
        kept = twice - gone + _twice_within(mark, weight, of_entry, design.units)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(left[0] * left[1] > 0, kept / (2 * left[0] * left[1]), np.nan), left[0]
    if kind == "average_precision" and len(mark) == design.units and ranking.weight is None:
        by_entry = _precision_without_each(mark)
        area = np.empty(design.units)
        area[of_entry] = by_entry
        return area, left[0]
    area = np.empty(design.units)
    one = Ranking(
        ranking.case[row : row + 1],
        ranking.mark[row : row + 1],
        None if ranking.weight is None else ranking.weight[row : row + 1],
    )
    step = max(1, 2**20 // len(mark))
    for start in range(0, design.units, step):
        stop = min(start + step, design.units)
        counts = np.ones((stop - start, design.units), dtype=np.int64)
        counts[np.arange(stop - start), np.arange(start, stop)] = 0
        area[start:stop] = areas_of_counts(kind, one, unit, counts).area[0]
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
    of_run = unit[starts]
    first = np.flatnonzero(np.append(True, np.diff(of_run) != 0))
    cumulated = np.cumsum(p)
    before_unit = np.repeat((cumulated - p)[first], np.diff(np.append(first, len(of_run))))
    above = cumulated - p - before_unit
    return np.asarray(np.bincount(of_run, q * (2 * above + p), minlength=units), dtype=float)


def _precision_without_each(mark: NDArray[np.uint8]) -> Array:
    """Average precision without each entry, in one pass from the lowest score up."""
    positive = (mark & Ranking.POSITIVE) > 0
    ends, group = np.flatnonzero(mark & Ranking.LAST_OF_TIES), group_of_entries(mark)
    tp, fp = np.cumsum(positive)[ends].astype(float), np.cumsum(~positive)[ends].astype(float)
    p, every, total = np.diff(tp, prepend=0.0), tp + fp, tp[-1]

    def from_here_down(terms: Array) -> Array:
        return np.asarray(np.cumsum(terms[::-1])[::-1])

    with np.errstate(invalid="ignore", divide="ignore"):
        as_is = p * tp / every
        one_less = np.where(every > 1, every - 1, np.inf)
        no_negative = from_here_down(p * tp / one_less)
        no_positive = from_here_down(p * (tp - 1) / one_less)
        above = np.cumsum(as_is) - as_is
        own = (p - 1) * (tp - 1) / one_less
        below = no_positive - p * (tp - 1) / one_less
        without_positive = (above + own + below) / (total - 1)
        without_negative = (above + no_negative) / total
    made = np.where(positive, without_positive[group], without_negative[group])
    return np.where(total - positive > 0, made, np.nan)
