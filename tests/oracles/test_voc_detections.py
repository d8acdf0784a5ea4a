"""Real detections of Pascal VOC images, whose files have ids of their own, against pycocotools."""

from __future__ import annotations

import contextlib
import io
import json
from typing import Any

import cocosets
import numpy as np
import pytest
from over_data import estimate_detections, estimate_detector

FOLDER = cocosets.FOLDER.parent / "voc98"
FOUND, TRUE = FOLDER / "dets_coco_dets.json", FOLDER / "gts_instances_default.json"


def accumulated() -> Any:
    """What pycocotools makes of both files, once ids of the detections are those of references."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    found, true = (json.loads(path.read_text(encoding="utf-8")) for path in (FOUND, TRUE))
    image_of = {one["file_name"]: one["id"] for one in true["images"]}
    class_of = {one["name"]: one["id"] for one in true["categories"]}
    images = {one["id"]: image_of[one["file_name"]] for one in found["images"]}
    classes = {one["id"]: class_of[one["name"]] for one in found["categories"]}
    rows = [
        {
            "image_id": images[one["image_id"]],
            "category_id": classes[one["category_id"]],
            "bbox": one["bbox"],
            "score": one["score"],
        }
        for one in found["annotations"]
    ]
    with contextlib.redirect_stdout(io.StringIO()):
        references = COCO()
        references.dataset = true
        references.createIndex()
        evaluation = COCOeval(references, references.loadRes(rows), "bbox")
        evaluation.params.iouThrs = np.array([0.5])
        evaluation.params.areaRng, evaluation.params.areaRngLbl = [[0, 1e10]], ["all"]
        evaluation.params.maxDets = [100]
        evaluation.evaluate()
        evaluation.accumulate()
    return evaluation.eval


@pytest.mark.skipif(not FOUND.exists(), reason="needs voc98")
def test_ap50_of_each_class_is_that_of_pycocotools() -> None:
    pytest.importorskip("pycocotools")
    theirs = accumulated()
    precision = theirs["precision"][0, :, :, 0, 0]
    rows = estimate_detections(
        FOUND, TRUE, metric="ap50", average="none", method="percentile", n_resamples=20, rng=1
    )
    assert [one.value for one in rows] == pytest.approx(precision.mean(axis=0).tolist(), abs=1e-12)
    recall = estimate_detector(
        FOUND, TRUE, metric="object_sensitivity", method="percentile", n_resamples=20, rng=1
    )
    assert recall.value == pytest.approx(theirs["recall"][0, :, 0, 0].mean(), abs=1e-12)
