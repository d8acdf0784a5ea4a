"""Random scenes: objects with boxes, masks, centres and radii, and detections near them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth import ObjectSet
from halfwidth.core.objects import CroppedMask, Objects

Ints = NDArray[np.intp]


def whole(mask: CroppedMask, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """A mask in its image."""
    image = np.zeros(shape, dtype=bool)
    inside = zip(mask.start, mask.mask.shape, strict=True)
    image[tuple(slice(s, s + n) for s, n in inside)] = mask.mask
    return image


def objects_of(
    rng: np.random.Generator,
    corners: Ints,
    sides: Ints,
    classes: int,
    *,
    scored: bool,
) -> Objects:
    """Objects with integer boxes (in x, y, z) and ragged masks in them that fill most of each."""
    n, dims = len(corners), corners.shape[1]
    masks = []
    for low, side in zip(corners, sides, strict=True):
        filled = rng.random(tuple(side[::-1])) < 0.8
        masks.append(CroppedMask(tuple(int(one) for one in low[::-1]), filled))
    boxes = np.concatenate([corners, corners + sides], axis=1).astype(float)
    return Objects(
        category=rng.integers(classes, size=(n,)),
        # Few values, so that there are ties.
        score=np.asarray(rng.integers(1, 6, size=(n,)) / 5) if scored else None,
        boxes=boxes.reshape(n, 2 * dims),
        masks=tuple(masks),
        points=corners + sides / 2,
        radii=sides.mean(axis=1) / 2,
    )


def scene(
    seed: int,
    *,
    images: int = 8,
    dims: int = 2,
    classes: int = 2,
    most: int = 7,
    flags: bool = False,
    spacing: Sequence[float] | None = None,
) -> tuple[ObjectSet, ObjectSet]:
    """Detections and references of some images, some of them without any."""
    rng = np.random.default_rng(seed)
    shape = (24,) * dims
    found, true = [], []
    for _ in range(images):
        n, extra = int(rng.integers(0, most)), int(rng.integers(0, 4))
        corners, sides = rng.integers(0, 16, (n, dims)), rng.integers(2, 8, (n, dims))
        references = objects_of(rng, corners, sides, classes, scored=False)
        if flags:
            crowd, ignored = rng.random((2, n)) < 0.25
            references = with_flags(references, crowd, ignored)
        true.append(references)
        # Some references are not found, some twice, and some detections lie anywhere.
        which = rng.integers(0, n, size=int(rng.integers(0, n + 2))) if n else np.empty(0, int)
        near = np.clip(corners[which] + rng.integers(-1, 2, (len(which), dims)), 0, 16)
        anywhere = rng.integers(0, 16, (extra, dims)), rng.integers(2, 8, (extra, dims))
        found.append(
            objects_of(
                rng,
                np.concatenate([near, anywhere[0]]),
                np.concatenate([sides[which], anywhere[1]]),
                classes,
                scored=True,
            )
        )
    names = tuple(f"image{i}" for i in range(images))
    labels = tuple(f"class{i}" for i in range(classes))
    shapes = (shape,) * images
    steps = None if spacing is None else (tuple(spacing),) * images
    return (
        ObjectSet(names, tuple(found), labels, shapes, steps),
        ObjectSet(names, tuple(true), labels, shapes, steps),
    )


def with_flags(objects: Objects, crowd: NDArray[np.bool_], ignored: NDArray[np.bool_]) -> Objects:
    """The same objects, some of them crowds and some to be ignored."""
    return Objects(
        category=objects.category,
        boxes=objects.boxes,
        masks=objects.masks,
        points=objects.points,
        radii=objects.radii,
        crowd=crowd,
        ignored=ignored,
    )
