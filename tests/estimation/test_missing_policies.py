"""``missing="all"``: each row is what its values give alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from over_data import over
from support import Run, codes

import halfwidth as hw

OK = [0.91, 0.84, 0.88, 0.79, 0.93, 0.86, 0.9, 0.82]
MM = [3.0, 4.5, 2.0, 8.0, 3.5, 6.0, 2.5, 5.0]
# Two were missed, one is spurious, one is in neither mask, and one has no value.
STATUS = ["ok"] * 8 + ["missed", "missed", "spurious", "not applicable", None]


def canonical(metric: str, values: list[float | None], **columns: Any) -> dict[str, list[Any]]:
    rows = len(values)
    cases = [f"c{i}" for i in range(rows)]
    return {"case": cases, "metric": [metric] * rows, "value": values, **columns}


def same(row: hw.Estimate, values: list[float], **settings: Any) -> None:
    alone = hw.summary_ci(values, **settings)
    found = (row.value, row.low, row.high, row.n)
    np.testing.assert_allclose(found, (alone.value, alone.low, alone.high, alone.n), rtol=1e-12)
    assert row.method == alone.method


def test_overlap_of_missed_structures() -> None:
    values = [*OK, 0.0, 0.0, 0.0, None, None]
    table = hw.estimate(
        hw.CaseValues.from_table(canonical("dsc", values, status=STATUS), missing="all")
    )
    assert [row.label for row in table] == ["omit", "worst", "file"]
    assert [row.missing for row in table] == ["omit", "worst", "file"]
    same(table["omit"], OK, metric="dsc")
    same(table["worst"], [*OK, 0, 0, 0, 0], metric="dsc")
    same(table["file"], [*OK, 0, 0, 0], metric="dsc")
    # By hand: 6.93 over 8, 12 and 11 cases.
    assert [round(row.value, 4) for row in table] == [0.8662, 0.5775, 0.63]
    assert [row.without_result and row.without_result.text for row in table] == [
        "4 left out",
        "4 as 0",
        "3 as 0, 1 left out",
    ]
    assert [row.n_missing for row in table] == [4, 4, 1]
    assert [row.n_not_applicable for row in table] == [1, 1, 1]
    assert all("HW101" in codes(row) for row in table)


def test_distances_that_the_file_imputed() -> None:
    # A tool that writes 374 mm for a failure, and 0 mm for what is in neither mask.
    values = [*MM, 374.0, 374.0, np.inf, 0.0, None]
    frame = canonical("hd95", values, status=STATUS)
    table = hw.estimate(hw.CaseValues.from_table(frame, missing="all", penalty=500))
    same(table["omit"], MM, metric="hd95")
    same(table["worst"], [*MM, 500, 500, 500, 500], metric="hd95")
    same(table["file"], [*MM, 374, 374, 0], metric="hd95")
    assert [row.n_not_applicable for row in table] == [1, 1, 0]
    assert table["file"].without_result is not None
    assert table["file"].without_result.text == "3 as 0 to 374, 2 left out"
    with pytest.raises(hw.OptionError, match="penalty"):
        hw.estimate(hw.CaseValues.from_table(frame, missing="all"))


def test_a_penalty_says_which_values_of_a_plain_table_are_imputed() -> None:
    table = hw.estimate(
        hw.CaseValues.from_table(
            {"case": list("abcdefghij"), "hd95": [*MM, 374.0, None]},
            metric="hd95",
            missing="all",
            penalty=374,
        )
    )
    same(table["omit"], MM, metric="hd95")
    same(table["worst"], [*MM, 374, 374], metric="hd95")
    same(table["file"], [*MM, 374], metric="hd95")


@pytest.mark.parametrize("statistic", ["mean", "median", "sd"])
def test_without_a_status_the_rows_are_those_of_each_policy(statistic: str) -> None:
    frame: dict[str, list[Any]] = {
        "case": [f"c{i}" for i in range(60)],
        "model": ["a", "b"] * 30,
        "patient": [i // 4 for i in range(60)],
        "dice": [*OK, *OK, None, 0.0, 0.5, None] * 3,
    }
    settings: dict[str, Any] = {
        "by": "model", "metric": "dsc", "statistic": statistic, "groups": "patient",
        "method": "percentile", "rng": 3, "n_resamples": 199,
    }  # fmt: skip
    table = over(hw.estimate, hw.CaseValues.from_table)(frame, "dice", missing="all", **settings)
    assert len(table) == 6
    for policy in ("omit", "worst"):
        for row in over(hw.estimate, hw.CaseValues.from_table)(
            frame, "dice", missing=policy, **settings
        ):
            beside = table[row.label, policy]
            found = (row.value, row.low, row.high)
            expected = (beside.value, beside.low, beside.high)
            np.testing.assert_allclose(found, expected, rtol=1e-12)
            assert row.low < row.high
    for model in "ab":
        assert table[model, "file"].value == table[model, "omit"].value


def test_a_table_without_such_cases_has_equal_rows() -> None:
    table = hw.estimate(hw.CaseValues.from_table({"dice": OK}, metric="dsc", missing="all"))
    assert {(row.value, row.low, row.high) for row in table} == {
        (table[0].value, table[0].low, table[0].high)
    }
    assert {row.without_result and row.without_result.text for row in table} == {"none"}
    assert [case.label for case in table.cases] == ["dice / omit", "dice / worst", "dice / file"]


def test_where_nothing_is_left_there_is_no_interval() -> None:
    frame = canonical("dsc", [0.0] * 4, status=["missed"] * 4)
    table = hw.estimate(hw.CaseValues.from_table(frame, missing="all"))
    assert np.isnan(table["omit"].value)
    assert table["worst"].value == table["file"].value == 0


def test_the_claims_stand_below_the_table_and_in_the_json(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "cases.csv"
    rows = [f"c{i},dsc,{value},ok\n" for i, value in enumerate(OK)]
    file.write_text(f"case,metric,value,status\n{''.join(rows)}d,dsc,0,missed\n", encoding="utf-8")
    ran = run("ci", file, "--missing", "all")
    assert ran.status == 0
    assert "What each policy claims" in ran.out
    assert "1 left out" in ran.out
    assert "1 as 0" in ran.out
    assert (
        "- omit: they are left out"
        in run("ci", file, "--missing", "all", "--format", "markdown").out
    )
    told = run("ci", file, "--missing", "all", "--json").estimates
    assert [row["missing"] for row in told] == ["omit", "worst", "file"]
    assert told[0]["without_result"]["left_out"] == 1
    assert told[2]["without_result"] | {"claim": ""} == {
        "left_out": 0, "counted": 1, "lowest": 0, "highest": 0, "claim": ""
    }  # fmt: skip
    assert "without_result" not in json.loads(run("ci", file, "--json").out)["estimates"][0]


@pytest.mark.parametrize(
    "command",
    [
        ("ci", "FILE", "--target", "y", "--score", "p", "--metric", "auroc"),
        ("compare", "FILE", "--value", "p", "--metric", "dsc"),
        ("rank", "FILE", "--value", "p", "--metric", "dsc"),
        ("runs", "FILE", "--value", "p"),
    ],
)
def test_other_verbs_say_where_it_works(run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    file = tmp_path / "cases.csv"
    rows = [f"c{i},{model},{i % 2},0.{i}\n" for i in range(1, 9) for model in "ab"]
    file.write_text(f"case,model,y,p\n{''.join(rows)}", encoding="utf-8")
    ran = run(*(file if word == "FILE" else word for word in command), "--missing", "all")
    assert ran.status == 2
    assert "halfwidth ci TABLE" in ran.err
    with pytest.raises(hw.OptionError, match="side by side"):
        hw.summary_ci(OK, missing="all")  # type: ignore[arg-type]
