"""The formats of objects that are read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from halfwidth.core.errors import DataError, UnknownNameError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.objects import ObjectSet
from halfwidth.core.option_names import spelled
from halfwidth.detection.io.coco import coco_objects
from halfwidth.detection.io.instances import instance_objects
from halfwidth.detection.io.probabilities import probability_objects
from halfwidth.detection.io.reading_options import ReadingObjects, Role
from halfwidth.detection.io.tables import objects_of_table
from halfwidth.detection.io.voc import voc_objects
from halfwidth.detection.io.yolo import yolo_objects
from halfwidth.io.images import is_image
from halfwidth.io.json_files import json_document
from halfwidth.io.plain_tables import PLAIN_SUFFIXES, plain_table
from halfwidth.io.table_sources import Source

# A set of 5000 images with a hundred detections each has five million values, and masks as text.
MOST_BYTES, MOST_VALUES = 6 * 10**8, 2 * 10**7


@frozen
class ObjectFormat:
    """A format of objects."""

    # As a value of ``format``.
    name: str
    # What the files are called.
    title: str
    read: Callable[[Path, ReadingObjects], ObjectSet]
    # Whether a folder is read, with a file for each image; else one file.
    in_folder: bool
    # Whether images without objects are named too.
    names_all_images: bool
    # Fields of `ReadingObjects` that it looks at, beyond those for every format.
    options: frozenset[str] = frozenset()


def _coco(path: Path, how: ReadingObjects) -> ObjectSet:
    with Source.open(path) as source:
        if not source.first(1):
            raise DataError("the file is empty")
        document = json_document(source, most_bytes=MOST_BYTES, most_values=MOST_VALUES)
    return coco_objects(document, how)


def _table(path: Path, how: ReadingObjects) -> ObjectSet:
    # A detector that found nothing writes the names of the columns alone.
    return objects_of_table(plain_table(path, may_be_empty=True), how)


FORMATS = (
    ObjectFormat(
        "coco",
        "COCO JSON",
        _coco,
        in_folder=False,
        names_all_images=True,
        options=frozenset({"masks", "groups", "strata"}),
    ),
    ObjectFormat(
        "table",
        "table of boxes, or of centres with a diameter",
        _table,
        in_folder=False,
        names_all_images=False,
        options=frozenset(
            {"groups", "strata", "box_format", "box_convention", "columns", "excluded"}
        ),
    ),
    ObjectFormat(
        "yolo",
        "folder of YOLO text files",
        yolo_objects,
        in_folder=True,
        names_all_images=False,
        options=frozenset({"image_sizes", "class_names"}),
    ),
    ObjectFormat(
        "voc",
        "folder of Pascal VOC XML files",
        voc_objects,
        in_folder=True,
        names_all_images=False,
        options=frozenset({"box_convention"}),
    ),
    ObjectFormat(
        "labels",
        "folder of label maps",
        instance_objects,
        in_folder=True,
        names_all_images=True,
        options=frozenset({"masks", "instances", "scores", "class_names"}),
    ),
    ObjectFormat(
        "probabilities",
        "folder of maps of probabilities",
        probability_objects,
        in_folder=True,
        names_all_images=True,
        options=frozenset({"masks", "candidates"}),
    ),
)
NAMES = tuple(one.name for one in FORMATS)


def format_named(name: str) -> ObjectFormat:
    """The format of this name."""
    for one in FORMATS:
        if one.name == name:
            return one
    raise UnknownNameError("format of objects", name, ("auto", *NAMES))


def format_of(path: Path, role: Role, *, candidates: bool) -> ObjectFormat:
    """The format of a file or a folder, by what it is called and what lies in it."""
    maps = "probabilities" if candidates else "labels"
    if path.is_dir():
        return format_named(_format_of_folder(path, role, maps))
    if is_image(path):
        return format_named(maps)
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    if suffixes[-1:] == [".gz"]:
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    if suffix == ".json":
        return format_named("coco")
    if suffix == ".xml":
        return format_named("voc")
    if suffix in PLAIN_SUFFIXES:
        return format_named("table")
    raise DataError(f"cannot tell the format from the suffix {suffix or '(none)'!r}; {_known()}")


def _format_of_folder(folder: Path, role: Role, maps: str) -> str:
    there = [one for one in folder.iterdir() if not one.name.startswith(".")]
    formats = {
        "voc": any(one.suffix.lower() == ".xml" for one in there),
        "yolo": any(one.suffix.lower() == ".txt" for one in there),
        maps: any(
            is_image(one) or (one.is_dir() and any(map(is_image, one.iterdir()))) for one in there
        ),
    }
    names = [name for name, is_there in formats.items() if is_there]
    # Images of YOLO and Pascal VOC may lie beside their texts.
    if names[1:] == [maps] or len(names) == 1:
        return names[0]
    if names:
        raise DataError(
            f"may be {' or '.join(names)}; say which: {spelled(f'{role}.format', names[0])}"
        )
    listed = sorted(one.name for one in there)
    raise DataError(f"holds {shortened(listed, 4) or 'nothing'}; {_known()}")


def _known() -> str:
    return f"read are: {', '.join(f'{one.title} ({one.name})' for one in FORMATS)}"
