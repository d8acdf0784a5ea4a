"""Areas under curves of ranked scores: AUROC, average precision, thresholds chosen on the cases.

Scores are ranked once. A resample is how often each unit is drawn, and its area a pass over the
ranked entries with those counts (`ranked_resamples`, and `ranked_left_out` for units left out).
"""

from __future__ import annotations

import numpy as np

from halfwidth.core.forms import RankedAreas, Ranking
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import REPLICATE, Engine, declared_form
from halfwidth.resampling.forms.ranked_errors import has_standard_error, standard_error
from halfwidth.resampling.forms.ranked_left_out import without_each_unit
from halfwidth.resampling.forms.ranked_resamples import (
    Areas,
    areas_of_resamples,
    areas_of_samples,
)
from halfwidth.resampling.forms.ranked_weighted import discordance, weighted, weighted_pairs

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
    seconds=seconds,
    bounded=True,
    paired=True,
    weighs_cases=weighs_cases,
)
