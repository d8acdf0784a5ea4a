"""Data at the limits of what numbers hold: answers without a warning of NumPy's, around the value.

Warnings are errors in all tests; here each call used to give one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support import quickly

import halfwidth as hw
from halfwidth.resampling.weights.gammas import gammas

Array = NDArray[Any]
DRAWN: dict[str, Any] = {"n_resamples": 49, "rng": 1}
G = np.random.default_rng(5)
OUTCOMES = np.arange(30) % 2
# Of a class that nearly all cases have by the model.
NEAR_1 = 1 - 1e-9 * G.random(30)
NEXT_TO_0 = np.where(np.arange(30) % 3, 5e-324, 0.5)


def test_kce_of_probabilities_that_hardly_differ_has_an_interval() -> None:
    # Nothing, times e to the distance from 0 in bandwidths, was no number.
    e = hw.metric_ci(OUTCOMES, NEAR_1, metric="kce", **DRAWN)
    assert e.low <= e.value <= e.high
    # Its bandwidth is the median distance: distances alone count.
    moved = hw.metric_ci(OUTCOMES, 0.5 + (NEAR_1 - NEAR_1.min()), metric="kce", **DRAWN)
    same = hw.metrics.kce(OUTCOMES, np.full(30, 0.5) + (NEAR_1 - NEAR_1.min()))
    assert moved.value == pytest.approx(same)


def test_the_ratio_of_the_rmses_of_a_model_that_is_right_but_for_rounding_is_answered() -> None:
    # Of swapped models a sum of squares is a difference, which was rounded to less than 0.
    step = 2.0**-52
    target, nearly = 1 + step * np.array([-1, 0, 4]), 1 + step * np.array([8, -9, -7])
    (row,) = hw.compare(
        target,
        {"A": np.array([1.0, 0.0, 2.0]), "B": nearly},
        metric="rmse",
        effect="ratio",
        method="percentile_expanded",
        n_resamples=19,
        rng=1,
    )
    rmse = [float(np.sqrt(np.mean((one - target) ** 2))) for one in (np.array([1, 0, 2]), nearly)]
    assert row.value == pytest.approx(rmse[0] / rmse[1])


def test_gamma_variates_of_small_shapes_are_numbers() -> None:
    # Those of pseudo-cases among many cells; a table of quantiles was rounded below 0 near 0.
    for shape in (4.2e-4, 1e-4, 0.013):
        variates = gammas(1, ("any",), shape, 10**5)
        assert (variates >= 0).all()
        assert variates.mean() == pytest.approx(shape, abs=6 * math.sqrt(shape / 1e5))


def test_where_next_to_nothing_is_expected_the_ratio_is_answered() -> None:
    for p in (np.where(np.arange(30) % 3, 5e-324, 1e-310), NEXT_TO_0, np.full(30, 1e-160)):
        e = quickly(hw.metric_ci, OUTCOMES, p, metric="oe_ratio", **DRAWN)
        assert math.isnan(e.low) or e.low <= e.value <= e.high


def test_tests_of_calibration_of_what_hardly_happens_are_answered() -> None:
    p = np.full(12, 5e-324)
    p[0] = 0.5
    tested = hw.calibration_test(
        np.arange(12) % 2, p, statistic="hosmer_lemeshow", n_resamples=19, rng=1
    )
    assert tested.p_value == 1 / 20


def test_a_class_that_is_separated_has_no_slope_by_any_method() -> None:
    truth = np.array(list("abcab" * 3))
    said = np.where(truth[:, None] == np.array(list("abc")), 0.6, 0.2)
    said[:2] = said[1::-1]
    for method in ("bca", "percentile", "model_wald"):
        rows = hw.metric_ci(
            truth, said, metric="calibration_slope", average="none", method=method, **DRAWN
        )
        assert [math.isnan(e.low) for e in rows] == [math.isnan(e.value) for e in rows]
        assert math.isnan(rows[2].value)


@pytest.mark.parametrize("statistic", ["mean", "sd", "trimmed_mean:0.1", "quantile:0.9"])
def test_bounds_whose_squares_are_no_numbers_are_taken(statistic: str) -> None:
    values = np.linspace(-1, 1, 12)
    for method in ("auto", "gaffke"):
        e = quickly(
            hw.summary_ci,
            values,
            statistic=statistic,
            method=method,
            bounds=(-1e300, 1e300),
            **DRAWN,
        )
        assert math.isnan(e.low) or e.low <= e.value <= e.high


def test_an_end_that_rounding_parts_from_the_estimate_is_the_estimate() -> None:
    # Below the bound by less than rounding: the interval is cut to 0, and the value was outside it.
    values = [-2e-78, -1e-78, -1e-78, 0, 0, 0, 0, 1e-78]
    e = hw.summary_ci(values, statistic="trimmed_mean:0.1", method="gaffke", bounds=(0, 1), rng=1)
    assert e.value < 0
    assert e.low == e.value < e.high
