"""The public function for calibration curves over centres: their mean, and that of a new one."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from halfwidth.arithmetic.logistic import expit
from halfwidth.arithmetic.probabilities import logit
from halfwidth.core.errors import DataError
from halfwidth.core.types import Array, Level
from halfwidth.core.undefined import Missing
from halfwidth.estimation.functionals import MetricRow, Policies, metric_rows
from halfwidth.estimation.pipeline import Job
from halfwidth.estimation.resolve import AUTO
from halfwidth.estimation.test_sets.calibration_curves import (
    CURVE_OF,
    LogOdds,
    histogram,
    smooth_log_odds,
)
from halfwidth.estimation.test_sets.centres import (
    centre_cautions,
    centre_parts,
    is_of_one_class,
    reasons_of,
)
from halfwidth.estimation.test_sets.curve_parts import plain_request
from halfwidth.estimation.test_sets.jobs import job_for
from halfwidth.estimation.test_sets.metric_names import resolve_sample_metric
from halfwidth.estimation.test_sets.score_scales import Scores
from halfwidth.estimation.test_sets.test_set import TestSet
from halfwidth.intervals.random_effects import Pooled, pool
from halfwidth.results.calibration_curves import TOP_LABEL
from halfwidth.results.centre_curves import CentreCurve, CentreCurves

# Two curves have no spread to predict a third from.
FEWEST_CURVES = 3
POINTS = 50
# The outermost cases of all, where hardly a centre has any.
OUTER = 0.01


def calibration_curve_by_centre(
    y_true: Any,
    y_prob: Any,
    centre: Any,
    *,
    average: Any = None,
    labels: Sequence[Any] | None = None,
    pos_label: Any = None,
    scores: Scores = "auto",
    sample_weight: Any = None,
    groups: Any = None,
    confidence_level: float = 0.95,
    missing: Missing = "raise",
    names: tuple[str, str] = ("y_true", "y_prob"),
) -> CentreCurves:
    """Calibration curve of each centre, their mean, and where that of a new centre is expected.

    Of each centre the calibration curve of `curve`, with its own knots: log odds η̂ᵢ(p)
    with their SE at each of 50 probabilities p. At each p those of the centres that have cases on
    both sides of it are pooled as `calibration_by_centre` pools slopes: τ² by restricted maximum
    likelihood, the interval of the mean by Hartung & Knapp with t of k - 1 degrees of freedom, the
    prediction interval μ ± t √(τ² + SE²) with t of k - 2. Ends are then turned into probabilities.

    Parameters
    ----------
    y_true, y_prob
        As for `calibration_test`.
    centre : array-like, shape (n,)
        The centre of each case.
    average : {"binary", "none", "top_label"}, optional
        As for `calibration_test`.
    labels, pos_label, scores, sample_weight, missing, names
        As for `metric_ci`.
    groups : array-like, shape (n,), optional
        Cluster (patient) of each case, within its centre.
    confidence_level : float, default 0.95
        Of each point.

    Returns
    -------
    CentreCurves
        One per class. A centre whose cases are of one class, or where nothing finite fits, is left
        out, and named in ``left_out`` and in a caution.

    Raises
    ------
    DataError
        As `calibration_by_centre`; where fewer than three centres have a curve, or no probability
        lies among the cases of three.
    OptionError
        For an option that is not allowed.

    See Also
    --------
    halfwidth.plots.calibration : the figure.

    References
    ----------
    De Cock Campo, Barreñada et al. (2025) for curves pooled over centres; Viechtbauer (2005);
    Hartung & Knapp (2001); Higgins, Thompson & Spiegelhalter (2009).

    Examples
    --------
    >>> import halfwidth as hw
    >>> import numpy as np
    >>> g = np.random.default_rng(1)
    >>> centre, p = np.repeat(list("abcdef"), 200), g.uniform(0.05, 0.95, 1200)
    >>> (curve,) = hw.calibration_curve_by_centre(g.random(1200) < p, p, centre)
    >>> curve
    CentreCurve of 'True' (50 points, 6 centres, n = 1200)
    """
    request = plain_request(AUTO, confidence_level, None, 0, missing)
    cases, parts = centre_parts(
        y_true,
        y_prob,
        centre,
        labels=labels,
        pos_label=pos_label,
        scores=scores,
        sample_weight=sample_weight,
        groups=groups,
        missing=missing,
        names=names,
    )
    metric = resolve_sample_metric(CURVE_OF["calibration"])
    averages = None if average is None else [average]
    return CentreCurves(
        tuple(
            _pooled_curve(row, parts, request.level)
            for row in metric_rows(metric, averages, cases.classes)
        )
    )


def _pooled_curve(row: MetricRow, parts: dict[str, TestSet], level: Level) -> CentreCurve:
    """The curves of one class."""
    jobs: dict[str, Job] = {}
    one_class = [name for name, part in parts.items() if is_of_one_class(row, part)]
    for name, part in parts.items():
        # What else could be wrong with the cases has been checked: nothing finite fits these.
        with contextlib.suppress(DataError):
            if name not in one_class:
                jobs[name] = job_for(row, part, Policies("omit", "omit"), None)
    x = _grid([job.records.arranged[0] for job in jobs.values()])
    found = {name: _within(job, x) for name, job in jobs.items()}
    found = {name: curve for name, curve in found.items() if np.isfinite(curve.value).any()}
    without = [name for name in parts if name not in found and name not in one_class]
    if len(found) < FEWEST_CURVES:
        raise DataError(
            f"{len(found)} of {len(parts)} centres have a calibration curve, and {FEWEST_CURVES} "
            "or more are needed to pool them" + reasons_of(one_class, without)
        )
    values, variances = (
        np.stack([getattr(curve, name) for curve in found.values()])
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
    p, y = np.concatenate([jobs[name].records.arranged[:2] for name in found], axis=1)
    mean, low, high, new_low, new_high = (
        expit(np.array([getattr(one, end) for one in pooled]))
        for end in ("value", "low", "high", "new_low", "new_high")
    )
    return CentreCurve(
        row.label or (TOP_LABEL if row.average == "top_label" else _positive(row, parts)),
        x[shared],
        mean,
        low,
        high,
        new_low,
        new_high,
        np.array([one.tau for one in pooled]),
        counts[shared],
        tuple(found),
        expit(values[:, shared]),
        histogram(p, y),
        level.confidence_level,
        len(p),
        int(y.sum()),
        tuple(sorted([*one_class, *without])),
        tuple(centre_cautions("calibration curve", len(found), len(parts), one_class, without)),
    )


def _positive(row: MetricRow, parts: dict[str, TestSet]) -> str:
    return str(next(iter(parts.values())).labels[row.which])


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
