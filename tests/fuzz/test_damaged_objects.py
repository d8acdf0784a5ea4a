"""Objects in memory with anything among them: an answer, or an error of ours in one line."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from fuzzfiles import Source

from halfwidth import HalfwidthError
from halfwidth.detection.io.read_objects import align, read_both

ODD: tuple[Any, ...] = (
    *(None, True, "", "a\nb", 0, -1, 10**400, 0.5, math.nan, math.inf, 1 + 2j, b"x", object()),
    *([], [1], [[1, 2]], [[1, 2, 3, 4]], [["a", 2, 3, 4]], {}, {"a": 1}, {1, 2}, np.array(3.0)),
    *(np.zeros((0, 4)), np.zeros((1, 3, 3)), np.array(["x"]), np.array([1], "M8[s]"), 1e308),
)
COCO_KEYS = ("images", "categories", "annotations", "bbox", "id", "image_id", "score", "width")


def per_image(r: Source) -> Any:
    one: dict[str, Any] = {"boxes": [[1, 2, 3, 4]], "labels": ["cat"], "scores": [0.5]}
    one |= {"masks": np.ones((1, 3, 3), dtype=bool), "image_id": 1, "iscrowd": [0], "area": [4]}
    given = [dict(one), dict(one, image_id=2)]
    for _ in range(r.choice([0, 1, 1, 2])):
        r.choice(given)[r.choice([*one, "points", "radii", "ignored"])] = r.choice(ODD)
    return {"a": given[0], "b": given[1]} if r.random() < 0.3 else given


def coco(r: Source) -> Any:
    document: dict[str, Any] = {
        "images": [{"id": 1, "file_name": "a", "height": 9, "width": 9}],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [
            {"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2, 2, 3], "score": 1}
        ],
    }
    for _ in range(r.choice([0, 1, 1, 2])):
        place: Any = r.choice([document, *(part[0] for part in document.values() if part)])
        if isinstance(place, dict):
            key = r.choice([*place, *COCO_KEYS])
            if place is document and key not in document:
                continue
            place[key] = r.choice(ODD)
        if not all(isinstance(part, list) for part in document.values()):
            break
    results = document["annotations"]
    # A text would be the name of a file.
    return results if r.random() < 0.3 and not isinstance(results, str) else document


def frame(r: Source) -> Any:
    columns: dict[str, Any] = {"image": ["a", "b"], "label": ["cat", "cat"], "score": [0.5, 0.25]}
    columns |= {name: [1.0, 2.0] for name in "xywh"}
    name = r.choice(list(columns))
    value = r.choice([one for one in ODD if np.ndim(np.asarray(one, dtype=object)) == 0])
    columns[name] = [columns[name][0], value]
    return pd.DataFrame({key: pd.Series(cells, dtype=object) for key, cells in columns.items()})


@pytest.mark.parametrize("made", [per_image, coco, frame])
def test_anything_among_objects_is_an_answer_or_an_error_of_ours(made: Any) -> None:
    outcomes = []
    for seed in range(120):
        r = Source(seed)
        try:
            found, truth = read_both(made(r), made(r))
            align(found, truth)
            outcomes.append("")
        except HalfwidthError as error:
            outcomes.append(str(error))
    assert [one for one in outcomes if "\n" in one] == []
    assert 5 < outcomes.count("") < 110
