"""AP of resamples against pycocotools on images that are there as often as they are drawn."""

from __future__ import annotations

import contextlib
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import cocosets
import numpy as np
import pytest
from over_data import estimate_detector
from rankedscenes import functional_of

import halfwidth as hw
from halfwidth.core.types import Array
from halfwidth.detection.matching.match import match_images
from halfwidth.detection.matching.match_lists import MatchingRule
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import replicates

THRESHOLDS = tuple(np.linspace(0.5, 0.95, 10).tolist())
TINY = 1e-9
VOC98 = Path(__file__).parents[3] / "shared" / "data" / "voc98"


def resampled(evaluation: Any, images: Array) -> float:
    """What pycocotools adds up over images, some of them there more than once."""
    params = evaluation.params
    known = len(params.imgIds)
    evaluated = evaluation.evalImgs
    cells = range(len(params.catIds) * len(params.areaRng))
    evaluation.evalImgs = [evaluated[cell * known + image] for cell in cells for image in images]
    evaluation.params.imgIds = list(range(len(images)))
    evaluation._paramsEval.imgIds = evaluation.params.imgIds
    with contextlib.redirect_stdout(io.StringIO()):
        evaluation.accumulate()
    precision = evaluation.eval["precision"][:, :, :, 0, -1]
    evaluation.evalImgs, evaluation.params.imgIds = evaluated, list(range(known))
    return float(precision[precision > -1].mean())


def without_ties(evaluation: Any, lists: hw.MatchLists) -> hw.MatchLists:
    """Equal scores of an image and a class moved apart, in both.

    Copies of such detections take turns in pycocotools, and here follow each other.
    """
    for one in filter(None, evaluation.evalImgs):
        one["dtScores"] = [s - TINY * place for place, s in enumerate(one["dtScores"])]
    cell = np.stack([lists.image, lists.category])
    _, first, which = np.unique(cell, axis=1, return_index=True, return_inverse=True)
    place = np.arange(len(lists.image)) - first[which.ravel()]
    return replace(lists, score=np.asarray(lists.score) - TINY * place)


@pytest.mark.slow
@pytest.mark.skipif(not cocosets.REFERENCES.exists(), reason="needs coco100")
@pytest.mark.parametrize("kind", ["bbox", "segm"])
def test_resamples_are_those_of_pycocotools(kind: str) -> None:
    detections, references = cocosets.as_sets(kind)
    criterion = {"bbox": "box_iou", "segm": "mask_iou"}[kind]
    how = MatchingRule(criterion, thresholds=THRESHOLDS, max_detections=100)
    evaluation = cocosets.evaluated(kind)
    lists = without_ties(evaluation, match_images(detections, references, how))
    functional = functional_of(lists, "ap")
    records = functional.records(lists)
    design, plan = Design((lists.n_images,), paired=True), Plan(1, 5)
    drawn = replicates(records[None], design, functional.statistic, plan)[0]
    for images, value in zip(plan.indices(design, 0, 5), drawn, strict=True):
        assert value == pytest.approx(resampled(evaluation, np.sort(images)), abs=1e-12)


@pytest.mark.slow
@pytest.mark.skipif(not VOC98.exists(), reason="needs voc98")
@pytest.mark.parametrize("threshold", [0.5, 0.75])
def test_real_detections_of_other_names_and_numbers(threshold: float) -> None:
    """Files that number images and classes each in their own way, as pycocotools has them."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    paths = VOC98 / "dets_coco_dets.json", VOC98 / "gts_instances_default.json"
    found, true = (json.loads(path.read_text()) for path in paths)
    stems = {Path(one["file_name"]).stem: one["id"] for one in true["images"]}
    classes = {one["name"]: one["id"] for one in true["categories"]}
    image_of = {one["id"]: stems[Path(one["file_name"]).stem] for one in found["images"]}
    class_of = {one["id"]: classes[one["name"]] for one in found["categories"]}
    results = [
        {
            "image_id": image_of[one["image_id"]],
            "category_id": class_of[one["category_id"]],
            "bbox": one["bbox"],
            "score": one["score"],
        }
        for one in found["annotations"]
    ]
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = true
        coco.createIndex()
        evaluation = COCOeval(coco, coco.loadRes(results), "bbox")
        evaluation.params.iouThrs = np.array([threshold])
        evaluation.evaluate()
        evaluation.accumulate()
    precision = evaluation.eval["precision"][0, :, :, 0, -1]
    expected = precision[:, precision[0] > -1].mean()
    one = estimate_detector(*paths, metric="ap", threshold=threshold, n_resamples=50, rng=1)
    assert one.value == pytest.approx(expected, abs=1e-12)
