"""The pilots in a table: a column, or each group of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, OptionError, shortened, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import MetricSpec
from halfwidth.core.types import Array
from halfwidth.data.case_values import CaseValues
from halfwidth.estimation.check import as_numbers
from halfwidth.io.table import Table
from halfwidth.metrics.all_metrics import METRICS
from halfwidth.metrics.names import resolve_metric
from halfwidth.tables.layout import (
    Layout,
    Slice,
    metrics_in,
    not_applicable_note,
    slices,
)


@frozen
class Pilot:
    """Values of one pilot."""

    label: str
    column: str
    # As in the table.
    values: NDArray[Any]
    # The metric of the call, or the one that the table names.
    metric: Any
    # Cluster and stratum of each value.
    groups: list[Any] | None
    strata: list[Any] | None
    # Rows that are left out, and pooled ones.
    notes: tuple[str, ...]
    # Whether rows belong together that are not of one cluster.
    repeats: bool


def pilots_in(
    table: Table, layout: Layout, *, metric: Any = None, missing: Any = "omit"
) -> list[Pilot]:
    """The pilots of a table: the only column of values, at each combination of levels."""
    if len(layout.values) > 1:
        raise OptionError(
            f"the table has several numeric columns ({shortened(layout.values)}); name the one "
            f"that is meant: {spelled('value')}"
        )
    every = slices(table, layout, missing=missing)
    parts = [part.checked() for part in every if _has_metric(part, metric)]
    if not parts:
        held = shortened(metrics_in(table, layout))
        raise DataError(f"no rows of metric {shown(metric)} in the table; it holds {held}")
    return [_pilot(part, metric, alone=len(parts) == 1) for part in parts]


def pilot_differences_in(
    frame: Any,
    values: Sequence[str] | None = None,
    *,
    model: str | None = None,
    case: str | None = None,
    metric: str | None = None,
) -> Array:
    """Differences within the cases of a table of two models, the first less the second.

    The models are two columns, or the two levels of a column, whose rows are of the same case where
    they have the same id. Cases that either model lacks are an error.
    """
    tables = CaseValues.from_table(frame, values, model=model, case=case).tables
    (source,) = tables.sources
    table, layout = source.table, tables.layout(source, values)
    every = slices(table, layout, missing="raise")
    parts = [part.checked() for part in every if _has_metric(part, metric)]
    if len(parts) != 2:
        raise OptionError(
            f"the pilot holds {len(parts)} model(s), and a difference is of two: name two columns "
            f"({spelled('values', ['new', 'old'])}) or the column that tells two models apart "
            f"({spelled('model', 'network')})"
        )
    keys: list[Sequence[Any]] = [part.rows.tolist() for part in parts]
    if tables.apart(source):
        if layout.case is None:
            raise OptionError(
                f"no column says which rows are of the same case: name it, {spelled('case')}"
            )
        levels = table.levels(layout.case)
        keys = [[levels[row] for row in rows] for rows in keys]
    numbers = [as_numbers(part.values, f"pilot {part.label or part.column}") for part in parts]
    first, second = (
        dict(zip(own, column, strict=True)) for own, column in zip(keys, numbers, strict=True)
    )
    if first.keys() != second.keys() or [len(first), len(second)] != [len(own) for own in keys]:
        raise DataError("each case of the pilot needs one value of either model")
    return np.array([first[key] - second[key] for key in first])


def _has_metric(part: Slice, metric: Any) -> bool:
    if part.metric is None or metric is None:
        return True
    if not isinstance(metric, str):
        return part.metric == resolve_metric(metric, None).spec.name
    name = metric.partition(":")[0]
    return part.metric == (METRICS[name].name if name in METRICS else name)


def _pilot(part: Slice, metric: Any, *, alone: bool) -> Pilot:
    named: Any = metric
    if part.metric is not None and part.metric not in METRICS:
        # As of any table: a metric of the user's own has no range until one is given.
        named = MetricSpec(part.metric)
    elif part.metric is not None and (metric is None or ":" not in str(metric)):
        named = part.metric + part.parameters
    notes = not_applicable_note([part])
    if pooled_runs := part.repeats.runs or part.repeats.folds:
        column, _ = pooled_runs
        notes.append(f"rows of several levels of {column!r} are pooled as cases")
    return Pilot(
        "" if alone else part.label,
        part.column,
        np.asarray(part.values),
        named,
        part.groups,
        part.strata,
        tuple(notes),
        repeats=bool(part.repeats.cases or part.repeats.shared),
    )
