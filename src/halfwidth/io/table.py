"""What a table of per-case values means: which columns are values, groups, cases.

A wide table has a column per structure; a long one has one value column and columns to group by;
the canonical long table names its columns ``case, metric, value`` and needs no options.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.errors import DataError, OptionError, UnknownNameError, quoted, shortened

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CASE_COLUMNS", "Layout", "Slice", "layout_of", "slices"]

CASE_COLUMNS = ("case", "case_id", "id", "subject", "patient", "name", "filename")
PATIENT_COLUMNS = ("patient", "patient_id", "subject", "subject_id", "group")
RUN_COLUMNS = ("fold", "seed", "run")
CANONICAL_BY = ("model", "task", "label")
NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True)
class Layout:
    """The part each column plays.

    Attributes
    ----------
    columns : tuple of str
        Value columns.
    by : tuple of str
        Columns whose levels are estimated apart.
    case : str or None
    metric : str or None
        Column that names the metric of each row (canonical tables).
    left_out : tuple of str
        Columns passed over when value columns were looked for, with the reason.
    """

    columns: tuple[str, ...]
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
    values : Series
        As they stand in the table.
    cases : list of str
        Case ids, or row numbers where the table has none.
    metric : str or None
        What a canonical table calls the metric, with its parameters.
    n_not_applicable : int
        Rows left out because the metric does not apply to them.
    repeated_cases : int
        Rows beyond the first of their case.
    patients, runs : tuple or None
        ``(column, levels)`` of a patient or run column that has several cases per level, or
        several levels.
    """

    label: str
    by: Mapping[str, Any]
    column: str
    values: Any
    cases: list[str]
    metric: str | None
    n_not_applicable: int
    repeated_cases: int
    patients: tuple[str, int] | None
    runs: tuple[str, int] | None


def layout_of(
    frame: pd.DataFrame,
    values: Sequence[str] | None = None,
    by: Sequence[str] | None = None,
    case: str | None = None,
) -> Layout:
    """The layout of a table, from what the user said and what the columns are called.

    Raises
    ------
    UnknownNameError
        For a column that is not there; proposes the nearest.
    DataError
        If there is no numeric column to estimate.
    """
    columns = [str(name) for name in frame.columns]
    for name in [*(values or ()), *(by or ()), *([case] if case else [])]:
        if name not in columns:
            raise UnknownNameError("column", name, columns)
    case = case or next((name for name in CASE_COLUMNS if name in columns), None)
    both = set(values or ()) & set(by or ())
    if both:
        raise OptionError(f"column(s) {quoted(sorted(both))} cannot be values and groups at once")
    canonical = (
        values is None and {"metric", "value"} <= set(columns) and not _numeric(frame["metric"])
    )
    if canonical:
        # What by= names is not a case id, and what a canonical table groups by is grouped by.
        known = [name for name in CANONICAL_BY if name in columns]
        groups = tuple(dict.fromkeys([*(by if by is not None else known)]))
        return Layout(("value",), groups, case, metric="metric")
    groups = tuple(dict.fromkeys(by or ()))
    if case in groups or (values and case in values):
        case = None
    if values:
        return Layout(tuple(dict.fromkeys(values)), groups, case)
    return _numeric_columns(frame, columns, groups, case)


def _numeric(series: pd.Series) -> bool:
    return series.dtype.kind in "biuf"


def _numeric_columns(
    frame: pd.DataFrame, columns: list[str], by: tuple[str, ...], case: str | None
) -> Layout:
    found, left_out = [], []
    for name in columns:
        if name == case or name in by:
            continue
        if name.startswith("Unnamed:") or name in (*PATIENT_COLUMNS, *RUN_COLUMNS, "stratum"):
            left_out.append(f"{name!r} (index or design)")
        elif not _numeric(frame[name]) and not frame[name].isna().all():
            left_out.append(f"{name!r} (text)")
        else:
            found.append(name)
    if not found:
        raise DataError(
            f"no numeric column to estimate; the table has {shortened(columns)}. "
            "Name the column with values"
        )
    return Layout(tuple(found), by, case, left_out=tuple(left_out))


def slices(frame: pd.DataFrame, layout: Layout) -> Iterator[Slice]:
    """The samples of a table, groups in order of appearance, columns in their order."""
    several = len(layout.columns) > 1
    for levels, group in _groups(frame, layout):
        by = {name: level for name, level in levels.items() if name != layout.metric}
        metric = _metric_of(levels, layout)
        kept = group
        if "status" in group.columns and layout.metric:
            kept = group[group["status"].astype(str).str.strip().str.lower() != NOT_APPLICABLE]
        for column in layout.columns:
            levels_text = [_text(level) for level in by.values()]
            show_column = several or not (by or layout.metric)
            parts = [*levels_text, *([column] if show_column else [])]
            yield Slice(
                label=" / ".join(parts),
                by=by,
                column=column,
                values=kept[column],
                cases=_cases(kept, layout.case),
                metric=metric,
                n_not_applicable=len(group) - len(kept),
                repeated_cases=int(kept[layout.case].duplicated().sum()) if layout.case else 0,
                patients=_shared_patients(kept, layout),
                runs=_pooled_runs(kept, layout),
            )


def _groups(frame: pd.DataFrame, layout: Layout) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    names = [*layout.by, *([layout.metric] if layout.metric else [])]
    if layout.metric and "parameters" in frame.columns:
        names.append("parameters")
    if not names:
        yield {}, frame
        return
    for key, group in frame.groupby(names, sort=False, dropna=False):
        yield dict(zip(names, key, strict=True)), group


def _metric_of(levels: dict[str, Any], layout: Layout) -> str | None:
    if layout.metric is None:
        return None
    parameters = levels.pop("parameters", None)
    name = _text(levels[layout.metric])
    if _absent(parameters) or not str(parameters).strip():
        return name
    return f"{name}:{str(parameters).replace(';', ',')}"


def _text(level: Any) -> str:
    return "(missing)" if _absent(level) else str(level)


def _absent(level: Any) -> bool:
    """None, NaN and NA alike; only the latter two differ from themselves or compare as NA."""
    import pandas as pd

    return bool(pd.isna(level))


def _cases(group: pd.DataFrame, case: str | None) -> list[str]:
    if case is None:
        # Row numbers as a spreadsheet counts them, below the header.
        return [f"in row {position + 2}" for position in np.asarray(group.index)]
    return [_text(level) for level in group[case]]


def _shared_patients(group: pd.DataFrame, layout: Layout) -> tuple[str, int] | None:
    for name in PATIENT_COLUMNS:
        if name in group.columns and name != layout.case and name not in layout.by:
            levels = int(group[name].nunique())
            if 0 < levels < len(group) and levels > 1:
                return name, levels
    return None


def _pooled_runs(group: pd.DataFrame, layout: Layout) -> tuple[str, int] | None:
    for name in RUN_COLUMNS:
        if name in group.columns and name not in (*layout.by, *layout.columns):
            levels = int(group[name].nunique())
            if levels > 1:
                return name, levels
    return None
