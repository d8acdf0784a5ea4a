"""What the names of images, or of cases, say of the patients or scans that they are of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

# What comes behind the name of a scan: slice_012, _z12, -frame3, _img004.
PART = re.compile(
    r"^(?P<scan>.*\w.*?)[\s_.-]+(?:axial|coronal|sagittal|cor|sag|ax)?[\s_.-]*"
    r"(?:slice|slc|sl|frame|fr|image|img|im|view|layer|z|t)[\s_.-]*\d+$",
    re.IGNORECASE,
)
# A patient and a number, p7_5; what is numbered may be a site or a year as well.
NUMBERED = re.compile(r"^(?P<scan>(?P<word>[A-Za-z]+)[\s_.-]*\d+)[\s_.-]+(?P<part>\d{1,3})$")
PERSONS = "p|pat|patient|pt|sub|subj|subject|participant|person"
OTHERS = "site|cent(er|re)|hospital|country|cohort|data(set)?|task|batch|fold|run|seed|year|reader"
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


def patients_of_cases(ids: Sequence[str]) -> tuple[int, str] | None:
    """Patients named by case ids, also by a patient and a number that begins anew.

    >>> patients_of_cases(["p0_0", "p0_1", "p1_0", "p1_1"]), patients_of_cases(["s1_0", "s1_1"])
    ((2, 'p0_0'), None)
    >>> patients_of_cases([f"{site}_{patient}" for site in ("A1", "B2") for patient in range(9)])
    """
    found = [match for one in ids[:1] if (match := NUMBERED.match(one))]
    found = [match for one in ids if (match := NUMBERED.match(one))] if found else []
    if not ids or len(found) < len(ids):
        return patients_named(ids) if ids and PART.match(ids[0]) else None
    each = Counter(match["scan"].casefold() for match in found)
    words = {match["word"].casefold() for match in found}
    anew = len({int(match["part"]) for match in found}) <= min(2 * max(each.values()), len(ids) - 1)
    # Of sites there are fewer than patients of each.
    persons = all(re.fullmatch(PERSONS, word) for word in words) or len(ids) <= len(each) ** 2
    persons &= not any(re.fullmatch(OTHERS, word) for word in words)
    return (len(each), ids[0]) if anew and persons and 1 < len(each) < len(ids) else None
