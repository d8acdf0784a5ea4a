"""What a table of per-case values means: which columns are values, groups, cases.

A wide table has a column per structure; a long one has one value column and columns to group by;
the canonical long table names its columns ``case, metric, value`` and needs no options.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, OptionError, UnknownNameError, quoted, shortened
from halfwidth.io.table import Table
from halfwidth.metrics.catalogue import METRICS

__all__ = ["CASE_COLUMNS", "Layout", "Slice", "layout_of", "metrics_in", "slices"]

CASE_COLUMNS = ("case", "case_id", "id", "subject", "patient", "name", "filename")
PATIENT_COLUMNS = ("patient", "patient_id", "subject", "subject_id")
# In a canonical table, and only there, this is the cluster of a case.
CLUSTER_COLUMN = "group"
RUN_COLUMNS = ("fold", "seed", "run")
CANONICAL_BY = ("model", "task", "label")
NOT_APPLICABLE = "not applicable"
MISSING_LEVEL = "(missing)"
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")


@dataclass(frozen=True)
class Layout:
    """The part each column plays.

    Attributes
    ----------
    values : tuple of str
        Value columns.
    by : tuple of str
        Columns whose levels are estimated apart.
    case : str or None
    metric : str or None
        Column that names the metric of each row (canonical tables).
    left_out : tuple of str
        Columns passed over when value columns were looked for, with the reason.
    """

    values: tuple[str, ...]
    by: tuple[str, ...] = ()
    case: str | None = None
    metric: str | None = None
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Slice:
    """One sample of a table: the values of one column at one combination of levels.

    Attributes
    ----------
    label : str
    by : mapping
    column : str
    values : ndarray
        As they stand in the table.
    cases : list of str
        Case ids, or row numbers where the table has none.
    metric : str or None
        What a canonical table calls the metric.
    parameters : str
        Its parameters as they follow a name: ``":tolerance=3"``, or nothing.
    n_not_applicable : int
        Rows left out because the metric does not apply to them.
    repeated_cases : int
        Rows beyond the first of their case.
    patients, runs : tuple or None
        ``(column, levels)`` of a patient column that repeats, or of a run column that varies.
    """

    label: str
    by: Mapping[str, Any]
    column: str
    values: NDArray[Any]
    cases: list[str]
    metric: str | None
    parameters: str
    n_not_applicable: int
    repeated_cases: int
    patients: tuple[str, int] | None
    runs: tuple[str, int] | None


def layout_of(
    table: Table,
    values: Sequence[str] | None = None,
    by: Sequence[str] | None = None,
    case: str | None = None,
) -> Layout:
    """The layout of a table, from what the user said and what the columns are called.

    Raises
    ------
    UnknownNameError
        For a column that is not there; proposes the nearest.
    OptionError
        If a column is to be values and groups at once.
    DataError
        If there is no numeric column to estimate.
    """
    for name in [*(values or ()), *(by or ()), *([case] if case else [])]:
        if name not in table:
            raise UnknownNameError("column", name, table.names)
    both = set(values or ()) & set(by or ())
    if both:
        raise OptionError(f"column(s) {quoted(sorted(both))} cannot be values and groups at once")
    groups = tuple(dict.fromkeys(by or ()))
    taken = (*groups, *(values or ()))
    free = [name for name in CASE_COLUMNS if name in table and name not in taken]
    case = case or next(iter(free), None)
    if _is_canonical(table, values):
        # Its rows are told apart by their metric anyway, each with the range of its own.
        groups = tuple(name for name in groups if name != "metric")
        known = tuple(name for name in CANONICAL_BY if name in table)
        return Layout(("value",), groups if by else known, case, metric="metric")
    if values:
        return Layout(tuple(dict.fromkeys(values)), groups, case)
    return _numeric_columns(table, groups, case)


def _is_canonical(table: Table, values: Sequence[str] | None) -> bool:
    if "metric" not in table or "value" not in table:
        return False
    return not table.is_numeric("metric") and (values is None or list(values) == ["value"])


def _numeric_columns(table: Table, by: tuple[str, ...], case: str | None) -> Layout:
    design = (*PATIENT_COLUMNS, *RUN_COLUMNS, "stratum")
    found, left_out = [], []
    for name in table.names:
        if name == case or name in by:
            continue
        if not name or name.startswith("Unnamed:") or name in design:
            left_out.append(f"{name or '(no name)'!r} (index or design)")
        elif _holds_numbers(table, name):
            found.append(name)
        else:
            left_out.append(f"{name!r} (text)")
    if not found:
        raise DataError(
            f"no numeric column to estimate; the table has {shortened(table.names)}. "
            "Name the column with values"
        )
    return Layout(tuple(found), by, case, left_out=tuple(left_out))


def _holds_numbers(table: Table, name: str) -> bool:
    """Whether a column is meant to hold numbers: most of its cells are, or would be with points."""
    if table.is_numeric(name) or table.is_empty(name):
        return True
    cells = [cell for cell in table.values(name, np.arange(len(table))) if cell is not None]
    numbers = sum(
        not isinstance(cell, str) or bool(DECIMAL_COMMA.fullmatch(cell)) for cell in cells
    )
    return 2 * numbers > len(cells)


def slices(table: Table, layout: Layout) -> Iterator[Slice]:
    """The samples of a table, groups in order of appearance, columns in their order."""
    several = len(layout.values) > 1
    for levels, rows in _groups(table, layout):
        by = {name: levels[name] for name in layout.by}
        kept = rows[_applicable(table, layout, rows)]
        shown = [_text(level) for level in by.values()]
        for column in layout.values:
            name_column = several or not (by or layout.metric)
            yield Slice(
                label=" / ".join([*shown, *([column] if name_column else [])]),
                by=by,
                column=column,
                values=table.values(column, kept),
                cases=_cases(table, layout.case, kept),
                metric=_text(levels[layout.metric]) if layout.metric else None,
                parameters=_parameters_of(levels),
                n_not_applicable=len(rows) - len(kept),
                repeated_cases=_repeats(table, layout.case, kept),
                patients=_shared_patients(table, layout, kept),
                runs=_pooled_runs(table, layout, kept),
            )


def _groups(table: Table, layout: Layout) -> Iterator[tuple[dict[str, Any], NDArray[np.intp]]]:
    names = [*layout.by]
    if layout.metric:
        names += [layout.metric, *(["parameters"] if "parameters" in table else [])]
    if not names:
        yield {}, np.arange(len(table))
        return
    rows: dict[tuple[Any, ...], list[int]] = {}
    columns = (
        _metric_levels(table, name) if name == layout.metric else table.levels(name)
        for name in names
    )
    for row, key in enumerate(zip(*columns, strict=True)):
        rows.setdefault(key, []).append(row)
    for key, own in rows.items():
        yield dict(zip(names, key, strict=True)), np.array(own, dtype=np.intp)


def _applicable(table: Table, layout: Layout, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    if not layout.metric or "status" not in table:
        return np.ones(len(rows), dtype=bool)
    status = table.columns["status"][rows]
    return np.array([_text(cell).strip().lower() != NOT_APPLICABLE for cell in status], dtype=bool)


def _parameters_of(levels: dict[str, Any]) -> str:
    parameters = levels.get("parameters")
    return "" if parameters is None else f":{str(parameters).replace(';', ',')}"


def metrics_in(table: Table, layout: Layout) -> list[str]:
    """The metrics that a canonical table names; none in any other."""
    if layout.metric is None:
        return []
    return list(dict.fromkeys(_metric_levels(table, layout.metric)))


def _metric_levels(table: Table, column: str) -> list[str]:
    """Metric of each row, under one name however it is spelled."""
    texts = [_text(level) for level in table.levels(column)]
    return [METRICS[text].name if text in METRICS else text for text in texts]


def _text(level: Any) -> str:
    return MISSING_LEVEL if level is None else str(level)


def _cases(table: Table, case: str | None, rows: NDArray[np.intp]) -> list[str]:
    if case is None:
        return [f"in row {table.row_number(row)}" for row in rows]
    levels = table.levels(case)
    return [_text(levels[row]) for row in rows]


def _distinct(table: Table, name: str, rows: NDArray[np.intp]) -> int:
    levels = table.levels(name)
    return len({levels[row] for row in rows} - {None})


def _repeats(table: Table, case: str | None, rows: NDArray[np.intp]) -> int:
    if case is None:
        return 0
    levels = table.levels(case)
    known = [levels[row] for row in rows if levels[row] is not None]
    return len(known) - len(set(known))


def _shared_patients(
    table: Table, layout: Layout, rows: NDArray[np.intp]
) -> tuple[str, int] | None:
    clusters = (*PATIENT_COLUMNS, *([CLUSTER_COLUMN] if layout.metric else []))
    for name in clusters:
        if name in table and name != layout.case and name not in (*layout.by, *layout.values):
            levels = _distinct(table, name, rows)
            if 1 < levels < len(rows):
                return name, levels
    return None


def _pooled_runs(table: Table, layout: Layout, rows: NDArray[np.intp]) -> tuple[str, int] | None:
    for name in RUN_COLUMNS:
        if name in table and name not in (*layout.by, *layout.values):
            levels = _distinct(table, name, rows)
            if levels > 1:
                return name, levels
    return None
