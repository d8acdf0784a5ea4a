"""Models compared by per-case values: matching, pairs, families, verdicts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from over_data import over

import halfwidth as hw

CASES = [f"s{i}" for i in range(30)]


@pytest.fixture
def models() -> dict[str, pd.Series]:
    rng = np.random.default_rng(3)
    ability = rng.beta(8, 2, 30)
    return {
        name: pd.Series(np.clip(ability + shift + rng.normal(0, 0.02, 30), 0, 1), index=CASES)
        for name, shift in (("A", 0.0), ("B", 0.03), ("C", -0.05))
    }


def long_table(models: dict[str, pd.Series], **columns: object) -> pd.DataFrame:
    frames = [
        pd.DataFrame({"case": values.index, "model": name, "dice": values.to_numpy(), **columns})
        for name, values in models.items()
    ]
    return pd.concat(frames, ignore_index=True)


def bounds(result: hw.Comparisons) -> list[tuple[str, str, float, float, float]]:
    return [(one.first, one.second, one.value, one.low, one.high) for one in result]


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_a_pair_equals_difference_ci(models: dict[str, pd.Series], statistic: str) -> None:
    two = {name: models[name] for name in ("A", "B")}
    one = hw.compare(two, metric="dsc", statistic=statistic, rng=4)["A", "B"]
    plain = hw.difference_ci(models["A"], models["B"], metric="dsc", statistic=statistic, rng=4)
    assert one.value == pytest.approx(plain.value, abs=1e-15)
    assert one.first_value - one.second_value == pytest.approx(one.value, abs=1e-12)
    if statistic == "mean":
        assert (one.low, one.high) == pytest.approx((plain.low, plain.high), abs=1e-9)


def test_all_pairs_or_all_against_a_baseline(models: dict[str, pd.Series]) -> None:
    every = hw.compare(models, metric="dsc")
    assert [(one.first, one.second) for one in every] == [("A", "B"), ("A", "C"), ("B", "C")]
    against = hw.compare(models, metric="dsc", baseline="B")
    assert [(one.first, one.second) for one in against] == [("A", "B"), ("C", "B")]
    with pytest.raises(hw.UnknownNameError, match="baseline 'D'"):
        hw.compare(models, metric="dsc", baseline="D")


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_order_of_rows_changes_nothing(models: dict[str, pd.Series], statistic: str) -> None:
    options: dict[str, Any] = {
        "metric": "dsc",
        "statistic": statistic,
        "n_resamples": 199,
        "rng": 4,
    }
    given = hw.compare(models, **options)
    rng = np.random.default_rng(1)
    shuffled = {name: values.iloc[rng.permutation(30)] for name, values in models.items()}
    assert bounds(hw.compare(shuffled, **options)) == bounds(given)
    table = long_table(models)
    assert bounds(over(hw.compare, hw.CaseValues.from_table)(table, "dice", **options)) == bounds(
        given
    )
    table = table.sample(frac=1, random_state=2)
    assert {
        one[:2]: one for one in bounds(over(hw.compare, hw.CaseValues.from_table)(table, **options))
    } == {
        one[:2]: one
        for one in bounds(over(hw.compare, hw.CaseValues.from_table)(table, "dice", **options))
    }
    tables = {name: pd.DataFrame({"case": v.index, "dice": v}) for name, v in shuffled.items()}
    assert bounds(over(hw.compare, hw.CaseValues.from_table)(tables, **options)) == bounds(given)


def test_arrays_go_by_place_in_any_order(models: dict[str, pd.Series]) -> None:
    arrays = {name: values.to_numpy() for name, values in models.items()}
    given = bounds(hw.compare(arrays, metric="dsc", statistic="median", rng=4))
    order = np.random.default_rng(1).permutation(30)
    shuffled = {name: values[order] for name, values in arrays.items()}
    assert bounds(hw.compare(shuffled, metric="dsc", statistic="median", rng=4)) == given


def test_a_pair_is_the_same_in_company(models: dict[str, pd.Series]) -> None:
    alone = hw.compare({n: models[n] for n in "AB"}, metric="dsc", statistic="median", rng=4)
    together = hw.compare(models, metric="dsc", statistic="median", rng=4)
    assert bounds(alone)[0] == bounds(together)[0]


def test_a_wide_frame_has_a_model_in_each_column(models: dict[str, pd.Series]) -> None:
    frame = pd.DataFrame(models)
    expected = bounds(hw.compare(models, metric="dsc"))
    assert bounds(hw.compare(frame, metric="dsc")) == expected
    columns = {name: name for name in models}
    by_column = hw.compare(
        hw.CaseValues.from_table(frame.rename_axis("case"), columns, metric="dsc")
    )
    assert bounds(by_column) == expected


def test_unmatched_cases_are_listed_or_left_out(models: dict[str, pd.Series]) -> None:
    models["B"] = models["B"].drop(["s3", "s7"])
    with pytest.raises(hw.DataError, match=r"2 of 30 cases .*B lacks 2 \(s3, s7\)"):
        hw.compare(models, metric="dsc")
    result = hw.compare(hw.CaseValues.from_arrays(models, metric="dsc", pairing="common"))
    assert {one.n_unmatched for one in result} == {2}
    assert {one.estimate.n for one in result} == {28}


def test_a_case_missing_for_one_is_left_out_for_all(models: dict[str, pd.Series]) -> None:
    models["C"].iloc[4] = np.nan
    with pytest.raises(hw.DataError, match=r"C: 1 of 30 values are missing \(case s4\)"):
        hw.compare(models, metric="dsc")
    result = hw.compare(hw.CaseValues.from_arrays(models, metric="dsc", missing="omit"))
    assert [(one.estimate.n, one.estimate.n_missing) for one in result] == [(29, 1)] * 3
    worst = hw.compare(hw.CaseValues.from_arrays(models, metric="dsc", missing="worst"))
    assert worst["A", "C"].second_value == pytest.approx(np.nan_to_num(models["C"]).mean())


def test_families_are_compared_apart(models: dict[str, pd.Series]) -> None:
    table = pd.concat([long_table(models, organ="liver"), long_table(models, organ="spleen")])
    result = hw.compare(hw.CaseValues.from_table(table, "dice", metric="dsc", by="organ"))
    assert len(result) == 6
    assert dict(result["spleen", "A", "B"].by) == {"organ": "spleen"}
    with pytest.raises(hw.DataError, match="more than once"):
        hw.compare(hw.CaseValues.from_table(table, "dice", metric="dsc"))


def test_margin_and_goal(models: dict[str, pd.Series]) -> None:
    result = hw.compare(models, metric="dsc", baseline="A", margin=0.3, goal=0.1, method="t")
    assert [one.verdict.word for one in result if one.verdict] == ["superior", "non-inferior"]
    assert [goal.met for goal in result.goals] == [True] * 3
    alone = hw.compare({"A": models["A"]}, metric="dsc", goal=0.99)
    assert not alone.goals[0].met
    assert not alone


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"margin": 0}, "margin=0.0 is not above 0"),
        ({"margin": -0.01}, "not above 0"),
        ({"margin": 1}, "whole range"),
        ({"goal": 95}, "outside the range"),
        ({"effect": "odds"}, "none of difference, ratio"),
        ({"test": "t"}, "none of auto"),
        ({"correction": "fdr"}, "none of holm"),
        ({"paired": False}, "it is called pairing and describes the data"),
        ({"unmatched": "omit"}, "it is called pairing and describes the data"),
        ({"pairing": "common"}, "it describes the data"),
        ({"simultaneous": False}, "correction='none' says so"),
    ],
)
def test_bad_options(models: dict[str, pd.Series], change: dict[str, object], message: str) -> None:
    options: dict[str, Any] = {"metric": "dsc", **change}
    with pytest.raises(hw.OptionError, match=message):
        hw.compare(models, **options)


def test_names_choose_a_difference(models: dict[str, pd.Series]) -> None:
    result = hw.compare(models, metric="dsc")
    assert result["A", "B"] is result[0]
    with pytest.raises(hw.OptionError, match="no comparison is of 'B, A'"):
        result["B", "A"]
    with pytest.raises(hw.OptionError, match="2 comparisons are of 'B'"):
        result["B"]
    assert list(result.to_frame()["second"]) == ["B", "C", "C"]
    assert "A against B: mean DSC lower by 0.030 (95 % CI of the difference -0.041" in repr(result)
    assert "<table" in result._repr_html_()


def test_unpaired_means_are_welchs(models: dict[str, pd.Series]) -> None:
    from scipy import stats

    first, second = models["A"].iloc[:20], models["B"].iloc[10:]
    two = {"A": first, "B": second}
    (one,) = hw.compare(
        hw.CaseValues.from_arrays(two, metric="dsc", pairing="none"), method="welch"
    )
    oracle = stats.ttest_ind(first, second, equal_var=False).confidence_interval()
    assert (one.low, one.high) == pytest.approx((oracle.low, oracle.high))
    assert not one.paired
    n = f"n = {len(first)} + {len(second)};"
    assert n in one.sentence()
    assert one.to_dict()["n_each"] == [len(first), len(second)]


def test_p_values_are_adjusted_over_a_family(models: dict[str, pd.Series]) -> None:
    table = pd.concat([long_table(models, organ="liver"), long_table(models, organ="spleen")])
    result = hw.compare(hw.CaseValues.from_table(table, "dice", metric="dsc", by="organ"), rng=1)
    tests = [one.test for one in result if one.test is not None]
    assert len(tests) == 6
    assert {one.correction for one in tests} == {"holm"}
    p = [one.p_value for one in tests]
    smallest = min(range(3), key=lambda at: p[at])
    assert tests[smallest].adjusted == pytest.approx(min(1.0, 3 * p[smallest]))
    two = hw.compare({name: models[name] for name in "AB"}, metric="dsc", rng=1)
    assert two[0].test is not None
    assert not two[0].test.correction
    assert hw.compare(models, metric="dsc", test="none")[0].test is None


@pytest.mark.parametrize(
    "design",
    [
        {"groups": "patient"},
        {"strata": "site"},
        {"groups": "patient", "strata": "site"},
        {"groups": "patient", "over": "clusters"},
    ],
)
def test_clusters_and_strata_whatever_the_order_of_rows(
    models: dict[str, pd.Series], design: dict[str, Any]
) -> None:
    patients = [f"p{i % 9}" for i in range(30)]
    sites = [i % 9 % 2 for i in range(30)]
    table = pd.concat([part.assign(patient=patients, site=sites) for part in parts(models)])
    how: dict[str, Any] = {"metric": "dsc", "method": "percentile", "n_resamples": 99, "rng": 4}
    given = over(hw.compare, hw.CaseValues.from_table)(table, "dice", **how, **design)
    shuffled = table.sample(frac=1, random_state=3).sort_values("model", kind="stable")
    again = over(hw.compare, hw.CaseValues.from_table)(shuffled, "dice", **how, **design)
    assert [one.to_row() for one in again] == [one.to_row() for one in given]
    clusters = 9 if "groups" in design else None
    assert {one.estimate.n_groups for one in given} == {clusters}


def parts(models: dict[str, pd.Series]) -> list[pd.DataFrame]:
    table = long_table(models)
    return [table[table["model"] == name].reset_index(drop=True) for name in models]


def test_cases_are_known_within_their_cluster() -> None:
    table = pd.DataFrame(
        {
            "patient": ["a", "a", "b", "b"] * 2,
            "case": [1, 2, 1, 2] * 2,
            "model": ["A"] * 4 + ["B"] * 4,
            "dice": [0.5, 0.6, 0.7, 0.8, 0.4, 0.5, 0.6, 0.8],
        }
    )
    with pytest.raises(hw.DataError, match="2 of its cases more than once"):
        hw.compare(hw.CaseValues.from_table(table, "dice", metric="dsc"))
    (one,) = hw.compare(hw.CaseValues.from_table(table, "dice", metric="dsc", groups="patient"))
    assert (one.estimate.n, one.estimate.n_groups) == (4, 2)


def test_cases_are_carried_in_one_order_for_all_models(models: dict[str, pd.Series]) -> None:
    models["B"] = models["B"].iloc[::-1]
    (kept,) = hw.compare(models, metric="dsc", test="none").cases
    found = pd.DataFrame(kept.values).sort_values(["A", "B"]).to_numpy()
    expected = pd.DataFrame(models)[list(models)].sort_values(["A", "B"]).to_numpy()
    assert np.array_equal(found, expected)
