"""The public function for the matches of a detector themselves."""

from __future__ import annotations

from typing import Any, NamedTuple, Unpack

from halfwidth.core.errors import OptionError
from halfwidth.core.match_lists import MatchLists
from halfwidth.core.objects import ObjectSet
from halfwidth.core.options import spelled
from halfwidth.core.shared_keywords import with_keywords
from halfwidth.estimation.detections.requests import (
    MATCHING,
    DetectorRequest,
    MatchingChoices,
    detector_request,
)
from halfwidth.estimation.detections.rows import requested_rows
from halfwidth.estimation.detections.sets import sets_of
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
