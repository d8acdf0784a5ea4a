"""Values at the front door of a sample: degenerate, missing, infinite, no numbers, out of range."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from over_data import metric_ci
from scipy import stats
from support import codes, message, quickly, refusal

import halfwidth as hw

DICE = [0.91, 0.88, 0.93, 0.79, 0.90, 0.92, 0.86, 0.94, 0.89, 0.91]
NAN, INF = math.nan, math.inf
STATISTICS = ["mean", "median", "trimmed_mean", "sd", "iqr", "quantile:0.9"]


def ask(values: Any, **options: Any) -> hw.Estimate:
    return quickly(hw.summary_ci, values, **({"rng": 1, "n_resamples": 499} | options))


def complaint(values: Any, **options: Any) -> str:
    with pytest.raises(hw.HalfwidthError) as caught:
        ask(values, **options)
    text = str(caught.value)
    assert "\n" not in text
    assert "  " not in text, "a word is missing"
    return text


def has_no_interval(e: hw.Estimate) -> bool:
    return math.isnan(e.low) and math.isnan(e.high) and math.isnan(e.halfwidth)


# --------------------------------------------------------------------------- few or equal


@pytest.mark.parametrize("values", [[], (), np.array([]), pd.Series([], dtype=float)])
@pytest.mark.parametrize("missing", ["raise", "omit", "worst"])
def test_no_values(values: Any, missing: str) -> None:
    assert complaint(values, missing=missing, metric="dsc") == "values: no values given"


@pytest.mark.parametrize("statistic", STATISTICS)
def test_one_case_gives_a_value_and_no_interval(statistic: str) -> None:
    # The mean of a metric with finite bounds has one: see below.
    e = ask([0.9], metric="hd95" if statistic == "mean" else "dsc", statistic=statistic)
    assert has_no_interval(e)
    assert e.n == 1
    assert "HW306" in codes(e)
    if statistic == "sd":
        assert math.isnan(e.value)
    else:
        assert e.value == (0.0 if statistic == "iqr" else 0.9)


@pytest.mark.parametrize("method", ["t", "z", "hall", "bca", "percentile", "basic"])
def test_one_case_is_too_few_for_every_method_without_a_guarantee(method: str) -> None:
    e = ask([0.9], metric="dsc", method=method)
    assert has_no_interval(e)
    assert f"needs at least {hw.METHODS[method].min_n} cases and there is 1" in message(e, "HW306")


def test_one_case_is_enough_for_hoeffding() -> None:
    e = ask([0.9], metric="dsc", method="hoeffding")
    reach = math.sqrt(math.log(2 / 0.05) / 2)
    assert (e.low, e.high) == pytest.approx((0.9 - reach, 0.9 + reach))


@pytest.mark.parametrize("values", [[0.9], [0.9, 0.8], [0.9] * 12])
def test_few_or_equal_values_of_a_bounded_metric_leave_much_open(values: list[float]) -> None:
    e = ask(values, metric="dsc")
    assert e.method == "dirichlet"
    # What half a failure beside as many successes leaves open below, times the least value.
    least = stats.beta(len(values), 0.5).ppf(0.025) * min(values)
    assert least - 1e-9 <= e.low < min(values)
    assert max(values) < e.high < 1


def test_two_cases_without_bounds_give_a_t_interval_and_two_distances_none() -> None:
    distances = ask([0.9, 0.8], metric="hd95")
    assert has_no_interval(distances)
    assert "needs at least 3 cases and there are 2; t works from 2" in message(distances, "HW306")
    e = ask([0.9, 0.8])
    assert e.method == "t"
    assert e.low == pytest.approx(0.85 - 12.706204736174694 * 0.05)
    assert e.high == pytest.approx(0.85 + 12.706204736174694 * 0.05)


@pytest.mark.parametrize("method", ["hall", "bca"])
def test_two_cases_are_too_few_for_a_skewness(method: str) -> None:
    e = ask([0.9, 0.8], metric="dsc", method=method)
    assert has_no_interval(e)
    assert "needs at least 3 cases and there are 2; t works from 2" in message(e, "HW306")


def test_equal_values_of_an_unbounded_metric_give_no_width_and_say_so() -> None:
    e = ask([2.5] * 12, metric="hd95")
    assert (e.low, e.value, e.high) == (2.5, 2.5, 2.5)
    assert "all values of 12 cases are equal" in message(e, "HW304")


@pytest.mark.parametrize("values", [[0.9] * 12, [0.1 + 0.2] * 60, [1.0] * 5])
def test_bca_of_equal_values_is_undefined_and_names_an_alternative(values: list[float]) -> None:
    e = ask(values, metric="dsc", method="bca")
    assert has_no_interval(e)
    assert e.value == values[0]
    assert message(e, "HW306").endswith("all values are equal; hoeffding is defined.")
    e = ask(values, metric="hd95", method="bca")
    assert message(e, "HW306").endswith("all values are equal; percentile is defined.")


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("method", ["percentile", "basic"])
def test_other_bootstraps_of_equal_values_have_no_width(statistic: str, method: str) -> None:
    e = ask([0.3] * 12, metric="dsc", statistic=statistic, method=method)
    assert e.low == e.high == e.value == (0.0 if statistic in ("sd", "iqr") else 0.3)
    assert "HW304" in codes(e)


def test_equal_order_statistics_have_no_width_and_say_why() -> None:
    e = ask([0.5] * 20 + [0.1, 0.9], metric="dsc", statistic="median")
    assert e.low == e.high == 0.5
    assert "both bounds fall on tied values" in message(e, "HW304")


# --------------------------------------------------------------------------- missing


def test_missing_values_raise_with_their_number_the_first_cases_and_the_policies() -> None:
    text = complaint([0.9, NAN, 0.8, NAN, NAN, NAN], metric="dsc")
    assert text.startswith("values: 4 of 6 values are missing (case")
    assert " #2, #4, #5, ...)" in text
    assert "'omit'" in text
    assert "'worst'" in text
    assert "penalty" not in text


def test_three_missing_values_are_all_named() -> None:
    assert " #1, #3, #4)" in complaint([NAN, 1.0, NAN, NAN])


def test_missing_values_of_a_metric_without_a_worst_value_ask_for_a_penalty() -> None:
    text = complaint([1.0, NAN], metric="hd95")
    assert "'worst'" in text
    assert "penalty" in text


@pytest.mark.parametrize(
    "values",
    [
        [0.9, None, 0.8, 0.7],
        [0.9, NAN, 0.8, 0.7],
        pd.Series([0.9, None, 0.8, 0.7], dtype="Float64"),
        pd.Series([0.9, pd.NA, 0.8, 0.7], dtype=object),
        np.ma.masked_array([0.9, 0.1, 0.8, 0.7], mask=[False, True, False, False]),
    ],
    ids=["None", "NaN", "nullable", "NA", "masked"],
)
def test_every_kind_of_missing_value_is_one(values: Any) -> None:
    assert "1 of 4 values are missing (case #2)" in complaint(values)
    e = ask(values, missing="omit")
    assert (e.n, e.n_missing) == (3, 1)
    assert e.value == pytest.approx(0.8)


def test_omit_equals_the_values_that_are_there_and_is_recorded() -> None:
    e = ask([*DICE, NAN, NAN], metric="dsc", missing="omit")
    without = ask(DICE, metric="dsc")
    assert (e.value, e.low, e.high, e.n) == (without.value, without.low, without.high, 10)
    assert (e.n_missing, e.missing) == (2, "omit")
    assert message(e, "HW101") == "2 of 12 values missing: left out."


def test_worst_equals_the_worst_value_put_in_and_is_recorded() -> None:
    e = ask([*DICE, NAN, NAN], metric="dsc", missing="worst")
    put_in = ask([*DICE, 0.0, 0.0], metric="dsc")
    assert (e.value, e.low, e.high, e.n) == (put_in.value, put_in.low, put_in.high, 12)
    assert (e.n_missing, e.missing) == (2, "worst")
    assert message(e, "HW101") == "2 of 12 values missing: counted as the worst value."


def test_worst_of_a_distance_needs_a_penalty() -> None:
    text = complaint([1.0, NAN], metric="hd95", missing="worst")
    assert text.startswith("missing='worst' needs a penalty: HD95 (range")
    assert "penalty" in text.rpartition(";")[2]


def test_worst_of_unnamed_values_needs_a_penalty_and_says_so_in_whole_words() -> None:
    text = complaint([1.0, NAN], missing="worst")
    assert "needs a penalty" in text
    assert "unstated" not in text


def test_a_penalty_is_put_in_for_missing_distances() -> None:
    e = ask([1.0, 2.0, 3.0, NAN], metric="hd95", missing="worst", penalty=50)
    assert (e.value, e.n, e.n_missing) == (14.0, 4, 1)


def test_a_penalty_is_in_the_unit_after_scaling() -> None:
    e = ask([90, 80, NAN], metric="dsc", scale=100, missing="worst", penalty=0.1)
    assert e.value == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("metric", "penalty"),
    [("dsc", 3), ("dsc", -0.1), ("hd95", -1), ("hd95", INF), ("hd95", NAN), ("dsc", "worst")],
)
def test_a_penalty_that_cannot_be_a_value_is_refused(metric: str, penalty: Any) -> None:
    text = complaint([0.5, NAN], metric=metric, missing="worst", penalty=penalty)
    assert text.startswith("penalty=")


@pytest.mark.parametrize("missing", ["raise", "omit"])
@pytest.mark.parametrize("penalty", [50, 0.5])
def test_a_penalty_without_worst_is_refused(missing: str, penalty: Any) -> None:
    assert "missing='worst'" in complaint([1.0], missing=missing, penalty=penalty, metric="hd95")


def test_nothing_left_after_omitting() -> None:
    assert complaint([NAN, NAN], missing="omit") == "values: no values left"


def test_nothing_but_failures_is_an_estimate() -> None:
    e = ask([NAN] * 3, metric="dsc", missing="worst")
    assert (e.value, e.n, e.n_missing) == (0.0, 3, 3)
    assert e.low <= 0.0 < e.high


def test_a_missing_value_does_not_hide_one_out_of_range() -> None:
    assert "outside the range" in complaint([0.5, NAN, 1.5], metric="dsc", missing="omit")


# --------------------------------------------------------------------------- infinite


@pytest.mark.parametrize(("value", "metric"), [(INF, "dsc"), (-INF, "dsc"), (-INF, "hd95")])
@pytest.mark.parametrize("missing", ["raise", "omit", "worst"])
def test_an_infinity_beyond_a_finite_bound_is_out_of_range(
    value: float, metric: str, missing: str
) -> None:
    text = complaint([0.5, 0.7, value], metric=metric, missing=missing, penalty=None)
    assert "1 of 3 values lie outside the range" in text


@pytest.mark.parametrize(("value", "metric"), [(INF, None), (-INF, None), (INF, "hd95")])
def test_infinite_values_raise_without_a_policy(value: float, metric: str | None) -> None:
    text = complaint([0.5, 0.7, value, NAN], metric=metric)
    assert "2 of 4 values are missing or infinite (1 infinite) (case" in text
    assert " #3, #4)" in text


def test_infinite_values_follow_the_policy_and_are_told_apart() -> None:
    e = ask([1.0, 2.0, 3.0, INF, NAN], metric="hd95", missing="omit")
    assert (e.n, e.n_missing) == (3, 2)
    assert message(e, "HW101") == "2 of 5 values missing (1 of them infinite): left out."
    e = ask([1.0, 2.0, 3.0, INF], metric="hd95", missing="worst", penalty=10)
    assert e.value == 4.0


# --------------------------------------------------------------------------- no numbers


@pytest.mark.parametrize(
    "values",
    [
        0.5,
        "0.5",
        b"0.5",
        None,
        {"a": 0.5},
        {0.5, 0.6},
        (v for v in DICE),
        [[0.5, 0.6], [0.7, 0.8]],
        [[0.5, 0.6], [0.7]],
        np.zeros((2, 3)),
        pd.DataFrame({"dice": DICE}),
    ],
    ids=lambda values: type(values).__name__,
)
def test_what_is_not_one_number_per_case(values: Any) -> None:
    assert "one number per case" in complaint(values)


@pytest.mark.parametrize(
    "values", [[0.9, "oops", 0.8], ["0.9", "oops", "0.8"], np.array(["0.9", "oops", "0.8"])]
)
def test_text_among_numbers_names_the_case_that_is_no_number(values: Any) -> None:
    assert complaint(values) == "values: case #2 holds 'oops', which is not a number"


def test_text_in_a_series_names_the_case_that_is_no_number() -> None:
    text = complaint(pd.Series([0.9, "oops"], dtype=object))
    assert text == "values: case #2 holds 'oops', which is not a number"


def test_decimal_commas_are_recognised() -> None:
    text = complaint(["0,91", "0,88"])
    assert "'0,91', which is not a number; write decimals with a point, or say" in text


@pytest.mark.parametrize("cell", ["1,234.5", "1.234,5", "1,234,567"])
def test_separators_of_thousands_are_recognised(cell: str) -> None:
    assert complaint([cell, "2"]).endswith("write numbers without separators of thousands")


def test_per_cent_signs_are_recognised() -> None:
    text = complaint(pd.Series(["91%", "88%"], dtype=object), metric="dsc")
    assert "'91%'" in text
    assert "scale=100" in text


@pytest.mark.parametrize(
    "values",
    [
        [1j, 2.0],
        [dt.date(2020, 1, 1)],
        np.array(["2020-01-01"], dtype="datetime64[D]"),
        [[]],
        [object()],
        [{}, {}],
    ],
)
def test_other_things_are_refused(values: Any) -> None:
    assert complaint(values).startswith("values: ")


@pytest.mark.parametrize(
    "values",
    [
        tuple(DICE),
        np.array(DICE),
        np.array(DICE, dtype=object),
        np.array(DICE)[::-1],
        pd.Series(DICE, index=list("abcdefghij")),
        pd.Series(DICE, dtype="Float64"),
        pd.array(DICE, dtype="Float64"),
    ],
    ids=lambda values: type(values).__name__,
)
def test_arrays_of_many_kinds_and_any_order_give_the_same_estimate(values: Any) -> None:
    e, expected = (ask(v, metric="dsc", method="bca") for v in (values, DICE))
    assert (e.value, e.low, e.high) == (expected.value, expected.low, expected.high)


def test_values_are_not_changed_in_place() -> None:
    values = np.array([0.9, 0.1, NAN, 0.5])
    before = values.copy()
    ask(values, missing="worst", metric="dsc", scale=1)
    np.testing.assert_array_equal(values, before)


@pytest.mark.parametrize("values", [[True, False, True, True], [1, 0, 1, 1], [1.0, 0.0, 1.0, 1.0]])
def test_right_and_wrong_are_a_proportion(values: Any) -> None:
    e, known = ask(values), hw.proportion_ci(3, 4)
    assert (e.method, e.value, e.low, e.high) == ("wilson", known.value, known.low, known.high)


def test_all_right_is_a_proportion_where_the_values_say_so() -> None:
    for e in (ask([True] * 5), ask([1] * 5, metric="correct")):
        assert (e.method, e.value) == ("wilson", 1.0)
        assert e.low < 1


# --------------------------------------------------------------------------- out of range


def test_values_out_of_range_name_their_number_and_the_first_case() -> None:
    text = complaint([0.5, 1.2, 0.5, -0.1], metric="dsc")
    assert text == ("values: 2 of 4 values lie outside the range [0, 1] of DSC (case #2: 1.2)")


@pytest.mark.parametrize("metric", ["dsc", "nsd", "sensitivity", "iou"])
def test_values_in_per_cent_get_a_hint(metric: str) -> None:
    text = complaint([91.0, 88.0, 93.5], metric=metric)
    assert text.endswith("They look like per cent: use scale=100")


def test_per_cent_values_with_the_scale_equal_shares() -> None:
    e = ask([100 * v for v in DICE], metric="dsc", scale=100, method="t")
    expected = ask(DICE, metric="dsc", method="t")
    assert (e.value, e.low, e.high) == pytest.approx((expected.value, expected.low, expected.high))


@pytest.mark.parametrize(
    ("values", "options"),
    [
        ([0.5, 1.2], {"metric": "dsc"}),
        ([-3.0, 91.0], {"metric": "dsc"}),
        ([910.0, 88.0], {"metric": "dsc"}),
        ([910.0, 88.0], {"metric": "dsc", "scale": 100}),
        ([1.0, -2.0], {"metric": "hd95"}),
        ([0.5, 20.0], {"metric": "score", "bounds": (0, 10)}),
    ],
)
def test_other_values_out_of_range_get_no_hint(values: Any, options: dict[str, Any]) -> None:
    text = complaint(values, **options)
    assert "outside the range" in text
    assert "per cent" not in text


def test_codes_of_sites_are_no_values() -> None:
    text = complaint([0, 3, 9, 7], metric="dsc")
    assert text.endswith("name the columns that hold values (value=)")


def test_rounding_at_the_end_of_the_range_is_forgiven() -> None:
    assert ask([1 + 1e-12, 0.5, 0.7], metric="dsc").n == 3
    assert "outside" in complaint([1 + 1e-6, 0.5, 0.7], metric="dsc")


def test_right_or_wrong_takes_0_and_1_only() -> None:
    text = complaint([1, 0, 0.5], metric="correct")
    assert "1 of 3 values lie outside 0 and 1 of correct (case #3: 0.5)" in text
    assert text.endswith("It takes 1 for a case that is right and 0 for one that is not")


def test_bounds_of_ones_own_replace_those_of_the_metric() -> None:
    assert ask([0.1, 0.3, 0.2], metric="dsc", bounds=(0, 0.4)).n == 3
    assert "outside the range [0, 0.4]" in complaint([0.5], metric="dsc", bounds=(0, 0.4))


@pytest.mark.parametrize(
    ("bounds", "advice"),
    [((-1, 2), "give narrower ones"), ((0, 100), "scale=100"), ((0.5, 1.5), "give narrower ones")],
)
def test_bounds_beyond_those_of_the_metric_are_refused(bounds: Any, advice: str) -> None:
    text = complaint([0.5, 0.7], metric="dsc", bounds=bounds)
    assert "reaches beyond the range of DSC, [0, 1]: " in text
    assert advice in text
    assert "reaches beyond the range of HD95" in complaint([1.0], metric="hd95", bounds=(-1, 9))


def test_a_penalty_that_is_no_number_is_refused() -> None:
    for missing in ("raise", "worst"):
        with pytest.raises(hw.OptionError, match="penalty='50' is not a number"):
            hw.summary_ci([1.0], metric="hd95", missing=missing, penalty="50")  # type: ignore[arg-type]


def test_values_whose_squares_overflow_are_refused() -> None:
    assert "too large to be squared" in complaint([1.0, 2.0, 1e300])
    assert ask([1.0, 2.0, 1e100]).high > 1e100


TRUTH = [0, 1] * 5


HUGE = 10**400


COMPLEX = {
    "an array": np.array(DICE) * (1 + 1j),
    "a list": [x + 1j for x in DICE],
    "one among others": [*DICE[1:], 0.5 + 1j],
    "objects": np.array([*DICE[1:], 1j], dtype=object),
    "masked": np.ma.masked_array(np.array(DICE) * 1j, [False] * 9 + [True]),
    "a series": pd.Series(np.array(DICE) * 1j),
    "without an imaginary part": np.array(DICE) + 0j,
}


TAKERS: dict[str, Callable[[Any], Any]] = {
    "summary_ci": hw.summary_ci,
    "difference_ci": lambda v: hw.difference_ci(DICE, v),
    "runs_ci": hw.runs_ci,
    "summary_table": lambda v: hw.estimate(hw.CaseValues.from_table({"dice": v}, "dice")),
    "metric_ci, scores": lambda v: hw.metric_ci(TRUTH, v, metric="auroc"),
    "metric_ci, numbers": lambda v: hw.metric_ci(DICE, v, metric="rmse"),
    "metric_ci, targets": lambda v: hw.metric_ci(v, DICE, metric="rmse"),
    "metric_ci, columns": lambda v: hw.metric_ci(
        TRUTH, np.stack([np.asarray(v), np.asarray(v)], axis=1), metric="auroc"
    ),
    "metric_ci, weights": lambda v: hw.metric_ci(TRUTH, DICE, metric="auroc", sample_weight=v),
    "curve": lambda v: hw.curve(TRUTH, "roc", y_score=v),
    "confusion_ci": lambda v: hw.confusion_ci(TRUTH, v),
    "plan": lambda v: hw.plan(v, halfwidth=0.05),
    "subsample": hw.planning.subsample,
    "auroc": lambda v: hw.metrics.auroc(TRUTH, v),
    "average_precision": lambda v: hw.metrics.average_precision(TRUTH, v),
    "squared_error": lambda v: hw.metrics.squared_error(DICE, v),
    "absolute_error": lambda v: hw.metrics.absolute_error(v, DICE),
    "distribution.frame": lambda v: hw.plots.distribution.frame({"": v}, hw.summary_ci(DICE)),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", COMPLEX)
@pytest.mark.parametrize("taker", TAKERS)
def test_complex_numbers_are_refused_wherever_values_enter(taker: str, kind: str) -> None:
    refusal(lambda: TAKERS[taker](COMPLEX[kind]))


def test_complex_options_are_refused() -> None:
    for option in ("confidence_level", "scale", "n_resamples"):
        assert option in complaint(DICE, **{option: np.complex128(0.9)})
    assert "penalty" in complaint(DICE, penalty=np.complex128(1), missing="worst")
    assert "bounds" in complaint(DICE, bounds=(0, np.complex128(1)))
    odd: Any = np.complex128(0.5)
    text = refusal(lambda: hw.metric_ci(TRUTH, DICE, metric="f1", threshold=odd))
    assert "threshold" in text
    costs = np.eye(2) * 1j
    assert "costs" in refusal(lambda: metric_ci(TRUTH, DICE, metric="expected_cost", costs=costs))


def test_functions_of_ones_own_return_real_numbers() -> None:
    assert "complex" in complaint(DICE, statistic=lambda v, axis: np.mean(v, axis=axis) * 1j)
    assert "complex" in refusal(
        lambda: hw.metric_ci(TRUTH, DICE, metric=lambda _t, _s: np.complex128(1j))
    )


@pytest.mark.parametrize("method", ["basic", "percentile", "bca", "studentized", "wilson", "auto"])
@pytest.mark.parametrize("n", [10**12 + 1, 10**18, 10**30, HUGE])
def test_more_cases_than_anybody_has_are_refused(n: int, method: str) -> None:
    text = refusal(lambda: hw.proportion_ci(2, n, method=method))
    assert "is beyond 1e+12 cases, which nobody has" in text


@pytest.mark.parametrize("method", ["basic", "percentile", "wilson"])
def test_very_many_cases_have_an_interval(method: str) -> None:
    n = 10**9
    e = hw.proportion_ci(n // 10, n, method=method)
    # 1.96 √(0.1 · 0.9 / n) on either side, by the normal distribution.
    assert (e.high - e.low) / (2 * 1.959964 * 0.3 / math.sqrt(n)) == pytest.approx(1, abs=0.01)
    assert e.low < e.value < e.high


@pytest.mark.parametrize("value", [True, 2.5, "2", None, 2 + 0j, math.nan, Decimal(2)])
def test_counts_are_whole_numbers(value: Any) -> None:
    assert "is not a whole number" in refusal(lambda: hw.proportion_ci(value, 10))
    assert "is not a whole number" in refusal(lambda: hw.proportion_ci(1, value))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([5e-324 * k for k in range(10)], "differ by too little to be squared"),
        ([1e-300, 4e-300, 5e-300], "differ by too little to be squared"),
        ([1e308] * 5 + [-1e308] * 5, "too large to be squared"),
        ([HUGE, 1, 2], "too large for floating point"),
        ([0.5, np.array([1]), 0.5], ""),
    ],
)
def test_numbers_that_floating_point_has_no_room_for(values: Any, words: str) -> None:
    assert words in complaint(values)


def test_a_spread_that_the_scale_makes_vanish() -> None:
    assert "differ by too little" in complaint(DICE, scale=1e308)
    assert "is too small" in complaint(DICE, scale=1e-320)
    assert "differences" in refusal(lambda: hw.difference_ci([0.0, 1e-99], [1e-101, 1e-99]))


def test_numbers_of_every_exact_kind_are_numbers() -> None:
    plain = hw.summary_ci(DICE)
    for kind in (Decimal, Fraction):
        level: Any = kind("0.95")
        exact = hw.summary_ci([kind(str(x)) for x in DICE], confidence_level=level)
        assert (exact.low, exact.high) == (plain.low, plain.high)
    short: Any = np.float32(0.95)
    single = hw.summary_ci(DICE, confidence_level=short)
    assert single.confidence_level == 0.95
    assert "95 % CI" in single.sentence()


def test_a_signalling_nan_is_a_missing_value() -> None:
    assert "1 of 2 values are missing" in complaint([Decimal("sNaN"), Decimal(1)])


def test_masked_text_is_no_number() -> None:
    assert "holds 'b', which is not a number" in complaint(
        np.ma.masked_array(["a", "b"], [True, False])
    )


def test_the_most_cases_have_an_interval() -> None:
    assert hw.proportion_ci(10**11, 10**12).sentence().startswith("Proportion 0.1000000 (95 % CI")


def test_numbers_beyond_all_digits_are_powers_of_ten() -> None:
    e = hw.summary_ci([x * 1e99 for x in DICE])
    assert len(e.sentence()) < 150
    assert "e+98" in e.sentence()


@pytest.mark.parametrize(("bounds", "hint"), [((50, 100), "bounds 0.5,1"), ((96, 100), None)])
def test_bounds_in_the_unit_before_scaling(bounds: tuple[float, float], hint: str | None) -> None:
    with pytest.raises(hw.DataError, match="lie outside the range") as error:
        hw.summary_ci([85.0, 90.0, 95.0], metric="score", scale=100, bounds=bounds)
    assert ("did you mean" in str(error.value)) is (hint is not None)
    assert hint is None or hint in str(error.value)
    with pytest.raises(
        hw.OptionError, match=r"beyond the range of DSC, \[0, 1\]: .*scale=100.*bounds=\(0."
    ):
        hw.summary_ci([85.0, 90.0, 95.0], metric="dsc", bounds=bounds)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: hw.summary_ci(["0.91", "0.88"]), "not a number but text; convert the values"),
        (
            lambda: hw.summary_ci(pd.DataFrame({"dice": [0.9]})),
            "give the table to CaseValues.from_table",
        ),
        (
            lambda: hw.estimate(hw.CaseValues.from_table("dice.csv")),
            "cases are read by halfwidth.read",
        ),
        (lambda: hw.summary_ci([0.9, 0.8], metric="auroc"), "metric_ci (y_true=, y_score=)"),
    ],
)
def test_first_slips_are_told_what_to_do(call: Callable[[], object], words: str) -> None:
    with pytest.raises(hw.HalfwidthError) as error:
        call()
    assert words in str(error.value)


def test_a_pair_of_equal_values_has_an_interval_too() -> None:
    e = hw.summary_ci([0.5, 0.5], metric="dsc")
    assert e.method == "dirichlet"
    assert e.low < 0.5 < e.high
