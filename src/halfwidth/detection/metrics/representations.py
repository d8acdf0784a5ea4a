"""What is known of objects: boxes, masks, centres, and what follows from one for another."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from halfwidth.core.objects import CroppedMask, Objects
from halfwidth.core.types import Array


class Known(StrEnum):
    """Ways in which objects are given."""

    BOXES = "boxes"
    MASKS = "masks"
    POINTS = "centres"
    BALLS = "centres with radii"


def holds(objects: Objects, way: Known) -> bool:
    """Whether all of the objects are given in this way."""
    if way is Known.BALLS:
        return objects.points is not None and objects.radii is not None
    fields = {Known.BOXES: "boxes", Known.MASKS: "masks", Known.POINTS: "points"}
    return getattr(objects, fields[way]) is not None


def known_of(objects: Objects) -> list[Known]:
    """All ways in which the objects are given."""
    ways = [way for way in Known if holds(objects, way)]
    return [way for way in ways if way is not Known.POINTS or Known.BALLS not in ways]


def ways_text(ways: Sequence[Known]) -> str:
    """Ways in which objects are given, in words.

    >>> ways_text([Known.BOXES, Known.MASKS]), ways_text([])
    ('boxes and masks', 'neither boxes nor masks nor centres')
    """
    return " and ".join(ways) or "neither boxes nor masks nor centres"


def first_held(objects: Objects, wanted: Sequence[Known]) -> Known:
    """The first of the ways that the objects are given in; there is one."""
    return next(way for way in wanted if holds(objects, way))


def boxes_of(objects: Objects, way: Known, spacing: tuple[float, ...] | None = None) -> Array:
    """Boxes, those around masks, or those around balls, shape (m, 2 d)."""
    if way is Known.MASKS:
        return boxes_around(objects.masks or ())
    if way is Known.BALLS:
        centres, radii = _present(objects.points), _present(objects.radii)[:, None]
        if spacing is not None:
            radii = radii / np.array(spacing[::-1])
        return np.concatenate([centres - radii, centres + radii], axis=1)
    return _present(objects.boxes)


def centres_of(objects: Objects, way: Known) -> Array:
    """Centres, those of boxes or the centroids of masks, shape (m, d)."""
    if way is Known.MASKS:
        return centroids(objects.masks or ())
    if way is Known.BOXES:
        boxes = _present(objects.boxes)
        low, high = np.split(boxes, 2, axis=1)
        return low + (high - low) / 2
    return _present(objects.points)


def _present(values: Array | None) -> Array:
    if values is None:
        raise ValueError("objects are not given in this way")
    return np.asarray(values, dtype=float)


def extents(boxes: Array) -> Array:
    """The area or volume of each box."""
    low, high = np.split(boxes, 2, axis=1)
    return np.asarray(np.prod(high - low, axis=1))


def distances(one: Array, other: Array, spacing: tuple[float, ...] | None) -> Array:
    """Between points in x, y, z; the spacing is that of the axes of masks.

    >>> distances(np.array([[1.0, 1]]), np.array([[4.0, 1]]), spacing=(1, 2))
    array([6.])
    """
    steps = one - other
    if spacing is not None:
        steps = steps * np.array(spacing[::-1])
    return np.asarray(np.sqrt((steps**2).sum(axis=1)))


def boxes_around(masks: Sequence[CroppedMask]) -> Array:
    """The smallest box around each mask, in x, y, z; that of an empty one has no extent.

    >>> boxes_around([CroppedMask((2, 5), np.array([[True, True, False]]))])
    array([[5., 2., 7., 3.]])
    """
    if not masks:
        return np.empty((0, 0))
    boxes = np.empty((len(masks), 2, len(masks[0].start)))
    for box, one in zip(boxes, masks, strict=True):
        dims = one.mask.ndim
        for axis, start in enumerate(one.start):
            lines = one.mask.any(axis=tuple(i for i in range(dims) if i != axis))
            held = np.flatnonzero(lines)
            ends = (held[0], held[-1] + 1) if len(held) else (0, 0)
            box[:, dims - 1 - axis] = start + np.array(ends)
    return boxes.reshape(len(masks), -1)


def centroids(masks: Sequence[CroppedMask]) -> Array:
    """The mean place of each mask's voxels, in x, y, z; NaN of an empty one.

    >>> centroids([CroppedMask((2, 5), np.array([[True, True, False]]))])
    array([[6. , 2.5]])
    """
    if not masks:
        return np.empty((0, 0))
    places = np.full((len(masks), len(masks[0].start)), np.nan)
    for place, one in zip(places, masks, strict=True):
        inside = np.nonzero(one.mask)
        if len(inside[0]):
            place[:] = [
                axis.mean() + 0.5 + start for axis, start in zip(inside, one.start, strict=True)
            ][::-1]
    return places
