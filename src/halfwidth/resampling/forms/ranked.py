"""Areas under curves of ranked scores: AUROC, average precision, thresholds chosen on the cases.

Scores are ranked once. A resample is how often each unit is drawn, and its area a pass over the
ranked entries with those counts (`ranked_resamples`, and `ranked_left_out` for units left out).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.ranked_scores import RankEach
from halfwidth.core.forms import FastArea, RankedAreas, Ranking
from halfwidth.core.spec import Estimand, Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import REPLICATE, Engine, OfSwaps, Pair, declared_form
from halfwidth.resampling.forms.ranked_errors import has_standard_error, standard_error
from halfwidth.resampling.forms.ranked_left_out import without_each_unit
from halfwidth.resampling.forms.ranked_resamples import (
    Areas,
    areas_of_resamples,
    areas_of_samples,
)
from halfwidth.resampling.forms.ranked_weighted import discordance, weighted, weighted_pairs
from halfwidth.resampling.forms.signed_sums import SignedSums, plain_sum
from halfwidth.resampling.joint.errors import OfCounts, joint_areas
from halfwidth.resampling.permutations.rank_swaps import (
    SwappedAreas,
    contributions_of_cases,
    ranks_within,
)

# Scores of samples that are ranked at once: some 30 MB with their order. No result depends on it.
MOST_RANKED = 2**20


def replicates(records: Array, design: Design, statistic: Statistic, plan: Plan) -> Array:
    """Rankings of many samples under one another, so that they share the counts of a resample."""
    form = declared_form(statistic, RankedAreas)
    out = np.empty((len(records), plan.n_resamples))
    if len(records) == 1:
        areas = _kept_areas(form.rank(records[0]), design, form, plan)
        out[0] = form.finish(areas.area.T, areas.positives.T)
        return out
    step = max(1, MOST_RANKED // max(records[:1].size, 1))
    for start in range(0, len(records), step):
        part = records[start : start + step]
        ranking = form.rank(part)
        into = out[start : start + step]
        for some, block, areas in areas_of_samples(form.area, ranking, len(part), design, plan):
            shape = (some.stop - some.start, -1, block.stop - block.start)
            area, positives = (
                np.moveaxis(one.reshape(shape), 1, -1) for one in (areas.area, areas.positives)
            )
            into[some, block] = form.finish(area, positives)
    return out


def _kept_areas(ranking: Ranking, design: Design, form: RankedAreas, plan: Plan) -> Areas:
    """Areas of all resamples, kept for other averages of the same scores."""

    def drawn() -> Areas:
        shape = (len(ranking.case), plan.n_resamples)
        kept = Areas(np.empty(shape), np.empty(shape))
        for start, stop, areas in areas_of_resamples(form.area, ranking, design, plan):
            kept.area[:, start:stop] = areas.area
            kept.positives[:, start:stop] = areas.positives
        return kept

    arrays = [array for array in (ranking.case, ranking.mark, ranking.weight) if array is not None]
    return plan.once((form.area,), arrays, design, drawn)


def leave_one_out(records: Array, design: Design, statistic: Statistic) -> Array:
    """In a pass over the ranked entries, where cases are independent."""
    return without_each_unit(declared_form(statistic, RankedAreas), records, design)


def joint(models: Sequence[Array], design: Design, statistic: Statistic) -> OfCounts | None:
    """Joint resamples of an AUROC, whose standard error is DeLong's; None of other areas."""
    if statistic.spec.estimand is not Estimand.AUROC or not has_standard_error(statistic):
        return None

    return joint_areas(models, design, declared_form(statistic, RankedAreas))


def signed_sums(pair: Pair, design: Design, statistic: Statistic) -> SignedSums | None:
    """AUROCs of ranks within each model are sums over cases; other areas are not."""
    form = declared_form(statistic, RankedAreas)
    if form.area.fast is not FastArea.CONCORDANCE or not isinstance(form.rank, RankEach):
        return None
    return plain_sum(design.totals(contributions_of_cases(pair, form, form.rank)))


def swapping(pair: Pair, design: Design, statistic: Statistic, plan: Plan) -> OfSwaps | None:
    """The ranks of both models are put in one order, once."""
    form = declared_form(statistic, RankedAreas)
    if not isinstance(form.rank, RankEach):
        return None
    return SwappedAreas(pair, form, form.rank, design, compiled=plan.compiles)


def unpaired_scale(sample: Array, statistic: Statistic) -> Array:
    """Scores as ranks within the model, on (0, 1): two models' scores need not have one scale."""
    rank = declared_form(statistic, RankedAreas).rank
    if not isinstance(rank, RankEach):
        return sample
    ranked = ranks_within(sample, rank)
    entries = sample.shape[-1] * (rank.n_scores if rank.flatten else 1)
    scores = (ranked[: rank.n_scores] - 0.5) / entries
    return np.concatenate([scores, ranked[rank.n_scores :]])


def true_classes(sample: Array, statistic: Statistic) -> NDArray[np.intp] | None:
    """The row behind the scores."""
    rank = declared_form(statistic, RankedAreas).rank
    if not isinstance(rank, RankEach):
        return None
    return np.asarray(sample[rank.n_scores], np.intp)


def seconds(statistic: Statistic, n: int, classes: int) -> float:
    """A pass over the entries of each row."""
    rows = classes if declared_form(statistic, RankedAreas).row is None else 1
    return REPLICATE + rows * n * 2.5e-10


def weighs_cases(statistic: Statistic) -> bool:
    """Whether records end in a row of weights."""
    return bool(getattr(declared_form(statistic, RankedAreas).rank, "weighted", False))


ENGINE = Engine(
    replicates=replicates,
    leave_one_out=leave_one_out,
    standard_error=standard_error,
    has_standard_error=has_standard_error,
    weighted=weighted,
    weighted_pairs=weighted_pairs,
    discordance=discordance,
    weights_need_bounds=lambda _statistic: False,
    joint=joint,
    signed_sums=signed_sums,
    swapping=swapping,
    swapped_text=lambda _statistic: "paired ranks",
    unpaired_scale=unpaired_scale,
    true_classes=true_classes,
    seconds=seconds,
    bounded=True,
    paired=True,
    weighs_cases=weighs_cases,
)
