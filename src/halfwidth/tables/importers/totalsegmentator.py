"""Per-case tables of the evaluation script that TotalSegmentator publishes.

Its columns are ``subject``, ``dice-{structure}`` and ``surface_dice_3-{structure}``. NaN says that
the reference has no such structure, whether or not one was predicted; 0, that it was missed or lies
elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from halfwidth.core.errors import DataError
from halfwidth.core.option_names import spelled
from halfwidth.io.table import Table
from halfwidth.metrics.boundary_overlap import nsd
from halfwidth.metrics.overlap import dsc
from halfwidth.tables.importers.case_values import CaseValue, canonical_table, names_in
from halfwidth.tables.importers.importer import Candidate, Importer, ImportOptions

TITLE = "TotalSegmentator evaluation"
SUBJECT = "subject"
COLUMN = re.compile(r"(dice|surface_dice_(\d+(?:\.\d+)?))-(.+)")
MEANS = {"dice", "normalized_surface_distance"}


def _recognises(candidate: Candidate) -> bool:
    if candidate.first_line.lstrip().startswith("{"):
        document = candidate.document
        return isinstance(document, dict) and set(document) == MEANS
    # A data frame may have been written with the numbers of its rows.
    first, *others = [name for name in candidate.header if name not in ("", "Unnamed: 0")] or [""]
    return first == SUBJECT and bool(others) and all(map(COLUMN.fullmatch, others))


def _read(candidate: Candidate, _: ImportOptions) -> Table:
    if candidate.first_line.lstrip().startswith("{"):
        raise DataError(
            "holds a mean for each structure and no values of single cases; the evaluation script "
            "computes these, a row per subject: save its data frame as CSV and read that"
        )
    table = candidate.table
    read = (
        "dice is dsc; surface_dice_T is nsd:tolerance=T,definition=surface, at a spacing of 1.5 mm "
        "for all images"
    )
    notes = [f"read as {TITLE}: {read}"]
    rows = list(_rows(table))
    empty = sum(row.value != row.value for row in rows)
    if empty:
        notes.append(
            f"{empty} empty values: the reference has no such structure, and the file does not say "
            "whether one was predicted; its own means leave them out "
            f"({spelled('missing', 'omit')})"
        )
    return canonical_table(rows, notes)


def _rows(table: Table) -> Iterator[CaseValue]:
    every = np.arange(len(table))
    subjects = names_in(table, SUBJECT)
    for name in table.names:
        match = COLUMN.fullmatch(name)
        if match is None:
            continue
        if not table.is_empty(name) and not table.is_numeric(name):
            raise DataError(f"column {name!r} holds text where numbers are expected")
        tolerance = match[2]
        metric = dsc.__name__ if tolerance is None else nsd.__name__
        parameters = None if tolerance is None else f"tolerance={tolerance};definition=surface"
        values = table.values(name, every).astype(float)
        for subject, value in zip(subjects, values.tolist(), strict=True):
            yield CaseValue(subject, metric, value, label=match[3], parameters=parameters)


TOTALSEGMENTATOR = Importer(
    name="totalsegmentator",
    title=TITLE,
    suffixes=(".csv", ".tsv", ".json"),
    recognises=_recognises,
    read=_read,
    source="resources/evaluate.py of TotalSegmentator (wasserth/TotalSegmentator)",
)
