"""Objects from a source in any format, with what other files say of their images."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from halfwidth.core.errors import (
    DataError,
    HalfwidthError,
    OptionError,
    UnknownNameError,
    shown,
)
from halfwidth.core.frozen import frozen
from halfwidth.core.objects import ObjectSet
from halfwidth.core.row_labels import has_columns
from halfwidth.detection.io.coco import coco_objects, is_coco
from halfwidth.detection.io.formats import FORMATS, ObjectFormat, format_named, format_of
from halfwidth.detection.io.in_memory import is_per_image, objects_in_memory
from halfwidth.detection.io.merging import image_list, labels_of, with_all_images, with_excluded
from halfwidth.detection.io.reading_options import (
    ALL_HAVE_OBJECTS,
    BoxConvention,
    ReadingObjects,
    Role,
)
from halfwidth.detection.io.tables import objects_of_table
from halfwidth.io.paths import no_such_file
from halfwidth.io.table import Table

AUTO = "auto"
# Options for some formats only, by their name in `ReadingObjects`.
OF_SOME = (
    *("groups", "strata", "box_format", "box_convention", "columns", "image_sizes"),
    *("class_names", "instances", "scores", "candidates", "excluded"),
)
IN_MEMORY = frozenset({"groups", "strata", "box_format"})
OF_DETECTIONS = frozenset({"candidates", "scores"})
OF_REFERENCES = frozenset({"groups", "strata", "images", "excluded"})
COLUMNS_OF_DETECTIONS = frozenset({"score"})
COLUMNS_OF_REFERENCES = frozenset({"crowd", "ignored", "area"})


@frozen(kw_only=True)
class Beside:
    """What other files than the source say of its images."""

    images: Any = None
    # Findings that need not be found.
    excluded: Any = None
    # Of each image, where these are files.
    groups: str | None = None
    strata: str | None = None


def completed(
    read: ObjectSet, how: ReadingObjects, beside: Beside, *, all_named: bool
) -> ObjectSet:
    """The set with what other files say of its images."""
    if beside.excluded is not None:
        read = with_excluded(read, _excluded(beside.excluded, how))
    if beside.images is not None:
        read = with_all_images(read, image_list(beside.images))
    elif not all_named and how.role is Role.REFERENCES and all(map(len, read.objects)):
        read = replace(read, notes=(*read.notes, ALL_HAVE_OBJECTS))
    if is_file(beside.groups):
        read = replace(read, groups=labels_of(str(beside.groups), read.images, "groups"))
    if is_file(beside.strata):
        read = replace(read, strata=labels_of(str(beside.strata), read.images, "strata"))
    return read


def is_file(value: str | None) -> bool:
    """Whether groups or strata are a table of their own."""
    try:
        return isinstance(value, str) and Path(value).is_file()
    except (OSError, ValueError):
        return False


def named(error: HalfwidthError, name: str) -> HalfwidthError:
    """An error that begins with the name of its source, as it is where it already does."""
    text = str(error)
    if text.startswith(name):
        return error
    kind = OptionError if isinstance(error, OptionError) else DataError
    return kind(f"{name}: {text}")


def role_of(role: str) -> Role:
    """A role as an option gives it."""
    if role not in tuple(Role):
        raise UnknownNameError("role of objects", role, tuple(Role))
    return Role(role)


def convention_of(name: str | None) -> BoxConvention | None:
    """A convention of boxes as an option gives it."""
    if name is None:
        return None
    if name not in tuple(BoxConvention):
        raise UnknownNameError("box convention", name, tuple(BoxConvention))
    return BoxConvention(name)


def objects_of(source: Any, format_name: str, how: ReadingObjects) -> tuple[ObjectSet, bool]:
    """The objects of a source, and whether images without objects are named too."""
    if not isinstance(source, str | Path):
        if format_name != AUTO:
            raise OptionError("only files have a format; leave it out for data in memory")
        return _objects_in_memory(source, how)
    path = Path(source)
    if not path.exists():
        raise no_such_file(path)
    kind = format_at(path, format_name, how.role, candidates=how.candidates is not None)
    _check_options(how, kind.options, kind.title)
    return kind.read(path, how), kind.names_all_images


def format_at(path: Path, name: str, role: Role, *, candidates: bool) -> ObjectFormat:
    """The format that the user named, or that of the path."""
    if name != AUTO:
        kind = format_named(name)
        if path.is_dir() and not kind.in_folder:
            raise DataError(f"{path}: is a folder; {kind.title} is a file")
        return kind
    try:
        return format_of(path, role, candidates=candidates)
    except DataError as error:
        raise named(error, str(path)) from None


def _check_options(how: ReadingObjects, known: frozenset[str], title: str) -> None:
    for option in OF_SOME:
        if getattr(how, option) is not None and option not in known:
            where = [one.title for one in FORMATS if option in one.options]
            other = (
                f"name a table with a column of images and one of {option}"
                if option in ("groups", "strata")
                else "leave it out"
            )
            raise OptionError(
                f"{option} works with {' and '.join(where) or 'others'}, not with {title}; {other}"
            )


def _objects_in_memory(source: Any, how: ReadingObjects) -> tuple[ObjectSet, bool]:
    if hasattr(source, "dataset") and hasattr(source, "loadRes"):
        source = source.dataset
    if is_coco(source):
        _check_options(how, format_named("coco").options, "COCO")
        return coco_objects(source, how), True
    if is_per_image(source):
        _check_options(how, IN_MEMORY, "a dict for each image")
        return objects_in_memory(source, how), True
    if has_columns(source) or isinstance(source, Mapping | Table):
        _check_options(how, format_named("table").options, "a data frame")
        return objects_of_table(Table.from_frame(source), how), False
    raise DataError(
        f"{shown(source)} cannot be read as objects; give a path, a list with a dict of arrays for "
        "each image, COCO's annotations or results, or a data frame with a row for each object"
    )


def _excluded(source: Any, how: ReadingObjects) -> ObjectSet:
    if how.role is not Role.REFERENCES:
        raise OptionError("excluded findings belong to the references; give them there")
    if isinstance(source, str | Path):
        path = Path(source)
        if not path.exists():
            raise no_such_file(path)
        try:
            return format_named("table").read(path, ReadingObjects(role=how.role, excluding=True))
        except HalfwidthError as error:
            raise named(error, str(path)) from None
    return objects_of_table(Table.from_frame(source), ReadingObjects(role=how.role, excluding=True))


def known_options(
    source: Any, format_name: str, role: Role, options: Mapping[str, Any]
) -> frozenset[str]:
    """The options that are for one side."""
    if isinstance(source, ObjectSet):
        return frozenset()
    if isinstance(source, str | Path):
        path, candidates = Path(source), role is Role.DETECTIONS and "candidates" in options
        if not path.exists():
            raise no_such_file(path)
        known = format_at(path, format_name, role, candidates=candidates).options
    elif is_coco(source) or hasattr(source, "loadRes"):
        known = format_named("coco").options
    else:
        known = IN_MEMORY if is_per_image(source) else format_named("table").options
    known |= {
        "masks",
        "images",
        *(name for name in ("groups", "strata") if is_file(options.get(name))),
    }
    return known - OF_REFERENCES if role is Role.DETECTIONS else known - OF_DETECTIONS


def columns_of_role(columns: Mapping[str, str], role: Role) -> dict[str, str] | None:
    """The columns that one side may have; scores are of detections, crowds of references."""
    other_columns = COLUMNS_OF_REFERENCES if role is Role.DETECTIONS else COLUMNS_OF_DETECTIONS
    return {part: name for part, name in columns.items() if part not in other_columns} or None
