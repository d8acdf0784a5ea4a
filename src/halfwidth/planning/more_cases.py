"""How wide the interval of an estimate would be with more cases like those that there are."""

from __future__ import annotations

import math

import numpy as np

from halfwidth.core.types import Array, Level
from halfwidth.planning.assumed_cases import PilotCases
from halfwidth.planning.expected_intervals import ExpectedIntervals
from halfwidth.results.estimate import Estimate

# Fewest cases that say how others would scatter.
FEWEST_CASES = 3
# A report asks of each row three times, and for two digits.
EFFORT = 0.3


def halfwidth_with_more_cases(estimate: Estimate, values: Array, times: int) -> float | None:
    """The mean half-width of studies of so many times the cases, drawn from these.

    By the method and for the statistic of the estimate. Cases that are drawn from n scatter less
    than the population by √((n - 1)/n), which is made up for. None where studies cannot be
    simulated from values: of clusters, of a whole test set, of two models, of one-sided intervals.

    >>> import numpy as np
    >>> from halfwidth import summary_ci
    >>> dice = np.array([0.91, 0.88, 0.93, 0.79, 0.90, 0.92, 0.86, 0.94, 0.89, 0.91])
    >>> now = summary_ci(dice, metric="dsc", method="t")
    >>> round(now.halfwidth, 4), round(halfwidth_with_more_cases(now, dice, 4), 4)
    (0.0309, 0.0137)
    """
    statistic, n = estimate.statistic_spec, len(values)
    simple = estimate.design == "iid" and estimate.level.alternative == "two-sided"
    if not (simple and n == estimate.n and n >= FEWEST_CASES):
        return None
    if statistic.spec.of_records or np.ptp(values) == 0:
        return None
    expected = ExpectedIntervals(
        (PilotCases(np.sort(values)),),
        statistic,
        estimate.method_spec,
        Level(estimate.level.confidence_level),
        estimate.metric_spec.spec.bounds,
        EFFORT,
    )
    width = expected.width_at(times * n)
    return width / 2 * math.sqrt(n / (n - 1)) if math.isfinite(width) else None
