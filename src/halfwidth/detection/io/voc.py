"""Folders of XML as Pascal VOC has it, a file for each image."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, shown
from halfwidth.core.natural_order import natural_key
from halfwidth.core.objects import ObjectSet
from halfwidth.core.option_names import spelled_both
from halfwidth.detection.io.columns import Columns
from halfwidth.detection.io.folders import files_in, image_names, no_such_files, small_bytes
from halfwidth.detection.io.reading_options import BoxConvention, ReadingObjects, Role
from halfwidth.io.xml_files import XmlParser

CORNERS = ("xmin", "ymin", "xmax", "ymax")
SCORES = ("score", "confidence")
ROOT = "annotation"
# Letters of one text, and elements in elements; these files are flat.
MOST_LETTERS, MOST_DEPTH = 10_000, 20
FROM_ONE = (
    "corners of boxes are the first and the last pixel, counted from 1, as Pascal VOC has them; if "
    f"they are places, say so ({spelled_both('box_convention', 'continuous')})"
)


def voc_objects(folder: Path, how: ReadingObjects) -> ObjectSet:
    """The objects of a folder of XML files."""
    files = [folder] if folder.is_file() else files_in(folder, ".xml")
    if not files:
        raise no_such_files(folder, ".xml")
    names = image_names(files)
    images = [_Annotated(file) for file in files]
    objects = [one for image in images for one in image.objects]
    owners = [place for place, image in enumerate(images) for _ in image.objects]
    numbered = [number for image in images for number in range(1, len(image.objects) + 1)]

    def where(row: int) -> str:
        return f"{files[owners[row]].name}: object {numbered[row]} ({objects[row].get('name')!r})"

    def number(row: int, key: str) -> float:
        try:
            return float(objects[row][key])
        except (KeyError, ValueError):
            text = objects[row].get(key)
            said = f"has no {key}" if text is None else f"has the {key} {shown(text)}"
            raise DataError(f"{where(row)} {said}; a number is expected") from None

    rows = range(len(objects))
    boxes = np.array([[number(row, key) for key in CORNERS] for row in rows]).reshape(-1, 4)
    if how.box_convention is not BoxConvention.CONTINUOUS:
        boxes = boxes - [1, 1, 0, 0]
    labels = [_label(one, where(row)) for row, one in enumerate(objects)]
    classes = sorted(set(labels), key=natural_key)
    code_of = {name: code for code, name in enumerate(classes)}
    references = how.role is Role.REFERENCES
    held = (key for key in SCORES if any(key in one for one in objects))
    score = None if references else next(held, None)
    columns = Columns(
        image=np.array(owners, dtype=np.intp),
        category=np.array([code_of[label] for label in labels], dtype=np.intp),
        boxes=boxes,
        score=None if score is None else np.array([number(row, score) for row in rows]),
        ignored=_difficult(objects, where) if references else None,
    )
    columns.check(where)
    sizes = [image.shape for image in images]
    shapes = tuple(size for size in sizes if size is not None)
    return ObjectSet(
        tuple(names),
        columns.dealt_out(len(images)),
        tuple(classes),
        shapes=shapes if len(shapes) == len(images) else None,
        notes=(FROM_ONE,) if how.box_convention is None else (),
    )


def _label(one: dict[str, str], where: str) -> str:
    if not one.get("name"):
        raise DataError(f"{where} has no name, which is its class")
    return one["name"]


def _difficult(
    objects: Sequence[dict[str, str]], where: Callable[[int], str]
) -> NDArray[np.bool_] | None:
    """The marks of references that need not be found; None where none has one."""
    marks = [one.get("difficult", "0") or "0" for one in objects]
    for row, mark in enumerate(marks):
        if mark not in ("0", "1"):
            raise DataError(f"{where(row)} has the mark difficult {shown(mark)}; it must be 0 or 1")
    return np.array(marks) == "1" if "1" in marks else None


class _Annotated:
    """What a file says: texts of each object by the name of the element, and of its size."""

    def __init__(self, file: Path) -> None:
        self.objects: list[dict[str, str]] = []
        self._size: dict[str, str] = {}
        self._path: list[str] = []
        self._text: list[str] = []
        self._letters = 0
        parser = XmlParser("Pascal VOC", self._start, self._end, self._some)
        try:
            parser.all(io.BytesIO(small_bytes(file)))
        except DataError as error:
            raise DataError(f"{file.name}: {error}") from None

    @property
    def shape(self) -> tuple[int, int] | None:
        """Height and width of the image; None where they are not said."""
        return _shape(self._size)

    def _start(self, tag: str, _: dict[str, str]) -> None:
        self._path.append(tag)
        self._text.clear()
        self._letters = 0
        if len(self._path) == 1 and tag != ROOT:
            raise DataError(f"begins with <{tag[:40]}>; files of Pascal VOC begin with <{ROOT}>")
        if len(self._path) > MOST_DEPTH:
            raise DataError(f"is nested deeper than {MOST_DEPTH} levels")
        if self._path[1:] == ["object"]:
            self.objects.append({})

    def _end(self, tag: str) -> None:
        _, *inner = self._path
        self._path.pop()
        value = "".join(self._text).strip()
        self._text.clear()
        # Parts of objects have names and boxes of their own, deeper.
        if inner in (["object", tag], ["object", "bndbox", tag]):
            self.objects[-1].setdefault(tag, value)
        elif inner == ["size", tag]:
            self._size[tag] = value

    def _some(self, text: str) -> None:
        self._letters += len(text)
        if self._letters > MOST_LETTERS:
            raise DataError(f"has a text of more than {MOST_LETTERS} letters")
        self._text.append(text)


def _shape(size: dict[str, str]) -> tuple[int, int] | None:
    try:
        height, width = float(size["height"]), float(size["width"])
    except (KeyError, ValueError):
        return None
    # Some writers leave it zero.
    whole = math.isfinite(height * width) and min(height, width) >= 1
    return (int(height), int(width)) if whole else None
