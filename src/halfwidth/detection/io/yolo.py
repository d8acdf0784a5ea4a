"""Folders of text as YOLO has it: a file for each image, a line for each object.

A line is the number of the class, the centre and the sides of the box as shares of the image, and
of detections the score.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from halfwidth.core.errors import DataError, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.objects import ObjectSet, Unit
from halfwidth.detection.io.alignment import in_pixels
from halfwidth.detection.io.class_names import names_of_classes
from halfwidth.detection.io.columns import Columns, low_and_high
from halfwidth.detection.io.folders import files_in, image_names, no_such_files, small_bytes
from halfwidth.detection.io.image_sizes import shapes_of
from halfwidth.detection.io.reading_options import ReadingObjects, Role

# What annotating programs put beside the files of the images.
NAMES_OF_CLASSES = "classes.txt"
MOST_CLASSES = 10**5
# Shares may leave the image by rounding, and by what detectors predict beyond its edge.
FARTHEST = 2.0


def yolo_objects(folder: Path, how: ReadingObjects) -> ObjectSet:
    """The objects of a folder of text files."""
    files = [file for file in files_in(folder, ".txt") if file.name != NAMES_OF_CLASSES]
    if not files:
        raise no_such_files(folder, ".txt")
    images = image_names(files)
    lines = [line for place, file in enumerate(files) for line in _lines(file, place)]
    beside = folder / NAMES_OF_CLASSES
    named = how.class_names
    if named is None and beside.is_file():
        named = beside
    codes = [int(line.values[0]) for line in lines]
    numbers, names = names_of_classes(codes, named)
    # Numbers of YOLO are no ids of COCO, even where both count from one.
    identifiers = tuple(f"class {number}" for number in numbers)
    place_of = {number: place for place, number in enumerate(numbers)}
    values = np.array([line.values[1:5] for line in lines]).reshape(-1, 4)

    def where(row: int) -> str:
        return lines[row].where(files)

    _check_shares(lines, files)
    columns = Columns(
        image=np.array([line.image for line in lines], dtype=np.intp),
        category=np.array([place_of[code] for code in codes], dtype=np.intp),
        boxes=low_and_high(values, "cxcywh"),
        score=None if how.role is Role.REFERENCES else _scores(lines, files),
    )
    columns.check(where)
    read = ObjectSet(
        tuple(images),
        columns.dealt_out(len(images)),
        identifiers if named is None else tuple(names),
        class_identifiers=identifiers,
        unit=Unit.FRACTION,
    )
    return read if how.image_sizes is None else in_pixels(read, shapes_of(images, how.image_sizes))


@frozen(eq=False)
class _Line:
    image: int
    number: int
    values: list[float]

    def where(self, files: list[Path]) -> str:
        """What messages call it."""
        return f"{files[self.image].name}, line {self.number}"


def _lines(file: Path, image: int) -> list[_Line]:
    try:
        text = small_bytes(file).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{file.name} is not text in UTF-8") from None
    lines = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            values = [float(cell) for cell in line.split()]
        except ValueError:
            raise DataError(
                f"{file.name}, line {number} is {shown(line)}; a line is five or six numbers "
                "(class, x and y of the centre, width, height, score)"
            ) from None
        read = _Line(image, number, values)
        _check_line(read, file)
        lines.append(read)
    return lines


def _check_line(line: _Line, file: Path) -> None:
    where, count = f"{file.name}, line {line.number}", len(line.values)
    if count > 6 and count % 2:
        raise DataError(
            f"{where} has {count} values, as a polygon of YOLO has; boxes are read, of five or six "
            "(class, x and y of the centre, width, height, score)"
        )
    if count not in (5, 6):
        raise DataError(
            f"{where} has {count} values; a line has five or six (class, x and y of the centre, "
            "width, height, score)"
        )
    code = line.values[0]
    if not (math.isfinite(code) and code.is_integer() and 0 <= code < MOST_CLASSES):
        raise DataError(f"{where} begins with {code:g}; the number of a class is 0, 1, 2, …")


def _check_shares(lines: list[_Line], files: list[Path]) -> None:
    for line in lines:
        if any(abs(value) > FARTHEST for value in line.values[1:5]):
            raise DataError(
                f"{line.where(files)} has the box {shown(line.values[1:5])}; centre and sides are "
                "shares of the image, from 0 to 1"
            )


def _scores(lines: list[_Line], files: list[Path]) -> np.ndarray | None:
    """The sixth value of each line; None where no line has one."""
    with_score = [len(line.values) == 6 for line in lines]
    if not any(with_score):
        return None
    if not all(with_score):
        line = lines[with_score.index(False)]
        raise DataError(f"{line.where(files)} has no score, but other lines do")
    return np.array([line.values[5] for line in lines])
