"""Folds of a cross-validation: the files of one model, and cases whose models share data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support import Run

import halfwidth as hw

DSC = ("--metric", "dsc", "--json")
PER_FOLD = 6


def summary(model: str, fold: int, cases: range, shift: float) -> dict[str, Any]:
    """What nnU-Net writes for the validation cases of a fold."""
    return {
        "foreground_mean": {"Dice": 0.8},
        "mean": {"1": {"Dice": 0.8}},
        "metric_per_case": [
            {
                "metrics": {"1": {"Dice": 0.7 + 0.01 * case + shift, "n_pred": 5, "n_ref": 5}},
                "prediction_file": f"/results/{model}/fold_{fold}/validation/case_{case:02}.nii.gz",
            }
            for case in cases
        ],
    }


@pytest.fixture
def folds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Paths of the summaries of a model, relative to where the command runs."""
    monkeypatch.chdir(tmp_path)

    def written(model: str, *, shift: float = 0.0, same_cases: bool = False) -> list[str]:
        files = []
        for fold in range(3):
            first = 0 if same_cases else fold * PER_FOLD
            file = Path(model, f"fold_{fold}", "validation", "summary.json")
            file.parent.mkdir(parents=True)
            content = summary(model, fold, range(first, first + PER_FOLD), shift)
            file.write_text(json.dumps(content))
            files.append(str(file))
        return files

    return written


def codes(found: dict[str, Any]) -> set[str]:
    return {one["code"] for one in found["cautions"]}


def test_folds_are_the_cases_of_one_model(run: Run, folds: Any) -> None:
    ran = run("ci", *folds("unet"), *DSC)
    (estimate,) = json.loads(ran.out)["estimates"]
    assert estimate["n"] == 3 * PER_FOLD
    assert estimate["value"] == pytest.approx(0.7 + 0.01 * np.arange(18).mean())
    assert "HW411" in codes(estimate)
    assert not {"HW401", "HW102"} & codes(estimate)
    assert "folds 0, 1, 2 of a cross-validation hold the cases of one model" in ran.err


def test_models_with_folds_are_compared_on_all_cases(run: Run, folds: Any) -> None:
    files = [*folds("unet"), *folds("vit", shift=0.02)]
    (pair,) = json.loads(run("compare", *files, *DSC).out)["comparisons"]
    assert (pair["first"], pair["second"], pair["n"]) == ("unet", "vit", 18)
    assert "HW411" in codes(pair)
    ranked = json.loads(run("rank", *files, *DSC).out)["rankings"][0]
    assert [one["model"] for one in ranked["models"]] == ["vit", "unet"]
    estimated = json.loads(run("ci", *files, *DSC).out)["estimates"]
    assert [(one["by"]["model"], one["n"]) for one in estimated] == [("unet", 18), ("vit", 18)]


def test_one_column_says_the_fold(run: Run, folds: Any) -> None:
    files = folds("unet")
    assert run("convert", *files, "-o", "long.csv").status == 0
    table = pd.read_csv("long.csv")
    assert "model" not in table
    assert table.fold.tolist() == [0] * 6 + [1] * 6 + [2] * 6
    both = [*files, *folds("vit")]
    assert run("convert", *both, "-o", "both.csv").status == 0
    assert pd.read_csv("both.csv").groupby("model").fold.nunique().to_dict() == {
        "unet": 3,
        "vit": 3,
    }


def test_a_report_has_the_hash_of_every_fold(run: Run, folds: Any) -> None:
    ran = run("report", *folds("unet"), "--metric", "dsc", "--no-figures", "-o", "r.html", "--json")
    assert ran.status == 0
    sources = json.loads(Path("r.json").read_text())["provenance"]["inputs"]
    assert [one["role"] for one in sources] == ["fold 0", "fold 1", "fold 2"]


def test_models_of_folds_on_the_same_cases_are_several(run: Run, folds: Any) -> None:
    files = folds("unet", same_cases=True)
    ran = run("compare", *files, *DSC)
    assert ran.status == 2
    assert "several models on the same cases; give each a name: A=" in ran.err
    named = [f"{name}={file}" for name, file in zip("ABC", files, strict=True)]
    assert len(json.loads(run("compare", *named, *DSC).out)["comparisons"]) == 3


def test_the_folder_of_all_folds_is_said(run: Run, folds: Any) -> None:
    merged = Path("crossval_results_folds_0_1_2", "summary.json")
    merged.parent.mkdir()
    merged.write_text(Path(folds("unet")[0]).read_text().replace("fold_0/validation", "all"))
    ran = run("ci", str(merged), *DSC)
    assert "crossval_results_folds_0_1_2: the cases of all folds of a cross-validation" in ran.err


def test_a_column_of_folds_is_cautioned_by_what_its_cases_are() -> None:
    values = {"dice": np.linspace(0.7, 0.9, 12), "fold": [0, 1, 2] * 4}
    apart = hw.estimate(
        hw.CaseValues.from_table({"case": range(12), **values}, "dice", metric="dsc")
    )
    again = hw.estimate(
        hw.CaseValues.from_table({"case": [0, 1, 2, 3] * 3, **values}, "dice", metric="dsc")
    )
    assert "HW411" in {one.code for one in apart.cautions}
    assert "HW401" in {one.code for one in again.cautions}
