"""Objects in memory: a dict of arrays for each image, as torchvision and torchmetrics have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, OptionError, UnknownNameError, shortened, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.natural_order import natural_key
from halfwidth.core.objects import CroppedMask, ObjectSet
from halfwidth.core.types import Array
from halfwidth.detection.io.columns import Columns, low_and_high
from halfwidth.detection.io.reading_options import BOX_FORMATS, ONLY_CLASS, ReadingObjects, Role

WHERE = ("boxes", "masks", "points")
NAME_KEYS = ("image", "file_name", "image_id")


def is_per_image(source: Any) -> bool:
    """Whether something holds a dict of arrays for each image."""
    images = list(source.values()) if isinstance(source, Mapping) else source
    if not isinstance(images, list | tuple):
        return False
    return all(isinstance(one, Mapping) for one in images) and (
        not isinstance(source, Mapping) or bool(images)
    )


def objects_in_memory(source: Any, how: ReadingObjects) -> ObjectSet:
    """The objects of a list with a dict for each image, or of a mapping from images to dicts."""
    layout = how.box_format or BOX_FORMATS[0]
    if layout not in BOX_FORMATS:
        raise UnknownNameError("box format", layout, BOX_FORMATS)
    names, by_place = _names(source)
    dicts = list(source.values()) if isinstance(source, Mapping) else list(source)
    parts = [
        _Part.from_image(one, name, layout, how) for one, name in zip(dicts, names, strict=True)
    ]
    labels = [label for part in parts for label in part.labels]
    classes = sorted(set(labels), key=natural_key)
    place_of = {name: place for place, name in enumerate(classes)}
    counts = [len(part.labels) for part in parts]
    first = np.repeat(np.cumsum([0, *counts])[:-1], counts)

    def where(row: int) -> str:
        image = int(np.searchsorted(np.cumsum(counts), row, side="right"))
        return f"object {row - int(first[row]) + 1} of image {names[image]!r}"

    columns = Columns(
        image=np.repeat(np.arange(len(parts)), counts),
        category=np.array([place_of[label] for label in labels], dtype=np.intp),
        score=_together(parts, "scores"),
        boxes=_together(parts, "boxes"),
        masks=_masks(parts),
        points=_together(parts, "points"),
        radii=_together(parts, "radii"),
        area=_together(parts, "area"),
        crowd=_marked(parts, "iscrowd"),
        ignored=_marked(parts, "ignored"),
    )
    columns.check(where)
    shapes = [part.shape for part in parts]
    return ObjectSet(
        tuple(names),
        columns.dealt_out(len(parts)),
        tuple(classes),
        shapes=tuple(s for s in shapes if s is not None) if all(shapes) and shapes else None,
        groups=_field(dicts, names, how.groups, "groups"),
        strata=_field(dicts, names, how.strata, "strata"),
        by_place=by_place,
    )


def _names(source: Any) -> tuple[list[str], bool]:
    """What the images are called, and whether only their places tell them apart."""
    if isinstance(source, Mapping):
        return [str(name) for name in source], False
    for key in NAME_KEYS:
        if source and all(key in one for one in source):
            names = [str(_plain(one[key])) for one in source]
            repeated = len(set(names)) < len(names)
            if repeated:
                raise DataError(f"images share one {key!r}; each image has a dict of its own")
            return names, False
    return [str(place + 1) for place in range(len(source))], True


def _plain(value: Any) -> Any:
    """A number or text, out of an array of one element where it lies in one."""
    array = _array(value)
    return array.item() if array.size == 1 else value


def _array(value: Any) -> NDArray[Any]:
    """An array of what may be a tensor on another device."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
    return np.asarray(value)


@frozen(eq=False, kw_only=True)
class _Part:
    """The objects of one image."""

    name: str
    labels: list[str]
    scores: Array | None
    boxes: Array | None
    masks: list[CroppedMask] | None
    points: Array | None
    radii: Array | None
    area: Array | None
    iscrowd: Array | None
    ignored: Array | None
    shape: tuple[int, ...] | None

    @classmethod
    def from_image(
        cls, arrays: Mapping[str, Any], name: str, layout: str, how: ReadingObjects
    ) -> _Part:
        if not any(key in arrays for key in WHERE):
            raise DataError(
                f"image {name!r} has none of {', '.join(WHERE)} (it has {shortened(list(arrays))})"
            )
        boxes = _rows(arrays, "boxes", name, (4, 6))
        points = _rows(arrays, "points", name, (2, 3))
        masks, shape = _cropped(arrays, name) if how.masks else (None, None)
        places = (boxes, points, masks)
        count = next((len(one) for one in places if one is not None), None)
        if count is None:
            raise DataError(f"image {name!r} has masks alone, which are left out")
        references = how.role is Role.REFERENCES
        scores = None if references else _rows(arrays, "scores", name, ())
        if not references and scores is None:
            scores = _rows(arrays, "score", name, ())
        values = {
            key: _rows(arrays, key, name, ())
            for key in ("radii", *(("area", "iscrowd", "ignored") if references else ()))
        }
        labels = _labels(arrays, name, count)
        lengths = {"labels": len(labels), "scores": scores, "boxes": boxes, "points": points}
        for key, one in (lengths | values | {"masks": masks}).items():
            length = count if one is None else one if isinstance(one, int) else len(one)
            if length != count:
                raise DataError(f"image {name!r} has {count} objects and {length} {key}")
        return cls(
            name=name,
            labels=labels,
            scores=scores,
            boxes=None if boxes is None else low_and_high(boxes, layout),
            masks=masks,
            points=points,
            radii=values["radii"],
            area=values.get("area"),
            iscrowd=values.get("iscrowd"),
            ignored=values.get("ignored"),
            shape=shape,
        )


