"""The range of the errors of a regression, which the user knows and the metric does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Metric, Takes
from halfwidth.core.types import Array
from halfwidth.metrics.names import CustomMetric, resolve_metric


def within_bounds(
    metrics: Sequence[Metric | CustomMetric], bounds: Any
) -> list[Metric | CustomMetric]:
    """The metrics with the range that the user gives, if any, of one metric of a regression."""
    if bounds is None:
        return list(metrics)
    first = metrics[0]
    if len(metrics) > 1:
        raise OptionError(
            f"{spelled('bounds')} is the range of one metric, not of {len(metrics)}; make a call "
            "for each"
        )
    if not isinstance(first, Metric) or first.spec.takes is not Takes.NUMBERS:
        name = first.spec.name if isinstance(first, Metric) else first.metric.spec.name
        raise OptionError(
            f"{spelled('bounds')} has no effect on {name}; in a test set it is for errors of "
            "predicted numbers: mae, mse, rmse, r2"
        )
    return [resolve_metric(first, bounds)]


def check_errors(metric: Metric | CustomMetric, numbers: Array) -> None:
    """Refuse targets and predictions, (2, n), with an error outside the bounds of the metric."""
    if not isinstance(metric, Metric):
        return
    target, predicted = numbers[:, :, None]
    bounds = metric.spec.bounds
    with np.errstate(invalid="ignore", divide="ignore"):
        alone = np.asarray(metric.function(target, predicted), float)
    outside = np.flatnonzero((alone < bounds.low) | (alone > bounds.high))
    if len(outside):
        first = int(outside[0])
        raise DataError(
            f"the {metric.spec.title} of case {first + 1} is {alone[first]:g}, outside the given "
            f"bounds {bounds}; {len(outside)} such case(s)"
        )
