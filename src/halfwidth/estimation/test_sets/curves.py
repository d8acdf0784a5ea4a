"""ROC and precision-recall curves with bands."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.ranked_scores import cumulated, group_of_entries
from halfwidth.core.forms import RankedAreas, Ranking
from halfwidth.core.frozen import frozen
from halfwidth.core.rng import derive_key
from halfwidth.core.spec import Metric
from halfwidth.core.types import Array, Numbers
from halfwidth.estimation.functionals import MetricRow, Policies
from halfwidth.estimation.pipeline import Job, estimate_jobs
from halfwidth.estimation.resolve import Request
from halfwidth.estimation.test_sets.class_context import class_context
from halfwidth.estimation.test_sets.curve_heights import drawn_heights
from halfwidth.estimation.test_sets.curve_lines import curve_line
from halfwidth.estimation.test_sets.curve_parts import (
    GRID,
    STEPS,
    classes_drawn,
    too_few_clusters,
)
from halfwidth.estimation.test_sets.decision_curves import decision_curves
from halfwidth.estimation.test_sets.jobs import job_for
from halfwidth.estimation.test_sets.test_set import TestSet
from halfwidth.intervals.bootstrap import percentile
from halfwidth.metrics.all_metrics import SAMPLE_METRICS
from halfwidth.metrics.ranking import auroc, average_precision
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import declared_form
from halfwidth.resampling.tails import as_distribution
from halfwidth.resampling.weights.bootstrap import count_blocks
from halfwidth.results.curves import Curve, CurveKind, Curves
from halfwidth.results.estimate import Estimate

AREA_OF = {"roc": auroc.__name__, "pr": average_precision.__name__}
# Thresholds and cases of which it takes less to look a few up than to count them all.
MANY = 2000
# Replicates of heights that are kept at once, 256 MiB: more classes draw the same units again.
MOST_HEIGHTS = 2**25
# From so many independent cases on, drawing at each place of the grid takes less than resamples do.
MANY_CASES = 20_000


def class_curves(kind: CurveKind, cases: TestSet, request: Request) -> Curves:
    """The curve of the positive class, or of each against the rest.

    At each of 201 false positive rates (ROC) or recalls (PR) the band is the interval of the height
    there, from the draws of the area under the curve.
    """
    if kind == "decision":
        return decision_curves(cases, request)
    jobs = _area_jobs(kind, cases)
    areas = estimate_jobs(jobs, request)
    bands = _bands(kind, jobs, request)
    parts = zip(jobs, areas, bands, strict=True)
    return Curves(tuple(_curve(kind, job, area, band, request) for job, area, band in parts))


def _area_jobs(kind: CurveKind, cases: TestSet) -> list[Job]:
    """The area under the curve of each requested class, with its records."""
    metric = Metric(SAMPLE_METRICS[AREA_OF[kind]])
    policies = Policies("omit", "omit")
    context = class_context(cases, "omit", "")
    average, classes = classes_drawn(cases)
    return [
        job_for(
            MetricRow(metric, average, which, str(cases.labels[which]), "the curve"),
            cases,
            policies,
            context,
        )
        for which in classes
    ]


def _curve(kind: CurveKind, job: Job, area: Estimate, band: _Band, request: Request) -> Curve:
    return Curve(
        kind=kind,
        label=job.label,
        x=band.x,
        y=band.y,
        low=band.low,
        high=band.high,
        confidence_level=area.confidence_level,
        n=area.n,
        n_positive=band.positives,
        n_groups=area.n_groups,
        n_resamples=request.n_resamples,
        n_undefined=band.undefined,
        seed=request.seed,
        design=area.design,
        line=band.line,
        area=area,
    )


# --------------------------------------------------------------------------- heights


def sensitivity_at(tp: Numbers, fp: Numbers) -> Array:
    """Sensitivity at each false positive rate of the grid, linear between thresholds.

    From positive and negative cases at or above each threshold, (B, G) -> (B, 201), the highest one
    first; NaN where either are lacking. Where the curve rises steeply the top counts: the best at
    no more than that rate.

    >>> sensitivity_at(np.array([[1, 1, 2]]), np.array([[0, 1, 2]]))[0, [0, 100, 150, 200]]
    array([0.5 , 0.5 , 0.75, 1.  ])
    """
    tp, fp = (np.pad(counts, ((0, 0), (1, 0))) for counts in (tp, fp))
    positives, negatives = tp[:, -1:], fp[:, -1:]
    # In whole numbers, so that rounding cannot miss a rate at which the curve rises.
    targets = GRID * negatives
    bounds, width = targets // STEPS, int(negatives.max()) + 2
    if fp.shape[1] + width > MANY:
        each = zip(fp, bounds.astype(fp.dtype), strict=True)
        at = np.stack([row.searchsorted(own, "right") for row, own in each]) - 1
    else:
        # How many lie up to each whole number, of all rows at once.
        first = width * np.arange(len(fp))[:, None]
        found = np.bincount((fp + first).ravel(), minlength=width * len(fp))
        at = found.reshape(-1, width).cumsum(axis=1).take(bounds + first) - 1
    after = np.minimum(at + 1, tp.shape[1] - 1)
    x, next_x, y, next_y = (
        np.take_along_axis(counts, place, axis=1).astype(np.int64)
        for counts in (fp, tp)
        for place in (at, after)
    )
    run = STEPS * (next_x - x)
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.where(run > 0, (targets - STEPS * x) / run, 0.0)
        return np.where(negatives > 0, (y + part * (next_y - y)) / positives, np.nan)


def precision_at(drawn: Numbers, positive: Numbers, last: Numbers, ends: Numbers) -> Array:
    """Precision of the highest threshold that reaches each recall of the grid, (B, n) -> (B, 201).

    From how often each case is drawn, the highest score first, and which ones are positive. Up to
    the score of each case are the positives until the ``last``, and the cases until it ``ends``.

    >>> place = np.arange(3)
    >>> precision_at(np.array([[1, 1, 1]]), place[::2], place // 2, place)[0, [0, 100, 101, 200]]
    array([1.        , 1.        , 0.66666667, 0.66666667])
    """
    if not len(positive):
        return np.full((len(drawn), len(GRID)), np.nan)
    called, times = drawn.cumsum(axis=1, dtype=np.int32), drawn.take(positive, axis=1)
    tp = times.cumsum(axis=1, dtype=np.int32)
    rows, total, upto = np.arange(len(drawn)), tp[:, -1:], ends[positive]
    with np.errstate(invalid="ignore"):
        precision = tp.take(last[positive], axis=1) / called.take(upto, axis=1)
    # Of each positive that is drawn, as often as it is: a recall is reached at one of them.
    each = np.append(np.repeat(precision.ravel(), times.ravel()), np.nan)
    reached = -(-GRID * total // STEPS) + (total.cumsum()[:, None] - total - 1)
    heights = each.take(reached, mode="clip")
    # Every threshold reaches a recall of 0; a resample may hold no case above the first ones.
    first = (drawn > 0).argmax(axis=1)
    found = last[first]
    heights[:, 0] = np.where(found < 0, 0, tp[rows, found]) / called[rows, ends[first]]
    # Without positives nothing is said.
    heights[total[:, 0] == 0] = np.nan
    return np.asarray(heights)


# --------------------------------------------------------------------------- bands


@frozen
class _Band:
    """The heights of one curve on the cases, their intervals, and what they rest on."""

    line: Array
    x: Array
    y: Array
    low: Array
    high: Array
    positives: int
    undefined: int


@frozen
class _Ranked:
    """Cases of one class against the rest, by descending score: their units and marks."""

    unit: NDArray[np.intp]
    mark: NDArray[np.uint8]

    @classmethod
    def from_job(cls, job: Job) -> _Ranked:
        ranking = declared_form(job.functional.statistic, RankedAreas).rank(job.records.arranged)
        return cls(job.records.design.unit_of_case[ranking.case[0]], ranking.mark[0])

    @functools.cached_property
    def places(self) -> tuple[Numbers, Numbers, Numbers]:
        """Places of the positive cases, and of the last one and the last case up to each score."""
        positive = (self.mark & Ranking.POSITIVE) > 0
        ends = np.flatnonzero(self.mark & Ranking.LAST_OF_TIES)[group_of_entries(self.mark)]
        return np.flatnonzero(positive), np.cumsum(positive)[ends] - 1, ends

    def heights(self, kind: CurveKind, counts: Numbers) -> Array:
        """Heights of resamples given as counts of units, (B, U) -> (B, 201)."""
        drawn = counts.take(self.unit, axis=1)
        if kind == "pr":
            return precision_at(drawn, *self.places)
        return sensitivity_at(*cumulated(self.mark, drawn, np.int32))

    @property
    def upto(self) -> tuple[Numbers, Numbers]:
        """Positive and negative cases at or above each distinct score."""
        return cumulated(self.mark, np.ones(len(self.mark), dtype=np.int64))


def _bands(kind: CurveKind, jobs: Sequence[Job], request: Request) -> list[_Band]:
    """The band of each class. All have the same design, and hence the same draws."""
    at_once = max(1, MOST_HEIGHTS // (request.n_resamples * len(GRID)))
    return [
        band
        for first in range(0, len(jobs), at_once)
        for band in _bands_at_once(kind, jobs[first : first + at_once], request)
    ]


def _bands_at_once(kind: CurveKind, jobs: Sequence[Job], request: Request) -> list[_Band]:
    design, plan = jobs[0].records.design, Plan(request.seed, request.n_resamples)
    ranked = [_Ranked.from_job(job) for job in jobs]
    if design.independent and design.n >= MANY_CASES:
        how = derive_key(request.seed, "heights", kind, design.n), request.n_resamples
        heights = np.stack([drawn_heights(kind, *one.upto, *how) for one in ranked])
    else:
        # All classes share the resamples.
        heights = np.empty((len(ranked), len(GRID), plan.n_resamples))
        for start, stop, counts in count_blocks(design, plan, 4 * max(design.n, len(GRID))):
            for ranked_class, into in zip(ranked, heights, strict=True):
                into[:, start:stop] = ranked_class.heights(kind, counts).T
    once = np.ones((1, design.units), dtype=np.intp)
    bands = []
    for ranked_class, drawn in zip(ranked, heights, strict=True):
        replicates, y = as_distribution(drawn, plan), ranked_class.heights(kind, once)[0]
        interval = percentile(replicates, request.level)
        # What is undefined on the cases has no interval, whatever its resamples say.
        none = np.isnan(y) | too_few_clusters(jobs[0])
        low, high = (np.where(none, np.nan, end) for end in (interval.low, interval.high))
        points = np.stack([GRID / STEPS, y, low, high])
        if kind == "roc":
            # Where nothing is called positive, which is no resample's doubt.
            origin = np.where(np.isnan(points[:, :1]), np.nan, 0.0)
            points = np.concatenate([origin, points], axis=1)
        (x, y, low, high), line = points, curve_line(kind, *ranked_class.upto)
        positives, undefined = len(ranked_class.places[0]), int(replicates.n_undefined[0])
        bands.append(_Band(line, x, y, low, high, positives, undefined))
    return bands
