"""Means that files of other programs state beside their cases."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import halfwidth as hw
from halfwidth.io.readers import read_table

FIXTURES = Path(__file__).parents[1] / "io" / "importers" / "fixtures"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FIXTURES, tmp_path / "fixtures"))


def findings(file: Path) -> dict[str, list[str]]:
    """Labels by code."""
    found: dict[str, list[str]] = {}
    for finding in hw.check_table(read_table(file)):
        found.setdefault(finding.code, []).append(finding.label)
    return found


def test_the_means_of_nnunet_are_those_of_its_cases(folder: Path) -> None:
    """They leave out cases in which neither mask has the label, which needs no policy."""
    file = folder / "nnunet" / "summary.json"
    assert read_table(file).stated_means
    assert findings(file) == {}


def test_means_of_nnunet_that_belong_to_other_cases(folder: Path) -> None:
    file = folder / "nnunet" / "summary.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    document["mean"]["1"]["Dice"] += 0.01
    document["foreground_mean"]["IoU"] += 0.01
    file.write_text(json.dumps(document), encoding="utf-8")
    wrong = findings(file)
    assert set(wrong) == {"HW902"}
    assert len(wrong["HW902"]) == 2


def test_means_of_a_metric_with_parameters(folder: Path) -> None:
    file = folder / "nnunet_v1" / "summary.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    document["results"]["mean"] = {"2": {"Hausdorff Distance 95": 17.25}}
    file.write_text(json.dumps(document), encoding="utf-8")
    stated = read_table(file).stated_means
    assert [dict(mean.where).get("parameters") for mean in stated] == ["definition=pooled"]
    assert findings(file)["HW902"] == ["tumor, hd95:definition=pooled"]


def test_the_summary_of_monai_leaves_missing_values_out(folder: Path) -> None:
    file = folder / "monai" / "mean_dice_raw.csv"
    assert findings(file) == {"HW101": ["class1"], "HW903": ["class1"]}
    summary = folder / "monai" / "mean_dice_summary.csv"
    summary.write_text(summary.read_text("utf-8").replace("class1,0.7000", "class1,0.5250"))
    (found,) = [one for one in hw.check_table(read_table(file), metric="dsc") if one.code > "HW9"]
    assert found.message == (
        "The stated mean of 0.525 (mean in mean_dice_summary.csv) is that of the cases with "
        "missing values (1) counted as the worst; it would be 0.7 left out, 0.775 counted as "
        "perfect."
    )


def test_a_damaged_summary_beside_is_no_business_of_the_table(folder: Path) -> None:
    (folder / "monai" / "mean_dice_summary.csv").write_bytes(b"\xff\xfe\x00\x01,")
    assert findings(folder / "monai" / "mean_dice_raw.csv") == {"HW101": ["class1"]}
