"""Match lists as records: a column of numbers for each image, and back.

A statistic of records is resampled, compared, paired and studied like any other. A column begins
with what is to be found of each class; then come slots of a score, a class and a code of the
outcomes, as many as the fullest image needs, and the place of the image among those given.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.types import Array
from halfwidth.detection.forms.declared import ImageSums, ScoredMatches
from halfwidth.detection.matching.match_lists import MatchLists

# Rows of a slot: score, class and code. A slot without a detection has this class.
SLOT, EMPTY = 3, -1.0
# An outcome takes two bits, and a float holds whole numbers of 53.
MOST_THRESHOLDS = 26


@frozen
class ScoreRecords:
    """Match lists as the records of a metric of ranked matches."""

    which: int | None = None  # The only class that counts; None: all
    pooled: bool = False  # Whether all classes count as one

    def __call__(self, matches: MatchLists) -> Array:
        """Records, (k, n): C + 3 slots + 1 rows."""
        if matches.score is None:
            raise DataError(
                "the detections have no scores to rank them by; metrics at one threshold, such as "
                "object_sensitivity, need none"
            )
        references, kept = matches.n_references, np.arange(len(matches.image))
        category = matches.category
        if self.pooled:
            references, category = references.sum(axis=1, keepdims=True), np.zeros_like(category)
        elif self.which is not None:
            references = references[:, [self.which]]
            kept = np.flatnonzero(category == self.which)
            category = np.zeros_like(category)
        # Equal scores of an image stay in the order of its detections.
        order = np.lexsort((matches.detection[kept], -matches.score[kept], matches.image[kept]))
        kept = kept[order]
        rows = np.stack([matches.score[kept], category[kept], codes(matches.outcome[:, kept])])
        slots = _in_slots(rows, matches.image[kept], matches.n_images)
        return np.vstack([references.T, slots, np.arange(matches.n_images)]).astype(float)


def codes(outcome: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Outcomes at all thresholds as one number, two bits each: (T, E) -> (E,)."""
    if len(outcome) > MOST_THRESHOLDS:
        raise OptionError(
            f"a mean over {len(outcome)} thresholds of localisation is too much: give at most "
            f"{MOST_THRESHOLDS} ({spelled('threshold')})"
        )
    shift = 2 * np.arange(len(outcome), dtype=np.int64)[:, None]
    return np.asarray((outcome.astype(np.int64) << shift).sum(axis=0))


def _in_slots(rows: Array, image: NDArray[np.intp], images: int) -> Array:
    """What detections have, (3, E) in order of images, in slots of these: (3 slots, n)."""
    each = np.bincount(image, minlength=images)
    slots = np.zeros((int(each.max(initial=0)), SLOT, images))
    slots[:, 1] = EMPTY
    place = np.arange(len(image)) - np.repeat(np.cumsum(each) - each, each)
    slots[place, :, image] = rows.T
    return slots.reshape(-1, images)


def with_equal_slots(records: Sequence[Array]) -> list[Array]:
    """Records of several detectors on the same images, all with as many rows."""
    rows = max((len(each) for each in records), default=0)
    return [_with_rows(each, rows) for each in records]


def _with_rows(records: Array, rows: int) -> Array:
    more = (rows - len(records)) // SLOT
    empty = np.zeros((more, SLOT, records.shape[-1]))
    empty[:, 1] = EMPTY
    return np.vstack([records[:-1], empty.reshape(-1, records.shape[-1]), records[-1:]])


@frozen
class Unpack:
    """Records as the ranked matches of each class again."""

    classes: int
    thresholds: int

    def __call__(self, records: Array) -> tuple[ScoredMatches, ...]:
        """Ranked matches of one test set, (k, n)."""
        references = records[: self.classes].astype(np.int64)
        slots = records[self.classes : -1].reshape(-1, SLOT, records.shape[-1])
        image, slot = np.nonzero(slots[:, 1].T != EMPTY)
        score, category, code = slots[slot, :, image].T
        # Copies of an image share its place, and each detection is followed by its copies.
        order = np.lexsort((image, slot, records[-1, image], -score, category))
        image, score, category = image[order], score[order], category[order]
        code = code[order].astype(np.int64)
        shift = 2 * np.arange(self.thresholds, dtype=np.int64)[:, None]
        outcome = ((code >> shift) & 3).astype(np.uint8)
        ends = np.searchsorted(category, np.arange(self.classes + 1))
        return tuple(
            ScoredMatches(image[own], _last_of_ties(score[own]), outcome[:, own], objects)
            for own, objects in zip(map(slice, ends[:-1], ends[1:]), references, strict=True)
        )


def _last_of_ties(score: Array) -> NDArray[np.bool_]:
    return np.append(score[1:] != score[:-1], np.ones(min(len(score), 1), dtype=bool))


# --------------------------------------------------------------------------- sums


@frozen
class SumRecords:
    """Match lists as the records of a function of sums over images."""

    form: ImageSums
    which: int | None = None  # The only class that counts; None: all
    pooled: bool = False  # Whether all classes count as one

    def __call__(self, matches: MatchLists) -> Array:
        """Records, ((K + 1) C, n): the sums of each class, then what was to be found of each."""
        counts = np.asarray(self.form.counts(matches), dtype=float)
        references = matches.n_references.T[None].astype(float)
        each = np.concatenate([counts, references])
        if self.pooled:
            each = each.sum(axis=1, keepdims=True)
        elif self.which is not None:
            each = each[:, [self.which]]
        return each.reshape(-1, matches.n_images)
