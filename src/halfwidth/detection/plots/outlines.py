"""Outlines of objects on a flat canvas: boxes, masks, circles and points as corners."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from halfwidth.core.frozen import frozen
from halfwidth.core.objects import CroppedMask, Objects, ObjectSet, Unit
from halfwidth.core.types import Array

# Corners of a circle.
ROUND = 48
# Margin around the objects of an image whose size is not known, as a share of what they span.
AROUND = 0.05


@frozen
class Canvas:
    """The part of the plane on which an image is drawn; it is looked at along one axis if solid."""

    # In the coordinates of boxes; the second axis runs downwards.
    left: float
    top: float
    right: float
    bottom: float
    # Length of a unit of the second axis over one of the first.
    aspect: float
    # Of three coordinates, x, y and z, the one that is looked along.
    hidden: int | None
    # Length of a unit of each coordinate: the spacing of voxels, or 1.
    unit: tuple[float, ...]
    # Whether it is the image; else it is what the objects span, since no size is known.
    whole: bool

    @property
    def shape(self) -> float:
        """Height over width, as it is drawn."""
        return (self.bottom - self.top) * self.aspect / (self.right - self.left)

    def flat(self, points: Array) -> Array:
        """Points of two or three coordinates on the canvas, (k, d) -> (k, 2)."""
        return points if self.hidden is None else np.delete(points, self.hidden, axis=1)

    @property
    def hidden_axis(self) -> str:
        """Name of the axis that is looked along, if any."""
        return "" if self.hidden is None else "xyz"[self.hidden]


def canvas_of(*sides: tuple[ObjectSet, int], hidden: int | None = None) -> Canvas:
    """The canvas of an image: its own size, or what the objects in it span.

    ``*sides``: sets that hold the image, and its place in each; ``hidden``: along which coordinate
    a solid image is looked at.
    """
    extent = _extent_of(*sides)
    dims = extent.shape[1]
    hidden = None if dims < 3 else hidden or 0
    unit = _unit(dims, *sides)
    (left, top), (right, bottom) = (
        end if hidden is None else np.delete(end, hidden) for end in extent
    )
    across, down = (length for axis, length in enumerate(unit) if axis != hidden)
    whole = any(_has_extent(one) for one, _ in sides)
    return Canvas(left, top, right, bottom, down / across, hidden, unit, whole)


def shortest_axis(one: ObjectSet) -> int | None:
    """The coordinate along which solid images are shortest altogether; None of flat ones."""
    lengths = [
        np.diff(_extent_of((one, at)), axis=0)[0] * _unit(3, (one, at))
        for at, objects in enumerate(one.objects)
        if len(objects) and _extent_of((one, at)).shape[1] == 3
    ]
    return int(np.argmin(np.sum(lengths, axis=0))) if lengths else None


def _extent_of(*sides: tuple[ObjectSet, int]) -> Array:
    """The low and the high corner of an image, or of the objects in it."""
    known = next((_extent(one, at) for one, at in sides if _has_extent(one)), None)
    return _spanned([one.objects[at] for one, at in sides]) if known is None else known


def _unit(dims: int, *sides: tuple[ObjectSet, int]) -> tuple[float, ...]:
    """Length of a unit of each coordinate."""
    spacing = next(filter(None, (_spacing(one, at) for one, at in sides)), None)
    return (1.0,) * dims if spacing is None or len(spacing) != dims else tuple(spacing[::-1])


def _has_extent(one: ObjectSet) -> bool:
    """Whether it is known in the coordinates of its objects how large images are."""
    return one.unit is Unit.FRACTION or (one.unit is Unit.VOXEL and one.shapes is not None)


def _spacing(one: ObjectSet, at: int) -> tuple[float, ...] | None:
    """The spacing of an image's voxels, where coordinates are in voxels."""
    return None if one.spacing is None or one.unit is not Unit.VOXEL else one.spacing[at]


def _extent(one: ObjectSet, at: int) -> Array:
    """The low and the high corner of an image."""
    if one.unit is Unit.FRACTION or one.shapes is None:
        return np.array([[0.0, 0.0], [1.0, 1.0]])
    shape = one.shapes[at]
    return np.array([[0.0] * len(shape), [float(length) for length in shape[::-1]]])


def _spanned(images: Sequence[Objects]) -> Array:
    """The low and the high corner of all objects, with a margin."""
    corners = [part for objects in images for part in _corners(objects) if len(part)]
    if not corners:
        return np.array([[0.0, 0.0], [1.0, 1.0]])
    points = np.concatenate(corners)
    low, high = points.min(axis=0), points.max(axis=0)
    margin = AROUND * (high - low).max() or 1.0
    return np.array([low - margin, high + margin])


def _corners(objects: Objects) -> list[Array]:
    """Points within which each kind of object lies."""
    corners = []
    if objects.boxes is not None:
        corners += np.split(objects.boxes, 2, axis=1)
    for one in objects.masks or ():
        start = np.array(one.start[::-1], dtype=float)
        corners.append(np.array([start, start + one.mask.shape[::-1]]))
    if objects.points is not None:
        radii = 0.0 if objects.radii is None else objects.radii[:, None]
        corners += [objects.points - radii, objects.points + radii]
    return corners


# --------------------------------------------------------------------------- outlines


def outlines(objects: Objects, which: int, way: str, canvas: Canvas) -> list[Array]:
    """Closed outlines of one object, each (k, 2); of a point alone itself.

    ``way``: what is drawn of it.
    """
    if way == "masks" and objects.masks is not None:
        return _mask_outlines(objects.masks[which], canvas)
    if way == "boxes" and objects.boxes is not None:
        (x0, y0), (x1, y1) = canvas.flat(objects.boxes[which].reshape(2, -1))
        return [np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]])]
    if objects.points is None:
        return []
    point = objects.points[which : which + 1]
    if objects.radii is None:
        return [canvas.flat(point)]
    # Radii are lengths, and circles of voxels that are no cubes are ellipses in voxels.
    angles = np.linspace(0, 2 * math.pi, ROUND + 1)
    across, down = (length for axis, length in enumerate(canvas.unit) if axis != canvas.hidden)
    circle = np.stack([np.cos(angles) / across, np.sin(angles) / down], axis=1)
    return [canvas.flat(point) + objects.radii[which] * circle]


def _mask_outlines(one: CroppedMask, canvas: Canvas) -> list[Array]:
    """Lines between voxels inside and outside, of the silhouette of a solid mask."""
    mask, start = one.mask, one.start
    if canvas.hidden is not None:
        axis = mask.ndim - 1 - canvas.hidden
        mask = np.asarray(mask.any(axis=axis))
        start = tuple(place for at, place in enumerate(start) if at != axis)
    if not mask.any():
        return []
    from contourpy import contour_generator

    padded = np.pad(mask.astype(float), 1)
    lines = contour_generator(z=padded).lines(0.5)
    # The centre of the first voxel is at 1 of what is padded, and half a voxel from its corner.
    return [np.asarray(line) - 0.5 + np.array(start[::-1], dtype=float) for line in lines]
