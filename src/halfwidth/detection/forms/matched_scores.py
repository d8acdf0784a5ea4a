"""Curves of ranked matches: AP, FROC and AFROC of images drawn with replacement.

Detections are ranked once. A resample is how often each image is drawn, and its curve a pass over
the ranked detections with those counts: nothing is matched again, and copies of an image stay apart
from each other. Where there is a kernel it does the work (`matched_curves`).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.ranked_scores import mean_ranks
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.detection.arithmetic.match_records import SLOT
from halfwidth.detection.forms.declared import MatchedScores
from halfwidth.detection.forms.matched_curves import ByClass, Compiled, compiled, plain_curves
from halfwidth.detection.forms.matched_weighted import weighted, weighted_pairs
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import (
    REPLICATE,
    Dirichlet,
    Engine,
    Pair,
    Permutations,
    Prepared,
    declared_form,
)
from halfwidth.resampling.forms.evaluation import without_each_unit
from halfwidth.resampling.weights.blocks import Block, Pace, whole_lanes
from halfwidth.resampling.weights.dirichlet import discordance_of_left_out

# Counts of units, a byte each, that one call makes.
MOST_COUNTS = 2**20


@frozen(eq=False)
class MatchedSamples(Prepared):
    """Detections of samples, ranked once."""

    form: MatchedScores
    samples: Sequence[ByClass]  # By class
    design: Design

    @classmethod
    def prepare(cls, records: Array, design: Design, statistic: Statistic) -> MatchedSamples:
        """Unpack records, (S, k, n)."""
        form = declared_form(statistic, MatchedScores)
        return cls(form, [form.unpack(one) for one in records], design)

    @functools.cached_property
    def kernels(self) -> list[Compiled] | None:
        """How kernels make the curves of each sample; None where they cannot."""
        each = [compiled(self.form.curve, sample, self.design) for sample in self.samples]
        known = [one for one in each if one is not None]
        return known if len(known) == len(self.samples) else None

    def pace(self, plan: Plan) -> Pace:
        """Pace at which counts fit into a block."""
        if plan.compiles and self.kernels:
            return Pace(whole_lanes(MOST_COUNTS // self.design.units), threaded=True)
        longest = max((len(one.image) for each in self.samples for one in each), default=0)
        return Pace(plan.block_elements // (4 * max(longest, self.design.n)))

    def evaluate(self, block: Block, into: Array) -> None:
        """The statistic of every resample."""
        kernels = self.kernels if block.compiles else None
        if kernels is not None:
            counts = block.lanes()
            each = (curves(counts) for curves in kernels)
        else:
            images = block.rows()[:, self.design.unit_of_case]
            each = (plain_curves(self.form, sample, images) for sample in self.samples)
        for curves_of_sample, row in zip(each, into, strict=True):
            row[:] = self.form.finish(*(one.T for one in curves_of_sample))


def ranks_within(records: Array, classes: int) -> Array:
    """Records (k, n) with scores replaced by their mean ranks within their class, below 0."""
    ranked = records.copy()
    slots = ranked[classes:-1].reshape(-1, SLOT, records.shape[-1])
    scores, category = slots[:, 0], slots[:, 1]
    for which in range(classes):
        own = category == which
        scores[own] = -mean_ranks(-scores[own])
    return ranked


def together(pair: Pair, statistic: Statistic) -> Array:
    """Ranks within either detector, since their scores need not have one scale."""
    classes = len(declared_form(statistic, MatchedScores).unpack(pair[0]))
    return np.concatenate([ranks_within(side, classes) for side in pair], axis=-1)


def seconds(_statistic: Statistic, n: int, classes: int) -> float:
    """A pass over the detections of each class."""
    return REPLICATE + classes * n * 1e-8


def discordance(records: Array, places: NDArray[np.intp], statistic: Statistic) -> Array:
    """How often a pseudo-image is bad for one model and good for the other, (M, k, n), (S, 2)."""
    design = Design((records.shape[-1],), paired=True)
    prepared = MatchedSamples.prepare(records, design, statistic)
    left_out = without_each_unit(prepared, len(records), design)
    return discordance_of_left_out(left_out, places)


ENGINE = Engine(
    prepare=MatchedSamples.prepare,
    dirichlet=Dirichlet(
        both_ends=weighted,
        in_pairs=weighted_pairs,
        discordance=discordance,
        needs_bounds=lambda _statistic: False,
    ),
    permutations=Permutations(together=together, swapped_text=lambda _statistic: "whole images"),
    seconds=seconds,
    bounded=True,
    paired=True,
)
