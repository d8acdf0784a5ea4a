"""Tables with a row for each object: boxes, or centres with a diameter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, OptionError, UnknownNameError, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.natural_order import natural_key
from halfwidth.core.objects import ObjectSet, Unit
from halfwidth.core.types import Array
from halfwidth.detection.io.box_columns import BoxColumns, box_columns
from halfwidth.detection.io.columns import Columns, inclusive, low_and_high
from halfwidth.detection.io.reading_options import (
    HAS_SCORES,
    ONLY_CLASS,
    BoxConvention,
    ReadingObjects,
    Role,
)
from halfwidth.io.table import Table

# The diameter in mm that LUNA16's evaluation gives findings that the file gives one below zero.
UNKNOWN_DIAMETER = 10.0


def objects_of_table(table: Table, how: ReadingObjects) -> ObjectSet:
    """The objects of a table with a row for each.

    A row with an image and no coordinates is an image without objects.
    """
    columns = box_columns(table.names, how.columns, how.box_format)
    if not table.present(columns.image).all():
        row = table.row_number(int(table.present(columns.image).argmin()))
        raise DataError(f"line {row} names no image (column {columns.image!r} is empty)")
    named = [str(level) for level in table.levels(columns.image)]
    places = [*columns.boxes, *columns.points]
    present = np.stack([table.present(name) for name in places])
    rows = _Rows(table, columns, np.flatnonzero(present.any(axis=0)), named)
    partly = present.any(axis=0) & ~present.all(axis=0)
    if partly.any():
        place = int(partly.argmax())
        empty = places[int(present[:, place].argmin())]
        raise DataError(f"{rows.line(place)} has no {empty!r}, and other coordinates")
    return _objects(rows, how)


def _objects(rows: _Rows, how: ReadingObjects) -> ObjectSet:
    columns, references = rows.columns, how.role is Role.REFERENCES
    images = list(dict.fromkeys(rows.images))
    labels = rows.labels()
    classes = sorted(set(labels), key=natural_key)
    boxes, notes = rows.boxes(how), []
    points = rows.numbers(columns.points) if columns.points else None
    radii, unknown = rows.radii(excluded=how.excluding)
    unit = Unit.MILLIMETRE if columns.in_mm else Unit.VOXEL
    if boxes is not None and len(boxes) and boxes.min() >= 0 and boxes.max() <= 1:
        unit = Unit.FRACTION
        notes.append("all coordinates lie from 0 to 1, and are taken as fractions of the images")
    if unknown:
        notes.append(
            f"{unknown} diameter(s) below zero stand for {UNKNOWN_DIAMETER:g} mm, as in LUNA16's "
            "evaluation"
        )
    if references and columns.score is not None:
        notes.append(HAS_SCORES)
    place_of = {name: place for place, name in enumerate(images)}
    code_of = {name: place for place, name in enumerate(classes)}
    rows_read = Columns(
        image=np.array([place_of[rows.images[row]] for row in rows.rows.tolist()], dtype=np.intp),
        category=np.array([code_of[label] for label in labels], dtype=np.intp),
        score=None if references else rows.column(columns.score),
        boxes=boxes,
        points=points,
        radii=radii,
        area=rows.column(columns.area) if references else None,
        crowd=rows.flags(columns.crowd) if references else None,
        ignored=rows.flags(columns.ignored) if references else None,
    )
    rows_read.check(rows.named)
    return ObjectSet(
        tuple(images),
        rows_read.dealt_out(len(images)),
        tuple(classes),
        groups=rows.field(how.groups, images, "groups"),
        strata=rows.field(how.strata, images, "strata"),
        unit=unit,
        notes=(*rows.table.notes, *notes),
    )


@frozen(eq=False)
class _Rows:
    """The rows of a table that have an object."""

    table: Table
    columns: BoxColumns
    # Where they stand in the table.
    rows: NDArray[np.intp]
    # Of each row of the table.
    images: Sequence[str]

    def line(self, row: int) -> str:
        """What messages call a row of the table."""
        return f"line {self.table.row_number(row)} (image {self.images[row]!r})"

    def named(self, place: int) -> str:
        """What messages call an object."""
        return self.line(int(self.rows[place]))

    def numbers(self, names: Sequence[str]) -> Array:
        """Columns of numbers, side by side."""
        return np.stack([self.cells(name) for name in names], axis=1)

    def column(self, name: str | None) -> Array | None:
        """A column of numbers, if there is one."""
        return None if name is None else self.cells(name)

    def cells(self, name: str) -> Array:
        """A column of numbers without gaps."""
        cells = self.table.values(name, self.rows)
        if cells.dtype.kind == "O":
            place = next(i for i, cell in enumerate(cells) if not isinstance(cell, float))
            raise DataError(
                f"{self.named(place)} has {shown(cells[place])} in column {name!r}; a number is "
                "expected"
            )
        values = cells.astype(float)
        empty = ~self.table.present(name)[self.rows]
        if empty.any():
            raise DataError(f"{self.named(int(empty.argmax()))} has nothing in column {name!r}")
        return values

    def flags(self, name: str | None) -> NDArray[np.bool_] | None:
        """Marks of objects; None where none has one."""
        values = self.column(name)
        if values is None or not values.any():
            return None
        if not np.isin(values, (0, 1)).all():
            place = int((~np.isin(values, (0, 1))).argmax())
            raise DataError(
                f"{self.named(place)} has {values[place]:g} in {name!r}; it must be 0 or 1"
            )
        return np.asarray(values == 1)

    def labels(self) -> list[str]:
        """The class of each object."""
        name = self.columns.label
        if name is None:
            return [ONLY_CLASS] * len(self.rows)
        levels = self.table.levels(name)
        empty = ~self.table.present(name)[self.rows]
        if empty.any():
            place = int(empty.argmax())
            raise DataError(f"{self.named(place)} has no class (column {name!r} is empty)")
        return [str(levels[row]) for row in self.rows.tolist()]

    def boxes(self, how: ReadingObjects) -> Array | None:
        """The boxes by their corners."""
        if not self.columns.boxes:
            if how.box_convention is not None:
                raise OptionError("the table has centres, not boxes; leave the box convention out")
            return None
        layout = self.columns.layout
        boxes = low_and_high(self.numbers(self.columns.boxes), layout)
        if how.box_convention is not BoxConvention.INCLUSIVE:
            return boxes
        if layout != "xyxy":
            raise OptionError(
                "only boxes given by two corners can have inclusive pixels; widths and heights "
                "count pixels either way"
            )
        return inclusive(boxes)

    def radii(self, *, excluded: bool) -> tuple[Array | None, int]:
        """Half the diameter of each object, and how many were not known."""
        radii, diameters = self.column(self.columns.radius), self.column(self.columns.diameter)
        if radii is None and diameters is not None:
            unknown = (diameters < 0) & excluded
            return np.where(unknown, UNKNOWN_DIAMETER, diameters) / 2, int(unknown.sum())
        return radii, 0

    def field(self, name: str | None, images: Sequence[str], option: str) -> tuple[str, ...] | None:
        """What a column says of each image."""
        if name is None:
            return None
        if name not in self.table:
            raise UnknownNameError("column", name, self.table.names)
        names: dict[str, str] = {}
        for row, (image, level) in enumerate(
            zip(self.images, self.table.levels(name), strict=True)
        ):
            if level is None:
                raise DataError(f"{self.line(row)} has nothing in column {name!r} ({option})")
            if names.setdefault(image, str(level)) != str(level):
                raise DataError(
                    f"{self.line(row)} has {str(level)!r} in column {name!r}, and a line before "
                    f"{names[image]!r}; give an image one level only ({option})"
                )
        return tuple(names[image] for image in images)
