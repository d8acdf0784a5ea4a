"""Models compared by per-case values: matching, pairs, families, verdicts."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from over_data import over
from statsmodels.stats.multitest import multipletests

import halfwidth as hw
from halfwidth.comparison.verdicts import Sides, verdict
from halfwidth.results.comparison_words import p_equals, p_text

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
    verdicts = [one.verdict for one in result if one.verdict]
    assert [one.word for one in verdicts] == ["better", "worse"]
    assert [one.beyond_margin for one in verdicts] == ["excluded", "excluded"]
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
        ({"correction": "fdr"}, "none of stepdown"),
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
    with pytest.raises(hw.OptionError, match="no comparison matches 'B, A'"):
        result["B", "A"]
    with pytest.raises(hw.OptionError, match="2 comparisons match 'B'"):
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
    models["B"] -= 0.02
    table = pd.concat([long_table(models, organ="liver"), long_table(models, organ="spleen")])
    data = hw.CaseValues.from_table(table, "dice", metric="dsc", by="organ")
    result = hw.compare(data, rng=1, test="auto")
    assert {(one.correction, one.n_comparisons) for one in result} == {("stepdown", 3)}
    # Of a test whose joint law is not known each p value goes by itself.
    assert {one.test.correction for one in result if one.test} == {"holm"}
    holms = hw.compare(data, rng=1, correction="holm")
    for one, of_holm in zip(result, holms, strict=True):
        assert of_holm.p_value == one.p_value <= one.p_adjusted <= 3 * one.p_value * (1 + 1e-9)
    adjusted = multipletests([one.p_value for one in list(holms)[:3]], method="holm")[1]
    assert [one.p_adjusted for one in list(holms)[:3]] == pytest.approx(adjusted)
    (two,) = hw.compare({name: models[name] for name in "AB"}, metric="dsc", rng=1)
    assert (two.correction, two.n_comparisons, two.test) == ("", 1, None)
    assert np.isnan(two.p_adjusted)


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
    (kept,) = hw.compare(models, metric="dsc").cases
    found = pd.DataFrame(kept.values).sort_values(["A", "B"]).to_numpy()
    expected = pd.DataFrame(models)[list(models)].sort_values(["A", "B"]).to_numpy()
    assert np.array_equal(found, expected)


RIGHT = np.array([1, 0, 1, 1, 1, 0, 1, 1, 1, 1], float)


WRONG = np.array([1, 0, 0, 0, 1, 0, 1, 1, 0, 1], float)


@pytest.mark.parametrize("pairing", ["complete", "none"])
def test_the_sd_of_successes_is_no_proportion(pairing: Any) -> None:
    how: dict[str, Any] = {"metric": "correct", "statistic": "sd", "rng": 1, "n_resamples": 999}
    (one,) = hw.compare(hw.CaseValues.from_arrays({"A": RIGHT, "B": WRONG}, pairing=pairing), **how)
    assert one.value == pytest.approx(RIGHT.std(ddof=1) - WRONG.std(ddof=1))
    assert not one.estimate.method.startswith("newcombe")
    if pairing == "complete":
        alone = hw.difference_ci(RIGHT, WRONG, **how)
        assert (one.low, one.high) == (alone.low, alone.high)


def test_the_sd_of_successes_is_tested_by_swaps() -> None:
    (one,) = hw.compare(
        {"A": RIGHT, "B": WRONG},
        metric="correct",
        statistic="sd",
        test="auto",
        rng=1,
        n_resamples=2000,
    )
    differences = []
    for swaps in itertools.product([False, True], repeat=len(RIGHT)):
        first, second = np.where(swaps, WRONG, RIGHT), np.where(swaps, RIGHT, WRONG)
        differences.append(abs(first.std(ddof=1) - second.std(ddof=1)))
    assert one.test is not None
    assert one.test.p_value == pytest.approx(
        np.mean(np.array(differences) >= differences[0] - 1e-12)
    )
    with pytest.raises(hw.OptionError, match="mcnemar"):
        hw.compare({"A": RIGHT, "B": WRONG}, metric="correct", statistic="sd", test="mcnemar")


@pytest.mark.parametrize("statistic", ["mean", "median", "sd"])
def test_rounding_makes_no_model_better(statistic: str) -> None:
    values = np.array([0.1, 0.7, 1.1, 2.3, 4.7, 5.9, 6.1, 0.33, 0.77, 1.31, 2.9, 3.7])
    again = (values / 3 + 0.1) * 3 - 0.3
    assert (values < again).sum() > (values > again).sum()
    (one,) = hw.compare(
        {"A": values, "B": again}, metric="hd95", statistic=statistic, rng=1, n_resamples=999
    )
    assert (one.value, one.low, one.high, one.superiority) == (0, 0, 0, 0.5)
    if statistic == "sd":
        assert one.verdict is None
    else:
        assert one.verdict is not None
        assert one.verdict.word == "open"
    assert "HW801" in {caution.code for caution in one.cautions}


@pytest.mark.parametrize("metric", ["ppv", "npv"])
def test_predictive_values_of_a_perfect_model(metric: str) -> None:
    # Whose predicted positives are the true ones; those of the other model are not.
    truth = np.array([0, 1] * 10)
    other = np.where(np.arange(20) < 4, 1 - truth, truth)
    result = hw.compare(
        hw.Predictions.from_arrays(truth, {"A": truth, "B": other}),
        metric=metric,
        test="auto",
        rng=1,
        n_resamples=999,
    )
    (one,) = result
    assert (one.first_value, one.second_value) == (1.0, 0.8)
    assert one.estimate.n == 20
    # All swaps of the four cases that differ.
    assert one.test is not None
    assert one.test.p_value == 2 / 2**4


@pytest.mark.parametrize("order", ["AB", "BA"])
def test_a_model_without_predicted_positives_has_no_test(order: str) -> None:
    truth = np.array([0, 1] * 10)
    predictions = {"A": np.where(np.arange(20) < 4, 1 - truth, truth), "B": np.zeros(20, dtype=int)}
    models = {name: predictions[name] for name in order}
    how: dict[str, Any] = {"metric": "ppv", "pairing": "none", "rng": 1, "n_resamples": 99}
    how["test"] = "auto"
    (one,) = over(hw.compare, hw.Predictions.from_arrays)(truth, models, labels=[0, 1], **how)
    assert np.isnan(one.value)
    assert one.test is not None
    assert np.isnan(one.test.p_value)
    assert "HW813" in {caution.code for caution in one.cautions}


@pytest.mark.parametrize("pairing", ["complete", "none"])
def test_a_larger_spread_is_not_better(pairing: Any) -> None:
    values = np.linspace(0.5, 0.9, 20)
    models = hw.CaseValues.from_arrays(
        {"A": values, "B": 0.7 + (values - 0.7) / 4}, pairing=pairing
    )
    how: dict[str, Any] = {"metric": "dsc", "statistic": "sd", "rng": 1, "n_resamples": 99}
    (one,) = hw.compare(models, **how)
    assert one.value > 0
    assert one.verdict is None
    numbers: list[dict[str, Any]] = [{"margin": 0.05}, {"goal": 0.05}]
    for number in numbers:
        with pytest.raises(hw.OptionError, match="neither a higher nor a lower SD is better"):
            hw.compare(models, **how, **number)


def test_a_pair_is_named_where_it_stands_the_other_way_round() -> None:
    result = hw.compare({"A": RIGHT, "B": WRONG}, metric="correct")
    with pytest.raises(hw.OptionError, match="but there is the reverse: A vs B"):
        result["B", "A"]


def test_a_test_and_an_interval_disagree_only_at_the_same_multiplicity() -> None:
    values = np.linspace(0.4, 0.6, 8)
    models = {
        "base": values,
        "mostly better": values + np.array([0.05, 0.01, 0.02, 0.03, 0.04, 0.01, 0.02, -0.015]),
        "once much better": values + np.array([0.01, 0.3, 0.01, 0.02, 0.01, 0.02, 0.01, 0.012]),
    }
    result = hw.compare(models, metric="dsc", test="permutation", rng=1, n_resamples=999)
    raised = 0
    for item in result:
        assert item.test is not None
        found = [one.message for one in item.cautions if one.code == "HW807"]
        assert bool(found) == ((item.test.adjusted <= 0.05) != (item.p_adjusted <= 0.05))
        assert all("(Holm), where the 95 % CI has p = " in text for text in found)
        raised += len(found)
    # Others are below .05 by themselves, and not after the correction that the table shows.
    assert 0 < raised < sum(one.test is not None and one.test.p_value <= 0.05 for one in result)


@pytest.mark.parametrize(
    ("options", "asks", "interval"),
    [
        (
            {"test": "wilcoxon"},
            "whether the differences of these cases lie as far above 0 as below, by their ranks",
            "the interval also allows for cases beyond those seen",
        ),
        (
            {"test": "wilcoxon", "method": "t"},
            "whether the differences of these cases lie as far above 0 as below, by their ranks",
            "the interval says how large the difference in mean DSC may be among all cases",
        ),
    ],
)
def test_a_test_and_an_interval_that_disagree_say_what_either_asks(
    options: dict[str, Any], asks: str, interval: str
) -> None:
    # A large loss in one case makes up for small gains in all others, and ranks do not see it.
    gains = np.r_[np.linspace(0.005, 0.015, 14), -0.14]
    easy = np.linspace(0.7, 0.9, 15)
    (item,) = hw.compare({"A": easy + gains, "B": easy}, metric="dsc", rng=1, **options)
    (said,) = (one.message for one in item.cautions if one.code == "HW807")
    assert said.endswith(f"has {p_equals(p_text(item.p_value))}: the test asks {asks}; {interval}.")


def test_ids_that_start_again_in_each_group_do_not_repeat() -> None:
    patients, lesions = np.repeat([f"p{at}" for at in range(15)], 2), np.tile([1, 2], 15)
    values = np.random.default_rng(4).beta(8, 2, 30)
    tables = {
        name: pd.DataFrame({"patient": patients, "lesion": lesions, "dsc": values * share})
        for name, share in (("A", 1.0), ("B", 0.98))
    }
    (one,) = hw.compare(
        hw.CaseValues.from_table(tables, "dsc", metric="dsc", case="lesion", groups="patient")
    )
    assert (one.estimate.n, one.estimate.n_groups) == (30, 15)
    assert "HW102" not in {caution.code for caution in one.cautions}
    with pytest.raises(hw.DataError, match="such as the lesion within groups="):
        hw.compare(hw.CaseValues.from_table(tables, "dsc", metric="dsc", groups="patient"))


def test_ids_that_are_the_clusters_too_are_named_once() -> None:
    ids = [f"p{at}" for at in range(4)]
    table = pd.DataFrame({"patient": ids, "y": [0, 1, 0, 1], "p": [0.1, 0.9, 0.6, 0.4]})
    tables = {"A": table, "B": table[:3]}
    how: dict[str, Any] = {"case": "patient", "groups": "patient"}
    with pytest.raises(hw.DataError, match=r"B lacks 1 \(p3\)"):
        over(hw.compare, hw.CaseValues.from_table)(tables, "p", metric="dsc", **how)
    with pytest.raises(hw.DataError, match=r"B lacks 1 \(p3\)"):
        over(hw.compare, hw.Predictions.from_table)(tables, "y", score="p", metric="auroc", **how)


def test_models_as_given_are_no_less_extreme_than_themselves() -> None:
    # An SD of 0 from sums of squares is a root of what rounding left.
    values = [1, 0.8, 0.6, 0.6, 0.7, 0.9, 1, 1, 0.9, 0.9, 0.7, 1, 0.9, 0.8, 0.8, 1, 1, 1, 0.8, 1]
    groups = [3, 5, 2, 0, 0, 3, 5, 5, 0, 1, 0, 2, 0, 3, 1, 2, 4, 3, 5, 2]
    how: dict[str, Any] = {"metric": "dsc", "statistic": "sd", "rng": 1, "n_resamples": 99}
    how["test"] = "auto"
    (one,) = over(hw.compare, hw.CaseValues.from_arrays)(
        {"A": values, "B": [1.0] * 20}, groups=groups, **how
    )
    assert one.test is not None
    # The case of cluster 4 is the same for both.
    assert one.test.p_value == 2 / 2**5


def test_the_interval_of_equivalence_lies_within_that_of_the_verdict() -> None:
    (one,) = hw.compare({"A": RIGHT, "B": WRONG}, metric="correct")
    wider = (one.low - 0.1, one.high + 0.1)
    sides = Sides((0.5, 0.5), (1.0, 1.0), (0.01, 0.01), 0.05)
    found = verdict(one, sides, margin=0.9, equivalence=wider)
    assert found is not None
    assert (found.equivalence_low, found.equivalence_high) == (one.low, one.high)
    undefined = verdict(one, sides, margin=0.9, equivalence=(np.nan, np.nan))
    assert undefined is not None
    assert not undefined.equivalent


def _lesions(value_of_b: float, status_of_b: str) -> pd.DataFrame:
    """Two models on ten cases; in the last nothing is there, and A finds nothing."""
    a, b = np.linspace(0.8, 0.95, 9), np.linspace(0.7, 0.93, 9)
    return pd.DataFrame(
        {
            "case": [*range(10), *range(10)],
            "metric": "dsc",
            "value": [*a, np.nan, *b, value_of_b],
            "model": ["A"] * 10 + ["B"] * 10,
            "status": ["ok"] * 9 + ["not applicable"] + ["ok"] * 9 + [status_of_b],
        }
    )


def test_a_spurious_structure_has_no_partner() -> None:
    """A case to which the metric applies for one model alone is left out, and that is said."""
    both = hw.compare(hw.CaseValues.from_table(_lesions(np.nan, "not applicable")), rng=1)[0]
    one = hw.compare(hw.CaseValues.from_table(_lesions(0.0, "spurious")), rng=1)[0]
    assert (one.low, one.value, one.high) == (both.low, both.value, both.high)
    assert (one.estimate.n, one.estimate.n_not_applicable, one.n_unmatched) == (9, 1, 0)
    assert "HW808" not in [caution.code for caution in both.cautions]
    said = {caution.code: caution.message for caution in one.cautions}["HW808"]
    assert said.startswith("Left out: 1 of 10 cases")
    assert "(not applicable: 1 of A)" in said


def test_a_case_without_a_row_is_still_asked_about() -> None:
    table = _lesions(0.0, "spurious")
    with pytest.raises(hw.DataError, match=r"1 of 10 cases are not there for all models: A"):
        hw.compare(hw.CaseValues.from_table(table.drop(index=9)))


def test_a_metric_that_applies_to_no_case_of_both() -> None:
    there, not_there = {"value": 0.0, "status": "spurious"}, {"status": "not applicable"}
    rows = [
        {"case": 1, "model": "A", **there},
        {"case": 2, "model": "A", **not_there},
        {"case": 1, "model": "B", **not_there},
        {"case": 2, "model": "B", **there},
    ]
    with pytest.raises(hw.DataError, match="in each case the metric is"):
        hw.compare(hw.CaseValues.from_table(pd.DataFrame(rows).assign(metric="dsc")))
