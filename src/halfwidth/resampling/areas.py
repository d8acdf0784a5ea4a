"""Areas under ranked scores: of resamples, without each unit, and their structural components.

A resample is how often each unit is drawn. The scores are sorted once; an area is a pass over the
sorted entries with the counts of their units.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import RankedAreas, Ranking
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array, Numbers
from halfwidth.metrics.ranking import Curve, cumulated, curve_of, in_parts
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import MOST_KEPT, Plan, counts_of_units
from halfwidth.resampling.kernels import native

__all__ = [
    "Areas",
    "areas_of_counts",
    "areas_of_resamples",
    "areas_of_samples",
    "auroc_standard_error",
    "class_units",
    "concordance",
    "group_of_entries",
    "unit_of_cases",
]


# A standard error below this is rounding.
ROUNDING = 1e-12
# Areas that there are kernels for.
COMPILED = ("auroc", "average_precision")
# Areas that a call may return, 16 MiB, and counts of units, a byte each, that one makes; where
# samples share counts, more of these are made at once, and areas of a few of the samples, 1 MiB, so
# that they are finished in the caches of a core.
MOST_AREAS, MOST_COUNTS = 2**21, 2**20
MOST_SHARED, MOST_AT_ONCE = 2**24, 2**17


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
    if _has_kernel(kind, ranking, plan):
        yield from _compiled(str(kind), ranking, design, plan)
    else:
        yield from _plainly(kind, ranking, design, plan)


def areas_of_samples(
    kind: Curve | str, ranking: Ranking, samples: int, design: Design, plan: Plan
) -> Iterator[tuple[slice, slice, Areas]]:
    """Areas of each resample of samples that share their draws, some of both at a time.

    Parameters
    ----------
    kind : str or callable
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
    if _has_kernel(kind, ranking, plan):
        yield from _of_many(str(kind), ranking, samples, design, plan)
        return
    for start, stop, areas in _plainly(kind, ranking, design, plan):
        yield slice(0, samples), slice(start, stop), areas


def _has_kernel(kind: Curve | str, ranking: Ranking, plan: Plan) -> bool:
    """Whether a kernel makes these areas, and is to."""
    if kind not in COMPILED or ranking.weight is not None or not ranking.case.size:
        return False
    return plan.compiles and native.fits(ranking.case.shape[-1])


def _plainly(
    kind: Curve | str, ranking: Ranking, design: Design, plan: Plan
) -> Iterator[tuple[int, int, Areas]]:
    unit = unit_of_cases(design)
    for start, stop in plan.blocks(4 * max(ranking.case.shape[-1], design.units)):
        counts = counts_of_units(design, plan, start, stop)
        yield start, stop, areas_of_counts(kind, ranking, unit, counts)


def _prepared(kind: str, ranking: Ranking, design: Design) -> native.Lists:
    unit = unit_of_cases(design).astype(np.int32)[ranking.case]
    return native.prepared(unit, ranking.mark, design.units, auroc=kind == "auroc")


def _whole_blocks(most: int) -> int:
    """So many resamples, in multiples of those that kernels take side by side."""
    return max(native.LANES, most // native.LANES * native.LANES)


def _of_many(
    kind: str, ranking: Ranking, samples: int, design: Design, plan: Plan
) -> Iterator[tuple[slice, slice, Areas]]:
    """Counts of some resamples are made once; what a few samples make of them stays in caches."""
    lists, keys = _prepared(kind, ranking, design), plan.keys(design)
    rows = len(lists.unit) // samples
    for start, stop in plan.blocks(1, most=_whole_blocks(MOST_SHARED // design.units)):
        make = functools.partial(native.side_by_side, keys, start, stop, design.units)
        # Other samples of a batch take the same counts.
        small = plan.n_resamples * design.units <= MOST_KEPT
        counts = plan.once(("counts", start, stop), (), design, make) if small else make()
        step = max(1, MOST_AT_ONCE // (rows * (stop - start)))
        for first in range(0, samples, step):
            last = min(first + step, samples)
            made = native.areas(lists, counts, first * rows, last * rows)
            yield slice(first, last), slice(start, stop), Areas(*made)


def _compiled(
    kind: str, ranking: Ranking, design: Design, plan: Plan
) -> Iterator[tuple[int, int, Areas]]:
    lists, keys = _prepared(kind, ranking, design), plan.keys(design)

    def made(block: tuple[int, int]) -> Areas:
        counts = native.side_by_side(keys, *block, design.units)
        return Areas(*native.areas(lists, counts, 0, len(lists.unit)))

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
    made = []
    for part in in_parts(values):
        ranking = form.rank(values[part])
        sets = len(values[part])
        of_row = slice(form.row, None, len(ranking.case) // sets)
        positive = (ranking.mark[of_row] & Ranking.POSITIVE) > 0
        if ranking.weight is None and design.independent:
            with_it = positive.sum(axis=-1)
            made.append(np.stack([with_it, positive.shape[-1] - with_it], axis=-1))
            continue
        weights = [None] * sets if ranking.weight is None else ranking.weight[of_row]
        rows = zip(positive, unit_of_cases(design)[ranking.case[of_row]], weights, strict=True)
        made.append(np.array([_held(*row) for row in rows]))
    with_it, without = np.concatenate(made).astype(float).T
    return with_it, without


def _held(positive: NDArray[np.bool_], unit: NDArray[np.intp], weight: Array | None) -> list[float]:
    """Units with a positive and units with a negative entry of one row, by weight."""
    if weight is None:
        return [float(len(np.unique(unit[own]))) for own in (positive, ~positive)]
    totals = [np.bincount(unit[own], weight[own]) for own in (positive, ~positive)]
    return [float(w.sum() ** 2 / (w**2).sum()) for w in totals]
