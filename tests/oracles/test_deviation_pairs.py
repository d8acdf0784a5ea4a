"""SDs of two models on the same cases, against the law drawn as it is defined."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from support import codes

import halfwidth as hw
from halfwidth.core.types import Array

DRAWS = 40_000


def models(n: int, seed: int = 3) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    hard = rng.normal(size=n)
    first, second = (
        np.clip(0.85 - size * (0.9 * hard + 0.4 * rng.normal(size=n)), 0, 1)
        for size in (0.08, 0.05)
    )
    return first, second


def drawn_ends(first: Array, second: Array) -> tuple[float, float]:
    """By a matrix of weights, a pseudo-pair after the other."""
    n, rng = len(first), np.random.default_rng(5)
    weights, mass = rng.standard_exponential((DRAWS, n)), rng.gamma(1.5, size=DRAWS)
    far = rng.random(DRAWS) ** (-1 / 5)

    def deviation(values: Array, pseudo: Array | None) -> Array:
        points = np.broadcast_to(values, (DRAWS, n))
        own = weights
        if pseudo is not None:
            points, own = np.c_[points, pseudo], np.c_[weights, mass]
        shares = own / own.sum(axis=1, keepdims=True)
        mean = (shares * points).sum(axis=1)
        variance = (shares * (points - mean[:, None]) ** 2).sum(axis=1)
        return np.asarray(np.sqrt(variance * n / (n - 1)))

    def led(leading: Array, other: Array) -> tuple[Array, Array]:
        away = leading - leading.mean()
        farthest = away[np.abs(away).argmax()]
        place = np.clip(leading.mean() + farthest * far, 0, 1)
        slope = np.polyfit(leading, other, 1)[0]
        return place, np.clip(other.mean() + slope * (place - leading.mean()), 0, 1)

    alone = deviation(first, None) - deviation(second, None)
    of_first, of_second = led(first, second)
    above = deviation(first, of_first) - deviation(second, of_second)
    of_second, of_first = led(second, first)
    below = deviation(first, of_first) - deviation(second, of_second)
    tail = stats.norm.cdf(-math.sqrt(n / (n - 1)) * stats.t.ppf(0.975, n - 1))
    return (
        float(np.quantile(np.minimum(below, alone), tail)),
        float(np.quantile(np.maximum(above, alone), 1 - tail)),
    )


@pytest.mark.parametrize("n", [12, 40])
def test_ends_are_those_of_the_law(n: int) -> None:
    pair = models(n)
    e = hw.difference_ci(*pair, metric="dsc", statistic="sd", rng=1)
    assert e.method == "dirichlet_pareto"
    assert (e.low, e.high) == pytest.approx(drawn_ends(*pair), abs=0.05 * e.width)


def test_ends_hold_the_estimate_are_nested_and_turn_with_the_models() -> None:
    first, second = models(25)
    asked: dict[str, Any] = {"metric": "dsc", "statistic": "sd", "rng": 1}
    found = [
        hw.compare({"a": first, "b": second}, confidence_level=level, test="none", **asked)[0]
        for level in (0.5, 0.8, 0.95, 0.99, 0.999)
    ]
    for narrow, wide in itertools.pairwise(found):
        assert wide.low <= narrow.low <= narrow.value <= narrow.high <= wide.high
    (turned,) = hw.compare({"b": second, "a": first}, test="none", **asked)
    # Cases stand in another order, and so have other draws.
    noise = 0.05 * (turned.high - turned.low)
    assert (turned.low, turned.high) == pytest.approx((-found[2].high, -found[2].low), abs=noise)
    shifted = {"a": first - 0.1, "b": second - 0.1}
    (moved,) = hw.compare(shifted, test="none", **asked)
    assert moved.value == pytest.approx(found[2].value, abs=1e-12)


@pytest.mark.parametrize(
    "design", [{"groups": np.arange(24) // 2}, {"strata": np.arange(24) % 2}], ids=str
)
def test_clusters_and_strata_have_the_same_method(design: dict[str, Any]) -> None:
    e = hw.difference_ci(*models(24), metric="dsc", statistic="sd", rng=1, **design)
    assert e.method == "dirichlet_pareto"
    assert e.low < e.value < e.high


@pytest.mark.parametrize("failures", ["unseen", "both"])
def test_failures_that_nobody_saw_have_no_second_interval(failures: Any) -> None:
    with pytest.raises(hw.OptionError, match=f"failures='{failures}' has no effect"):
        hw.difference_ci(*models(20), metric="dsc", statistic="sd", failures=failures)


def test_models_that_agree_in_all_cases_have_an_interval_without_width() -> None:
    first, _ = models(20)
    e = hw.difference_ci(first, first, metric="dsc", statistic="sd", rng=1)
    assert (e.low, e.high) == (0, 0)
    assert "HW304" in codes(e)


def test_iqrs_and_ratios_of_sds_keep_percentile() -> None:
    pair = models(30)
    assert hw.difference_ci(*pair, metric="dsc", statistic="iqr", rng=1).method == "percentile"
    both = {"a": pair[0], "b": pair[1]}
    (ratio,) = hw.compare(both, metric="dsc", statistic="sd", effect="ratio", rng=1, test="none")
    assert ratio.estimate.method == "percentile"
