"""Distances that are missing: an overlap beside them tells misses from structures not there."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from support import Run

import halfwidth as hw

# As MONAI leaves them: c was missed, d is in neither mask.
MONAI = "case,dice,hd95\na,0.9,3\nb,0.8,4\nc,0,\nd,,\ne,0.85,5\n"
OF_MODELS = (
    "case,model,Dice_liver,HD95_liver_mm,Dice_spleen\n"
    "a,A,0.9,3,1\nb,A,0.8,4,1\nc,A,0,,1\nd,A,1,,0\ne,A,0.85,5,1\n"
    "a,B,0.9,3.1,1\nb,B,0.8,4.3,1\nc,B,0.3,20,1\nd,B,1,,0\ne,B,0.85,5.6,1\n"
)
HD95 = ("--value", "hd95", "--metric", "hd95")
WORST = ("--missing", "worst", "--penalty", "100")


@pytest.fixture
def monai(tmp_path: Path) -> Path:
    path = tmp_path / "monai.csv"
    path.write_text(MONAI)
    return path


@pytest.fixture
def of_models(tmp_path: Path) -> Path:
    path = tmp_path / "models.csv"
    path.write_text(OF_MODELS)
    return path


@pytest.mark.parametrize("verb", ["ci", "plan pilot -n 10"])
def test_nobody_has_to_guess_why_distances_are_missing(verb: str, run: Run, monai: Path) -> None:
    ran = run(*verb.split(), monai, *HD95)
    assert (ran.status, ran.out) == (2, "")
    assert "1 where 'dice' is 0: missed or spurious (c)" in ran.err
    assert "1 where 'dice' has no value, or 1: nothing in either mask (d)" in ran.err
    assert "--missing worst with --penalty leaves out those with nothing in either mask" in ran.err


def test_the_misses_alone_count_as_failed(run: Run, monai: Path) -> None:
    ran = run("ci", monai, *HD95, *WORST, "--json")
    (estimate,) = json.loads(ran.out)["estimates"]
    assert (estimate["n"], estimate["n_missing"], estimate["n_not_applicable"]) == (4, 1, 1)
    assert estimate["value"] == (3 + 4 + 100 + 5) / 4
    assert "1 row that is not applicable: 'dice' says that there was nothing to find" in ran.err


def test_all_are_left_out_if_asked(run: Run, monai: Path) -> None:
    (estimate,) = json.loads(run("ci", monai, *HD95, "--missing", "omit", "--json").out)[
        "estimates"
    ]
    assert (estimate["n"], estimate["n_missing"]) == (3, 2)


def test_check_tells_them_apart(run: Run, monai: Path) -> None:
    found = {one["code"]: one for one in json.loads(run("check", monai, "--json").out)["findings"]}
    assert found["HW926"]["cases"] == ["c", "d"]
    assert "1 where 'dice' is 0: missed" in found["HW926"]["message"]
    assert found["HW101"]["label"] == "dice"


def test_every_verb_has_the_same_cases(run: Run, of_models: Path, tmp_path: Path) -> None:
    of_hd95 = (of_models, "--by", "model", "--value", "HD95_liver_mm", "--metric", "hd95", *WORST)
    told = "2 rows that are not applicable: 'Dice_liver' says that there was nothing to find"
    alone, compared, ranked = (run(verb, *of_hd95, "--json") for verb in ("ci", "compare", "rank"))
    assert all(told in ran.err for ran in (alone, compared, ranked))
    values = [one["value"] for one in json.loads(alone.out)["estimates"]]
    assert values == pytest.approx([28, (3.1 + 4.3 + 20 + 5.6) / 4])
    (pair,) = json.loads(compared.out)["comparisons"]
    assert [pair["first_value"], pair["second_value"], pair["n"]] == pytest.approx([*values, 4])
    models = json.loads(ranked.out)["rankings"][0]["models"]
    assert {one["model"]: one["value"] for one in models} == pytest.approx(
        dict(zip("AB", values, strict=True))
    )
    # So has the long table made of it.
    long = tmp_path / "long.csv"
    assert run("convert", of_models, *of_hd95[3:7], "-o", long).status == 0
    assert pd.read_csv(long).status.value_counts().to_dict() == {"not applicable": 2, "missed": 1}
    again = json.loads(run("compare", long, *WORST, "--json").out)["comparisons"]
    assert again[0]["low"] == pair["low"]


def long_of(path: Path) -> Path:
    """The rows of a table of MONAI as a long one, which has no column of statuses."""
    frame = pd.read_csv(path).rename(columns={"dice": "dsc"})
    long = frame.melt("case", var_name="metric").sample(frac=1, random_state=1)
    long.to_csv(path.with_name("long.csv"), index=False)
    return path.with_name("long.csv")


def test_rows_of_a_long_table_tell_as_columns_do(run: Run, monai: Path) -> None:
    long = long_of(monai)
    ran = run("ci", long, "--metric", "hd95")
    assert ran.status == 2
    assert "column 'value', hd95: 2 of 5 values are missing: 1 where 'dsc' is 0: mis" in ran.err
    (wide,) = json.loads(run("ci", monai, *HD95, *WORST, "--json").out)["estimates"]
    (of_rows,) = json.loads(run("ci", long, "--metric", "hd95", *WORST, "--json").out)["estimates"]
    for name in ("value", "low", "high", "n", "n_missing", "n_not_applicable"):
        assert of_rows[name] == wide[name]
    found = {one["code"]: one for one in json.loads(run("check", long, "--json").out)["findings"]}
    assert sorted(found["HW926"]["cases"]) == ["c", "d"]
    both = pd.concat([pd.read_csv(long).assign(model=model) for model in "AB"])
    both.loc[(both.case == "d") & (both.model == "B") & (both.metric == "dsc"), "value"] = 0
    both.to_csv(long, index=False)
    ran = run("ci", long, "--by", "model", "--metric", "hd95", *WORST, "--json")
    assert [one["n"] for one in json.loads(ran.out)["estimates"]] == [4, 5]


def test_rows_without_a_case_or_twice_tell_nothing(run: Run, monai: Path) -> None:
    long = pd.read_csv(long_of(monai))
    of_status = long.assign(status=long.case.map({"d": "missed"}))
    for table, n in (
        (long.drop(columns="case"), 5),
        (pd.concat([long, long[long.metric == "dsc"]]), 5),
        # A row that is not there is not one that is empty.
        (long[~((long.case == "d") & (long.metric == "dsc"))], 5),
        (of_status, 5),
        (long, 4),
    ):
        table.to_csv(monai, index=False)
        ran = run("ci", monai, "--metric", "hd95", *WORST, "--json")
        (estimate,) = json.loads(ran.out)["estimates"]
        assert estimate["n"] == n


def test_other_columns_tell_nothing() -> None:
    # The overlap of another structure, an overlap between 0 and 1, and an infinite distance.
    for columns in (
        {"dice_liver": [0.9, 0.0, 0.8], "hd95_spleen": [2, None, 3]},
        {"loss": [0.9, 0.0, 0.8], "hd95": [2, None, 3]},
    ):
        values = list(columns)[1]
        (estimate,) = hw.estimate(
            hw.CaseValues.from_table(columns, values, metric="hd95", missing="worst", penalty=9)
        )
        assert (estimate.n, estimate.n_missing) == (3, 1)
    told = {"dice": [0.9, 0.5, None], "hd95": [2, None, float("inf")]}
    (estimate,) = hw.estimate(
        hw.CaseValues.from_table(told, "hd95", metric="hd95", missing="worst", penalty=9)
    )
    assert (estimate.n, estimate.n_missing, estimate.n_not_applicable) == (3, 2, 0)
    with pytest.raises(hw.DataError, match="2 where 'dice' tells neither"):
        hw.estimate(hw.CaseValues.from_table(told, "hd95", metric="hd95"))


def test_a_spurious_case_is_no_miss_and_counts_as_failed(run: Run, monai: Path) -> None:
    # c was missed, f is spurious; d is in neither mask.
    monai.write_text(f"{MONAI}f,0,\n")
    status = {"c": "missed", "d": "not applicable", "f": "spurious"}
    long = pd.read_csv(long_of(monai))
    long.assign(status=long.case.map(status).fillna("ok")).to_csv(monai, index=False)
    ran = run("ci", monai, "--metric", "hd95")
    assert "2 of 5 values are missing: 1 missed (c); 1 spurious (f). " in ran.err
    # Nothing is left out here, and what is spurious is penalised.
    assert "--missing worst with --penalty counts them as failed;" in ran.err
    (one,) = json.loads(run("ci", monai, "--metric", "hd95", *WORST, "--json").out)["estimates"]
    assert (one["n"], one["n_missing"], one["value"]) == (5, 2, (3 + 4 + 5 + 200) / 5)
    found = json.loads(run("check", monai, "--json").out)["findings"]
    (said,) = (item["message"] for item in found if item["code"] == "HW926")
    assert said == "2 of 5 distances missing: 1 missed; 1 spurious."


def test_converted_distances_say_that_a_miss_may_be_spurious(run: Run, monai: Path) -> None:
    ran = run(
        "convert", monai, "--value", "hd95", "--metric", "hd95", "-o", monai.with_name("long.csv")
    )
    assert "where the reference is empty, it is 'spurious', which nothing in the table" in ran.err
