"""The public function for detectors: detections and references in, estimates out."""

from __future__ import annotations

from typing import Any, Unpack

from halfwidth.core.checks import as_flag
from halfwidth.core.shared_keywords import with_keywords
from halfwidth.core.types import Alternative
from halfwidth.estimation.detections.jobs import Sets, jobs_of
from halfwidth.estimation.detections.matchings import MatchingOptions, is_scored
from halfwidth.estimation.detections.requested_metrics import requested_metrics
from halfwidth.estimation.detections.requests import (
    DETECTOR,
    DetectorChoices,
    DetectorRequest,
    detector_request,
    is_several,
)
from halfwidth.estimation.detections.rows import requested_rows
from halfwidth.estimation.detections.sets import sets_of
from halfwidth.estimation.pipeline import estimate_jobs
from halfwidth.estimation.resolve import AUTO, resolve_request
from halfwidth.estimation.tables import JobsOfCases
from halfwidth.metrics.detection.object_counts import (
    fppi,
    object_f_beta,
    object_ppv,
    object_sensitivity,
)
from halfwidth.metrics.detection.ranked import ap, froc_score
from halfwidth.results.estimate import Estimates


@with_keywords(DETECTOR)
def detection_ci(
    detections: Any,
    references: Any,
    *,
    metric: Any = "ap",
    by_threshold: bool = False,
    method: str = AUTO,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_resamples: int | None = None,
    rng: Any = None,
    n_threads: int = 1,
    **choices: Unpack[DetectorChoices],
) -> Any:
    """Confidence interval for a metric of a detector: AP, FROC, sensitivity of objects, PQ, ...

    Objects are matched once; images, or patients, are resampled with their matches, so that an
    image drawn twice counts twice.

    Parameters
    ----------
    detections, references : path, list, DataFrame, dict or ObjectSet
        Files or folders of any format that `halfwidth detect` reads, or what was read: a list of a
        dict per image with ``boxes`` (x0, y0, x1, y1), ``labels``, ``scores`` and ``masks``, in
        the same order for both.
    metric : str, MetricSpec, or sequence of them, optional
        A name (see ``halfwidth.DETECTION_METRICS``), with parameters after a colon:
        ``"ap:interpolation=all_points"``, ``"sensitivity_at_fppi:fppi=0.5"``. A threshold may
        stand behind: ``"ap50"``, ``"ap@0.5:0.95"``. ``"coco"`` stands for the twelve numbers of
        COCO's evaluation. None: AP and FROC score, or of detections without scores sensitivity,
        PPV, F1 and false positives per image.
    localisation : str, optional
        What a detection is matched by, ``halfwidth methods --localisation`` lists them; default:
        ``"box_iou"`` where both sides have boxes, else what suits masks or points.
    assignment : str, optional
        Default: that by which the metric is defined, else ``"greedy_by_score"``, or without scores
        ``"greedy_by_localisation"``.
    threshold : float, str or sequence of float, optional
        Of localisation. ``"coco"`` or ``"0.5:0.95"`` are ten from 0.5 to 0.95, over which curves
        are averaged. Default: the usual one of the criterion, 0.5 for an IoU.
    admits : {"at_least", "above", "at_most", "below"}, optional
        Whether the threshold itself will do; default: as the criterion is defined.
    score_threshold : float, optional
        Detections below it are left out.
    max_detections : int, optional
        Of an image and a class, the most that are looked at; 100 in COCO.
    area : {"small", "medium", "large", "all"}, (low, high), or sequence of them, optional
        Sizes of the objects to be found, in pixels or voxels.
    by_class : bool, default True
        Whether only objects of one class are matched with each other.
    duplicates : {"false_positive", "ignored"}
        What further detections of an object that is found count.
    boundary_distance : float, optional
        Width of the bands of ``boundary_iou``.
    dilation : int, optional
        Of references, for ``lesionwise``.
    by_threshold : bool, default False
        A row for each threshold instead of their mean; without thresholds from 0.1 to 0.9.
    average : {"macro", "micro", "weighted", "none"}, or sequence of them, optional
        Over classes; ``"none"`` makes a row per class. Default: ``"macro"``.
    classes : sequence of str or mapping, optional
        The only classes that count; default: all of the references. A mapping gives names of the
        detections' classes the references' names.
    unknown_images : {"raise", "omit"}
        What becomes of detections of images that the references lack.
    absent_class : {"omit", "zero", "undefined"}
        What a class without objects counts in an average, in the data or in a resample.
    undefined : {"omit", "zero", "worst"}
        What 0/0 counts: nothing, 0, or the worst value.
    groups, strata : str, mapping, Series or sequence, optional
        Patient and stratum of each image: a column or field of the references, a label for each
        name, or one for each image in the order of the references.
    method : str, default "auto"
        See ``halfwidth.METHODS``.
    confidence_level, alternative, n_resamples, rng, n_threads
        As for `metric_ci`. All rows share the seed.

    Returns
    -------
    Estimate or Estimates
        One for a single metric with a single average; else a row for each metric, class and
        threshold. ``n`` counts images, those without objects among them; the sentence and the JSON
        name localisation, assignment and threshold.

    Raises
    ------
    DataError
        For files that cannot be read, unknown images or classes, objects that the criterion cannot
        be measured on, missing scores.
    OptionError
        For an option that is not allowed or does not fit the others.

    Examples
    --------
    >>> import halfwidth as hw
    >>> square = [10, 10, 50, 50]
    >>> references = [{"boxes": [square], "labels": [1]} for _ in range(40)]
    >>> detections = [
    ...     {"boxes": [square, [60, 60, 90, 90]], "labels": [1, 1], "scores": [0.9 - 0.02 * i, 0.5]}
    ...     for i in range(40)
    ... ]
    >>> e = hw.detection_ci(detections, references, metric="ap", rng=1)
    >>> print(e.sentence())
    AP 0.75 (95 % CI 0.65 to 0.83; box IoU ≥ 0.5, greedy by score; n = 40 images; Dirichlet).
    """
    request = resolve_request(
        method=method,
        confidence_level=confidence_level,
        alternative=alternative,
        n_resamples=n_resamples,
        rng=rng,
        missing="raise",
        penalty=None,
        threads=n_threads,
    )
    requested = detector_request(metric, choices, usual=True)
    over_thresholds = as_flag("by_threshold", by_threshold)
    found = detector_jobs(detections, references, requested, by_threshold=over_thresholds)
    estimates = estimate_jobs(found.jobs, request)
    single = len(estimates) == 1 and not (is_several(metric) or is_several(choices["average"]))
    return estimates[0] if single else Estimates(estimates, found.notes)


def detector_jobs(
    detections: Any, references: Any, requested: DetectorRequest, *, by_threshold: bool = False
) -> JobsOfCases:
    """What is estimated of a detector: a job for each metric, class and threshold."""
    sets, notes = sets_of(detections, references, **requested.sources)
    metrics = requested.metrics or requested_metrics(
        usual_metrics(sets, requested.options),
        *requested.fixed,
        requested.options.max_detections,
    )
    rows = requested_rows(metrics, requested.options, sets, by_threshold=by_threshold)
    jobs, further = jobs_of(rows, sets, requested.averages, requested.policies)
    return JobsOfCases(tuple(jobs), (*notes, *further))


def usual_metrics(sets: Sets, options: MatchingOptions) -> tuple[Any, ...]:
    """What is estimated unless something is asked for."""
    counting = (object_sensitivity, object_ppv, object_f_beta, fppi)
    if not is_scored(sets.detections):
        return counting
    ranked = (ap, froc_score)
    return ranked if options.score_threshold is None else (*ranked, *counting)
