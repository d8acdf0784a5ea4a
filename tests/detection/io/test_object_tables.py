"""Tables of boxes and centres, and what is said beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from halfwidth import DataError, HalfwidthError, OptionError, read_objects
from halfwidth.core.objects import Unit
from halfwidth.detection.io.read_objects import align, read_both

CORNERS = "image,label,x_min,y_min,x_max,y_max\na.png,cat,1,2,3,5\nb.png,,,,,\na.png,dog,0,0,9,9\n"


def boxes_of(given: Any, **options: Any) -> list[list[float]]:
    found = read_objects(given, **options)
    return [box.tolist() for one in found.objects if one.boxes is not None for box in one.boxes]


@pytest.mark.parametrize(
    ("columns", "cells"),
    [
        ("image,x_min,y_min,x_max,y_max", (1, 2, 4, 6)),
        ("filename,xmin,xmax,ymin,ymax", (1, 4, 2, 6)),
        ("Image ID,X0,Y0,X1,Y1", (1, 2, 4, 6)),
        ("image_id,x1,y1,x2,y2", (1, 2, 4, 6)),
        ("img,left,top,right,bottom", (1, 2, 4, 6)),
        ("image,x,y,w,h", (1, 2, 3, 4)),
        ("image,x,y,width,height", (1, 2, 3, 4)),
        ("patientId,bbox_x,bbox_y,bbox_width,bbox_height", (1, 2, 3, 4)),
        ("image,left,top,width,height", (1, 2, 3, 4)),
        ("image,cx,cy,w,h", (2.5, 4, 3, 4)),
        ("image,x_center,y_center,width,height", (2.5, 4, 3, 4)),
    ],
)
def test_boxes_in_all_usual_columns(columns: str, cells: tuple[float, ...]) -> None:
    names = columns.split(",")
    frame = pd.DataFrame([("a", *cells)], columns=names)
    assert boxes_of(frame) == [[1, 2, 4, 6]]
    shuffled = frame[[*reversed(names)]]
    assert boxes_of(shuffled) == [[1, 2, 4, 6]]


def test_boxes_in_space() -> None:
    frame = pd.DataFrame(
        [("s", 1, 2, 3, 4, 6, 8)],
        columns=["image", "x_min", "y_min", "z_min", "x_max", "y_max", "z_max"],
    )
    assert boxes_of(frame) == [[1, 2, 3, 4, 6, 8]]
    sides = pd.DataFrame([("s", 1, 2, 3, 3, 4, 5)], columns=["image", *"xyz", *"whd"])
    assert boxes_of(sides) == [[1, 2, 3, 4, 6, 8]]


def test_sizes_of_images_beside_corners_are_no_sides() -> None:
    frame = pd.DataFrame(
        [("a", 640, 480, 1, 2, 4, 6)],
        columns=["image", "width", "height", "xmin", "ymin", "xmax", "ymax"],
    )
    assert boxes_of(frame) == [[1, 2, 4, 6]]


def test_formats_and_conventions_that_the_user_names() -> None:
    centres = pd.DataFrame([("a", 2.5, 4, 3, 4)], columns=["image", "x", "y", "w", "h"])
    assert boxes_of(centres, box_format="cxcywh") == [[1, 2, 4, 6]]
    odd = pd.DataFrame([("a", 1, 2, 3, 4)], columns=["scan", "A", "B", "C", "D"])
    assert boxes_of(odd, columns={"box": "A,B,C,D"}) == [[1, 2, 3, 4]]
    assert boxes_of(odd, columns={"box": "A,B,C,D"}, box_format="xywh") == [[1, 2, 4, 6]]
    pixels = pd.DataFrame([("a", 1, 2, 3, 4)], columns=["image", "x1", "y1", "x2", "y2"])
    assert boxes_of(pixels, box_convention="inclusive") == [[1, 2, 4, 5]]
    with pytest.raises(OptionError, match="by two corners"):
        boxes_of(centres, box_convention="inclusive")
    with pytest.raises(OptionError, match="does not fit the columns x1, y1, x2, y2"):
        boxes_of(pixels, box_format="xywh")


def test_rows_without_coordinates_are_images_without_objects(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(CORNERS)
    read = read_objects(tmp_path / "r.csv", role="references")
    assert read.images == ("a.png", "b.png")
    assert [len(one) for one in read.objects] == [2, 0]
    assert read.classes == ("cat", "dog")
    assert not read.notes


def test_who_names_no_image_without_objects_is_told() -> None:
    frame = pd.DataFrame([("a", 1, 2, 3, 4)], columns=["image", "x", "y", "w", "h"])
    assert "name no image without objects" in read_objects(frame, role="references").notes[0]
    listed = read_objects(frame, role="references", images=["b", "a"])
    assert not listed.notes
    assert listed.images == ("b", "a")
    assert [len(one) for one in listed.objects] == [0, 1]
    with pytest.raises(DataError, match="does not list"):
        read_objects(frame, role="references", images=["b"])


def test_detections_of_images_that_may_hold_no_object_are_told_what_to_do(tmp_path: Path) -> None:
    frame = pd.DataFrame([("a", 1, 2, 3, 4)], columns=["image", *"xywh"])
    found = read_objects(frame.assign(image="b"))
    with pytest.raises(DataError, match="If they hold no objects, list all images: images="):
        align(found, read_objects(frame, role="references"))
    listed = read_objects(frame, role="references", images=["a", "b"])
    assert [len(one) for one in align(found, listed)[0].objects] == [0, 1]
    (tmp_path / "a.txt").write_text("0 .5 .5 .2 .2")
    with pytest.raises(OptionError, match="name a table with a column of images and one of groups"):
        read_objects(tmp_path, role="references", groups="patient")


@pytest.mark.parametrize("kind", ["folder", "text", "csv", "one column", "table"])
def test_images_are_listed_in_many_ways(kind: str, tmp_path: Path) -> None:
    frame = pd.DataFrame([("a", 1, 2, 3, 4)], columns=["image", "x", "y", "w", "h"])
    path = tmp_path / {"text": "all.txt", "folder": "images"}.get(kind, "all.csv")
    if kind == "folder":
        path.mkdir()
        for name in ("a.png", "b.png", ".hidden"):
            (path / name).touch()
    else:
        text = {"text": "a\nb\n", "csv": "a\nb\n", "one column": "image\na\nb\n"}
        path.write_text(text.get(kind, "image,site\na,1\nb,2\n"))
    read = read_objects(frame, role="references", images=path)
    assert [name.removesuffix(".png") for name in read.images] == ["a", "b"]
    assert [len(one) for one in read.objects] == [1, 0]


def test_parquet_is_read_like_text(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame([("a", 1.0, 2.0, 3.0, 4.0, 0.5)], columns=[*"ixywh", "score"])
    frame = frame.rename(columns={"i": "image"})
    frame.to_parquet(tmp_path / "d.parquet")
    assert boxes_of(tmp_path / "d.parquet") == [[1, 2, 4, 6]]


LUNA = "seriesuid,coordX,coordY,coordZ,diameter_mm\n"


def test_luna16_with_excluded_findings_and_all_scans(tmp_path: Path) -> None:
    (tmp_path / "annotations.csv").write_text(LUNA + "1.2.3,-10,20,30,5.5\n1.2.4,1,2,3,6\n")
    (tmp_path / "annotations_excluded.csv").write_text(LUNA + "1.2.3,-10,2,30,-1\n1.2.5,1,1,1,3\n")
    (tmp_path / "seriesuids.csv").write_text("1.2.3\n1.2.4\n1.2.5\n1.2.6\n")
    text = "seriesuid,coordX,coordY,coordZ,probability\n1.2.3,-10,20,30,0.9\n1.2.6,0,0,0,0.1\n"
    (tmp_path / "candidates.csv").write_text(text)
    detections, references, notes = align(
        *read_both(
            tmp_path / "candidates.csv",
            tmp_path / "annotations.csv",
            {
                "excluded": tmp_path / "annotations_excluded.csv",
                "images": tmp_path / "seriesuids.csv",
            },
        )
    )
    assert references.images == ("1.2.3", "1.2.4", "1.2.5", "1.2.6")
    assert references.unit is detections.unit is Unit.MILLIMETRE
    assert [len(one) for one in references.objects] == [2, 1, 1, 0]
    assert [len(one) for one in detections.objects] == [1, 0, 0, 1]
    first = references.objects[0]
    assert first.points is not None
    assert first.points.tolist() == [[-10, 20, 30], [-10, 2, 30]]
    assert first.radii is not None
    # What LUNA16's evaluation gives findings without a diameter: 10 mm.
    assert first.radii.tolist() == [2.75, 5]
    assert first.ignored is not None
    assert first.ignored.tolist() == [False, True]
    assert any("10 mm" in note for note in notes)


def test_a_negative_diameter_of_a_reference_is_refused(tmp_path: Path) -> None:
    (tmp_path / "annotations.csv").write_text(LUNA + "1.2.3,-10,20,30,-1\n")
    with pytest.raises(DataError, match=r"line 2 \(image '1.2.3'\) has the diameter -1"):
        read_objects(tmp_path / "annotations.csv", role="references")


def test_coordinates_up_to_one_are_fractions_and_become_pixels() -> None:
    frame = pd.DataFrame(
        [("a", 0.1, 0.2, 0.5, 0.6)], columns=["ImageID", "XMin", "YMin", "XMax", "YMax"]
    )
    found = read_objects(frame)
    assert found.unit is Unit.FRACTION
    truth = read_objects(
        {
            "images": [{"id": 1, "file_name": "a", "height": 100, "width": 200}],
            "categories": [{"id": 1, "name": "object"}],
            "annotations": [{"image_id": 1, "category_id": 1, "bbox": [20, 20, 80, 40]}],
        },
        role="references",
    )
    detections, _, notes = align(found, truth)
    assert "became pixels" in notes[-1]
    assert "stay in fractions" in align(found, read_objects(frame, role="references"))[2][-1]
    assert detections.objects[0].boxes is not None
    np.testing.assert_allclose(detections.objects[0].boxes, [[20, 20, 100, 60]])
    unsized = read_objects({"a": {"boxes": [[20, 20, 100, 60]]}}, role="references")
    with pytest.raises(DataError, match="say how large the images are"):
        align(found, unsized)


def test_patients_from_a_column_or_a_table_of_their_own(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        [("a", "p", 1, 2, 3, 4), ("b", "p", 1, 2, 3, 4), ("a", "p", 5, 6, 7, 8)],
        columns=["image", "patient", *"xywh"],
    )
    assert read_objects(frame, role="references", groups="patient").groups == ("p", "p")
    (tmp_path / "patients.csv").write_text("image,patient\na.png,q\nb.png,r\n")
    read = read_objects(frame, role="references", groups=str(tmp_path / "patients.csv"))
    assert read.groups == ("q", "r")
    frame.loc[2, "patient"] = "s"
    with pytest.raises(DataError, match="has 's' in column 'patient', and a line before 'p'"):
        read_objects(frame, role="references", groups="patient")


def test_one_side_without_classes_has_that_of_the_other() -> None:
    frame = pd.DataFrame([("a", 1, 2, 3, 4)], columns=["image", *"xywh"])
    detections, references, notes = align(
        read_objects(frame), read_objects(frame.assign(label="nodule"), role="references")
    )
    assert detections.classes == references.classes == ("nodule",)
    assert any("one class, 'nodule'" in note for note in notes)
    both = frame.loc[[0, 0]].assign(label=["mass", "nodule"])
    truth = read_objects(both, role="references")
    with pytest.raises(DataError, match="the references lack: 'object'"):
        align(read_objects(frame), truth)
    alike = align(read_objects(frame), truth, by_class=False)
    assert alike[0].classes == alike[1].classes == ("any class",)
    assert alike[1].objects[0].category.tolist() == [0, 0]


def test_crowds_and_ignored_objects_of_tables() -> None:
    frame = pd.DataFrame(
        [("a", 1, 2, 3, 4, 1, 0, 9), ("a", 1, 2, 3, 4, 0, 1, 8)],
        columns=["image", *"xywh", "IsGroupOf", "difficult", "area"],
    )
    read = read_objects(frame, role="references").objects[0]
    assert read.crowd is not None
    assert read.crowd.tolist() == [True, False]
    assert read.ignored is not None
    assert read.ignored.tolist() == [False, True]
    assert read.area is not None
    assert read.area.tolist() == [9, 8]
    assert read_objects(frame).objects[0].ignored is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x,y,w,h\n1,2,3,4\n", "no column names the image of each object"),
        ("image,score\na,1\n", "no columns say where objects are"),
        ("image,x,y,w,h\na,1,2,-3,4\n", "line 2 (image 'a') has a box whose side along x is neg"),
        ("image,x,y,w,h\na,1,,3,4\n", "line 2 (image 'a') has no 'y', and other coordinates"),
        ("image,x,y,w,h\na,1,2,3,4\n,1,2,3,4\n", "line 3 names no image"),
        ("image,x,y,w,h\na,1,2,3,four\n", "has 'four' in column 'h'; a number is expected"),
        ("image,x,y,w,h,score\na,1,2,3,4,inf\n", "has the score inf"),
        ("image,x,y,w,h,score\na,1,2,3,4,\n", "has nothing in column 'score'"),
        ("image,label,x,y,w,h\na,,1,2,3,4\n", "has no class (column 'label' is empty)"),
        ("image,x1,y1,x2,y2\na,3,2,1,4\n", "side along x is negative (-2)"),
    ],
)
def test_bad_rows_are_named(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text(text)
    with pytest.raises(DataError) as error:
        read_objects(tmp_path / "d.csv")
    assert words in str(error.value)
    assert str(error.value).count(str(tmp_path)) == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"image": "scan"}, "unknown column 'scan'"),
        ({"img": "image"}, "unknown part of a column 'img'"),
        ({"box": "x,y"}, "has 2 names; a box has 4 or 6 numbers"),
        ({"point": "x"}, "has 1 names; a centre has 2 or 3"),
    ],
)
def test_columns_that_the_user_names_are_checked(
    given: dict[str, str], words: str, tmp_path: Path
) -> None:
    (tmp_path / "d.csv").write_text("image,x,y,w,h\na,1,2,3,4\n")
    with pytest.raises(OptionError) as error:
        read_objects(tmp_path / "d.csv", columns=given)
    assert words in str(error.value)


def test_options_go_to_the_side_that_they_are_for(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(CORNERS)
    memory = {"a.png": {"boxes": [[1, 2, 3, 5]], "labels": ["cat"]}}
    found, truth = read_both(memory, tmp_path / "r.csv", {"box_convention": "inclusive"})
    assert boxes_of(found) == [[1, 2, 3, 5]]
    assert boxes_of(truth) == [[1, 2, 4, 6], [0, 0, 10, 10]]
    for option in ({"image_sizes": {"a": (1, 1)}}, {"candidates": "threshold=0.5"}):
        with pytest.raises(OptionError, match="not with"):
            read_both(memory, tmp_path / "r.csv", option)
    with pytest.raises(HalfwidthError, match="no such file"):
        read_both(tmp_path / "no.csv", memory)
