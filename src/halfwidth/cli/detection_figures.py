"""Figures of ``halfwidth detect``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from halfwidth.cli import figures
from halfwidth.cli.output import note
from halfwidth.core.errors import OptionError
from halfwidth.data.detections import Detections
from halfwidth.estimation.detections.curve_api import match_detections
from halfwidth.estimation.detections.curves import AREA_OF
from halfwidth.estimation.detections.requested_metrics import COCO, resolve_detection_metric
from halfwidth.results.detection_curves import DetectionCurve, DetectionCurves
from halfwidth.results.estimate import Estimates
from halfwidth.verbs.curve import curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from halfwidth.cli.compared_detections import Detectors
    from halfwidth.core.match_lists import MatchingRule
    from halfwidth.core.objects import ObjectSet
    from halfwidth.results.comparison import Comparisons
    from halfwidth.results.detection_estimate import DetectionEstimate

CURVES = ("froc", "pr", "afroc", "wafroc")
# Detectors whose bands can be told from each other.
MOST_IN_ONE = 4
KINDS = (*CURVES, "thresholds", "matches", "forest")
# Options of the verb that curves and matches take under the same names.
SHARED = ("classes", "unknown_images", "by_class")
OF_CURVES = ("average", "absent_class", "confidence_level", "n_resamples")
OF_VERB = ("average", "confidence_level", "n_resamples", "rng")
TITLES = {"thresholds": "Results over thresholds", "matches": "Images with the most errors"}


def check(
    path: Path | None, kind: str | None, metrics: Sequence[str], *, by_threshold: bool
) -> str | None:
    """The kind of figure to draw, or None; refuses what cannot be drawn before any work is done."""
    if path is None and kind is None:
        return None
    checked = figures.check(path, kind, usual_first(metrics, by_threshold=by_threshold))
    if checked == "thresholds" and not by_threshold:
        raise OptionError("--plot-kind thresholds takes --by-threshold")
    return checked


def usual_first(metrics: Sequence[str], *, by_threshold: bool) -> tuple[str, ...]:
    """The kinds of figures, the one that is drawn unless another is named coming first."""
    first = "thresholds" if by_threshold else "pr"
    if metrics and metrics[0] != COCO and not by_threshold:
        name = resolve_detection_metric(metrics[0]).metric.spec.name
        first = next((kind for kind, area in AREA_OF.items() if area == name), "forest")
    return (first, *(kind for kind in KINDS if kind != first))


def draw(
    kind: str,
    path: Path,
    sides: tuple[ObjectSet, ObjectSet],
    estimates: Sequence[DetectionEstimate],
    settings: Mapping[str, Any],
    *,
    names: bool = False,
) -> None:
    """Write a figure of the estimates, or of the matches behind the first of them.

    ``names``: whether the names of images stand above their matches.
    """
    from halfwidth.plots import figure_of_worst_images, figure_over_thresholds, write_figure

    if kind == "thresholds":
        write_figure(figure_over_thresholds(estimates), path)
    elif kind == "forest":
        figures.draw(Estimates(tuple(estimates)), path, kind)
    elif kind == "matches":
        first = _first(estimates)
        more = matched_as(first, settings)
        more |= {"threshold": first.thresholds, "dilation": settings["dilation"]}
        write_figure(figure_of_worst_images(*match_detections(*sides, **more), names=names), path)
    else:
        write_figure(_curves(kind, sides, estimates, settings), path)


def _first(estimates: Sequence[DetectionEstimate]) -> MatchingRule:
    """How detections of the first estimate are matched; it is said where others are not."""
    first = estimates[0]
    alike = [e.matching for e in estimates if e.metric == first.metric]
    if len({matching.area_range for matching in alike}) > 1:
        note(f"the figure is of the first row: {first.matched_by}")
    return first.matching


def matched_as(matching: MatchingRule, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Options with which detections are matched in this way."""
    chosen = {
        name: getattr(matching, name)
        for name in (
            *("localisation", "assignment", "score_threshold", "max_detections"),
            *("boundary_distance", "by_class"),
        )
    }
    return (
        {name: settings[name] for name in SHARED}
        | chosen
        | {
            "admits": str(matching.admits),
            "area": matching.area_range,
            "duplicates": "ignored" if matching.duplicates_ignored else "false_positive",
        }
    )


def _curves(
    kind: str,
    sides: tuple[ObjectSet, ObjectSet],
    estimates: Sequence[DetectionEstimate],
    settings: Mapping[str, Any],
) -> Axes:
    """The curves of each threshold of localisation."""
    first = _first(estimates)
    more = matched_as(first, settings) | {name: settings[name] for name in OF_CURVES}
    seed = next((e.seed for e in estimates if e.seed is not None), settings["rng"])
    found = [
        estimated(kind, sides, more | {"threshold": threshold, "rng": seed})
        for threshold in first.thresholds
    ]
    curves = [
        replace(curve, label=_label(curve, alone=len(one) == 1)) if len(found) > 1 else curve
        for one in found
        for curve in one
    ]
    return _drawn(kind, curves)


def estimated(
    kind: str, sides: tuple[ObjectSet, ObjectSet], settings: Mapping[str, Any]
) -> DetectionCurves:
    """Curves of a detector, matched and banded as ``settings`` say."""
    of_verb = {name: settings[name] for name in OF_VERB}
    matching = {name: one for name, one in settings.items() if name not in OF_VERB}
    curves = curve(Detections.from_files(*sides, **matching), cast("Any", kind), **of_verb)
    return cast("DetectionCurves", curves)


def _drawn(kind: str, curves: Sequence[DetectionCurve]) -> Axes:
    from halfwidth.plots import afroc, detection_pr, froc

    drawn = {"froc": froc, "pr": detection_pr}.get(kind, afroc)
    return drawn(DetectionCurves(tuple(curves)))


def _label(curve: DetectionCurve, *, alone: bool) -> str:
    """The threshold of a curve, behind what else it is of where there are several."""
    area = cast("DetectionEstimate", curve.area)
    at = area.matched_by.partition(", ")[0]
    return at if alone else f"{curve.label}, {at}"


# --------------------------------------------------------------------------- several detectors


def check_of_several(kind: str | None, detectors: Detectors) -> None:
    """Refuse curves of several detectors that one figure cannot show."""
    if kind not in CURVES:
        return
    if len(detectors.detections) > MOST_IN_ONE:
        raise OptionError(
            f"--plot-kind {kind} draws up to {MOST_IN_ONE} detectors in one figure, and "
            f"{len(detectors.detections)} are given; leave some out, or draw the forest"
        )
    if detectors.asked["average"] == "none":
        raise OptionError(
            f"--plot-kind {kind} draws one curve of each detector; name one average, such as "
            "--average micro, or one class (--classes NAME)"
        )


def draw_several(kind: str, path: Path, detectors: Detectors, comparisons: Comparisons) -> None:
    """Write the curves of several detectors with their bands in one figure."""
    from halfwidth.plots import write_figure

    estimate = cast("DetectionEstimate", comparisons[0].estimate)
    first = estimate.matching
    threshold = first.thresholds[0]
    if len(first.thresholds) > 1:
        note(f"the figure is of the threshold {threshold:g}, the first of the {estimate.subject}")
    settings = detectors.settings
    shared = matched_as(first, settings) | {name: settings[name] for name in OF_CURVES}
    shared |= {"threshold": threshold, "rng": estimate.seed}
    curves = [
        replace(curve, label=name)
        for name, one in detectors.detections.items()
        for curve in estimated(kind, (one, detectors.references), shared)
    ]
    write_figure(_drawn(kind, curves), path)
