"""Precision-recall, FROC and AFROC curves of matched detections, with bands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halfwidth.core.checks import as_choice, one_of
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.spec import MethodSpec, spec_of
from halfwidth.core.types import UNIT_INTERVAL, Array, Band
from halfwidth.detection.estimation.curve_heights import OPERATING, Heights
from halfwidth.detection.forms.declared import MatchedScores
from halfwidth.detection.forms.matched_weighted import weighted_counts
from halfwidth.detection.matching.match_lists import MatchingRule
from halfwidth.detection.metrics import ranked
from halfwidth.detection.results.curves import (
    DETECTION_CURVE_KINDS,
    DetectionCurve,
    DetectionCurveKind,
    DetectionCurves,
)
from halfwidth.estimation.pipeline import Job, estimate_jobs
from halfwidth.estimation.resolve import Request
from halfwidth.intervals.bootstrap import percentile
from halfwidth.intervals.dirichlet_intervals import dirichlet
from halfwidth.resampling.distribution import Replicates
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import declared_form
from halfwidth.resampling.weights.bootstrap import count_blocks
from halfwidth.results.estimate import Estimate

# The metric that sums up a curve of each kind.
AREA_OF: dict[DetectionCurveKind, str] = {
    "pr": ranked.ap.__name__,
    "froc": ranked.froc_score.__name__,
    "afroc": ranked.afroc_auc.__name__,
    "wafroc": ranked.wafroc_auc.__name__,
}
LABELS = {"macro": "mean of the classes", "micro": "all classes", "weighted": "weighted mean"}
# Replicates of heights that are kept at once, 256 MiB: more curves draw the same units again.
MOST_HEIGHTS = 2**25


def curves_of_jobs(
    kind: DetectionCurveKind,
    jobs: Sequence[Job],
    matching: MatchingRule,
    request: Request,
    *,
    band: Band = "pointwise",
) -> DetectionCurves:
    """A curve for each job, with its band.

    Jobs are of the metric that `AREA_OF` has for the kind, of the same images at one threshold of
    localisation: a class each, all classes pooled, or an average, whose curve is that of heights.
    The band of one class comes from Dirichlet weights of the images, with half a pseudo-image at
    either end, as its area does; that of an average over classes from a bootstrap. A simultaneous
    band is made of wider intervals, all alike in their level, until the share of resamples that lie
    within them all over is that of the confidence level (Beran 1988).
    """
    one_of("kind", kind, DETECTION_CURVE_KINDS)
    as_choice("band", band, "curve")
    if len(matching.thresholds) > 1:
        raise OptionError(
            f"a curve takes one threshold of localisation, not {len(matching.thresholds)}; give "
            f"one: {spelled('threshold')}"
        )
    curves = [_heights(kind, job) for job in jobs]
    bands = _bands(curves, jobs, request, band)
    settled = _Settled(kind, matching, request, band)
    rows = zip(jobs, curves, bands, estimate_jobs(jobs, request), strict=True)
    return DetectionCurves(tuple(_curve(settled, *row) for row in rows))


def _heights(kind: DetectionCurveKind, job: Job) -> Heights:
    form = declared_form(job.functional.statistic, MatchedScores)
    return Heights.from_records(kind, form, job.records.arranged, job.records.design)


@frozen(eq=False)
class _Settled:
    """What all curves of a call have in common."""

    kind: DetectionCurveKind
    matching: MatchingRule
    request: Request
    band: Band


def _curve(
    settled: _Settled, job: Job, heights: Heights, band: _Band, area: Estimate
) -> DetectionCurve:
    line, objects = heights.line(), np.sum([one.references for one in heights.by_class], axis=0)
    points = np.column_stack([heights.grid, band.y, band.low, band.high])[OPERATING]
    return DetectionCurve(
        kind=settled.kind,
        label=job.label or LABELS.get(job.average or "", ""),
        matching=settled.matching,
        x=heights.grid,
        y=band.y,
        low=band.low,
        high=band.high,
        band=settled.band,
        confidence_level=settled.request.level.confidence_level,
        n=area.n,
        n_objects=int(objects.sum()),
        n_without=int((objects == 0).sum()),
        n_groups=area.n_groups,
        n_resamples=settled.request.n_resamples,
        n_undefined=band.undefined,
        seed=settled.request.seed,
        design=area.design,
        line=line,
        extension=heights.extension(line),
        points=points if settled.kind == "froc" else points[:0],
        area=area,
    )


# --------------------------------------------------------------------------- bands


@frozen
class _Band:
    """The heights of one curve on the images, their intervals, and resamples left out."""

    y: Array
    low: Array
    high: Array
    undefined: int


def _bands(
    curves: Sequence[Heights], jobs: Sequence[Job], request: Request, band: Band
) -> list[_Band]:
    """The band of each curve. All have the same design, and hence the same draws."""
    if not curves:
        return []
    at_once = max(1, MOST_HEIGHTS // (request.n_resamples * len(curves[0].grid)))
    parts = [curves[first : first + at_once] for first in range(0, len(curves), at_once)]
    drawn = (ends for part in parts for ends in zip(*_drawn(part, request), strict=True))
    once = np.ones((1, curves[0].design.units), dtype=np.int64)
    return [
        _band(heights(once)[:, 0], ends, request, band, few=_too_few(job, heights))
        for heights, ends, job in zip(curves, drawn, jobs, strict=True)
    ]


def _drawn(curves: Sequence[Heights], request: Request) -> tuple[Array, Array]:
    """Heights of all resamples, (curves, K, B), for lower and for upper ends.

    Of one class under Dirichlet weights, as their areas have them: few detections make the left of
    a curve, and where these are all right no bootstrap sees that they might not be. Of averages,
    where pseudo-images of every class would draw them to the middle, of images drawn.
    """
    design, grid = curves[0].design, curves[0].grid
    lower = np.empty((len(curves), len(grid), request.n_resamples))
    plan = Plan(request.seed, request.n_resamples)
    elements = max(heights.elements for heights in curves)
    averages = [place for place, heights in enumerate(curves) if len(heights.by_class) > 1]
    classes = {
        place: heights.with_pseudo_units()
        for place, heights in enumerate(curves)
        if len(heights.by_class) == 1
    }
    if averages:
        for start, stop, counts in count_blocks(design, plan, elements):
            for place in averages:
                lower[place, :, start:stop] = curves[place](counts)
    if not classes:
        return lower, lower
    upper, pseudo_cases = lower.copy(), _pseudo_cases()
    for drawn, masses in ((lower, pseudo_cases.low), (upper, pseudo_cases.high)):
        for start, stop, counts in weighted_counts(design, plan, masses, elements):
            for place, heights in classes.items():
                drawn[place, :, start:stop] = heights(counts)
    return lower, upper


def _pseudo_cases() -> PseudoCases:
    spec: MethodSpec = spec_of(dirichlet)
    if spec.pseudo_cases is None:
        raise TypeError(f"{spec.name} declares no pseudo-cases")
    return spec.pseudo_cases(UNIT_INTERVAL, paired=False, spread=False, **dict(spec.bound))


def _band(y: Array, ends: tuple[Array, Array], request: Request, band: Band, *, few: bool) -> _Band:
    lower, upper = ends
    undefined = int((np.isnan(lower) | np.isnan(upper)).any(axis=0).sum())
    if band == "pointwise":
        low = percentile(Replicates.sorting(lower), request.level).low
        high = percentile(Replicates.sorting(upper), request.level).high
    else:
        low, high = simultaneous(lower, upper, request.level.confidence_level)
    # What is undefined on the images has no interval, whatever their resamples say.
    none = np.isnan(y) | few
    return _Band(y, np.where(none, np.nan, low), np.where(none, np.nan, high), undefined)


def simultaneous(lower: Array, upper: Array, confidence: float) -> tuple[Array, Array]:
    """The narrowest band of order statistics of one level that holds enough of the curves whole.

    Of the heights of B curves for either end, (K, B), those with NaN are left out.

    >>> curves = np.array([[1.0, 2, 3, 4, 5], [1, 2, 5, 4, 3]])
    >>> simultaneous(curves, curves, 0.4)
    (array([2., 2.]), array([4., 4.]))
    """
    known = ~np.isnan(lower + upper).any(axis=0)
    below, above = lower[:, known], upper[:, known]
    count = int(known.sum())
    if not count:
        return np.full(len(lower), np.nan), np.full(len(lower), np.nan)
    ascending = np.sort(below, axis=1), np.sort(above, axis=1)
    # How many heights lie at or beyond those of a curve, where it is most extreme.
    depth = np.full(count, count)
    for own, other, *in_order in zip(below, above, *ascending, strict=True):
        under = np.searchsorted(in_order[0], own, side="right")
        over = count - np.searchsorted(in_order[1], other, side="left")
        depth = np.minimum(depth, np.minimum(under, over))
    kept = int(np.ceil(confidence * count - 1e-9))
    deepest = int(np.sort(depth)[::-1][kept - 1])
    place = min(deepest - 1, (count - 1) // 2)
    return ascending[0][:, place], ascending[1][:, count - 1 - place]


def _too_few(job: Job, heights: Heights) -> bool:
    """Whether there are too few clusters for an interval."""
    design, statistic = job.records.design, job.functional.statistic.spec
    clustered = design.sizes is not None
    method = percentile if len(heights.by_class) > 1 else dirichlet
    fewest: int = spec_of(method).fewest_units(statistic, clustered=clustered)
    return design.units < fewest if clustered else design.units < 2
