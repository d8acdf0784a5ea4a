"""What caution rules look at in detections: what was read, and how it was matched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import MissingLibraryError
from halfwidth.core.forms import Effect, effect_of
from halfwidth.core.frozen import frozen
from halfwidth.core.objects import Objects, ObjectSet, Unit
from halfwidth.core.types import Array
from halfwidth.detection.matching.match_lists import MatchingRule, MatchLists, Outcome
from halfwidth.detection.metrics.localisation import LocalisationSpec
from halfwidth.detection.metrics.representations import Known, boxes_of, holds
from halfwidth.tables.patients_named import patients_named

Codes = NDArray[np.intp]
# Of masks in a large test set so many are looked at, spread over all of it.
MOST_OUTLINED = 2000
# An object that fills less of its box than this is a thin diagonal, a ring, or in parts.
RAGGED = 1 / 3
# A detection is large that is so many times the size of its object.
LARGE = 4.0


@frozen
class Units:
    """Images or patients, whichever are resampled."""

    # Of each image, (n,).
    codes: Codes
    # Of each unit.
    names: tuple[str, ...]
    # Of each unit, (U,); zeros where there are none.
    strata: Codes
    # Whether somebody said which images belong together.
    grouped: bool

    def sums(self, counts: NDArray[Any]) -> NDArray[Any]:
        """Sums over the images of each unit, (n, ...) -> (U, ...)."""
        totals = np.zeros((len(self.names), *counts.shape[1:]), dtype=counts.dtype)
        np.add.at(totals, self.codes, counts)
        return totals


@frozen(eq=False)
class Cut:
    """What scores and numbers of detections say of a cut that was made before."""

    # Scores; NaN where there are none.
    lowest: float
    highest: float
    # Different scores.
    distinct: int
    # Whether all scores are whole numbers, such as ratings.
    whole: bool
    # Detections of the fullest image.
    most: int
    # Images with as many.
    full: int


@frozen(eq=False)
class MatchSummary:
    """What is known of one way of matching two sets."""

    # At all thresholds that some row needs.
    lists: MatchLists
    criterion: LocalisationSpec
    units: Units
    # How many patients the names of the images suggest, and an example; None where they suggest
    # nothing, or somebody said which images belong together.
    patients: tuple[int, str] | None
    cut: Cut
    # The IoU of each object to be found, (m,), with itself shifted by one pixel along each axis;
    # empty where no size in pixels is known.
    shifted: Array
    # Objects of several parts or that fill little of their box, and how many were looked at; None
    # where a library is missing to draw them.
    ragged: tuple[int, int] | None
    large: tuple[int, int]


@frozen(eq=False)
class DetectionContext:
    """What caution rules look at in detections, for one estimate."""

    summary: MatchSummary
    # With the thresholds of this estimate alone.
    matching: MatchingRule
    # The same in prose.
    matched_by: str = ""
    # The only class that counts; None: all.
    which: int | None = None
    # The policy for classes without a value.
    absent: str = "omit"
    # Thresholds beside the only one, and the value there.
    neighbours: tuple[tuple[float, float], ...] = ()
    # Objects missed and false positives, where each counts a penalty.
    unmatched: tuple[int, int] = (0, 0)
    # Of the detector that this one is compared with, on the same references.
    others: tuple[MatchSummary, ...] = ()

    def against(self, other: DetectionContext, effect: Effect, /) -> Self:
        """The context of the difference, or ratio, of two detectors."""
        beside = tuple(
            (threshold, effect_of(first, second, effect))
            for (threshold, first), (_, second) in zip(
                self.neighbours, other.neighbours, strict=True
            )
        )
        return replace(self, neighbours=beside, others=(other.summary,))

    @property
    def objects(self) -> NDArray[np.intp]:
        """Objects to be found in each image, of the classes that count, (n, C)."""
        every = self.summary.lists.n_references
        return every if self.which is None else every[:, [self.which]]

    @property
    def counts_all_sizes(self) -> bool:
        """Whether objects of all sizes count; else images may hold others alone."""
        return self.matching.area_range is None

    @property
    def n_detections(self) -> int:
        """Detections of the classes that count, of all detectors."""
        every = [one.lists.category for one in (self.summary, *self.others)]
        return sum(
            len(each) if self.which is None else int((each == self.which).sum()) for each in every
        )

    @property
    def n_empty(self) -> int:
        """Images without an object of these classes."""
        return int((self.objects.sum(axis=1) == 0).sum())


def summarise_matches(
    detections: ObjectSet,
    references: ObjectSet,
    lists: MatchLists,
    criterion: LocalisationSpec,
    units: Units,
) -> MatchSummary:
    """What is to be known of a matching; detections are in the order of the references."""
    counted = [_counted(one, lists.matching) for one in references.objects]
    by_masks = criterion.alike and all(
        holds(one, Known.MASKS) for one in (*detections.objects, *references.objects)
    )
    return MatchSummary(
        lists,
        criterion,
        units,
        None if units.grouped else patients_named(references.images),
        _cut(detections),
        _shifted(references, counted),
        _ragged_if_drawn(counted) if criterion.by_boxes and not by_masks else (0, 0),
        _large(detections, references, lists),
    )


def _counted(objects: Objects, matching: MatchingRule) -> Objects:
    """The objects that are to be found."""
    kept = np.ones(len(objects), dtype=bool)
    for left_out in (objects.crowd, objects.ignored):
        kept &= True if left_out is None else ~left_out
    if matching.area_range is not None and (size := _sizes(objects)) is not None:
        low, high = matching.area_range
        kept &= (size >= low) & (size <= high)
    return objects if kept.all() else objects.subset(kept)


def _sizes(objects: Objects) -> Array | None:
    """Sizes as stated, or in voxels of the mask, or of the box; None where no size is known."""
    if objects.area is not None:
        return np.asarray(objects.area, dtype=float)
    if objects.masks is not None:
        return np.array([np.count_nonzero(one.mask) for one in objects.masks], dtype=float)
    sides = _sides(objects)
    return None if sides is None else np.asarray(sides.prod(axis=1))


def _sides(objects: Objects) -> Array | None:
    """Lengths of the sides of boxes, or of those around masks and balls, (m, d)."""
    for known in (Known.BOXES, Known.MASKS, Known.BALLS):
        if len(objects) and holds(objects, known):
            corners = boxes_of(objects, known)
            low, high = np.moveaxis(corners.reshape(len(corners), 2, -1), 1, 0)
            return np.asarray(high - low, dtype=float)
    return None


def _shifted(references: ObjectSet, counted: Sequence[Objects]) -> Array:
    """The IoU of each object's box with itself one pixel further along each axis."""
    if references.unit is not Unit.VOXEL:
        return np.empty(0)
    sides = [one for one in map(_sides, counted) if one is not None]
    if not sides:
        return np.empty(0)
    long = np.vstack(sides)
    shared = np.maximum(long - 1, 0).prod(axis=1)
    union = 2 * long.prod(axis=1) - shared
    return np.asarray(np.divide(shared, union, out=np.zeros(len(long)), where=union > 0))


