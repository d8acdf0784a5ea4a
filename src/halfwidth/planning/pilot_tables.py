"""The pilots in a table: a column, or each group of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, OptionError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import MetricSpec
from halfwidth.io.layout import (
    Slice,
    layout_of,
    metrics_in,
    not_applicable_note,
    pooled_models,
    slices,
)
from halfwidth.io.table import Table
from halfwidth.metrics.catalogue import METRICS


@frozen
class Pilot:
    """Values of one pilot.

    Attributes
    ----------
    label : str
    column : str
    values : ndarray
        As in the table.
    metric : str, MetricSpec or None
        The given metric, or the one that the table names.
    notes : tuple of str
        Why its cases may not be independent.
    """

    label: str
    column: str
    values: NDArray[Any]
    metric: Any
    notes: tuple[str, ...]


def pilots_in(
    frame: Any,
    value: str | None = None,
    *,
    by: Sequence[str] = (),
    case: str | None = None,
    metric: str | None = None,
    missing: Any = "omit",
) -> list[Pilot]:
    """The pilots of a table: the value column, split by group.

    Raises
    ------
    UnknownNameError
        For an unknown column.
    OptionError
        If several columns could be meant.
    DataError
        If the table does not hold the metric.

    Examples
    --------
    >>> table = {"model": ["a", "b", "a"], "dice": [0.9, 0.8, 0.7]}
    >>> [(pilot.label, len(pilot.values)) for pilot in pilots_in(table, by=["model"])]
    [('a', 2), ('b', 1)]
    """
    table = Table.from_frame(frame)
    layout = layout_of(table, None if value is None else [value], list(by) or None, case)
    if len(layout.values) > 1:
        raise OptionError(
            f"the table has several numeric columns ({shortened(layout.values)}); name the one "
            "that is meant: --value COLUMN"
        )
    parts = [part for part in slices(table, layout, missing=missing) if _has_metric(part, metric)]
    if not parts:
        held = shortened(metrics_in(table, layout))
        raise DataError(f"no rows of metric {metric!r} in the table; it holds {held}")
    pooled = pooled_models(table, layout)
    return [_pilot(part, metric, pooled, alone=len(parts) == 1) for part in parts]


def _has_metric(part: Slice, metric: str | None) -> bool:
    if part.metric is None or metric is None:
        return True
    name = metric.partition(":")[0]
    return part.metric == (METRICS[name].name if name in METRICS else name)


def _pilot(part: Slice, metric: str | None, pooled: Sequence[str], *, alone: bool) -> Pilot:
    named: Any = metric
    if part.metric is not None and part.metric not in METRICS:
        # As of any table: a metric of the user's own has no range until one is given.
        named = MetricSpec(part.metric)
    elif part.metric is not None and (metric is None or ":" not in metric):
        named = part.metric + part.parameters
    notes = [*pooled, *not_applicable_note([part])]
    if part.repeats.cases or part.repeats.shared is not None:
        notes.append("cases repeat; all rows are drawn as if they were independent")
    if pooled_runs := part.repeats.runs or part.repeats.folds:
        column, _ = pooled_runs
        notes.append(f"rows of several levels of {column!r} are pooled as cases")
    if part.groups is not None:
        notes.append("clusters are not kept together: more cases are needed where they matter")
    return Pilot(
        "" if alone else part.label, part.column, np.asarray(part.values), named, tuple(notes)
    )
