"""COCO JSON as objects, against pycocotools."""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from over_data import estimate_detections

import halfwidth as hw
from halfwidth.core.objects import CroppedMask
from halfwidth.detection.io.read_objects import align

# pycocotools decodes masks in a way that NumPy 2 warns of.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")

IMAGES = [
    {"id": 7, "file_name": "a.jpg", "height": 20, "width": 30},
    {"id": 9, "file_name": "b.jpg", "height": 20, "width": 30},
]
CATEGORIES = [{"id": 3, "name": "cat"}, {"id": 5, "name": "dog"}]
ANNOTATION = {"id": 1, "image_id": 7, "category_id": 5, "bbox": [1, 2, 10, 5], "area": 40}
RESULT = {"image_id": 7, "category_id": 5, "bbox": [1, 2, 10, 5], "score": 0.5}


def document(**changed: Any) -> dict[str, Any]:
    return {"images": IMAGES, "categories": CATEGORIES, "annotations": [ANNOTATION]} | changed


def whole(mask: CroppedMask, shape: tuple[int, ...]) -> Any:
    found = np.zeros(shape, dtype=bool)
    found[tuple(slice(a, a + n) for a, n in zip(mask.start, mask.mask.shape, strict=True))] = (
        mask.mask
    )
    return found


def decoded(code: Any) -> CroppedMask:
    """The mask of one detection."""
    (mask,) = hw.read_objects([RESULT | {"segmentation": code}]).objects[0].masks or ()
    return mask


def test_encoded_masks_are_those_of_pycocotools() -> None:
    drawing = pytest.importorskip("pycocotools.mask")
    rng = np.random.default_rng(1)
    for _ in range(200):
        shape = tuple(int(side) for side in rng.integers(1, 40, 2))
        mask = rng.random(shape) < rng.choice([0, 0.02, 0.1, 0.5, 0.9, 1])
        encoded = drawing.encode(np.asfortranarray(mask.astype(np.uint8)))
        found = decoded({"size": list(shape), "counts": encoded["counts"].decode()})
        np.testing.assert_array_equal(whole(found, shape), mask)
        # Tight, and once more without compression.
        for axis in range(2):
            held = np.asarray(found.mask.any(axis=1 - axis))
            assert not held.size or (held[0] and held[-1])
        column = mask.T.reshape(-1)
        changes = np.flatnonzero(np.diff(np.r_[False, column]))
        counts = np.diff(np.r_[0, changes, column.size]).tolist()
        plain = decoded({"size": list(shape), "counts": counts})
        assert plain.start == found.start
        np.testing.assert_array_equal(plain.mask, found.mask)


