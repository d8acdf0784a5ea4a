"""Comparisons of values that tempt to a wrong interval."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import halfwidth as hw

RIGHT = np.array([1, 0, 1, 1, 1, 0, 1, 1, 1, 1], float)
WRONG = np.array([1, 0, 0, 0, 1, 0, 1, 1, 0, 1], float)


@pytest.mark.parametrize("paired", [True, False])
def test_the_sd_of_successes_is_no_proportion(paired: bool) -> None:
    how: dict[str, Any] = {"metric": "correct", "statistic": "sd", "rng": 1, "n_resamples": 999}
    (one,) = hw.compare({"A": RIGHT, "B": WRONG}, paired=paired, **how)
    assert one.value == pytest.approx(RIGHT.std(ddof=1) - WRONG.std(ddof=1))
    assert not one.estimate.method.startswith("newcombe")
    if paired:
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
    assert one.verdict is not None
    assert one.verdict.word == "inconclusive"
    assert "HW801" in {caution.code for caution in one.cautions}
