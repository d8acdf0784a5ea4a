"""Objects in images: those that a detector marks, and those of the reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array


class Unit(StrEnum):
    """The unit of coordinates."""

    VOXEL = "voxel"
    # Of the image's width and height, as YOLO has them.
    FRACTION = "fraction"
    # In the patient.
    MILLIMETRE = "mm"


@frozen(eq=False)
class CroppedMask:
    """The mask of one object, cropped to a part of its image."""

    # Where the part begins, in voxels along each axis.
    start: tuple[int, ...]
    # In the order of the image's axes; it may be empty.
    mask: NDArray[np.bool_]

    @property
    def dims(self) -> int:
        """Axes of the image."""
        return self.mask.ndim


@frozen(eq=False, kw_only=True)
class Objects:
    """The objects of one image, m of them, in any number of representations.

    Coordinates are continuous: voxel i of an axis reaches from i to i + 1, and its centre lies at
    i + 0.5. Those of boxes and points come in the order x, y, z; the axes of masks, shapes and
    spacings are those of an image that is read row by row, the other way round: (y, x) or
    (z, y, x).
    """

    # (m,): of each object, its place among the classes of the set.
    category: NDArray[np.intp]
    # (m,): how sure a detector is, on any scale that ranks; None where it does not say, and for
    # references.
    score: Array | None = None
    # (m, 2 d): the low corner and then the high one: ``x0, y0, x1, y1`` or ``x0, y0, z0, x1, y1,
    # z1``.
    boxes: Array | None = None
    masks: tuple[CroppedMask, ...] | None = None
    # (m, d): centres, in the coordinates of the boxes.
    points: Array | None = None
    # (m,): half the diameter of objects that are known by centre and size, in mm where the set
    # has a spacing, else in the unit of the coordinates.
    radii: Array | None = None
    # (m,): as the file states it, for ranges of size; None: that of the box, mask or ball,
    # whichever objects are matched by.
    area: Array | None = None
    # (m,): references that stand for many objects at once: any number of detections may lie in
    # one, and count for nothing. None: none is.
    crowd: NDArray[np.bool_] | None = None
    # (m,): references that need not be found, as difficult ones of Pascal VOC; any number of
    # detections of one count for nothing. None: none is.
    ignored: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        """How many there are."""
        return len(self.category)

    def subset(self, which: NDArray[np.intp] | NDArray[np.bool_]) -> Objects:
        """Some of them, by their places or by a mask."""
        places = np.arange(len(self))[which]

        def some(values: Array | None) -> Array | None:
            return None if values is None else values[places]

        return Objects(
            category=self.category[places],
            score=some(self.score),
            boxes=some(self.boxes),
            masks=None if self.masks is None else tuple(self.masks[i] for i in places),
            points=some(self.points),
            radii=some(self.radii),
            area=some(self.area),
            crowd=None if self.crowd is None else self.crowd[places],
            ignored=None if self.ignored is None else self.ignored[places],
        )


@frozen(eq=False)
class ObjectSet:
    """The objects of all images of a test set.

    Attributes
    ----------
    images : tuple of str
        Their names, each once.
    objects : tuple of Objects
        Of each image, in that order; an image may have none.
    classes : tuple of str
        Names of the classes; an object's category is a place among them.
    shapes : tuple of tuple of int, or None
        Of each image, in voxels: (y, x) or (z, y, x).
    spacing : tuple of tuple of float, or None
        Of the voxels of each image along the same axes, in mm.
    groups : tuple of str, or None
        The patient of each image, say.
    strata : tuple of str, or None
    source : str
        What messages call it.
    identifiers : tuple of str, or None
        Of the images, other than their names: the ids in a file of COCO.
    class_identifiers : tuple of str, or None
        Of the classes, likewise.
    unit : Unit
        Of boxes and points.
    by_place : bool
        Whether the images have no names of their own: they correspond to those of another set by
        their order.
    grids : tuple of object, or None
        Where the voxels of each image lie, for those who read label maps to compare.
    notes : tuple of str
        What was assumed or left out.
    """

    images: tuple[str, ...]
    objects: tuple[Objects, ...]
    classes: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...] | None = None
    spacing: tuple[tuple[float, ...], ...] | None = None
    groups: tuple[str, ...] | None = None
    strata: tuple[str, ...] | None = None
    source: str = ""
    identifiers: tuple[str, ...] | None = None
    class_identifiers: tuple[str, ...] | None = None
    unit: Unit = Unit.VOXEL
    by_place: bool = False
    grids: tuple[Any, ...] | None = None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        """How many images there are."""
        return len(self.images)

    def subset(self, which: Sequence[int]) -> ObjectSet:
        """Some of the images, by their places, in the order in which these are given."""

        def some(values: tuple[Any, ...] | None) -> Any:
            return None if values is None else tuple(values[place] for place in which)

        each_image = ("images", "objects", "shapes", "spacing", "groups", "strata", "identifiers")
        return replace(self, **{name: some(getattr(self, name)) for name in (*each_image, "grids")})

    def places(self, images: Sequence[str]) -> list[int | None]:
        """Where each of some images is; None where it is not."""
        known = {image: place for place, image in enumerate(self.images)}
        return [known.get(image) for image in images]
