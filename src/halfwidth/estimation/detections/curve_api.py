"""The public functions for curves of a detector, and for its matches themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from halfwidth.core.checks import one_of
from halfwidth.core.detection_curves import (
    DETECTION_CURVE_KINDS,
    DetectionCurveKind,
    DetectionCurves,
)
from halfwidth.core.errors import OptionError, shown
from halfwidth.core.match_lists import MatchLists
from halfwidth.core.objects import ObjectSet
from halfwidth.core.undefined import ABSENT_CLASS, AbsentClass
from halfwidth.estimation.detections.api import asked_rows, checked_averages
from halfwidth.estimation.detections.asked import AskedMetric, ask_metrics
from halfwidth.estimation.detections.curves import AREA_OF, Band, curves_of_jobs
from halfwidth.estimation.detections.jobs import jobs_of
from halfwidth.estimation.detections.matchings import matching_options
from halfwidth.estimation.detections.sets import sets_of
from halfwidth.estimation.functionals import Policies
from halfwidth.estimation.resolve import AUTO, resolve_request
from halfwidth.matching.api import match_images
from halfwidth.metrics.detection.object_counts import object_sensitivity


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


def detection_curve_ci(
    detections: Any,
    references: Any,
    *,
    kind: DetectionCurveKind = "froc",
    band: Band = "pointwise",
    localisation: str | None = None,
    assignment: str | None = None,
    threshold: Any = None,
    admits: str | None = None,
    score_threshold: float | None = None,
    max_detections: int | None = None,
    area: Any = None,
    by_class: bool = True,
    duplicates: str = "false_positive",
    boundary_distance: float | None = None,
    average: Any = None,
    classes: Sequence[str] | Mapping[str, str] | None = None,
    unknown_images: str = "raise",
    absent_class: AbsentClass = "omit",
    groups: Any = None,
    strata: Any = None,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: Any = None,
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
    options = matching_options(
        localisation=localisation,
        assignment=assignment,
        admits=admits,
        score_threshold=score_threshold,
        max_detections=max_detections,
        by_class=by_class,
        duplicates=duplicates,
        boundary_distance=boundary_distance,
    )
    averages = checked_averages(average)
    policies = Policies(one_of("absent_class", absent_class, ABSENT_CLASS), "omit")
    asked = _asked(AREA_OF[kind], threshold, area, options.max_detections)
    sets, _ = sets_of(
        detections,
        references,
        classes=classes,
        unknown_images=unknown_images,
        groups=groups,
        strata=strata,
        by_class=options.by_class,
    )
    rows = asked_rows(asked, options, sets, by_threshold=False)
    jobs, _ = jobs_of(rows, sets, averages, policies)
    return curves_of_jobs(kind, jobs, rows[0].matching, request, band=band)


def match_detections(
    detections: Any,
    references: Any,
    *,
    localisation: str | None = None,
    assignment: str | None = None,
    threshold: Any = None,
    admits: str | None = None,
    score_threshold: float | None = None,
    max_detections: int | None = None,
    area: Any = None,
    by_class: bool = True,
    duplicates: str = "false_positive",
    boundary_distance: float | None = None,
    dilation: int | None = None,
    classes: Sequence[str] | Mapping[str, str] | None = None,
    unknown_images: str = "raise",
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
    options = matching_options(
        localisation=localisation,
        assignment=assignment,
        admits=admits,
        score_threshold=score_threshold,
        max_detections=max_detections,
        by_class=by_class,
        duplicates=duplicates,
        boundary_distance=boundary_distance,
        dilation=dilation,
    )
    # Any metric that takes the usual threshold of the criterion.
    asked = _asked(object_sensitivity, threshold, area, options.max_detections)
    sets, _ = sets_of(
        detections,
        references,
        classes=classes,
        unknown_images=unknown_images,
        by_class=options.by_class,
    )
    (row,) = asked_rows(asked, options, sets, by_threshold=False)
    lists = match_images(sets.detections, sets.references, row.matching)
    return MatchedDetections(lists, sets.detections, sets.references)


def _asked(
    metric: Any, threshold: Any, area: Any, max_detections: int | None
) -> tuple[AskedMetric, ...]:
    """One metric of one range of sizes."""
    asked = ask_metrics([metric], threshold, area, max_detections)
    if len(asked) > 1:
        raise OptionError(f"area={shown(area)} (--area) names {len(asked)} ranges; give one here")
    return asked
