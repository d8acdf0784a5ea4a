"""Predictions and training runs are told from values of cases."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support import Run

Complaint = Callable[[Any], str]
P = [0.1, 0.9, 0.4]


@pytest.fixture
def complaint(run: Run, tmp_path: Path) -> Complaint:
    """What ``halfwidth ci`` says of a table on one line, which is nothing where it takes it."""

    def complains(columns: Any) -> str:
        pd.DataFrame(columns).to_csv(tmp_path / "t.csv", index=False)
        ran = run("ci", tmp_path / "t.csv")
        return " ".join(ran.err.split()).replace(str(tmp_path / "t.csv"), "FILE")

    return complains


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"id": [1, 2, 3], "label": [0, 1, 1], "score": P},
            "--target label --score score --metric auroc",
        ),
        (
            {"image_id": ["a", "b", "c"], "y_true": [0, 1, 0], "y_pred": [0, 1, 1]},
            "--target y_true --prediction y_pred --metric mcc",
        ),
        (
            {"target": ["0", "1", "2"], "prob_0": P, "prob_1": P, "prob_2": P},
            "--target target --score prob_0 --score prob_1 --score prob_2",
        ),
        ({"case": ["a", "b", "c"], "case_target": [0, 0, 1], "case_pred": P}, "--value case_pred"),
        # Predicted classes beside scores are no scores.
        (
            {"case": ["a", "b", "c"], "y": [0, 1, 1], "p1": P, "pred": [0, 1, 1]},
            "--target y --score p1 --metric auroc",
        ),
        (
            {"id": [1, 2, 3], "target": ["cat", "dog", "cat"], "cat": P, "dog": P},
            "--target target --score cat --score dog --metric auroc --average macro",
        ),
    ],
)
def test_predictions_are_refused_with_what_to_say(
    complaint: Complaint, columns: Any, message: str
) -> None:
    text = complaint(columns)
    assert "looks like predictions" in text
    assert message in text


@pytest.mark.parametrize(
    "columns",
    [
        # Scores alone, structures, repeated cases, other values, a single class.
        {"id": ["a", "b", "c"], "score": P},
        {"case": ["a", "b", "c"], "label": ["liver", "liver", "kidney"], "score": P},
        {"case": ["a", "b", "c"], "class": ["liver", "liver", "x"], "liver": P, "kidney": P},
        {"case": ["a", "a", "b"], "label": [1, 2, 1], "score": P},
        {"case": ["a", "b", "c"], "class": [0, 1, 0], "score": P, "dice": P},
        {"case": ["a", "b", "c"], "target": P, "score": P},
        {"case": ["a", "b", "c"], "label": [1, 1, 1], "score": P},
        {"case": ["a", "b", "c"], "metric": ["dsc"] * 3, "label": [1, 2, 3], "value": P},
    ],
)
def test_tables_of_cases_pass(complaint: Complaint, columns: Any) -> None:
    text = complaint(columns)
    assert "looks like predictions" not in text
    assert "training runs" not in text


@pytest.mark.parametrize(
    "columns",
    [
        {"run_id": ["a", "b", "c"], "metrics.dice": P, "params.seed": [1, 2, 3]},
        {"status": ["FINISHED"] * 3, "metrics.dice": P},
        {"Name": ["x", "y", "z"], "State": ["finished"] * 3, "Runtime": [1, 2, 3], "dice": P},
        {"Start Time": P, "Duration": ["1h"] * 3, "Run ID": ["a", "b", "c"], "dice": P},
    ],
)
def test_runs_are_sent_to_the_verb_for_them(complaint: Complaint, columns: Any) -> None:
    assert re.search(r"training runs .* halfwidth runs FILE --value ", complaint(columns))


@pytest.mark.parametrize(
    "columns",
    [
        {"image": ["a", "b"], "x": [1, 2], "y": [1, 2], "w": [3, 3], "h": [4, 4]},
        {"scan": ["a", "b"], "xmin": [1, 2], "ymin": [1, 2], "xmax": [3, 3], "ymax": [4, 4]},
        {"seriesuid": ["a", "b"], "coordX": P[:2], "coordY": P[:2], "probability": P[:2]},
    ],
)
def test_objects_in_images_are_for_another_verb(
    complaint: Complaint, columns: dict[str, Any]
) -> None:
    assert "halfwidth detect DETECTIONS REFERENCES" in complaint(columns)


@pytest.mark.parametrize(
    "columns",
    [
        {"image": ["a", "b"], "x": [1, 2], "y": [1, 2]},
        {"case": ["a", "b"], "width": [1, 2], "height": [1, 2], "dice": P[:2]},
        {"x": [1, 2], "y": [1, 2], "w": [3, 3], "h": [4, 4]},
    ],
)
def test_values_of_cases_are_no_objects(complaint: Complaint, columns: dict[str, Any]) -> None:
    assert "halfwidth detect" not in complaint(columns)
