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
from halfwidth.detection.metrics.mask_overlaps import sizes
from halfwidth.detection.metrics.representations import Known, extents, holds

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
    """

    objects: Objects
    # Of each object: its image among these, and its place in it.
    image: Places
    place: Places
    # Ascending.
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
    fields: dict[str, Any] = {}
    for name in (*_OTHERS, *(field for way in ways for field in _OF_WAYS[way])):
        parts = [getattr(one, name) for one in some]
        if all(part is not None for part in parts):
            fields[name] = np.concatenate(parts)
    for name in _FLAGS:
        if any(getattr(one, name) is not None for one in some):
            fields[name] = np.concatenate(
                [
                    np.zeros(len(one), dtype=bool)
                    if getattr(one, name) is None
                    else getattr(one, name)
                    for one in some
                ]
            )
    if Known.MASKS in ways:
        fields["masks"] = tuple(mask for one in some for mask in one.masks or ())
    return Objects(category=np.concatenate([one.category for one in some]), **fields)


@frozen(eq=False)
class Cells:
    """Where the detections, references and pairs of each cell that has detections lie.

    The pairs of a cell come row by row, a row being a detection.
    """

    # The first detection of each cell, and how many there are; the same of references.
    detection: Places
    n_detections: Places
    reference: Places
    n_references: Places
    # The first pair of each cell.
    pair: Places
    # Detection and reference of each pair, (P,).
    first: Places
    second: Places

    def __len__(self) -> int:
        """How many there are."""
        return len(self.detection)


def cells_of(detections: Side, references: Side) -> Cells:
    """The cells that have detections."""
    cells, detection, n_detections = np.unique(
        detections.cell, return_index=True, return_counts=True
    )
    reference = np.searchsorted(references.cell, cells, "left")
    n_references = np.searchsorted(references.cell, cells, "right") - reference
    pairs = n_detections * n_references
    pair = np.cumsum(pairs) - pairs
    per_row, from_row = np.repeat(n_references, n_detections), np.repeat(reference, n_detections)
    rows = np.cumsum(per_row) - per_row
    first = np.repeat(np.arange(len(per_row)), per_row)
    second = np.arange(int(pairs.sum())) + np.repeat(from_row - rows, per_row)
    return Cells(detection, n_detections, reference, n_references, pair, first, second)


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
    for way in (*ways, Known.MASKS, Known.BOXES, Known.BALLS):
        if not holds(objects, way) or way is Known.POINTS:
            continue
        if way is Known.MASKS:
            return sizes(objects.masks or ()) * voxel
        if way is Known.BOXES:
            return extents(np.asarray(objects.boxes)) * voxel
        dims, radii = np.asarray(objects.points).shape[1], np.asarray(objects.radii)
        unit_ball = math.pi ** (dims / 2) / math.gamma(dims / 2 + 1)
        return np.asarray(unit_ball * radii**dims)
    return None if len(objects) else np.zeros(0)
