"""Scores of label maps and of folders of structures: values, statuses, cautions, and bad input."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from PIL import Image
from PIL import Image as Pillow
from support import Run

import halfwidth as hw
from halfwidth import metrics
from halfwidth.io.images import read_image

# Published without types, or with some that their own examples break.
nibabel: Any = import_module("nibabel")
sitk: Any = import_module("SimpleITK")

Map = NDArray[np.uint8]
SPACING = (2.0, 1.5, 1.0)
INF, NAN = math.inf, math.nan
NOT_APPLICABLE = "not applicable"
EVERY = (
    "dsc,iou,cldice,f_beta:beta=2,sensitivity,specificity,ppv,hd,hd95,assd,masd,nsd,boundary_iou,"
    "absolute_volume_error,relative_volume_error,symmetric_volume_error"
)


def reference(shape: tuple[int, int, int] = (14, 24, 26)) -> Map:
    """Three structures of more than 100 voxels, each in one part."""
    labels = np.zeros(shape, dtype=np.uint8)
    labels[2:9, 3:12, 3:10] = 1
    labels[2:9, 3:12, 14:24] = 2
    labels[3:12, 14:22, 4:22] = 3
    return labels


def prediction(by: int = 1) -> Map:
    return np.roll(reference(), by, axis=1)


def save(path: Path, voxels: NDArray[Any], spacing: Sequence[float] = SPACING) -> Path:
    """Write in the format of the suffix; spacing in the order of the axes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".npy":
        np.save(path, voxels)
    elif path.suffix == ".png":
        Pillow.fromarray(voxels).save(path)
    elif path.name.endswith((".nii", ".nii.gz")):
        affine = np.diag([*spacing[::-1], 1.0][-4:])
        nibabel.save(nibabel.Nifti1Image(voxels.T, affine), path)
    else:
        image = sitk.GetImageFromArray(voxels)
        image.SetSpacing([float(step) for step in spacing[::-1]])
        sitk.WriteImage(image, str(path))
    return path


def folders(
    tmp_path: Path, pairs: Mapping[str, tuple[NDArray[Any], NDArray[Any]]]
) -> tuple[Path, Path]:
    """Folders of predictions and references in NRRD."""
    for name, (found, truth) in pairs.items():
        save(tmp_path / "pred" / f"{name}.nrrd", found)
        save(tmp_path / "ref" / f"{name}.nrrd", truth)
    return tmp_path / "pred", tmp_path / "ref"


def structures(tmp_path: Path, cases: Sequence[str] = ("a", "b")) -> tuple[Path, Path]:
    """A folder for each case, with a file for each of the structures."""
    for case, (side, labels) in itertools.product(
        cases, (("pred", prediction()), ("ref", reference()))
    ):
        for value, name in ((1, "left"), (2, "right"), (3, "base")):
            save(tmp_path / side / case / f"{name}.nrrd", (labels == value).astype(np.uint8))
    return tmp_path / "pred", tmp_path / "ref"


def codes(scores: hw.Scores) -> list[str]:
    return [caution.code for caution in scores.cautions]


def told(scores: hw.Scores, code: str) -> str:
    (text,) = [caution.message for caution in scores.cautions if caution.code == code]
    return text


def by_metric(scores: hw.Scores, label: str = "1") -> dict[str, tuple[float, str]]:
    return {row.metric: (row.value, row.status) for row in scores if row.label == label}


def same(scores: hw.Scores, others: hw.Scores) -> bool:
    """Whether all cells are equal to the last bit, NaN to NaN."""
    return [tuple(map(repr, row)) for row in scores] == [tuple(map(repr, row)) for row in others]


def complaint(kind: type[Exception], *given: Any, **options: Any) -> str:
    score = hw.score_folders if isinstance(given[0], Path) else hw.score_masks
    with pytest.raises(kind) as caught:
        score(*given, **options)
    text = str(caught.value)
    assert "\n" not in text
    return text


# Values.


def test_each_label_is_scored_as_a_mask_of_its_own() -> None:
    found, truth = prediction(), reference()
    scores = hw.score_masks(found, truth, EVERY, spacing=SPACING, tolerance=1.5)
    functions: dict[str, Any] = {
        "dsc": metrics.dsc,
        "iou": metrics.iou,
        "cldice": metrics.cldice,
        "f_beta": lambda a, b: metrics.overlap.f_beta(a, b, beta=2),
        "sensitivity": metrics.overlap.sensitivity,
        "specificity": metrics.overlap.specificity,
        "ppv": metrics.overlap.ppv,
        "hd": lambda a, b: metrics.hd(a, b, spacing=SPACING),
        "hd95": lambda a, b: metrics.hd95(a, b, spacing=SPACING),
        "assd": lambda a, b: metrics.assd(a, b, spacing=SPACING),
        "masd": lambda a, b: metrics.masd(a, b, spacing=SPACING),
        "nsd": lambda a, b: metrics.nsd(a, b, tolerance=1.5, spacing=SPACING),
        "boundary_iou": lambda a, b: metrics.boundary_iou(a, b, distance=1.5, spacing=SPACING),
        "absolute_volume_error": lambda a, b: metrics.absolute_volume_error(a, b, spacing=SPACING),
        "relative_volume_error": metrics.relative_volume_error,
        "symmetric_volume_error": metrics.symmetric_volume_error,
    }
    assert len(scores) == 3 * len(functions)
    assert [row.metric for row in scores][: len(functions)] == list(functions)
    for label, (name, function) in itertools.product((1, 2, 3), functions.items()):
        wanted = function(found == label, truth == label)
        assert scores.value(name, label=str(label)) == pytest.approx(wanted, rel=1e-12)


def test_definitions_and_percentiles_are_passed_on() -> None:
    found, truth = prediction(2) == 1, reference() == 1
    texts = "hd:percentile=90,definition=pooled,hd95:definition=surface,nsd:definition=surface"
    scores = hw.score_masks(found, truth, texts, spacing=SPACING, tolerance=2)
    pooled = metrics.hd(found, truth, percentile=90, definition="pooled", spacing=SPACING)
    surface = metrics.hd95(found, truth, definition="surface", spacing=SPACING)
    near = metrics.nsd(found, truth, tolerance=2, definition="surface", spacing=SPACING)
    assert [row.value for row in scores] == [pooled, surface, near]
    assert [row.parameters for row in scores] == [
        "percentile=90;definition=pooled",
        "definition=surface",
        "tolerance=2;definition=surface",
    ]


def test_parameters_that_are_the_default_are_not_said() -> None:
    scores = hw.score_masks(
        prediction(), reference(), "hd,f_beta,nsd:3,boundary_iou:2.5", spacing=0.9, only=["1"]
    )
    assert [row.parameters for row in scores] == ["", "", "tolerance=3", "distance=2.5"]


def test_regions_are_unions() -> None:
    found, truth = prediction(), reference()
    scores = hw.score_masks(found, truth, "dsc,hd", spacing=1, regions=["top=1+2", "all=top+3"])
    assert [row.label for row in scores][::2] == ["1", "2", "3", "top", "all"]
    in_top = [np.isin(labels, (1, 2)) for labels in (found, truth)]
    assert scores.value("dsc", label="top") == metrics.dsc(*in_top)
    assert scores.value("hd", label="all") == metrics.hd(found > 0, truth > 0, spacing=1)


def test_only_picks_labels_and_regions() -> None:
    scores = hw.score_masks(
        prediction(), reference(), "dsc", regions=["top=1+2"], only=["top", "3"]
    )
    assert [row.label for row in scores] == ["top", "3"]


