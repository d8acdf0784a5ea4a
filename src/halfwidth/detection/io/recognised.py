"""Objects in images where values of cases are expected: what files of them are read with."""

from __future__ import annotations

from typing import Any

from halfwidth.core.errors import DataError, shortened
from halfwidth.core.option_names import at_door, flag_of
from halfwidth.detection.io.box_columns import box_columns
from halfwidth.detection.io.coco import is_coco
from halfwidth.io.table import Table
from halfwidth.tables.table_kinds import means_of


def in_table(table: Table) -> str:
    """What to say of a table of boxes or centres of objects; nothing of another."""
    try:
        columns = box_columns(table.names, None, None)
    except DataError:
        return ""
    places = columns.boxes or columns.points
    # Two coordinates may be anything; with a size or a score they are of objects.
    signs = columns.boxes or columns.diameter or columns.radius or columns.score
    if not (signs and all(map(table.is_numeric, places))):
        return ""
    verb = at_door(
        "Detections.from_files(detections, references)", "halfwidth detect DETECTIONS REFERENCES"
    )
    return (
        f"the table holds objects in images ({shortened(places, 6)}), not values of cases. "
        f"Metrics of detections: {verb}; {means_of(places[0])}"
    )


def in_document(document: Any) -> str:
    """What to say of COCO's annotations, or of a list of its results; nothing of another."""
    if not is_coco(document) or (isinstance(document, dict) and "annotations" not in document):
        return ""
    verb = at_door(
        "Detections.from_files(detections, references)",
        f"halfwidth detect DETECTIONS REFERENCES; to compare detectors {flag_of('references')}",
    )
    return f"holds objects in images, as COCO has them; metrics of detections: {verb}"
