"""Objects in memory, as torchvision and torchmetrics have them, and what may be wrong with them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from halfwidth import DataError, HalfwidthError, ObjectSet, OptionError, read_objects
from halfwidth.core.option_table.table import OPTIONS
from halfwidth.detection.io.read_objects import align


class Tensor:
    """What a tensor on another device offers."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def detach(self) -> Tensor:
        return self

    def cpu(self) -> Any:
        return self.values


BOX = [[1.0, 2.0, 3.0, 5.0]]


def test_a_list_of_dicts_of_tensors() -> None:
    mask = np.zeros((1, 6, 7), dtype=np.uint8)
    mask[0, 2:5, 1:3] = 1
    found = read_objects(
        [
            {
                "boxes": Tensor(BOX),
                "scores": Tensor([0.5]),
                "labels": Tensor([3]),
                "masks": Tensor(mask),
            },
            {
                "boxes": Tensor(np.zeros((0, 4))),
                "scores": Tensor([]),
                "labels": Tensor([]),
                "masks": Tensor(np.zeros((0, 6, 7))),
            },
        ]
    )
    assert found.images == ("1", "2")
    assert found.by_place
    assert found.classes == ("3",)
    assert found.shapes == ((6, 7), (6, 7))
    assert [len(one) for one in found.objects] == [1, 0]
    first = found.objects[0]
    assert first.masks is not None
    assert first.masks[0].start == (2, 1)
    assert first.masks[0].mask.shape == (3, 2)
    assert read_objects([{"boxes": BOX, "masks": mask}], masks=False).objects[0].masks is None


def test_references_have_crowds_ignored_objects_and_areas_but_no_scores() -> None:
    given = {"boxes": BOX * 2, "scores": [1, 1], "iscrowd": [0, 1], "area": [4, 5]}
    read = read_objects([given, {"boxes": BOX, "area": [6], "ignored": [True]}], role="references")
    assert read.objects[0].score is None
    assert read.objects[0].crowd is not None
    assert read.objects[0].crowd.tolist() == [False, True]
    assert read.objects[1].crowd is not None
    assert read.objects[1].crowd.tolist() == [False]
    assert read.objects[1].ignored is not None
    assert read.objects[1].ignored.tolist() == [True]
    assert read.objects[1].area is not None
    assert read.objects[1].area.tolist() == [6]


@pytest.mark.parametrize(
    ("layout", "box"),
    [("xyxy", [1, 2, 3, 5]), ("xywh", [1, 2, 2, 3]), ("cxcywh", [2, 3.5, 2, 3])],
)
def test_formats_of_boxes(layout: Any, box: list[float]) -> None:
    found = read_objects([{"boxes": [box]}], box_format=layout)
    assert found.objects[0].boxes is not None
    assert found.objects[0].boxes.tolist() == BOX


def test_points_with_radii_in_space() -> None:
    found = read_objects({"scan": {"points": [[1, 2, 3]], "radii": [4], "scores": [0.5]}})
    assert found.images == ("scan",)
    assert found.classes == ("object",)
    assert found.objects[0].points is not None
    assert found.objects[0].points.tolist() == [[1, 2, 3]]
    assert found.objects[0].radii is not None
    assert found.objects[0].radii.tolist() == [4]


def test_images_are_named_by_a_key_or_correspond_by_their_order() -> None:
    one = {"boxes": BOX, "scores": [0.5]}
    named = read_objects([one | {"image_id": Tensor([7])}, one | {"image_id": 9}])
    assert named.images == ("7", "9")
    two, three = read_objects([one] * 2), read_objects([{"boxes": BOX}] * 3, role="references")
    with pytest.raises(DataError, match="detections of 2 images and references of 3"):
        align(two, three)
    assert align(two, read_objects([{"boxes": BOX}] * 2, role="references"))[0].images == ("1", "2")
    with pytest.raises(DataError, match="share one 'image_id'"):
        read_objects([one | {"image_id": 1}] * 2)


def test_no_images_at_all() -> None:
    found = read_objects([])
    assert found.images == ()
    truth = read_objects({"a": {"boxes": BOX}}, role="references")
    with pytest.raises(DataError, match="there are no images"):
        align(truth, ObjectSet((), (), ()))


def test_groups_and_strata_are_keys() -> None:
    given = [{"boxes": BOX, "patient": "p"}, {"boxes": BOX, "patient": "q"}]
    assert read_objects(given, role="references", groups="patient").groups == ("p", "q")
    with pytest.raises(OptionError, match="image '1' has no 'site'"):
        read_objects(given, role="references", strata="site")


def test_a_set_that_was_read_is_taken_as_it_is() -> None:
    found = read_objects([{"boxes": BOX}])
    assert read_objects(found) is found


