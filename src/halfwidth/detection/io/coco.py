"""Objects in JSON as COCO has it: references, lists of results, and documents with scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, OptionError, shortened, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.natural_order import natural_key
from halfwidth.core.objects import ObjectSet
from halfwidth.core.types import Array
from halfwidth.detection.io.columns import Columns, low_and_high
from halfwidth.detection.io.reading_options import HAS_SCORES, ReadingObjects, Role
from halfwidth.detection.io.segmentations import EncodedMask, MaskReader, has_segmentation

RESULT_KEYS = ("image_id", "category_id")


def is_coco(document: Any) -> bool:
    """Whether a document has the structure of COCO: lists of annotations, or results."""
    if isinstance(document, Mapping):
        return bool({"annotations", "images", "categories"} & set(document))
    if not isinstance(document, Sequence) or isinstance(document, str) or not len(document):
        return False
    first = document[0]
    return isinstance(first, Mapping) and "image_id" in first and "category_id" in first


def coco_objects(document: Any, how: ReadingObjects) -> ObjectSet:
    """The objects of a document in the form of COCO.

    ``document``: a list of results, or what has ``images``, ``annotations`` and ``categories``.
    """
    if isinstance(document, Mapping):
        return _objects_of_document(document, how)
    if how.role is Role.REFERENCES and isinstance(document, list | tuple):
        raise DataError(
            "is a list of detections (COCO results); references are a document with 'images', "
            "'annotations' and 'categories'"
        )
    if not isinstance(document, list | tuple):
        results = "a list of results or " if how.role is Role.DETECTIONS else ""
        raise DataError(
            f"is {shown(document)}; expected is {results}a document with 'images', 'annotations' "
            "and 'categories'"
        )
    return _objects_of_results(document, how)


def _objects_of_results(document: Sequence[Any], how: ReadingObjects) -> ObjectSet:
    if how.groups is not None or how.strata is not None:
        raise OptionError("groups and strata come from the references; a list of results has none")
    entries = _entries(document, "result", (*RESULT_KEYS, "score"))
    images = sorted(set(entries.keys("image_id")), key=natural_key)
    classes = sorted(set(entries.keys("category_id")), key=natural_key)
    return ObjectSet(
        tuple(images),
        _columns(entries, images, classes, None, how).dealt_out(len(images)),
        tuple(classes),
        identifiers=tuple(images),
        class_identifiers=tuple(classes),
    )


def _objects_of_document(document: Mapping[str, Any], how: ReadingObjects) -> ObjectSet:
    if not isinstance(document.get("annotations"), Sequence):
        raise DataError(
            f"has no list of 'annotations' (it has {shortened(list(document), 6)}); "
            + (
                "COCO's files of test images have none, and cannot be references"
                if how.role is Role.REFERENCES
                else "detections are a list of results, or a document with scored annotations"
            )
        )
    images = _Listed.from_document(document, "images", ("file_name",))
    classes = _Listed.from_document(document, "categories", ("name",))
    entries = _entries(document["annotations"], "annotation", RESULT_KEYS)
    columns = _columns(entries, images.ids, classes.ids, images, how)
    notes = [*images.notes, *classes.notes]
    if how.role is Role.REFERENCES and any("score" in row for row in entries.rows):
        notes.append(HAS_SCORES)
    if columns.ignored is not None:
        notes.append(
            f"{int(columns.ignored.sum())} reference(s) are marked 'ignore' and need not be found "
            "(pycocotools passes over this mark)"
        )
    return ObjectSet(
        tuple(images.names),
        columns.dealt_out(len(images.ids)),
        tuple(classes.names),
        shapes=images.shapes(),
        groups=images.field(how.groups, "groups"),
        strata=images.field(how.strata, "strata"),
        identifiers=tuple(images.ids),
        class_identifiers=tuple(classes.ids),
        notes=tuple(notes),
    )


@frozen(eq=False)
class _Entries:
    """Annotations or results, and what messages call them."""

    rows: Sequence[Mapping[str, Any]]
    noun: str

    def named(self, place: int) -> str:
        row = self.rows[place]
        return f"{self.noun} {place + 1} (image {shown(row.get('image_id'))})"

    def keys(self, key: str) -> list[str]:
        """An id of each, as text."""
        cells = [row[key] for row in self.rows]
        try:
            text_of = {one: _key(one) for one in set(cells)}
        except TypeError:
            # A list or an object among them.
            return [_key(one) for one in cells]
        return [text_of[one] for one in cells]

    def numbers(self, key: str) -> Array:
        """A number of each."""
        values = _as_numbers([row.get(key) for row in self.rows])
        if values is not None and values.shape == (len(self.rows),):
            return values
        place = next(i for i, row in enumerate(self.rows) if not _is_number(row.get(key)))
        row = self.rows[place]
        if key not in row:
            raise DataError(f"{self.named(place)} has no {key!r}, but others do")
        raise DataError(f"{self.named(place)} has {_has(row, key)}, which is no number")

    def flags(self, key: str) -> NDArray[np.bool_] | None:
        """A mark of each, absent where it is not said; None where none has it."""
        values = [row.get(key, 0) for row in self.rows]
        for place, value in enumerate(values):
            if value not in (0, 1):
                raise DataError(
                    f"{self.named(place)} has the {key!r} {shown(value)}; it must be 0 or 1"
                )
        return np.array(values, dtype=bool) if any(values) else None


def _has(row: Mapping[str, Any], key: str) -> str:
    return f"the {key} {shown(row[key])}" if key in row else f"no {key!r}"


def _as_numbers(cells: Sequence[Any]) -> Array | None:
    """Numbers, or rows of them; None where something else is among them."""
    try:
        values = np.array(cells)
    except (ValueError, OverflowError):
        return None
    if not len(cells):
        return np.zeros(0)
    # Whole numbers of more than 64 bits are objects.
    large = values.dtype.kind == "O" and all(map(_is_number, values.ravel()))
    return values.astype(float) if large or values.dtype.kind in "iuf" else None


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return not isinstance(value, bool | str)


def _entries(listed: Sequence[Any], noun: str, keys: tuple[str, ...]) -> _Entries:
    for place, one in enumerate(listed):
        if not isinstance(one, Mapping):
            raise DataError(f"{noun} {place + 1} is {shown(one)}; each is an object with fields")
        for key in keys:
            if key not in one:
                raise DataError(
                    f"{noun} {place + 1} has no {key!r} (it has {shortened(list(one), 6)})"
                )
    return _Entries(listed, noun)


@frozen(eq=False)
class _Listed:
    """The images or the categories that a document lists."""

    rows: Sequence[Mapping[str, Any]]
    ids: list[str]
    names: list[str]
    notes: tuple[str, ...]

    @classmethod
    def from_document(
        cls, document: Mapping[str, Any], key: str, named: tuple[str, ...]
    ) -> _Listed:
        rows = document.get(key)
        if not isinstance(rows, Sequence) or isinstance(rows, str):
            raise DataError(f"has no list of {key!r} (it has {shortened(list(document), 6)})")
        entries = _entries(rows, f"entry of {key!r}", ("id",))
        ids = [_key(row["id"]) for row in entries.rows]
        repeated = [one for one, count in Counter(ids).items() if count > 1]
        if repeated:
            raise DataError(f"lists the id {shortened(repeated, 1)} more than once in {key!r}")
        names = [row.get(named[0]) for row in rows]
        if not all(isinstance(name, str) and name for name in names):
            return cls(rows, ids, ids, ())
        repeated = [one for one, count in Counter(names).items() if count > 1]
        if repeated:
            note = f"{key} are identified by id: several share {named[0]} {shown(repeated[0])}"
            return cls(rows, ids, ids, (note,))
        return cls(rows, ids, names, ())

    def shapes(self) -> tuple[tuple[int, ...], ...] | None:
        """Height and width of each image, where all say so."""
        sizes = [(row.get("height"), row.get("width")) for row in self.rows]
        if not all(type(h) is int and type(w) is int and h > 0 and w > 0 for h, w in sizes):
            return None
        return tuple(sizes)  # type: ignore[arg-type]

    def field(self, name: str | None, option: str) -> tuple[str, ...] | None:
        """A field of each image."""
        if name is None:
            return None
        for row, image in zip(self.rows, self.names, strict=True):
            if not isinstance(row.get(name), str | int):
                raise OptionError(
                    f"{option}: image {image!r} has no field {name!r} (it has "
                    f"{shortened(list(row), 8)})"
                )
        return tuple(str(row[name]) for row in self.rows)


def _key(identifier: Any) -> str:
    """An id as text, so that 42, 42.0 and "42" are one."""
    if isinstance(identifier, bool) or not isinstance(identifier, str | int | float | np.number):
        raise DataError(f"has the id {shown(identifier)}; ids are numbers or text")
    if isinstance(identifier, float | np.floating) and float(identifier).is_integer():
        return str(int(identifier))
    return str(identifier)


def _columns(
    entries: _Entries,
    images: Sequence[str],
    classes: Sequence[str],
    listed: _Listed | None,
    how: ReadingObjects,
) -> Columns:
    image = _places(entries, "image_id", images)
    category = _places(entries, "category_id", classes)
    raw_boxes = _boxes(entries)
    boxes = None if raw_boxes is None else low_and_high(raw_boxes, "xywh")
    masks = None
    if how.masks:
        shapes = None if listed is None else listed.shapes()
        masks = _masks(
            entries, None if shapes is None else [shapes[i] for i in image.tolist()], how.source
        )
    if boxes is None and masks is None and len(entries.rows):
        missing = "'bbox'" if not how.masks else "'bbox' or 'segmentation'"
        raise DataError(f"{entries.named(0)} has no {missing}")
    references = how.role is Role.REFERENCES
    scored = not references and any("score" in row for row in entries.rows)
    area = None
    if references and len(entries.rows) and all("area" in row for row in entries.rows):
        area = entries.numbers("area")
    elif not references and raw_boxes is not None and masks is None:
        # As pycocotools has it, to the last bit.
        with np.errstate(over="ignore", invalid="ignore"):
            area = raw_boxes[:, 2] * raw_boxes[:, 3]
    columns = Columns(
        image=image,
        category=category,
        score=entries.numbers("score") if scored else None,
        boxes=boxes,
        masks=masks,
        area=area,
        crowd=entries.flags("iscrowd") if references else None,
        ignored=entries.flags("ignore") if references else None,
    )
    columns.check(entries.named)
    return columns


def _places(entries: _Entries, key: str, known: Sequence[str]) -> NDArray[np.intp]:
    """The place of the image or the class of each among those that are known."""
    place_of = {one: place for place, one in enumerate(known)}
    keys = entries.keys(key)
    unknown = sorted(set(keys) - set(place_of), key=natural_key)
    if unknown:
        first = next(i for i, one in enumerate(keys) if one not in place_of)
        listing = {"image_id": "images", "category_id": "categories"}[key]
        raise DataError(
            f"{entries.noun} {first + 1} has the {key} {shortened([keys[first]])}, which "
            f"{listing!r} does not list "
            f"({len(unknown)} unknown {'id' if len(unknown) == 1 else 'ids'}: "
            f"{shortened(unknown, 5)})"
        )
    return np.array([place_of[one] for one in keys], dtype=np.intp)


def _boxes(entries: _Entries) -> Array | None:
    """The boxes, (x, y, width, height) in the file; None where there is none."""
    cells = [_listed(row.get("bbox")) for row in entries.rows]
    if all(one is None or one == [] for one in cells):
        return None
    boxes = _as_numbers(cells)
    if boxes is None or boxes.shape != (len(cells), 4):
        place = next(i for i, box in enumerate(cells) if not _is_box(box))
        raise DataError(
            f"{entries.named(place)} has the bbox {shown(cells[place])}; a box is four numbers "
            "(x, y, width, height)"
        )
    return boxes


def _listed(value: Any) -> Any:
    """What stands for a list in memory, as one."""
    return value.tolist() if isinstance(value, np.ndarray) else value


def _is_box(box: Any) -> bool:
    return isinstance(box, Sequence) and len(box) == 4 and all(map(_is_number, box))


def _masks(
    entries: _Entries, shapes: Sequence[tuple[int, ...]] | None, source: str
) -> list[EncodedMask] | None:
    """The masks; None where no object has one."""
    held = [has_segmentation(row.get("segmentation")) for row in entries.rows]
    if not any(held):
        return None
    reader = MaskReader(source)
    masks = []
    for place, row in enumerate(entries.rows):
        shape = None if shapes is None else shapes[place]
        masks.append(reader.read(row.get("segmentation"), shape, entries.named(place)))
    return masks
