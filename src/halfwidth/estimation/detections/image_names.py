"""What the names of images say of the patients or scans that they are of."""

from __future__ import annotations

import re
from collections.abc import Sequence

# What comes behind the name of a scan: slice_012, _z12, -frame3, _img004.
PART = re.compile(
    r"^(?P<scan>.*\w.*?)[\s_.-]+(?:axial|coronal|sagittal|cor|sag|ax)?[\s_.-]*"
    r"(?:slice|slc|sl|frame|fr|image|img|im|view|layer|z|t)[\s_.-]*\d+$",
    re.IGNORECASE,
)
SUFFIX = re.compile(r"(\.[A-Za-z][A-Za-z0-9]{1,4}){1,2}$")


def patients_named(images: Sequence[str]) -> tuple[int, str] | None:
    """How many scans the images are parts of by their names, and an example; None if they are not.

    >>> patients_named(["pat1_slice_01.png", "pat1_slice_02.png", "pat2_slice_01.png"])
    (2, 'pat1_slice_01.png')
    >>> patients_named(["COCO_val2014_000000001146.jpg", "COCO_val2014_000000000400.jpg"])
    """
    scans = []
    for name in images:
        match = PART.match(SUFFIX.sub("", name.rsplit("/", 1)[-1]))
        if match is None:
            return None
        scans.append((name.rpartition("/")[0], match["scan"].casefold()))
    # One scan is no test set of patients; it is rather how all files are called.
    units = len(set(scans))
    return (units, images[0]) if 1 < units < len(images) else None
