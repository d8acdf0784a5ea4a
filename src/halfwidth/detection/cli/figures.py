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
from halfwidth.core.frozen import frozen
from halfwidth.detection.estimation.curves import AREA_OF
from halfwidth.detection.estimation.matchings import matching_like
from halfwidth.detection.estimation.requested_metrics import COCO, resolve_detection_metric
from halfwidth.detection.match import match_detections
from halfwidth.detection.results.curves import DetectionCurve, DetectionCurves
from halfwidth.document.parts import Document, Figure
from halfwidth.verbs.curve import curve

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from halfwidth.core.cautions import Caution
    from halfwidth.detection.data import Detections
    from halfwidth.detection.matching.match_lists import MatchingRule
    from halfwidth.detection.results.estimate import DetectionEstimate
    from halfwidth.results.estimate import Estimates

CURVES = ("froc", "pr", "afroc", "wafroc")
# Detectors whose bands can be told from each other.
MOST_IN_ONE = 4
KINDS = (*CURVES, "thresholds", "matches", "forest")
# Options of the verb that curves take.
OF_CURVES = ("average", "confidence_level", "n_resamples", "rng")
TITLE = "Detections with intervals"
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


@frozen
class Drawing:
    """What is to be drawn of detections, and where to."""

    kind: str
    path: Path
    data: Detections
    # The options of the verb.
    asked: Mapping[str, Any]
    # Whether the names of images stand above their matches.
    names: bool = False

    def beside(
        self, document: Document, estimates: Estimates
    ) -> tuple[Document, tuple[Caution, ...]]:
        """The document with the figure of the estimates, or of what is behind the first of them."""
        from halfwidth.plots import figures_over_thresholds

        rows = cast("tuple[DetectionEstimate, ...]", tuple(estimates))
        said = estimates.cautions
        if self.kind == "forest":
            return figures.with_picture(document, estimates, self.path, self.kind, TITLE), said
        if self.kind in CURVES:
            _first(rows)
            seed = next((e.seed for e in rows if e.seed is not None), self.asked["rng"])
            curves = curves_behind(self.kind, self.data, rows[0], {**self.asked, "rng": seed})
            return figures.with_drawn(document, curves, self.path, said, TITLE)
        if self.kind == "thresholds":
            pages = figures_over_thresholds(rows)
        else:
            pages = self._matches(_first(rows))
        shown = Figure(self.kind, TITLES[self.kind], estimates)
        return figures.with_pages(document, pages, shown, self.path), said

    def _matches(self, rule: MatchingRule) -> list[Canvas]:
        """A page for each detector."""
        from halfwidth.plots import figure_of_worst_images

        like = replace(self.data, matching=matching_like(rule))
        return [
            figure_of_worst_images(
                *match_detections(like, model=model), title=model or "", names=self.names
            )
            for model in self.data.models or (None,)
        ]


def _first(estimates: Sequence[DetectionEstimate]) -> MatchingRule:
    """How detections of the first estimate are matched; it is said where others are not."""
    first = estimates[0]
    alike = [e.matching for e in estimates if e.metric == first.metric]
    if len({matching.area_range for matching in alike}) > 1:
        note(f"the figure shows the first row: {first.matched_by}")
    return first.matching


def curves_behind(
    kind: str, data: Detections, first: DetectionEstimate, asked: Mapping[str, Any]
) -> DetectionCurves:
    """The curves of all detectors; of one those of each threshold of localisation."""
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
    return DetectionCurves(tuple(curves))


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