def test_names_come_from_a_mapping_or_a_file(tmp_path: Path) -> None:
    names = {"background": 0, "left": 1, "top": [1, 2], "base": 3}
    file = tmp_path / "labels.json"
    file.write_text(json.dumps(names))
    of_mapping = hw.score_masks(prediction(), reference(), "dsc", labels=names)
    of_file = hw.score_masks(prediction(), reference(), "dsc", labels=file)
    assert [row.label for row in of_mapping] == ["left", "top", "base"]
    assert same(of_mapping, of_file)
    assert not of_mapping.notes


def test_only_takes_names_and_numbers_of_a_file() -> None:
    names = {"left": 1, "right": 2, "base": 3}
    scores = hw.score_masks(prediction(), reference(), "dsc", labels=names, only=["3", "left"])
    assert [row.label for row in scores] == ["base", "left"]


def test_what_nnunet_ignores_counts_neither_way(tmp_path: Path) -> None:
    file = tmp_path / "dataset.json"
    file.write_text(json.dumps({"labels": {"background": 0, "a": 1, "b": 2, "ignore": 3}}))
    found, truth = prediction(), reference()
    scores = hw.score_masks(found, truth, "dsc,sensitivity,hd", labels=file, spacing=1)
    counts = truth != 3
    for name, value in (("a", 1), ("b", 2)):
        masks = (found == value) & counts, (truth == value) & counts
        assert scores.value("dsc", label=name) == metrics.dsc(*masks)
        assert scores.value("hd", label=name) == metrics.hd(*masks, spacing=1)
    # A prediction where nothing counts is no false alarm.
    alarm = np.where(truth == 3, 1, truth).astype(np.uint8)
    scores = hw.score_masks(alarm, truth, "dsc,ppv", labels=file)
    assert scores.value("ppv", label="a") == scores.value("dsc", label="a") == 1
    assert "specificity" in complaint(hw.OptionError, found, truth, "specificity", labels=file)


def test_masks_of_booleans_hold_the_label_1() -> None:
    scores = hw.score_masks(prediction() == 1, reference() == 1, "dsc")
    assert scores.labels == ["1"]
    assert scores.value("dsc") == metrics.dsc(prediction() == 1, reference() == 1)


def test_binary_joins_all_values(tmp_path: Path) -> None:
    pair = (prediction() > 0).astype(np.uint8) * 200, reference()
    scores = hw.score_folders(*folders(tmp_path, {"a": pair}), "dsc", binary=True)
    assert scores.value("dsc", label="foreground") == metrics.dsc(pair[0] > 0, pair[1] > 0)


def test_mappings_hold_several_cases() -> None:
    found = {"b": prediction(1), "a": prediction(2)}
    truth = {"a": reference(), "b": reference()}
    scores = hw.score_masks(found, truth, "dsc")
    assert [case.case for case in scores.cases] == ["a", "b"]
    assert scores.value("dsc", case="a", label="1") == metrics.dsc(
        prediction(2) == 1, reference() == 1
    )


def test_cases_may_have_different_shapes() -> None:
    small = reference()[:12]
    scores = hw.score_masks(
        {"a": small, "b": reference()}, {"a": small, "b": reference()}, "dsc,hd95", spacing=1
    )
    assert {row.value for row in scores} == {0.0, 1.0}


def test_a_picture_is_scored_like_a_volume_of_one_slice() -> None:
    found, truth = prediction()[5], reference()[5]
    flat = hw.score_masks(found, truth, EVERY, spacing=(1.5, 1), tolerance=1)
    thick = hw.score_masks(found[None], truth[None], EVERY, spacing=(1, 1.5, 1), tolerance=1)
    assert same(flat, thick)
    deep = hw.score_masks(found[None], truth[None], EVERY, spacing=(5, 1.5, 1), tolerance=1)
    for name in ("dsc", "specificity", "hd", "assd", "nsd", "boundary_iou"):
        assert deep.value(name, label="2") == flat.value(name, label="2")


def test_values_do_not_depend_on_the_type_of_numbers() -> None:
    wanted = hw.score_masks(prediction(), reference(), "dsc,hd95", spacing=1)
    for dtype in (np.int8, np.uint16, np.int64, np.float32):
        found = prediction().astype(dtype)
        assert same(hw.score_masks(found, reference(), "dsc,hd95", spacing=1), wanted)
    lists = hw.score_masks(prediction().tolist(), reference().tolist(), "dsc,hd95", spacing=1)
    assert same(lists, wanted)


# What is missing.


def test_a_label_that_a_case_lacks_does_not_apply_to_it() -> None:
    without = np.where(reference() == 2, 0, reference()).astype(np.uint8)
    truth = {"a": reference(), "b": without}
    texts = "dsc,nsd,hd:percentile=90"
    tolerances = {"1": 1.0, "2": 2.0, "3": 3.0}
    scores = hw.score_masks(truth, truth, texts, spacing=0.9, tolerance=tolerances)
    rows = {case: [r for r in scores if r.case == case and r.label == "2"] for case in "ab"}
    assert [row.status for row in rows["b"]] == [NOT_APPLICABLE] * 3
    assert all(math.isnan(row.value) for row in rows["b"])
    assert [row.parameters for row in rows["b"]] == [row.parameters for row in rows["a"]]
    assert [row.parameters for row in rows["b"]] == ["", "tolerance=2", "percentile=90"]
    order = [(row.case, row.label, row.metric) for row in scores]
    assert order == list(itertools.product("ab", "123", ("dsc", "nsd", "hd")))


MISSED = {
    "dsc": (0, "missed"),
    "iou": (0, "missed"),
    "cldice": (0, "missed"),
    "f_beta": (0, "missed"),
    "sensitivity": (0, "missed"),
    "specificity": (1, "missed"),
    "ppv": (NAN, "missed"),
    "hd": (INF, "missed"),
    "hd95": (INF, "missed"),
    "assd": (INF, "missed"),
    "masd": (INF, "missed"),
    "nsd": (0, "missed"),
    "boundary_iou": (0, "missed"),
    "absolute_volume_error": (441, "missed"),
    "relative_volume_error": (-1, "missed"),
    "symmetric_volume_error": (-2, "missed"),
}
SPURIOUS = {name: (value, "spurious") for name, (value, _) in MISSED.items()} | {
    "sensitivity": (NAN, NOT_APPLICABLE),
    "specificity": (1 - 441 / (14 * 24 * 26), "spurious"),
    "ppv": (0, "spurious"),
    "relative_volume_error": (INF, "spurious"),
    "symmetric_volume_error": (2, "spurious"),
}


@pytest.mark.parametrize(
    ("status", "wanted"), [("missed", MISSED), ("spurious", SPURIOUS)], ids=["missed", "spurious"]
)
@pytest.mark.parametrize("in_files", [False, True])
def test_what_one_mask_lacks(
    status: str, wanted: dict[str, tuple[float, str]], in_files: bool, tmp_path: Path
) -> None:
    full = (reference() == 1).astype(np.uint8)
    pair = (full * 0, full) if status == "missed" else (full, full * 0)
    if in_files:
        scores = hw.score_folders(
            *folders(tmp_path, {"a": pair}), EVERY, tolerance=3, spacing=1, labels={"1": 1}
        )
    else:
        scores = hw.score_masks(*pair, EVERY, tolerance=3, spacing=1)
    found = by_metric(scores)
    assert list(found) == list(wanted)
    for name, (value, said) in wanted.items():
        assert found[name][0] == pytest.approx(value, nan_ok=True), name
        assert found[name][1] == said, name


def test_an_empty_skeleton_has_a_status_of_its_own() -> None:
    rod = np.zeros((36, 8, 8), dtype=np.uint8)
    rod[3:33, 2:6, 2:6] = 1
    scores = hw.score_masks(rod, rod, "cldice,dsc")
    (_, status), whole = by_metric(scores)["cldice"], by_metric(scores)["dsc"]
    assert status == "empty skeleton"
    assert math.isnan(scores.value("cldice"))
    assert whole == (1.0, "ok")


