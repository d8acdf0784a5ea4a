"""Objects of some images side by side, and the pairs of them that may match."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.objects import Objects
from halfwidth.core.types import Array
from halfwidth.metrics.detection.mask_overlaps import sizes
from halfwidth.metrics.detection.representations import Known, extents, holds

Places = NDArray[np.intp]
# Fields of objects, in which silence says that there are none, and in which it says nothing.
_FLAGS, _OTHERS = ("crowd", "ignored"), ("score", "area")
_OF_WAYS = {
    Known.BOXES: ("boxes",),
    Known.POINTS: ("points",),
    Known.BALLS: ("points", "radii"),
    Known.MASKS: (),
}


@frozen(eq=False)
class Side:
    """The detections, or the references, of some images, by cell and then in order.

    A cell is a class of an image, or an image where classes do not matter.

    Attributes
    ----------
    objects : Objects
    image, place : ndarray of int
        Of each object: its image among these, and its place in it.
    cell : ndarray of int
        Ascending.
    """

    objects: Objects
    image: Places
    place: Places
    cell: Places


def side_of(
    images: Sequence[Objects],
    n_classes: int,
    ways: Sequence[Known],
    *,
    by_class: bool,
    ranked: bool,
) -> Side:
    """The objects of images, by cell and, if they are ranked, by descending score."""
    objects = joined(images, ways)
    counts = np.array([len(one) for one in images], dtype=np.intp)
    image = np.repeat(np.arange(len(images)), counts)
    place = np.arange(len(image)) - np.repeat(np.cumsum(counts) - counts, counts)
    cell = image * n_classes + objects.category if by_class else image
    keys = (-objects.score, cell) if ranked and objects.score is not None else (cell,)
    order = np.lexsort(keys)
    return Side(objects.subset(order), image[order], place[order], cell[order])


def joined(images: Sequence[Objects], ways: Sequence[Known]) -> Objects:
    """The objects of several images as those of one, given in these ways alone."""
    some = [one for one in images if len(one)]
    if not some:
        return Objects(category=np.empty(0, dtype=np.intp))
    given: dict[str, Any] = {}
    for name in (*_OTHERS, *(field for way in ways for field in _OF_WAYS[way])):
        parts = [getattr(one, name) for one in some]
        if all(part is not None for part in parts):
            given[name] = np.concatenate(parts)
    for name in _FLAGS:
        if any(getattr(one, name) is not None for one in some):
            given[name] = np.concatenate(
                [
                    np.zeros(len(one), dtype=bool)
                    if getattr(one, name) is None
                    else getattr(one, name)
                    for one in some
                ]
            )
    if Known.MASKS in ways:
        given["masks"] = tuple(mask for one in some for mask in one.masks or ())
    return Objects(category=np.concatenate([one.category for one in some]), **given)


@frozen(eq=False)
class Cells:
    """Where the detections, references and pairs of each cell that has detections lie.

    The pairs of a cell come row by row, a row being a detection.

    Attributes
    ----------
    found, n_found : ndarray of int
        The first detection of each cell, and how many there are.
    true, n_true : ndarray of int
        The same of references.
    pair : ndarray of int
        The first pair.
    first, second : ndarray of int, shape (P,)
        Detection and reference of each pair.
    """

    found: Places
    n_found: Places
    true: Places
    n_true: Places
    pair: Places
    first: Places
    second: Places

    def __len__(self) -> int:
        """How many there are."""
        return len(self.found)


def cells_of(detections: Side, references: Side) -> Cells:
    """The cells that have detections."""
    cells, found, n_found = np.unique(detections.cell, return_index=True, return_counts=True)
    true = np.searchsorted(references.cell, cells, "left")
    n_true = np.searchsorted(references.cell, cells, "right") - true
    pairs = n_found * n_true
    pair = np.cumsum(pairs) - pairs
    per_row, from_row = np.repeat(n_true, n_found), np.repeat(true, n_found)
    rows = np.cumsum(per_row) - per_row
    first = np.repeat(np.arange(len(per_row)), per_row)
    second = np.arange(int(pairs.sum())) + np.repeat(from_row - rows, per_row)
    return Cells(found, n_found, true, n_true, pair, first, second)


def areas_of(
    objects: Objects, ways: Sequence[Known], spacing: tuple[float, ...] | None
) -> Array | None:
    """The size of each object: as it was stated, else of its box, mask or ball.

    Where there are several, of the one that comes first among the ways in which the criterion takes
    objects, so that boxes are compared by the sizes of boxes. In mm² or mm³ where there is a
    spacing, else in voxels or the unit of the coordinates. None where there are centres alone.
    """
    if objects.area is not None:
        return objects.area
    voxel = 1.0 if spacing is None else math.prod(spacing)
    for what in (*ways, Known.MASKS, Known.BOXES, Known.BALLS):
        if not holds(objects, what) or what is Known.POINTS:
            continue
        if what is Known.MASKS:
            return sizes(objects.masks or ()) * voxel
        if what is Known.BOXES:
            return extents(np.asarray(objects.boxes)) * voxel
        dims, radii = np.asarray(objects.points).shape[1], np.asarray(objects.radii)
        of_unit = math.pi ** (dims / 2) / math.gamma(dims / 2 + 1)
        return np.asarray(of_unit * radii**dims)
    return None if len(objects) else np.zeros(0)
