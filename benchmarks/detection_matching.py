"""CPU seconds to match 5000 images with 100 detections and 100 references each, beside COCO's.

pycocotools evaluates some of the images; its time is scaled up to all of them, as it is a sum over
images. Run with one thread: ``python benchmarks/detection_matching.py``.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import time

import numpy as np
from coco_evaluations import coco_evaluation

from halfwidth.core.objects import Objects, ObjectSet
from halfwidth.detection.matching.match import match_images
from halfwidth.detection.matching.match_lists import MatchingRule

THRESHOLDS = tuple(np.linspace(0.5, 0.95, 10).tolist())
SIZE = 640


def scenes(images: int, objects: int, classes: int, seed: int = 0) -> tuple[ObjectSet, ObjectSet]:
    """Images with as many references as detections, two thirds of which lie near one."""
    rng = np.random.default_rng(seed)
    found, true = [], []
    for _ in range(images):
        category = rng.integers(classes, size=objects)
        corner, sides = rng.uniform(0, SIZE, (objects, 2)), rng.uniform(8, 200, (objects, 2))
        shift = rng.normal(0, 0.08, (objects, 4)) * np.tile(sides, 2)
        boxes = np.concatenate([corner, corner + sides], axis=1)
        true.append(Objects(category=category, boxes=boxes))
        moved = boxes + shift
        moved[::3] = rng.permuted(moved[::3], axis=0)
        moved[:, 2:] = np.maximum(moved[:, 2:], moved[:, :2])
        found.append(Objects(category=category, boxes=moved, score=rng.uniform(size=objects)))
    names = tuple(map(str, range(images)))
    labels = tuple(map(str, range(classes)))
    return ObjectSet(names, tuple(found), labels), ObjectSet(names, tuple(true), labels)


def coco_seconds(detections: ObjectSet, references: ObjectSet, images: int) -> float:
    """What pycocotools takes to match the first images."""
    evaluation = coco_evaluation(detections, references, images)
    with contextlib.redirect_stdout(io.StringIO()):
        start = time.process_time()
        evaluation.evaluate()
        return time.process_time() - start


def main() -> None:
    """Time both, for one class and for many."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--images", type=int, default=5000)
    parser.add_argument("--coco-images", type=int, default=100)
    asked = parser.parse_args()
    print(f"{asked.images} images, 100 detections and references each, 10 thresholds of box IoU")
    for classes in (80, 1):
        detections, references = scenes(asked.images, 100, classes)
        start = time.process_time()
        lists = match_images(detections, references, MatchingRule(thresholds=THRESHOLDS))
        own = time.process_time() - start
        coco = coco_seconds(detections, references, asked.coco_images)
        coco *= asked.images / asked.coco_images
        found = (lists.outcome[0] == 1).mean()
        print(
            f"{classes:3d} classes: {own:6.2f} s; pycocotools {coco:8.1f} s, extrapolated from "
            f"{asked.coco_images} images: {coco / own:6.1f} times; {found:.0%} true at IoU 0.5"
        )


if __name__ == "__main__":
    main()
