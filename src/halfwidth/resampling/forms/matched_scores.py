"""Curves of ranked matches: AP, FROC and AFROC of images drawn with replacement.

Detections are ranked once. A resample is how often each image is drawn, and its curve a pass over
the ranked detections with those counts: nothing is matched again, and copies of an image stay apart
from each other. Where there is a kernel it does the work (`matched_curves`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.detection_forms import MatchedScores
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array, Numbers
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan, count_blocks
from halfwidth.resampling.forms.contract import REPLICATE, Engine, OfSwaps, Pair, declared_form
from halfwidth.resampling.forms.matched_curves import ByClass, Compiled, compiled, plain_curves
from halfwidth.resampling.forms.matched_weighted import weighted, weighted_pairs
from halfwidth.resampling.kernels import native
from halfwidth.resampling.permutations.matched_swaps import SwappedMatches
from halfwidth.resampling.weights.discordance import discordance_of_left_out

# Counts of units, a byte each, that one call makes, and elements of temporaries.
MOST_COUNTS, MOST_ELEMENTS = 2**20, 2**18


def replicates(records: Array, design: Design, statistic: Statistic, plan: Plan) -> Array:
    """Replicates of samples that share their draws."""
    form = declared_form(statistic, MatchedScores)
    samples = [form.unpack(one) for one in records]
    out = np.empty((len(records), plan.n_resamples))
    kernels = _compiled(form, samples, design) if plan.compiles else None
    if kernels is None:
        for start, stop, counts in count_blocks(design, plan, _elements(samples, design)):
            out[:, start:stop] = _plainly(form, samples, design, counts)
        return out
    keys, free = plan.keys(design), list[native.Room]()

    def made(block: tuple[int, int]) -> Array:
        room = free.pop() if free else native.Room()
        values = _fast(form, kernels, native.side_by_side(keys, *block, design.units, room))
        free.append(room)
        return values

    for (start, stop), values in plan.in_threads(_whole_blocks(MOST_COUNTS // design.units), made):
        out[:, start:stop] = values
    return out


def leave_one_out(records: Array, design: Design, statistic: Statistic) -> Array:
    """Resamples that lack one unit each."""
    form = declared_form(statistic, MatchedScores)
    samples = [form.unpack(one) for one in records]
    out = np.empty((len(records), design.units))
    kernels = _compiled(form, samples, design) if native.available() else None
    each = design.units if kernels else _elements(samples, design)
    step = _whole_blocks(MOST_COUNTS // each) if kernels else max(1, MOST_ELEMENTS // each)
    for start in range(0, design.units, step):
        counts = _all_but(start, min(start + step, design.units), design.units)
        out[:, start : start + step] = (
            _fast(form, kernels, native.counts_side_by_side(counts.astype(np.uint8)))
            if kernels
            else _plainly(form, samples, design, counts)
        )
    return out


def _whole_blocks(most: int) -> int:
    """So many resamples, in multiples of those that kernels take side by side."""
    return max(native.LANES, most // native.LANES * native.LANES)


def _all_but(start: int, stop: int, units: int) -> Numbers:
    """Counts of resamples that lack the units from one to another, (stop - start, U)."""
    counts = np.ones((stop - start, units), dtype=np.int64)
    counts[np.arange(stop - start), np.arange(start, stop)] = 0
    return counts


def _elements(samples: Sequence[ByClass], design: Design) -> int:
    """Elements of temporaries for each resample."""
    longest = max((len(one.image) for sample in samples for one in sample), default=0)
    return 4 * max(longest, design.n)


def _plainly(
    form: MatchedScores, samples: Sequence[ByClass], design: Design, counts: Numbers
) -> Array:
    """The statistic of resamples given as counts of units, (B, U) -> (S, B)."""
    of_images = counts[:, design.unit_of_case]
    return np.stack(
        [
            form.finish(*(one.T for one in plain_curves(form, sample, of_images)))
            for sample in samples
        ]
    )


def _compiled(
    form: MatchedScores, samples: Sequence[ByClass], design: Design
) -> list[Compiled] | None:
    """How kernels make the curves of each sample; None where they cannot."""
    kernels = [compiled(form.curve, sample, design) for sample in samples]
    known = [one for one in kernels if one is not None]
    return known if len(known) == len(samples) else None


def _fast(form: MatchedScores, kernels: Sequence[Compiled], counts: native.Counts) -> Array:
    """The same by kernels, (S, B)."""
    return np.stack([form.finish(*(one.T for one in curves(counts))) for curves in kernels])


def swapping(pair: Pair, design: Design, statistic: Statistic, _plan: Plan) -> OfSwaps:
    """The detections of both detectors are put in one order, once."""
    return SwappedMatches(pair, declared_form(statistic, MatchedScores), design)


def seconds(_statistic: Statistic, n: int, classes: int) -> float:
    """A pass over the detections of each class."""
    return REPLICATE + classes * n * 1e-8


def discordance(records: Array, places: NDArray[np.intp], statistic: Statistic) -> Array:
    """How often a pseudo-image is bad for one model and good for the other, (M, k, n), (S, 2)."""
    design = Design((records.shape[-1],), paired=True)
    return discordance_of_left_out(leave_one_out(records, design, statistic), places)


ENGINE = Engine(
    replicates=replicates,
    leave_one_out=leave_one_out,
    weighted=weighted,
    weighted_pairs=weighted_pairs,
    discordance=discordance,
    weights_need_bounds=lambda _statistic: False,
    swapping=swapping,
    swapped_text=lambda _statistic: "whole images",
    seconds=seconds,
    bounded=True,
    paired=True,
)
