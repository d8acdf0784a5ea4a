"""All objects of a set as columns: checked together, then dealt out to their images."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError
from halfwidth.core.frozen import frozen
from halfwidth.core.objects import CroppedMask, Objects
from halfwidth.core.types import Array

AXES = "xyz"
# Areas and squares of distances beyond are none in floating point.
FARTHEST = 1e100
# Columns of arrays that may be absent.
OPTIONAL = ("score", "boxes", "points", "radii", "area", "crowd", "ignored")


@frozen(eq=False, kw_only=True)
class Columns:
    """Objects of all images, a row each; the columns are those of `Objects`."""

    # Of each object, the place of its image.
    image: NDArray[np.intp]
    category: NDArray[np.intp]
    score: Array | None = None
    boxes: Array | None = None
    masks: Sequence[CroppedMask] | None = None
    points: Array | None = None
    radii: Array | None = None
    area: Array | None = None
    crowd: NDArray[np.bool_] | None = None
    ignored: NDArray[np.bool_] | None = None

    def dealt_out(self, n_images: int) -> tuple[Objects, ...]:
        """The objects of each image, in the order in which they stand."""
        order = np.argsort(self.image, kind="stable")
        ends = np.searchsorted(self.image[order], np.arange(n_images + 1)).tolist()
        arrays = {
            name: values[order]
            for name in ("category", *OPTIONAL)
            if (values := getattr(self, name)) is not None
        }
        masks = None if self.masks is None else [self.masks[place] for place in order.tolist()]
        return tuple(
            Objects(
                masks=None if masks is None else tuple(masks[start:stop]),
                **{name: values[start:stop] for name, values in arrays.items()},
            )
            for start, stop in itertools.pairwise(ends)
        )

    def check(self, where: Callable[[int], str]) -> None:
        """Refuse boxes and scores that are none.

        ``where`` gives what messages call the object in a row.
        """
        if self.score is not None:
            wrong = ~np.isfinite(self.score)
            _refuse(
                wrong,
                where,
                lambda i: f"has the score {float(self.score[i]):g}",  # type: ignore[index]
                "scores are finite numbers, higher where a detector is surer",
            )
        if self.boxes is not None:
            _check_boxes(self.boxes, where)
        if self.points is not None:
            points = self.points
            _refuse(
                ~(np.abs(points) <= FARTHEST).all(axis=1),
                where,
                lambda i: f"has the centre {_numbers(points[i])}",
                f"coordinates are finite numbers, of {FARTHEST:g} at most",
            )
        if self.radii is not None:
            radii = self.radii
            _refuse(
                ~((radii >= 0) & (radii <= FARTHEST)),
                where,
                lambda i: f"has the diameter {2 * float(radii[i]):g}",
                "diameters are finite and not negative",
            )
        if self.area is not None:
            area = self.area
            _refuse(
                ~(np.isfinite(area) & (area >= 0)),
                where,
                lambda i: f"has the area {area[i]:g}",
                "areas are finite and not negative",
            )


def _check_boxes(boxes: Array, where: Callable[[int], str]) -> None:
    _refuse(
        ~(np.abs(boxes) <= FARTHEST).all(axis=1),
        where,
        lambda i: f"has the box {_numbers(boxes[i])}",
        f"coordinates are finite numbers, of {FARTHEST:g} at most",
    )
    axes = boxes.shape[1] // 2
    sides = boxes[:, axes:] - boxes[:, :axes]

    def negative(i: int) -> str:
        axis = int(np.flatnonzero(sides[i] < 0)[0])
        return f"has a box whose side along {AXES[axis]} is negative ({sides[i, axis]:g})"

    _refuse(
        (sides < 0).any(axis=1),
        where,
        negative,
        "the corner with the lower coordinates comes first; are these (x, y, width, height), or "
        "the reverse?",
    )


def _refuse(
    wrong: Any, where: Callable[[int], str], fault: Callable[[int], str], advice: str
) -> None:
    if wrong.any():
        first, count = int(wrong.argmax()), int(wrong.sum())
        more = f" ({count} objects in all)" if count > 1 else ""
        raise DataError(f"{where(first)} {fault(first)}{more}; {advice}")


def _numbers(values: Any) -> str:
    return f"({', '.join(f'{float(value):g}' for value in values)})"


def low_and_high(boxes: Array, layout: str) -> Array:
    """Boxes as their low corner and their high one.

    ``layout``: two corners; the low corner and the sides; the centre and the sides.
    """
    axes = boxes.shape[1] // 2
    first, second = boxes[:, :axes], boxes[:, axes:]
    if layout == "xyxy":
        return boxes
    # What overflows is refused as not finite.
    with np.errstate(over="ignore", invalid="ignore"):
        low = first if layout == "xywh" else first - second / 2
        return np.concatenate([low, low + second], axis=1)


def inclusive(boxes: Array) -> Array:
    """Boxes by their first and last pixel, in continuous coordinates."""
    axes = boxes.shape[1] // 2
    return np.asarray(boxes + np.repeat([0.0, 1.0], axes))
