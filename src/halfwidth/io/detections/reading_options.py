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
    """What the user said about a source of objects.

    Attributes
    ----------
    role : Role
    source : str
        What messages call it, where they come later than from reading.
    masks : bool
        Whether masks are read where there are some; boxes alone take less time and memory.
    groups, strata : str or None
        What names the cluster and the stratum of each image: a field of the images of COCO, a
        column of a table.
    box_format : str or None
        ``"xyxy"``, ``"xywh"`` or ``"cxcywh"``, of boxes whose format does not follow.
    box_convention : BoxConvention or None
        Of boxes by two corners; None: as the format has it.
    columns : mapping or None
        Columns of a table by role.
    image_sizes : object
        Path of a folder with the images or of a table, or (width, height) by name of image.
    class_names : object
        Names of classes that a format numbers: a path, a sequence, or a mapping from numbers.
    instances : {"labels", "components"} or None
        What the objects of a label map are.
    scores : object
        Of the instances of label maps, a table beside them.
    candidates : mapping or None
        How candidates come from a map of probabilities.
    excluded : object
        Findings that need not be found, a table beside the references.
    excluding : bool
        Whether the objects are those that need not be found.
    """

    role: Role = Role.DETECTIONS
    source: str = ""
    masks: bool = True
    groups: str | None = None
    strata: str | None = None
    box_format: str | None = None
    box_convention: BoxConvention | None = None
    columns: Mapping[str, str] | None = None
    image_sizes: Any = None
    class_names: Any = None
    instances: str | None = None
    scores: Any = None
    candidates: Any = None
    excluded: Any = None
    excluding: bool = False