@pytest.mark.parametrize("kind", ["bbox", "segm"])
def test_coco100_is_what_pycocotools_reads(
    kind: str, shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shared / "data" / "coco100"
    coco = pytest.importorskip("pycocotools.coco")
    truth = coco.COCO(str(folder / "instances_val2014_100.json"))
    results = folder / f"instances_val2014_fake{kind}100_results.json"
    found = truth.loadRes(str(results))
    capsys.readouterr()
    detections, references, notes = align(
        hw.read_objects(results, masks=kind == "segm"),
        hw.read_objects(folder / "instances_val2014_100.json", role="references", masks=False),
    )
    assert len(notes) == 1
    assert references.identifiers is not None
    assert references.shapes is not None
    ids = [one["id"] for one in truth.loadCats(truth.getCatIds())]
    for place, image in enumerate(references.identifiers):
        of_image = truth.imgToAnns[int(image)]
        objects = references.objects[place]
        assert [ids[one] for one in objects.category] == [one["category_id"] for one in of_image]
        crowd = np.zeros(len(objects)) if objects.crowd is None else objects.crowd
        assert crowd.tolist() == [one["iscrowd"] for one in of_image]
        scored = found.imgToAnns[int(image)]
        objects = detections.objects[place]
        assert [ids[one] for one in objects.category] == [one["category_id"] for one in scored]
        if not scored:
            continue
        assert objects.score is not None
        assert objects.score.tolist() == [one["score"] for one in scored]
        if kind == "bbox":
            assert objects.boxes is not None
            low, high = objects.boxes[:, :2], objects.boxes[:, 2:]
            np.testing.assert_allclose(np.c_[low, high - low], [one["bbox"] for one in scored])
        else:
            assert objects.masks is not None
            for mask, one in list(zip(objects.masks, scored, strict=True))[::5]:
                full = whole(mask, references.shapes[place])
                assert (full == found.annToMask(one)).all()


def test_polygons_and_crowds_are_drawn_as_pycocotools_draws_them(
    shared: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = shared / "data" / "coco100"
    coco = pytest.importorskip("pycocotools.coco")
    truth = coco.COCO(str(folder / "instances_val2014_100.json"))
    capsys.readouterr()
    references = hw.read_objects(folder / "instances_val2014_100.json", role="references")
    assert references.shapes is not None
    for place in range(0, 100, 10):
        of_image = truth.imgToAnns[int((references.identifiers or ())[place])]
        for mask, one in zip(references.objects[place].masks or (), of_image, strict=True):
            full = whole(mask, references.shapes[place])
            assert (full == truth.annToMask(one)).all()


def test_voc98_is_matched_by_file_names_and_names_of_classes(shared: Path) -> None:
    folder = shared / "data" / "voc98"
    given = [
        json.loads((folder / name).read_text())
        for name in ("dets_coco_dets.json", "gts_instances_default.json")
    ]
    detections, references, notes = align(
        hw.read_objects(folder / "dets_coco_dets.json"),
        hw.read_objects(folder / "gts_instances_default.json", role="references"),
    )
    assert detections.classes == references.classes
    assert notes[-1].startswith("2 of 100 images of the references are not among the detections")
    for objects, one in ((detections, given[0]), (references, given[1])):
        names = {row["id"]: row["file_name"] for row in one["images"]}
        classes = {row["id"]: row["name"] for row in one["categories"]}
        expected = sorted(
            (names[row["image_id"]], classes[row["category_id"]], *row["bbox"], row.get("score", 0))
            for row in one["annotations"]
        )
        found = sorted(
            (image, objects.classes[code], *box[:2], *(box[2:] - box[:2]), score)
            for image, of in zip(objects.images, objects.objects, strict=True)
            for code, box, score in zip(
                of.category,
                np.zeros((0, 4)) if of.boxes is None else of.boxes,
                np.zeros(len(of)) if of.score is None else of.score,
                strict=True,
            )
        )
        assert len(found) == len(expected)
        assert [row[:2] for row in found] == [row[:2] for row in expected]
        np.testing.assert_allclose([r[2:] for r in found], [r[2:] for r in expected])


def test_the_same_objects_come_from_memory() -> None:
    read = hw.read_objects(document(), role="references")
    assert read.images == ("a.jpg", "b.jpg")
    assert read.shapes == ((20, 30), (20, 30))
    assert [len(one) for one in read.objects] == [1, 0]
    assert read.objects[0].boxes is not None
    assert read.objects[0].boxes.tolist() == [[1, 2, 11, 7]]
    found = hw.read_objects([RESULT])
    assert found.objects[0].score is not None
    detections, references, notes = align(found, read)
    assert detections.images == references.images
    assert [len(one) for one in detections.objects] == [1, 0]
    assert detections.objects[0].category.tolist() == [1]
    assert "1 of 2 images" in notes[0]


def masks_of(read: hw.ObjectSet) -> list[Any]:
    return [mask.mask for one in read.objects for mask in one.masks or ()]


def test_masks_are_decoded_when_they_are_needed_and_kept_up_to_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    codes = [{"size": [20, 30], "counts": [place, 6, 594 - place]} for place in range(9)]
    results = [RESULT | {"segmentation": code} for code in codes]
    masks = hw.read_objects(results).objects[0].masks
    assert masks is not None
    seen: list[Any] = []

    def counted(code: dict[str, Any]) -> CroppedMask:
        seen.append(code)
        return CroppedMask((code["counts"][0], 0), np.ones((6, 1), dtype=bool))

    monkeypatch.setattr("halfwidth.detection.io.segmentations.mask_of_rle", counted)
    assert masks[3].start == (3, 0)
    assert masks[3].mask.shape == (6, 1)
    assert seen == [codes[3]]
    monkeypatch.setattr("halfwidth.detection.io.segmentations.MOST_PIXELS", 12)
    for mask in masks:
        assert mask.mask.sum() == 6
    # The first one has been given up in between.
    assert len(seen) == 10
    # A copy in another process decodes for itself.
    again = pickle.loads(pickle.dumps(masks[8]))  # noqa: S301 -- our own
    assert again.start == (8, 0)


def without(one: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in one.items() if name != key}


@pytest.mark.parametrize(
    ("given", "role", "words"),
    [
        (without(document(), "annotations"), "references", "no list of 'annotations'"),
        (without(document(), "images"), "references", "no list of 'images'"),
        ([RESULT], "references", "is a list of detections"),
        (document(images=IMAGES[1:]), "references", "image_id 7, which 'images' does not list"),
        (document(categories=[]), "references", "category_id 5, which 'categories' does not"),
        (document(images=[*IMAGES, IMAGES[0]]), "references", "the id 7 more than once"),
        ([RESULT | {"bbox": [1, 2, -3, 4]}], "detections", "side along x is negative (-3)"),
        ([RESULT | {"bbox": [1, 2, 3]}], "detections", "a box is four numbers"),
        ([RESULT | {"bbox": [1, 2, 3, "4"]}], "detections", "a box is four numbers"),
        ([RESULT | {"score": float("nan")}], "detections", "has the score nan"),
        ([RESULT | {"score": "high"}], "detections", "has the score 'high', which is no number"),
        ([without(RESULT, "score")], "detections", "has no 'score'"),
        ([without(RESULT, "bbox")], "detections", "has no 'bbox' or 'segmentation'"),
        ([RESULT | {"image_id": [1]}], "detections", "ids are numbers or text"),
        ([RESULT, 3], "detections", "result 2 is 3"),
        (document(annotations=[ANNOTATION | {"iscrowd": 2}]), "references", "0 or 1"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(given: Any, role: Any, words: str) -> None:
    with pytest.raises(hw.DataError) as error:
        hw.read_objects(given, role=role)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("segmentation", "words"),
    [
        ({"size": [20, 31], "counts": [620]}, "20 x 31 pixels (height x width) in an image of"),
        ({"size": [20, 30], "counts": [20]}, "do not fill its 'size' of 20 x 30"),
        ({"size": [20, 30], "counts": "\x00"}, "letters in its 'counts'"),
        ({"size": [20, 30], "counts": "P"}, "damaged or cut short"),
        ({"size": [20, 30], "counts": [0.5]}, "has the 'counts' [0.5]"),
        ({"size": [20], "counts": []}, "has the 'size' [20]"),
        ([[1, 2, 3, 4]], "a list of three points or more"),
        ([[1, 2, 3, 4, 1e9, 4]], "far outside its image"),
        ("P", "it is a list of polygons or a run-length"),
        ([[]], "three points"),
    ],
)
def test_masks_that_are_none_are_refused(segmentation: Any, words: str) -> None:
    made = document(annotations=[ANNOTATION | {"segmentation": segmentation}])
    with pytest.raises(hw.DataError) as error:
        masks_of(hw.read_objects(made, role="references"))
    assert words in str(error.value)
    assert str(error.value).startswith("references: annotation 1 (image 7) has")
    assert hw.read_objects(made, role="references", masks=False).objects[0].masks is None


def test_who_needs_masks_is_told_of_those_that_are_missing() -> None:
    code = {"size": [20, 30], "counts": [0, 6, 594]}
    read = hw.read_objects([RESULT | {"segmentation": code}, RESULT])
    assert len(read.objects[0]) == 2
    with pytest.raises(hw.DataError, match=r"result 2 \(image 7\) has no segmentation"):
        masks_of(read)


def test_a_mask_of_two_billion_pixels_takes_no_memory() -> None:
    huge = {"size": [10**9, 10**9], "counts": [10**18]}
    with pytest.raises(hw.DataError, match="above"):
        decoded(huge)


def test_missing_pycocotools_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pycocotools", None)
    polygon = [[1.0, 2.0, 9.0, 2.0, 9.0, 9.0]]
    made = document(annotations=[ANNOTATION | {"segmentation": polygon}])
    # Who needs boxes alone needs no pycocotools.
    read = hw.read_objects(made, role="references")
    assert read.objects[0].boxes is not None
    with pytest.raises(hw.DataError, match=r"pip install 'halfwidth\[detection\]'"):
        masks_of(read)


def test_numbers_of_any_length_are_numbers() -> None:
    found = hw.read_objects([RESULT | {"score": 10**30, "bbox": [1, 2, 10**20, 4]}]).objects[0]
    assert found.score is not None
    assert found.score.tolist() == [1e30]
    assert found.boxes is not None
    assert found.boxes[0].tolist() == [1, 2, 1e20, 6]
    with pytest.raises(hw.DataError, match="which is no number"):
        hw.read_objects([RESULT | {"score": 10**400}])


def test_images_are_matched_by_names_then_ids() -> None:
    truth = hw.read_objects(document(), role="references")

    def aligned(image: str) -> list[int]:
        found = hw.read_objects(
            {image: {"boxes": [[1, 2, 3, 4]], "labels": ["cat"], "scores": [1]}}
        )
        return [len(one) for one in align(found, truth)[0].objects]

    assert aligned("b.jpg") == aligned("sets/b.jpg") == aligned("b.png") == aligned("9") == [0, 1]


def test_corners_taken_for_sides_are_suspected(shared: Path) -> None:
    folder = shared / "data" / "coco100"
    truth = hw.read_objects(folder / "instances_val2014_100.json", role="references", masks=False)
    results = json.loads((folder / "instances_val2014_fakebbox100_results.json").read_text())
    right = align(hw.read_objects(results), truth)[2]
    assert not any("leave their images" in note for note in right)
    for one in results:
        x, y, width, height = one["bbox"]
        one["bbox"] = [x, y, x + width, y + height]
    wrong = align(hw.read_objects(results), truth)[2]
    assert any("of 734 boxes of the detections leave their images" in note for note in wrong)


def test_unknown_images_are_errors_unless_left_out() -> None:
    truth = hw.read_objects(document(), role="references")
    found = hw.read_objects([RESULT, RESULT | {"image_id": 8}])
    with pytest.raises(hw.DataError, match="1 image that the references lack: 8"):
        align(found, truth)
    detections, _, notes = align(found, truth, unknown_images="omit")
    assert [len(one) for one in detections.objects] == [1, 0]
    assert "were left out, with 1 detection (8)" in notes[0]


def test_classes_are_matched_mapped_and_chosen() -> None:
    truth = hw.read_objects(document(), role="references")

    def found(*labels: str) -> Any:
        boxes = [[1, 2, 3, 4]] * len(labels)
        given = {"boxes": boxes, "labels": list(labels), "scores": [0.5] * len(labels)}
        return hw.read_objects({"a.jpg": given})

    with pytest.raises(hw.DataError, match=r"lack: 'dogs'; .* classes=\{'dogs': 'dog'\}"):
        align(found("dogs"), truth)
    detections, references, _ = align(found("dogs", "cat"), truth, classes={"dogs": "dog"})
    assert detections.classes == references.classes == ("cat", "dog")
    assert detections.objects[0].category.tolist() == [1, 0]
    detections, references, notes = align(found("dog", "bird"), truth, classes=["bird", "cat"])
    assert detections.classes == references.classes == ("cat", "bird")
    assert detections.objects[0].category.tolist() == [1]
    assert len(references.objects[0]) == 0
    assert "1 detection, 1 reference" in notes[-1]


def test_boxes_are_matched_where_nothing_can_draw_the_polygons_beside_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pycocotools", None)
    polygon = [[1.0, 2.0, 11.0, 2.0, 11.0, 7.0]]
    annotations = [
        ANNOTATION | {"id": place, "image_id": image["id"], "segmentation": polygon, "iscrowd": 0}
        for place, image in enumerate(IMAGES, 1)
    ]
    truth = {"images": IMAGES, "categories": CATEGORIES, "annotations": annotations}
    found = [RESULT | {"image_id": image["id"]} for image in IMAGES]
    options: dict[str, Any] = {"metric": ["ap50"], "rng": 1, "n_resamples": 99}
    estimates = estimate_detections(found, truth, localisation="box_iou", **options)
    assert estimates[0].value == 1
    assert any("needs pycocotools" in note for note in estimates.notes)
    with pytest.raises(
        hw.DataError, match="polygons, and drawing them as COCO does needs pycocotools"
    ):
        estimate_detections(found, truth, localisation="point_in_mask", **options)
