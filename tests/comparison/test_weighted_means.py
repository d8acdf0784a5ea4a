"""Metrics that are means of cases, where the cases have weights: the Brier score and NLL."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import halfwidth as hw

N = 60
RNG = np.random.default_rng(3)
TRUTH = RNG.integers(0, 2, N)
SCORES = {
    name: np.clip(share * TRUTH + RNG.uniform(0, 1 - share, N), 0.01, 0.99)
    for name, share in (("A", 0.4), ("B", 0.3), ("C", 0.05))
}
WEIGHTS = RNG.uniform(0.5, 2, N)
DESIGN: dict[str, Any] = {
    "groups": np.repeat(np.arange(N // 2), 2),
    "strata": np.repeat([0, 1], N // 2),
    "sample_weight": WEIGHTS,
}
DESIGNS = [(), *((one,) for one in DESIGN), *itertools.combinations(DESIGN, 2)]
DRAWN: dict[str, Any] = {"n_resamples": 99, "rng": 1}
LOSS: dict[str, Any] = {
    "brier": lambda p: (p - TRUTH) ** 2,
    "nll": lambda p: -np.log(np.where(TRUTH == 1, p, 1 - p)),
}


def predictions(*described: str) -> hw.Predictions:
    return hw.Predictions.from_arrays(TRUTH, SCORES, **{name: DESIGN[name] for name in described})


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "design",
    [
        pytest.param(one, marks=() if "sample_weight" in one else pytest.mark.slow)
        for one in DESIGNS
    ],
    ids="+".join,
)
@pytest.mark.parametrize("metric", LOSS)
def test_they_are_compared_ranked_and_gated_under_every_design(
    metric: str, design: Sequence[str]
) -> None:
    data = predictions(*design)
    weights = WEIGHTS if "sample_weight" in design else np.ones(N)
    means = {name: np.average(LOSS[metric](p), weights=weights) for name, p in SCORES.items()}
    compared = hw.compare(data, metric=metric, **DRAWN)
    for one in compared:
        assert one.value == pytest.approx(means[one.first] - means[one.second], abs=1e-12)
        assert one.low < one.value < one.high
    (ranking,) = hw.rank(data, metric=metric, **DRAWN)
    assert [model.name for model in ranking.models] == sorted(means, key=lambda name: means[name])
    gate = hw.gate(data, metric=metric, new="A", against="C", margin=0.5, **DRAWN)
    assert gate.outcome == "passed"


@pytest.mark.parametrize("metric", LOSS)
def test_the_interval_is_as_wide_as_the_linearized_error_makes_it(metric: str) -> None:
    """Of a ratio of sums: w (d - mean) over Σw for each case, within 12 % of 1999 resamples."""
    loss = LOSS[metric]
    difference = loss(SCORES["A"]) - loss(SCORES["B"])
    centred = difference - np.average(difference, weights=WEIGHTS)
    error = np.sqrt(((WEIGHTS * centred) ** 2).sum()) / WEIGHTS.sum()
    data = predictions("sample_weight").taking(["A", "B"])
    asked: dict[str, Any] = {"method": "percentile", "test": "none", "n_resamples": 1999, "rng": 1}
    (one,) = hw.compare(data, metric=metric, **asked)
    assert one.high - one.low == pytest.approx(2 * 1.96 * error, rel=0.12)


def test_a_report_has_all_of_it() -> None:
    page = hw.report(predictions("sample_weight"), metric=["brier", "nll"], figures=False, **DRAWN)
    assert "Difference in NLL" in page.to_html()
