"""COCO files as sets of objects, and what pycocotools makes of the same files."""

from __future__ import annotations

import contextlib
import functools
import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from halfwidth import ObjectSet
from halfwidth.core.objects import CroppedMask, Objects

FOLDER = Path(__file__).parents[2] / "shared" / "data" / "coco100"
REFERENCES = FOLDER / "instances_val2014_100.json"
RESULTS = {
    "bbox": FOLDER / "instances_val2014_fakebbox100_results.json",
    "segm": FOLDER / "instances_val2014_fakesegm100_results.json",
}


@functools.cache
def loaded(kind: str) -> tuple[Any, Any]:
    """References and results of coco100 as pycocotools reads them."""
    from pycocotools.coco import COCO

    with contextlib.redirect_stdout(io.StringIO()):
        references = COCO(str(REFERENCES))
        return references, references.loadRes(str(RESULTS[kind]))


def evaluated(kind: str, **params: Any) -> Any:
    """The evaluation by pycocotools, with other parameters if need be."""
    from pycocotools.cocoeval import COCOeval

    references, results = loaded(kind)
    with contextlib.redirect_stdout(io.StringIO()):
        evaluation = COCOeval(references, results, kind)
        for name, value in params.items():
            setattr(evaluation.params, name, value)
        evaluation.evaluate()
    return evaluation


@functools.cache
def as_sets(kind: str) -> tuple[ObjectSet, ObjectSet]:
    """Detections and references of coco100, in the order of the image ids."""
    references, results = loaded(kind)
    images = sorted(references.imgs)
    return _set(results, references, images, kind, found=True), _set(
        references, references, images, kind, found=False
    )


def _set(coco: Any, references: Any, images: list[int], kind: str, *, found: bool) -> ObjectSet:
    categories = sorted(references.cats)
    objects = []
    for image in images:
        own = coco.imgToAnns[image]
        boxes = np.array([one["bbox"] for one in own], dtype=float).reshape(-1, 4)
        boxes[:, 2:] += boxes[:, :2]
        objects.append(
            Objects(
                category=np.array([categories.index(one["category_id"]) for one in own], np.intp),
                score=np.array([one["score"] for one in own], float) if found else None,
                boxes=boxes,
                masks=tuple(_mask(coco, one) for one in own) if kind == "segm" else None,
                area=np.array([one["area"] for one in own], float),
                crowd=None if found else np.array([one["iscrowd"] for one in own], bool),
            )
        )
    names = tuple(str(image) for image in images)
    return ObjectSet(names, tuple(objects), tuple(str(one) for one in categories))


def _mask(coco: Any, annotation: Any) -> CroppedMask:
    with warnings.catch_warnings():
        # Of NumPy 2, at what pycocotools hands over.
        warnings.simplefilter("ignore", DeprecationWarning)
        mask = coco.annToMask(annotation)
    held = [np.flatnonzero(mask.any(axis=1 - axis)) for axis in (0, 1)]
    if not len(held[0]):
        return CroppedMask((0, 0), np.zeros((0, 0), bool))
    low = tuple(int(axis[0]) for axis in held)
    high = tuple(int(axis[-1]) + 1 for axis in held)
    crop = mask[tuple(slice(a, b) for a, b in zip(low, high, strict=True))]
    return CroppedMask(low, crop.astype(bool))
