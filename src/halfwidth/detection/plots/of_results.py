"""The picture of each kind of result of detections."""

from __future__ import annotations

from typing import Any

from halfwidth.detection.plots.curves import afroc, detection_pr, froc
from halfwidth.detection.plots.matches import figure_of_worst_images, matched_image
from halfwidth.detection.plots.thresholds import figures_over_thresholds, over_thresholds
from halfwidth.detection.results.curves import DetectionCurves
from halfwidth.plots.figure import AnyFigure, figure
from halfwidth.results.result import Result


def _figure_of_curves(curves: DetectionCurves) -> AnyFigure:
    figures: dict[str, AnyFigure] = {"froc": froc, "pr": detection_pr}
    return figures.get(curves[0].kind, afroc)


@figure("Curves with their bands", lambda curves: _figure_of_curves(curves).frame(curves))
def _curves(curves: DetectionCurves) -> Any:
    """The curves of the most objects, on one page."""
    return _figure_of_curves(curves)(curves)


PICTURES: dict[type[Result], dict[str, AnyFigure]] = {DetectionCurves: {"curves": _curves}}
# The figures of `halfwidth.plots` that are of detections.
PUBLIC: dict[str, AnyFigure] = {
    one.__name__: one
    for one in (
        afroc,
        detection_pr,
        figure_of_worst_images,
        figures_over_thresholds,
        froc,
        matched_image,
        over_thresholds,
    )
}
