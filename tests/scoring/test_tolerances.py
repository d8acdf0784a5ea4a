"""Tolerances in mm: one, one for each label, published ones, and what is wrong with them."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import codes

import halfwidth as hw


def tolerances(given: Any, file: Path, *labels: str) -> list[float]:
    """With which tolerance each label is scored, by an option and a file that may be there."""
    image = file.with_name("image.npy")
    np.save(image, np.tile(np.arange(1, len(labels) + 1, dtype=np.uint8), (2, 1)))
    image.with_name("other.npy").write_bytes(image.read_bytes())
    options: dict[str, Any] = {"tolerance": given, "spacing": 2}
    if file.exists():
        options["tolerance_file"] = file
    named = {label: value for value, label in enumerate(labels, 1)}
    scores = hw.score_folders(image, image.with_name("other.npy"), "nsd", labels=named, **options)
    return [float(row.parameters.removeprefix("tolerance=")) for row in scores]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tolerances.toml"


def complaint(file: Path, content: str) -> str:
    file.write_text(content, encoding="utf-8")
    with pytest.raises(hw.DataError) as caught:
        tolerances(None, file, "liver")
    text = str(caught.value)
    assert text.startswith(f"{file}: ")
    assert "\n" not in text
    assert len(text) < 400
    return text.removeprefix(f"{file}: ")


def test_the_published_ones_are_as_printed(shared: Path, file: Path) -> None:
    text = (shared / "papers" / "000_959402a2eff574b5.txt").read_text(encoding="utf-8")
    printed = re.search(r"individual tasks \(in mm\): (.*?)\.”", text)
    assert printed is not None
    pairs = [entry.rsplit("-", 1) for entry in printed[1].split("; ")]
    assert len(pairs) == 10
    named = {name: f"msd:{name}" for name, _ in pairs}
    assert tolerances(named, file, *named) == [float(mm) for _, mm in pairs]


@pytest.mark.parametrize("given", [3, 3.0, "3", " 3.0 ", np.float32(3), np.int64(3), Fraction(3)])
def test_a_number_is_for_all_labels(given: float, file: Path) -> None:
    assert tolerances(given, file, "liver", "spleen") == [3, 3]


def test_none_at_all(file: Path) -> None:
    with pytest.raises(hw.OptionError, match="nsd needs a tolerance in mm"):
        tolerances(None, file, "liver")


def test_zero_is_allowed(file: Path) -> None:
    assert tolerances(0, file, "liver") == [0]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("msd:liver", 7),
        ("MSD:Liver", 7),
        (" msd: Hepatic Vessel", 3),
        ("msd:hepatic-vessel", 3),
        ("msd:HepaticVessel", 3),
        ("msd:hepatic_vessel", 3),
    ],
)
def test_a_task_however_it_is_written(given: str, expected: float, file: Path) -> None:
    assert tolerances(given, file, "liver") == [expected]


@pytest.mark.parametrize("task", ["livr", ""])
def test_an_unknown_task_is_refused_with_all_that_are_known(task: str, file: Path) -> None:
    with pytest.raises(hw.UnknownNameError, match=r"Known: brain, heart, .*spleen") as caught:
        tolerances(f"msd:{task}", file, "liver")
    assert ("did you mean 'liver'?" in str(caught.value)) is (task == "livr")


def test_one_for_each_label(file: Path) -> None:
    given = {"liver": 3, "spleen": "msd:spleen", "default": "2"}
    assert tolerances(given, file, "liver", "spleen", "aorta") == [3, 3, 2]
    with pytest.raises(hw.OptionError, match="needs a tolerance in mm for label 'aorta'"):
        tolerances({"liver": 3}, file, "liver", "aorta")


@pytest.mark.parametrize(
    "given",
    ["3 mm", "", "nan", "inf", "-1", -0.1, float("nan"), float("inf"), 10**400, True, "liver"],
)
def test_what_is_no_tolerance_is_refused(given: float | str, file: Path) -> None:
    with pytest.raises(hw.OptionError, match=r"^tolerance: .* is not a number of mm, at least 0"):
        tolerances(given, file, "liver")
    with pytest.raises(hw.OptionError, match=r"^'liver': .* is not a number of mm, at least 0"):
        tolerances({"liver": given}, file, "liver")


# Files.


@pytest.mark.parametrize("table", ["", "[tolerances]\n"])
def test_a_file_of_tolerances(file: Path, table: str) -> None:
    content = f'{table}liver = 3\n"Lung-Lt" = 2.5\n1 = 0\nspleen = "msd:spleen"\ndefault = 2\n'
    file.write_text(content, encoding="utf-8-sig")
    named = ("1", "liver", "Lung-Lt", "spleen", "aorta")
    assert tolerances(None, file, *named) == [0, 3, 2.5, 3, 2]


def test_a_number_and_a_file(file: Path) -> None:
    file.write_text("liver = 3")
    assert tolerances(2, file, "aorta", "liver") == [2, 3]
    assert tolerances({"aorta": 1}, file, "aorta", "liver") == [1, 3]
    assert tolerances({"liver": 3}, file, "liver") == [3]


def test_two_values_of_one_label_are_refused(file: Path) -> None:
    file.write_text("liver = 3\ndefault = 2")
    said = r"the tolerance of 'liver' is 4 mm by tolerance= and 3 mm in .*leave"
    with pytest.raises(hw.OptionError, match=said):
        tolerances({"liver": 4}, file, "liver")
    with pytest.raises(hw.OptionError, match="the tolerance of all other labels is 1 mm by"):
        tolerances("1", file, "liver")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "the file is empty"),
        ("# nothing", "holds no tolerance; write for example liver = 3"),
        ("[tolerances]", "holds no tolerance"),
        ("liver = 3\nspleen: 2", "is not TOML: Expected '=' after a key"),
        ("liver = 3\nliver = 2", "is not TOML: Cannot overwrite a value (at"),
        ("a = " + "[" * 100_000, "is nested too deeply"),
        ("a = 1" + "0" * 5000, "is not TOML: "),
        ("liver = -1", "'liver': -1 is not a number of mm, at least 0"),
        ("liver = nan", "'liver': nan is not a number"),
        ("liver = inf", "'liver': inf is not a number"),
        ("liver = true", "'liver': True is not a number"),
        ("liver = [1, 2]", "'liver': [1, 2] is not a number"),
        ("liver = 2020-01-01", "'liver': datetime.date(2020, 1, 1) is not a number"),
        ('liver = "3 mm"', "'liver': '3 mm' is not a number"),
        ('liver = "msd:livr"', "unknown task of the Medical Segmentation Decathlon 'livr'; did"),
        ("liver = 3\n[other]\nx = 1", "'other' is a table; write one number for each label"),
        ("Optic.Nerve = 3", "'Optic' is a table; write one number for each label, and quotes"),
        ("[tolerances]\n[tolerances.liver]\nx = 1", "'liver' is a table"),
        ("liver = 3\n[tolerances]\nspleen = 1", "'liver' stands outside of [tolerances]"),
    ],
)
def test_a_wrong_file_is_refused_with_the_reason(file: Path, content: str, said: str) -> None:
    assert complaint(file, content).startswith(said)


def test_the_line_of_an_error_is_named(file: Path) -> None:
    assert "(at line 2, column" in complaint(file, "liver = 3\nspleen: 2")


def test_a_file_that_is_not_there(file: Path) -> None:
    image = file.with_name("image.npy")
    np.save(image, np.ones((2, 2), np.uint8))
    with pytest.raises(hw.DataError, match="no such file"):
        hw.score_folders(image, image.parent, "nsd", tolerance_file=file)


@pytest.mark.parametrize("step", [0.1, 0.3, 0.9, 1.1, 1.2, 2.4, 0.9765625, 0.48828125])
@pytest.mark.parametrize("suffix", ["nii.gz", "nrrd", "mha"])
def test_a_tolerance_of_a_voxel_is_one_in_every_format(
    tmp_path: Path, step: float, suffix: str
) -> None:
    sitk: Any = pytest.importorskip("SimpleITK")
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
