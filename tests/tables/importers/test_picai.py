"""``metrics.json`` of PI-CAI: predictions of cases, with the AUROC worked by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from foreignfiles import FIXTURES, cells, written

import halfwidth as hw
from halfwidth.tables.readers import read_table

FILE = FIXTURES / "pi_cai" / "metrics.json"


def test_true_class_and_score_of_each_case() -> None:
    table = read_table(FILE)
    assert table.names == ["case", "case_target", "case_pred"]
    assert cells(table, "case_target") == [0, 0, 1, 1, 0, 1]
    estimate = hw.metric_ci(
        table.columns["case_target"], table.columns["case_pred"], metric="auroc", rng=1
    )
    # Of the nine pairs, 0.2 lies above one of 0, 0.3 and 0.4; 0.6 and 0.9 above all.
    assert estimate.value == pytest.approx(7 / 9)
    assert estimate.value == pytest.approx(json.loads(FILE.read_text())["auroc"])


def test_weights_where_they_differ(tmp_path: Path) -> None:
    document = json.loads(FILE.read_text())
    document["case_weight"]["10001_1000001"] = 2.5
    table = read_table(written(tmp_path / "metrics.json", document))
    assert cells(table, "case_weight") == [1, 2.5, 1, 1, 1, 1]
    assert any("sample_weight='case_weight'" in note for note in table.notes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"case_pred": {"a": 1}}, "hold different cases"),
        ({"case_pred": [1, 2]}, "case_pred must be an object"),
        ({"case_weight": {"a": 1}}, "case_weight has no value for"),
        ({"case_target": {}, "case_pred": {}}, "holds no cases"),
        ({"case_target": None}, "case_target must be an object"),
    ],
)
def test_malformed(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    document = json.loads(FILE.read_text()) | change
    with pytest.raises(hw.DataError, match=message):
        read_table(written(tmp_path / "metrics.json", document))


@pytest.mark.parametrize(
    ("find", "put", "message"),
    [
        ('"10002_1000002": 0.9', '"10002_1000002": "high"', "case_pred of 10002_1000002 is 'high'"),
        ('"10002_1000002": 0.9', '"10002_1000002": [0.9]', "not a number"),
        ('"case_weight"', '"case_pred"', "'case_pred' twice"),
    ],
)
def test_wrong_values(tmp_path: Path, find: str, put: str, message: str) -> None:
    text = FILE.read_text()
    assert find in text
    with pytest.raises(hw.DataError, match=message):
        read_table(written(tmp_path / "metrics.json", text.replace(find, put)))


def test_cut_short(tmp_path: Path) -> None:
    with pytest.raises(hw.DataError, match="cut short"):
        read_table(written(tmp_path / "metrics.json", FILE.read_text()[:-40]))
