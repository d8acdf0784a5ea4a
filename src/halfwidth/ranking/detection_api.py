"""The public function for ranking detectors: detections and references in, rankings out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from halfwidth.data.measured_detections import measured_detectors
from halfwidth.core.shared_keywords import with_keywords
from halfwidth.estimation.detections.requests import DETECTOR, DetectorChoices, detector_request
from halfwidth.estimation.resolve import AUTO, resolve_request
from halfwidth.ranking.api import Combine, Scheme, ranking_settings
from halfwidth.ranking.consensus import resolve_combining
from halfwidth.ranking.options import resolve_options
from halfwidth.ranking.together import all_ranked
from halfwidth.results.ranking import Rankings


@with_keywords(DETECTOR)
def rank_detections(
    models: Mapping[str, Any],
    references: Any,
    *,
    metric: Any,
    scheme: Scheme | Sequence[Scheme] = "aggregate_then_rank",
    test: str = "auto",
    margin: float = 0.0,
    top: int = 3,
    combine: Combine | None = None,
    method: str = AUTO,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    rng: Any = None,
    **choices: Unpack[DetectorChoices],
) -> Rankings:
    """Detectors by rank on the same images, and the ranks that each may have.

    Parameters
    ----------
    models, references, metric
        As for `compare_detections`; each of several metrics makes a ranking.
    localisation, assignment, threshold, admits, score_threshold, max_detections, area, by_class
        As for `detection_ci`.
    duplicates, boundary_distance, dilation, average, classes, unknown_images, absent_class
        As for `detection_ci`.
    undefined, groups, strata
        As for `detection_ci`.
    scheme : {"aggregate_then_rank", "test_then_rank"}, or both
        As for `rank`; images have no ranks of their own here.
    test : {"auto", "permutation"}
        Of ``"test_then_rank"``.
    margin, top, combine
        As for `rank_table`.
    method, confidence_level, n_resamples, rng
        As for `metric_ci`.

    Returns
    -------
    Rankings
        One for each metric, class and scheme.

    Raises
    ------
    DataError, OptionError
        As for `compare_detections` and `rank`.

    Examples
    --------
    >>> import halfwidth as hw
    >>> square = [10, 10, 50, 50]
    >>> references = [{"boxes": [square], "labels": [1]} for _ in range(40)]
    >>> def found(share):
    ...     boxes = [[square] if i % 10 < share else [] for i in range(40)]
    ...     return [{"boxes": b, "labels": [1] * len(b), "scores": [0.5] * len(b)} for b in boxes]
    >>> models = {"A": found(9), "B": found(5), "C": found(2)}
    >>> (ranking,) = hw.rank_detections(models, references, metric="object_sensitivity", rng=1)
    >>> print(ranking.sentence())
    Object sensitivity: A is first of 3 (95 % confidence); the rank of B is 2; the rank of C is 3.
    """
    options = replace(
        resolve_options(scheme, test, "min", margin, top, "raise"),
        combining=resolve_combining(combine, "omit"),
    )
    request = resolve_request(
        method=method,
        confidence_level=confidence_level,
        alternative="two-sided",
        n_resamples=n_resamples,
        rng=rng,
        missing="raise",
        penalty=None,
    )
    settings = ranking_settings(request, "raise", keep_cases=False, test=test)
    requested = detector_request(metric, choices)
    families, notes = measured_detectors(models, references, requested, settings)
    return all_ranked([("", one) for one in families], options, settings, notes)