@pytest.mark.parametrize("definition", ["all", "stored"])
def test_a_row_of_cldice_names_its_definition_in_every_output(definition: str) -> None:
    text = "cldice" if definition == "all" else f"cldice:definition={definition}"
    scores = hw.score_masks(prediction(), reference(), text, only=["1"])
    assert [row.parameters for row in scores] == [f"definition={definition}"]
    assert scores.to_frame()["parameters"].tolist() == [f"definition={definition}"]
    ready = hw.CaseValues.from_table(pd.concat([scores.to_frame()] * 3).assign(case=list("abc")))
    (estimate,) = hw.estimate(ready, method="t")
    assert f"clDice (definition {definition})" in estimate.sentence()


def test_a_missing_prediction_is_missed(tmp_path: Path) -> None:
    pred, ref = folders(tmp_path, {"a": (prediction(), reference()), "b": (reference(),) * 2})
    (pred / "b.nrrd").unlink()
    save(pred / "c.nrrd", reference())
    scores = hw.score_folders(pred, ref, "dsc,hd95", allow_missing=True)
    rows = [row for row in scores if row.case == "b"]
    assert {row.status for row in rows} == {"missed"}
    assert {row.value for row in rows} == {0, INF}
    assert "c" not in {case.case for case in scores.cases}
    assert any("1 reference without a prediction ('b')" in note for note in scores.notes)
    assert any("1 prediction without a reference ('c')" in note for note in scores.notes)
    assert "use allow_missing=True" in complaint(hw.DataError, pred, ref, "dsc")


# Tolerances.


def test_a_tolerance_for_each_label(tmp_path: Path) -> None:
    file = tmp_path / "mm.toml"
    file.write_text('1 = 2\n"2" = "msd:liver"\ndefault = 0.5\n')
    pair = folders(tmp_path, {"a": (prediction(), reference())})
    scores = hw.score_folders(*pair, "nsd", tolerance_file=file)
    assert [row.parameters for row in scores] == ["tolerance=2", "tolerance=7", "tolerance=0.5"]
    mapping: dict[str, Any] = {"1": 2, "2": "msd:liver", "default": 0.5}
    assert same(scores, hw.score_folders(*pair, "nsd", tolerance=mapping))


def test_the_tolerance_is_the_distance_of_the_boundary_iou() -> None:
    scores = hw.score_masks(
        prediction(), reference(), "nsd,boundary_iou", spacing=0.9, tolerance="msd:lung", only=["1"]
    )
    assert [row.parameters for row in scores] == ["tolerance=2", "distance=2"]
    own = hw.score_masks(prediction(), reference(), "nsd:4,boundary_iou:1", spacing=0.9, only=["1"])
    assert [row.parameters for row in own] == ["tolerance=4", "distance=1"]


def test_the_boundary_iou_of_cheng_takes_no_tolerance() -> None:
    text = "boundary_iou:definition=cheng"
    scores = hw.score_masks(prediction(), reference(), text, only=["1"])
    found = metrics.boundary_iou(prediction() == 1, reference() == 1, definition="cheng")
    assert scores.value("boundary_iou") == found
    assert scores.rows[0].parameters == "definition=cheng"


def test_the_boundary_iou_of_cheng_counts_its_own_distance_in_voxels() -> None:
    text = "boundary_iou:definition=cheng,distance=2"
    scores = hw.score_masks(prediction(), reference(), text, only=["1"])
    found = metrics.boundary_iou(
        prediction() == 1, reference() == 1, definition="cheng", distance=2
    )
    assert scores.value("boundary_iou") == found
    estimate = hw.summary_ci([0.8, 0.9, 0.7], metric=text)
    assert "boundary IoU (distance 2 voxels, definition cheng)" in estimate.sentence()


@pytest.mark.parametrize("name", ["nsd", "boundary_iou"])
def test_without_a_tolerance_there_is_an_error(name: str) -> None:
    text = complaint(hw.OptionError, prediction(), reference(), name, spacing=1)
    assert name in text
    assert "tolerance=3, one for each label" in text
    some = complaint(
        hw.OptionError, prediction(), reference(), name, spacing=1, tolerance={"1": 2, "3": 2}
    )
    assert "'2'" in some


def test_tolerances_of_labels_that_are_not_there() -> None:
    given: dict[str, Any] = {"spacing": 1, "tolerance": {"default": 2, "livre": 3}}
    names = {"liver": 1, "spleen": 2, "base": 3}
    text = complaint(hw.UnknownNameError, prediction(), reference(), "nsd", labels=names, **given)
    assert "'livre'" in text
    assert "did you mean 'liver'" in text
    # Without names nobody knows before.
    scores = hw.score_masks(prediction(), reference(), "nsd", **given)
    assert any("livre" in note for note in scores.notes)


# Which metrics.


def test_all_metrics_are_all_but_cldice() -> None:
    pair = prediction(), reference()
    scores = hw.score_masks(*pair, "all", spacing=1, tolerance=1, only=["1"])
    names = [row.metric for row in scores]
    assert names == [name.partition(":")[0] for name in EVERY.split(",") if name != "cldice"]
    more = hw.score_masks(*pair, ["all", "cldice"], spacing=1, tolerance=1, only=["1"])
    assert [row.metric for row in more] == [*names, "cldice"]


def test_all_metrics_without_a_tolerance_leave_out_those_that_need_one() -> None:
    scores = hw.score_masks(prediction(), reference(), "all", spacing=1)
    assert not {"nsd", "boundary_iou"} & {row.metric for row in scores}


def test_synonyms_are_the_same_metric() -> None:
    scores = hw.score_masks(prediction(), reference(), "dice,jaccard", only=["1"])
    assert [row.metric for row in scores] == ["dsc", "iou"]
    for twice in ("dsc,dice", "dsc,dsc", "all,hd"):
        text = complaint(hw.OptionError, prediction(), reference(), twice, spacing=1)
        assert "named twice" in text


def test_one_metric_with_two_definitions_has_two_rows() -> None:
    texts = ["hd95", "hd95:definition=pooled"]
    scores = hw.score_masks(prediction(), reference(), texts, spacing=0.9, only=["1"])
    assert [row.parameters for row in scores] == ["", "definition=pooled"]
    with pytest.raises(hw.DataError, match="2 values"):
        scores.value("hd95")


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ("dcs", "did you mean 'dsc'"),
        ("auroc", "unknown metric of masks"),
        ("", "no metric"),
        ([], "no metric"),
        ("hd:percentil=95", "did you mean 'percentile'"),
        ("hd:percentile=0", "percentile=0"),
        ("hd95:definition=surfaces", "definition"),
        ("dsc:tolerance=3", "dsc"),
        ("boundary_iou:definition=cheng,distance=1.5", "no whole number"),
    ],
)
def test_metrics_that_are_not_there(texts: Any, said: str) -> None:
    assert said in complaint(hw.OptionError, prediction(), reference(), texts, spacing=1)


# Labels that do not fit.


def test_what_looks_like_an_image_is_refused() -> None:
    image = np.random.default_rng(0).integers(0, 2000, (30, 40)).astype(np.uint16)
    assert "looks like an image" in complaint(hw.DataError, image, image, "dsc")
    scores = hw.score_masks(image, image, "dsc", labels={"ten": 10})
    assert scores.value("dsc") == 1


def test_five_hundred_labels_are_scored() -> None:
    labels = np.arange(501, dtype=np.uint16).reshape(3, 167)
    assert len(hw.score_masks(labels, labels, "dsc")) == 500


