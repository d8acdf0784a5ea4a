"""Images and findings that another file names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from halfwidth.core.errors import DataError, HalfwidthError, OptionError, shortened, shown
from halfwidth.core.natural_order import natural_key
from halfwidth.core.objects import Objects, ObjectSet
from halfwidth.core.option_names import spelled
from halfwidth.detection.io.box_columns import image_column
from halfwidth.detection.io.image_names import bare
from halfwidth.io.paths import no_such_file
from halfwidth.io.plain_tables import plain_table
from halfwidth.io.settings import small_text

MOST_BYTES = 10**8
NOTHING = Objects(category=np.zeros(0, dtype=np.intp))


def image_list(source: Any) -> list[str]:
    """All images of a set, from a path or as they are given."""
    if isinstance(source, str | Path):
        path = Path(source)
        if not path.exists():
            raise no_such_file(path)
        try:
            names = _names_in_folder(path) if path.is_dir() else _names_in_file(path)
        except HalfwidthError as error:
            text = str(error)
            raise DataError(text if text.startswith(str(path)) else f"{path}: {text}") from None
    elif isinstance(source, Sequence) or hasattr(source, "tolist"):
        names = [str(one) for one in source]
    else:
        raise OptionError(f"images {shown(source)} are not names of images; give names, or a path")
    if not names:
        raise DataError(f"{shown(source)} names no image")
    repeated = (
        next((one for one in names if names.count(one) > 1), None)
        if (len(set(names)) < len(names))
        else None
    )
    if repeated is not None:
        raise DataError(f"images: {repeated!r} is listed more than once")
    return names


def _names_in_folder(folder: Path) -> list[str]:
    files = [one for one in folder.iterdir() if one.is_file() and not one.name.startswith(".")]
    return sorted((file.name for file in files), key=natural_key)


def _names_in_file(path: Path) -> list[str]:
    """A table with a column of images, or a text with a name in each line."""
    if path.suffix.lower() in (".txt", ".lst", ""):
        return [line.strip() for line in small_text(path, MOST_BYTES).splitlines() if line.strip()]
    lines = small_text(path, MOST_BYTES).split() if path.suffix.lower() == ".csv" else []
    if lines and not any("," in line or ";" in line for line in lines):
        # One column, with or without a header.
        return lines[1:] if image_column(lines[:1]) else lines
    table = plain_table(path)
    column = image_column(table.names)
    if column is None:
        raise DataError(f"has no column of images (columns: {shortened(table.names, 8)})")
    return list(dict.fromkeys(str(level) for level in table.levels(column) if level is not None))


def labels_of(path: str, images: Sequence[str], option: str) -> tuple[str, ...]:
    """What a table says of each image."""
    table = plain_table(Path(path))
    image = image_column(table.names)
    others = [name for name in table.names if name != image]
    if image is None or len(others) != 1:
        raise DataError(
            f"{path}: has the columns {shortened(table.names, 8)}; {option} are in a table with a "
            "column of images and one other"
        )
    pairs = zip(table.levels(image), table.levels(others[0]), strict=True)
    known = {str(name): label for name, label in pairs if label is not None}
    by_bare = {bare(name): label for name, label in known.items()}
    levels = [known.get(name, by_bare.get(bare(name))) for name in images]
    lacking = [name for name, label in zip(images, levels, strict=True) if label is None]
    if lacking:
        raise DataError(
            f"{path}: lacks {len(lacking)} of {len(images)} images ({shortened(lacking, 3)})"
        )
    return tuple(map(str, levels))


def with_all_images(objects: ObjectSet, images: Sequence[str]) -> ObjectSet:
    """The set with these images, in their order."""
    stems = {bare(name): name for name in images}
    known = set(images)
    if objects.groups is not None or objects.strata is not None:
        raise OptionError(
            f"{spelled('images')} names images that the column of groups or strata says nothing "
            "of; give rows without coordinates in the table instead"
        )
    names = [name if name in known else stems.get(bare(name), name) for name in objects.images]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise DataError(
            f"has objects of {len(unknown)} image(s) that {spelled('images')} does not list "
            f"({shortened(unknown, 3)}); it lists {shortened(list(images), 3)}"
        )
    place_of = {name: place for place, name in enumerate(names)}
    places = [place_of.get(name) for name in images]
    if objects.shapes is not None and None in places:
        objects = replace(objects, shapes=None)

    def by_image(values: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
        return None if values is None else tuple(values[p] for p in places if p is not None)

    return replace(
        objects,
        images=tuple(images),
        objects=tuple(NOTHING if p is None else objects.objects[p] for p in places),
        shapes=by_image(objects.shapes),
        identifiers=None,
    )


def with_excluded(objects: ObjectSet, excluded: ObjectSet) -> ObjectSet:
    """The set with further objects that need not be found."""
    if objects.unit is not excluded.unit:
        raise DataError("excluded findings are in other coordinates than the references")
    classes = list(dict.fromkeys([*objects.classes, *excluded.classes]))
    codes = np.array([classes.index(name) for name in excluded.classes], dtype=np.intp)
    images = list(dict.fromkeys([*objects.images, *excluded.images]))
    objects_of = dict(zip(objects.images, objects.objects, strict=True))
    for image, more in zip(excluded.images, excluded.objects, strict=True):
        added = replace(more, category=codes[more.category], ignored=np.ones(len(more), dtype=bool))
        objects_of[image] = _joined(objects_of[image], added) if image in objects_of else added
    return replace(
        objects,
        images=tuple(images),
        objects=tuple(objects_of[image] for image in images),
        classes=tuple(classes),
        notes=(*objects.notes, *excluded.notes),
    )


def _joined(one: Objects, other: Objects) -> Objects:
    """The objects of both, which say where they are in the same way."""
    if not len(one) or not len(other):
        return one if len(one) else other

    def both(name: str) -> Any:
        parts = getattr(one, name), getattr(other, name)
        if parts[0] is None and parts[1] is None:
            return None
        if parts[0] is None or parts[1] is None:
            if name in ("crowd", "ignored"):
                marks = [
                    np.zeros(len(whose), dtype=bool) if part is None else part
                    for part, whose in zip(parts, (one, other), strict=True)
                ]
                return np.concatenate(marks)
            missing = "excluded findings" if parts[1] is None else "references"
            raise DataError(f"{missing} have no {name}, but the others do")
        return np.concatenate(parts)

    return Objects(
        category=both("category"),
        boxes=both("boxes"),
        points=both("points"),
        radii=both("radii"),
        crowd=both("crowd"),
        ignored=both("ignored"),
    )
