"""Curves of detections over the threshold of their scores: precision-recall, FROC and AFROC."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.detection.matching.match_lists import MatchingRule
from halfwidth.detection.matching.words import matching_parameters
from halfwidth.results.curves import SeveralCurves, SingleCurve
from halfwidth.results.estimate import Estimate

if TYPE_CHECKING:
    import pandas as pd

DetectionCurveKind = Literal["pr", "froc", "afroc", "wafroc"]
DETECTION_CURVE_KINDS: tuple[DetectionCurveKind, ...] = ("pr", "froc", "afroc", "wafroc")
# Names of the horizontal and the vertical axis.
DETECTION_AXES: dict[DetectionCurveKind, tuple[str, str]] = {
    "pr": ("recall", "precision"),
    "froc": ("false positives per image", "sensitivity"),
    "afroc": ("false positive fraction, images without objects", "sensitivity"),
    "wafroc": (
        "false positive fraction, images without objects",
        "sensitivity, images weighted alike",
    ),
}


@frozen(eq=False, repr=False, kw_only=True)
class DetectionCurve(SingleCurve):
    """A curve of detections of one class, or of all classes together, with its band.

    Attributes
    ----------
    kind : {"pr", "froc", "afroc", "wafroc"}
    label : str
        The class, or what is averaged or pooled over classes.
    matching : MatchingRule
        The choices that made detections true or false; one threshold of localisation.
    x : ndarray, shape (k,)
        The grid: recalls, false positives per image, or shares of the images without objects that
        have a false positive.
    y : ndarray, shape (k,)
        Precision or sensitivity there, on the images given; NaN where it is undefined.
    low, high : ndarray, shape (k,)
        The band; NaN where it is undefined.
    band : {"pointwise", "simultaneous"}
        Whether each point has an interval of its own, or the whole curve lies in the band as often
        as the level says.
    confidence_level : float
    n, n_objects, n_without : int
        Images, objects to be found in them, and images without any.
    n_groups : int or None
        Clusters of images; None where none were given.
    n_resamples : int
    n_undefined : int
        Resamples without a curve, left out.
    seed : int
        Passing it as ``rng`` reproduces the draws.
    design : str
        How images were resampled: ``"iid"``, ``"clustered"``, ``"stratified"``,
        ``"clustered within strata"``.
    line : ndarray, shape (m, 2)
        Corners of the curve itself, up to its last detection: x and y.
    extension : ndarray, shape (e, 2)
        How it goes on where there are no more detections, from the end of the line: no threshold
        reaches there, though the area or score counts it. Empty where nothing is counted.
    points : ndarray, shape (p, 4)
        The operating points that the FROC score averages, x and y with the ends of the interval.
    area : Estimate or None
        AP, FROC score, or the area under the AFROC curve, of the same images.
    """

    kind: DetectionCurveKind
    label: str
    matching: MatchingRule
    x: Array
    y: Array
    low: Array
    high: Array
    band: Literal["pointwise", "simultaneous"]
    confidence_level: float
    n: int
    n_objects: int
    n_without: int
    n_groups: int | None
    n_resamples: int
    n_undefined: int
    seed: int
    design: str
    line: Array
    extension: Array = field(default_factory=lambda: np.empty((0, 2)))
    points: Array = field(default_factory=lambda: np.empty((0, 4)))
    area: Estimate | None = None

    @property
    def x_name(self) -> str:
        """What the horizontal axis shows."""
        return DETECTION_AXES[self.kind][0]

    @property
    def y_name(self) -> str:
        """What the vertical axis shows."""
        return DETECTION_AXES[self.kind][1]

    @property
    def _alone(self) -> DetectionCurves:
        return DetectionCurves((self,))

    def to_dict(self) -> dict[str, Any]:
        """All that is known of the curve as plain types; arrays are lists."""
        return super().to_dict() | {"matching": matching_parameters(self.matching)}

    def __repr__(self) -> str:
        area = "" if self.area is None else f": {self.area.sentence()}"
        return f"DetectionCurve {self.kind} of {self.label!r} ({len(self.x)} points){area}"


class DetectionCurves(SeveralCurves[DetectionCurve]):
    """Curves of detections of one kind on the same images, one per class or detector.

    Attributes
    ----------
    items : tuple of DetectionCurve
    """

    def points_frame(self) -> pd.DataFrame:
        """A row per operating point of each curve: ``label, kind, x, y, low, high``."""
        return self._framed(
            {
                name: [curve.points[:, i] for curve in self]
                for i, name in enumerate(("x", "y", "low", "high"))
            }
        )
