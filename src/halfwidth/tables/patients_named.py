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
# Numbers that begin anew behind the name of a patient, p7_5, but not behind a site or a year.
NUMBERED = re.compile(r"^(?P<scan>(?P<word>[A-Za-z]+)[\s_.-]*\d+)[\s_.-]+(?P<part>\d{1,3})$")
PERSONS = re.compile("p|pat|patient|pt|sub|subj|subject|participant|person", re.IGNORECASE)
OTHER_UNITS = re.compile(
    "site|centre|center|hospital|clinic|country|cohort|dataset|data|task|batch|fold|run|seed|year|"
    "reader|rater|model|class",
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


def patients_of_cases(ids: Sequence[str]) -> tuple[int, str] | None:
    """The same of case ids, also where these are a patient and a number.

    >>> patients_of_cases(["p0_0", "p0_1", "p1_0", "p1_1"]), patients_of_cases(["s1_0", "s1_1"])
    ((2, 'p0_0'), None)
    >>> patients_of_cases([f"{site}_{patient}" for site in ("A1", "B2") for patient in range(9)])
    """
    if not ids or not (PART.match(ids[0]) or NUMBERED.match(SUFFIX.sub("", ids[0]))):
        return None
    matches = [NUMBERED.match(SUFFIX.sub("", one)) for one in ids]
    found = [match for match in matches if match and not OTHER_UNITS.fullmatch(match["word"])]
    if len(found) < len(ids):
        return patients_named(ids)
    each = Counter(match["scan"].casefold() for match in found)
    parts = {int(match["part"]) for match in found}
    # Of several sites with many patients each there are more numbers than sites; a number that is
    # there once is an id of its own.
    anew = len(parts) <= min(2 * max(each.values()), len(ids) - 1)
    few = len(ids) <= len(each) ** 2 or all(PERSONS.fullmatch(match["word"]) for match in found)
    return (len(each), ids[0]) if anew and few and 1 < len(each) < len(ids) else None