def _rows(
    arrays: Mapping[str, Any], key: str, name: str, widths: tuple[int, ...]
) -> NDArray[np.float64] | None:
    """An array of numbers, a row for each object; None where there is none."""
    if arrays.get(key) is None:
        return None
    array = _array(arrays[key])
    if array.dtype.kind not in "biuf":
        raise DataError(f"image {name!r} has {key} that are not numbers ({shown(arrays[key])})")
    if array.size == 0:
        return np.zeros((0, *widths[:1]))
    if array.ndim != 1 + bool(widths) or (widths and array.shape[1] not in widths):
        wanted = f"(m, {' or '.join(map(str, widths))})" if widths else "(m,)"
        raise DataError(f"image {name!r} has {key} of shape {array.shape}; {wanted} is expected")
    return array.astype(float)


def _labels(arrays: Mapping[str, Any], name: str, count: int) -> list[str]:
    if arrays.get("labels") is None:
        return [ONLY_CLASS] * count
    array = _array(arrays["labels"])
    if array.size == 0:
        return []
    if array.ndim != 1:
        raise DataError(f"image {name!r} has labels of shape {array.shape}; (m,) is expected")
    labels = array.tolist()
    for label in labels:
        whole = isinstance(label, int) or (isinstance(label, float) and label.is_integer())
        if isinstance(label, bool) or not (isinstance(label, str) or whole):
            raise DataError(f"image {name!r} has the label {shown(label)}; a class is no fraction")
    return [label if isinstance(label, str) else str(int(label)) for label in labels]


def _cropped(
    arrays: Mapping[str, Any], name: str
) -> tuple[list[CroppedMask] | None, tuple[int, ...] | None]:
    """The masks of an image, cropped, and its shape."""
    if arrays.get("masks") is None:
        return None, None
    array = _array(arrays["masks"])
    if array.size == 0:
        return [], array.shape[1:] if array.ndim in (3, 4) and all(array.shape[1:]) else None
    # Instances of torchvision's Mask R-CNN have an axis of one channel.
    if array.ndim not in (3, 4) or array.dtype.kind not in "biu":
        raise DataError(
            f"image {name!r} has masks of shape {array.shape} and type {array.dtype}; (m, y, x) or "
            "(m, z, y, x) of booleans is expected (threshold probabilities first)"
        )
    if array.dtype.kind != "b" and not np.isin(array, (0, 1)).all():
        raise DataError(f"image {name!r} has masks with values other than 0 and 1")
    return [cropped(one.astype(bool)) for one in array], array.shape[1:]


def cropped(mask: NDArray[np.bool_]) -> CroppedMask:
    """A mask cropped to its bounding box.

    >>> cropped(np.array([[0, 0, 0], [0, 1, 1]], dtype=bool)).start
    (1, 1)
    """
    axes = range(mask.ndim)
    held = [np.flatnonzero(mask.any(axis=tuple(a for a in axes if a != axis))) for axis in axes]
    if not len(held[0]):
        return CroppedMask((0,) * mask.ndim, np.zeros((0,) * mask.ndim, dtype=bool))
    start = tuple(int(one[0]) for one in held)
    box = tuple(slice(int(one[0]), int(one[-1]) + 1) for one in held)
    return CroppedMask(start, np.ascontiguousarray(mask[box]))


def _together(parts: Sequence[_Part], key: str) -> Array | None:
    """A column of all images; None where no image has it."""
    held = [part for part in parts if part.labels]
    arrays = [getattr(part, key) for part in held]
    if not any(one is not None for one in arrays):
        return None
    for part, one in zip(held, arrays, strict=True):
        if one is None:
            raise DataError(f"image {part.name!r} has no {key}, but others do")
    if len({one.shape[1:] for one in arrays}) > 1:
        raise DataError(f"{key} have 2 dimensions in one image and 3 in another")
    return np.concatenate(arrays)


def _masks(parts: Sequence[_Part]) -> list[CroppedMask] | None:
    held = [part for part in parts if part.labels]
    if not any(part.masks is not None for part in held):
        return None
    for part in held:
        if part.masks is None:
            raise DataError(f"image {part.name!r} has no masks, but others do")
    return [mask for part in held for mask in part.masks or ()]


def _marked(parts: Sequence[_Part], key: str) -> NDArray[np.bool_] | None:
    """Marks of references; where an image says nothing, none is marked."""
    arrays = [getattr(part, key) for part in parts]
    if not any(one is not None and one.any() for one in arrays):
        return None
    return np.concatenate(
        [
            np.zeros(len(part.labels), dtype=bool) if one is None else one != 0
            for part, one in zip(parts, arrays, strict=True)
        ]
    )


def _field(
    dicts: Sequence[Mapping[str, Any]], names: Sequence[str], key: str | None, option: str
) -> tuple[str, ...] | None:
    if key is None:
        return None
    for one, name in zip(dicts, names, strict=True):
        if key not in one:
            raise OptionError(f"{option}: image {name!r} has no {key!r}")
    return tuple(str(_plain(one[key])) for one in dicts)
