"""The public function for comparing detectors: detections and references in, differences out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from halfwidth.comparison.api import Correction, Test
from halfwidth.comparison.assembling import compared
from halfwidth.data.measured_detections import measured_detectors
from halfwidth.comparison.settings import resolve_settings
from halfwidth.core.shared_keywords import with_keywords
from halfwidth.estimation.detections.requests import DETECTOR, DetectorChoices, detector_request
from halfwidth.estimation.resolve import AUTO, resolve_request
from halfwidth.results.comparison import Comparisons, Effect


@with_keywords(DETECTOR)
def compare_detections(
    models: Mapping[str, Any],
    references: Any,
    *,
    metric: Any,
    baseline: str | None = None,
    effect: Effect = "difference",
    test: Test = "auto",
    correction: Correction = "holm",
    simultaneous: bool | None = None,
    margin: float | None = None,
    goal: float | None = None,
    method: str = AUTO,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: Any = None,
    **choices: Unpack[DetectorChoices],
) -> Comparisons:
    """Differences between detectors on the same images, with their confidence intervals.

    The detections of each are matched with the references once. A resample then draws the same
    images for all, so that what makes an image hard for every detector cancels.

    Parameters
    ----------
    models : mapping of str
        From the name of each detector to its detections: a file, a folder or what was read, as for
        `detection_ci`.
    references : object
        The objects to be found, the same for all.
    metric : str, MetricSpec, or sequence of them
        As for `detection_ci`: ``"ap50"``, ``"froc_score"``, ``"wafroc_auc"``, ``"pq"``. Each of
        several makes a family, within which p-values are adjusted.
    localisation, assignment, threshold, admits, score_threshold, max_detections, area, by_class
        How detections are matched, as for `detection_ci`; all detectors alike.
    duplicates, boundary_distance, dilation, average, classes, unknown_images, absent_class
        As for `detection_ci`.
    undefined, groups, strata
        As for `detection_ci`.
    baseline, effect, correction, simultaneous, margin, goal
        As for `compare`.
    test : {"auto", "permutation", "none"}
        Beside the interval: a permutation that swaps whole images between two detectors, with the
        ranks of their scores.
    method, confidence_level, n_resamples, rng
        As for `metric_ci`. A seed gives the same resamples for every pair.

    Returns
    -------
    Comparisons
        A `Difference` for each pair, by its place or by name: ``result["B", "A"]``.

    Raises
    ------
    DataError
        As for `detection_ci`, and where detectors cannot be matched in the same way.
    OptionError
        For an option that is not allowed or does not fit the others.

    Examples
    --------
    >>> import halfwidth as hw
    >>> square, wrong = [10, 10, 50, 50], [60, 60, 90, 90]
    >>> references = [{"boxes": [square], "labels": [1]} for _ in range(40)]
    >>> def found(boxes, scores):
    ...     return {"boxes": boxes, "labels": [1] * len(boxes), "scores": scores}
    >>> a = [found([square, wrong], [0.9, 0.5]) for _ in range(40)]
    >>> b = [found([square, wrong], [0.9, 0.95 if i % 3 else 0.5]) for i in range(40)]
    >>> result = hw.compare_detections({"A": a, "B": b}, references, metric="ap50", rng=1)
    >>> one = result["A", "B"]
    >>> print(f"{one.value:.2f} ({one.low:.2f} to {one.high:.2f})")
    0.39 (0.33 to 0.45)
    """
    settings = resolve_settings(
        resolve_request(
            method=method,
            confidence_level=confidence_level,
            alternative="two-sided",
            n_resamples=n_resamples,
            rng=rng,
            missing="raise",
            penalty=None,
        ),
        effect=effect,
        paired=True,
        baseline=baseline,
        test=test,
        correction=correction,
        simultaneous=simultaneous,
        margin=margin,
        goal=goal,
        unmatched="raise",
        keep_cases=False,
    )
    requested = detector_request(metric, choices)
    families, notes = measured_detectors(models, references, requested, settings)
    return compared(families, settings, notes)
