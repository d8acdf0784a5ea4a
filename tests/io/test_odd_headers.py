"""Headers that say odd things: by the standard, with a word about it, or refused."""

from __future__ import annotations

import math
import struct
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import halfwidth as hw
from halfwidth.io.images import read_image

nibabel: Any = import_module("nibabel")

VOXELS = np.zeros((4, 5, 6), np.uint8)
VOXELS[1:3, 1:4, 2:5] = 1
# Places of fields in a NIfTI-1 header.
PIXDIM, OFFSET, SLOPE, CODES, QUATERNION, SHIFTS = 76, 108, 112, 252, 256, 268


def nifti(path: Path, *patches: tuple[int, str, tuple[float, ...]]) -> Path:
    nibabel.save(nibabel.Nifti1Image(VOXELS.T, np.diag([2.0, 3.0, 4.0, 1.0])), str(path))
    content = bytearray(path.read_bytes())
    for place, form, values in patches:
        struct.pack_into(form, content, place, *values)
    path.write_bytes(content)
    return path


def test_a_slope_of_zero_is_no_scaling(tmp_path: Path) -> None:
    found = read_image(nifti(tmp_path / "a.nii", (SLOPE, "<2f", (0.0, 5.0))))
    np.testing.assert_array_equal(found.voxels, VOXELS)
    assert not found.notes


@pytest.mark.parametrize("intercept", [0.0, math.nan])
def test_a_slope_of_nan_is_no_scaling_and_is_said(intercept: float, tmp_path: Path) -> None:
    path = nifti(tmp_path / "a.nii", (SLOPE, "<2f", (math.nan, intercept)))
    found = read_image(path)
    np.testing.assert_array_equal(found.voxels, VOXELS)
    (note,) = found.notes
    assert note.startswith(f"{path}: its header scales values by NaN (scl_slope)")


@pytest.mark.parametrize(
    "scale", [(math.inf, 0.0), (-math.inf, 0.0), (1.0, math.nan), (2.0, math.inf)]
)
def test_other_scales_that_are_no_numbers_are_refused(
    scale: tuple[float, float], tmp_path: Path
) -> None:
    path = nifti(tmp_path / "a.nii", (SLOPE, "<2f", scale))
    with pytest.raises(hw.DataError, match=r"\(scl_slope\) and adds .*save it with 1 and 0"):
        read_image(path)


@pytest.mark.parametrize("slope", [1e-40, 1e-6, 4e-6])
def test_a_slope_that_turns_labels_into_next_to_nothing_is_refused(
    slope: float, tmp_path: Path
) -> None:
    # Rounded, they would all be background.
    with pytest.raises(hw.DataError, match="looks like probabilities"):
        read_image(nifti(tmp_path / "a.nii", (SLOPE, "<2f", (slope, 0.0))))


def test_rounding_of_a_slope_and_an_intercept_is_allowed_for(tmp_path: Path) -> None:
    # 0.1 in single precision: 30 times it misses 3 by 4e-8, and what is left of 3 - 3 misses 0.
    path = tmp_path / "a.nii"
    image = nibabel.Nifti1Image((VOXELS.T * 10 + 30).astype(np.int16), np.eye(4))
    nibabel.save(image, str(path))
    content = bytearray(path.read_bytes())
    struct.pack_into("<2f", content, SLOPE, 0.1, -3.0)
    path.write_bytes(content)
    np.testing.assert_array_equal(read_image(path).voxels, VOXELS)


def test_notes_of_headers_reach_the_scores(tmp_path: Path) -> None:
    for side, slope in (("p", math.nan), ("r", 1.0)):
        (tmp_path / side).mkdir()
        for case in range(5):
            nifti(tmp_path / side / f"{case}.nii", (SLOPE, "<f", (slope,)))
    out = tmp_path / "out.csv"
    scores = hw.score_folders(tmp_path / "p", tmp_path / "r", "dsc", out=out)
    said = [note for note in scores.notes if "scl_slope" in note]
    assert len(said) == 3
    assert "0.nii: its header scales values by NaN" in said[0]
    assert "and of 2 more files the like" in scores.notes


@pytest.mark.parametrize("offset", [352.5, -1.0, math.nan, math.inf, 100.0])
def test_places_of_voxels_that_are_none_are_refused(offset: float, tmp_path: Path) -> None:
    with pytest.raises(hw.DataError, match="says that voxels start at byte"):
        read_image(nifti(tmp_path / "a.nii", (OFFSET, "<f", (offset,))))


def test_a_place_of_zero_is_the_first_possible(tmp_path: Path) -> None:
    found = read_image(nifti(tmp_path / "a.nii", (OFFSET, "<f", (0.0,))))
    np.testing.assert_array_equal(found.voxels, VOXELS)


def test_two_placements_that_differ_are_said(tmp_path: Path) -> None:
    path = tmp_path / "a.nii"
    same = nifti(path, (CODES, "<2h", (1, 1)))
    assert not read_image(same).notes
    moved = read_image(nifti(path, (CODES, "<2h", (1, 1)), (SHIFTS, "<3f", (0.0, 30.0, 40.0))))
    (note,) = moved.notes
    assert note.startswith(
        f"{path}: its sform and its qform place its voxels differently (up to 50"
    )
    # The placement is that of the sform.
    unmoved = read_image(nifti(path, (CODES, "<2h", (0, 1)), (SHIFTS, "<3f", (0.0, 30.0, 40.0))))
    assert moved.geometry == unmoved.geometry
    assert not unmoved.notes
    turned = read_image(nifti(path, (CODES, "<2h", (1, 1)), (QUATERNION, "<3f", (0.0, 0.0, 1.0))))
    assert "place its voxels differently" in turned.notes[0]
    # A qform that is none matters only where it is taken.
    broken = (CODES, "<2h", (1, 1)), (QUATERNION, "<3f", (2.0, 2.0, 2.0))
    assert not read_image(nifti(path, *broken)).notes
    with pytest.raises(hw.DataError, match="does not say where its voxels lie"):
        read_image(nifti(path, (CODES, "<2h", (1, 0)), *broken[1:]))


@pytest.mark.parametrize("size", [0.0, -2.0, math.nan, math.inf])
def test_sizes_of_voxels_that_are_none_are_refused(size: float, tmp_path: Path) -> None:
    for codes in ((0, 0), (0, 1), (1, 0)):
        path = nifti(tmp_path / "a.nii", (PIXDIM + 4, "<f", (size,)), (CODES, "<2h", codes))
        with pytest.raises(hw.DataError, match="each size must be above zero"):
            read_image(path)


@pytest.mark.parametrize("suffix", [".nhdr", ".mhd", ".mha"])
def test_a_header_is_not_the_file_of_its_voxels(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a{suffix}"
    if suffix == ".nhdr":
        text = "NRRD0004\ntype: uchar\ndimension: 2\nsizes: 2 3\nencoding: raw\ndata file: "
    else:
        text = "NDims = 2\nDimSize = 2 3\nElementType = MET_UCHAR\nElementDataFile = "
    path.write_text(f"{text}{path.name}\n\n")
    with pytest.raises(hw.DataError, match="names itself as the file of its voxels"):
        read_image(path)
