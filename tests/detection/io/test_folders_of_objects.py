"""Folders with a file for each image: YOLO, Pascal VOC, label maps and maps of probabilities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage
from support import Run

from halfwidth import DataError, HalfwidthError, OptionError, read_objects
from halfwidth.core.objects import Unit
from halfwidth.core.option_table.table import OPTIONS
from halfwidth.detection.io.read_objects import align


def folder(path: Path, **files: str) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (path / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return path


# --------------------------------------------------------------------------- YOLO


def test_yolo_in_fractions_and_in_pixels(tmp_path: Path) -> None:
    source = folder(
        tmp_path / "labels",
        a__txt="0 0.5 0.5 0.2 0.4\n1 0.1 0.1 0.1 0.1\n",
        b__txt="",
        classes__txt="cat\ndog\n",
    )
    read = read_objects(source, role="references")
    assert read.images == ("a", "b")
    assert read.classes == ("cat", "dog")
    assert read.unit is Unit.FRACTION
    assert read.objects[0].boxes is not None
    np.testing.assert_allclose(read.objects[0].boxes[0], [0.4, 0.3, 0.6, 0.7])
    sizes: list[Any] = [{"a": (100, 200), "b.jpg": (10, 10)}]
    (tmp_path / "sizes.csv").write_text("image,width,height\na.jpg,100,200\nb.jpg,10,10\n")
    images = tmp_path / "images"
    images.mkdir()
    Image.new("RGB", (100, 200)).save(images / "a.jpg")
    Image.new("L", (10, 10)).save(images / "b.png")
    for given in (*sizes, tmp_path / "sizes.csv", images):
        pixels = read_objects(source, role="references", image_sizes=given)
        assert pixels.unit is Unit.VOXEL
        assert pixels.shapes == ((200, 100), (10, 10))
        assert pixels.objects[0].boxes is not None
        np.testing.assert_allclose(pixels.objects[0].boxes[0], [40, 60, 60, 140])


def test_yolo_with_scores_and_names(tmp_path: Path) -> None:
    source = folder(tmp_path / "found", a__txt="1 .5 .5 .2 .4 0.75\n")
    found = read_objects(source, class_names=["cat", "dog"])
    assert found.classes == ("cat", "dog")
    assert found.objects[0].score is not None
    assert found.objects[0].score.tolist() == [0.75]
    assert read_objects(source).classes == ("class 1",)
    (tmp_path / "names.json").write_text('{"1": "dog"}')
    assert read_objects(source, class_names=tmp_path / "names.json").classes == ("dog",)
    # Numbers are ids where the references have names.
    truth = read_objects(
        folder(tmp_path / "true", a__txt="1 .5 .5 .2 .4\n"),
        role="references",
        class_names={0: "cat", 1: "dog"},
    )
    detections, _, _ = align(read_objects(source), truth)
    assert detections.classes == ("cat", "dog")
    assert detections.objects[0].category.tolist() == [1]
    # They are no ids of COCO.
    ids = {"id": 1, "name": "dog"}
    coco = {"images": [{"id": 1, "file_name": "a.png"}], "categories": [ids], "annotations": []}
    with pytest.raises(DataError, match="say what they are called: class_names="):
        align(read_objects(source), read_objects(coco, role="references"))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("0 0.5 0.5 0.2", "has 4 values; a line has five or six"),
        ("0 .1 .1 .2 .1 .2 .2", "as a polygon of YOLO has"),
        ("cat 0.5 0.5 0.2 0.2", "a line is five or six numbers"),
        ("0.5 0.5 0.5 0.2 0.2", "the number of a class is 0, 1, 2"),
        ("0 320 240 20 20", "shares of the image"),
        ("0 nan 0.5 0.2 0.2", "has the box (nan"),
        ("0 0.5 0.5 -0.2 0.2", "side along x is negative"),
        ("0 .5 .5 .2 .2 .9\n0 .5 .5 .2 .2", "line 2 has no score, but other lines do"),
    ],
)
def test_bad_lines_of_yolo_are_named(line: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        read_objects(folder(tmp_path / "x", a__txt=line))
    assert words in str(error.value)
    assert "a.txt, line" in str(error.value)


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ({"b": (1, 2)}, "lacks 1 images (a)"),
        ({"a": (0, 2)}, "(width, height) is expected"),
        (3, "gives no sizes; give a folder"),
        ("nowhere", "no such file"),
    ],
)
def test_sizes_of_images_are_checked(sizes: Any, words: str, tmp_path: Path) -> None:
    source = folder(tmp_path / "x", a__txt="0 0.5 0.5 0.2 0.2")
    with pytest.raises(HalfwidthError) as error:
        read_objects(source, image_sizes=sizes)
    assert words in str(error.value)


# --------------------------------------------------------------------------- Pascal VOC


def xml_of(*objects: str, size: str = "<width>30</width><height>20</height>") -> str:
    return f"<annotation><size>{size}</size>{''.join(objects)}</annotation>"


def xml_object(box: str = "1 2 5 6", extra: str = "<name>cat</name>") -> str:
    names = ("xmin", "ymin", "xmax", "ymax")
    sides = "".join(f"<{n}>{v}</{n}>" for n, v in zip(names, box.split(), strict=True))
    return f"<object>{extra}<bndbox>{sides}</bndbox></object>"


def test_pascal_voc_counts_pixels_from_one(tmp_path: Path) -> None:
    part = "<part><name>head</name><bndbox><xmin>3</xmin></bndbox></part>"
    source = folder(
        tmp_path / "a",
        one__xml=xml_of(xml_object(extra=f"<name>dog</name><difficult>1</difficult>{part}")),
        two__xml=xml_of(),
    )
    read = read_objects(source, role="references")
    assert read.images == ("one", "two")
    assert read.shapes == ((20, 30), (20, 30))
    assert read.classes == ("dog",)
    first = read.objects[0]
    assert first.boxes is not None
    # Five pixels wide and high, as the devkit's IoU counts them.
    assert first.boxes.tolist() == [[0, 1, 5, 6]]
    assert first.ignored is not None
    assert first.ignored.tolist() == [True]
    assert "counted from 1" in read.notes[0]
    places = read_objects(source, role="references", box_convention="continuous")
    assert places.objects[0].boxes is not None
    assert places.objects[0].boxes.tolist() == [[1, 2, 5, 6]]
    assert not places.notes


def test_scores_in_pascal_voc(tmp_path: Path) -> None:
    scored = xml_object(extra="<name>cat</name><score>0.5</score>")
    found = read_objects(folder(tmp_path / "a", one__xml=xml_of(scored)))
    assert found.objects[0].score is not None
    assert found.objects[0].score.tolist() == [0.5]
    with pytest.raises(DataError, match=r"object 2 \('cat'\) has no score"):
        read_objects(folder(tmp_path / "b", one__xml=xml_of(scored, xml_object())))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('<!DOCTYPE a [<!ENTITY b "c">]><annotation/>', "declares a document type"),
        ("<annotation><object>", "its XML is damaged"),
        ("<kml/>", "begins with <kml>"),
        (xml_of("<object><name>cat</name></object>"), "has no xmin"),
        (xml_of(xml_object("1 2 x 6")), "has the xmax 'x'; a number is expected"),
        (xml_of(xml_object(extra="")), "has no name, which is its class"),
        (xml_of(xml_object("5 2 1 6")), "side along x is negative"),
        (xml_of(xml_object("5 2 nan 6")), "coordinates are finite numbers"),
        (xml_of(xml_object(extra="<name>a</name><difficult>2</difficult>")), "must be 0 or 1"),
        ("<annotation>" + "<a>" * 50, "nested deeper than 20 levels"),
        (xml_of(f"<object><name>{'x' * 20000}</name></object>"), "more than 10000 letters"),
        ('<?xml version="1.0" encoding="x-odd"?><annotation/>', "its XML is damaged"),
    ],
)
def test_bad_xml_is_named(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        read_objects(folder(tmp_path / "x", one__xml=text), role="references")
    assert words in str(error.value)
    assert "one.xml" in str(error.value)


# --------------------------------------------------------------------------- label maps


def save(path: Path, voxels: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".png":
        Image.fromarray(voxels).save(path)
    else:
        np.save(path, voxels)
    return path.parent


def test_instances_of_label_maps(tmp_path: Path) -> None:
    voxels = np.zeros((4, 6, 8), dtype=np.uint8)
    voxels[1:3, 2:4, 3:6] = 2
    voxels[0, 0, 0] = 7
    read = read_objects(save(tmp_path / "m" / "a.npy", voxels), role="references")
    assert read.classes == ("object",)
    assert read.shapes == ((4, 6, 8),)
    masks = read.objects[0].masks
    assert masks is not None
    assert [mask.start for mask in masks] == [(1, 2, 3), (0, 0, 0)]
    assert masks[0].mask.shape == (2, 2, 3)
    assert masks[0].mask.all()


@pytest.mark.parametrize("top", [6, 300, 70000, 2**32 - 1])
def test_instances_of_any_label_against_plain_masks(top: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    voxels = rng.choice([0, 0, 0, 1, 5, top], (7, 9)).astype(np.uint32)
    read = read_objects(save(tmp_path / "m" / "a.npy", voxels))
    masks = read.objects[0].masks
    assert masks is not None
    for mask, label in zip(masks, (1, 5, top), strict=True):
        whole = np.zeros(voxels.shape, dtype=bool)
        box = tuple(slice(a, a + n) for a, n in zip(mask.start, mask.mask.shape, strict=True))
        whole[box] = mask.mask
        np.testing.assert_array_equal(whole, voxels == label)


def test_components_of_semantic_masks_against_scipy(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    voxels = rng.choice([0, 0, 1, 2], (12, 15)).astype(np.uint8)
    read = read_objects(
        save(tmp_path / "m" / "a.png", voxels), instances="components", role="references"
    )
    assert read.classes == ("1", "2")
    masks = read.objects[0].masks
    assert masks is not None
    for code, label in enumerate((1, 2)):
        _, count = ndimage.label(voxels == label, np.ones((3, 3)))
        of_class = [m for m, c in zip(masks, read.objects[0].category, strict=True) if c == code]
        assert len(of_class) == count
        assert sum(int(one.mask.sum()) for one in of_class) == (voxels == label).sum()
    named = read_objects(
        tmp_path / "m", instances="components", class_names={1: "liver", 2: "spleen"}
    )
    assert named.classes == ("liver", "spleen")


def test_a_mask_of_ones_is_told_apart_from_instances(tmp_path: Path) -> None:
    voxels = np.zeros((5, 5), dtype=np.uint8)
    voxels[0, 0] = voxels[3:, 3:] = 1
    read = read_objects(save(tmp_path / "m" / "a.png", voxels))
    assert len(read.objects[0]) == 1
    assert "--objects components" in read.notes[0]


def test_a_subfolder_for_each_image_has_a_class_in_each_file(tmp_path: Path) -> None:
    voxels = np.zeros((5, 5), dtype=np.uint8)
    voxels[0, 0], voxels[3:, 3:] = 1, 2
    save(tmp_path / "m" / "case1" / "lesion.npy", voxels)
    save(tmp_path / "m" / "case1" / "cyst.npy", voxels)
    read = read_objects(tmp_path / "m")
    assert read.images == ("case1",)
    assert read.classes == ("cyst", "lesion")
    assert read.objects[0].category.tolist() == [0, 0, 1, 1]


def test_maps_of_other_shapes_are_refused(tmp_path: Path) -> None:
    for side, width in (("d", 5), ("r", 6)):
        voxels = np.ones((4, width), dtype=np.uint8)
        save(tmp_path / side / "a.npy", voxels)
    with pytest.raises(DataError, match=r"shapes differ \(4 x 5 against 4 x 6 voxels") as error:
        align(read_objects(tmp_path / "d"), read_objects(tmp_path / "r", role="references"))
    assert "'a'" in str(error.value)
    alone = [read_objects(tmp_path / side / "a.npy") for side in "dr"]
    with pytest.raises(DataError, match="shapes differ"):
        align(*alone)


def test_instances_are_scored_by_a_table(tmp_path: Path) -> None:
    for name, labels in (("a", (1, 7)), ("b", (1,))):
        voxels = np.zeros((4, 6), dtype=np.uint8)
        voxels[0, : len(labels)] = labels
        save(tmp_path / "m" / f"{name}.npy", voxels)
    rows = "image,label,score\nb.npy,1,0.25\na,7,0.75\na,1,0.5\n"
    (tmp_path / "s.csv").write_text(rows)
    found = read_objects(tmp_path / "m", scores=tmp_path / "s.csv")
    assert [one.score.tolist() for one in found.objects if one.score is not None] == [
        [0.5, 0.75],
        [0.25],
    ]
    for text, words in (
        (rows.replace("a,7,0.75\n", ""), "no score for label 7 of image 'a' (1 of 3"),
        (rows + "b,2,0.5\n", "a score for label 2 of image 'b', which no map holds"),
        (rows + "a,1,0.5\n", "line 5 is of label 1 of image 'a', as one before"),
        (rows.replace("0.25", "inf"), "line 2 has no image, whole label and finite score"),
        (rows.replace("label", "odd"), "scores of instances are in image, label and score"),
    ):
        (tmp_path / "s.csv").write_text(text)
        with pytest.raises(HalfwidthError) as error:
            read_objects(tmp_path / "m", scores=tmp_path / "s.csv")
        assert words in str(error.value)
    with pytest.raises(OptionError, match="references have no scores"):
        read_objects(tmp_path / "m", role="references", scores=tmp_path / "s.csv")
    with pytest.raises(OptionError, match="belong to labels"):
        read_objects(tmp_path / "m", instances="components", scores=tmp_path / "s.csv")


def test_empty_maps_are_images_without_objects(tmp_path: Path) -> None:
    save(tmp_path / "m" / "a.npy", np.zeros((4, 5), dtype=np.uint8))
    for options in ({}, {"instances": "components"}):
        read = read_objects(tmp_path / "m", role="references", **options)  # type: ignore[arg-type]
        assert [len(one) for one in read.objects] == [0]


def test_spine_has_the_vertebrae_of_its_maps(shared: Path) -> None:
    nibabel = pytest.importorskip("nibabel")
    data = shared / "data" / "spine"
    detections, references, _ = align(
        read_objects(data / "unmatched_instance_pred.nii.gz"),
        read_objects(data / "unmatched_instance_ref.nii.gz", role="references"),
    )
    for objects, name in ((detections, "pred"), (references, "ref")):
        voxels = np.asarray(nibabel.load(data / f"unmatched_instance_{name}.nii.gz").dataobj)
        labels, counts = np.unique(voxels[voxels > 0], return_counts=True)
        masks = objects.objects[0].masks
        assert masks is not None
        assert len(masks) == len(labels) == 22
        assert [int(mask.mask.sum()) for mask in masks] == counts.tolist()
    assert references.spacing is not None
    assert sorted(references.spacing[0]) == pytest.approx([0.58594, 0.58594, 3.3])


# --------------------------------------------------------------------------- probabilities


def test_candidates_are_scored_components(tmp_path: Path) -> None:
    values = np.zeros((20, 20))
    values[2:5, 2:5], values[3, 3] = 0.7, 0.9
    values[10:12, 10:12] = 0.3
    values[15, 15] = 0.25
    source = save(tmp_path / "p" / "a.npy", values)
    found = read_objects(source, candidates="threshold=0.3,score=mean")
    assert found.objects[0].score is not None
    np.testing.assert_allclose(found.objects[0].score, [(8 * 0.7 + 0.9) / 9, 0.3], rtol=1e-6)
    found = read_objects(source, candidates={"threshold": 0, "min_voxels": 2})
    assert found.objects[0].score is not None
    np.testing.assert_allclose(found.objects[0].score, [0.9, 0.3], rtol=1e-6)
    assert "scored by their max, of 2 voxels or more" in found.notes[0]


def test_thresholds_are_compared_as_the_map_stores_its_values(tmp_path: Path) -> None:
    # In double precision, 0.7 is above the 0.7 of single precision that the file holds.
    values = np.zeros((5, 5), dtype=np.float32)
    values[2, 2] = 0.7
    source = save(tmp_path / "p" / "a.npy", values)
    assert len(read_objects(source, candidates="threshold=0.7").objects[0]) == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (None, "looks like probabilities"),
        ("0.5", "write them as threshold=0.5,score=max"),
        ("score=max", "lack a threshold"),
        ("threshold=x", "the threshold must be a number ≥ 0"),
        ("threshold=-1", "the threshold must be a number ≥ 0"),
        ("threshold=0.5,min_voxels=0", "min_voxels an integer ≥ 1"),
        ("threshold=0.5,score=sum", "unknown score of candidates 'sum'"),
        ("threshold=0.5,size=3", "unknown part of candidates 'size'"),
        (3, "write them as"),
    ],
)
def test_ways_to_candidates_are_checked(given: Any, words: str, tmp_path: Path) -> None:
    source = save(tmp_path / "p" / "a.npy", np.full((4, 4), 0.5))
    with pytest.raises(HalfwidthError) as error:
        read_objects(source, candidates=given)
    assert words in str(error.value)


def test_probabilities_are_detections(tmp_path: Path) -> None:
    source = save(tmp_path / "p" / "a.npy", np.full((4, 4), 0.5))
    with pytest.raises(OptionError, match="references are label maps"):
        read_objects(source, role="references", candidates="threshold=0.5")
    save(tmp_path / "p" / "a.npy", np.full((4, 4), np.nan))
    with pytest.raises(DataError, match="NaN or infinite"):
        read_objects(source, candidates="threshold=0.5")


# --------------------------------------------------------------------------- which format


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "holds nothing; read are: COCO JSON (coco)"),
        ({"a__doc": "x"}, "holds a.doc; read are"),
        ({"a__txt": "x", "a__xml": "x"}, "may be voc or yolo; say which"),
    ],
)
def test_folders_in_no_format(files: dict[str, str], words: str, tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        read_objects(folder(tmp_path / "x", **files))
    assert words in str(error.value)


def test_the_command_line_names_the_same_formats(run: Run) -> None:
    text = " ".join(run("detect", "--help").out.split())
    assert text.count(f": {', '.join(OPTIONS['format'].choices[1:])}; default") == 2


def test_formats_are_named_or_told(tmp_path: Path) -> None:
    source = folder(tmp_path / "x", a__txt="0 0.5 0.5 0.2 0.2")
    # Images beside the texts are passed over.
    Image.new("L", (4, 4)).save(source / "a.png")
    assert read_objects(source).unit is Unit.FRACTION
    assert read_objects(source, format="labels").shapes == ((4, 4),)
    with pytest.raises(OptionError, match="unknown format of objects 'yollo'; did you mean 'yolo'"):
        read_objects(source, format="yollo")
    with pytest.raises(DataError, match="is a folder; COCO JSON is a file"):
        read_objects(source, format="coco")
    (tmp_path / "a.doc").write_text("x")
    with pytest.raises(DataError, match=r"cannot tell the format from the suffix '\.doc'"):
        read_objects(tmp_path / "a.doc")
    with pytest.raises(OptionError, match="only files have a format"):
        read_objects([], format="coco")
