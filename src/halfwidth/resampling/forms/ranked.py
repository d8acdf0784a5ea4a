"""Areas under curves of ranked scores: AUROC, average precision, thresholds chosen on the cases.

Scores are ranked once; the area at some weights of units is a pass over the ranked entries. Where
there is a kernel it does the work; `areas_of_counts` is the same in plain NumPy.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.areas import areas_of_counts
from halfwidth.arithmetic.ranked_scores import RankEach
from halfwidth.core.forms import FastArea, RankedAreas, Ranking
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Estimand, Statistic
from halfwidth.core.types import Array, Numbers
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import REPLICATE, Engine, Pair, Shared, declared_form
from halfwidth.resampling.forms.ranked_errors import has_standard_error, standard_error
from halfwidth.resampling.forms.ranked_left_out import without_each_unit
from halfwidth.resampling.forms.ranked_weighted import discordance, weighted, weighted_pairs
from halfwidth.resampling.forms.signed_sums import SignedSums, plain_sum
from halfwidth.resampling.joint.errors import OfCounts, joint_areas
from halfwidth.resampling.kernels import native_areas
from halfwidth.resampling.permutations.rank_swaps import contributions_of_cases, ranks_within
from halfwidth.resampling.weights.blocks import Block, whole_lanes
from halfwidth.resampling.weights.bootstrap import Pace

# Values of samples that are ranked together: some 30 MB with their order. No result depends on it.
MOST_RANKED = 2**20
# Areas that a call may return, 16 MiB, and counts of units, a byte each, that one makes; where
# samples share counts, more of these are made at once, and areas of some of the samples, 8 MiB,
# which the last cache of a processor holds until they are finished.
MOST_AREAS, MOST_COUNTS = 2**21, 2**20
MOST_SHARED, MOST_AT_ONCE = 2**24, 2**20


@frozen(eq=False)
class RankedSamples:
    """Rankings of samples, the rows of one after those of another, so that they share weights.

    Attributes
    ----------
    form : RankedAreas
    ranking : Ranking
    samples : int
    design : Design
    """

    form: RankedAreas
    ranking: Ranking
    samples: int
    design: Design

    @classmethod
    def prepare(cls, records: Array, design: Design, statistic: Statistic) -> RankedSamples:
        """Rank the scores of each sample, (S, k, n)."""
        form = declared_form(statistic, RankedAreas)
        return cls(form, form.rank(records), len(records), design)

    @property
    def rows(self) -> int:
        """Of each sample."""
        return len(self.ranking.case) // self.samples

    @functools.cached_property
    def lists(self) -> native_areas.Lists | None:
        """In the form of the kernels; None where these cannot make such areas."""
        case, area = self.ranking.case, self.form.area
        fits = native_areas.fits(max(case.shape[-1], self.design.units))
        if area.fast is None or self.ranking.weight is not None or not case.size or not fits:
            return None
        unit, auroc = self.design.unit_of_case.astype(np.int32), area.fast is FastArea.CONCORDANCE
        return native_areas.prepared(unit[case], self.ranking.mark, self.design.units, auroc=auroc)

    def pace(self, plan: Plan) -> Pace:
        """Areas of one sample are kept; those of many are finished a few samples at a time."""
        units, entries = self.design.units, self.ranking.case.shape[-1]
        if not (plan.compiles and self.lists):
            return Pace(plan.block_elements // (4 * max(entries, units)))
        if self.samples > 1:
            return Pace(whole_lanes(MOST_SHARED // units), threaded=True)
        most = min(MOST_COUNTS // units, MOST_AREAS // self.rows)
        return Pace(whole_lanes(most), threaded=True)

    def shared(self, _plan: Plan) -> Shared | None:
        """The areas of a single sample, for other averages of the same scores."""
        if self.samples > 1:
            return None
        ranking = self.ranking
        arrays = [one for one in (ranking.case, ranking.mark, ranking.weight) if one is not None]

        def finish(areas: Array, positives: Numbers) -> Array:
            return self.form.finish(areas.T, positives.T)[None]

        return Shared((self.form.area,), arrays, lambda block: next(self._areas(block))[1:], finish)

    def evaluate(self, block: Block, into: Array) -> None:
        """Areas of some samples at a time, averaged."""
        for some, *areas in self._areas(block):
            shape = (some.stop - some.start, -1, block.resamples)
            of_rows = (np.moveaxis(one.reshape(shape), 1, -1) for one in areas)
            into[some] = self.form.finish(*of_rows)

    def _areas(self, block: Block) -> Iterator[tuple[slice, Array, Numbers]]:
        """Some samples, the areas of their rows, and the positives that these rest on; (R, B)."""
        lists = self.lists if block.compiles else None
        if lists is None:
            areas = areas_of_counts(
                self.form.area, self.ranking, self.design.unit_of_case, block.rows()
            )
            yield slice(0, self.samples), *areas
            return
        counts, rows = block.lanes(), self.rows
        step = max(1, MOST_AT_ONCE // (rows * block.resamples))
        for first in range(0, self.samples, step):
            last = min(first + step, self.samples)
            made = native_areas.areas(lists, counts, first * rows, last * rows)
            yield slice(first, last), *made


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
    standard_error=standard_error,
    has_standard_error=has_standard_error,
    weighted=weighted,
    weighted_pairs=weighted_pairs,
    discordance=discordance,
    weights_need_bounds=lambda _statistic: False,
    joint=joint,
    signed_sums=signed_sums,
    together=together,
    swapped_text=lambda _statistic: "paired ranks",
    unpaired_scale=unpaired_scale,
    true_classes=true_classes,
    seconds=seconds,
    bounded=True,
    paired=True,
    weighs_cases=weighs_cases,
)
