"""``--metric`` with several metrics, as people type it, in every verb over values of cases."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support import Run

import halfwidth as hw

RNG = np.random.default_rng(4)
DICE = np.round(RNG.beta(9, 2, 20), 3)
ROWS = pd.DataFrame({
    "case": [*range(20)] * 2,
    "model": ["new"] * 20 + ["old"] * 20,
    "DSC": [*DICE, *(DICE - 0.05)],
    "HD95": [*(5 / DICE), *(7 / DICE)],
})  # fmt: skip
BY_COLUMN = {"DSC": "dsc", "HD95": "hd95"}
TYPED = ("DSC=dice,HD95=hd95", "DSC=dice --metric HD95=hd95")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    ROWS.to_csv(tmp_path / "models.csv", index=False)
    for name, rows in ROWS.groupby("model"):
        rows.to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


@pytest.mark.parametrize("typed", TYPED)
def test_columns_of_metrics_are_typed_with_commas(typed: str, files: Path, run: Run) -> None:
    ran = run("compare", files / "models.csv", *f"--metric {typed} --seed 1 --json".split())
    told = json.loads(ran.out)["comparisons"]
    values = hw.CaseValues.from_table(ROWS, metric=BY_COLUMN)
    expected = hw.compare(values, rng=1)
    assert [one["metric"] for one in told] == ["dsc", "hd95"]
    assert [one["low"] for one in told] == [one.low for one in expected]
    ranked = run("rank", files / "models.csv", *f"--metric {typed} --seed 1 --json".split())
    assert [one["metric"] for one in json.loads(ranked.out)["rankings"]] == ["dsc", "hd95"]


def test_a_gate_is_over_all_metrics(files: Path, run: Run) -> None:
    arguments = (
        f"--against {files / 'old.csv'} --metric DSC=dsc,HD95=hd95 --margin dsc=0.1,hd95=1 --json"
    )
    ran = run("gate", files / "new.csv", *arguments.split())
    judged = hw.gate(
        hw.CaseValues.from_table(ROWS, metric=BY_COLUMN), margin={"dsc": 0.1, "hd95": 1}
    )
    assert ran.status == judged.status == 0
    told = json.loads(ran.out)["comparisons"]
    assert [one["low"] for one in told] == [one.low for one in judged.comparisons]


def test_metrics_of_one_model_are_estimated_and_reported(files: Path, run: Run) -> None:
    ran = run("ci", files / "new.csv", *["--metric", "DSC=dice,HD95=hd95", "--seed", "1", "--json"])
    told = json.loads(ran.out)["estimates"]
    assert [(one["label"], one["metric"]) for one in told] == [("new", "dsc"), ("new", "hd95")]
    page = files / "page.html"
    ran = run("report", files / "new.csv", "--metric", TYPED[0], "--no-figures", "-o", page)
    assert ran.status == 0, ran.err
    assert "HD95" in page.read_text()


def test_test_sets_are_compared_by_several_metrics(tmp_path: Path, run: Run) -> None:
    truth = np.arange(40) % 2
    scores = {name: np.round(0.4 * truth + 0.6 * RNG.random(40), 3) for name in "ab"}
    file = tmp_path / "scores.csv"
    pd.DataFrame({"y": truth, **scores}).to_csv(file, index=False)
    columns = "--target y --score-a a --score-b b --metric auroc,accuracy --seed 1 --json"
    ran = run("compare", file, *columns.split())
    told = json.loads(ran.out)["comparisons"]
    assert [one["metric"] for one in told] == ["auroc", "accuracy"]


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("DSC=dsc,hd95", "COLUMN=NAME names the column of a metric; do so for each"),
        ("DSC=dsc,DSC=nsd", "names the column DSC twice"),
        (
            "dsc,hd95",
            "no column is called 'dsc': say which holds this metric, --metric COLUMN=NAME",
        ),
        ("DSC=auroc,HD95=hd95", "auroc is a metric of a whole test set"),
    ],
)
def test_what_cannot_be_meant_is_refused(metric: str, words: str, files: Path, run: Run) -> None:
    for verb in ("ci", "compare"):
        ran = run(verb, files / "models.csv", "--metric", metric)
        assert (ran.status, ran.out) == (2, "")
        assert words in ran.err


def test_several_metrics_of_one_column_are_refused(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "t.csv"
    file.write_text("case,dice\na,0.9\nb,0.8\n")
    ran = run("ci", file, "--metric", "dsc", "--metric", "iou")
    assert (ran.status, ran.out) == (2, "")
    assert "no column is called 'dsc': say which holds this metric, --metric COLUMN=NAME" in ran.err
