"""Results of panoptica: a TSV with a row per subject, or JSON lines.

Columns are called ``{group}-{metric}``. An empty cell has what could not be computed, or infinity;
the numbers of instances in reference and prediction say which.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from halfwidth.core.errors import DataError, shortened
from halfwidth.core.spec import Better, MetricSpec
from halfwidth.core.types import UNIT_INTERVAL, Bounds
from halfwidth.core.undefined import Status, presence_of
from halfwidth.io.json_files import json_lines
from halfwidth.io.table import Table
from halfwidth.metrics.overlap import dsc, iou
from halfwidth.tables.importers.case_values import CaseValue, canonical_table, names_in, number
from halfwidth.tables.importers.importer import Candidate, Importer, ImportOptions

TITLE = "panoptica results"
SUBJECT = "subject_name"
# Numbers of instances in the reference and in the prediction, in older and newer releases.
IN_REFERENCE = ("n_ref_instances", "num_ref_instances")
IN_PREDICTION = ("n_pred_instances", "num_pred_instances")
# Of metrics of whole images the definitions are the same; ``sq_dsc`` is of matched instances.
SAME = {f"global_bin_{metric.__name__}": metric.__name__ for metric in (dsc, iou)}
QUALITIES = re.compile(
    r"(autc_)?(rq|sq|pq|prec|rec|(sq|pq)_[a-z0-9]+|(global_bin|region_avg)_\w+)", re.IGNORECASE
)
# What describes a subject without rating the model.
DESCRIPTIONS = re.compile(
    r"tp|fp|fn|computation_time|n(um)?_(ref|pred)_instances|.*_std|.*(volume|voxel_count)_?(ref|pred)?",
    re.IGNORECASE,
)
AT_THRESHOLD = re.compile(r"t[0-9.eE+-]+_\w+")
# Distances are infinite where one of the masks is empty.
DISTANCES = re.compile(r"global_bin_(assd|masd|hd|hd95|cedi)", re.IGNORECASE)
SHARES = re.compile(r"rq|prec|rec|[sp]q(_(dsc|iou|cldsc|nsd))?|(global_bin|region_avg)_(cldsc|nsd)")
LENGTHS = re.compile(r"(sq|global_bin|region_avg)_(assd|masd|hd|hd95|cedi)")
ONE_EMPTY = (Status.MISSED, Status.SPURIOUS)
INSTANCE = re.compile(r".+-.+_inst_\d+")

Record = tuple[str | None, Mapping[str, Mapping[str, Any]]]


def _recognises(candidate: Candidate) -> bool:
    if candidate.first_line.lstrip().startswith("{"):
        return _is_record(_first_document(candidate))
    first, *others = candidate.header or ("",)
    qualities = [QUALITIES.fullmatch(name.rpartition("-")[2]) for name in others]
    return first == SUBJECT and any(qualities) and all("-" in name for name in others)


def _first_document(candidate: Candidate) -> Any:
    try:
        return next(json_lines(candidate.source), (0, None))[1]
    except DataError:
        return None


def _is_record(document: Any) -> bool:
    return (
        isinstance(document, dict)
        and SUBJECT in document
        and isinstance(document.get("groups"), dict)
        and all(isinstance(held, dict) for held in document["groups"].values())
    )


def _read(candidate: Candidate, _: ImportOptions) -> Table:
    as_lines = candidate.first_line.lstrip().startswith("{")
    records = _records_of_lines(candidate) if as_lines else _records_of_table(candidate.table)
    left_out: dict[str, None] = {}
    instances: list[str] = []
    rows = list(_rows(records, left_out, instances))
    if not rows:
        only = f", only {shortened(list(left_out))}" if left_out else ""
        raise DataError(f"holds no values of single cases of a metric of panoptica{only}")
    notes = [f"read as {TITLE}: a case for each {SUBJECT}, a label for each group"]
    if left_out:
        names = shortened(list(left_out), 8)
        notes.append(f"left out: {names} (counts, spreads, times, single thresholds)")
    if instances:
        counted = "1 row" if len(instances) == 1 else f"{len(instances)} rows"
        notes.append(f"left out: {counted} of single instances, which are no cases")
    return canonical_table(rows, notes, _known({row.metric for row in rows}))


def _known(metrics: Iterable[str]) -> Iterator[MetricSpec]:
    for name in metrics:
        if SHARES.fullmatch(name):
            yield MetricSpec(name, bounds=UNIT_INTERVAL, better=Better.HIGHER)
        elif LENGTHS.fullmatch(name):
            yield MetricSpec(name, bounds=Bounds(0, math.inf), better=Better.LOWER)


def _records_of_lines(candidate: Candidate) -> Iterator[Record]:
    for line, document in json_lines(candidate.source):
        if not _is_record(document):
            raise DataError(f"line {line} is not a result of panoptica ({SUBJECT} and groups)")
        groups = {
            group: {name: value for name, value in held.items() if not isinstance(value, list)}
            for group, held in document["groups"].items()
        }
        yield str(document[SUBJECT]), groups


def _records_of_table(table: Table) -> Iterator[Record]:
    rows = np.arange(len(table))
    columns: dict[str, dict[str, Any]] = {}
    for name in table.names[1:]:
        group, _, metric = name.rpartition("-")
        columns.setdefault(group, {})[metric] = table.values(name, rows).tolist()
    subjects = names_in(table, table.names[0])
    for row, subject in enumerate(subjects):
        yield (
            subject,
            {
                group: {metric: cells[row] for metric, cells in held.items()}
                for group, held in columns.items()
            },
        )


def _rows(
    records: Iterable[Record], left_out: dict[str, None], instances: list[str]
) -> Iterator[CaseValue]:
    for subject, groups in records:
        if subject is not None and INSTANCE.fullmatch(subject):
            instances.append(subject)
            continue
        for group, held in groups.items():
            presence = _presence(held)
            for metric, cell in held.items():
                if DESCRIPTIONS.fullmatch(metric) or AT_THRESHOLD.fullmatch(metric):
                    left_out[metric] = None
                    continue
                value = number(cell, f"{group}-{metric} of {subject}")
                if math.isnan(value) and presence in ONE_EMPTY and DISTANCES.fullmatch(metric):
                    value = math.inf
                # Nothing says why a value is undefined that both masks could have.
                unexplained = math.isnan(value) and presence is Status.OK
                status = None if presence is None or unexplained else str(presence)
                yield CaseValue(
                    subject, SAME.get(metric, metric), value, label=group, status=status
                )


def _presence(held: Mapping[str, Any]) -> Status | None:
    """Whether the group is in reference and prediction; None where no numbers of instances say."""
    counts = [
        next((held[name] for name in names if name in held), None)
        for names in (IN_REFERENCE, IN_PREDICTION)
    ]
    present, predicted = (isinstance(count, int | float) and count > 0 for count in counts)
    known = all(isinstance(count, int | float) and count >= 0 for count in counts)
    return presence_of(predicted, present) if known else None


PANOPTICA = Importer(
    name="panoptica",
    title=TITLE,
    suffixes=(".tsv", ".jsonl"),
    recognises=_recognises,
    read=_read,
    source="the file backends of panoptica (BrainLesion/panoptica)",
)
