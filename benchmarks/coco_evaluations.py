"""Objects in memory as pycocotools evaluates them, for benchmarks beside it."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np

from halfwidth.core.objects import ObjectSet


def coco_evaluation(detections: ObjectSet, references: ObjectSet, images: int) -> Any:
    """A `COCOeval` of the boxes of the first images: all sizes, at most 100 detections."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = {
            "images": [{"id": i} for i in range(images)],
            "categories": [{"id": i} for i in range(len(references.classes))],
            "annotations": _annotations(references, images),
        }
        coco.createIndex()
        evaluation = COCOeval(coco, coco.loadRes(_annotations(detections, images)), "bbox")
    evaluation.params.areaRng, evaluation.params.areaRngLbl = [[0, 1e10]], ["all"]
    evaluation.params.maxDets = [100]
    return evaluation


def _annotations(objects: ObjectSet, images: int) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for image, one in enumerate(objects.objects[:images]):
        boxes = np.asarray(one.boxes).copy()
        boxes[:, 2:] -= boxes[:, :2]
        for i, box in enumerate(boxes.tolist()):
            row = {"image_id": image, "category_id": int(one.category[i]), "bbox": box}
            row |= {"id": len(made) + 1, "area": box[2] * box[3], "iscrowd": 0}
            made.append(row if one.score is None else row | {"score": float(one.score[i])})
    return made
