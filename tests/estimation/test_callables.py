"""A statistic of the user's own: any function of the values, and what can be wrong with it."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support import message, quickly

import halfwidth as hw

VALUES = np.array([*np.linspace(0.5, 0.95, 30), 0.1])
Sample = NDArray[np.float64]


def ask(statistic: Any, **options: Any) -> hw.Estimate:
    settings: dict[str, Any] = {"metric": "dsc", "rng": 1, "n_resamples": 499}
    return quickly(hw.summary_ci, VALUES, statistic=statistic, **(settings | options))


def midrange(values: Sample) -> float:
    return float(values.min() + values.max()) / 2


def vectorised_midrange(values: Sample, axis: int = -1) -> Any:
    return (values.min(axis=axis) + values.max(axis=axis)) / 2


def only_with_the_smallest(values: Sample) -> float:
    return float(values.mean()) if values.min() < 0.2 else math.nan


def only_without_the_smallest(values: Sample) -> float:
    return float(values.mean()) if values.min() > 0.2 else math.nan


def only_of_distinct_values(values: Sample) -> float:
    return float(values.mean()) if len(np.unique(values)) == len(values) else math.nan


def test_a_function_of_the_values_is_named_after_itself() -> None:
    e = ask(midrange)
    assert (e.statistic, e.method) == ("midrange", "percentile")
    assert e.value == pytest.approx(0.525)
    assert e.low <= e.value <= e.high
    assert e.subject == "midrange of DSC"


def test_one_that_takes_an_axis_gives_the_same_answer() -> None:
    one, other = ask(midrange), ask(vectorised_midrange)
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_it_is_asked_but_once_for_the_values_themselves(method: str) -> None:
    asked = 0

    def largest(values: Sample) -> float:
        nonlocal asked
        asked += np.array_equal(values, np.sort(VALUES))
        return float(values.max())

    ask(largest, method=method)
    assert asked == 1


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_every_bootstrap_takes_any_function(method: str) -> None:
    e = ask(lambda values: values.mean(), method=method)
    named = ask("mean", method=method)
    assert (e.low, e.high) == pytest.approx((named.low, named.high))


@pytest.mark.parametrize("function", [np.median, np.mean, functools.partial(np.quantile, q=0.3)])
def test_functions_of_numpy(function: Any) -> None:
    e = ask(function)
    assert e.value == pytest.approx(float(function(VALUES)))
    assert e.low < e.value < e.high


def test_a_lambda_is_called_a_statistic_in_prose() -> None:
    assert ask(lambda values: values.max()).sentence().startswith("Statistic of DSC 0.9")


@pytest.mark.parametrize("method", ["t", "exact", "wilson", "trimmed_t"])
def test_methods_for_a_statistic_they_know_are_refused(method: str) -> None:
    with pytest.raises(hw.OptionError, match="use auto, percentile, bca, bca_expanded, basic"):
        ask(midrange, method=method)


@pytest.mark.parametrize(
    "function",
    [
        lambda values: values,
        lambda values: values[:2],
        lambda values: np.quantile(values, [0.25, 0.75]),
        lambda values, axis: values.mean(),
        lambda values, axis: values,
    ],
)
def test_one_that_returns_more_or_less_than_a_number_is_refused(function: Any) -> None:
    with pytest.raises(hw.OptionError, match="to one number"):
        ask(function)


@pytest.mark.parametrize("function", [lambda values: "high", lambda values: {"mean": 1}])
def test_one_that_returns_no_number_is_refused(function: Any) -> None:
    with pytest.raises(hw.OptionError, match="number"):
        ask(function)


def test_an_error_inside_it_reaches_the_user_as_it_is() -> None:
    def fails(_: Sample) -> float:
        raise RuntimeError("my own mistake")

    with pytest.raises(RuntimeError, match="my own mistake"):
        ask(fails)


def test_undefined_resamples_are_counted_and_left_out() -> None:
    e = ask(only_with_the_smallest)
    assert 0 < e.n_undefined < 499
    assert message(e, "HW310").startswith(
        f"The only_with_the_smallest of DSC was undefined on {e.n_undefined} of 499 resamples"
    )
    assert e.low < e.value < e.high
    # A resample misses one given case with probability (1 - 1/31)^31 = 0.362; SD of the share
    # 0.0215, so that 5 SD are passed by chance once in 1.7 million.
    assert e.n_undefined / 499 == pytest.approx(0.362, abs=0.108)


def test_one_that_is_undefined_on_the_cases_themselves_has_no_interval() -> None:
    e = ask(only_without_the_smallest)
    assert math.isnan(e.value)
    assert math.isnan(e.low)
    assert math.isnan(e.high)
    assert "undefined" in message(e, "HW306")


def test_one_that_is_undefined_on_every_resample_has_no_interval() -> None:
    e = ask(only_of_distinct_values)
    assert e.value == pytest.approx(VALUES.mean())
    assert math.isnan(e.low)
    assert math.isnan(e.high)
    assert e.n_undefined == 499
    assert "undefined on every resample" in message(e, "HW306")


def test_one_that_is_undefined_everywhere_has_no_interval() -> None:
    e = ask(lambda values: math.nan)
    assert math.isnan(e.value)
    assert math.isnan(e.low)
    assert "undefined" in message(e, "HW306")


def test_bca_of_one_that_is_undefined_without_some_case_says_so() -> None:
    e = ask(only_with_the_smallest, method="bca")
    assert math.isnan(e.low)
    assert math.isnan(e.high)
    assert "vanishes" not in message(e, "HW306")
    assert "percentile" in message(e, "HW306")


def root_mean_square(values: Any, *, axis: int = -1) -> Any:
    return np.sqrt(np.mean(np.square(values), axis=axis))


def influence_on_root_mean_square(values: Any) -> Any:
    value = root_mean_square(values)[..., None]
    return (values**2 - value**2) / (2 * value)


def test_a_statistic_of_ones_own_with_an_influence_can_be_studentized() -> None:
    spec = hw.StatisticSpec("rms", "RMS", root_mean_square, influence=influence_on_root_mean_square)
    values = np.random.default_rng(0).random(40)
    e = hw.summary_ci(values, statistic=spec, method="studentized", rng=1)
    # By the delta method from the mean of squares.
    error = np.std(values**2, ddof=1) / np.sqrt(40) / (2 * e.value)
    assert e.standard_error == pytest.approx(error, rel=1e-12)
    assert e.low < e.value < e.high
    grouped = hw.summary_ci(
        values, statistic=spec, method="studentized", rng=1, groups=np.arange(40) // 4
    )
    assert grouped.design == "clustered"
    with pytest.raises(hw.OptionError, match="has no standard error"):
        hw.summary_ci(values, statistic=root_mean_square, method="studentized")


DICE = np.random.default_rng(0).beta(8, 2, 60)


@pytest.mark.parametrize(("function", "name"), [(np.mean, "mean"), (np.median, "median")])
def test_numpys_own_functions_are_ours(function: object, name: str) -> None:
    by_function = hw.summary_ci(DICE, metric="dsc", statistic=function, rng=1)
    by_name = hw.summary_ci(DICE, metric="dsc", statistic=name, rng=1)
    assert by_function.to_dict() == by_name.to_dict()
