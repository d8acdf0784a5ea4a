"""Calibration curves with bands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.isotonic import TEMPORARIES, Ascending, rising
from halfwidth.arithmetic.logistic import expit
from halfwidth.arithmetic.logistic_fits import regression
from halfwidth.calibration.metrics.bins import WIDTH, bin_of, ece, ece_l2
from halfwidth.calibration.metrics.corp import brier_discrimination, brier_miscalibration
from halfwidth.calibration.metrics.recalibration import (
    calibration_in_the_large,
    calibration_slope,
    ici,
    oe_ratio,
)
from halfwidth.calibration.results.curves import (
    TOP_LABEL,
    CalibrationCurve,
    CalibrationCurves,
    CalibrationKind,
)
from halfwidth.core import rng as draws
from halfwidth.core.checks import one_of
from halfwidth.core.errors import OptionError
from halfwidth.core.forms import LogisticFit
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.types import Array
from halfwidth.estimation.functionals import MetricRow, Policies
from halfwidth.estimation.pipeline import Job, estimate_jobs
from halfwidth.estimation.resolve import Request
from halfwidth.estimation.test_sets.class_context import class_context
from halfwidth.estimation.test_sets.curve_parts import classes_drawn
from halfwidth.estimation.test_sets.jobs import job_for
from halfwidth.estimation.test_sets.test_set import TestSet
from halfwidth.intervals.auc import quantile_factor
from halfwidth.intervals.proportion import clopper_pearson
from halfwidth.metrics.names import resolve_sample_metric
from halfwidth.metrics.proper_scores import brier
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import declared_form
from halfwidth.results.estimate import Estimates

# The numbers that stand on each kind of figure.
SUMMARIES: dict[CalibrationKind, tuple[str, ...]] = {
    "calibration": tuple(
        function.__name__
        for function in (calibration_slope, calibration_in_the_large, oe_ratio, ici)
    ),
    "reliability": tuple(
        function.__name__ for function in (brier, brier_miscalibration, brier_discrimination)
    ),
    "reliability-bins": (ece.__name__, ece_l2.__name__),
}
# The metric of which each is the curve, and whose records are probabilities and outcomes.
CURVE_OF: dict[CalibrationKind, str] = {
    "calibration": ici.__name__,
    "reliability": ece.__name__,
    "reliability-bins": ece.__name__,
}
AVERAGES = ("binary", "none", "top_label")
BINS = 10
COLUMNS = 50
# A band of an isotonic curve is told at so many of its probabilities.
MOST_POINTS = 200
# Resamples of the band of an isotonic curve are this many at most: a curve each is costly.
MOST_CURVES = 1999


def calibration_curves(
    kind: CalibrationKind, cases: TestSet, average: str | None, request: Request
) -> CalibrationCurves:
    """The curve of each class or of the largest probability, with the numbers that stand on it."""
    # Pairs of cases make the debiased error, and pairs within clusters are none.
    plain = cases.groups is None and cases.strata is None
    names = [name for name in SUMMARIES[kind] if plain or name != ece_l2.__name__]
    metrics = [resolve_sample_metric(name) for name in (CURVE_OF[kind], *names)]
    policies, context = Policies("omit", "omit"), class_context(cases, "omit", "")
    called = f"a {kind.partition('-')[0]} curve"
    jobs = [
        [
            job_for(MetricRow(metric, *row, called=called), cases, policies, context)
            for metric in metrics
        ]
        for row in _rows(cases, average)
    ]
    summaries = iter(estimate_jobs([job for _, *own in jobs for job in own], request))
    return CalibrationCurves(
        tuple(
            _curve(kind, job, Estimates(tuple(next(summaries) for _ in own)), request)
            for job, *own in jobs
        )
    )


def _rows(cases: TestSet, average: str | None) -> list[tuple[str, int, str]]:
    """Average, code and label of each curve."""
    if average is not None:
        one_of("average", average, AVERAGES)
    if average == "top_label":
        return [(average, 0, TOP_LABEL)]
    if average == "none":
        return [(average, code, str(label)) for code, label in enumerate(cases.labels)]
    drawn, classes = classes_drawn(cases)
    if average == "binary" and drawn != average:
        raise OptionError(
            f"{spelled('average', 'binary')} needs one positive class of {cases.n_classes}: "
            f"{spelled('pos_label')}"
        )
    return [(drawn, code, str(cases.labels[code])) for code in classes]


@frozen(eq=False)
class _Points:
    """Points of a curve with their band, its corners, and what the points rest on."""

    x: Array
    y: Array
    low: Array
    high: Array
    line: Array
    cases: NDArray[np.intp] | None = None
    n_resamples: int | None = None


def _curve(
    kind: CalibrationKind, job: Job, summaries: Estimates, request: Request
) -> CalibrationCurve:
    p, y = job.records.arranged
    points = POINTS[kind](job, request)
    return CalibrationCurve(
        kind=kind,
        label=job.label or TOP_LABEL,
        x=points.x,
        y=points.y,
        low=points.low,
        high=points.high,
        cases=points.cases,
        line=points.line,
        histogram=histogram(p, y),
        confidence_level=request.level.confidence_level,
        n=len(p),
        n_positive=int(y.sum()),
        n_groups=job.records.n_groups,
        n_resamples=points.n_resamples,
        seed=request.seed,
        design=job.records.design_name,
        summaries=summaries,
        no_curve=job.no_value if kind == "calibration" else "",
    )


def histogram(p: Array, y: Array) -> NDArray[np.intp]:
    """Cases without and with the class in fiftieths of the range of probabilities, (2, 50)."""
    column = bin_of(p, COLUMNS, WIDTH)
    return np.stack([np.bincount(column[y == one], minlength=COLUMNS) for one in (0, 1)])


# --------------------------------------------------------------------------- bins


def _points_of_bins(job: Job, request: Request) -> _Points:
    """Points of the bins that have cases; without intervals where cases come in clusters."""
    p, y = job.records.arranged
    place = bin_of(p, BINS, WIDTH)
    cases = np.bincount(place, minlength=BINS)
    some = cases > 0
    cases, hits = cases[some], np.bincount(place, y, minlength=BINS)[some]
    x = np.bincount(place, p, minlength=BINS)[some] / cases
    interval = clopper_pearson(hits, cases, request.level)
    low, high = _unless_clustered(job, interval.low, interval.high)
    line = np.column_stack([x, hits / cases])
    return _Points(x, line[:, 1], low, high, line, cases)


def _unless_clustered(job: Job, low: Array, high: Array) -> tuple[Array, Array]:
    """Ends that suppose independent cases; NaN of clusters, among which they would be too near."""
    if job.records.design.sizes is None:
        return low, high
    return np.full_like(low, np.nan), np.full_like(high, np.nan)


# --------------------------------------------------------------------------- isotonic


def _points_of_isotonic(job: Job, request: Request) -> _Points:
    """The curve at some of its probabilities, and where that of a calibrated model would lie."""
    p, y = job.records.arranged
    distinct, cases = np.unique(p, return_counts=True)
    ascending, drawn = Ascending.from_probabilities(p), min(request.n_resamples, MOST_CURVES)

    def isotonic_shares(rows: Array) -> Array:
        hits = ascending.sums(rows.astype(float))
        return rising(hits, np.broadcast_to(cases, hits.shape))

    fitted, shown = isotonic_shares(y[None])[0], _spread(len(distinct))
    key = draws.derive_key(request.seed, "calibrated outcomes")
    blocks = Plan(request.seed, drawn).blocks(TEMPORARIES * len(p))
    curves = np.concatenate(
        [isotonic_shares(draws.uniforms(key, *block, len(p)) < p)[:, shown] for block in blocks]
    )
    tail = request.level.tail
    low, high = np.quantile(curves, [tail, 1 - tail], axis=0)
    low, high = _unless_clustered(job, low, high)
    x, y_there = distinct[shown], fitted[shown]
    # Where the curve is level, only its ends are corners.
    level = np.flatnonzero(np.diff(fitted)) + 1
    ends = np.unique(np.concatenate([[0], level - 1, level, [len(fitted) - 1]]))
    return _Points(
        x, y_there, low, high, np.column_stack([distinct[ends], fitted[ends]]), None, drawn
    )


def _spread(count: int) -> NDArray[np.intp]:
    """Places from the first to the last, not more than are told."""
    return np.unique(np.linspace(0, count - 1, MOST_POINTS).round().astype(np.intp))


# --------------------------------------------------------------------------- smooth


@frozen(eq=False)
class LogOdds:
    """The smooth curve of some cases at some probabilities, on the scale of log odds."""

    # NaN where the curve has no single finite fit.
    value: Array
    variance: Array
    # Of freedom, infinite for independent cases.
    degrees: float


def smooth_log_odds(job: Job, at: Array) -> LogOdds:
    """The curve of ICI, with the variance of the model, or of clusters the linearised one."""
    records = job.records.arranged
    weights = records[2:] if len(records) > 2 else np.ones((1, records.shape[1]))
    # Where the curve is wanted stand further cases, that have no weight.
    shown = np.stack([at, np.zeros(len(at)), np.zeros(len(at))])
    form = replace(declared_form(job.functional.statistic, LogisticFit), weighted=True)
    fit = regression(form, np.concatenate([np.vstack([records[:2], weights]), shown], axis=1))
    n = records.shape[1]
    terms = fit.terms[:, n:]
    design = job.records.design
    covariance, degrees = fit.fitted.covariance, np.inf
    if design.independent and len(records) == 2:
        variance = np.einsum("kp,kl,lp->p", terms, covariance, terms)
    else:
        influence = terms.T @ covariance @ fit.scores()[:, :n]
        variance = design.variance_of_total(design.totals(influence))
        degrees = design.effective_degrees
    return LogOdds(fit.fitted.coefficients @ terms, variance, degrees)


def _points_of_smooth(job: Job, request: Request) -> _Points:
    """The curve of ICI with Wald intervals on the logit scale, as of the calibration slope."""
    distinct = np.unique(job.records.arranged[0])
    x = distinct[_spread(len(distinct))]
    curve = smooth_log_odds(job, x)
    reach = quantile_factor(curve.degrees, request.level) * np.sqrt(curve.variance)
    y, low, high = (expit(curve.value + far) for far in (0.0, -reach, reach))
    return _Points(x, y, low, high, np.column_stack([x, y]))


POINTS: dict[CalibrationKind, Callable[[Job, Request], _Points]] = {
    "reliability-bins": _points_of_bins,
    "reliability": _points_of_isotonic,
    "calibration": _points_of_smooth,
}
