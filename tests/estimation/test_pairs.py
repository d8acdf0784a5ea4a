"""Differences between two models on the same cases."""

from __future__ import annotations

import json
import math
import pickle
from typing import Any

import numpy as np
import pytest
from support import codes, message

import halfwidth as hw
from halfwidth.core.types import Array
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan

RNG = np.random.default_rng(5)
HARD = RNG.normal(size=60)
FIRST = np.clip(0.85 + 0.08 * HARD + 0.02 * RNG.normal(size=60), 0, 1)
SECOND = np.clip(0.83 + 0.08 * HARD + 0.02 * RNG.normal(size=60), 0, 1)
PATIENT = np.arange(60) // 3
NAMES = ["mean", "median", "sd", "trimmed_mean", "iqr", "quantile:0.9"]


def difference(**options: Any) -> hw.Estimate:
    return hw.difference_ci(FIRST, SECOND, metric="dsc", rng=1, **options)


@pytest.mark.parametrize("name", NAMES)
def test_the_value_is_the_difference_of_the_statistics(name: str) -> None:
    apart = [
        hw.summary_ci(v, statistic=name, method="percentile", n_resamples=99).value
        for v in (FIRST, SECOND)
    ]
    e = difference(statistic=name, n_resamples=99, method="percentile")
    assert e.value == pytest.approx(apart[0] - apart[1], abs=1e-15)
    assert (e.design, e.n, e.n_groups) == ("paired", 60, None)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_a_pair_stays_a_pair_in_every_resample(name: str, method: str) -> None:
    # By hand: draw positions of pairs in their canonical order, reduce both sides, subtract.
    order = np.lexsort((SECOND, FIRST)) if name != "mean" else np.argsort(FIRST - SECOND)
    draws = Plan(1, 499).indices(Design.iid(60), 0, 499)
    statistic = resolve_statistic(name)
    by_hand = statistic(FIRST[order][draws]) - statistic(SECOND[order][draws])
    e = difference(statistic=name, method=method, n_resamples=499)
    low, high = np.quantile(by_hand, [0.025, 0.975])
    if method == "basic":
        low, high = 2 * e.value - high, 2 * e.value - low
    if method == "bca":
        assert by_hand.min() <= e.low < e.value < e.high <= by_hand.max()
    else:
        assert [e.low, e.high] == pytest.approx([low, high], rel=1e-9)
    assert e.standard_error == pytest.approx(by_hand.std(ddof=1), rel=1e-9)


def test_pairing_shortens_the_interval_where_cases_are_hard_for_both() -> None:
    paired = difference(statistic="median")
    apart = [hw.summary_ci(v, metric="dsc", statistic="median").width for v in (FIRST, SECOND)]
    assert paired.width < 0.7 * math.hypot(*apart)


@pytest.mark.parametrize("method", ["t", "hall", "percentile", "bca", "studentized", "z"])
def test_a_difference_of_means_is_the_mean_of_differences(method: str) -> None:
    e = difference(method=method)
    d = hw.summary_ci(FIRST - SECOND, bounds=(-1, 1), method=method, rng=1)
    assert (e.value, e.low, e.high) == (d.value, d.low, d.high)
    assert e.method == d.method


@pytest.mark.parametrize("name", ["mean", "median", "sd"])
def test_the_order_of_cases_does_not_matter(name: str) -> None:
    order = np.random.default_rng(2).permutation(60)
    e = difference(statistic=name, groups=PATIENT)
    other = hw.difference_ci(
        FIRST[order],
        SECOND[order],
        metric="dsc",
        statistic=name,
        groups=[f"p{p}" for p in PATIENT[order]],
        rng=1,
    )
    assert (e.value, e.low, e.high) == (other.value, other.low, other.high)


@pytest.mark.parametrize("name", ["mean", "median", "trimmed_mean"])
def test_clusters_of_pairs(name: str) -> None:
    e = difference(statistic=name, groups=PATIENT)
    assert (e.design, e.n_groups, e.n) == ("clustered", 20, 60)
    pairs = hw.CaseValues.from_arrays(
        {"A": FIRST, "B": SECOND}, metric="dsc", groups=PATIENT, over="clusters"
    )
    (over,) = hw.compare(pairs, statistic=name, rng=1)
    means = [side.reshape(20, 3).mean(axis=1) for side in (FIRST, SECOND)]
    (alone,) = hw.compare(dict(zip("AB", means, strict=True)), metric="dsc", statistic=name, rng=1)
    assert over.value == pytest.approx(alone.value, rel=1e-12)
    # Clusters come in another order than their means, and so in other resamples.
    resampled = name == "trimmed_mean"
    assert over.low == pytest.approx(alone.low, rel=0.05 if resampled else 1e-12)
    e = over.estimate
    assert (e.design, e.over, e.n) == ("clustered", "clusters", 60)


