"""Decision curves: the net benefit of acting on a model, at each threshold of its probabilities."""

from __future__ import annotations

import numpy as np

from halfwidth.core.types import Array
from halfwidth.estimation.functionals import MetricRow, Policies
from halfwidth.estimation.pipeline import Job
from halfwidth.estimation.resolve import Request
from halfwidth.estimation.test_sets.class_context import class_context
from halfwidth.estimation.test_sets.curve_parts import GRID, STEPS, classes_drawn, too_few_clusters
from halfwidth.estimation.test_sets.jobs import job_for
from halfwidth.estimation.test_sets.test_set import TestSet
from halfwidth.intervals.bootstrap import percentile
from halfwidth.metrics.names import resolve_sample_metric
from halfwidth.metrics.proper_scores import brier_skill
from halfwidth.resampling.distribution import Replicates
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.weights.bootstrap import count_blocks
from halfwidth.results.curves import Curve, Curves

# The metric whose records are probabilities and outcomes.
RECORDS_OF = brier_skill.__name__
# At a threshold of 1 a false alarm would cost more than any hit is worth.
THRESHOLDS: Array = GRID[:-1] / STEPS


def decision_curves(cases: TestSet, request: Request) -> Curves:
    """Net benefit TP/n - FP/n · t/(1 - t) at thresholds t, with pointwise percentile bands."""
    policies, context = Policies("omit", "omit"), class_context(cases, "omit", "")
    metric = resolve_sample_metric(RECORDS_OF)
    average, classes = classes_drawn(cases)
    rows = [
        MetricRow(metric, average, which, str(cases.labels[which]), "a decision curve")
        for which in classes
    ]
    return Curves(tuple(_curve(job_for(row, cases, policies, context), request) for row in rows))


def net_benefits(p: Array, y: Array) -> Array:
    """What each case adds to the net benefit at each threshold, two of (n,) -> (n, T).

    >>> net_benefits(np.array([0.5, 0.5]), np.array([1.0, 0.0]))[:, [0, 50, 100, 101]].round(2)
    array([[ 1.  ,  1.  ,  1.  ,  0.  ],
           [-0.  , -0.33, -1.  , -0.  ]])
    """
    cost = THRESHOLDS / (1 - THRESHOLDS)
    return np.asarray((p[:, None] >= THRESHOLDS) * np.where(y[:, None] == 1, 1.0, -cost))


def _curve(job: Job, request: Request) -> Curve:
    design, (p, y) = job.records.design, job.records.arranged
    unit_benefits = design.totals(net_benefits(p, y).T).T
    plan = Plan(request.seed, request.n_resamples)
    heights = np.empty((len(THRESHOLDS), request.n_resamples))
    for start, stop, counts in count_blocks(design, plan, 4 * max(design.n, len(THRESHOLDS))):
        times = counts.astype(float)
        heights[:, start:stop] = (times @ unit_benefits / (times @ design.unit_sizes)[:, None]).T
    height = unit_benefits.sum(axis=0) / design.n
    interval = percentile(Replicates.sorting(heights), request.level)
    none = too_few_clusters(job)
    low, high = (np.where(none, np.nan, end) for end in (interval.low, interval.high))
    return Curve(
        kind="decision",
        label=job.label,
        x=THRESHOLDS,
        y=height,
        low=low,
        high=high,
        confidence_level=request.level.confidence_level,
        n=len(p),
        n_positive=int(y.sum()),
        n_groups=job.records.n_groups,
        n_resamples=request.n_resamples,
        n_undefined=0,
        seed=request.seed,
        design=job.records.design_name,
        line=np.column_stack([THRESHOLDS, height]),
    )
