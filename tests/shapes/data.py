"""Small files of every kind of data, of so many models, metrics and levels."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["DESIGNS", "KINDS", "METRICS", "Shape", "data_frame", "objects", "write"]

N = 18
MODELS = ("nnU-Net", "SwinUNETR", "MedSAM")
ORGANS = ("liver", "left kidney", "spleen")
SIDES = ("phase 1", "phase 2")
# The first ones of each kind; one in per cent of 1, one in millimetres, and both directions.
METRICS = {
    "wide": ("dsc", "hd95", "iou"),
    "long": ("dsc", "hd95", "iou"),
    "predictions": ("auroc", "brier_score", "sensitivity"),
    "detections": ("ap50", "fppi", "froc_score"),
    "readings": ("cohen_kappa", "accuracy", "f1"),
    "runs": ("accuracy",),
    "published": ("dsc",),
    "masks": ("dsc", "hd95", "iou"),
}
KINDS = tuple(METRICS)
# Columns that say how cases belong together.
DESIGNS = {"none": {}, "clusters": {"groups": "patient"}, "strata": {"strata": "site"}}


@dataclass(frozen=True)
class Shape:
    """So many models and metrics, within the levels of so many columns."""

    models: int = 1
    metrics: int = 1
    # Of each grouping column.
    levels: tuple[int, ...] = ()

    @property
    def by(self) -> list[str]:
        return ["organ", "phase"][: len(self.levels)]


def data_frame(kind: str, shape: Shape) -> pd.DataFrame:
    """The table of a kind: a row for each case, model and level."""
    g = np.random.default_rng(49)
    at = np.arange(N)
    truth = at % 3 == 0
    organs = ORGANS[: shape.levels[0]] if shape.levels else ("",)
    sides = SIDES[: shape.levels[1]] if len(shape.levels) > 1 else ("",)
    parts = []
    for nth, model in enumerate(MODELS[: shape.models]):
        for organ in organs:
            for side in sides:
                dice = np.round(g.beta(12 - 3 * nth, 2, N), 4)
                score = np.round(g.beta(np.where(truth, 5, 2), np.where(truth, 2, 4 - nth)), 3)
                part: dict[str, Any] = {
                    "case": [f"c{n:02d}" for n in at],
                    "patient": [f"p{n // 2}" for n in at],
                    "site": [f"s{n % 2}" for n in at],
                    "model": model,
                    **dict(zip(shape.by, (organ, side), strict=False)),
                }
                if kind == "predictions":
                    part |= {"truth": truth.astype(int), "score": score, "weight": 1 + at % 4 / 2}
                else:
                    part |= {"dsc": dice, "hd95": np.round(40 * (1 - dice) + g.random(N), 2)}
                    part |= {"iou": np.round(dice / (2 - dice), 4)}
                    part = {k: part[k] for k in part if k not in METRICS["wide"][shape.metrics :]}
                parts.append(pd.DataFrame(part))
    frame = pd.concat(parts, ignore_index=True)
    if kind != "long":
        return frame
    names = list(METRICS["long"][: shape.metrics])
    kept = [name for name in frame.columns if name not in names]
    return frame.melt(kept, names, var_name="metric")


def write(kind: str, shape: Shape, folder: Path) -> list[str]:
    """Write the files of a kind into a folder, and return their names."""
    if kind in ("wide", "long", "predictions"):
        data_frame(kind, shape).to_csv(folder / "cases.csv", index=False)
        return ["cases.csv"]
    if kind == "detections":
        return _detections(shape, folder)
    if kind == "masks":
        return _masks(shape, folder)
    made = {"readings": _readings, "runs": _runs, "published": _published}[kind](shape)
    made.to_csv(folder / "cases.csv", index=False)
    return ["cases.csv"]


def _readings(shape: Shape) -> pd.DataFrame:
    """A model, and two to four raters of the same cases."""
    at = np.arange(2 * N)
    raters = {
        name: np.where(at % 7 == nth + 2, 1 - at % 2, at % 2)
        for nth, name in enumerate("PQRS"[: shape.models + 1])
    }
    model = np.where(at % 5 == 1, 1 - at % 2, at % 2)
    return pd.DataFrame({"case": [f"c{n:02d}" for n in at], "unet": model, **raters})


def _runs(shape: Shape) -> pd.DataFrame:
    g = np.random.default_rng(50)
    sources = ("seed", "split", "augmentation")[: shape.levels[0]] if shape.levels else ("seed",)
    orders = SIDES[: shape.levels[1]] if len(shape.levels) > 1 else ("",)
    rows = [
        {"run": run, "organ": source, "phase": order, "accuracy": round(g.normal(0.87, 0.01), 4)}
        for source in sources
        for order in orders
        for run in range(20)
    ]
    frame = pd.DataFrame(rows)
    return frame[["run", *shape.by, "accuracy"]]


def _published(shape: Shape) -> pd.DataFrame:
    numbers = {
        "label": MODELS,
        "n": [50, 50, 80],
        "mean": [0.89, 0.87, 0.8],
        "sd": [0.08, 0.1, 0.1],
    }
    return pd.DataFrame(numbers).head(shape.models)


def _masks(shape: Shape, folder: Path) -> list[str]:
    """Maps of as many labels as there are levels."""
    for name in ("predicted", "reference"):
        (folder / name).mkdir()
        for at in range(4):
            labels = np.zeros((4, 16, 24), np.uint8)
            for label in range(max(shape.levels, default=1)):
                labels[1:4, 3 + at : 11, 8 * label + 1 : 8 * label + 6] = label + 1
            shifted = np.roll(labels, at % 2, axis=1) if name == "predicted" else labels
            np.save(folder / name / f"c{at}.npy", shifted)
    return ["predicted", "reference"]


def objects(model: int, classes: int) -> list[dict[str, Any]]:
    """Boxes in images as lists: those to be found (-1), or what a model found of them."""
    images = []
    for image in range(12):
        g = np.random.default_rng([51, image])
        corner = np.array([[30.0 * n, 10.0 + image] for n in range(1 + image % 3)])
        boxes = np.hstack([corner, corner + g.choice([8, 12, 30], (len(corner), 1))])
        labels = 1 + (np.arange(len(boxes)) + image) % classes
        if model < 0:
            images.append({"boxes": boxes, "labels": labels})
            continue
        g = np.random.default_rng([52, image, model])
        kept = g.random(len(boxes)) < 0.9 - model / 10
        stray = np.array([[120.0, 120, 130, 130]] if image % (model + 2) == 0 else []).reshape(
            -1, 4
        )
        found = np.vstack([boxes[kept] + (1 + model) * np.array([1, 0, 1, 0]), stray])
        scores = np.round(g.uniform(0.1, 1, len(found)), 3)
        images.append(
            {
                "boxes": found,
                "labels": np.r_[labels[kept], np.ones(len(stray), int)],
                "scores": scores,
            }
        )
    return images


def _detections(shape: Shape, folder: Path) -> list[str]:
    """As COCO's JSON, of as many classes as there are levels."""
    classes = max(shape.levels, default=2)
    kinds = [{"id": n + 1, "name": name} for n, name in enumerate(("cyst", "nodule", "mass"))]
    images = [
        {"id": n + 1, "file_name": f"i{n:02d}.png", "width": 200, "height": 200} for n in range(12)
    ]
    for name, model in [("truth", -1), *((name, n) for n, name in enumerate(MODELS))]:
        rows: list[dict[str, Any]] = []
        for at, image in enumerate(objects(model, classes)):
            for k, (x, y, right, down) in enumerate(image["boxes"].tolist()):
                score = {"score": float(image["scores"][k])} if model >= 0 else {}
                box = {"bbox": [x, y, right - x, down - y], "area": (right - x) * (down - y)}
                kind = {"image_id": at + 1, "category_id": int(image["labels"][k])}
                rows.append({"id": len(rows) + 1, "iscrowd": 0} | kind | box | score)
        document = {"images": images, "categories": kinds[:classes], "annotations": rows}
        (folder / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    return [*(f"{name}.json" for name in MODELS[: shape.models]), "truth.json"]


def names_of(models: int) -> Sequence[str]:
    return MODELS[:models]
