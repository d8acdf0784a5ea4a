"""Areas under ranked scores whose cases have Dirichlet weights.

What was not observed may lie above all scores or below them: each ranking has a pseudo-case of
either class at either end. All of them serve both ends of the interval of one AUROC. Elsewhere an
end has only those that could move it there: the others would draw it inwards, for average
precision too far, and for an average as far as its classes while its error is smaller than theirs.
For these averages see `resampling.class_averages`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.ranked_scores import RankEach, mean_ranks
from halfwidth.core.forms import RankedAreas
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.spec import Estimand, Statistic
from halfwidth.core.types import UNBOUNDED, Array, Bounds
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import BothEnds, InPairs, declared_form
from halfwidth.resampling.forms.ranked_samples import RankedSamples
from halfwidth.resampling.forms.weighted_rows import (
    OfRows,
    Replicates,
    both_ends,
    finished,
    in_pairs,
    sides_of,
)
from halfwidth.resampling.weights.blocks import whole_lanes
from halfwidth.resampling.weights.dirichlet import (
    INDEPENDENT,
    Weighted,
    discordance_of,
    typical_weight,
)
from halfwidth.resampling.weights.pseudo_ends import ends_of_pairs, ends_of_rows

# Weights that are made at a time, 1 MiB: a core's cache holds them while areas are made of them.
AT_A_TIME = 2**17
# Areas that are made at a time, 8 MiB.
MOST_AREAS = 2**20
# Pseudo-pairs of AUROCs lie at different ends in so many of the cases in which two rankings of that
# correlation do: with more intervals are longer than they need be (decision 0048).
AUROC_DISCORDANCE = 2 / 3


def weighted(
    records: Array, design: Design, statistic: Statistic, plan: Plan, pseudo_cases: PseudoCases
) -> BothEnds:
    """The distributions for the lower and for the upper end of an interval."""

    def made() -> BothEnds:
        samples = RankedSamples.prepare(records, design, statistic)
        sides = sides_of(pseudo_cases, outward=statistic.spec.estimand is not Estimand.AUROC)
        ends = ends_of_rows(samples.rows, design, plan, sides)
        added, bounds = _beside_weights(ends, samples), pseudo_cases.bounds
        return both_ends(*_replicates(samples, added, plan, bounds), plan)

    if len(records) > 1:
        return made()
    # A table and the curves below it have the same areas.
    form = declared_form(statistic, RankedAreas)
    return plan.once(("weighted areas", form, pseudo_cases), [records], design, made)


def weighted_pairs(
    records: Array,
    design: Design,
    statistic: Statistic,
    plan: Plan,
    pseudo_cases: PseudoCases,
    discordance: float,
) -> tuple[InPairs, InPairs]:
    """Replicates of models in pairs, whose cases have the same weights in every model."""
    # A difference has the pseudo-cases of both bounds at either end, whatever the area.
    samples = RankedSamples.prepare(records, design, statistic)
    ends = ends_of_pairs(samples.rows, design, plan, sides_of(pseudo_cases), discordance)
    return in_pairs(*_replicates(samples, _beside_weights(ends, samples), plan))


def _replicates(
    samples: RankedSamples, ends: Array, plan: Plan, bounds: Bounds = UNBOUNDED
) -> Replicates:
    """Replicates of each side of weights of pseudo-cases, (R, sides, 4, B)."""
    rows, sides = len(samples.ranking.case), ends.shape[1]
    both = np.empty((2, sides, rows, plan.n_resamples))

    def make(block: tuple[int, int]) -> OfRows:
        weights = Weighted(samples.design, plan, *block)
        return samples.weighted_areas(weights, ends[..., slice(*block)])

    most = min(AT_A_TIME // samples.design.units, MOST_AREAS // (sides * rows))
    for (start, stop), areas in plan.in_threads(whole_lanes(most), make):
        for into, part in zip(both, areas, strict=True):
            into[..., start:stop] = part.swapaxes(0, 1)
    values, positives = both.reshape(2, sides, samples.samples, samples.rows, -1)
    each = list(zip(values, positives, strict=True))
    return finished(each, samples.observed(), samples.form.finish, bounds)


def _beside_weights(ends: Array, samples: RankedSamples) -> Array:
    """Beside cases of unequal weight a pseudo-case weighs their `typical_weight`: (S R, ...)."""
    weight = samples.ranking.weight
    if weight is None:
        return ends
    sample_weights = weight[:: samples.rows]
    return np.concatenate([typical_weight(own) * ends for own in sample_weights])


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
    return discordance_of(ranks, places, share)


def _ranks_in_classes(records: Array, rank: RankEach) -> Array:
    """Ranks of scores among the cases of the class of each row, and among others; from -½ to ½."""
    code, out = records[rank.n_scores], np.zeros((rank.n_scores, records.shape[-1]))
    for row, into in enumerate(out):
        for among in (code == row, code != row):
            count = max(int(among.sum()), 1)
            into[among] = (mean_ranks(records[row, among]) - (count + 1) / 2) / count
    return out
