"""Tables of published numbers: a row each, a bad one named by line and column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import halfwidth as hw

HEADER = "label,n,mean,sd,sem,metric,correct,auroc,positives,versus,versus_correct\n"
ROWS = [
    "A,50,0.85,0.10,,dsc,,,,0.83,\n",
    "B,110,0.897,,,dsc,,,,,\n",
    "C,110,1.205,,0.045,hd95,,,,,\n",
    "D,200,,,,,181,,,,170\n",
    "E,300,,,,,,0.91,60,0.80,\n",
]


def table_of(folder: Path, rows: list[str], header: str = HEADER) -> Path:
    file = folder / "published.csv"
    file.write_text(header + "".join(rows))
    return file


def test_each_row_gives_what_it_gives_alone(tmp_path: Path) -> None:
    alone: list[dict[str, Any]] = [
        {"n": 50, "mean": 0.85, "sd": 0.10, "metric": "dsc", "versus": 0.83, "label": "A"},
        {"n": 110, "mean": 0.897, "metric": "dsc", "label": "B"},
        {"n": 110, "mean": 1.205, "sem": 0.045, "metric": "hd95", "label": "C"},
        {"n": 200, "correct": 181, "versus_correct": 170, "label": "D"},
        {"n": 300, "auroc": 0.91, "positives": 60, "versus": 0.80, "label": "E"},
    ]
    found = hw.planning.review_table(table_of(tmp_path, ROWS))
    assert [item.to_dict() for item in found] == [
        hw.planning.review(**given).to_dict() for given in alone
    ]
    frame = found.to_frame()
    assert frame["label"].tolist() == list("ABCDE")
    assert frame["source"].tolist() == ["sd", "guess", "sem", "counts", "counts"]
    assert frame["correlation_needed"].isna().tolist() == [False, True, True, False, False]


def test_a_frame_does_as_well_and_defaults_fill_its_gaps() -> None:
    frame = pd.DataFrame({"n": [50, 50], "mean": [85.0, 0.9], "sd": [10.0, 0.05]})
    frame["scale"] = [100.0, None]
    found = hw.planning.review_table(frame, metric="dsc")
    assert [item.value for item in found] == pytest.approx([0.85, 0.9])
    whole = hw.planning.review_table(
        frame.assign(mean=[85, 90], sd=5.0)[["n", "mean", "sd"]], metric="dsc", scale=100
    )
    assert [item.value for item in whole] == pytest.approx([0.85, 0.9])


def test_columns_of_another_kind_are_left_out_and_named(tmp_path: Path) -> None:
    file = table_of(tmp_path, ["50,0.85,0.1,2024,x\n"], "n,mean,sd,year,who\n")
    assert hw.planning.review_table(file).notes == ("columns left out: year, who",)


@pytest.mark.parametrize(
    ("row", "line", "field", "text"),
    [
        ("X,200,,,,,281,,,,\n", 3, "correct", "correct 281 of n=200"),
        ("X,50,0.85,abc,,dsc,,,,,\n", 3, "sd", "sd 'abc' is not a finite number"),
        ("X,50,0.85,0.5,,dsc,,,,,\n", 3, "sd", "is impossible"),
        ("X,,0.85,0.1,,dsc,,,,,\n", 3, "n", "n is missing"),
        ("X,50,0.85,0.1,,dcs,,,,,\n", 3, "metric", "did you mean 'dsc'"),
        ("X,50,,,,,,,,,\n", 3, "mean", "there is no published number"),
        ("X,50,0.85,0.1,0.01,dsc,,,,,\n", 3, "sem", "exclude each other"),
        ("\nX,50,,,,,,0.9,,,\n", 4, "positives", "needs positives"),
    ],
)
def test_a_bad_row_is_named_by_line_and_column(
    row: str, line: int, field: str, text: str, tmp_path: Path
) -> None:
    file = table_of(tmp_path, [ROWS[0], row])
    with pytest.raises(hw.DataError, match=text) as error:
        hw.planning.review_table(file)
    assert str(error.value).startswith(f"{file}: line {line}, column {field}: ")


def test_a_table_without_numbers_to_review_is_refused() -> None:
    with pytest.raises(hw.DataError, match="no column holds published numbers"):
        hw.planning.review_table({"n": [50], "year": [2024]})
    with pytest.raises(hw.OptionError, match=r"unknown column 'n'.*number of cases"):
        hw.planning.review_table({"who": [50], "mean": [0.85]})


@pytest.mark.parametrize(
    ("written", "meant"), [("versuss", "versus"), ("positivs", "positives"), ("corect", "correct")]
)
def test_a_column_that_is_nearly_one_of_ours_is_an_error(written: str, meant: str) -> None:
    told = {"n": [50], "mean": [0.85], "sd": [0.1], "metric": ["dsc"]}
    with pytest.raises(
        hw.DataError, match=f"column '{written}' is not read; did you mean '{meant}'"
    ):
        hw.planning.review_table({**told, written: [0.1]})


def test_other_columns_are_left_out_with_a_word() -> None:
    told = {"n": [50], "mean": [0.85], "sd": [0.1], "metric": ["dsc"], "year": [2024]}
    assert hw.planning.review_table(told).notes == ("columns left out: year",)
