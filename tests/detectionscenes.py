"""Small images with detections and references, matched, for tests of pictures."""

from __future__ import annotations

from typing import Any

import numpy as np

from halfwidth import MatchLists, ObjectSet
from halfwidth.core.objects import CroppedMask, Objects
from halfwidth.detection.matching.match import match_images
from halfwidth.detection.matching.match_lists import Admits, MatchingRule

CLASSES = ("lesion $x_1", "cyst")


def objects(
    boxes: Any, score: Any = None, category: Any = None, crowd: Any = None, **more: Any
) -> Objects:
    """Objects with boxes."""
    return Objects(
        category=np.zeros(len(boxes), np.intp) if category is None else np.array(category),
        score=None if score is None else np.array(score, float),
        boxes=np.array(boxes, float).reshape(-1, 4),
        crowd=None if crowd is None else np.array(crowd, bool),
        **more,
    )


def boxed() -> tuple[MatchLists, ObjectSet, ObjectSet]:
    """Four images: all found; one error; two false positives, a missed one and a crowd; nothing."""
    references = ObjectSet(
        ("fine", "one error", "worst", "empty"),
        (
            objects([[10, 10, 30, 30]]),
            objects([[10, 10, 30, 30], [50, 50, 70, 70]], category=[0, 1]),
            objects(
                [[10, 10, 30, 30], [50, 10, 70, 30], [60, 50, 95, 75]], crowd=[False, False, True]
            ),
            objects([]),
        ),
        CLASSES,
        shapes=((80, 100),) * 4,
    )
    detections = ObjectSet(
        references.images,
        (
            objects([[10, 10, 30, 28]], [0.9]),
            objects([[10, 10, 30, 29], [80, 60, 90, 70]], [0.8, 0.1]),
            objects(
                [[10, 10, 30, 29], [15, 40, 25, 60], [40, 40, 55, 60], [65, 52, 90, 72]],
                [0.95, 0.7, 0.6, 0.5],
            ),
            objects([], []),
        ),
        CLASSES,
        shapes=references.shapes,
    )
    return match_images(detections, references), detections, references


def solid() -> tuple[MatchLists, ObjectSet, ObjectSet]:
    """A volume whose first axis is the shortest in mm: a mask found, and one missed."""
    cube = np.ones((2, 6, 8), bool)
    ring = cube.copy()
    ring[:, 2:4, 3:5] = False

    def of(*masks: CroppedMask) -> ObjectSet:
        found = Objects(category=np.zeros(len(masks), np.intp), masks=masks)
        return ObjectSet(
            ("scan",), (found,), ("lesion",), shapes=((10, 20, 30),), spacing=((1.0, 2.0, 1.0),)
        )

    references = of(CroppedMask((3, 5, 10), ring), CroppedMask((6, 12, 20), cube))
    detections = of(CroppedMask((3, 5, 10), cube))
    how = MatchingRule("mask_iou", "hungarian")
    return match_images(detections, references, how), detections, references


def centred() -> tuple[MatchLists, ObjectSet, ObjectSet]:
    """Points near the centres of discs: one in it, one outside."""
    references = ObjectSet(
        ("scan",),
        (
            Objects(
                category=np.zeros(2, np.intp),
                points=np.array([[10.0, 10], [40, 30]]),
                radii=np.array([4.0, 6.0]),
            ),
        ),
        ("nodule",),
    )
    detections = ObjectSet(
        ("scan",),
        (
            Objects(
                category=np.zeros(2, np.intp),
                points=np.array([[11.0, 10], [20, 30]]),
                score=np.array([88.0, 71.0]),
            ),
        ),
        ("nodule",),
    )
    how = MatchingRule("centre_in_radius", thresholds=(1.0,), admits=Admits.BELOW)
    return match_images(detections, references, how), detections, references
