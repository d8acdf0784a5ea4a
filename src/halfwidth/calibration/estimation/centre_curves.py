"""Calibration curves over centres: their mean, and that of a new one."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from halfwidth.arithmetic.logistic import expit
from halfwidth.arithmetic.probabilities import logit
from halfwidth.calibration.estimation.centres import (
    centre_cautions,
    is_of_one_class,
    reasons_of,
)
from halfwidth.calibration.estimation.curves import (
    CURVE_OF,
    LogOdds,
    histogram,
    smooth_log_odds,
)
from halfwidth.calibration.results.centre_curves import CentreCurve, CentreCurves
from halfwidth.calibration.results.curves import TOP_LABEL
from halfwidth.core.errors import DataError
from halfwidth.core.types import Array, Level
from halfwidth.estimation.functionals import MetricRow, Policies, metric_rows
from halfwidth.estimation.pipeline import Job
from halfwidth.estimation.test_sets.jobs import job_for
from halfwidth.estimation.test_sets.test_set import TestSet
from halfwidth.intervals.random_effects import Pooled, pool
from halfwidth.metrics.names import resolve_sample_metric

# Two curves have no spread to predict a third from.
FEWEST_CURVES = 3
POINTS = 50
# The outermost cases of all, where hardly a centre has any.
OUTER = 0.01


def centre_curves(
    cases: TestSet, parts: Mapping[str, TestSet], average: str | None, level: Level
) -> CentreCurves:
    """Calibration curve of each centre, their mean, and where that of a new centre is expected.

    Of each centre the smooth curve with its own knots: log odds η̂ᵢ(p) with their SE at each of 50
    probabilities p. At each p those of the centres that have cases on both sides of it are pooled
    as slopes are: τ² by restricted maximum likelihood, the interval of the mean by Hartung & Knapp
    with t of k - 1 degrees of freedom, the prediction interval μ ± t √(τ² + SE²) with t of k - 2.
    Ends are then turned into probabilities.
    """
    metric = resolve_sample_metric(CURVE_OF["calibration"])
    averages = None if average is None else [average]
    rows = metric_rows(metric, averages, cases.classes)
    return CentreCurves(tuple(_pooled_curve(row, parts, level) for row in rows))


def _pooled_curve(row: MetricRow, parts: Mapping[str, TestSet], level: Level) -> CentreCurve:
    """The curves of one class."""
    jobs: dict[str, Job] = {}
    one_class = [name for name, part in parts.items() if is_of_one_class(row, part)]
    for name, part in parts.items():
        # What else could be wrong with the cases has been checked: nothing finite fits these.
        with contextlib.suppress(DataError):
            if name not in one_class:
                jobs[name] = job_for(row, part, Policies("omit", "omit"), None)
    x = _grid([job.records.arranged[0] for job in jobs.values()])
    curves = {name: _within(job, x) for name, job in jobs.items()}
    curves = {name: curve for name, curve in curves.items() if np.isfinite(curve.value).any()}
    without = [name for name in parts if name not in curves and name not in one_class]
    if len(curves) < FEWEST_CURVES:
        raise DataError(
            f"{len(curves)} of {len(parts)} centres have a calibration curve, and {FEWEST_CURVES} "
            "or more are needed to pool them" + reasons_of(one_class, without)
        )
    values, variances = (
        np.stack([getattr(curve, name) for curve in curves.values()])
        for name in ("value", "variance")
    )
    counts = np.isfinite(values).sum(axis=0)
    shared = counts >= FEWEST_CURVES
    if not shared.any():
        raise DataError(
            f"no probability lies among the cases of {FEWEST_CURVES} centres, so that their curves "
            "cannot be pooled"
        )
    pooled = [
        _pool_known(value, variance, level)
        for value, variance in zip(values.T[shared], variances.T[shared], strict=True)
    ]
    p, y = np.concatenate([jobs[name].records.arranged[:2] for name in curves], axis=1)
    mean, low, high, new_low, new_high = (
        expit(np.array([getattr(one, end) for one in pooled]))
        for end in ("value", "low", "high", "new_low", "new_high")
    )
    positive = str(next(iter(parts.values())).labels[row.which])
    return CentreCurve(
        row.label or (TOP_LABEL if row.average == "top_label" else positive),
        x[shared],
        mean,
        low,
        high,
        new_low,
        new_high,
        np.array([one.tau for one in pooled]),
        counts[shared],
        tuple(curves),
        expit(values[:, shared]),
        histogram(p, y),
        level.confidence_level,
        len(p),
        int(y.sum()),
        tuple(sorted([*one_class, *without])),
        tuple(centre_cautions("calibration curve", len(curves), len(parts), one_class, without)),
    )


def _grid(probabilities: list[Array]) -> Array:
    """Even steps of log odds over the range of all cases but the outermost."""
    if not probabilities:
        return np.empty(0)
    first, last = logit(np.quantile(np.concatenate(probabilities), [OUTER, 1 - OUTER]))
    return expit(np.unique(np.linspace(first, last, POINTS)))


def _within(job: Job, x: Array) -> LogOdds:
    """The curve of a centre, NaN beyond its cases."""
    p = job.records.arranged[0]
    curve = smooth_log_odds(job, x)
    known = (x >= p.min()) & (x <= p.max()) & (curve.variance > 0) & np.isfinite(curve.variance)
    return replace(
        curve,
        value=np.where(known, curve.value, np.nan),
        variance=np.where(known, curve.variance, np.nan),
    )


def _pool_known(values: Array, variances: Array, level: Level) -> Pooled:
    known = np.isfinite(values)
    return pool(values[known], np.sqrt(variances[known]), level)
