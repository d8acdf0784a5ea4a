"""``match_detections``: which detection is whose."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from halfwidth.core.errors import OptionError, UnknownNameError, shortened
from halfwidth.core.objects import ObjectSet
from halfwidth.detection.data import Detections
from halfwidth.detection.estimation.requests import check_one_area
from halfwidth.detection.estimation.rows import requested_rows
from halfwidth.detection.estimation.sets import sets_of
from halfwidth.detection.estimation.thresholds import without_repeats
from halfwidth.detection.matching.match import match_images
from halfwidth.detection.matching.match_lists import MatchLists
from halfwidth.detection.metrics.object_counts import object_sensitivity


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


def match_detections(data: Detections, *, model: str | None = None) -> MatchedDetections:
    """Which detection is whose, for figures and tables of one's own.

    Parameters
    ----------
    data : Detections
        They say how detections are matched; with one range of sizes.
    model : str, optional
        The detector that is meant, where the data are of several.

    Returns
    -------
    MatchedDetections
        Matches, detections and references: ``hw.plots.figure_of_worst_images(*matched)``.

    Raises
    ------
    DataError, OptionError, UnknownNameError
        For files that cannot be read, options that do not fit each other, another detector.

    Examples
    --------
    >>> import halfwidth as hw
    >>> square, beside = [10, 10, 50, 50], [60, 60, 90, 90]
    >>> data = hw.Detections.from_files(
    ...     [{"boxes": [square, beside], "labels": [1, 1], "scores": [0.9, 0.4]}],
    ...     [{"boxes": [square], "labels": [1]}],
    ... )
    >>> hw.match_detections(data).matches.outcome
    array([[1, 0]], dtype=uint8)
    """
    detections = _detector(data, model)
    # Any metric that takes the usual threshold of the criterion.
    requested = data.requested(object_sensitivity)
    check_one_area(requested)
    sets, _ = sets_of(detections, data.references, **requested.sources)
    rules = [one.matching for one in requested_rows(requested.metrics, requested.matching, sets)]
    rule = replace(rules[0], thresholds=without_repeats([one.thresholds for one in rules]))
    return MatchedDetections(
        match_images(sets.detections, sets.references, rule), sets.detections, sets.references
    )


def _detector(data: Any, model: str | None) -> Any:
    """What one detector found."""
    if not isinstance(data, Detections):
        raise OptionError(
            f"matching needs Detections, not {type(data).__name__}: match_detections("
            "Detections.from_files(detections, references))"
        )
    if model is None:
        if len(data.detections) > 1:
            names = shortened(data.models, 5)
            raise OptionError(
                f"several detectors are given ({names}); name one: model={data.models[0]!r}"
            )
        return next(iter(data.detections.values()))
    if model not in data.models:
        raise UnknownNameError("detector", model, data.models)
    return data.detections[model]
