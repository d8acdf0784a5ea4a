"""What an independent reader found wrong, and what is right now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from support import Run, codes

import halfwidth as hw
from halfwidth import metrics
from halfwidth.io.images import read_image
from halfwidth.metrics import overlap
from halfwidth.scoring.checkpoint import checkpoint_path

sitk: Any = pytest.importorskip("SimpleITK")
nibabel: Any = pytest.importorskip("nibabel")


def blob(shift: int = 0) -> NDArray[np.bool_]:
    mask = np.zeros((40, 44), dtype=bool)
    mask[8:28, 6 + shift : 36 + shift] = True
    return mask


def of_other_bytes(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The same booleans, true ones as bytes of 255."""
    return (mask * np.uint8(255)).view(bool)


# --------------------------------------------------------------------------- odd booleans

OF_MASKS: dict[str, Any] = {
    spec.name: spec.function for spec in hw.METRICS if spec.takes == "two masks of a case"
}


@pytest.mark.parametrize("name", OF_MASKS)
def test_bytes_of_booleans_do_not_matter(name: str) -> None:
    given: dict[str, Any] = {"spacing": 1} if hw.METRICS[name].spaced else {}
    own: dict[str, dict[str, Any]] = {
        "nsd": {"tolerance": 1},
        "boundary_iou": {"definition": "cheng"},
    }
    given |= own.get(name, {})
    wanted = OF_MASKS[name](blob(2), blob(), **given)
    assert OF_MASKS[name](of_other_bytes(blob(2)), of_other_bytes(blob()), **given) == wanted
    assert OF_MASKS[name](of_other_bytes(blob(2)), blob(), **given) == wanted


def test_one_bit_pictures_are_scored(tmp_path: Path) -> None:
    pair = tmp_path / "p.png", tmp_path / "r.png"
    for path, mask in zip(pair, (blob(2), blob()), strict=True):
        Image.fromarray(mask).save(path)
        found = read_image(path).voxels
        assert set(np.unique(found.view(np.uint8))) == {0, 1}
    scores = hw.score_folders(*pair, "dsc,cldice")
    assert scores.labels == ["1"]
    assert scores.value("dsc") == overlap.dsc(blob(2), blob())
    found, truth = (np.asarray(Image.open(path)) for path in pair)
    assert hw.score_masks(found, truth, "dsc").value("dsc") == scores.value("dsc")


def test_pictures_of_255_beside_one_bit_are_refused(tmp_path: Path) -> None:
    Image.fromarray(blob()).save(tmp_path / "p.png")
    Image.fromarray(blob() * np.uint8(255)).save(tmp_path / "r.png")
    pair = tmp_path / "p.png", tmp_path / "r.png"
    with pytest.raises(hw.DataError, match=r"none in common.*binary=True"):
        hw.score_folders(*pair, "dsc")
    assert hw.score_folders(*pair, "dsc", binary=True).value("dsc") == 1


# --------------------------------------------------------------------------- spacing


@pytest.mark.parametrize("step", [0.1, 0.3, 0.9, 1.1, 1.2, 2.4, 0.9765625, 0.48828125])
@pytest.mark.parametrize("suffix", ["nii.gz", "nrrd", "mha"])
def test_a_tolerance_of_a_voxel_is_one_in_every_format(
    tmp_path: Path, step: float, suffix: str
) -> None:
    cube = np.zeros((20, 20, 20), dtype=np.uint8)
    cube[5:15, 5:15, 5:15] = 1
    pair = tmp_path / f"p.{suffix}", tmp_path / f"r.{suffix}"
    for path, voxels in zip(pair, (np.roll(cube, 1, axis=0), cube), strict=True):
        image = sitk.GetImageFromArray(voxels)
        image.SetSpacing((step,) * 3)
        sitk.WriteImage(image, str(path))
    scores = hw.score_folders(*pair, "nsd,hd95", tolerance=step)
    assert scores.value("nsd") == 1
    assert scores.value("hd95") == step
    assert codes(scores) == []


def test_single_precision_means_the_decimal_it_shows() -> None:
    given: dict[str, Any] = {"tolerance": 1.2, "spacing": np.float32(1.2)}
    assert metrics.nsd(np.roll(blob(), 1, axis=0), blob(), **given) == 1
    steps = np.array([1.2, 0.7], dtype=np.float32)
    assert metrics.MaskPair.of(blob(), blob(), steps).spacing == (1.2, 0.7)


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


# --------------------------------------------------------------------------- what counts


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


def test_a_label_that_no_case_has_is_an_error_if_it_is_asked_for() -> None:
    maps = blob().astype(np.uint8), blob().astype(np.uint8)
    with pytest.raises(hw.DataError, match=r"no case has label 7; the label maps hold 1$"):
        hw.score_masks(*maps, "dsc", only="7")
    with pytest.raises(hw.DataError, match=r"no case has label 7; the label maps hold 1$"):
        hw.score_masks(*maps, "dsc", only="1,7")
    names = {"liver": 1, "spleen": 7}
    with pytest.raises(hw.DataError, match=r"no case has label spleen; .* hold 1 \(liver\)$"):
        hw.score_masks(*maps, "dsc", labels=names, only="liver,spleen")
    with pytest.raises(hw.OptionError, match="unknown label 'livre'; did you mean 'liver'"):
        hw.score_masks(*maps, "dsc", labels=names, only="livre")


@pytest.mark.parametrize(
    "labels",
    [
        {"liver": 1},
        {1: "liver"},
        {"liver": np.int64(1)},
        {"liver": (1, 2)},
        {"liver": np.array([1])},
    ],
)
def test_labels_may_be_what_python_makes_of_them(labels: Any) -> None:
    whole = blob().astype(np.uint8)
    assert hw.score_masks(whole, whole, "dsc", labels=labels).labels == ["liver"]


@pytest.mark.parametrize("labels", [["a", "b"], 3])
def test_other_labels_are_refused(labels: Any) -> None:
    with pytest.raises(hw.OptionError, match="neither a file nor a mapping"):
        hw.score_masks(blob(), blob(), "dsc", labels=labels)


def test_a_summary_takes_scores_as_they_are() -> None:
    truth = {str(i): blob() for i in range(5)}
    scores = hw.score_masks({str(i): blob(i) for i in range(5)}, truth, "dsc")
    (e,) = hw.estimate(hw.CaseValues.from_table(scores))
    assert (e.n, e.metric) == (5, "dsc")


def test_other_options_keep_what_others_found(tmp_path: Path) -> None:
    for side in ("p", "r"):
        (tmp_path / side).mkdir()
        np.save(tmp_path / side / "a.npy", blob())
    out = tmp_path / "cases.csv"
    checkpoint_path(out).write_text('{"asked": "other"}\n')
    scores = hw.score_folders(tmp_path / "p", tmp_path / "r", "dsc", out=out)
    assert "cases.csv.partial.old holds cases scored with other options" in scores.notes[0]
    assert (tmp_path / "cases.csv.partial.old").read_text() == '{"asked": "other"}\n'
    assert not checkpoint_path(out).exists()


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
    assert " voxels (95 % CI" in first.sentence()
    assert "NSD (tolerance 2 voxels)" in second.sentence()
    with pytest.raises(hw.OptionError, match="unit is that of the spacing"):
        hw.score_masks(blob(), blob(), "hd95:unit=voxel", spacing=1)
