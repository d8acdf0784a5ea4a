"""Differences of medians and quantiles of so few cases that no interval of the level exists."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from support import codes, message

import halfwidth as hw
from halfwidth.core.types import Array, Level
from halfwidth.intervals.ranks import attainable_of_differences, minimum_n


def models(n: int, count: int = 3) -> dict[str, Array]:
    """Clearly apart, on cases that are hard for all of them."""
    rng = np.random.default_rng(n)
    hard = rng.normal(0.7, 0.08, n)
    return {f"m{k}": hard + 0.06 * k + rng.normal(0, 0.01, n) for k in range(count)}


@pytest.mark.parametrize(("n", "level"), [(3, 0.75), (4, 0.875), (5, 0.9375), (6, 0.95)])
def test_the_level_is_the_one_that_so_many_cases_attain(n: int, level: float) -> None:
    first, second, _ = models(n).values()
    e = hw.difference_ci(first, second, metric="dsc", statistic="median", rng=1)
    assert e.confidence_level == level
    assert e.method == ("percentile" if n == 6 else "percentile_attained")
    assert ("HW308" in codes(e)) == (n < 6)
    if n < 6:
        assert f"reach {100 * level:g} %" in message(e, "HW308")
        assert "for the difference in median" in message(e, "HW308")
        assert "6 cases would do" in message(e, "HW308")


def test_a_bound_on_one_side_needs_values_on_both() -> None:
    """Of A - B the lower bound is the lower one of A less the upper one of B."""
    level = Level(0.975, "lower")
    assert attainable_of_differences(10, 0.9, level) == pytest.approx(1 - 0.9**10)
    assert attainable_of_differences(5, 0.5, level) == pytest.approx(1 - 0.5**5)
    assert minimum_n(0.9, level, attainable_of_differences) == math.ceil(
        math.log(0.025) / math.log(0.9)
    )


def test_of_an_outer_quantile_there_may_be_no_interval() -> None:
    first, second, _ = models(5).values()
    e = hw.difference_ci(first, second, metric="dsc", statistic="quantile:0.9", rng=1)
    assert math.isnan(e.low)
    assert math.isnan(e.high)
    assert "from 29 cases on" in message(e, "HW306")


@pytest.mark.parametrize(("n", "count", "known"), [(5, 2, False), (5, 3, False), (7, 3, True)])
def test_an_interval_of_another_level_settles_nothing(n: int, count: int, known: bool) -> None:
    """All three hold together from 7 cases on: 1 - 2 · 2^-7 is just above 1 - .05/3."""
    result = hw.compare(models(n, count), metric="dsc", statistic="median", rng=1)
    for item in result:
        assert item.estimate.high < 0
        word = item.verdict and item.verdict.word
        assert word == ("worse" if known else "too few pairs")
        if count > 2:
            assert item.simultaneous is not None
            assert math.isnan(item.simultaneous.low) == (not known)
    (ranking,) = hw.rank(models(n, count), metric="dsc", statistic="median", rng=1)
    sizes = {one.rank_set.high - one.rank_set.low + 1 for one in ranking.models}
    assert sizes == ({1} if known else {count})


@pytest.mark.slow
def test_it_covers_as_often_as_it_says() -> None:
    """A false alarm in 30 000 runs if it covers exactly 87.5 %."""
    rng, samples, held = np.random.default_rng(8), 400, 0
    for _ in range(samples):
        hard = rng.normal(size=4)
        pair = 0.5 + 0.05 * (hard + 0.7 * rng.normal(size=(2, 4)))
        e = hw.difference_ci(*pair, metric="dsc", statistic="median", rng=1, n_resamples=999)
        held += e.low <= 0 <= e.high
    assert held >= stats.binom.ppf(1 / 30_000, samples, 0.875)


def test_by_name_it_is_the_plain_one_where_the_cases_are_enough() -> None:
    first, second, _ = models(40).values()

    def ends(method: str) -> tuple[float, float]:
        e = hw.difference_ci(
            first,
            second,
            metric="dsc",
            statistic="median",
            method=method,
            confidence_level=0.9,
            rng=1,
        )
        return e.low, e.high

    assert ends("percentile_attained") == ends("percentile")
    with pytest.raises(hw.OptionError, match="makes no interval"):
        hw.difference_ci(first, second, statistic="sd", method="percentile_attained")


def test_no_other_quantity_of_two_samples_has_that_method() -> None:
    truth, said = [0, 1] * 20, {"A": [0, 1, 1, 1] * 10, "B": [0, 0, 0, 1] * 10}
    with pytest.raises(hw.OptionError, match="makes no interval for the accuracy; use auto"):
        hw.compare(
            hw.Predictions.from_arrays(truth, said, pairing="none"),
            metric="accuracy",
            method="percentile_attained",
        )