def test_labels_that_have_nothing_in_common_are_an_error(tmp_path: Path) -> None:
    pair = (reference() > 0).astype(np.uint8) * 254, (reference() > 0).astype(np.uint8)
    text = complaint(hw.DataError, *folders(tmp_path, {"a": pair}), "dsc")
    assert "254" in text
    assert "say binary=True" in text
    assert "binary" in complaint(hw.DataError, *pair, "dsc")


def test_metrics_with_a_value_of_empty_masks_keep_it_and_their_means_count_it(
    tmp_path: Path,
) -> None:
    # Of four cases two hold the label neither in the prediction nor in the reference: by itself as
    # a structure, and beside another one in a label map.
    truth = {case: reference() for case in "abcd"}
    for case in "cd":
        truth[case] = np.where(reference() == 2, 0, reference()).astype(np.uint8)
    found = truth | {"b": np.where(prediction() == 2, 2, truth["b"]).astype(np.uint8)}
    texts = "dsc,specificity,absolute_volume_error,nsd"
    maps = hw.score_masks(found, truth, texts, spacing=1, tolerance=1)
    predicted, true = (
        {case: (one == 2).astype(np.uint8) for case, one in side.items()} for side in (found, truth)
    )
    alone = hw.score_masks(predicted, true, texts, spacing=1, tolerance=1, labels={"two": 1})
    for scores, label in ((maps, "2"), (alone, "two")):
        rows = {(row.case, row.metric): row for row in scores if row.label == label}
        for case in "cd":
            own = {
                name: (rows[case, name].value, rows[case, name].status) for name in texts.split(",")
            }
            kept = [own[name] for name in ("specificity", "absolute_volume_error")]
            assert kept == [(1, "ok"), (0, "ok")]
            assert {own[name][1] for name in ("dsc", "nsd")} == {NOT_APPLICABLE}
        file = tmp_path / "scores.csv"
        scores.to_frame().to_csv(file, index=False)
        mean = hw.estimate(hw.read(file), metric="specificity", method="t")
        (of_label,) = [one for one in mean if one.label.endswith(label)]
        everywhere = [rows[case, "specificity"].value for case in "abcd"]
        assert of_label.n == 4
        assert of_label.value == pytest.approx(np.mean(everywhere), rel=1e-12)


def test_maps_without_any_label_are_an_error() -> None:
    nothing = np.zeros((4, 5), dtype=np.uint8)
    assert "background" in complaint(hw.DataError, nothing, nothing, "dsc")


def test_values_without_a_name_and_names_without_a_value_are_told() -> None:
    scores = hw.score_masks(
        prediction(), reference(), "dsc", labels={"left": 1, "right": 2, "tail": 9}
    )
    assert "values that are not scored: 3" in scores.notes
    assert "labels that no case has: tail" in scores.notes
    assert by_metric(scores, "tail")["dsc"][1] == NOT_APPLICABLE


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"labels": {"left": 1}, "only": ["lefd"]}, "did you mean 'left'"),
        ({"labels": {"left": 1}, "regions": ["both=left+rigth"]}, "rigth"),
        ({"regions": ["both"]}, "NAME=LABEL+LABEL"),
        ({"regions": ["7=1+2"]}, "number"),
        ({"regions": ["both=1+2", "both=1+3"]}, "both"),
        ({"only": ["liver"]}, "liver"),
        ({"only": []}, "at least one"),
        ({"spacing": 0}, "positive"),
        ({"spacing": -1}, "positive"),
        ({"spacing": (1, 1)}, "each of the 3 axes"),
        ({"spacing": math.nan}, "positive"),
        ({"spacing": "wide"}, "neither a number of mm"),
        ({"tolerance": -1}, "at least 0"),
        ({"tolerance": "msd:livre"}, "did you mean 'liver'"),
    ],
)
def test_bad_options(options: dict[str, Any], said: str) -> None:
    given = {"metrics": "dsc,hd", "spacing": 1} | options
    assert said in complaint(hw.OptionError, prediction(), reference(), **given)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (reference() / 7, "probabilities"),
        (-reference().astype(int), "negative"),
        (reference()[:5], "shape"),
        (reference()[None], "axes"),
        (np.zeros((0, 3)), "empty"),
        (reference().astype(str), "whole number"),
        (np.where(reference() == 1, np.nan, 1.0), "NaN"),
    ],
)
def test_arrays_that_are_no_label_maps(found: Any, said: str) -> None:
    truth = reference()
    assert said in complaint(hw.DataError, found, truth, "dsc")


def test_mappings_hold_the_same_cases() -> None:
    text = complaint(hw.DataError, {"a": prediction()}, {"b": reference()}, "dsc")
    assert "a, b" in text or "b, a" in text
    assert "mappings" in complaint(hw.OptionError, {"a": prediction()}, reference(), "dsc")


# Files.


def test_scores_do_not_depend_on_the_format(tmp_path: Path) -> None:
    arrays = hw.score_masks(
        {"a": prediction()}, {"a": reference()}, EVERY, spacing=SPACING, tolerance=2
    )
    for suffix in (".nii.gz", ".nii", ".nrrd", ".mha", ".npy"):
        place = tmp_path / suffix.strip(".")
        found = save(place / "pred" / f"a{suffix}", prediction())
        truth = save(place / "ref" / f"a{suffix}", reference())
        spacing = SPACING if suffix == ".npy" else None
        scores = hw.score_folders(found, truth, EVERY, tolerance=2, spacing=spacing)
        assert same(scores, arrays), suffix


def test_formats_may_be_mixed(tmp_path: Path) -> None:
    pred, ref = tmp_path / "pred", tmp_path / "ref"
    for name, suffix in (("a", ".nii.gz"), ("b", ".mha"), ("c", ".npy")):
        save(pred / f"{name}{suffix}", prediction())
        save(ref / f"{name}.nrrd", reference())
    scores = hw.score_folders(pred, ref, "hd95", ignore_geometry=True)
    assert len({row.value for row in scores if row.label == "1"}) == 1


def test_the_spacing_is_that_of_the_files(tmp_path: Path) -> None:
    pair = folders(tmp_path, {"a": (prediction(), reference())})
    of_files = hw.score_folders(*pair, "hd95")
    assert of_files.value("hd95", label="1") == 1.5
    given = hw.score_folders(*pair, "hd95", spacing=(1, 10, 1))
    assert given.value("hd95", label="1") == 10
    assert given.cases[0].labels[0].spacing == (1, 10, 1)


def test_pictures_have_no_spacing(tmp_path: Path) -> None:
    pair = folders(tmp_path, {})
    for side, labels in zip(pair, (prediction(), reference()), strict=True):
        save(side / "a.png", labels[5])
    text = complaint(hw.OptionError, *pair, "dsc,hd95")
    assert text.startswith("case a: ")
    assert "(spacing=0.5; one number" in text
    assert "say 1 to measure in voxels" in text
    assert hw.score_folders(*pair, "dsc").cases[0].labels[0].spacing is None
    scores = hw.score_folders(*pair, "hd95", spacing=1)
    assert scores.value("hd95", label="1") == 1
    assert codes(scores) == ["HW504"]


@pytest.mark.parametrize(
    ("field", "change", "said"),
    [
        ("SetSpacing", (1.0, 1.5, 2.1), "spacing differ"),
        ("SetOrigin", (0.0, 0.0, 7.0), "origin differ"),
        ("SetDirection", (-1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0), "orientation"),
    ],
)
def test_grids_that_differ_are_an_error(
    field: str, change: tuple[float, ...], said: str, tmp_path: Path
) -> None:
    pair = folders(tmp_path, {"case 1": (prediction(), reference())})
    file = pair[0] / "case 1.nrrd"
    image = sitk.ReadImage(str(file))
    getattr(image, field)(change)
    sitk.WriteImage(image, str(file))
    text = complaint(hw.DataError, *pair, "dsc,hd95")
    assert text.startswith("case case 1: ")
    assert said in text
    assert "ignore_geometry=True" in text
    ignored = hw.score_folders(*pair, "dsc,hd95", ignore_geometry=True)
    # The spacing is that of the reference.
    assert ignored.cases[0].labels[0].spacing == SPACING
    assert ignored.value("hd95", label="1") == 1.5


