"""``summary.json`` of nnU-Net, versions 1 and 2, with the numbers worked by hand."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import halfwidth as hw
from halfwidth.io.table import Table
from halfwidth.tables.readers import read_table

FIXTURES = Path(__file__).parent / "fixtures"
V1, V2 = FIXTURES / "nnunet_v1" / "summary.json", FIXTURES / "nnunet" / "summary.json"
# True and false positives and false negatives of labels 1 and 2, as they stand in both fixtures.
CASES = {
    "case_001": ((80, 20, 20), (40, 5, 15)),
    "case_002": ((90, 10, 10), (0, 0, 0)),
    "case_003": ((60, 20, 20), (0, 0, 50)),
    "case_004": ((0, 0, 0), (0, 10, 0)),
    "case_005": ((70, 20, 40), (30, 10, 10)),
}
# 160/200, 180/200, 120/160, in neither mask, 140/200; and 80/100, in neither, missed, spurious,
# 60/80.
DICE = {"kidney": [0.8, 0.9, 0.75, math.nan, 0.7], "tumor": [0.8, math.nan, 0.0, 0.0, 0.75]}
STATUS = {
    "kidney": ["ok", "ok", "ok", "not applicable", "ok"],
    "tumor": ["ok", "not applicable", "missed", "spurious", "ok"],
}


def cells(table: Table, column: str, label: Any, metric: str = "dsc") -> list[Any]:
    rows = [
        row
        for row in range(len(table))
        if table.levels("label")[row] == label and table.levels("metric")[row] == metric
    ]
    return list(table.values(column, np.array(rows)))


@pytest.mark.parametrize("file", [V1, V2])
def test_values_and_statuses_are_those_of_the_counts(file: Path) -> None:
    table = read_table(file)
    assert table.names[:3] == ["case", "metric", "value"]
    for label, expected in DICE.items():
        assert cells(table, "case", label) == list(CASES)
        assert cells(table, "value", label) == pytest.approx(expected, nan_ok=True)
        assert cells(table, "status", label) == STATUS[label]


def test_means_leave_out_what_is_in_neither_mask() -> None:
    estimates = hw.estimate(hw.CaseValues.from_table(read_table(V2), metric="dsc"), rng=1)
    # (80 + 40 + 20) * 2 / ... of the union: each sum of the labels' counts.
    union = [240 / 300, 0.9, 120 / 210, 0.0, 200 / 280]
    expected = {"kidney": 3.15 / 4, "tumor": 1.55 / 4, "kidney and tumor": sum(union) / 5}
    found = {one.label: one.value for one in estimates}
    assert found == pytest.approx(expected)
    stated = {(one.source, one.over): one for one in read_table(V2).stated_means}
    kidney = stated["mean['1'].Dice", None]
    assert kidney.where == {"metric": "dsc", "label": "kidney"}
    assert kidney.value == pytest.approx(3.15 / 4)
    foreground = stated["foreground_mean.Dice", "label"]
    assert foreground.where == {"metric": "dsc"}
    assert foreground.value == pytest.approx(sum(expected.values()) / 3)


def test_distances_to_an_empty_mask_are_infinite() -> None:
    table = read_table(V1)
    assert cells(table, "value", "tumor", "hd95") == pytest.approx(
        [3.0, math.nan, math.inf, math.inf, 4.0], nan_ok=True
    )
    assert set(cells(table, "parameters", "tumor", "hd95")) == {"definition=pooled"}
    # PPV of what was missed is undefined, and a failure; sensitivity of what is not there is none.
    assert cells(table, "status", "tumor", "ppv")[2:4] == ["missed", "spurious"]
    assert cells(table, "status", "tumor", "sensitivity")[2:4] == ["missed", "not applicable"]


def test_notes_say_what_was_taken_for_what() -> None:
    notes = " | ".join(read_table(V1).notes)
    for text in (
        "5 cases",
        "dsc (Dice)",
        "hd95:definition=pooled (Hausdorff Distance 95)",
        "dataset.json",
        "label 0, the background",
        "Total Positives Test",
    ):
        assert text in notes


def test_labels_keep_their_numbers_without_a_dataset_that_names_all(tmp_path: Path) -> None:
    folder = tmp_path / "fold_0" / "validation"
    folder.mkdir(parents=True)
    shutil.copy(V2, folder)
    assert set(read_table(folder / "summary.json").levels("label")) == {1, 2, "(1, 2)"}
    # Two folders above, as nnU-Net has it after training.
    shutil.copy(V2.with_name("dataset.json"), tmp_path)
    assert set(read_table(folder / "summary.json").levels("label")) == {
        "kidney",
        "tumor",
        "kidney and tumor",
    }
    (folder / "dataset.json").write_text('{"labels": {"background": 0, "liver": 1}}')
    assert set(read_table(folder / "summary.json").levels("label")) == {1, 2, "(1, 2)"}


def changed(tmp_path: Path, change: Any) -> Path:
    document = json.loads(V2.read_text())
    change(document)
    file = tmp_path / "summary.json"
    file.write_text(json.dumps(document))
    return file


def test_a_value_nothing_explains_stays_missing(tmp_path: Path) -> None:
    def without_reason(document: Any) -> None:
        document["metric_per_case"][0]["metrics"]["1"]["Dice"] = None
        for count in ("n_pred", "n_ref"):
            del document["metric_per_case"][1]["metrics"]["1"][count]

    table = read_table(changed(tmp_path, without_reason))
    assert cells(table, "value", 1)[:2] == pytest.approx([math.nan, 0.9], nan_ok=True)
    assert cells(table, "status", 1)[:2] == [None, None]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("metric_per_case"), "means and no values of single cases"),
        (lambda d: d.update(metric_per_case=[]), "is empty"),
        (lambda d: d.update(metric_per_case={"a": 1}), "not a list of cases"),
        (lambda d: d["metric_per_case"].append(3), r"metric_per_case\[5\].metrics is None"),
        (lambda d: d["metric_per_case"][0].update(metrics={"1": 2}), "not an object of metrics"),
        (
            lambda d: d["metric_per_case"][0]["metrics"]["1"].update(Dice="good"),
            r"metric_per_case\[0\].metrics\['1'\].Dice is 'good', not a number",
        ),
    ],
)
def test_wrong_structure_is_refused(tmp_path: Path, change: Any, message: str) -> None:
    with pytest.raises(hw.DataError, match=message):
        read_table(changed(tmp_path, change))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_file_that_is_cut_short(share: float, tmp_path: Path) -> None:
    data = V2.read_bytes()
    (tmp_path / "summary.json").write_bytes(data[: int(share * len(data))])
    with pytest.raises(hw.DataError, match="not JSON, or cut short"):
        read_table(tmp_path / "summary.json")


def test_names_of_files_are_names_and_nothing_else(tmp_path: Path) -> None:
    names = ["../../etc/passwd", "C:\\data\\c1.mha", "/a/b/c.nii.gz", "\ud800.nii.gz", "x" * 999]

    def renamed(document: Any) -> None:
        for case, name in zip(document["metric_per_case"], names, strict=True):
            case["prediction_file"] = name

    table = read_table(changed(tmp_path, renamed))
    found = list(dict.fromkeys(table.levels("case")))
    assert found == ["passwd", "c1", "c", "?", "x" * 999]


def test_files_without_names_number_their_cases(tmp_path: Path) -> None:
    def nameless(document: Any) -> None:
        for case in document["metric_per_case"]:
            del case["prediction_file"], case["reference_file"]

    table = read_table(changed(tmp_path, nameless))
    assert list(dict.fromkeys(table.levels("case"))) == [1, 2, 3, 4, 5]
    assert any("does not name its cases" in note for note in table.notes)


def test_rates_of_the_first_version_keep_their_range() -> None:
    rows = hw.estimate(hw.CaseValues.from_table(read_table(V1), missing="omit"))
    rates = [one for one in rows if one.metric.endswith(("Rate", "Value", "Accuracy"))]
    assert len(rates) == 12
    assert all(one.low >= 0 and one.high <= 1 for one in rates)
