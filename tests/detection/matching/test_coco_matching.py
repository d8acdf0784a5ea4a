"""Greedy matching by score is COCO's: the same pairs, and the same detections ignored."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import cocosets
import numpy as np
import pytest

from halfwidth import MatchLists
from halfwidth.detection.matching.match import match_many
from halfwidth.detection.matching.match_lists import MatchingRule, Outcome
from halfwidth.resampling.kernels import native

pytest.importorskip("pycocotools")
pytestmark = pytest.mark.skipif(not cocosets.REFERENCES.exists(), reason="no coco100 here")

THRESHOLDS = tuple(np.linspace(0.5, 0.95, 10).tolist())
SLOW = (("bbox", 3), ("segm", 100), ("segm", 3))
AREAS = ((0.0, 1e10), (0.0, 32.0**2), (32.0**2, 96.0**2), (96.0**2, 1e10))


@functools.cache
def matched(kind: str, most: int, *, library: bool) -> list[MatchLists]:
    """As the compiled library and NumPy have it."""
    assert native.available() == library
    criterion = {"bbox": "box_iou", "segm": "mask_iou"}[kind]
    hows = [
        MatchingRule(criterion, thresholds=THRESHOLDS, max_detections=most, area_range=area)
        for area in AREAS
    ]
    return match_many(*cocosets.as_sets(kind), hows)


@pytest.mark.parametrize("library", [True, False])
@pytest.mark.parametrize(
    ("kind", "most"),
    [("bbox", 100), *(pytest.param(*one, marks=pytest.mark.slow) for one in SLOW)],
)
def test_pairs_and_ignored_detections_are_those_of_pycocotools(
    kind: str, most: int, library: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if library and not native.available():
        pytest.skip("no compiled library")
    monkeypatch.setattr(native, "available", lambda: library)
    evaluation = cocosets.evaluated(kind, maxDets=[most])
    references, results = evaluation.cocoGt, evaluation.cocoDt
    images, categories = sorted(references.imgs), sorted(references.cats)
    seen = 0
    by_key = {
        (one["category_id"], tuple(one["aRng"]), one["image_id"]): one
        for one in evaluation.evalImgs
        if one is not None
    }
    for area, lists in zip(AREAS, matched(kind, most, library=library), strict=True):
        for category, image in itertools.product(range(len(categories)), range(len(images))):
            entries = np.flatnonzero((lists.image == image) & (lists.category == category))
            key = (categories[category], area, images[image])
            theirs: Any = by_key.get(key)
            if theirs is None:
                assert not len(entries)
                assert not lists.n_references[image, category]
                continue
            own = results.imgToAnns[images[image]]
            assert [own[i]["id"] for i in lists.detection[entries]] == theirs["dtIds"]
            true = references.imgToAnns[images[image]]
            ids = np.array([one["id"] for one in true] + [0])
            ignored = lists.outcome[:, entries] == Outcome.IGNORED
            same = ids[lists.reference[:, entries]] == theirs["dtMatches"]
            # They have sides of boxes and we have corners, so that an equal overlap with a crowd
            # and with another ignored object is rounded otherwise; masks are counted exactly.
            assert (same | (ignored if kind == "bbox" else False)).all()
            assert (ignored == theirs["dtIgnore"]).all()
            assert lists.n_references[image, category] == (theirs["gtIgnore"] == 0).sum()
            seen += len(entries)
    assert seen > 1000