def test_the_studentized_bootstrap_takes_the_error_of_the_difference() -> None:
    e = difference(statistic="trimmed_mean:0.1", method="studentized")
    cut = 6
    winsorised = [np.clip(v, np.sort(v)[cut], np.sort(v)[-cut - 1]) for v in (FIRST, SECOND)]
    z: Array = winsorised[0] - winsorised[1]
    assert e.standard_error == pytest.approx(z.std(ddof=1) / 0.8 / np.sqrt(60), rel=1e-10)
    assert e.low < e.value < e.high


def test_a_spread_and_a_quantile_have_no_closed_methods_for_pairs() -> None:
    for name, method in (("median", "exact"), ("trimmed_mean", "trimmed_t"), ("iqr", "t")):
        with pytest.raises(hw.OptionError, match="use auto, percentile"):
            difference(statistic=name, method=method)


def test_a_missing_value_takes_its_pair_with_it() -> None:
    first, second = FIRST.copy(), SECOND.copy()
    first[3], second[7] = np.nan, np.nan
    with pytest.raises(hw.DataError, match=r"1 of 60 values are missing \(case #4\)"):
        hw.difference_ci(first, second, metric="dsc")
    e = hw.difference_ci(first, second, metric="dsc", missing="omit", rng=1)
    kept = np.delete(np.arange(60), [3, 7])
    full = hw.difference_ci(FIRST[kept], SECOND[kept], metric="dsc", rng=1)
    assert (e.n, e.n_missing, e.low, e.high) == (58, 2, full.low, full.high)
    assert codes(e) == ["HW101"]
    worst = hw.difference_ci(first, second, metric="dsc", missing="worst", rng=1)
    assert (worst.n, worst.n_missing) == (60, 2)
    assert worst.value == pytest.approx(
        (np.nan_to_num(first) - np.nan_to_num(second)).mean(), rel=1e-12
    )


def test_sides_of_different_length_are_refused() -> None:
    with pytest.raises(hw.DataError, match=r"differ in length \(60 and 59\)"):
        hw.difference_ci(FIRST, SECOND[1:], metric="dsc")


def test_values_out_of_range_are_refused_on_either_side() -> None:
    with pytest.raises(hw.DataError, match="other: 1 of 60 values lie outside"):
        hw.difference_ci(FIRST, np.r_[SECOND[1:], 1.5], metric="dsc")


def test_equal_models_differ_by_nothing() -> None:
    e = hw.difference_ci(FIRST, FIRST, metric="dsc", statistic="median", rng=1)
    assert (e.value, e.low, e.high) == (0.0, 0.0, 0.0)
    assert "HW304" in codes(e)


def test_the_result_says_that_it_is_a_difference() -> None:
    e = difference(statistic="quantile:0.9")
    assert e.sentence().startswith("Difference in 0.9 quantile of DSC ")
    assert "paired percentile bootstrap" in e.sentence()
    row = json.loads(e.to_json())["estimates"][0]
    assert (row["statistic"], row["design"], row["parameters"]) == (
        "quantile_difference",
        "paired",
        {"q": 0.9},
    )
    assert pickle.loads(pickle.dumps(e)).to_dict() == e.to_dict()  # noqa: S301


def test_bounds_stay_within_what_a_difference_can_be() -> None:
    e = hw.difference_ci([1.0, 0.99, 1.0, 0.2], [0.0, 0.0, 0.9, 0.0], metric="dsc", rng=1)
    assert -1 <= e.low < e.high <= 1


def test_a_pair_out_of_range_is_refused_even_where_it_would_be_left_out() -> None:
    with pytest.raises(hw.DataError, match="values: 1 of 3 values lie outside"):
        hw.difference_ci([0.9, 7, 0.8], [0.9, math.nan, 0.7], metric="dsc", missing="omit")


def test_infinite_values_of_pairs_are_counted() -> None:
    first, second = [2.0, math.inf, 3.0, 4.0], [1.0, 5.0, math.nan, 2.0]
    e = hw.difference_ci(first, second, metric="hd95", missing="omit")
    assert (e.n, e.n_missing) == (2, 2)
    assert "1 of them infinite" in message(e, "HW101")
