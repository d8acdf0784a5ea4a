"""The public function for curves of a detector."""

from __future__ import annotations

from typing import Any, Unpack

from halfwidth.core.checks import one_of
from halfwidth.core.shared_keywords import with_keywords
from halfwidth.estimation.detections.curves import AREA_OF, Band, curves_of_jobs
from halfwidth.estimation.detections.jobs import jobs_of
from halfwidth.estimation.detections.matchings import Matching
from halfwidth.estimation.detections.requests import (
    CURVE,
    MATCHING,
    OF_SETS,
    CurveChoices,
    check_one_area,
    detector_request,
)
from halfwidth.estimation.detections.rows import requested_rows
from halfwidth.estimation.detections.sets import sets_of
from halfwidth.estimation.resolve import AUTO, resolve_request
from halfwidth.results.detection_curves import (
    DETECTION_CURVE_KINDS,
    DetectionCurveKind,
    DetectionCurves,
)


@with_keywords(CURVE)
def detection_curve_ci(
    detections: Any,
    references: Any,
    *,
    kind: DetectionCurveKind = "froc",
    band: Band = "pointwise",
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: Any = None,
    **choices: Unpack[CurveChoices],
) -> DetectionCurves:
    """Precision-recall, FROC or AFROC curves of a detector with their bands.

    Parameters
    ----------
    detections, references
        As for `Detections.from_files`.
    kind : {"froc", "pr", "afroc", "wafroc"}
    band : {"pointwise", "simultaneous"}
        Whether each point has an interval of its own, or the whole curve lies in the band as often
        as the level says.
    localisation, assignment, threshold, admits, score_threshold, max_detections, area, by_class
        As for `Matching`; one threshold and one range of sizes.
    duplicates, boundary_distance, dilation
        As for `Matching`.
    average : {"macro", "micro", "weighted", "none"}, or sequence of them, optional
        ``"none"`` makes a curve per class. Default: the mean of the classes.
    classes, unknown_images, absent_class, groups, strata
        As for `Detections.from_files`.
    confidence_level, n_resamples, rng
        As for `estimate`.

    Returns
    -------
    DetectionCurves
        ``hw.plots.froc``, ``detection_pr`` and ``afroc`` draw them.

    Raises
    ------
    DataError, OptionError
        As `estimate` raises them.

    Examples
    --------
    >>> import halfwidth as hw
    >>> square, beside = [10, 10, 50, 50], [60, 60, 90, 90]
    >>> references = [{"boxes": [square], "labels": [1]} for _ in range(40)]
    >>> detections = [
    ...     {"boxes": [square, beside], "labels": [1, 1], "scores": [i % 4, i % 3]}
    ...     for i in range(40)
    ... ]
    >>> (curve,) = hw.detection_curve_ci(detections, references, rng=1, n_resamples=199)
    >>> curve.x_name, curve.n_objects
    ('false positives per image', 40)
    """
    one_of("kind", kind, DETECTION_CURVE_KINDS)
    request = resolve_request(
        method=AUTO,
        confidence_level=confidence_level,
        alternative="two-sided",
        n_resamples=n_resamples,
        rng=rng,
        missing="raise",
        penalty=None,
    )
    given: dict[str, Any] = dict(choices)
    matching = Matching(**{name: given.pop(name) for name in MATCHING if name not in OF_SETS})
    requested = detector_request(AREA_OF[kind], matching, **given)
    check_one_area(requested)
    sets, _ = sets_of(detections, references, **requested.sources)
    rows = requested_rows(requested.metrics, requested.matching, sets)
    jobs, _ = jobs_of(rows, sets, requested.averages, requested.policies)
    return curves_of_jobs(kind, jobs, rows[0].matching, request, band=band)
