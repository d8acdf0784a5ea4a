"""Areas under curves of ranked scores: AUROC, average precision, thresholds chosen on the cases."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.ranked_scores import RankEach
from halfwidth.core.forms import FastArea, RankedAreas
from halfwidth.core.spec import Estimand, Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.forms.contract import (
    REPLICATE,
    Dirichlet,
    Engine,
    Errors,
    Pair,
    Permutations,
    declared_form,
)
from halfwidth.resampling.forms.joint_resamples import OfCounts, joint_areas
from halfwidth.resampling.forms.ranked_errors import has_standard_error, standard_error
from halfwidth.resampling.forms.ranked_left_out import without_each_unit
from halfwidth.resampling.forms.ranked_samples import RankedSamples
from halfwidth.resampling.forms.ranked_swaps import contributions_of_cases, ranks_within
from halfwidth.resampling.forms.ranked_weighted import discordance, weighted, weighted_pairs
from halfwidth.resampling.forms.signed_sums import SignedSums, plain_sum

# Values of samples that are ranked together: some 30 MB with their order. No result depends on it.
MOST_RANKED = 2**20


def leave_one_out(records: Array, design: Design, statistic: Statistic) -> Array:
    """Values without each unit; of independent cases in one pass over the ranked entries."""
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


def together(pair: Pair, statistic: Statistic) -> Array | None:
    """Ranks within either model, since their scores need not have one scale."""
    rank = declared_form(statistic, RankedAreas).rank
    if not isinstance(rank, RankEach):
        return None
    return np.concatenate([ranks_within(side, rank) for side in pair], axis=-1)


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
    prepare=RankedSamples.prepare,
    most_values=MOST_RANKED,
    leave_one_out=leave_one_out,
    errors=Errors(
        standard_error=standard_error, has_standard_error=has_standard_error, joint=joint
    ),
    dirichlet=Dirichlet(
        both_ends=weighted,
        in_pairs=weighted_pairs,
        discordance=discordance,
        needs_bounds=lambda _statistic: False,
    ),
    permutations=Permutations(
        signed_sums=signed_sums,
        together=together,
        swapped_text=lambda _statistic: "paired ranks",
        unpaired_scale=unpaired_scale,
        true_classes=true_classes,
    ),
    seconds=seconds,
    bounded=True,
    paired=True,
    weighs_cases=weighs_cases,
)
