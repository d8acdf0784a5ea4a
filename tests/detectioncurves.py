"""Curves and estimates of detections with numbers made by hand, for tests of figures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import halfwidth as hw
from halfwidth.detection.matching.match_lists import MatchingRule

# Sensitivity rises at these numbers of false positives per image.
RISES = np.array([0.03, 0.2, 0.25, 0.9, 3.0])
HEIGHTS = np.array([0.1, 0.3, 0.5, 0.6, 0.8])


def steps(x: Any, y: Any) -> Any:
    """Corners of a line that rises at x to y, from the origin."""
    low = np.append(0.0, y)[:-1]
    return np.concatenate(
        [[(0, 0)], *[[(a, b), (a, c)] for a, b, c in zip(x, low, y, strict=True)]]
    )


def curve(kind: Any, label: str = "lesion") -> hw.DetectionCurve:
    """One curve of a kind."""
    x = 2.0 ** np.linspace(-4, 4, 33) if kind == "froc" else np.linspace(0, 1, 21)
    at = RISES if kind == "froc" else RISES / 4
    reached = np.searchsorted(at, x, "right")
    y = np.append(0.0, HEIGHTS)[reached]
    line = steps(at, HEIGHTS)
    extension = np.array([line[-1], (16.0, 0.8) if kind == "froc" else (1.0, 1.0)])
    points = np.empty((0, 4))
    if kind == "pr":
        y, line = (
            1 - x / 2,
            np.column_stack([np.linspace(0, 0.8, 9), 1 - np.linspace(0, 0.8, 9) / 2]),
        )
        extension = np.empty((0, 2))
    if kind == "froc":
        levels = 2.0 ** np.arange(-3, 4)
        height = np.append(0.0, HEIGHTS)[np.searchsorted(at, levels, "right")]
        points = np.column_stack([levels, height, height - 0.05, height + 0.05])
    return hw.DetectionCurve(
        kind=kind,
        label=label,
        matching=MatchingRule(),
        x=x,
        y=y,
        low=np.maximum(y - 0.1, 0),
        high=np.minimum(y + 0.1, 1),
        band="pointwise",
        confidence_level=0.95,
        n=40,
        n_objects=60,
        n_without=10,
        n_groups=None,
        n_resamples=999,
        n_undefined=0,
        seed=1,
        design="iid",
        line=line,
        extension=extension,
        points=points,
    )


def curves(kind: Any, labels: tuple[str, ...]) -> hw.DetectionCurves:
    """Curves of several classes, each a bit lower than the one before."""
    first = curve(kind)
    return hw.DetectionCurves(
        tuple(
            replace(
                first,
                label=label,
                line=first.line * (1, 0.9**place),
                extension=first.extension * (1, 0.9**place),
                points=first.points * (1, *[0.9**place] * 3),
            )
            for place, label in enumerate(labels)
        )
    )


THRESHOLDS = (0.1, 0.3, 0.5)


def over_several(label: str = "", *, count: int = 30, average: str | None = None) -> list[Any]:
    """Proportions that fall with the threshold, the last threshold first."""
    rows = [
        hw.DetectionEstimate.from_estimate(
            replace(
                hw.proportion_ci(count - 5 * place, 60),
                label=", ".join(filter(None, [label, f"at {threshold:g}"])),
                average=average,
            ),
            matching=MatchingRule(thresholds=(threshold,)),
            matched_by=f"box IoU ≥ {threshold:g}, greedy by score",
        )
        for place, threshold in enumerate(THRESHOLDS)
    ]
    return rows[::-1]
