"""Why ``auto`` does not bootstrap quantiles: docs/decisions/0009 and 0091."""

from __future__ import annotations

from typing import Any

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
@pytest.mark.parametrize(("q", "n"), [(0.95, 100), (0.95, 60), (0.99, 300)])
def test_the_percentile_bootstrap_misses_extreme_quantiles(q: float, n: int) -> None:
    assert coverage("exact", q, n) > 0.917 > coverage("percentile", q, n)


LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99, 0.999)


@pytest.mark.parametrize("q", [0.1, 0.5, 0.75, 0.9])
@pytest.mark.parametrize("n", [50, 51, 120, 300])
def test_auto_holds_a_quantile_as_often_as_it_says_whatever_the_distribution(
    n: int, q: float
) -> None:
    ends: tuple[float, float] = (0, n + 1)
    for confidence_level in reversed(LEVELS):
        e = _of_ranks(n, q, confidence_level=confidence_level)
        if e.method == "exact_attained":
            assert q**n + (1 - q) ** n > 1 - confidence_level
            continue
        assert (e.method, e.n_resamples) == ("exact", None)
        # P(low ≤ Q < high), by the number of values below the quantile.
        held = stats.binom.cdf(e.high - 1, n, q) - stats.binom.cdf(e.low - 1, n, q)
        assert held >= confidence_level - 1e-12
        assert ends[0] <= e.low <= e.value <= e.high <= ends[1]
        ends = (e.low, e.high)


@pytest.mark.parametrize("q", [0.5, 0.9])
def test_a_bound_of_a_quantile_is_the_innermost_value_that_suffices(q: float) -> None:
    lower, upper = (_of_ranks(120, q, alternative=side) for side in ("lower", "upper"))
    assert stats.binom.cdf(lower.low - 1, 120, q) <= 0.05 < stats.binom.cdf(lower.low, 120, q)
    assert stats.binom.sf(upper.high - 1, 120, q) <= 0.05 < stats.binom.sf(upper.high - 2, 120, q)


def test_quantiles_of_runs_and_of_two_samples_are_exact_too() -> None:
    values = POPULATION.rvs(130, random_state=3)
    run = hw.runs_ci(values, quantile=0.9)
    assert run.method == "exact"
    assert run.value == np.sort(values)[116]
    models = {"A": values[:60], "B": values[60:]}
    both = hw.compare(hw.CaseValues.from_arrays(models, pairing="none"), statistic="median")
    assert both[0].estimate.method == "mover:exact"


def _of_ranks(n: int, q: float, **options: Any) -> hw.Estimate:
    """Of the values 1 to n, whose bounds are their own ranks."""
    values = np.random.default_rng(n).permutation(n) + 1.0
    return hw.summary_ci(values, statistic=f"quantile:{q}", **options)


@pytest.mark.parametrize(("q", "n"), [(0.95, 50), (0.99, 100), (0.05, 58)])
def test_where_exact_does_not_exist_auto_says_the_level_attained(q: float, n: int) -> None:
    e = hw.summary_ci(POPULATION.rvs(n, random_state=1), metric="dsc", statistic=f"quantile:{q}")
    assert e.method == "exact_attained"
    assert "HW308" in {caution.code for caution in e.cautions}
    # With the Monte-Carlo SE given above.
    assert coverage("exact_attained", q, n) > e.confidence_level - 0.033
    assert coverage("exact_attained", q, n) > coverage("percentile", q, n) + 0.03
