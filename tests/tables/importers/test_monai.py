"""MONAI's tables: values of images, and those that hold none."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pytest
from support import Run

import halfwidth as hw
from halfwidth.tables.readers import Reading, read_table

FIXTURES = Path(__file__).parent / "fixtures" / "monai"


def test_values_of_images() -> None:
    table = read_table(FIXTURES / "mean_dice_raw.csv")
    assert table.names == ["filename", "class0", "class1", "mean"]
    assert "without a value: 1; MONAI has none where the reference is empty" in table.notes[-1]
    assert {one.column: one.value for one in table.stated_means} == {
        "class0": 0.9,
        "class1": 0.7,
        "mean": 0.8213,
    }
    estimates = hw.estimate(hw.CaseValues.from_table(table, metric="dsc", missing="omit"), rng=1)
    # 3.60 / 4, 2.10 / 3 and 3.285 / 4.
    assert [one.value for one in estimates] == pytest.approx([0.9, 0.7, 0.82125])
    assert [one.n for one in estimates] == [4, 3, 4]


def test_a_header_with_more_means_than_values(run: Run) -> None:
    table = read_table(FIXTURES / "hausdorff_distance_raw.csv")
    assert table.names == ["filename", "class0", "class1", "mean"]
    assert any("says 'mean' 2 times" in note for note in table.notes)
    asked = ("--metric", "hd:percentile=95,definition=pooled")
    lines = run("convert", FIXTURES / "hausdorff_distance_raw.csv", *asked).out.splitlines()
    names, *rows = (line.split(",") for line in lines)
    assert names == ["case", "metric", "value", "label", "parameters"]
    assert {row[4] for row in rows} == {"percentile=95;definition=pooled"}
    values = {(row[0], row[3]): row[2] for row in rows}
    case = "/data/imagesTs/case_0{}.nii.gz".format
    assert float(values[case(3), "class1"]) == 6.0
    assert float(values[case(4), "class1"]) == math.inf
    assert values[case(2), "class1"] == ""
    assert table.row_number(2) == 4


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a,0.5,0.6,0.55,0.55\n", "line 2 has 5 cells where the header names 4"),
        ("a,0.5\n", "line 2 has 2 cells where the header names 4"),
        ('a,"0.5,0.6,0.55\n', "line 2 cannot be read"),
        ("", "no rows"),
    ],
)
def test_rows_that_do_not_fit_the_header(rows: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "iou_raw.csv"
    file.write_text("filename,class0,class1,mean,mean\n" + rows)
    with pytest.raises(hw.DataError, match=message):
        read_table(file)


def test_a_summary_that_cannot_be_read_states_nothing(tmp_path: Path) -> None:
    shutil.copy(FIXTURES / "mean_dice_raw.csv", tmp_path)
    for content in (b"", b"\xff\x00", b"class,mean\nclass0,high\n", b"class,mean\nclass0,1,2\n"):
        (tmp_path / "mean_dice_summary.csv").write_bytes(content)
        assert read_table(tmp_path / "mean_dice_raw.csv").stated_means == ()


def test_files_without_cases_are_refused() -> None:
    with pytest.raises(hw.DataError, match=r"is a summary.*_raw\.csv"):
        hw.read(FIXTURES / "mean_dice_summary.csv")
    with pytest.raises(hw.DataError, match=r"MONAI wrote it, it holds averages.*_raw\.csv"):
        read_table(FIXTURES / "metrics.csv")


def test_as_plain_text_the_header_is_wrong() -> None:
    with pytest.raises(hw.DataError, match="line 2 has 4 cells where the header has 5"):
        read_table(FIXTURES / "hausdorff_distance_raw.csv", Reading(format="csv"))
