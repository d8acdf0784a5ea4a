"""Results of panoptica, as TSV and as JSON lines, with the numbers worked by hand."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from foreignfiles import FIXTURES, cells, written

import halfwidth as hw
from halfwidth.tables.readers import Reading, read_table

TSV, JSONL = (FIXTURES / "panoptica" / f"results.{suffix}" for suffix in ("tsv", "jsonl"))


@pytest.mark.parametrize("file", [TSV, JSONL])
def test_empty_cells_have_the_reasons_that_the_counts_give(file: Path) -> None:
    table = read_table(file)
    statuses = ["ok", "ok", "missed", "not applicable"]
    assert cells(table, "case", metric="dsc") == ["s-01", "s-02", "s-03", "s-04"]
    for metric, expected in {
        "dsc": [0.9, 0.7, 0.0, math.nan],
        "rq": [1.0, 2 / 3, 0.0, math.nan],
        "sq_dsc": [0.8, 0.9, math.nan, math.nan],
        "global_bin_assd": [1.5, 2.5, math.inf, math.nan],
    }.items():
        assert cells(table, "value", metric=metric) == pytest.approx(expected, nan_ok=True)
        assert cells(table, "status", metric=metric) == statuses
    assert set(table.levels("label")) == {"liver"}
    assert set(table.levels("metric")) == {"rq", "sq_dsc", "pq_dsc", "dsc", "global_bin_assd"}
    estimates = {
        e.metric: e for e in hw.estimate(hw.CaseValues.from_table(table, missing="omit"), rng=1)
    }
    assert estimates["dsc"].value == pytest.approx(1.6 / 3)
    assert (estimates["dsc"].n, estimates["dsc"].n_not_applicable) == (3, 1)


def test_what_is_left_out_is_said() -> None:
    notes = " | ".join(read_table(TSV).notes)
    assert "sq_dsc_std, computation_time" in notes
    assert "1 row of single instances" in notes


def test_as_a_plain_table_it_stays_what_it_is() -> None:
    table = read_table(TSV, Reading(format="tsv"))
    assert "liver-n_ref_instances" in table


def test_a_value_without_a_reason_stays_missing(tmp_path: Path) -> None:
    text = "subject_name\tliver-rq\tliver-sq\na\t1\t\nb\t0.5\t0.8\n"
    table = read_table(written(tmp_path / "a.tsv", text))
    assert "status" not in table
    assert cells(table, "value", metric="sq") == pytest.approx([math.nan, 0.8], nan_ok=True)


def test_other_tables_are_not_taken_for_it(tmp_path: Path) -> None:
    text = "subject_name\tage-years\theart-rate\na\t60\t70\nb\t61\t71\n"
    assert "age-years" in read_table(written(tmp_path / "a.tsv", text))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.tsv", "subject_name\tliver-rq\na\tgood\n", "'good', not a number"),
        ("a.tsv", "subject_name\tliver-rq\tliver-tp\na\t1\n", "row 2|line 2|cells"),
        ("a.tsv", "subject_name\tliver-rq\n", "no rows|no values"),
        (
            "a.jsonl",
            '{"subject_name": "a", "groups": {"x": {"rq": 1}}}\n{"groups": {}}\n',
            "line 2",
        ),
        ("a.jsonl", '{"subject_name": "a", "groups": {"x": {"rq": 1}}}\n{"subject_na', "line 2"),
        ("a.jsonl", '{"subject_name": "a", "groups": {"x": {"rq": "1"}}}\n', "not a number"),
        ("a.jsonl", '{"subject_name": "a", "groups": {"x": {"tp": 1}}}\n', "only tp"),
        (
            "a.jsonl",
            '{"subject_name": "a", "groups": ' + '{"a":' * 1000 + "}" * 1001,
            "no known format",
        ),
    ],
)
def test_malformed(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(hw.DataError, match=message):
        read_table(written(tmp_path / name, text))


def test_qualities_and_distances_keep_their_ranges() -> None:
    rows = hw.estimate(hw.CaseValues.from_table(read_table(TSV), missing="omit"))
    ranges = {one.metric: one.to_dict()["bounds"] for one in rows}
    assert [ranges[name] for name in ("rq", "sq_dsc", "pq_dsc")] == [[0, 1]] * 3
    assert ranges["global_bin_assd"] == [0, None]
    assert all(one.low >= 0 for one in rows if one.metric != "global_bin_assd")
    # Two distances say nothing of how far others lie.
    assert all(math.isnan(one.low) for one in rows if one.metric == "global_bin_assd")
