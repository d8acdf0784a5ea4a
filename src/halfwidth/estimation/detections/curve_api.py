"""The public functions for curves of a detector, and for its matches themselves."""

from __future__ import annotations

from typing import Any, NamedTuple, Unpack

from halfwidth.core.checks import one_of
from halfwidth.core.errors import OptionError
from halfwidth.core.match_lists import MatchLists
from halfwidth.core.objects import ObjectSet
from halfwidth.core.options import spelled
from halfwidth.core.shared_keywords import with_keywords
from halfwidth.estimation.detections.curves import AREA_OF, Band, curves_of_jobs
from halfwidth.estimation.detections.jobs import jobs_of
from halfwidth.estimation.detections.requests import (
    CURVE,
    MATCHING,
    CurveChoices,
    DetectorRequest,
    MatchingChoices,
    detector_request,
)
from halfwidth.estimation.detections.rows import requested_rows
from halfwidth.estimation.detections.sets import sets_of
from halfwidth.estimation.resolve import AUTO, resolve_request
from halfwidth.matching.api import match_images
from halfwidth.metrics.detection.object_counts import object_sensitivity
from halfwidth.results.detection_curves import (
    DETECTION_CURVE_KINDS,
    DetectionCurveKind,
    DetectionCurves,
)


class MatchedDetections(NamedTuple):
    """Matches with the objects that they are of, as figures of matches take them.

    Attributes
    ----------
    matches : MatchLists
    detections, references : ObjectSet
        Of the same images and classes.
    """

    matches: MatchLists
    detections: ObjectSet
    references: ObjectSet


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
        As for `detection_ci`.
    kind : {"froc", "pr", "afroc", "wafroc"}
    band : {"pointwise", "simultaneous"}
        Whether each point has an interval of its own, or the whole curve lies in the band as often
        as the level says.
    localisation, assignment, threshold, admits, score_threshold, max_detections, area, by_class
        As for `detection_ci`; one threshold and one range of sizes.
    duplicates, boundary_distance
        As for `detection_ci`.
    average : {"macro", "micro", "weighted", "none"}, or sequence of them, optional
        ``"none"`` makes a curve per class. Default: the mean of the classes.
    classes, unknown_images, absent_class, groups, strata
        As for `detection_ci`.
    confidence_level, n_resamples, rng
        As for `detection_ci`.

    Returns
    -------
    DetectionCurves
        ``hw.plots.froc``, ``detection_pr`` and ``afroc`` draw them.

    Raises
    ------
    DataError, OptionError
        As `detection_ci` raises them.

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
    requested = _single_area_request(AREA_OF[kind], choices)
    sets, _ = sets_of(detections, references, **requested.sources)
    rows = requested_rows(requested.metrics, requested.options, sets)
    jobs, _ = jobs_of(rows, sets, requested.averages, requested.policies)
    return curves_of_jobs(kind, jobs, rows[0].matching, request, band=band)


@with_keywords(MATCHING)
def match_detections(
    detections: Any,
    references: Any,
    **choices: Unpack[MatchingChoices],
) -> MatchedDetections:
    """Which detection is whose, for figures and tables of one's own.

    Parameters
    ----------
    detections, references
        As for `detection_ci`, and so are the options.

    Returns
    -------
    MatchedDetections
        Matches, detections and references: ``hw.plots.figure_of_worst_images(*matched)``.

    Raises
    ------
    DataError, OptionError
        As `detection_ci` raises them.

    Examples
    --------
    >>> import halfwidth as hw
    >>> square, beside = [10, 10, 50, 50], [60, 60, 90, 90]
    >>> found = hw.match_detections(
    ...     [{"boxes": [square, beside], "labels": [1, 1], "scores": [0.9, 0.4]}],
    ...     [{"boxes": [square], "labels": [1]}],
    ... )
    >>> found.matches.outcome
    array([[1, 0]], dtype=uint8)
    """
    # Any metric that takes the usual threshold of the criterion.
    requested = _single_area_request(object_sensitivity, choices)
    sets, _ = sets_of(detections, references, **requested.sources)
    (row,) = requested_rows(requested.metrics, requested.options, sets)
    lists = match_images(sets.detections, sets.references, row.matching)
    return MatchedDetections(lists, sets.detections, sets.references)


def _single_area_request(metric: Any, choices: MatchingChoices) -> DetectorRequest:
    """One metric of one range of sizes."""
    requested = detector_request(metric, choices)
    if len(requested.metrics) > 1:
        area, count = choices["area"], len(requested.metrics)
        raise OptionError(f"{spelled('area', area)} names {count} ranges; give one here")
    return requested
