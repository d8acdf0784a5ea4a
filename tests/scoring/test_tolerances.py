"""Tolerances in mm: one, one for each label, published ones, and what is wrong with them."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import halfwidth as hw
from halfwidth.scoring.tolerances import MSD, Tolerances, resolve_tolerances


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tolerances.toml"


def complaint(file: Path, content: str) -> str:
    file.write_text(content, encoding="utf-8")
    with pytest.raises(hw.DataError) as caught:
        resolve_tolerances(None, file)
    text = str(caught.value)
    assert text.startswith(f"{file}: ")
    assert "\n" not in text
    assert len(text) < 400
    return text.removeprefix(f"{file}: ")


def test_the_published_ones_are_as_printed(shared: Path) -> None:
    text = (shared / "papers" / "000_959402a2eff574b5.txt").read_text(encoding="utf-8")
    printed = re.search(r"individual tasks \(in mm\): (.*?)\.”", text)
    assert printed is not None
    pairs = [entry.rsplit("-", 1) for entry in printed[1].split("; ")]
    assert {name.lower().replace(" ", "_"): float(mm) for name, mm in pairs} == MSD


@pytest.mark.parametrize("given", [3, 3.0, "3", " 3.0 ", np.float32(3), np.int64(3), Fraction(3)])
def test_a_number_is_for_all_labels(given: float) -> None:
    found = resolve_tolerances(given, None)
    assert found == Tolerances(3.0, {})
    assert type(found.default) is float
    assert found.for_label("liver") == 3.0


def test_none_at_all() -> None:
    found = resolve_tolerances(None)
    assert found == Tolerances(None, {})
    assert found.for_label("liver") is None


def test_zero_is_allowed() -> None:
    assert resolve_tolerances(0).for_label("liver") == 0.0


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
def test_a_task_however_it_is_written(given: str, expected: float) -> None:
    assert resolve_tolerances(given).default == expected


@pytest.mark.parametrize("task", ["livr", ""])
def test_an_unknown_task_is_refused_with_all_that_are_known(task: str) -> None:
    with pytest.raises(hw.UnknownNameError, match=r"Known: brain, heart, .*spleen") as caught:
        resolve_tolerances(f"msd:{task}")
    assert ("did you mean 'liver'?" in str(caught.value)) is (task == "livr")


def test_one_for_each_label() -> None:
    found = resolve_tolerances({"liver": 3, "spleen": "msd:spleen", "default": "2"})
    assert found == Tolerances(2.0, {"liver": 3.0, "spleen": 3.0})
    assert found.for_label("aorta") == 2.0
    assert resolve_tolerances({"liver": 3}).for_label("aorta") is None


@pytest.mark.parametrize(
    "given",
    ["3 mm", "", "nan", "inf", "-1", -0.1, float("nan"), float("inf"), 10**400, True, "liver"],
)
def test_what_is_no_tolerance_is_refused(given: float | str) -> None:
    with pytest.raises(hw.OptionError, match=r"^tolerance: .* is not a number of mm, at least 0"):
        resolve_tolerances(given)
    with pytest.raises(hw.OptionError, match=r"^'liver': .* is not a number of mm, at least 0"):
        resolve_tolerances({"liver": given})


# Files.


@pytest.mark.parametrize("table", ["", "[tolerances]\n"])
def test_a_file_of_tolerances(file: Path, table: str) -> None:
    content = f'{table}liver = 3\n"Lung-Lt" = 2.5\n1 = 0\nspleen = "msd:spleen"\ndefault = 2\n'
    file.write_text(content, encoding="utf-8-sig")
    found = resolve_tolerances(None, file)
    assert found == Tolerances(2.0, {"liver": 3.0, "Lung-Lt": 2.5, "1": 0.0, "spleen": 3.0})


def test_a_number_and_a_file(file: Path) -> None:
    file.write_text("liver = 3")
    assert resolve_tolerances(2, file) == Tolerances(2.0, {"liver": 3.0})
    assert resolve_tolerances({"aorta": 1}, file) == Tolerances(None, {"aorta": 1.0, "liver": 3.0})
    assert resolve_tolerances({"liver": 3}, file) == Tolerances(None, {"liver": 3.0})


def test_two_values_of_one_label_are_refused(file: Path) -> None:
    file.write_text("liver = 3\ndefault = 2")
    said = r"the tolerance of 'liver' is 4 mm by tolerance= and 3 mm in .*leave"
    with pytest.raises(hw.OptionError, match=said):
        resolve_tolerances({"liver": 4}, file)
    with pytest.raises(hw.OptionError, match="the tolerance of all other labels is 1 mm by"):
        resolve_tolerances("1", file)


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
    with pytest.raises(hw.DataError, match="no such file"):
        resolve_tolerances(2, file)
