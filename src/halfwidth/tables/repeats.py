"""Rows of a table that belong together: repeated cases, patients with several, pooled runs.

Columns are known by their names, as tables of images have them: ``patient_id``, ``PatientID``,
``Subject``, ``StudyInstanceUID``. A name counts whatever its capitals and separators.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.io.table import Factor, Table, joint_codes
from halfwidth.tables.folds import FOLD
from halfwidth.tables.patients_named import patients_of_cases

CASE_COLUMNS = ("case", "case_id", "id", "subject", "patient", "name", "filename")
RUN_COLUMNS = (FOLD, "seed", "run")

Codes = NDArray[np.intp]

# Persons, in the words of DICOM, BIDS, ADNI (PTID), NLST and PLCO (pid) and UK Biobank (eid).
PERSON = (
    *("patient", "pat", "pt", "subject", "subj", "sub", "participant", "person", "proband"),
    *("donor", "mrn", "ptid", "pid", "eid"),
)
# What holds several rows below a person, coarse to fine.
PARTS_OF_PERSON = (
    *("study", "exam", "examination", "accession", "scan", "series", "volume", "acquisition"),
    *("specimen", "biopsy", "slide", "wsi", "lesion", "nodule", "image"),
)
# Also names of a sequence (T2) or a kind of image: they need id behind.
NEVER_ALONE = frozenset({"pt", "series", "acquisition"})
# Also names of a measurement (ml) or a count: alone, they need texts as cells.
TEXTS_ALONE = frozenset({"volume", "image", "scan", "lesion", "nodule"})
ID_WORDS = "id|uid|instanceuid|no|nr|num|number|name|key|code|hash|pseudonym|identifier"
# A column called patient may also say whether one is.
FLAG = frozenset({0, 1, None})
# Cells of a text file are text: an id has a digit, and 8.5 is a number.
DIGIT, FRACTION = re.compile(r"\d"), re.compile(r"[+-]?\d*[.,]\d+(e[+-]?\d+)?", re.IGNORECASE)
QUALIFIER = "anon|anonymized|anonymised|dicom|bids|deidentified|original"


@frozen
class Repeats:
    """Evidence that the rows are not independent cases."""

    # Rows beyond the first of their case.
    cases: int = 0
    # A column of patients (or studies, scans, ...) that repeat, and how many there are.
    shared: tuple[str, int] | None = None
    # A column of folds or runs that are pooled, and how many there are.
    runs: tuple[str, int] | None = None
    # The same of folds of a cross-validation: each case is in one of them.
    folds: tuple[str, int] | None = None
    # How many patients the ids of the cases suggest, and an example, where nothing else names any.
    named: tuple[int, str] | None = None


def _squeezed(name: str) -> str:
    """A name without capitals and separators: ``Patient_ID`` is ``patientid``."""
    return re.sub(r"[\W_]+", "", name.lower())


@functools.cache
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(f"(?:{QUALIFIER})?({'|'.join(words)})((?:{ID_WORDS})*)")


@functools.lru_cache(maxsize=1024)
def _named_for(name: str, words: tuple[str, ...]) -> str | None:
    """The word that a column is named for, alone or with words such as id behind it."""
    match = _pattern(words).fullmatch(_squeezed(name))
    if match is None or (match[1] in NEVER_ALONE and not match[2]):
        return None
    return match[1]


def is_design_column(name: str) -> bool:
    """Whether a column names patients or runs, so that its numbers are not values."""
    return _named_for(name, PERSON) is not None or _squeezed(name) in RUN_COLUMNS


def is_index_column(name: str) -> bool:
    """Whether a column is the row numbers that pandas writes before the others."""
    return not name or name.startswith("Unnamed:")


def case_column(table: Table, taken: Collection[str] = (), *, persons: bool = True) -> str | None:
    """The first of `CASE_COLUMNS` that exists and has no other part to play.

    Where a row is a case by definition, persons name no cases but what several may belong to.
    """
    free = [name for name in table.names if name not in taken]
    if not persons:
        free = [name for name in free if _named_for(name, PERSON) is None]
    by_name = {_squeezed(name): name for name in reversed(free)}
    named_columns = (by_name.get(_squeezed(name)) for name in CASE_COLUMNS)
    return next((name for name in named_columns if name is not None), None)


def repeats_in(
    table: Table,
    rows: NDArray[np.intp] | None = None,
    *,
    case: str | None,
    groups: Sequence[Any] | None = None,
    taken: Collection[str] = (),
) -> Repeats:
    """What of a table speaks against taking some of its rows as independent cases.

    ``case``: column of case ids; ``groups``: cluster of each row of the table, where they are said
    to belong together; ``taken``: columns that play another part: values, levels that are estimated
    apart, strata.

    >>> table = Table.from_frame({"PatientID": ["a", "a", "b"], "score": [0.1, 0.2, 0.9]})
    >>> repeats_in(table, case=None)
    Repeats(cases=0, shared=('PatientID', 2), runs=None, folds=None, named=None)
    """
    rows = np.arange(len(table)) if rows is None else rows
    clusters = None if groups is None else _codes_of(groups)[rows]
    cases = None if case is None else table.factor(case).codes[rows]
    free = [name for name in table.names if name not in taken and name != case]
    shared = _shared_persons(table, rows, free, clusters)
    if shared is None and not any(_named_for(name, PERSON) for name in (*free, case or "")):
        # Whoever has one row has one study; of persons that are clusters, studies are parts.
        shared = _shared_parts(table, rows, free, cases if clusters is None else clusters)
    runs, folds = _pooled(table, rows, free, cases, clusters), None
    if runs is not None and runs[0] == FOLD and case is not None:
        runs, folds = (None, runs) if is_partition(table, case, FOLD, rows) else (runs, None)
    named = None
    of_persons = any(_named_for(name, PERSON) for name in free)
    if case is not None and clusters is None and shared is None and not of_persons:
        present = np.unique(table.factor(case).codes[rows])
        named = patients_of_cases([str(table.factor(case).levels[code]) for code in present])
    return Repeats(0 if cases is None else _repeated(cases, clusters), shared, runs, folds, named)


def is_partition(
    table: Table, case: str, column: str, rows: NDArray[np.intp] | None = None
) -> bool:
    """Whether each case has one level of a column, among some rows or all.

    >>> table = Table.from_frame({"case": ["a", "a", "b"], "fold": [0, 0, 1], "run": [0, 1, 0]})
    >>> is_partition(table, "case", "fold"), is_partition(table, "case", "run")
    (True, False)
    """
    rows = np.arange(len(table)) if rows is None else rows
    cases, levels = (table.factor(name).codes[rows] for name in (case, column))
    return _distinct(cases, levels) == _distinct(cases)


def _codes_of(labels: Sequence[Any]) -> Codes:
    """One integer for each label, -1 where it is missing."""
    known: dict[Any, int] = {None: -1}
    return np.array([known.setdefault(label, len(known)) for label in labels], dtype=np.intp)


def _distinct(codes: Codes, *others: Codes) -> int:
    """How many combinations of levels there are, rows without the first left out."""
    present = codes >= 0
    together = np.sort(joint_codes(*(one[present] for one in (codes, *others))))
    return int(np.count_nonzero(np.diff(together))) + bool(len(together))


def _levels(factor: Factor, codes: Codes) -> set[Any]:
    """The levels that some rows have."""
    return {factor.levels[code] for code in np.unique(codes[codes >= 0]).tolist()}


def _repeated(cases: Codes, clusters: Codes | None) -> int:
    """Rows beyond the first of their case; a case may repeat within its cluster."""
    if clusters is not None:
        return _distinct(cases, clusters) - _distinct(cases)
    return int((cases >= 0).sum()) - _distinct(cases)


def _shared_persons(
    table: Table, rows: NDArray[np.intp], free: Iterable[str], clusters: Codes | None
) -> tuple[str, int] | None:
    """A column of patients that repeat and lie in several clusters, or in none."""
    for name in free:
        if _named_for(name, PERSON) is None:
            continue
        factor = table.factor(name)
        codes = factor.codes[rows]
        levels = _distinct(codes)
        within = clusters is not None and levels == _distinct(codes, clusters)
        if 1 < levels < len(rows) and not within and not _levels(factor, codes) <= FLAG:
            return name, levels
    return None


def _shared_parts(
    table: Table, rows: NDArray[np.intp], free: Sequence[str], units: Codes | None
) -> tuple[str, int] | None:
    """A column of studies, scans, lesions that hold several rows, the coarsest first."""
    named = {word: name for name in reversed(free) if (word := _named_for(name, PARTS_OF_PERSON))}
    for word in PARTS_OF_PERSON:
        name = named.get(word)
        if name is None:
            continue
        factor = table.factor(name)
        codes = factor.codes[rows]
        levels = _distinct(codes)
        texts = word in TEXTS_ALONE and _squeezed(name) == word
        if not 1 < levels < len(rows) or not _are_ids(_levels(factor, codes), texts=texts):
            continue
        # Numbers that begin anew in each case or cluster (lesion 1 and 2 of every one) are no unit.
        if units is None or levels < _distinct(codes, units) == _distinct(units):
            return name, levels
    return None


def _are_ids(present: set[Any], *, texts: bool) -> bool:
    """Whether labels tell units apart: whole numbers, or texts with digits, and not CT and MR."""
    return not present <= FLAG and all(
        bool(DIGIT.search(label)) and not FRACTION.fullmatch(label)
        if isinstance(label, str)
        else isinstance(label, int) and not texts
        for label in present
    )


def _pooled(
    table: Table,
    rows: NDArray[np.intp],
    free: Sequence[str],
    cases: Codes | None,
    clusters: Codes | None,
) -> tuple[str, int] | None:
    """A column of runs that vary, unless cases keep theirs together or each row is a run."""
    if cases is not None and clusters is not None:
        together = _distinct(cases, clusters)
        if together == _distinct(cases) == _distinct(clusters):
            return None
    for name in RUN_COLUMNS:
        if name in free:
            levels = _distinct(table.factor(name).codes[rows])
            if 1 < levels < len(rows) or (name == FOLD and levels > 1):
                return name, levels
    return None
