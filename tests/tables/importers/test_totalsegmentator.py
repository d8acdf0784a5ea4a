"""Tables of the evaluation that TotalSegmentator publishes, with the numbers worked by hand."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from foreignfiles import FIXTURES, cells, written

import halfwidth as hw
from halfwidth.tables.readers import read_table

FILES = FIXTURES / "totalsegmentator"


def test_a_metric_and_a_structure_in_each_column() -> None:
    table = read_table(FILES / "evaluation.csv")
    assert cells(table, "case", metric="dsc", label="spleen") == ["s0011", "s0058", "s0223"]
    nan = math.nan
    for metric, label, expected in [
        ("dsc", "spleen", [0.96, 0.98, 0.94]),
        ("nsd", "spleen", [0.99, 1.0, 0.95]),
        ("dsc", "gallbladder", [0.8, nan, 0.0]),
    ]:
        found = cells(table, "value", metric=metric, label=label)
        assert found == pytest.approx(expected, nan_ok=True)
    assert set(cells(table, "parameters", metric="nsd")) == {"tolerance=3;definition=surface"}
    assert any("2 empty values" in note for note in table.notes)


def test_omitted_are_the_images_without_the_structure_as_in_its_own_means() -> None:
    with pytest.raises(hw.DataError, match="s0058"):
        hw.estimate(hw.CaseValues.from_table(read_table(FILES / "evaluation.csv")), rng=1)
    estimates = hw.estimate(
        hw.CaseValues.from_table(read_table(FILES / "evaluation.csv"), missing="omit"), rng=1
    )
    found = {(e.label, e.metric): e.value for e in estimates}
    assert found["gallbladder", "dsc"] == pytest.approx(0.4)
    assert found["gallbladder", "nsd"] == pytest.approx(0.45)
    assert found["spleen", "nsd"] == pytest.approx(0.98)


def test_a_missing_name_of_a_subject_is_no_name(tmp_path: Path) -> None:
    table = read_table(written(tmp_path / "a.csv", "subject,dice-liver\n,0.9\nb,0.8\n"))
    assert table.levels("case") == [None, "b"]


def test_other_tables_are_not_taken_for_it(tmp_path: Path) -> None:
    text = "subject,dice-liver,volume\na,0.9,1\nb,0.8,2\n"
    assert "dice-liver" in read_table(written(tmp_path / "a.csv", text))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "means.json",
            '{"dice": {"a": 1}, "normalized_surface_distance": {}}',
            "no values of single",
        ),
        ("a.csv", "subject,dice-liver\na,good\nb,bad\n", "column 'dice-liver' holds text"),
        ("a.csv", "subject,dice-liver\n", "no rows|no values"),
        ("a.csv", "subject,dice-liver\na,0.9,1\n", "line 2|row 2|cells"),
    ],
)
def test_malformed(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(hw.DataError, match=message):
        read_table(written(tmp_path / name, text))
