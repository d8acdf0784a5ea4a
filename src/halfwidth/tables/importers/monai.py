"""``*_raw.csv`` of MONAI: a row per image, a column per class, and the mean of the classes.

The file does not say which metric its values are, so the table stays wide. Where several metrics
are saved at once, MONAI writes ``mean`` into the header once more for each, and the rows are
shorter than the header.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence

import numpy as np

from halfwidth.core.errors import DataError, shortened
from halfwidth.core.option_names import spelled
from halfwidth.io.delimited import read_delimited
from halfwidth.io.table import StatedMean, Table, text_column
from halfwidth.io.table_sources import Source, text_of
from halfwidth.tables.importers.importer import Candidate, Importer, ImportOptions

FILENAME, MEAN = "filename", "mean"
RAW, SUMMARY = "_raw.", "_summary."


def _is_raw(candidate: Candidate) -> bool:
    header = candidate.header
    return len(header) > 2 and header[0] == FILENAME and header[-1] == MEAN


def _read_raw(candidate: Candidate, _: ImportOptions) -> Table:
    header = candidate.header
    surplus = sum(name == MEAN for name in header) - 1
    table = _with_fewer_columns(candidate, surplus) if surplus else candidate.table
    classes = [name for name in table.names if name not in (FILENAME, MEAN)]
    missing = sum(int((~table.present(name)).sum()) for name in classes)
    notes = [
        *table.notes,
        f"read as {MONAI.title}: {len(table)} images; classes {shortened(classes, 8)}",
        f"{MEAN!r} is the mean of the classes that have a value; {spelled('value')} picks columns",
    ]
    if missing:
        notes.append(
            f"without a value: {missing}; MONAI has none where the reference is empty, whatever "
            "was predicted there"
        )
    stated = tuple(_stated_means(candidate, classes))
    return Table(table.columns, table.row_numbers, tuple(notes), stated_means=stated)


def _stated_means(candidate: Candidate, classes: Sequence[str]) -> Iterator[StatedMean]:
    """The means in the ``*_summary.csv`` that MONAI writes beside, a row for each class."""
    name = "" if candidate.path is None else candidate.path.name
    file = candidate.beside(name.replace(RAW, SUMMARY)) if RAW in name else None
    if file is None:
        return
    try:
        with Source.open(file) as source:
            summary = read_delimited(
                source, candidate.separators, header=True, decimal=candidate.decimal
            )
    except (OSError, DataError):
        # Its own business: nothing is estimated from it.
        return
    if {"class", MEAN} <= {*summary.names} and summary.is_numeric(MEAN):
        means = summary.values(MEAN, np.arange(len(summary))).tolist()
        for label, mean in zip(summary.levels("class"), means, strict=True):
            if str(label) in (*classes, MEAN) and np.isfinite(mean):
                yield StatedMean(mean, str(label), {}, source=f"{MEAN} in {file.name}")


def _with_fewer_columns(candidate: Candidate, surplus: int) -> Table:
    """The table whose header says ``mean`` more often than its rows have it."""
    separator = max(candidate.separators, key=candidate.first_line.count)
    with text_of(candidate.source) as (text, assumed):
        reader = csv.reader(text, delimiter=separator, strict=True)
        try:
            lines = [(reader.line_num, row) for row in reader if row]
        except csv.Error as error:
            raise DataError(f"line {reader.line_num} cannot be read ({error})") from None
    header = candidate.header[: len(candidate.header) - surplus]
    if not lines[1:]:
        raise DataError("the table has no rows")
    for line, row in lines[1:]:
        if len(row) != len(header):
            raise DataError(
                f"line {line} has {len(row)} cells where the header names {len(header)} columns "
                f"({MEAN!r} {surplus + 1} times, as MONAI writes it with several metrics)"
            )
    columns = [text_column(cells) for cells in zip(*(row for _, row in lines[1:]), strict=True)]
    numbers = np.array([line for line, _ in lines[1:]], dtype=np.intp)
    note = f"the header says {MEAN!r} {surplus + 1} times, as MONAI does with several metrics"
    notes = (*([assumed] if assumed else []), note)
    return Table(dict(zip(header, columns, strict=True)), numbers, notes)


MONAI = Importer(
    "monai",
    "MONAI *_raw.csv",
    (".csv", ".tsv", ".txt"),
    _is_raw,
    _read_raw,
    "monai/handlers/utils.py of Project-MONAI/MONAI (write_metrics_reports)",
)
