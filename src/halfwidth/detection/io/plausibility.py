"""What lies where nothing should, or stands there twice: told, as numbers of it would be wrong."""

from __future__ import annotations

import numpy as np

from halfwidth.core.formatting import counted
from halfwidth.core.objects import Objects, ObjectSet, Unit
from halfwidth.core.option_names import spelled_both
from halfwidth.core.types import Array

# A detector may reach over an edge by a little, and a few times by more.
BEYOND, SHARE = 0.1, 0.1


def notes_on_extent(objects: ObjectSet, noun: str) -> tuple[str, ...]:
    """A note if many boxes leave their images by far, as those in another format do."""
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


def notes_on_repeats(detections: ObjectSet, references: ObjectSet) -> tuple[str, ...]:
    """Notes if objects of one image repeat others exactly, as in a file that was joined twice."""
    missed = "one detection finds one of them, and the others are missed"
    wrong = (
        "further ones of an object that is found are false positives, unless duplicates are "
        f"ignored ({spelled_both('duplicates', 'ignored')})"
    )
    notes = []
    for objects, noun, consequence in (
        (references, "reference", missed),
        (detections, "detection", wrong),
    ):
        images = _images_of_repeats(objects)
        if images:
            verb = "repeats" if len(images) == 1 else "repeat"
            notes.append(
                f"{counted(len(images), noun)} {verb} another exactly (the first in "
                f"{objects.images[images[0]]!r}); {consequence}"
            )
    return tuple(notes)


def _images_of_repeats(objects: ObjectSet) -> list[int]:
    """The image of each object that is the same as another; of those that are to be found."""
    rows = [
        table
        for image, one in enumerate(objects.objects)
        if (table := _rows(image, one)) is not None
    ]
    if len({table.shape[1] for table in rows}) != 1:
        return []
    table = np.concatenate(rows)
    # Equal rows have equal sums, however weighted: sorting by one number is faster than by all.
    with np.errstate(over="ignore", invalid="ignore"):
        order = np.argsort((table * np.sqrt(np.arange(2, 2 + table.shape[1]))).sum(axis=1))
    ordered = table[order]
    same = (ordered[1:] == ordered[:-1]).all(axis=1)
    return sorted(ordered[1:][same, 0].astype(int).tolist())


def _rows(image: int, objects: Objects) -> Array | None:
    """What is known of each object in numbers; None where they are known by masks alone."""
    places = [one for one in (objects.boxes, objects.points) if one is not None]
    if not places or not len(objects):
        return None
    more = [one for one in (objects.score, objects.radii, objects.area) if one is not None]
    counts = np.ones(len(objects), dtype=bool)
    for flags in (objects.crowd, objects.ignored):
        counts &= True if flags is None else ~flags
    columns = [np.full(len(objects), image), objects.category, *more]
    return np.column_stack([*columns, *places])[counts]