def test_shapes_that_differ_are_an_error_whatever_is_ignored(tmp_path: Path) -> None:
    pair = folders(tmp_path, {"a": (prediction()[:10], reference())})
    assert "shapes differ" in complaint(hw.DataError, *pair, "dsc", ignore_geometry=True)


def test_two_processes_find_the_same_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = np.where(reference() == 2, 0, reference()).astype(np.uint8)
    pair = folders(
        tmp_path,
        {"a": (prediction(), reference()), "b": (without, reference()), "c": (without, without)},
    )
    options: dict[str, Any] = {"tolerance": 2, "regions": ["top=1+2"]}
    one = hw.score_folders(*pair, EVERY, **options)
    two = hw.score_folders(*pair, EVERY, jobs=2, **options)
    assert same(one, two)
    assert repr(one.cases) == repr(two.cases)
    assert (one.cautions, one.notes) == (two.cautions, two.notes)
    # The processes are kept, and do not stay in the folder of the first call.
    monkeypatch.chdir(tmp_path)
    found, truth = (Path(folder).relative_to(tmp_path) for folder in pair)
    assert same(one, hw.score_folders(found, truth, EVERY, jobs=2, **options))


@pytest.mark.parametrize("jobs", [0, -2, 1.0, True, "2", None])
def test_jobs_are_counted(jobs: Any, tmp_path: Path) -> None:
    pair = folders(tmp_path, {"a": (prediction(), reference())})
    assert "must be an integer ≥ 1, or -1" in complaint(hw.OptionError, *pair, "dsc", jobs=jobs)


def test_what_is_wrong_with_some_cases_is_told_of_all(tmp_path: Path) -> None:
    names = [f"case{i}" for i in range(7)]
    pair = folders(tmp_path, dict.fromkeys(names, (prediction(), reference())))
    for name in names[1:6]:
        (pair[0] / f"{name}.nrrd").write_bytes(b"no image")
    text = complaint(hw.DataError, *pair, "dsc")
    assert "5 of 7 cases" in text
    assert all(name in text for name in names[1:4])
    assert "2 more" in text
    assert "kept" not in text


# Folders of structures.


def test_structures_are_labels(tmp_path: Path) -> None:
    scores = hw.score_folders(*structures(tmp_path), EVERY, tolerance=2)
    assert [row.label for row in scores][:: len(EVERY.split(","))] == ["base", "left", "right"] * 2
    labels = {"left": 1, "right": 2, "base": 3}
    maps = hw.score_masks(
        prediction(), reference(), EVERY, spacing=SPACING, tolerance=2, labels=labels
    )
    for row in scores:
        assert row.value == maps.value(row.metric, label=row.label)


def test_unions_of_structures(tmp_path: Path) -> None:
    pair = structures(tmp_path)
    scores = hw.score_folders(*pair, "dsc,hd,specificity", regions=["top=left+right"])
    assert [row.label for row in scores][:12:3] == ["base", "left", "right", "top"]
    masks = [np.isin(labels, (1, 2)) for labels in (prediction(), reference())]
    assert scores.value("dsc", case="a", label="top") == metrics.dsc(*masks)
    assert scores.value("hd", case="b", label="top") == metrics.hd(*masks, spacing=SPACING)
    assert scores.value("specificity", case="a", label="top") == metrics.overlap.specificity(*masks)
    only = hw.score_folders(*pair, "dsc", regions=["top=left+right"], only=["top"])
    assert {row.label for row in only} == {"top"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"only": ["lefd"]}, "did you mean 'left'"),
        ({"regions": ["top=left+rigth"]}, "did you mean 'right'"),
        ({"regions": ["left=right+base"]}, "there is a 'left' already"),
        ({"labels": {"left": 1}}, "labels= is about label maps"),
        ({"binary": True}, "binary= is about label maps"),
        ({"metrics": "nsd", "tolerance": {"left": 3}}, "'base'"),
        ({"metrics": "nsd", "tolerance": {"default": 1, "lefd": 3}}, "did you mean 'left'"),
    ],
)
def test_bad_options_for_structures(options: dict[str, Any], said: str, tmp_path: Path) -> None:
    given = {"metrics": "dsc"} | options
    assert said in complaint(hw.OptionError, *structures(tmp_path), **given)


def test_any_value_stands_for_a_structure(tmp_path: Path) -> None:
    pair = structures(tmp_path, ["a"])
    wanted = hw.score_folders(*pair, "dsc,hd95")
    for side, labels, value in ((0, prediction(), 255), (1, reference(), 7)):
        save(pair[side] / "a" / "left.nrrd", (labels == 1).astype(np.uint16) * value)
    assert same(hw.score_folders(*pair, "dsc,hd95"), wanted)


def test_a_structure_with_two_values_is_an_error(tmp_path: Path) -> None:
    pair = structures(tmp_path)
    save(pair[0] / "b" / "left.nrrd", prediction())
    text = complaint(hw.DataError, *pair, "dsc")
    assert text.startswith("1 of 2 cases could not be scored: case b: ")
    assert "left.nrrd" in text
    assert "1, 2, 3" in text


def test_a_case_has_the_structures_that_it_has_files_for(tmp_path: Path) -> None:
    pair = structures(tmp_path)
    for side in pair:
        (side / "b" / "left.nrrd").unlink()
    scores = hw.score_folders(*pair, "dsc", regions=["top=left+right", "l=left"])
    rows = [(row.case, row.label) for row in scores]
    assert ("b", "left") not in rows
    assert ("b", "l") not in rows
    assert scores.value("dsc", case="b", label="top") == scores.value(
        "dsc", case="b", label="right"
    )


def test_a_missing_structure_is_missed(tmp_path: Path) -> None:
    pair = structures(tmp_path)
    (pair[0] / "b" / "left.nrrd").unlink()
    assert "'left'" in complaint(hw.DataError, *pair, "dsc")
    scores = hw.score_folders(
        *pair, "dsc,hd95", allow_missing=True, regions=["top=left+right"], only=["left", "top"]
    )
    rows = {(row.label, row.metric): row for row in scores if row.case == "b"}
    assert rows["left", "dsc"].status == rows["left", "hd95"].status == "missed"
    found = prediction() == 2
    truth = np.isin(reference(), (1, 2))
    assert rows["top", "dsc"].value == metrics.dsc(found, truth)


def test_empty_structures_do_not_apply(tmp_path: Path) -> None:
    pair = structures(tmp_path)
    for side in pair:
        for name in ("left", "right"):
            save(side / "b" / f"{name}.nrrd", np.zeros_like(reference()))
    scores = hw.score_folders(*pair, "dsc", regions=["top=left+right"])
    rows = [row.status for row in scores if row.case == "b" and row.label != "base"]
    assert rows == [NOT_APPLICABLE] * 3


def test_structures_may_have_grids_of_their_own(tmp_path: Path) -> None:
    pair = structures(tmp_path)
    for side, labels in zip(pair, (prediction(), reference()), strict=True):
        save(side / "a" / "left.nrrd", (labels == 1).astype(np.uint8)[:, :, 1:], (1, 1, 1))
    scores = hw.score_folders(*pair, "hd95")
    assert scores.value("hd95", case="a", label="left") == 1
    assert scores.value("hd95", case="a", label="right") == 1.5
    text = complaint(hw.DataError, *pair, "dsc", regions=["top=left+right"])
    assert "different grids" in text
    assert "case a" in text


