"""Numbers of curves of ranked matches, for many resamples at once: plain NumPy.

Resamples are given as counts of images, (B, n), or as weights of images.
`halfwidth.detection.forms.matched_scores` has faster ways to the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.areas import CONCORDANCE
from halfwidth.arithmetic.ranked_scores import cumulated
from halfwidth.core.forms import Ranking
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array, Numbers
from halfwidth.detection.forms.declared import ScoredMatches
from halfwidth.detection.matching.match_lists import Outcome

# The recalls of COCO as it computes them: some differ from hundredths in their last digit.
RECALLS = np.linspace(0.0, 1.0, 101)
# Targets of false positives that are whole numbers but for rounding are whole.
ROUNDING = 1e-9


def objects_drawn(matches: ScoredMatches, counts: Numbers) -> Numbers:
    """Objects to be found in each resample, (B, n) -> (B,)."""
    return counts @ matches.references


def above_zero(totals: Numbers) -> Numbers:
    """Totals with 1 for 0, to divide by; weights of images may add up to less than 1."""
    return np.where(totals > 0, totals, 1)


def drawn(
    matches: ScoredMatches, threshold: int, counts: Numbers
) -> tuple[Numbers, Numbers, NDArray[np.intp]]:
    """Cumulated true and false positives at one threshold, (B, E'), ignored entries left out.

    The last are the places of these E' entries among all.
    """
    outcome = matches.outcome[threshold]
    kept = np.flatnonzero(outcome != Outcome.IGNORED)
    # In one piece, so that sums are taken in the same order however many resamples there are.
    entry_counts = np.ascontiguousarray(counts[:, matches.image[kept]])
    true = outcome[kept] == Outcome.TRUE_POSITIVE
    tp = np.cumsum(np.where(true, entry_counts, 0), axis=-1)
    return tp, np.cumsum(entry_counts, axis=-1) - tp, kept


# --------------------------------------------------------------------------- precision and recall


@frozen
class AveragePrecision:
    """Area under the curve of the best precision at a recall or a higher one.

    Equal scores are taken one after another, as COCO does, not as one step.
    """

    # Whether the area under all of its steps; else its mean over the recalls 0, 0.01, ..., 1
    all_points: bool = False

    def __call__(self, matches: ScoredMatches, counts: Numbers) -> Array:
        """AP at each threshold, (B, n) -> (T, B)."""
        objects = objects_drawn(matches, counts)[:, None]
        values = [
            self._at(*drawn(matches, threshold, counts)[:2], objects)
            for threshold in range(len(matches.outcome))
        ]
        return np.where(objects[:, 0] > 0, np.stack(values), np.nan)

    def heights(self, matches: ScoredMatches, counts: Numbers) -> Array:
        """The best precision at each of COCO's recalls or a higher one, (B, n) -> (T, B, 101).

        It is 0 at recalls that no detection reaches.
        """
        objects = objects_drawn(matches, counts)[:, None]
        values = []
        for threshold in range(len(matches.outcome)):
            tp, fp, _ = drawn(matches, threshold, counts)
            best = np.pad(best_precision(tp, fp), ((0, 0), (0, 1)))
            recall = tp / above_zero(objects)
            at = np.stack([(recall < one).sum(axis=-1) for one in RECALLS], axis=-1)
            values.append(np.take_along_axis(best, at, axis=1))
        return np.where(objects > 0, np.stack(values), np.nan)

    def over_orders(self, matches: ScoredMatches) -> tuple[float, float]:
        """AP where equal scores have false positives first, and where they have true ones first.

        The mean over the thresholds; no other order gives less, or more.
        """
        once = np.ones((1, len(matches.references)), np.int64)
        low, high = (
            np.mean([self(one, once) for one in reordered(matches, true_first=first)])
            for first in (False, True)
        )
        return float(low), float(high)

    def _at(self, tp: Numbers, fp: Numbers, objects: Numbers) -> Array:
        best = best_precision(tp, fp)
        if self.all_points:
            rises, every = np.diff(tp, axis=-1, prepend=0), above_zero(objects)[:, 0]
        else:
            # How many of the recalls each entry is the first to reach.
            reached = np.searchsorted(RECALLS, tp / above_zero(objects), side="right")
            rises, every = np.diff(reached, axis=-1, prepend=0), np.array(len(RECALLS))
        # In whole numbers, so that what is right all over is 1.
        return np.asarray((best * rises).sum(axis=-1) / every)


def reordered(matches: ScoredMatches, *, true_first: bool) -> Iterator[ScoredMatches]:
    """Matches at each threshold, true positives of a score before the false ones, or behind."""
    tie = np.append(0, np.cumsum(matches.last))[: len(matches.image)]
    for outcome in matches.outcome:
        true = outcome == Outcome.TRUE_POSITIVE
        order = np.lexsort((true != true_first, tie))
        yield replace(matches, image=matches.image[order], outcome=outcome[None, order])


def best_precision(tp: Numbers, fp: Numbers) -> Array:
    """The highest precision at each entry or any later one, (B, E) -> (B, E)."""
    precision = tp / above_zero(tp + fp)
    return np.asarray(np.maximum.accumulate(precision[:, ::-1], axis=-1)[:, ::-1])


# --------------------------------------------------------------------------- FROC


@frozen
class MeanSensitivity:
    """Mean sensitivity at some numbers of false positives per image.

    The points of all scores that occur begin with no detection at all; equal scores are one step.
    Beyond the last one the sensitivity stays as it is.
    """

    levels: tuple[float, ...]  # Of false positives per image, ascending
    # Whether the sensitivity at a level is the highest with no more false positives; else lines
    # join the points
    steps: bool = False

    def __call__(self, matches: ScoredMatches, counts: Numbers) -> Array:
        """The mean at each threshold, (B, n) -> (T, B)."""
        return np.asarray(self.heights(matches, counts).mean(axis=-1))

    def heights(self, matches: ScoredMatches, counts: Numbers) -> Array:
        """The sensitivity at each level, (B, n) -> (T, B, levels)."""
        objects = objects_drawn(matches, counts)[:, None]
        targets = false_positives(self.levels, counts.sum(axis=-1))
        values = [
            self._found_at(*self.points(matches, threshold, counts), targets)
            for threshold in range(len(matches.outcome))
        ]
        return np.where(objects > 0, np.stack(values) / above_zero(objects), np.nan)

    def points(
        self, matches: ScoredMatches, threshold: int, counts: Numbers
    ) -> tuple[Numbers, Numbers]:
        """True and false positives up to each score, (B, G), the first ones of none."""
        tp, fp, kept = drawn(matches, threshold, counts)
        score = np.append(0, np.cumsum(matches.last))[kept]
        ends = np.flatnonzero(np.diff(score, append=-1))
        both = (np.pad(one[:, ends], ((0, 0), (1, 0))) for one in (tp, fp))
        tp, fp = both
        return tp, fp

    def _found_at(self, tp: Numbers, fp: Numbers, targets: Array) -> Array:
        """True positives at some numbers of false ones, (B, G), (B, K) -> (B, K)."""
        at = np.stack([(fp <= one[:, None]).sum(axis=-1) for one in targets.T], axis=-1) - 1
        after = np.minimum(at + 1, fp.shape[1] - 1)
        x, next_x, y, next_y = (
            np.take_along_axis(one, place, axis=1) for one in (fp, tp) for place in (at, after)
        )
        if self.steps:
            return np.asarray(y, dtype=float)
        part = (targets - x) / np.where(next_x > x, next_x - x, np.inf)
        return np.asarray(y + part * (next_y - y))


def false_positives(levels: tuple[float, ...], images: Numbers) -> Array:
    """How many false positives levels per image are, of so many images, (B,) -> (B, K)."""
    targets = np.asarray(images)[:, None] * np.array(levels)
    whole = np.rint(targets)
    is_whole = np.abs(targets - whole) <= ROUNDING * np.maximum(whole, 1)
    return np.asarray(np.where(is_whole, whole, targets))


# --------------------------------------------------------------------------- AFROC


@frozen
class LesionConcordance:
    """P(score of a lesion > highest false positive of an image without lesions) + ½ P(equal)."""

    # Whether the lesions of an image count as one together; else each counts as one
    by_image: bool = False

    def __call__(self, matches: ScoredMatches, counts: Numbers) -> Array:
        """The area at each threshold, (B, n) -> (T, B)."""
        values = []
        for threshold in range(len(matches.outcome)):
            ranking = lesions_and_images(matches, threshold, by_image=self.by_image)
            weight = counts[:, ranking.case[0]]
            if ranking.weight is not None:
                weight = weight * ranking.weight[0]
            if not weight.shape[-1]:
                values.append(np.full(len(counts), np.nan))
                continue
            values.append(CONCORDANCE.curve(*cumulated(ranking.mark[0], weight)))
        return np.stack(values)


def lesions_and_images(matches: ScoredMatches, threshold: int, *, by_image: bool) -> Ranking:
    """Lesions (positive) and images without one (negative), by descending score, in one row.

    An image without a lesion has the score of its highest false positive. Lesions that are not
    found and images without a false positive come last, as ties.
    """
    outcome, references = matches.outcome[threshold], matches.references
    tie = np.append(0, np.cumsum(matches.last))[: len(matches.image)]
    lowest = len(matches.image)
    true = np.flatnonzero(outcome == Outcome.TRUE_POSITIVE)
    false = np.flatnonzero((outcome == Outcome.FALSE_POSITIVE) & (references[matches.image] == 0))
    normal, first = np.unique(matches.image[false], return_index=True)
    unmarked = np.setdiff1d(np.flatnonzero(references == 0), normal)
    missed = references - np.bincount(matches.image[true], minlength=len(references))
    parts: list[tuple[NDArray[np.intp], NDArray[np.intp] | int, bool]] = [
        (matches.image[true], tie[true], True),
        (np.repeat(np.arange(len(missed)), np.maximum(missed, 0)), lowest, True),
        (normal, tie[false[first]], False),
        (unmarked, lowest, False),
    ]
    image = np.concatenate([part[0] for part in parts])
    key = np.concatenate([np.broadcast_to(part[1], len(part[0])) for part in parts])
    positive = np.concatenate([np.full(len(part[0]), part[2]) for part in parts])
    order = np.argsort(key, kind="stable")
    image, key, positive = image[order], key[order], positive[order]
    mark = Ranking.POSITIVE * positive + Ranking.LAST_OF_TIES * (np.diff(key, append=-1) != 0)
    weight = None
    if by_image:
        weight = np.where(positive, 1 / np.maximum(references[image], 1), 1.0)[None]
    return Ranking(image.astype(np.int32)[None], mark.astype(np.uint8)[None], weight)
