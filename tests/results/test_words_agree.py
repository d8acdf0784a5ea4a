"""What is printed of one estimate does not contradict itself: digits, cautions, quotes."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from support import message, quickly

import halfwidth as hw
from halfwidth.core.formatting import fixed_apart
from halfwidth.core.types import Array

SHAPES: dict[str, Callable[[np.random.Generator, int], Array]] = {
    "beta": lambda r, n: r.beta(8, 2, n),
    "one failed": lambda r, n: np.r_[0.0, r.beta(30, 3, n - 1)],
    "one off": lambda r, n: np.r_[0.999, np.ones(n - 1)],
    "near 1": lambda r, n: 1 - 1e-6 * r.random(n),
    "alike": lambda r, n: 0.9 + 1e-12 * r.random(n),
}


def numbers_of(sentence: str) -> list[str]:
    """The value and the bounds, as printed."""
    found = re.search(r" (\S+) \([\d.]+ % CI (\S+) to ([^\s;,]+)[;,]", sentence)
    assert found is not None, sentence
    return list(found.groups())


@pytest.mark.parametrize(("shape", "n"), list(product(SHAPES, [3, 8, 60])))
@pytest.mark.parametrize("statistic", ["mean", "median", "sd"])
def test_numbers_that_differ_are_printed_as_different(shape: str, n: int, statistic: str) -> None:
    values = SHAPES[shape](np.random.default_rng(n), n)
    e = quickly(hw.summary_ci, values, metric="dsc", statistic=statistic, rng=1, n_resamples=199)
    value, low, high = (float(text) for text in numbers_of(e.sentence()))
    assert low <= value <= high or not e.low <= e.value <= e.high
    if e.high - e.low > 1e-13:
        assert low < high
    # A bound may lie so close that more digits would say nothing.
    for exact, printed in ((e.low, low), (e.high, high)):
        if abs(e.value - exact) > 0.01 * (e.high - e.low):
            assert printed != value, e.sentence()


def test_a_bound_that_leaves_out_0_does_not_read_as_0() -> None:
    a = np.random.default_rng(0).beta(8, 2, 40)
    steps = np.linspace(-1, 1, 40) * 0.05
    # The t interval of these differences has its lower bound a tenth of a digit above 0.
    shift = float(hw.difference_ci(a + steps, a, method="t").halfwidth) + 0.0003
    e = hw.difference_ci(a + steps + shift, a, method="t")
    assert e.low == pytest.approx(0.0003)
    assert float(numbers_of(e.sentence())[1]) > 0
    assert fixed_apart(0.0003, 2) == "0.0003"


def test_a_value_that_is_not_perfect_does_not_read_as_perfect() -> None:
    e = hw.proportion_ci(9996, 10000)
    assert "1.0" not in numbers_of(e.sentence())[0]
    assert hw.proportion_ci(1, 3, method="clopper_pearson").sentence().startswith("Proportion 0.3")


@pytest.mark.parametrize(
    ("n", "q", "level"), list(product([3, 5, 10, 14], [0.1, 0.5, 0.9], [0.9, 0.95]))
)
def test_cautions_of_few_runs_name_one_number_of_runs(n: int, q: float, level: float) -> None:
    values = np.random.default_rng(n).normal(0.9, 0.01, n)
    e = hw.runs_ci(values, q, metric="accuracy", confidence_level=level, rng=1)
    wanted = {
        found
        for code, pattern in (("HW308", r"(\d+) runs would do"), ("HW702", r"some (\d+) runs"))
        for caution in e.cautions
        if caution.code == code
        for found in re.findall(pattern, caution.message)
    }
    assert len(wanted) <= 1, [str(c) for c in e.cautions]


def test_a_quote_says_how_low_coverage_was_and_what_counted_as_a_miss() -> None:
    values = np.random.default_rng(1).beta(8, 2, 10)
    said = message(hw.summary_ci(values, metric="dsc", method="hall"), "HW201")
    # Not the median alone, which by itself would speak against the caution.
    assert re.search(r"covered 93\.7 % at n = 10 \(median\), and 89 % or less on a quarter", said)
    truth = [0, 1] * 15
    scores = np.random.default_rng(2).random(30) + 0.3 * np.array(truth)
    area = hw.metric_ci(truth, scores / 2, metric="auroc", method="delong_logit")
    assert isinstance(area, hw.Estimate)
    assert re.search(r"33 % of the samples had none, a miss", message(area, "HW201"))


def test_shares_and_bounds_of_cautions_do_not_round_to_none_or_all() -> None:
    truth = np.r_[np.ones(3, dtype=int), np.zeros(9997, dtype=int)]
    scores = np.random.default_rng(3).random(10000)
    settings: dict[str, Any] = {"method": "percentile", "rng": 1, "n_resamples": 99}
    e = hw.metric_ci(truth, scores, metric="balanced_accuracy", **settings)
    assert isinstance(e, hw.Estimate)
    assert "makes up 99.97 % of the cases, the rarest 0.03 %" in message(e, "HW206")
    outside = hw.summary_ci(
        np.r_[np.full(40, 0.99999), np.full(10, 0.9999)], metric="dsc", method="z"
    )
    beyond = hw.summary_ci([1.0] * 59 + [0.9999], metric="dsc", method="z")
    assert outside.high < 1 < beyond.high
    said = re.search(r"\[(\S+), (\S+)\] leaves", message(beyond, "HW305"))
    assert said is not None
    assert float(said[2]) > 1