def _ragged_if_drawn(counted: Sequence[Objects]) -> tuple[int, int] | None:
    """None where outlines cannot be drawn, which boxes are matched without."""
    try:
        return _ragged(counted)
    except MissingLibraryError:
        return None


def _ragged(counted: Sequence[Objects]) -> tuple[int, int]:
    """How many masks are in several parts or fill little of their box, of how many."""
    masks = [mask for one in counted for mask in one.masks or ()]
    if not masks:
        return 0, 0
    from scipy import ndimage

    step = -(-len(masks) // MOST_OUTLINED)
    ragged, looked_at = 0, 0
    for one in masks[::step]:
        inside = np.argwhere(one.mask)
        if not len(inside):
            continue
        looked_at += 1
        box = np.prod(inside.max(axis=0) - inside.min(axis=0) + 1)
        if len(inside) < RAGGED * box:
            ragged += 1
        else:
            touching = ndimage.generate_binary_structure(one.mask.ndim, one.mask.ndim)
            ragged += bool(ndimage.label(one.mask, touching)[1] > 1)
    return ragged, looked_at


def _cut(detections: ObjectSet) -> Cut:
    scores = [one.score for one in detections.objects if one.score is not None]
    every = np.concatenate(scores) if scores else np.empty(0)
    each = np.array([len(one) for one in detections.objects], dtype=int)
    most = int(each.max(initial=0))
    return Cut(
        float(every.min()) if len(every) else float("nan"),
        float(every.max()) if len(every) else float("nan"),
        len(np.unique(every)),
        bool(len(every) and (every == np.rint(every)).all()),
        most,
        int((each == most).sum()),
    )


def _large(detections: ObjectSet, references: ObjectSet, lists: MatchLists) -> tuple[int, int]:
    """How many matched detections are much larger than their object, of how many."""
    matched = lists.outcome[0] == Outcome.TRUE_POSITIVE
    if not matched.any():
        return 0, 0
    sizes = [(_sizes(one), _sizes(other)) for one, other in _pairs(detections, references)]
    large, total = 0, 0
    places = zip(
        lists.image[matched],
        lists.detection[matched],
        lists.reference[0][matched],
        strict=True,
    )
    for image, detection, reference in places:
        one, other = sizes[image]
        if one is None or other is None or reference < 0:
            continue
        total += 1
        large += bool(one[detection] > LARGE * other[reference])
    return large, total


def _pairs(detections: ObjectSet, references: ObjectSet) -> list[tuple[Objects, Objects]]:
    """The detections of each image of the references beside its objects."""
    by_name = dict(zip(detections.images, detections.objects, strict=True))
    nothing = Objects(category=np.zeros(0, dtype=np.intp))
    return [
        (by_name.get(image, nothing), objects)
        for image, objects in zip(references.images, references.objects, strict=True)
    ]
