"""Why ``auto`` does not bootstrap extreme quantiles: docs/decisions/0009."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import halfwidth as hw
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Level
from halfwidth.intervals.compute import intervals
from halfwidth.resampling.draws import Plan

SAMPLES = 2000
POPULATION = stats.beta(8, 2)


def coverage(method: str, q: float, n: int) -> float:
    batch = POPULATION.rvs((SAMPLES, n), random_state=n)
    (made,) = intervals(
        batch,
        Statistic(hw.STATISTICS["quantile"], {"q": q}),
        [hw.METHODS[method]],
        Level(0.95),
        bounds=hw.Bounds(0, 1),
        plan=Plan(1),
        clip=True,
    )
    true = POPULATION.ppf(q)
    return float(np.mean((made.interval.low <= true) & (true <= made.interval.high)))


# The Monte-Carlo SE of a coverage near .9 is .007: a method of 95 % falls below .917 with
# probability 1e-6, and one of .89 passes .917 with probability 1e-4.
@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("q", "n", "percentile_fails"),
    [(0.5, 50, False), (0.9, 100, False), (0.95, 100, True), (0.95, 60, True), (0.99, 300, True)],
)
def test_auto_covers_a_quantile_where_percentile_may_not(
    q: float, n: int, percentile_fails: bool
) -> None:
    values = POPULATION.rvs(n, random_state=1)
    chosen = hw.summary_ci(values, metric="dsc", statistic=f"quantile:{q}").method
    assert coverage(chosen, q, n) > 0.917
    assert (coverage("percentile", q, n) < 0.917) == percentile_fails
    assert (chosen != "percentile") == percentile_fails


@pytest.mark.parametrize(("q", "n"), [(0.95, 50), (0.99, 100), (0.05, 58)])
def test_where_exact_does_not_exist_auto_says_the_level_attained(q: float, n: int) -> None:
    e = hw.summary_ci(POPULATION.rvs(n, random_state=1), metric="dsc", statistic=f"quantile:{q}")
    assert e.method == "exact_attained"
    assert "HW308" in {caution.code for caution in e.cautions}
    # With the Monte-Carlo SE given above.
    assert coverage("exact_attained", q, n) > e.confidence_level - 0.033
    assert coverage("exact_attained", q, n) > coverage("percentile", q, n) + 0.03
