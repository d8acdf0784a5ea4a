"""Curves of ranked matches whose images have Dirichlet weights.

What was not observed are images of four kinds, for each class: with as many objects as images with
objects have, all of them found above all scores or none found; and without an object, with as many
false positives above all scores or unmarked. Where patients are drawn they are patients with such
images. Those of one class serve both ends of its interval; in an average over classes, which is
made of its classes as for areas under other rankings (`ranked_weighted`), each end has only those
that could move it there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.pseudo_cases import Masses, PseudoCases
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.detection.forms.declared import MatchedScores, ScoredMatches
from halfwidth.detection.forms.matched_curves import ByClass, compiled, plain_curves
from halfwidth.detection.matching.match_lists import Outcome
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import BothEnds, InPairs, declared_form
from halfwidth.resampling.forms.weighted_rows import (
    OfRows,
    Replicates,
    both_ends,
    finished,
    in_pairs,
    sides_of,
)
from halfwidth.resampling.kernels import native
from halfwidth.resampling.weights.blocks import whole_lanes
from halfwidth.resampling.weights.dirichlet import Weighted
from halfwidth.resampling.weights.pseudo_ends import ends_of_pairs, ends_of_rows

# An image counts in sixteenths of one, in 8 bits: no weight that can be drawn is above 15.2.
PARTS, MOST_PARTS = 16, 255
# Of a list, so that sums of these fit into 32 bits; and counts that one call makes.
MOST_ENTRIES, MOST_COUNTS = 2**23, 2**20


def weighted(
    records: Array, design: Design, statistic: Statistic, plan: Plan, pseudo_cases: PseudoCases
) -> BothEnds:
    """The distributions for the lower and for the upper end of an interval."""
    form = declared_form(statistic, MatchedScores)
    sets = [form.unpack(sample) for sample in records]
    sides = sides_of(pseudo_cases, outward=len(sets[0]) > 1)
    ends = ends_of_rows(len(sets[0]), design, plan, sides) * design.units / design.n
    return both_ends(*_replicates(sets, design, form, plan, ends), plan)


def weighted_pairs(
    records: Array,
    design: Design,
    statistic: Statistic,
    plan: Plan,
    pseudo_cases: PseudoCases,
    discordance: float,
) -> tuple[InPairs, InPairs]:
    """Replicates of models in pairs, whose images have the same weights in every model."""
    form = declared_form(statistic, MatchedScores)
    sets = [form.unpack(sample) for sample in records]
    ends = ends_of_pairs(len(sets[0]), design, plan, sides_of(pseudo_cases), discordance)
    return in_pairs(*_replicates(sets, design, form, plan, ends * design.units / design.n))


def _observed(form: MatchedScores, matches: ScoredMatches) -> tuple[float, float]:
    """The value of a class, and what was to be found of it."""
    once = np.ones((1, len(matches.references)))
    return float(form.curve.values(matches, once).mean()), float(matches.references.sum())


# --------------------------------------------------------------------------- replicates


def _replicates(
    sets: Sequence[ByClass], design: Design, form: MatchedScores, plan: Plan, ends: Array
) -> Replicates:
    """Replicates of test sets that share weights, given pseudo-images, (C, sides, 4, B)."""
    pseudo = pseudo_units(design)
    classes, sides = ends.shape[:2]
    extended = [[with_pseudo_units(one, design) for one in by_class] for by_class in sets]
    curves = [[_curves_of(form, one, pseudo, plan) for one in by_class] for by_class in extended]
    values, references = np.empty((2, sides, len(sets), classes, plan.n_resamples))
    units = design.units

    def make(block: tuple[int, int]) -> OfRows:
        own = np.empty((2, *values.shape[:-1], block[1] - block[0]))
        counts = np.zeros((block[1] - block[0], units + 4), np.uint8)
        counts[:, :units] = _observed_parts(design, plan, block)
        turned = native.counts_side_by_side(counts) if plan.compiles else None
        for which, side in np.ndindex(classes, sides):
            counts[:, units:] = in_parts(ends[which, side, :, slice(*block)].T)
            if turned is not None:
                _put_behind(turned, counts[:, units:])
            for at, class_curves in enumerate(curves):
                own[:, side, at, which] = class_curves[which](counts, turned)
        return own[0], own[1]

    longest = max(len(one.image) for by_class in extended for one in by_class)
    most = MOST_COUNTS // units if plan.compiles else plan.block_elements // (4 * (longest + units))
    for (start, stop), parts in plan.in_threads(whole_lanes(most), make):
        values[..., start:stop], references[..., start:stop] = parts
    observed = np.array([[_observed(form, one) for one in by_class] for by_class in sets])
    seen, objects = np.moveaxis(observed, -1, 0)
    return finished(list(zip(values, references, strict=True)), (seen, objects), form.finish)


def _put_behind(turned: native.Counts, counts: NDArray[np.uint8]) -> None:
    """Overwrite the counts of the last units, (B, 4), where those of all are side by side."""
    blocks, last = len(turned.turned), counts.shape[1]
    filled = np.zeros((blocks * native.LANES, last), np.uint8)
    filled[: len(counts)] = counts
    into = turned.turned.reshape(blocks, -1, native.LANES)[:, turned.units - last : turned.units]
    into[...] = filled.reshape(blocks, native.LANES, last).swapaxes(1, 2)


def weighted_counts(
    design: Design, plan: Plan, masses: Masses, elements: int
) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
    """Ranges of resamples of one class, and what units and pseudo-units count for, (B, U + 4)."""
    # Pseudo-units are those of `pseudo_units`, of the `masses` of one end of an interval;
    # `elements` are those of temporaries of a resample.
    ends = ends_of_rows(1, design, plan, [masses])[0, 0] * design.units / design.n
    for start, stop in plan.blocks(elements):
        parts = [_observed_parts(design, plan, (start, stop)), in_parts(ends[:, start:stop].T)]
        yield start, stop, np.concatenate(parts, axis=1).astype(np.int64)


def _observed_parts(design: Design, plan: Plan, block: tuple[int, int]) -> NDArray[np.uint8]:
    """What the units count for in a range of resamples, (B, U)."""
    # Whoever was observed counts for something, so that no resample is without them all.
    return np.maximum(in_parts(Weighted(design, plan, *block).rows()), 1)


def in_parts(weights: Array) -> NDArray[np.uint8]:
    """Weights of images as whole numbers of sixteenths, as kernels take counts."""
    return np.minimum(np.rint(PARTS * weights), MOST_PARTS).astype(np.uint8)


Curves = Callable[[NDArray[np.uint8], native.Counts | None], tuple[Array, Array]]


def _curves_of(form: MatchedScores, matches: ScoredMatches, pseudo: Design, plan: Plan) -> Curves:
    """Values of one class and what is to be found of it, (B,) each, from counts."""
    fits = plan.compiles and len(matches.image) < MOST_ENTRIES
    kernel = compiled(form.curve, (matches,), pseudo, any_counts=True) if fits else None

    def curves(counts: NDArray[np.uint8], turned: native.Counts | None) -> tuple[Array, Array]:
        if kernel is not None and turned is not None:
            values, objects = kernel(turned)
        else:
            images = counts.astype(np.int64)[:, pseudo.unit_of_case]
            values, objects = plain_curves(form, (matches,), images)
        return values[0], objects[0]

    return curves


# --------------------------------------------------------------------------- pseudo-images


def pseudo_units(design: Design) -> Design:
    """The design with four more units, of as many images as units have on average."""
    each = images_each(design)
    sizes = None
    if design.sizes is not None or each > 1:
        sizes = (*design.unit_sizes.tolist(), *[each] * 4)
    return Design((design.units + 4,), sizes, paired=True)


def images_each(design: Design) -> int:
    """Images of a unit on average."""
    return max(1, round(design.n / design.units))


def with_pseudo_units(matches: ScoredMatches, design: Design) -> ScoredMatches:
    """Add four units, in the order of `ends_of_rows`.

    Of those with objects the first has all of them found above all scores, the third none; of those
    without the second has false positives above all scores, the fourth no mark. Equal scores are
    taken one after another by some curves: false positives come first.
    """
    n, each = len(matches.references), images_each(design)
    held = matches.references[matches.references > 0]
    objects = max(1, round(float(held.mean()))) if len(held) else 1
    true, wrong = (np.repeat(n + place * each + np.arange(each), objects) for place in (0, 1))
    image = np.concatenate([wrong, true])
    outcome = np.repeat([Outcome.FALSE_POSITIVE, Outcome.TRUE_POSITIVE], each * objects)
    above = np.broadcast_to(outcome.astype(np.uint8), (len(matches.outcome), len(image)))
    return ScoredMatches(
        np.concatenate([image, matches.image]),
        np.concatenate([np.arange(len(image)) == len(image) - 1, matches.last]),
        np.concatenate([above, matches.outcome], axis=1),
        np.concatenate([matches.references, np.repeat([objects, 0, objects, 0], each)]),
    )
