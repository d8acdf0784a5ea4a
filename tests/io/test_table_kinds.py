"""Predictions and training runs are told from values of cases."""

from __future__ import annotations

from typing import Any

import pytest

from halfwidth.core.errors import DataError
from halfwidth.core.options import Door, through
from halfwidth.io.table import Table
from halfwidth.tables.table_kinds import refuse_objects, refuse_predictions, refuse_runs

P = [0.1, 0.9, 0.4]


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
def test_predictions_are_refused_with_what_to_say(columns: Any, message: str) -> None:
    with (
        through(Door.COMMAND_LINE),
        pytest.raises(DataError, match="looks like predictions") as caught,
    ):
        refuse_predictions(Table.from_frame(columns))
    assert message in str(caught.value)


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
def test_tables_of_cases_pass(columns: Any) -> None:
    refuse_predictions(Table.from_frame(columns))
    refuse_runs(Table.from_frame(columns))


@pytest.mark.parametrize(
    "columns",
    [
        {"run_id": ["a", "b", "c"], "metrics.dice": P, "params.seed": [1, 2, 3]},
        {"status": ["FINISHED"] * 3, "metrics.dice": P},
        {"Name": ["x", "y", "z"], "State": ["finished"] * 3, "Runtime": [1, 2, 3], "dice": P},
        {"Start Time": P, "Duration": ["1h"] * 3, "Run ID": ["a", "b", "c"], "dice": P},
    ],
)
def test_runs_are_sent_to_the_verb_for_them(columns: Any) -> None:
    with pytest.raises(DataError, match=r"training runs .* halfwidth runs FILE --value "):
        refuse_runs(Table.from_frame(columns))


@pytest.mark.parametrize(
    "columns",
    [
        {"image": ["a", "b"], "x": [1, 2], "y": [1, 2], "w": [3, 3], "h": [4, 4]},
        {"scan": ["a", "b"], "xmin": [1, 2], "ymin": [1, 2], "xmax": [3, 3], "ymax": [4, 4]},
        {"seriesuid": ["a", "b"], "coordX": P[:2], "coordY": P[:2], "probability": P[:2]},
    ],
)
def test_objects_in_images_are_for_another_verb(columns: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="halfwidth detect DETECTIONS REFERENCES"):
        refuse_objects(Table.from_frame(columns))


@pytest.mark.parametrize(
    "columns",
    [
        {"image": ["a", "b"], "x": [1, 2], "y": [1, 2]},
        {"case": ["a", "b"], "width": [1, 2], "height": [1, 2], "dice": P[:2]},
        {"x": [1, 2], "y": [1, 2], "w": [3, 3], "h": [4, 4]},
    ],
)
def test_values_of_cases_are_no_objects(columns: dict[str, Any]) -> None:
    refuse_objects(Table.from_frame(columns))
