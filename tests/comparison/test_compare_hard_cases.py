"""Comparisons of values that tempt to a wrong interval."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from over_data import over

import halfwidth as hw
from halfwidth.comparison.verdicts import verdict

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
        {"A": RIGHT, "B": WRONG}, metric="correct", statistic="sd", rng=1, n_resamples=2000
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
        assert one.verdict.word == "inconclusive"
    assert "HW801" in {caution.code for caution in one.cautions}


@pytest.mark.parametrize("metric", ["ppv", "npv"])
def test_predictive_values_of_a_perfect_model(metric: str) -> None:
    # Whose predicted positives are the true ones; those of the other model are not.
    truth = np.array([0, 1] * 10)
    other = np.where(np.arange(20) < 4, 1 - truth, truth)
    result = hw.compare(
        hw.Predictions.from_arrays(truth, {"A": truth, "B": other}),
        metric=metric,
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
    result = hw.compare({"A": RIGHT, "B": WRONG}, metric="correct", test="none")
    with pytest.raises(hw.OptionError, match="but the other way round: A vs B"):
        result["B", "A"]


def test_a_test_and_an_interval_disagree_only_at_the_same_multiplicity() -> None:
    values = np.linspace(0.4, 0.6, 8)
    models = {
        "base": values,
        "mostly better": values + np.array([0.05, 0.01, 0.02, 0.03, 0.04, 0.01, 0.02, -0.015]),
        "once much better": values + np.array([0.01, 0.3, 0.01, 0.02, 0.01, 0.02, 0.01, 0.012]),
    }
    result = hw.compare(models, metric="dsc", rng=1, n_resamples=999)
    raised = 0
    for item in result:
        assert item.test is not None
        assert item.simultaneous is not None
        found = [one.message for one in item.cautions if one.code == "HW807"]
        small = item.test.adjusted <= 0.05
        assert bool(found) == (item.low <= 0 <= item.high if small else item.simultaneous.low > 0)
        assert all("(Holm), and the 95 % CI contains 0" in text for text in found)
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
    assert said.endswith(f"CI contains 0: the test asks {asks}; {interval}.")


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
    (one,) = over(hw.compare, hw.CaseValues.from_arrays)(
        {"A": values, "B": [1.0] * 20}, groups=groups, **how
    )
    assert one.test is not None
    # The case of cluster 4 is the same for both.
    assert one.test.p_value == 2 / 2**5


def test_the_interval_of_equivalence_lies_within_that_of_the_verdict() -> None:
    (one,) = hw.compare({"A": RIGHT, "B": WRONG}, metric="correct", test="none")
    wider = (one.low - 0.1, one.high + 0.1)
    found = verdict(one, margin=0.9, equivalence=wider)
    assert found is not None
    assert (found.equivalence_low, found.equivalence_high) == (one.low, one.high)
    undefined = verdict(one, margin=0.9, equivalence=(np.nan, np.nan))
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
    with pytest.raises(hw.DataError, match="in no case does the metric apply for every model"):
        hw.compare(hw.CaseValues.from_table(pd.DataFrame(rows).assign(metric="dsc")))
