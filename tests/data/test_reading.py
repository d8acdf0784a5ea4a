"""`hw.read`: which kind of data a file holds, or how to say it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from foreignfiles import FIXTURES

import halfwidth as hw

LONG = pd.DataFrame(
    {"case": ["a", "b"] * 2, "model": [*"AABB"], "patient": ["p"] * 4, "dice": [0.9, 0.8, 0.7, 0.6]}
)
BOX = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5]}
COCO = {"images": [{"id": 1}], "categories": [{"id": 1, "name": "x"}], "annotations": [BOX]}


def test_a_table_of_values_is_read_as_from_a_frame(tmp_path: Path) -> None:
    LONG.to_csv(tmp_path / "long.csv", index=False)
    values = hw.read(tmp_path / "long.csv")
    assert repr(values) == "CaseValues(A, B; value='dice', case='case', model='model', rows=4)"
    (one,) = hw.compare(values, metric="dsc", rng=1)
    (other,) = hw.compare(LONG, metric="dsc", rng=1)
    assert (one.low, one.high) == (other.low, other.high)


def test_what_was_assumed_is_shown(tmp_path: Path) -> None:
    (tmp_path / "comma.csv").write_text("case;dice\na;0,5\nb;0,7\n")
    values = hw.read(tmp_path / "comma.csv")
    first, note = repr(values).splitlines()
    assert first == "CaseValues(one model; value='dice', case='case', rows=2)"
    assert note == f"note: {values.notes[0]}"
    assert "comma" in values.notes[0]
    assert f"{hw.estimate(values)[0].value:.2f}" == "0.60"


def test_results_of_another_program_say_their_metrics() -> None:
    values = hw.read(FIXTURES / "nnunet" / "summary.json")
    told = "metric=['dsc', 'iou'], value='value', case='case', by='label', rows=30"
    first, note = repr(values).splitlines()
    assert first == f"CaseValues(one model; {told})"
    assert "read as nnU-Net v2" in note
    labels = {one.by["label"] for one in hw.estimate(values, metric="dsc", method="t")}
    assert len(labels) > 1


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (
            {"case": [*"abcd"], "y": [0, 1, 0, 1], "p": [0.1, 0.9, 0.4, 0.3]},
            r"as in Predictions\.from_table\(table, target='y', score='p'\)",
        ),
        (
            {"image": ["a"], "x0": [1.0], "y0": [1.0], "x1": [2.0], "y1": [2.0], "score": [0.9]},
            r"Detections\.from_files\(detections, references\); for means of columns",
        ),
        (
            {"run id": ["a"], "start time": [1], "duration": [2], "acc": [0.3]},
            r"CaseValues.from_runs\(table, value='COLUMN'\) gives the quantiles",
        ),
        ({"case": ["a", "b"], "x": ["u", "v"]}, "numeric"),
    ],
)
def test_what_a_table_alone_does_not_tell_is_refused(
    columns: dict[str, Any], words: str, tmp_path: Path
) -> None:
    pd.DataFrame(columns).to_csv(tmp_path / "table.csv", index=False)
    with pytest.raises(hw.DataError, match=words):
        hw.read(tmp_path / "table.csv")


def test_detections_need_their_references(tmp_path: Path) -> None:
    (tmp_path / "coco.json").write_text(json.dumps(COCO))
    with pytest.raises(hw.DataError, match=r"Detections\.from_files\(detections, references\)$"):
        hw.read(tmp_path / "coco.json")
    with pytest.raises(hw.DataError, match=r"is a folder.*score_folders\(.*Detections\.from_files"):
        hw.read(tmp_path)


def test_data_of_a_table_that_cannot_be_estimated_are_shown() -> None:
    assert (
        repr(hw.CaseValues.from_table({"case": [*"ab"], "x": [*"uv"]})) == "CaseValues(one model)"
    )


CALLS: list[Callable[[Any], Any]] = [
    hw.estimate,
    hw.summary_ci,
    hw.check,
    hw.CaseValues.from_arrays,
    hw.CaseValues.from_table,
    hw.CaseValues.from_runs,
    lambda path: hw.compare(path, path),
    lambda path: hw.gate(path, path, margin=0.1),
    lambda path: hw.curve(path, "roc"),
    lambda path: hw.curve([0, 1], "roc", y_score=path),
    lambda path: hw.metric_ci(path, [0, 1], metric="auroc"),
    hw.confusion_ci,
    lambda path: hw.Predictions.from_table(path, "y", score="p"),
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("path", ["a/dice.csv", Path("a/dice.csv")], ids=["text", "path"])
def test_a_path_is_no_data_and_says_what_reads_it(call: Callable[[Any], Any], path: Any) -> None:
    with pytest.raises(hw.HalfwidthError) as caught:
        call(path)
    name = os.fspath(path)
    assert str(caught.value).startswith(f"{name!r} is the name of a file, not data. ")
    assert f"halfwidth.read({name!r})" in str(caught.value)
    assert f"Predictions.from_table(pandas.read_csv({name!r})" in str(caught.value)


@pytest.mark.parametrize("call", [hw.rank, hw.CaseValues.from_table, hw.CaseValues.from_arrays])
@pytest.mark.parametrize("paths", [{"A": "A.csv", "B": Path("B.csv")}, ["A.csv", "B.csv"]])
def test_paths_of_models_are_read_each(call: Callable[[Any], Any], paths: Any) -> None:
    with pytest.raises(hw.HalfwidthError, match=r"\{'A': pandas\.read_csv\('A\.csv'\), \.\.\.\}"):
        hw.estimate(call(paths))


def test_a_frame_is_no_path() -> None:
    with pytest.raises(hw.DataError, match=r"a path, not DataFrame; .* CaseValues\.from_table"):
        hw.read(LONG)  # type: ignore[arg-type]


def test_a_metric_takes_the_column_of_its_name_beside_columns_of_others() -> None:
    table = pd.DataFrame(
        {
            "case": list("abcdefgh") * 2,
            "model": ["A"] * 8 + ["B"] * 8,
            "dsc": np.linspace(0.7, 0.9, 16),
            "hd95": np.linspace(2, 30, 16),
        }
    )
    for metric, values in (("dsc", table["dsc"]), ("dice", table["dsc"]), ("hd95", table["hd95"])):
        data = hw.CaseValues.from_table(table, metric=metric, model="model")
        assert [one.value for one in hw.estimate(data)] == [
            pytest.approx(values[table["model"] == model].mean()) for model in "AB"
        ]
        assert len(hw.compare(data, rng=1)) == 1
    # Columns that are called as models are all of the metric.
    wide = pd.DataFrame({"case": list("abc"), "unet": [0.7, 0.8, 0.9], "vit": [0.8, 0.8, 0.7]})
    assert len(hw.estimate(hw.CaseValues.from_table(wide, metric="dsc"))) == 2
