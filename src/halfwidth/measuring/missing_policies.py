"""``missing="all"``: a slice of a table under each missing policy, side by side."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Metric
from halfwidth.core.undefined import (
    ALL_POLICIES,
    Missing,
    Status,
    WithoutResult,
    penalty_for,
)
from halfwidth.data.slice_metrics import SliceMetrics
from halfwidth.estimation.check import scaled_numbers
from halfwidth.estimation.resolve import Request
from halfwidth.io.table import Table
from halfwidth.tables.layout import Layout, Slice, has_status, slices

MissingOrAll = Missing | Literal["all"]
FAILED = frozenset({str(Status.MISSED), str(Status.SPURIOUS)})


@frozen
class Variant:
    """A slice as a missing policy has it."""

    part: Slice
    # As they stand in the table, but missing where the policy is to treat them so.
    values: NDArray[Any]
    metric: Metric
    # With the policy for what is missing.
    request: Request
    # What became of the cases without a result, where policies stand side by side.
    without: WithoutResult | None = None

    @property
    def label(self) -> str:
        """What the row of the result is about."""
        policy = "" if self.without is None else self.without.policy
        return " / ".join(filter(None, (self.part.label, policy)))

    @property
    def place(self) -> str:
        """Where in a table the values stand, for errors."""
        return _place(self.part)


def variants(
    table: Table,
    layout: Layout,
    metrics: SliceMetrics,
    request: Request,
    missing: MissingOrAll,
    scale: float,
) -> Iterator[list[Variant]]:
    """The slices of the metrics to estimate, each under the policy, or under all of them."""
    together = missing == ALL_POLICIES
    wholes = slices(table, layout, as_in_file=True) if together else itertools.repeat(None)
    parts = slices(table, layout, missing=request.missing)
    for part, whole in zip(parts, wholes, strict=False):
        metric = metrics.for_slice(part)
        if metric is None:
            continue
        part.checked()
        policy = replace(request, penalty=metrics.penalty(request.penalty, metric))
        if whole is None:
            yield [Variant(part, part.values, metric, policy)]
            continue
        failed = has_status(table, layout, part.rows, FAILED)
        not_applicable = has_status(table, layout, whole.rows, {Status.NOT_APPLICABLE})
        no_result = has_status(table, layout, whole.rows, FAILED) | not_applicable
        yield [
            *_with_failures_apart(part, metric, policy, failed, scale),
            _as_in_file(whole, metric, policy, no_result, scale),
        ]


def _with_failures_apart(
    part: Slice, metric: Metric, request: Request, failed: NDArray[np.bool_], scale: float
) -> Iterator[Variant]:
    """Without the cases that have no result, and with the worst value for them."""
    numbers = scaled_numbers(part.values, metric, scale, _place(part), part.cases)
    finite = np.isfinite(numbers)
    no_result = ~finite | failed | (numbers == request.penalty)
    values, count = _hidden(part.values, no_result & finite), int(no_result.sum())
    left_out = WithoutResult("omit", left_out=count)
    yield Variant(part, values, metric, replace(request, missing="omit"), left_out)
    worst = penalty_for(metric, request.penalty) if count else None
    counted = WithoutResult("worst", counted=count, lowest=worst, highest=worst)
    yield Variant(part, values, metric, replace(request, missing="worst"), counted)


def _as_in_file(
    whole: Slice, metric: Metric, request: Request, no_result: NDArray[np.bool_], scale: float
) -> Variant:
    """With the values that the table itself gives to cases without a result."""
    numbers = scaled_numbers(whole.values, metric, scale, _place(whole), whole.cases)
    finite = np.isfinite(numbers)
    values = numbers[finite & (no_result | (numbers == request.penalty))]
    become = WithoutResult(
        "file",
        left_out=int((~finite).sum()),
        counted=len(values),
        lowest=float(values.min()) if len(values) else None,
        highest=float(values.max()) if len(values) else None,
    )
    return Variant(whole, whole.values, metric, replace(request, missing="omit"), become)


def _hidden(values: NDArray[Any], rows: NDArray[np.bool_]) -> NDArray[Any]:
    """Values, those of some rows missing."""
    if not rows.any():
        return values
    hidden = values.astype(float if values.dtype.kind == "f" else object)
    hidden[rows] = np.nan
    return hidden


def _place(part: Slice) -> str:
    named = "" if part.metric is None else part.metric + part.parameters
    label = part.label if part.by else ""
    return ", ".join(filter(None, (f"column {part.column!r}", named, label)))
