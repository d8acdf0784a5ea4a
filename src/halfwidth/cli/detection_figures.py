"""Figures of ``halfwidth detect``."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from halfwidth.cli import figures
from halfwidth.cli.output import note
from halfwidth.core.errors import OptionError
from halfwidth.estimation.detections.curves import AREA_OF
from halfwidth.estimation.detections.matchings import matching_like
from halfwidth.estimation.detections.requested_metrics import COCO, resolve_detection_metric
from halfwidth.results.detection_curves import DetectionCurve, DetectionCurves
from halfwidth.results.estimate import Estimates
from halfwidth.verbs.curve import curve
from halfwidth.verbs.match import match_detections

if TYPE_CHECKING:
    from halfwidth.core.match_lists import MatchingRule
    from halfwidth.data.detections import Detections
    from halfwidth.results.detection_estimate import DetectionEstimate

CURVES = ("froc", "pr", "afroc", "wafroc")
# Detectors whose bands can be told from each other.
MOST_IN_ONE = 4
KINDS = (*CURVES, "thresholds", "matches", "forest")
# Options of the verb that curves take.
OF_CURVES = ("average", "confidence_level", "n_resamples", "rng")
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
    data: Detections,
    estimates: Sequence[DetectionEstimate],
    asked: Mapping[str, Any],
    *,
    names: bool = False,
) -> None:
    """Write a figure of the estimates, or of the matches or curves behind the first of them.

    ``asked``: the options of the verb; ``names``: whether the names of images stand above their
    matches.
    """
    from halfwidth.plots import figure_of_worst_images, figure_over_thresholds, write_figure

    if kind == "thresholds":
        write_figure(figure_over_thresholds(estimates), path)
    elif kind == "forest":
        figures.draw(Estimates(tuple(estimates)), path, kind)
    elif kind == "matches":
        like = replace(data, matching=matching_like(_first(estimates)))
        model = next(iter(data.models), None)
        if len(data.models) > 1:
            note(f"the figure shows the first detector, {model}")
        matched = match_detections(like, model=model)
        write_figure(figure_of_worst_images(*matched, names=names), path)
    else:
        _first(estimates)
        seed = next((e.seed for e in estimates if e.seed is not None), asked["rng"])
        draw_curves(kind, path, data, estimates[0], {**asked, "rng": seed})


def _first(estimates: Sequence[DetectionEstimate]) -> MatchingRule:
    """How detections of the first estimate are matched; it is said where others are not."""
    first = estimates[0]
    alike = [e.matching for e in estimates if e.metric == first.metric]
    if len({matching.area_range for matching in alike}) > 1:
        note(f"the figure shows the first row: {first.matched_by}")
    return first.matching


def draw_curves(
    kind: str, path: Path, data: Detections, first: DetectionEstimate, asked: Mapping[str, Any]
) -> None:
    """Write the curves of all detectors; of one those of each threshold of localisation."""
    from halfwidth.plots import afroc, detection_pr, froc, write_figure

    thresholds, several = first.matching.thresholds, len(data.detections) > 1
    if several and len(thresholds) > 1:
        thresholds = thresholds[:1]
        note(f"the figure shows threshold {thresholds[0]:g}, the first of the {first.subject}")
    curves: list[DetectionCurve] = []
    for name, threshold in itertools.product(data.detections, thresholds):
        rule = replace(first.matching, thresholds=(threshold,))
        curves_found = curves_like(kind, data, name, rule, asked)
        curves += (
            labelled(one, name, curves_found, several=len(thresholds) > 1) for one in curves_found
        )
    drawn = {"froc": froc, "pr": detection_pr}.get(kind, afroc)
    write_figure(drawn(DetectionCurves(tuple(curves))), path)


def curves_like(
    kind: str, data: Detections, name: str, rule: MatchingRule, asked: Mapping[str, Any]
) -> DetectionCurves:
    """The curves of a detector whose detections are matched by a rule."""
    alone = replace(data, detections={"": data.detections[name]}, matching=matching_like(rule))
    curves = curve(alone, cast("Any", kind), **{option: asked[option] for option in OF_CURVES})
    return cast("DetectionCurves", curves)


def labelled(
    curve: DetectionCurve, name: str, beside: DetectionCurves, *, several: bool = False
) -> DetectionCurve:
    """With the name of its detector, and its threshold where there are several."""
    area = cast("DetectionEstimate", curve.area)
    at = area.matched_by.partition(", ")[0] if several else ""
    own = curve.label if len(beside) > 1 or not (name or at) else ""
    return replace(curve, label=", ".join(filter(None, [name, own, at])))


def check_curves(kind: str | None, detectors: Sequence[str], average: Any) -> None:
    """Refuse curves of several detectors that one figure cannot show."""
    if kind not in CURVES or len(detectors) < 2:
        return
    if len(detectors) > MOST_IN_ONE:
        raise OptionError(
            f"--plot-kind {kind} draws up to {MOST_IN_ONE} detectors, not "
            f"{len(detectors)}; leave some out, or draw the forest"
        )
    if "none" in (average or ()):
        raise OptionError(
            f"--plot-kind {kind} draws one curve of each detector; name one average, such as "
            "--average micro, or one class (--classes NAME)"
        )
