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

from halfwidth.core.forms import Area, FastArea, RankedAreas, Ranking
from halfwidth.core.pseudo_cases import Masses, PseudoCases
from halfwidth.core.spec import Estimand, Statistic
from halfwidth.core.types import Array
from halfwidth.metrics.ranking import areas_of_rows
from halfwidth.resampling.class_averages import ClassAverage, linear_weights
from halfwidth.resampling.designs import Design
from halfwidth.resampling.dirichlet_weights import (
    pseudo_weights,
    typical_weight,
    unit_weights,
    weights_key,
)
from halfwidth.resampling.distribution import Quantiles
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import BothEnds, declared_form
from halfwidth.resampling.forms.ranked_resamples import unit_of_cases
from halfwidth.resampling.kernels import native, native_areas, reference
from halfwidth.resampling.tails import as_distribution

# Weights that are made at a time, 1 MiB: a core's cache holds them while areas are made of them.
AT_A_TIME = 2**17
# The share of the pseudo-mass that a class has at one end of the scores: two classes, one of which
# lies at an end as it should.
SHARE = 0.5


def weighted(
    records: Array, design: Design, statistic: Statistic, plan: Plan, pseudo_cases: PseudoCases
) -> BothEnds:
    """The distributions for the lower and for the upper end of an interval."""
    form = declared_form(statistic, RankedAreas)
    low, high = pseudo_cases.low, pseudo_cases.high
    if statistic.spec.estimand is not Estimand.AUROC:
        low, high = (low[0], 0.0), (0.0, high[1])
    rankings = [form.rank(sample) for sample in records]
    sides = [low] if low == high else [low, high]
    drawn = [_replicates(ranking, design, form, plan, sides) for ranking in rankings]
    ends = [
        _distribution(
            rankings, form, plan, *(np.stack(parts) for parts in zip(*of_side, strict=True))
        )
        for of_side in zip(*drawn, strict=True)
    ]
    return ends[0], ends[-1]


def _distribution(
    rankings: Sequence[Ranking], form: RankedAreas, plan: Plan, area: Array, positives: Array
) -> Quantiles:
    """For one end of an interval, of replicates (S, R, B)."""
    if area.shape[1] == 1:
        area, positives = (np.moveaxis(one, 1, -1) for one in (area, positives))
        return as_distribution(form.finish(area, positives), plan)
    observed = [areas_of_rows(form.area, ranking) for ranking in rankings]
    classes, held = (np.stack(parts) for parts in zip(*observed, strict=True))

    def average(areas: Array) -> Array:
        return form.finish(areas, held)

    weights = linear_weights(average, classes)
    return ClassAverage.of_replicates(average(classes), classes, weights, area)


# --------------------------------------------------------------------------- one test set


def _replicates(
    ranking: Ranking, design: Design, form: RankedAreas, plan: Plan, sides: Sequence[Masses]
) -> list[tuple[Array, Array]]:
    """For each side areas of the rows of one test set, and the positives, two of (R, B)."""
    ends = [_ends(ranking, design, plan, masses) for masses in sides]
    unit = unit_of_cases(design)[ranking.case]
    shape = (len(unit), plan.n_resamples)
    made = [(np.empty(shape), np.empty(shape)) for _ in sides]
    compiled = form.area.fast is not None and plan.compiles

    def make(block: tuple[int, int]) -> list[tuple[Array, Array]]:
        some = _compiled if compiled else _plainly
        own = [end[:, block[0] : block[1]] for end in ends]
        return some(ranking, unit, design, form.area, plan, block, own)

    most = max(native.LANES, AT_A_TIME // design.units // native.LANES * native.LANES)
    for (start, stop), of_block in plan.in_threads(most, make):
        for into, part in zip(made, of_block, strict=True):
            into[0][:, start:stop], into[1][:, start:stop] = part
    return made


def _ends(ranking: Ranking, design: Design, plan: Plan, masses: Masses) -> Array:
    """Weights of the pseudo-cases of each row, (R, B, 4).

    Positives and negatives above all scores, then below all. A pseudo-case weighs as much as the
    units on average, and where cases have weights as much as the `typical_weight`.
    """
    rows = len(ranking.mark)
    worst, best = (SHARE * mass for mass in masses)
    drawn = pseudo_weights([best, worst, worst, best] * rows, plan)
    each = design.n / design.units
    if ranking.weight is not None:
        each *= typical_weight(ranking.weight[0])
    return np.ascontiguousarray(np.moveaxis(each * drawn.reshape(-1, rows, 4), 1, 0))


def _compiled(
    ranking: Ranking,
    unit: NDArray[np.intp],
    design: Design,
    area: Area,
    plan: Plan,
    block: tuple[int, int],
    ends: Sequence[Array],
) -> list[tuple[Array, Array]]:
    turned = native_areas.turned_exponentials(weights_key(design, plan), *block, design.units)
    _fix_strata(np.moveaxis(turned, 1, -1), design)
    resamples, auroc = block[1] - block[0], area.fast is FastArea.CONCORDANCE
    made = []
    for side in ends:
        full = np.ones((len(unit), len(turned) * native.LANES, 4))
        full[:, :resamples] = side
        blocks = full.reshape(len(unit), len(turned), native.LANES, 4)
        corners = np.ascontiguousarray(np.moveaxis(blocks, -1, 2))
        own = (unit.astype(np.int32), ranking.mark, ranking.weight)
        areas, positives = native_areas.weighted_areas(turned, *own, corners, auroc=auroc)
        made.append((areas[:, :resamples], positives[:, :resamples]))
    return made


def _plainly(
    ranking: Ranking,
    unit: NDArray[np.intp],
    design: Design,
    area: Area,
    plan: Plan,
    block: tuple[int, int],
    ends: Sequence[Array],
) -> list[tuple[Array, Array]]:
    weights = unit_weights(design, plan, *block)
    _fix_strata(weights, design)
    made: list[list[tuple[Array, Array]]] = [[] for _ in ends]
    for row, mark in enumerate(ranking.mark):
        of_entries = weights[:, unit[row]]
        if ranking.weight is not None:
            of_entries = of_entries * ranking.weight[row]
        for side, into in zip(ends, made, strict=True):
            into.append(reference.weighted_areas(of_entries, mark, side[row], area.curve))
    joined = [[np.stack(parts) for parts in zip(*rows, strict=True)] for rows in made]
    return [(areas, positives) for areas, positives in joined]


def _fix_strata(weights: Array, design: Design) -> None:
    """Let the cases of each stratum weigh as many as they are, (..., U), in place."""
    if len(design.strata) == 1:
        return
    sizes = design.by_stratum(design.unit_sizes.astype(float))
    for own, size in zip(design.by_stratum(weights), sizes, strict=True):
        own *= size.sum() / (own @ size)[..., None]  # noqa: PLW2901 -- a view, worked on in place
