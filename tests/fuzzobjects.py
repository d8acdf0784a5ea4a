"""Good files of objects in every format, to be damaged: see `fuzzreaders`."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from fuzzdamage import damage_in_kind
from fuzzfiles import Source

__all__ = ["OBJECT_FORMATS", "damaged_objects", "read_damaged"]

Files = Mapping[str, bytes]
IN_FOLDERS = {"yolo", "voc", "labels", "probabilities"}
# A mask of 20 x 30 as pycocotools encodes it, and the lengths of its runs.
RUNS = [103, 4, 16, 4, 16, 4, 453]
COUNTS = "W34`0000e="
IMAGES = [{"id": 7, "file_name": "a.png", "height": 20, "width": 30, "patient": "p"}]
IMAGES += [{"id": 9, "file_name": "b.png", "height": 20, "width": 30, "patient": "q"}]
CATEGORIES = [{"id": 3, "name": "cat"}, {"id": 5, "name": "dog"}]
LUNA = "seriesuid,coordX,coordY,coordZ,"


def _coco(r: Source) -> Files:
    masks: list[Any] = [
        {"size": [20, 30], "counts": COUNTS},
        {"size": [20, 30], "counts": RUNS},
        [[1.0, 2.0, 9.0, 2.0, 9.0, 9.0]],
    ]
    one = {"image_id": 7, "category_id": 5, "bbox": [1, 2, 10, 5]}
    with_masks = r.random() < 0.6
    found = [
        one
        | {"image_id": r.choice([7, 9]), "score": r.random(), "area": 40, "iscrowd": int(i == 0)}
        | ({"id": i, "segmentation": r.choice(masks)} if with_masks else {"id": i})
        for i in range(r.choice([0, 1, 4]))
    ]
    document = {"images": IMAGES, "categories": CATEGORIES, "annotations": found}
    return {"f.json": json.dumps(found if r.random() < 0.4 else document).encode()}


def _table(r: Source) -> Files:
    header = r.choice(
        [
            "image,label,score,x_min,y_min,x_max,y_max",
            "filename;class;conf;x;y;w;h",
            "image,patient,iscrowd,x,y,z,diameter",
            LUNA + "diameter_mm",
            LUNA + "probability",
        ]
    )
    separator = ";" if ";" in header else ","
    names = header.split(separator)

    def cell(name: str, row: int) -> str:
        if name in ("image", "filename", "seriesuid"):
            return f"{row % 3}.png"
        if name in ("label", "class", "patient"):
            return r.choice(["cat", "dog"])
        if name == "iscrowd":
            return r.choice("01")
        return str(r.randint(1, 5) + 10 * ("max" in name))

    rows = [separator.join(cell(name, row) for name in names) for row in range(6)]
    return {"f.csv": "\n".join([header, *rows, ""]).encode()}


def _yolo(r: Source) -> Files:
    score = " 0.5" if r.random() < 0.5 else ""
    line = f"{r.randint(0, 1)} 0.5 0.4 0.2 0.1{score}\n"
    files = {"a.txt": line * 3, "b.txt": "", "classes.txt": "cat\ndog\n"}
    return {name: text.encode() for name, text in files.items()}


def _voc(r: Source) -> Files:
    score = "<score>0.5</score>" if r.random() < 0.5 else "<difficult>1</difficult>"
    box = "<xmin>1</xmin><ymin>2</ymin><xmax>5</xmax><ymax>6.5</ymax>"
    one = f"<object><name>cat</name>{score}<bndbox>{box}</bndbox></object>"
    size = "<size><width>30</width><height>20</height></size>"
    text = f'<?xml version="1.0"?><annotation>{size}{one * 2}</annotation>'
    return {"a.xml": text.encode(), "b.xml": b"<annotation/>"}


def _array(values: Any) -> bytes:
    made = io.BytesIO()
    np.save(made, values)
    return made.getvalue()


def _labels(r: Source) -> Files:
    values = np.zeros((6, 8), dtype=r.choice(["u1", "u4", "f4"]))
    values[1:3, 2:5], values[5, 5] = 1, r.choice([1, 2, 200])
    return {"a.npy": _array(values), "b.npy": _array(np.zeros((6, 8)))}


def _probabilities(r: Source) -> Files:
    values = np.zeros((6, 8), dtype=r.choice(["f2", "f4", "f8"]))
    values[1:3, 2:5], values[5, 5] = 0.75, 0.5
    return {"a.npy": _array(values)}


OBJECT_FORMATS: dict[str, Callable[[Source], Files]] = {
    "coco": _coco,
    "table": _table,
    "yolo": _yolo,
    "voc": _voc,
    "labels": _labels,
    "probabilities": _probabilities,
}


def damaged_objects(name: str) -> Callable[[Source], Files]:
    """Files of a format, of which one is damaged, or now and then none."""

    def files(r: Source) -> Files:
        parts = dict(OBJECT_FORMATS[name](r))
        hit = r.choice(sorted(parts))
        if r.random() > 0.1:
            parts[hit] = damage_in_kind(r, parts[hit])
        return parts

    return files


def read_damaged(name: str) -> Callable[[Path, Source], None]:
    """What reads such files, as detections or references, with options or without."""

    def read(path: Path, r: Source) -> None:
        from halfwidth import read_objects
        from halfwidth.detection.io.read_objects import align

        role = r.choice(["detections", "references"])
        options: dict[str, Any] = {"masks": r.random() < 0.8}
        if name == "probabilities":
            role, options["candidates"] = "detections", f"threshold={r.choice([0, 0.5])}"
        elif name == "labels":
            options["instances"] = r.choice([None, "labels", "components"])
        elif name == "yolo":
            options["image_sizes"] = r.choice([None, {"a": (30, 20), "b": (30, 20)}])
        elif name == "table":
            options["groups"] = r.choice([None, None, "patient"])
            options["excluded"] = path if role == "references" and r.random() < 0.2 else None
        source = path.parent if name in IN_FOLDERS else path
        found = read_objects(source, role=role, format=name, **options)  # type: ignore[arg-type]
        for one in found.objects:
            assert len(one) == len(one.category)
            assert one.score is None or bool(np.isfinite(one.score).all())
            assert one.boxes is None or bool(np.isfinite(one.boxes).all())
            assert one.masks is None or all(mask.mask.dtype == bool for mask in one.masks)
        align(found, found)

    return read