# Cautions.


def cube(side: int, at: int = 3, shape: Sequence[int] = (16, 16, 16)) -> Map:
    labels = np.zeros(shape, dtype=np.uint8)
    labels[(slice(at, at + side),) * labels.ndim] = 1
    return labels


def test_sound_masks_raise_no_caution() -> None:
    scores = hw.score_masks(prediction(), reference(), EVERY, spacing=(1.5, 1, 1), tolerance=1.5)
    assert codes(scores) == []


def test_empty_references_are_cautioned() -> None:
    full, nothing = cube(6), cube(0)
    scores = hw.score_masks({"a": full, "b": full}, {"a": full, "b": nothing}, "dsc")
    assert codes(scores) == ["HW104"]
    assert "1 (1 of 2)" in told(scores, "HW104")


def test_references_in_parts_are_cautioned() -> None:
    parts = cube(5) + cube(5, at=9)
    # What touches by a corner is one part.
    touching = cube(5) + cube(5, at=8)
    assert codes(hw.score_masks(parts, parts, "hd95", spacing=1.5)) == ["HW105"]
    assert codes(hw.score_masks(parts, touching, "dsc")) == []


def test_tiny_references_are_cautioned_under_overlap() -> None:
    tiny, small = cube(4), cube(5)
    scores = hw.score_masks(small, tiny, "dsc,hd95,iou,nsd", spacing=1.5, tolerance=2)
    assert codes(scores) == ["HW503"]
    assert "DSC, IoU" in told(scores, "HW503")
    assert "NSD" not in told(scores, "HW503")
    assert codes(hw.score_masks(tiny, tiny, "hd95,nsd", spacing=1.5, tolerance=2)) == []
    assert codes(hw.score_masks(tiny, small, "dsc")) == []


def test_exactly_a_hundred_voxels_are_not_tiny() -> None:
    picture = cube(10, shape=(16, 16))
    assert codes(hw.score_masks(picture, picture, "dsc")) == []
    picture[3, 3] = 0
    assert codes(hw.score_masks(picture, picture, "dsc")) == ["HW503"]


@pytest.mark.parametrize("spacing", [1, 1.0, (1, 1, 1), np.ones(3)])
def test_distances_in_voxels_are_cautioned(spacing: Any) -> None:
    scores = hw.score_masks(prediction(), reference(), "dsc,hd95,masd", spacing=spacing)
    assert codes(scores) == ["HW504"]
    assert "HD95, MASD" in told(scores, "HW504")
    assert codes(hw.score_masks(prediction(), reference(), "dsc", spacing=spacing)) == []


def test_a_spacing_of_1_mm_in_the_file_is_none_in_voxels(tmp_path: Path) -> None:
    found = save(tmp_path / "pred.nrrd", prediction(), (1, 1, 1))
    truth = save(tmp_path / "ref.nrrd", reference(), (1, 1, 1))
    assert codes(hw.score_folders(found, truth, "hd95")) == []


def test_oblong_voxels_are_cautioned_under_voxel_boundaries() -> None:
    pair = prediction(), reference()
    scores = hw.score_masks(*pair, "dsc,hd95,assd", spacing=(2.5, 0.98, 0.98))
    assert codes(scores) == ["HW505"]
    assert "1 of 1" in told(scores, "HW505")
    assert "HD95, ASSD" in told(scores, "HW505")
    surface = "hd95:definition=surface,nsd:definition=surface"
    assert codes(hw.score_masks(*pair, surface, spacing=(2.5, 1, 1), tolerance=3)) == []
    assert codes(hw.score_masks(*pair, "dsc", spacing=(2.5, 1, 1))) == []
    assert codes(hw.score_masks(*pair, "hd95", spacing=(1.9, 1, 1))) == []


def test_a_tolerance_below_the_voxel_is_cautioned() -> None:
    pair = prediction(), reference()
    spacing = (1.5, 1, 1)
    scores = hw.score_masks(*pair, "nsd", spacing=spacing, tolerance=1)
    assert codes(scores) == ["HW506"]
    assert "1 mm against 1.5 mm" in told(scores, "HW506")
    assert codes(hw.score_masks(*pair, "nsd", spacing=spacing, tolerance=1.5)) == []
    assert codes(hw.score_masks(*pair, "hd95", spacing=spacing)) == []
    some = hw.score_masks(*pair, "nsd", spacing=spacing, tolerance={"2": 1, "default": 3})
    assert "label 2 1 mm" in told(some, "HW506")


# Results.


def test_scores_feed_the_summary() -> None:
    shifts = {f"case{i}": prediction(i % 4) for i in range(12)}
    truth = dict.fromkeys(shifts, reference())
    scores = hw.score_masks(shifts, truth, "dsc,hd95", spacing=1.5)
    estimates = hw.estimate(hw.CaseValues.from_table(scores.to_frame(), by="label"), rng=1)
    assert len(estimates) == 6
    for e in estimates:
        assert e.n == 12
        assert e.low < e.value < e.high
    values = [row.value for row in scores if row.label == "1" and row.metric == "dsc"]
    (first,) = [e for e in estimates if e.label == "1" and e.metric == "dsc"]
    assert first.value == pytest.approx(np.mean(values))


def test_scores_as_a_frame_and_as_json() -> None:
    without = np.where(reference() == 2, 0, reference()).astype(np.uint8)
    nothing = np.where(reference() == 3, 0, without).astype(np.uint8)
    scores = hw.score_masks(
        {"a": without, "b": without}, {"a": reference(), "b": nothing}, "hd95,nsd:3", spacing=0.9
    )
    frame = scores.to_frame()
    columns = ["case", "label", "metric", "value", "status", "parameters"]
    assert list(frame.columns) == columns
    assert len(frame) == len(scores) == len(scores.rows) == 2 * 3 * 2
    assert frame.iloc[0].tolist()[:3] == ["a", "1", "hd95"]
    content = json.loads(scores.to_json(), parse_constant=pytest.fail)
    assert content["schema_version"] == 1
    assert list(content["cases"][0]) == columns
    by = {(r["case"], r["label"], r["metric"]): r for r in content["cases"]}
    assert by["a", "2", "hd95"]["value"] is None
    assert by["a", "2", "hd95"]["status"] == "missed"
    assert by["b", "2", "nsd"] == {
        "case": "b",
        "label": "2",
        "metric": "nsd",
        "value": None,
        "status": NOT_APPLICABLE,
        "parameters": "tolerance=3",
    }
    assert [c["code"] for c in content["cautions"]] == codes(scores)


def test_a_value_is_the_only_one_or_an_error() -> None:
    scores = hw.score_masks(prediction(), reference(), "dsc,iou")
    assert scores.value("dsc", case="1", label="3") == metrics.dsc(
        prediction() == 3, reference() == 3
    )
    with pytest.raises(hw.DataError, match="3 values of"):
        scores.value("dsc")
    with pytest.raises(hw.DataError, match="0 values of"):
        scores.value("hd", label="1")


def test_scores_say_what_they_hold() -> None:
    text = repr(hw.score_masks(prediction(), reference(), "dsc,hd95", spacing=1))
    assert text.startswith("Scores: 1 case, 3 labels, 6 values")
    assert "HW504" in text


def test_arrays_are_left_as_they_are() -> None:
    found, truth = prediction(), reference()
    found.setflags(write=False)
    truth.setflags(write=False)
    hw.score_masks(found, truth, EVERY, spacing=1, tolerance=1, regions=["top=1+2"])
    assert np.array_equal(found, prediction())
    assert np.array_equal(truth, reference())


