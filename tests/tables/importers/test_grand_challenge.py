"""``metrics.json`` of grand-challenge.org in its layouts, with the numbers worked by hand."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from foreignfiles import FIXTURES, cells, read_with, written

import halfwidth as hw
from halfwidth.tables.readers import Reading, read_table

FILES = FIXTURES / "grand_challenge"


def test_from_the_metric_to_the_row_of_a_data_frame() -> None:
    table = read_table(FILES / "evalutils.json")
    names = ["lung_01.mha", "lung_02.mha", "lung_03.mha", "lung_04.mha"]
    assert cells(table, "case", metric="dsc") == names
    assert cells(table, "value", metric="dsc") == [0.8, 0.9, 0.7, 0.6]
    found = {
        e.metric: e for e in hw.estimate(hw.CaseValues.from_table(table, missing="omit"), rng=1)
    }
    assert found["dsc"].value == pytest.approx(3.0 / 4)
    assert found["RelativeVolumeError"].value == pytest.approx((0.1 - 0.2 + 0.4) / 3)
    assert found["RelativeVolumeError"].n_missing == 1
    stated = {one.where["metric"]: one.value for one in table.stated_means}
    assert stated["dsc"] == pytest.approx(3.0 / 4)


def test_from_the_case_to_its_metrics() -> None:
    table = read_table(FILES / "by_case.json")
    assert cells(table, "case", metric="f1_score") == ["007.tiff", "008.tiff", "009.tiff"]
    assert cells(table, "value", metric="false_negatives") == [0.0, 1.0, 3.0]
    found = {e.metric: e.value for e in hw.estimate(hw.CaseValues.from_table(table), rng=1)}
    assert found["f1_score"] == pytest.approx((0.8 + 2 / 3 + 0) / 3)
    # The file counts over all objects, and says nowhere that it means the cases.
    assert not table.stated_means


@pytest.mark.parametrize(
    ("document", "case", "metric"),
    [
        ({"aggregates": {}, "case": {"ann": {"dice": 0.5}, "bob": {"dice": 1}}}, "ann", "dsc"),
        ({"aggregates": {"x1": 0}, "case": {"x1": {"ann": 0.5, "bob": 1}}}, "ann", "x1"),
        ({"aggregates": {}, "case": {"0": {"gain": 0.5}, "1": {"gain": 1}}}, 0, "gain"),
        ({"aggregates": {}, "case": {"p1": {"gain": 0.5}, "p2": {"gain": 1}}}, "p1", "gain"),
        ({"aggregates": {}, "cases": {"gain": {"p1": 0.5, "p2": 1}}}, "p1", "gain"),
    ],
)
def test_which_keys_are_cases(tmp_path: Path, document: Any, case: Any, metric: str) -> None:
    table = read_table(written(tmp_path / "metrics.json", document))
    assert (cells(table, "case")[0], set(cells(table, "metric"))) == (case, {metric})
    assert cells(table, "value") == [0.5, 1.0]


def test_a_text_among_numbers_leaves_no_case_out(tmp_path: Path) -> None:
    of_cases = {"p1": {"gain": "inf"}, "p2": {"gain": "failed"}, "p3": {"gain": 1}}
    document = {"aggregates": {"gain": {"mean": 1}}, "case": of_cases}
    table = read_table(written(tmp_path / "metrics.json", document))
    assert cells(table, "case") == ["p1", "p2", "p3"]
    assert cells(table, "value") == pytest.approx([math.inf, math.nan, 1.0], nan_ok=True)
    assert "missing, since text or more keys: gain (1)" in table.notes


def test_a_number_written_as_text_names_no_case(tmp_path: Path) -> None:
    document = {"aggregates": {}, "case": {"gain": {"0": "NaN"}, "dice": {"0": 0.5}}}
    file = written(tmp_path / "metrics.json", document)
    table = read_with(file, path="case.{metric}.{case}")
    assert cells(table, "case") == [0, 0]
    assert cells(table, "metric") == ["gain", "dsc"]


def test_a_list_of_results() -> None:
    table = read_table(FILES / "results.json")
    assert cells(table, "case")[0] == "c4f0b1de-0000-4000-8000-000000000001"
    (estimate,) = hw.estimate(hw.CaseValues.from_table(table), rng=1)
    assert estimate.value == pytest.approx(1.65 / 3)
    assert not table.stated_means
    assert any("remark" in note for note in table.notes)


def test_any_other_layout_by_its_path() -> None:
    with pytest.raises(
        hw.DataError, match=r"no 'case', 'cases', 'results'.*scores, aggregates.*path="
    ):
        read_table(FILES / "labels.json")
    table = read_with(FILES / "labels.json", path="scores.test.{case}.{label}.{metric}")
    assert cells(table, "value", label="liver", metric="dsc") == [0.9, 0.8]
    assert cells(table, "value", label="tumour", metric="dsc") == pytest.approx(
        [0.5, math.nan], nan_ok=True
    )
    assert cells(table, "case", label="liver", metric="hd95") == ["p1", "p2"]
    one = read_with(FILES / "labels.json", path="scores.test.{case}.liver.hd95")
    assert (cells(one, "value"), cells(one, "metric")) == ([2.0, 4.0], ["hd95"] * 2)
    node = read_with(FILES / "results.json", path="results")
    assert cells(node, "value") == [0.5, 0.7, 0.45]


def test_a_path_into_json_that_nothing_recognises(tmp_path: Path) -> None:
    file = written(
        tmp_path / "own.json", {"runs": [{"scan": "a", "iou": 0.5}, {"scan": "b", "iou": 1}]}
    )
    with pytest.raises(hw.DataError, match="no known format"):
        read_table(file)
    from halfwidth.tables.importers.importer import ImportOptions

    options = ImportOptions(path="runs.{case}.{metric}")
    table = read_table(file, Reading(format="grand-challenge", options=options))
    assert (cells(table, "case"), cells(table, "value")) == (["a", "b"], [0.5, 1.0])


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("case.{case}.{organ}", "unknown part of a path 'organ'"),
        ("case.{metric}", "must name {case} once"),
        ("case.{case}.{case}", "must name {case} once"),
        ("case.{case}", "without naming their metric"),
        ("cases.{case}.{metric}", "no 'cases' in the document, which holds case, aggregates"),
        ("case.{case}.{label}.{metric}", "no numbers at case"),
        ("aggregates", "no values of single cases"),
        ("case.{case}.dice", "no 'dice'"),
    ],
)
def test_paths_that_lead_nowhere(path: str, message: str) -> None:
    with pytest.raises((hw.DataError, hw.OptionError), match=message.replace("{", r"\{")):
        read_with(FILES / "by_case.json", path=path)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"aggregates": {"dice": 0.9}}, "its keys are aggregates"),
        ({"aggregates": {}, "case": {"dice": 0.9}}, "only one for each of dice"),
        ({"aggregates": {}, "case": {}}, "no values of single cases"),
        ({"aggregates": {}, "results": []}, "no numbers at results"),
        ({"aggregates": {}, "results": [1, "a", None]}, "no numbers at results"),
        (
            {"case": {"ann": {"x": 1}, "bob": {"x": 2}}},
            r"cannot tell whether case goes.*path='case",
        ),
        (
            {"aggregates": {}, "case": {"a1": {"dice": {"liver": 1}}}},
            "dice holds more keys or text",
        ),
        ({"aggregates": {"dice": [1]}, "case": {"a1": {"dice": "good"}}}, "more keys or text"),
        ('{"case": {"a1": {"dice": 0.9}', "cut short"),
        ('{"case": ' + '{"a":' * 1000 + "1" + "}" * 1001, "nested deeper than 200 levels"),
    ],
)
def test_malformed(tmp_path: Path, document: Any, message: str) -> None:
    with pytest.raises((hw.DataError, hw.OptionError), match=message):
        read_table(written(tmp_path / "metrics.json", document))


def test_huge_numbers_become_infinite(tmp_path: Path) -> None:
    document = '{"aggregates": {}, "case": {"a1": {"dice": 1' + "0" * 400 + "}}}"
    assert cells(read_table(written(tmp_path / "metrics.json", document)), "value") == [math.inf]
