"""Boxes that lie where none should: told, since every number computed of them would be wrong."""

from __future__ import annotations

import numpy as np

from halfwidth.core.objects import Objects, ObjectSet, Unit

# A detector may reach over an edge by a little, and a few times by more.
BEYOND, SHARE = 0.1, 0.1


def notes_on_extent(objects: ObjectSet, noun: str) -> tuple[str, ...]:
    """A note if many boxes leave their images by far, as those in another format do.

    Parameters
    ----------
    objects : ObjectSet
    noun : str
        What they are, for the note.
    """
    if objects.shapes is None or objects.unit is not Unit.VOXEL:
        return ()
    pairs = zip(objects.objects, objects.shapes, strict=True)
    counts = [_leaving(one, shape) for one, shape in pairs if one.boxes is not None]
    total = sum(map(len, (one for one in objects.objects if one.boxes is not None)))
    if sum(counts) <= SHARE * total:
        return ()
    note = (
        f"{sum(counts)} of {total} boxes of the {noun} leave their images by more than a tenth; "
        "are they two corners (x1, y1, x2, y2) taken for a corner and sides, or those of images of "
        "another size?"
    )
    return (note,)


def _leaving(objects: Objects, shape: tuple[int, ...]) -> int:
    """How many boxes leave an image by far."""
    boxes = np.asarray(objects.boxes)
    axes = boxes.shape[1] // 2
    if not len(boxes) or axes != len(shape):
        return 0
    sides = np.array(shape[::-1], dtype=float)
    low, high = boxes[:, :axes] / sides, boxes[:, axes:] / sides
    return int(((low < -BEYOND) | (high > 1 + BEYOND)).any(axis=1).sum())