# Real masks.

# METRICS, section 3: case 0522c0017, radiographer against oncologist.
PUBLISHED = {
    "Brainstem": (0.9043, 0.8253, 5.4591, 5.0000, 0.8365, 0.8388, 0.9601),
    "Parotid-Lt": (0.8289, 0.7079, 11.4338, 5.5009, 1.0193, 1.0281, 0.9302),
}


def test_published_values_of_a_patient(shared: Path, tmp_path: Path) -> None:
    pair = tmp_path / "radiographer", tmp_path / "oncologist"
    for side in pair:
        for case in ("0522c0017", "0522c0161"):
            (side / case).mkdir(parents=True)
            own = PUBLISHED if case == "0522c0017" else ["Brainstem"]
            for name in own:
                file = shared / "data" / "head_neck_ct" / side.name / case / f"{name}.nrrd"
                (side / case / file.name).symlink_to(file)
    scores = hw.score_folders(*pair, "dsc,iou,hd,hd95,masd,assd,nsd:3")
    for name, wanted in PUBLISHED.items():
        found = [r.value for r in scores if (r.case, r.label) == ("0522c0017", name)]
        assert [round(value, 4) for value in found] == list(wanted)
    assert codes(scores)[-1] == "HW505"


def test_a_pair_with_many_labels(shared: Path) -> None:
    data = shared / "data" / "totalseg"
    pair = data / "example_seg_fast.nii.gz", data / "example_seg.nii.gz"
    scores = hw.score_folders(*pair, "dsc,nsd", tolerance=3)
    volumes = [nibabel.load(file).get_fdata().astype(int) for file in pair]
    held = sorted({*np.unique(volumes[0]), *np.unique(volumes[1])} - {0})
    assert [row.label for row in scores][::2] == [str(value) for value in held]
    for value in held:
        wanted = metrics.dsc(volumes[0] == value, volumes[1] == value)
        assert scores.value("dsc", label=str(value)) == wanted


def test_a_spine(shared: Path) -> None:
    data = shared / "data" / "spine"
    pair = data / "semantic_pred.nii.gz", data / "semantic_ref.nii.gz"
    scores = hw.score_folders(*pair, "dsc,hd95")
    images = [nibabel.load(file) for file in pair]
    steps = tuple(float(step) for step in images[1].header.get_zooms())
    volumes = [image.get_fdata().astype(int) for image in images]
    label = scores.rows[0].label
    masks = [volume == int(label) for volume in volumes]
    assert scores.value("dsc", label=label) == metrics.dsc(*masks)
    wanted = metrics.hd95(*masks, spacing=steps)
    assert scores.value("hd95", label=label) == pytest.approx(wanted, rel=1e-6)


def picture() -> NDArray[np.uint8]:
    labels = np.zeros((40, 40), dtype=np.uint8)
    labels[4:20, 4:20], labels[24:36, 4:30] = 1, 2
    return labels


def test_a_single_slice_has_no_boundary_across() -> None:
    volume = picture()[None]
    scores = hw.score_masks(volume, volume, "hd95,nsd", spacing=(5, 1, 1), tolerance=2)
    assert scores.cautions == ()


@pytest.mark.parametrize("texts", ["hd,hd:percentile=100", "nsd,nsd:3", "f_beta,f_beta:beta=1"])
def test_a_metric_whose_default_is_said_is_the_same(texts: str) -> None:
    with pytest.raises(hw.OptionError, match="named twice"):
        hw.score_masks(picture(), picture(), texts, spacing=1.5, tolerance=3)


def folder_of(path: Path, **cases: NDArray[Any]) -> Path:
    path.mkdir()
    for name, voxels in cases.items():
        np.save(path / f"{name}.npy", voxels)
    return path


def structures_of(
    path: Path, spacings: dict[str, float] | None = None, **structures: tuple[NDArray[Any], float]
) -> Path:
    """One case whose structures lie at some height, in slices of 1 mm or as far apart."""
    (path / "a").mkdir(parents=True)
    for name, (voxels, height) in structures.items():
        image: Any = sitk.GetImageFromArray(voxels)
        image.SetOrigin((0.0, 0.0, height))
        image.SetSpacing((1.0, 1.0, (spacings or {}).get(name, 1.0)))
        sitk.WriteImage(image, str(path / "a" / f"{name}.nrrd"))
    return path


BOX = np.pad(np.ones((4, 5, 6), np.uint8), 2)


def test_structures_of_a_region_lie_on_one_grid(tmp_path: Path) -> None:
    one, two = (
        structures_of(tmp_path / side, one=(BOX, 0.0), two=(BOX, 500.0)) for side in ("p", "r")
    )
    with pytest.raises(hw.DataError, match=r"case a: region 'both': .*two and one: origin differ"):
        hw.score_folders(one, two, "dsc", regions="both=one+two")
    assert len(hw.score_folders(one, two, "dsc", regions="b=one+two", ignore_geometry=True)) == 3


def test_regions_of_structures_may_hold_regions_and_have_names_of_their_own(tmp_path: Path) -> None:
    given: dict[str, Any] = {"one": (BOX, 0.0), "two": (np.roll(BOX, 2, axis=2), 0.0)}
    one, two = (structures_of(tmp_path / side, **given) for side in ("p", "r"))
    scores = hw.score_folders(one, two, "dsc", regions=["both=one+two", "more=both+one"])
    assert scores.labels == ["one", "two", "both", "more"]
    with pytest.raises(hw.OptionError, match="already"):
        hw.score_folders(one, two, "dsc", regions=["both=one+two", "both=two"])


@pytest.mark.parametrize(("coarse", "fine"), [("a", "z"), ("z", "a")])
def test_structures_with_grids_of_their_own_are_doubted_apart(
    coarse: str, fine: str, tmp_path: Path
) -> None:
    volume = np.repeat(picture()[None], 6, axis=0)
    given = {coarse: (volume == 1, 0.0), fine: (volume == 2, 0.0)}
    voxels = {name: (mask.astype(np.uint8), height) for name, (mask, height) in given.items()}
    one, two = (structures_of(tmp_path / side, {coarse: 5.0}, **voxels) for side in ("p", "r"))
    found = [one for one in hw.score_folders(one, two, "hd95,nsd:2").cautions if "HW50" in one.code]
    assert [caution.code for caution in found] == ["HW505", "HW506"]
    assert f"{coarse} 2 mm" in found[1].message
    assert f"{fine} 2 mm" not in found[1].message


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"only": "liver"}, "label maps hold numbers"),
        ({"only": [1]}, "only="),
        ({"regions": 3}, "regions="),
        ({"metrics": None}, "metrics="),
        ({"metrics": "dsc", "tolerance": 3}, "has no effect"),
        ({"metrics": "nsd:3", "tolerance": 3}, "has no effect"),
        ({"spacing": 0}, "positive"),
    ],
)
def test_what_is_not_meant_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(hw.OptionError, match=said):
        hw.score_masks(picture(), picture(), **{"metrics": "dsc", **options})


def test_all_says_what_it_leaves_out() -> None:
    scores = hw.score_masks(picture(), picture(), "all", spacing=1)
    (note,) = scores.notes
    assert "cldice (slow), nsd (no tolerance), boundary_iou (no tolerance)" in note
    named = {"a": 1, "ignore": 2}
    scores = hw.score_masks(picture(), picture(), "all", spacing=1, tolerance=2, labels=named)
    assert "specificity (some voxels are ignored)" in scores.notes[0]
    with pytest.raises(hw.OptionError, match="specificity counts all background"):
        hw.score_masks(picture(), picture(), "specificity", labels=named)


