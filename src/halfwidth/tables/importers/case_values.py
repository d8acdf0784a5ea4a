"""Canonical table of the values that a foreign file holds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, shown
from halfwidth.core.spec import Better, Kind, MetricSpec
from halfwidth.core.types import UNIT_INTERVAL
from halfwidth.core.undefined import is_missing
from halfwidth.io.table import TEXT, Table
from halfwidth.metrics.all_metrics import METRICS

NUMBERS_AS_TEXT = {"nan": math.nan, "inf": math.inf, "infinity": math.inf, "-inf": -math.inf}


class CaseValue(NamedTuple):
    """A row of a canonical table; columns that no row has are left out of the table."""

    case: str | None
    metric: str
    value: float
    model: str | None = None
    task: str | None = None
    label: str | None = None
    status: str | None = None
    parameters: str | None = None
    group: str | None = None
    stratum: str | None = None
    reader: str | None = None
    seed: str | None = None
    fold: str | None = None


def right_or_wrong(metric: str, better: Better = Better.HIGHER) -> MetricSpec:
    """What is known of a metric that says of each case whether it is right."""
    return MetricSpec(metric, bounds=UNIT_INTERVAL, better=better, kind=Kind.BINARY)


def canonical_table(
    rows: Iterable[CaseValue], notes: Iterable[str], known: Iterable[MetricSpec] = ()
) -> Table:
    """The canonical table of some rows; ``known`` of metrics as far as their values agree."""
    columns: dict[str, list[Any]] = {name: [] for name in CaseValue._fields}
    lists = list(columns.values())
    for row in rows:
        for cells, cell in zip(lists, row, strict=True):
            cells.append(cell)
    if not lists[0]:
        raise DataError("holds no values of single cases")
    _refuse_truths_among_numbers(columns)
    agreed = _agreed(columns, known)
    canonical: dict[str, NDArray[Any]] = {}
    for name, cells in columns.items():
        if name == "value":
            canonical[name] = np.array(cells, dtype=float)
        elif any(cell is not None for cell in cells):
            canonical[name] = _text(cells)
        cells.clear()
    return Table(canonical, notes=tuple(notes), known=agreed)


def _agreed(columns: dict[str, list[Any]], known: Iterable[MetricSpec]) -> dict[str, MetricSpec]:
    """What is known of the metrics that the values leave true; truth values say as much."""
    rows = list(zip(columns["metric"], columns["value"], strict=True))
    truths = {metric for metric, value in rows if isinstance(value, bool)}
    specs = {name: right_or_wrong(name, Better.UNSTATED) for name in truths}
    specs |= {spec.name: spec for spec in known}
    agreed = {}
    for name, spec in specs.items():
        values = np.array([value for metric, value in rows if metric == name], dtype=float)
        values = values[~np.isnan(values)]
        if ((spec.bounds.low <= values) & (values <= spec.bounds.high)).all():
            between = spec.kind is Kind.BINARY and not np.isin(values, (0, 1)).all()
            agreed[name] = replace(spec, kind=Kind.CONTINUOUS) if between else spec
    return agreed


def _refuse_truths_among_numbers(columns: dict[str, list[Any]]) -> None:
    rows = list(zip(columns["metric"], columns["value"], columns["case"], strict=True))
    others = {metric for metric, value, _ in rows if value not in (0, 1) and not is_missing(value)}
    for metric, value, case in rows:
        if isinstance(value, bool) and metric in others:
            raise DataError(
                f"{metric} of case {case} is {value}, which is not a number, but other "
                f"values of {metric} are"
            )


def _text(cells: list[Any]) -> NDArray[Any]:
    texts = [math.nan if cell is None else cell for cell in cells]
    try:
        return np.array(texts, dtype=TEXT)
    except UnicodeEncodeError:
        # JSON may hold halves of letters, which no file can be written with.
        whole = [
            t if isinstance(t, float) else t.encode("utf-8", "replace").decode() for t in texts
        ]
        return np.array(whole, dtype=TEXT)


def names_in(table: Table, column: str) -> list[str | None]:
    """The names in a column of a text file; None where a cell is missing."""
    return [None if level is None else str(level) for level in table.levels(column)]


def metric_name(written: str) -> str:
    """The name of a metric here if it surely means the same, else what the file calls it.

    >>> metric_name("Dice"), metric_name("TP")
    ('dsc', 'TP')
    """
    return METRICS[written].name if written in METRICS else written


def number(cell: Any, where: str) -> float:
    """A number of a document, or a truth value as it is; null and NaN are missing."""
    if cell is None:
        return math.nan
    if isinstance(cell, str) and cell.strip().lower() in NUMBERS_AS_TEXT:
        return NUMBERS_AS_TEXT[cell.strip().lower()]
    if isinstance(cell, bool):
        return cell
    if not isinstance(cell, int | float):
        raise DataError(f"{where} is {shown(cell)}, not a number")
    try:
        return float(cell)
    except OverflowError:
        return math.inf if cell > 0 else -math.inf
