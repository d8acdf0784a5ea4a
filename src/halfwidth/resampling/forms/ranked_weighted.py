"""Areas under ranked scores whose cases have Dirichlet weights.

What was not observed may lie above all scores or below them: each ranking has a pseudo-case of
either class at either end. All of them serve both ends of the interval of one AUROC. Elsewhere an
end has only those that could move it there: the others would draw it inwards, for average
precision too far, and for an average as far as its classes while its error is smaller than theirs.
For these averages see `resampling.class_averages`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.areas import areas_of_rows
from halfwidth.arithmetic.ranked_scores import RankEach, mean_ranks
from halfwidth.core.forms import Area, FastArea, RankedAreas, Ranking
from halfwidth.core.pseudo_cases import Masses, PseudoCases
from halfwidth.core.spec import Estimand, Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.class_averages import ClassAverage, linear_weights
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import Quantiles
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import BothEnds, InPairs, declared_form
from halfwidth.resampling.kernels import native, native_areas, reference
from halfwidth.resampling.tails import as_distribution
from halfwidth.resampling.weights.dirichlet import (
    INDEPENDENT,
    typical_weight,
    unit_weights,
    weights_key,
)
from halfwidth.resampling.weights.pseudo_ends import ends_of_pairs, ends_of_rows, fix_strata

# Weights that are made at a time, 1 MiB: a core's cache holds them while areas are made of them.
AT_A_TIME = 2**17
# Areas that are made at a time, 8 MiB.
MOST_AREAS = 2**20
# Pseudo-pairs of AUROCs lie at different ends in so many of the cases in which two rankings of that
# correlation do: with more intervals are longer than they need be (decision 0048).
AUROC_DISCORDANCE = 2 / 3
# To whose multiples that share is rounded.
STEP = 1 / 32


def weighted(
    records: Array, design: Design, statistic: Statistic, plan: Plan, pseudo_cases: PseudoCases
) -> BothEnds:
    """The distributions for the lower and for the upper end of an interval."""
    form, sides = declared_form(statistic, RankedAreas), _sides(statistic, pseudo_cases)
    rankings = [form.rank(sample) for sample in records]
    replicates = _replicates(rankings, design, form, plan, _ends(rankings, design, plan, sides))
    ends = [_distribution(rankings, form, plan, *of_end) for of_end in replicates]
    return ends[0], ends[-1]


def _sides(statistic: Statistic, pseudo_cases: PseudoCases) -> list[Masses]:
    """Masses of bad and of good pseudo-cases for each end of an interval; once where both agree."""
    low, high = pseudo_cases.low, pseudo_cases.high
    if statistic.spec.estimand is not Estimand.AUROC:
        low, high = (low[0], 0.0), (0.0, high[1])
    return [low] if low == high else [low, high]


def _distribution(
    rankings: Sequence[Ranking], form: RankedAreas, plan: Plan, area: Array, positives: Array
) -> Quantiles:
    """For one end of an interval, of replicates (S, R, B)."""
    if area.shape[1] == 1:
        return as_distribution(_finished(form, area, positives), plan)
    return ClassAverage.from_replicates(*_parts(rankings, form), area)


def _finished(form: RankedAreas, area: Array, positives: Array) -> Array:
    """The statistic of a single row, (S, 1, B) -> (S, B)."""
    return form.finish(*(np.moveaxis(one, 1, -1) for one in (area, positives)))


def _parts(rankings: Sequence[Ranking], form: RankedAreas) -> tuple[Array, Array, Array]:
    """An average, the values of its classes and their weights in it."""
    observed = [areas_of_rows(form.area, ranking) for ranking in rankings]
    classes, held = (np.stack(parts) for parts in zip(*observed, strict=True))

    def average(areas: Array) -> Array:
        return form.finish(areas, held)

    return average(classes), classes, linear_weights(average, classes)


# --------------------------------------------------------------------------- pairs


def weighted_pairs(
    records: Array,
    design: Design,
    statistic: Statistic,
    plan: Plan,
    pseudo_cases: PseudoCases,
    discordance: float,
) -> tuple[InPairs, InPairs]:
    """Replicates of models in pairs, whose cases have the same weights in every model.

    A difference has the pseudo-cases of both bounds at either end, whatever the area.
    """
    form, low, high = declared_form(statistic, RankedAreas), pseudo_cases.low, pseudo_cases.high
    rankings = [form.rank(sample) for sample in records]
    sides = [low] if low == high else [low, high]
    of_roles = ends_of_pairs(len(rankings[0].mark), design, plan, sides, discordance)
    ends = _scaled_by_weights(of_roles, rankings)
    replicates = _replicates(rankings, design, form, plan, ends)
    several = len(rankings[0].mark) > 1
    parts = _parts(rankings, form)[1:] if several else ()
    roles = [
        area if several else _finished(form, area, positives)[:, None]
        for area, positives in replicates
    ]
    pairs = [InPairs(*roles[at : at + 2], *parts) for at in range(0, len(roles), 2)]
    return pairs[0], pairs[-1]


def discordance(records: Array, places: NDArray[np.intp], statistic: Statistic) -> Array:
    """How often a pseudo-pair lies at different ends of two rankings, (M, k, n), (S, 2) -> (S,).

    Two normal variates of correlation r lie on different sides of their medians with the
    probability acos(r)/π, ½ where they are independent. r is that of ranks within the classes. It
    is rounded up, so that models which rank alike have some of it, and pairs share their draws.
    """
    rank = declared_form(statistic, RankedAreas).rank
    if not isinstance(rank, RankEach):
        return np.full(len(places), INDEPENDENT)
    share = AUROC_DISCORDANCE if statistic.spec.estimand is Estimand.AUROC else 1.0
    ranks = np.stack([_ranks_in_classes(sample, rank).ravel() for sample in records])
    products = ranks @ ranks.T
    length = np.sqrt(np.diag(products))
    with np.errstate(invalid="ignore"):
        correlation = np.nan_to_num(products / np.outer(length, length))
    apart = np.arccos(np.clip(correlation, -1.0, 1.0)) / np.pi
    found = np.ceil(share * apart[places[:, 0], places[:, 1]] / STEP) * STEP
    return np.asarray(np.clip(found, STEP, INDEPENDENT))


def _ranks_in_classes(records: Array, rank: RankEach) -> Array:
    """Ranks of scores among the cases of the class of each row, and among others; from -½ to ½."""
    code, out = records[rank.n_scores], np.zeros((rank.n_scores, records.shape[-1]))
    for row, into in enumerate(out):
        for among in (code == row, code != row):
            count = max(int(among.sum()), 1)
            into[among] = (mean_ranks(records[row, among]) - (count + 1) / 2) / count
    return out


# --------------------------------------------------------------------------- replicates


def _replicates(
    rankings: Sequence[Ranking],
    design: Design,
    form: RankedAreas,
    plan: Plan,
    ends: Array,
) -> list[tuple[Array, Array]]:
    """For each side areas of test sets that share their weights, and positives: (S, R, B).

    ``ends`` are the weights of the pseudo-cases of each row on each side, (R, sides, 4, B).
    """
    every = _joined(rankings)
    samples, rows, sides = len(rankings), len(rankings[0].mark), ends.shape[1]
    unit = design.unit_of_case[every.case]
    areas, positives = np.empty((2, sides, len(unit), plan.n_resamples))
    compiled = form.area.fast is not None and plan.compiles

    def make(block: tuple[int, int]) -> tuple[Array, Array]:
        some = _compiled if compiled else _plainly
        return some(every, unit, design, form.area, plan, block, ends[..., slice(*block)])

    most = min(AT_A_TIME // design.units, MOST_AREAS // (sides * len(unit)))
    most = max(native.LANES, most // native.LANES * native.LANES)
    for (start, stop), of_block in plan.in_threads(most, make):
        areas[..., start:stop], positives[..., start:stop] = of_block
    shape = (sides, samples, rows, plan.n_resamples)
    return list(zip(areas.reshape(shape), positives.reshape(shape), strict=True))


def _joined(rankings: Sequence[Ranking]) -> Ranking:
    """The rows of one test set after those of another."""
    if len(rankings) == 1:
        return rankings[0]
    weights = [ranking.weight for ranking in rankings if ranking.weight is not None]
    return Ranking(
        np.concatenate([ranking.case for ranking in rankings]),
        np.concatenate([ranking.mark for ranking in rankings]),
        np.concatenate(weights) if weights else None,
    )


def _ends(
    rankings: Sequence[Ranking], design: Design, plan: Plan, sides: Sequence[Masses]
) -> Array:
    """Weights of the pseudo-cases of each row, (R, sides, 4, B); with weights of cases of S R rows.

    Positives and negatives above all scores, then below all. Beside cases of unequal weight a
    pseudo-case weighs their `typical_weight`.
    """
    return _scaled_by_weights(ends_of_rows(len(rankings[0].mark), design, plan, sides), rankings)


def _scaled_by_weights(ends: Array, rankings: Sequence[Ranking]) -> Array:
    """For the rows of every test set, where cases have weights of their own."""
    if rankings[0].weight is None:
        return ends
    of_cases = [typical_weight(r.weight[0]) for r in rankings if r.weight is not None]
    return np.concatenate([share * ends for share in of_cases])


def _compiled(
    ranking: Ranking,
    unit: NDArray[np.intp],
    design: Design,
    area: Area,
    plan: Plan,
    block: tuple[int, int],
    ends: Array,
) -> tuple[Array, Array]:
    turned = native_areas.turned_exponentials(weights_key(design, plan), *block, design.units)
    fix_strata(np.moveaxis(turned, 1, -1), design)
    resamples, auroc = block[1] - block[0], area.fast is FastArea.CONCORDANCE
    full = np.ones((*ends.shape[:-1], len(turned) * native.LANES))
    full[..., :resamples] = ends
    blocks = full.reshape(*ends.shape[:-1], len(turned), native.LANES)
    corners = np.ascontiguousarray(np.moveaxis(blocks, -2, 1))
    own = (unit.astype(np.int32), ranking.mark, ranking.weight)
    made = native_areas.weighted_areas(turned, *own, corners, auroc=auroc)
    areas, positives = (np.moveaxis(one[..., :resamples], 1, 0) for one in made)
    return areas, positives


def _plainly(
    ranking: Ranking,
    unit: NDArray[np.intp],
    design: Design,
    area: Area,
    plan: Plan,
    block: tuple[int, int],
    ends: Array,
) -> tuple[Array, Array]:
    weights = unit_weights(design, plan, *block)
    fix_strata(weights, design)
    areas, positives = np.empty((2, ends.shape[1], *unit.shape[:1], len(weights)))
    for row, mark in enumerate(ranking.mark):
        of_entries = weights[:, unit[row]]
        if ranking.weight is not None:
            of_entries = of_entries * ranking.weight[row]
        for side, own in enumerate(ends[row % len(ends)]):
            made = reference.weighted_areas(of_entries, mark, own.T, area.curve)
            areas[side, row], positives[side, row] = made
    return areas, positives
