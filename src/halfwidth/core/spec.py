"""Specs: what a metric, a summary statistic or a CI method is, declared once.

A spec is a frozen value attached to a plain function by a decorator that returns the same
function. Command-line choices, documentation tables, cautions and tests derive from specs. All
that a declaration is written with is imported from here.
"""

from __future__ import annotations

from halfwidth.core.declaring import spec_of
from halfwidth.core.kinds import (
    ENLARGED,
    OF_INVERTED_TESTS,
    Better,
    ClassNeed,
    Estimand,
    Kind,
    MetricLevel,
    Need,
    Promise,
    Takes,
    Transform,
)
from halfwidth.core.method_spec import MethodSpec, Unanswered, interval_method
from halfwidth.core.metric_spec import Metric, MetricSpec, metric
from halfwidth.core.statistic_spec import (
    Statistic,
    StatisticSpec,
    range_of_gaps,
    range_of_values,
    statistic,
)