def test_faults_are_told_in_the_order_of_the_cases(tmp_path: Path) -> None:
    maps = {f"case{i}": picture() for i in range(4)}
    one, two = (folder_of(tmp_path / side, **maps) for side in ("p", "r"))
    for case in ("case3", "case1"):
        (one / f"{case}.npy").write_bytes(b"nothing")
    with pytest.raises(hw.DataError, match=r"2 of 4 cases.*case case1: .*case case3: "):
        hw.score_folders(one, two, "dsc", jobs=2)


def test_the_table_is_written_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    one, two = (folder_of(tmp_path / side, a=picture(), b=picture()) for side in ("p", "r"))
    hw.score_folders(one, two, "dsc", out=tmp_path / "cases.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cases.csv", "p", "r"]
    assert (tmp_path / "cases.csv").read_text().startswith("case,label,metric,value,status,par")


def test_shapes_of_a_mapping_name_the_case() -> None:
    with pytest.raises(hw.DataError, match=r"prediction of case x has shape \(40, 39\)"):
        hw.score_masks({"x": picture()[:, 1:]}, {"x": picture()}, "dsc")
    with pytest.raises(hw.DataError, match="hold no case"):
        hw.score_masks({}, {})


def test_a_penalty_is_for_what_has_no_worst_value(tmp_path: Path, run: Run) -> None:
    lost = np.zeros_like(picture())
    maps = {"a": picture(), "b": picture(), "c": picture()}
    one = folder_of(tmp_path / "p", **maps | {"c": lost})
    two = folder_of(tmp_path / "r", **maps)
    given = ("score", one, two, "--spacing", "0.9", "--seed", "1", "-o", tmp_path / "cases.csv")
    for names in ("dsc", "dsc,hd95", "all"):
        ran = run(*given, "--metric", names, "--missing", "worst", "--penalty", "374", "--json")
        assert ran.status == 0
        assert {e["label"] for e in ran.estimates} == {"1", "2"}
    ran = run(*given, "--missing", "worst", "--json")
    assert {e["metric"] for e in ran.estimates} == {"dsc"}
    assert "no interval for hd95 of 1 (1 of 3), 2 (1 of 3)" in ran.err


def test_a_single_case_in_json_is_the_table(tmp_path: Path, run: Run) -> None:
    one, two = (folder_of(tmp_path / side, a=picture()) for side in ("p", "r"))
    ran = run("score", one, two, "--metric", "dsc", "-o", tmp_path / "cases.csv", "--json")
    assert [row["value"] for row in json.loads(ran.out)["cases"]] == [1.0, 1.0]
    assert "unknown format 'xml'" in run("score", one, two, "--format", "xml").err


def blob(shift: int = 0) -> NDArray[np.bool_]:
    mask = np.zeros((40, 44), dtype=bool)
    mask[8:28, 6 + shift : 36 + shift] = True
    return mask


def test_one_bit_pictures_are_scored(tmp_path: Path) -> None:
    pair = tmp_path / "p.png", tmp_path / "r.png"
    for path, mask in zip(pair, (blob(2), blob()), strict=True):
        Image.fromarray(mask).save(path)
        found = read_image(path).voxels
        assert set(np.unique(found.view(np.uint8))) == {0, 1}
    scores = hw.score_folders(*pair, "dsc,cldice")
    assert scores.labels == ["1"]
    assert scores.value("dsc") == metrics.dsc(blob(2), blob())
    found, truth = (np.asarray(Image.open(path)) for path in pair)
    assert hw.score_masks(found, truth, "dsc").value("dsc") == scores.value("dsc")


def test_pictures_of_255_beside_one_bit_are_refused(tmp_path: Path) -> None:
    Image.fromarray(blob()).save(tmp_path / "p.png")
    Image.fromarray(blob() * np.uint8(255)).save(tmp_path / "r.png")
    pair = tmp_path / "p.png", tmp_path / "r.png"
    with pytest.raises(hw.DataError, match=r"none in common.*binary=True"):
        hw.score_folders(*pair, "dsc")
    assert hw.score_folders(*pair, "dsc", binary=True).value("dsc") == 1


def test_the_orientation_of_a_plane_is_checked(tmp_path: Path) -> None:
    for name, sign in (("p", -1), ("r", 1)):
        affine = np.diag([sign, 1.0, 1.0, 1.0])
        nibabel.save(
            nibabel.Nifti1Image(blob().astype(np.uint8).T, affine), tmp_path / f"{name}.nii"
        )
    pair = tmp_path / "p.nii", tmp_path / "r.nii"
    with pytest.raises(hw.DataError, match="orientation differ"):
        hw.score_folders(*pair, "dsc")
    assert hw.score_folders(*pair, "dsc", ignore_geometry=True).value("dsc") == 1
    assert read_image(pair[0]).spacing == (1, 1)


def test_a_penalty_in_mm_is_not_one_of_volumes(tmp_path: Path, run: Run) -> None:
    none = np.zeros_like(blob())
    truth = {"a": blob(), "b": blob(), "c": none}
    found = {"a": blob(1), "b": blob(2), "c": blob()}
    scores = hw.score_masks(found, truth, "hd95,relative_volume_error,dsc", spacing=0.5)
    table = tmp_path / "cases.csv"
    scores.to_frame().to_csv(table, index=False)
    ran = run("ci", table, "--missing", "worst", "--penalty", "374")
    assert ran.status == 2
    assert "relative volume error" in ran.err
    assert "--metric" in ran.err
    chosen = ("--metric", "relative_volume_error", "--missing", "worst", "--penalty", "2")
    assert run("ci", table, *chosen).status == 0


def test_what_is_ignored_makes_a_caution_of_boundaries() -> None:
    part = blob() * (1 + (np.arange(44) > 20)).astype(np.uint8)
    named = {"blob": 1, "ignore": 2}
    assert codes(hw.score_masks(blob(), part, "nsd", spacing=1, tolerance=2, labels=named))[-1] == (
        "HW507"
    )
    assert codes(hw.score_masks(blob(), part, "dsc", labels=named)) == []
    whole = blob().astype(np.uint8)
    assert codes(hw.score_masks(whole, whole, "hd", spacing=0.5, labels=named)) == []


def test_a_summary_takes_scores_as_they_are() -> None:
    truth = {str(i): blob() for i in range(5)}
    scores = hw.score_masks({str(i): blob(i) for i in range(5)}, truth, "dsc")
    (e,) = hw.estimate(hw.CaseValues.from_table(scores))
    assert (e.n, e.metric) == (5, "dsc")


def test_voxels_stay_voxels_through_the_table(tmp_path: Path, run: Run) -> None:
    maps = {str(i): blob(i % 3) for i in range(4)}
    scores = hw.score_masks(maps, dict.fromkeys(maps, blob()), "hd95,nsd:2,dsc", spacing=1)
    parameters = {row.metric: row.parameters for row in scores}
    assert parameters == {"hd95": "unit=voxel", "nsd": "tolerance=2;unit=voxel", "dsc": ""}
    scores.to_frame().to_csv(tmp_path / "cases.csv", index=False)
    ran = run("ci", tmp_path / "cases.csv", "--format", "csv")
    assert "mm" not in run("ci", tmp_path / "cases.csv").out
    assert "voxels" in run("ci", tmp_path / "cases.csv").out
    assert ran.status == 0
    first, second, _ = hw.estimate(hw.CaseValues.from_table(scores))
    assert " voxels (lower 97.5 % confidence bound" in first.sentence()
    assert "NSD (tolerance 2 voxels)" in second.sentence()
    with pytest.raises(hw.OptionError, match="unit is that of the spacing"):
        hw.score_masks(blob(), blob(), "hd95:unit=voxel", spacing=1)
