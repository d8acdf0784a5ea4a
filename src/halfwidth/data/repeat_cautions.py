"""Cautions about rows that are taken as independent cases and may not be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from halfwidth.core.cautions import Caution, caution

if TYPE_CHECKING:
    from halfwidth.tables.repeats import Repeats

# Columns that say where a box is, without capitals and underscores.
BOXES = (
    *(("xmin", "ymin", "xmax", "ymax"), ("x1", "y1", "x2", "y2"), ("x0", "y0", "x1", "y1")),
    *(("x", "y", "width", "height"), ("x", "y", "w", "h"), ("bbox",)),
    *(("xcenter", "ycenter", "width", "height"), ("left", "top", "right", "bottom")),
)


def box_cautions(names: Sequence[str]) -> tuple[Caution, ...]:
    """What columns of boxes say against taking rows as cases.

    >>> [one.code for one in box_cautions(["image", "x_min", "y_min", "x_max", "y_max", "score"])]
    ['HW881']
    """
    plain = {name.lower().replace("_", "").replace(" ", ""): name for name in names}
    held = next((layout for layout in BOXES if all(name in plain for name in layout)), ())
    return (caution("HW881", columns=", ".join(plain[name] for name in held)),) if held else ()


def repeat_cautions(
    repeats: Repeats, total: int, *, ids_of_groups: bool = False
) -> tuple[Caution, ...]:
    """Cautions of repeats among ``total`` rows, whose ids may name cases within a group only."""
    raised = []
    if repeats.cases and not ids_of_groups:
        raised.append(caution("HW102", repeats=repeats.cases, total=total))
    if repeats.runs:
        column, levels = repeats.runs
        raised.append(caution("HW401", column=column, levels=levels))
    if repeats.folds:
        column, levels = repeats.folds
        raised.append(caution("HW411", column=column, levels=levels))
    if repeats.shared:
        column, levels = repeats.shared
        raised.append(caution("HW402", column=column, levels=levels, cases=total))
    if repeats.named and not ids_of_groups:
        units, example = repeats.named
        raised.append(patients_caution(total, "cases", units, example))
    return tuple(raised)


def patients_caution(total: int, what: str, units: int, example: str) -> Caution:
    """A caution that names say of which patients or scans the images, or cases, are."""
    return caution("HW874", total=total, what=what, units=units, example=repr(example))
