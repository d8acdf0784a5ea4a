"""How objects are to be read."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled_both

# The class of objects that have none.
ONLY_CLASS = "object"
# Notes on references.
ALL_HAVE_OBJECTS = (
    "the references name no image without objects; if there are some, false positives in them "
    f"count only once all images are listed ({spelled_both('images')})"
)
HAS_SCORES = "the references have scores, which are not used; are the two files swapped?"
BOX_FORMATS = ("xyxy", "xywh", "cxcywh")


class Role(StrEnum):
    """What the objects are for."""

    DETECTIONS = "detections"
    REFERENCES = "references"


class BoxConvention(StrEnum):
    """What the corners of boxes are."""

    # Places: a box from 10 to 20 is 10 wide.
    CONTINUOUS = "continuous"
    # The first pixel and the last: one from 10 to 20 is 11 wide.
    INCLUSIVE = "inclusive"


@frozen(kw_only=True)
class ReadingObjects:
    """What the user said about a source of objects."""

    role: Role = Role.DETECTIONS
    # What messages call it, where they come later than from reading.
    source: str = ""
    # Whether masks are read where there are some; boxes alone take less time and memory.
    masks: bool = True
    # What names the cluster and the stratum of each image: a field of the images of COCO, a column
    # of a table.
    groups: str | None = None
    strata: str | None = None
    # ``"xyxy"``, ``"xywh"`` or ``"cxcywh"``, of boxes whose format does not follow.
    box_format: str | None = None
    # Of boxes by two corners; None: as the format has it.
    box_convention: BoxConvention | None = None
    # Columns of a table by role.
    columns: Mapping[str, str] | None = None
    # Path of a folder with the images or of a table, or (width, height) by name of image.
    image_sizes: Any = None
    # Names of classes that a format numbers: a path, a sequence, or a mapping from numbers.
    class_names: Any = None
    # What the objects of a label map are.
    instances: str | None = None
    # Of the instances of label maps, a table beside them.
    scores: Any = None
    # How candidates come from a map of probabilities.
    candidates: Any = None
    # Findings that need not be found, a table beside the references.
    excluded: Any = None
    # Whether the objects are those that need not be found.
    excluding: bool = False
