"""The twelve numbers of COCO against pycocotools, on files as they are."""

from __future__ import annotations

import contextlib
import copy
import io
from typing import Any

import cocosets
import numpy as np
import pytest
from over_data import estimate_detections, estimate_detector


@pytest.mark.slow
@pytest.mark.skipif(not cocosets.REFERENCES.exists(), reason="needs coco100")
@pytest.mark.parametrize("kind", ["bbox", "segm"])
def test_all_twelve_are_those_of_pycocotools(kind: str) -> None:
    """Images are listed in no order, and many scores are equal: ties go by the images' ids."""
    evaluation = cocosets.evaluated(kind)
    with contextlib.redirect_stdout(io.StringIO()):
        evaluation.accumulate()
        evaluation.summarize()
    found = cocosets.RESULTS[kind]
    rows = estimate_detections(
        found, cocosets.REFERENCES, metric="coco", method="percentile", n_resamples=20, rng=1
    )
    assert [one.value for one in rows] == pytest.approx(evaluation.stats.tolist(), abs=1e-12)


def document(order: list[int]) -> dict[str, Any]:
    """An object in each of three images, which are listed in some order."""
    return {
        "images": [{"id": i, "file_name": f"{i}.png", "patient": f"p{i % 2}"} for i in order],
        "categories": [{"id": 1, "name": "cell"}],
        "annotations": [
            {"id": i, "image_id": i, "category_id": 1, "bbox": [0, 0, 9, 9], "area": 81}
            for i in order
        ],
    }


RESULTS = [
    # All of one score: right in image 2, wrong in image 10 and image 9.
    {"image_id": i, "category_id": 1, "bbox": [0, 0, 9, 9 if i == 2 else 2], "score": 0.5}
    for i in (10, 9, 2)
]


@pytest.mark.parametrize("order", [[2, 9, 10], [10, 9, 2], [9, 2, 10]])
def test_equal_scores_are_taken_by_the_ids_of_images(order: list[int]) -> None:
    of_rows = {2: "a", 9: "b", 10: "b"}
    rows = [
        estimate_detector(
            RESULTS, document(order), metric="ap", groups=groups, n_resamples=50, rng=1
        )
        for groups in (None, [of_rows[i] for i in order], {f"{i}.png": of_rows[i] for i in order})
    ]
    # First of three detections, one of three objects.
    assert [one.value for one in rows] == pytest.approx([34 / 101] * 3)
    # Labels belong to the images as they were listed.
    assert (rows[1].low, rows[1].high) == (rows[2].low, rows[2].high)
    assert np.isfinite(rows[1].low)
    assert (rows[1].low, rows[1].high) != (rows[0].low, rows[0].high)


@pytest.mark.parametrize("name", ["map", "mAP", "mean_ap"])
def test_map_is_the_mean_over_thresholds_of_pycocotools_where_none_is_asked_for(name: str) -> None:
    coco = pytest.importorskip("pycocotools.coco")
    cocoeval = pytest.importorskip("pycocotools.cocoeval")
    rng = np.random.default_rng(2)
    boxes = rng.integers(0, 60, (24, 2)).repeat(2, axis=1)
    boxes[:, 2:] = rng.integers(8, 30, (24, 2))
    truth = {
        "images": [{"id": i, "file_name": f"{i}.png"} for i in range(6)],
        "categories": [{"id": 1, "name": "cell"}, {"id": 2, "name": "cyst"}],
        "annotations": [
            {
                "id": i + 1,
                "image_id": i % 6,
                "category_id": 1 + i % 2,
                "bbox": box,
                "area": box[2] * box[3],
                "iscrowd": 0,
            }
            for i, box in enumerate(boxes.tolist())
        ],
    }
    found = [
        {
            "image_id": i % 6,
            "category_id": 1 + i % 2,
            "bbox": [x + int(rng.integers(0, 4)), y + int(rng.integers(0, 3)), w, h],
            "score": float(score),
        }
        for i, ((x, y, w, h), score) in enumerate(
            zip(boxes.tolist(), rng.permutation(24) / 24, strict=True)
        )
    ]
    with contextlib.redirect_stdout(io.StringIO()):
        references = coco.COCO()
        references.dataset = copy.deepcopy(truth)
        references.createIndex()
        evaluation = cocoeval.COCOeval(references, references.loadRes(copy.deepcopy(found)), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    given: dict[str, Any] = {"n_resamples": 20, "rng": 1}
    mean = estimate_detector(found, truth, metric=name, **given)
    assert mean.value == pytest.approx(evaluation.stats[0], abs=1e-12)
    assert evaluation.stats[0] < evaluation.stats[1] - 0.1
    assert "Macro AP 0" in mean.sentence()
    assert "0.5 to 0.95 by 0.05" in mean.sentence()
    at_half = estimate_detector(found, truth, metric=name, threshold=0.5, **given)
    assert at_half.value == pytest.approx(evaluation.stats[1], abs=1e-12)
    for metric, stat, title in (("ap", 1, "AP50"), ("ap@0.75", 2, "AP75")):
        one = estimate_detector(found, truth, metric=metric, **given)
        assert one.value == pytest.approx(evaluation.stats[stat], abs=1e-12)
        assert f"Macro {title} " in one.sentence()