def test_pycocotools_own_object_is_its_document(capsys: pytest.CaptureFixture[str]) -> None:
    coco = pytest.importorskip("pycocotools.coco").COCO()
    capsys.readouterr()
    coco.dataset = {
        "images": [{"id": 1, "file_name": "a", "height": 9, "width": 9}],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [{"image_id": 1, "category_id": 1, "bbox": [1, 2, 2, 3]}],
    }
    read = read_objects(coco, role="references")
    assert read.objects[0].boxes is not None
    assert read.objects[0].boxes.tolist() == BOX


NOT_SQUARE = [[1, 2, 3]]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"scores": [1]}, "has none of boxes, masks, points"),
        ({"boxes": NOT_SQUARE}, "boxes of shape (1, 3); (m, 4 or 6) is expected"),
        ({"boxes": [1, 2, 3, 4]}, "boxes of shape (4,)"),
        ({"boxes": [["a", 2, 3, 4]]}, "boxes that are not numbers"),
        ({"boxes": BOX, "scores": [1, 2]}, "has 1 objects and 2 scores"),
        ({"boxes": BOX, "labels": [1, 2]}, "has 1 objects and 2 labels"),
        ({"boxes": BOX, "labels": [0.5]}, "a class is no fraction"),
        ({"boxes": BOX, "labels": [[1]]}, "labels of shape (1, 1)"),
        ({"boxes": BOX, "scores": [np.inf]}, "object 1 of image '1' has the score inf"),
        ({"boxes": [[3, 2, 1, 5]]}, "object 1 of image '1' has a box whose side along x is neg"),
        ({"boxes": [[1, np.nan, 3, 5]]}, "coordinates are finite numbers"),
        ({"boxes": [[1, 0, 1e308, 5]]}, "coordinates are finite numbers, of 1e+100 at most"),
        ({"points": [[1, 1e308]], "radii": [1]}, "coordinates are finite numbers, of 1e+100"),
        ({"masks": np.zeros((2, 3))}, "masks of shape (2, 3) and type float64"),
        ({"masks": np.full((1, 2, 3), 0.5)}, "threshold probabilities first"),
        ({"masks": np.full((1, 2, 3), 2)}, "masks with values other than 0 and 1"),
        ({"points": [[1, 2]], "radii": [-1]}, "has the diameter -2"),
    ],
)
def test_what_does_not_fit_is_named(given: dict[str, Any], words: str) -> None:
    with pytest.raises(DataError) as error:
        read_objects([given])
    assert words in str(error.value)
    assert str(error.value).startswith("detections: ")


def test_what_one_image_has_others_must_have() -> None:
    with pytest.raises(DataError, match="image '2' has no scores, but others do"):
        read_objects([{"boxes": BOX, "scores": [1]}, {"boxes": BOX}])
    with pytest.raises(DataError, match="2 dimensions in one image and 3 in another"):
        read_objects([{"boxes": BOX}, {"boxes": [[1, 2, 3, 4, 5, 6]]}])
    planes = read_objects([{"boxes": BOX}])
    space = read_objects([{"boxes": [[1, 2, 3, 4, 5, 6]]}], role="references")
    with pytest.raises(DataError, match="in 2 dimensions, those of the references in 3"):
        align(planes, space)


@pytest.mark.parametrize("given", [5, None, "", {"a": 1}, pd.Series([1, 2]), [1, 2]])
def test_what_is_nothing_of_the_kind(given: Any) -> None:
    with pytest.raises(HalfwidthError) as error:
        read_objects(given)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"role": "truth"}, "unknown role of objects 'truth'"),
        ({"box_format": "yxyx"}, "unknown box format"),
        ({"box_convention": "odd"}, "unknown box convention"),
        ({"candidates": "threshold=0.5"}, "not with a dict for each image"),
    ],
)
def test_options_are_checked(option: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError) as error:
        read_objects([{"boxes": BOX}], **option)
    assert words in str(error.value)


def test_the_python_of_the_page_runs() -> None:
    page = Path(__file__).resolve().parents[3] / "docs" / "detection-formats.md"
    (block,) = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(block, str(page), "exec"), names)  # noqa: S102 -- our own page
    detections, references, _ = align(names["found"], names["truth"])
    assert [len(one) for one in detections.objects] == [1, 0]
    assert detections.classes == references.classes == ("cat",)


def test_the_page_has_every_format() -> None:
    page = Path(__file__).resolve().parents[3] / "docs" / "detection-formats.md"
    rows = re.findall(r"^\| [^|]*\| `(\w+)` \|", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert list(dict.fromkeys(rows)) == [*OPTIONS["format"].choices[1:]]
