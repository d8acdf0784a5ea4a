"""Swaps of whole images between two detectors, for curves of ranked matches.

The scores of two detectors need not have one scale, so it is their ranks within each detector,
counted from the highest score of a class, that change places with the images (as in `rank_swaps`).
The detections of both are put in one order, once, and a swap says which images of it are whose.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.match_records import SLOT
from halfwidth.arithmetic.ranked_scores import mean_ranks
from halfwidth.core.detection_forms import MatchedScores
from halfwidth.core.types import Array, Numbers
from halfwidth.resampling.designs import Design
from halfwidth.resampling.weights.swaps import swaps_of_cases

# Elements of temporaries at a time: 32 MiB.
AT_A_TIME = 2**22


def ranks_within(records: Array, classes: int) -> Array:
    """Records (k, n) with scores replaced by their ranks from the highest of their class, below 0.

    Equal scores have their mean rank.
    """
    ranked = records.copy()
    slots = ranked[classes:-1].reshape(-1, SLOT, records.shape[-1])
    scores, category = slots[:, 0], slots[:, 1]
    for which in range(classes):
        own = category == which
        scores[own] = -mean_ranks(-scores[own])
    return ranked


class SwappedMatches:
    """Differences of a number of curves of ranked matches after swaps of images."""

    def __init__(self, pair: tuple[Array, Array], form: MatchedScores, design: Design) -> None:
        classes = len(form.unpack(pair[0]))
        both = np.concatenate([ranks_within(side, classes) for side in pair], axis=-1)
        self._form, self._design = form, design
        self._by_class = form.unpack(both)
        self._elements = 4 * max(both.shape[-1], *(len(one.image) for one in self._by_class))

    def __call__(self, swapped: NDArray[np.uint8]) -> Array:
        """Differences after swaps of units, (B, U) -> (B,)."""
        step = max(1, AT_A_TIME // self._elements)
        parts = [
            self._differences(swaps_of_cases(swapped[start : start + step], self._design))
            for start in range(0, len(swapped), step)
        ]
        return np.concatenate(parts)

    def _differences(self, swapped: Numbers) -> Array:
        """After swaps of images, (B, n)."""
        moved = np.asarray(swapped).astype(np.int64)
        sides = ((1 - moved, moved), (moved, 1 - moved))
        first, second = (self._values(np.concatenate(side, axis=1)) for side in sides)
        return np.asarray(first - second)

    def _values(self, counts: Numbers) -> Array:
        """From how often the images of both detectors count, (B, 2n) -> (B,)."""
        values = [self._form.curve.values(one, counts).mean(axis=0) for one in self._by_class]
        objects = [counts @ one.references for one in self._by_class]
        return self._form.finish(np.stack(values, axis=-1), np.stack(objects, axis=-1))
