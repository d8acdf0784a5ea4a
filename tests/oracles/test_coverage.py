"""How often intervals hold the true value, in simulations with fixed seeds and exactly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from halfwidth import METHODS, Bounds
from halfwidth.core.types import Level
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.intervals import agresti_coull, clopper_pearson, jeffreys, wald, wilson
from halfwidth.intervals.compute import intervals
from halfwidth.intervals.ranks import exact_ranks
from halfwidth.resampling.draws import Plan

Array = NDArray[np.float64]
Covered = NDArray[np.bool_]

FALSE_ALARM = 1e-6
UNIT = Bounds(0.0, 1.0)


def covered(
    values: Array,
    truth: float,
    methods: list[str],
    level: Level | None = None,
    statistic: str = "mean",
    bounds: Bounds = UNIT,
    seed: int = 21,
) -> dict[str, Covered]:
    """Whether the interval of each sample, by each method, holds the truth."""
    made = intervals(
        values,
        resolve_statistic(statistic),
        [METHODS[name] for name in methods],
        level or Level(),
        bounds=bounds,
        plan=Plan(seed, 999),
    )
    return {
        name: (one.interval.low <= truth) & (truth <= one.interval.high)
        for name, one in zip(methods, made, strict=True)
    }


def binomial_range(share: float, trials: int) -> tuple[float, float]:
    """Shares outside which a binomial falls with the false-alarm probability, both sides."""
    low, high = (float(stats.binom.isf(p, trials, share)) for p in (1 - 5e-7, 5e-7))
    return low / trials, high / trials


def assert_more_often(these: Covered, those: Covered) -> None:
    """The first covers more often, on the same samples: sign test, false alarm 1e-6."""
    only_first, only_second = int((these & ~those).sum()), int((those & ~these).sum())
    assert (
        stats.binomtest(only_first, only_first + only_second, alternative="greater").pvalue
        < FALSE_ALARM
    )


# --------------------------------------------------------------------------- exact at normal data


@pytest.mark.sampled(6)
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("n", [2, 5, 10, 50])
def test_t_covers_a_normal_mean_as_often_as_it_says(n: int, confidence: float) -> None:
    samples = 40_000
    values = np.random.default_rng([n, 1]).normal(3.0, 0.2, (samples, n))
    for level in (Level(confidence), Level(confidence, "lower"), Level(confidence, "upper")):
        got = covered(values, 3.0, ["t"], level, bounds=Bounds(-math.inf, math.inf))["t"].mean()
        low, high = binomial_range(confidence, samples)
        assert low <= got <= high


def test_z_undercovers_a_normal_mean_as_often_as_t_says() -> None:
    # P(|T₉| ≤ 1.96) = .9184; false alarm 1e-6.
    samples, n = 40_000, 10
    values = np.random.default_rng(2).normal(3.0, 0.2, (samples, n))
    got = covered(values, 3.0, ["z"], bounds=Bounds(-math.inf, math.inf))["z"].mean()
    truth = 1 - 2 * float(stats.t.sf(stats.norm.ppf(0.975), n - 1))
    low, high = binomial_range(truth, samples)
    assert low <= got <= high


# --------------------------------------------------------------------------- skewed data


@pytest.mark.slow
def test_percentile_coverage_of_a_skewed_mean_rises_with_n_towards_the_level() -> None:
    # Beta(8, ½) is left-skewed as DSC is. Samples of a batch share their draws, so each of 20
    # batches has draws of its own; between batches the SD of a share is below .003 at n = 10 and
    # .002 at n = 250. The true shares are near .840, .923 and .941: they come out in another order,
    # or by more than 6 SDs off, with probability below 1e-8.
    generator = np.random.default_rng(3)
    shares = []
    for n in (10, 50, 250):
        batches = [generator.beta(8.0, 0.5, (1000, n)) for _ in range(20)]
        hits = [
            covered(values, 8.0 / 8.5, ["percentile"], seed=seed)["percentile"].mean()
            for seed, values in enumerate(batches)
        ]
        shares.append(float(np.mean(hits)))
    assert 0.82 < shares[0] < 0.86
    assert shares[0] < shares[1] < shares[2]
    assert 0.929 < shares[2] < 0.953


@pytest.mark.slow
def test_hall_covers_a_skewed_mean_more_often_than_t_and_t_more_often_than_percentile() -> None:
    # STATISTICS §6 at n = 10: hall above t above percentile. False alarm 1e-6 each.
    samples, n = 20_000, 10
    values = np.random.default_rng(4).beta(8.0, 0.8, (samples, n))
    got = covered(values, 8.0 / 8.8, ["hall", "t", "percentile"])
    assert_more_often(got["hall"], got["t"])
    assert_more_often(got["t"], got["percentile"])
    low, _ = binomial_range(0.95, samples)
    assert got["t"].mean() < low


@pytest.mark.sampled(3)
@pytest.mark.parametrize("method", ["hoeffding", "empirical_bernstein"])
@pytest.mark.parametrize("n", [2, 10, 100])
def test_concentration_intervals_never_cover_less_often_than_they_say(method: str, n: int) -> None:
    # One-sided binomial test at 1e-6 for each of three populations in [0, 1].
    samples = 10_000
    generator = np.random.default_rng([n, 5])
    for values, truth in (
        (generator.beta(0.05, 0.05, (samples, n)), 0.5),
        (generator.beta(8.0, 0.5, (samples, n)), 8.0 / 8.5),
        (generator.binomial(1, 0.99, (samples, n)).astype(float), 0.99),
    ):
        for level in (Level(0.8), Level(0.95), Level(0.8, "lower"), Level(0.8, "upper")):
            hits = int(covered(values, truth, [method], level)[method].sum())
            assert stats.binom.cdf(hits, samples, level.confidence_level) > FALSE_ALARM


def test_trimmed_t_covers_the_trimmed_mean_of_a_symmetric_population() -> None:
    # Nearly exact there (Tukey & McLaughlin): 1.5 points allowed besides the binomial 1e-6.
    samples, n = 20_000, 40
    values = np.random.default_rng(6).standard_t(4, (samples, n))
    got = covered(
        values, 0.0, ["trimmed_t"], None, "trimmed_mean:0.2", Bounds(-math.inf, math.inf)
    )["trimmed_t"].mean()
    low, high = binomial_range(0.95, samples)
    assert low - 0.015 <= got <= high + 0.015


# --------------------------------------------------------------------------- quantiles


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("n", "q"), [(10, 0.5), (25, 0.25), (40, 0.9), (60, 0.95)])
def test_exact_covers_a_quantile_as_often_as_its_binomial_sum(n: int, q: float) -> None:
    samples = 20_000
    values = np.random.default_rng([n, 7]).lognormal(size=(samples, n))
    ranks = exact_ranks(n, q, Level(0.9))
    assert ranks is not None
    chance = float(stats.binom.cdf(ranks[1] - 1, n, q) - stats.binom.cdf(ranks[0] - 1, n, q))
    truth = float(stats.lognorm.ppf(q, 1.0))
    bounds = Bounds(0.0, math.inf)
    got = covered(values, truth, ["exact"], Level(0.9), f"quantile:{q}", bounds)["exact"].mean()
    low, high = binomial_range(chance, samples)
    assert low <= got <= high
    assert chance >= 0.9


# --------------------------------------------------------------------------- proportions, exactly


def average_coverage(low: Array, high: Array, n: int) -> float:
    """∫ coverage(p) dp over 0 ≤ p ≤ 1: a sum of incomplete Beta integrals, no simulation."""
    x = np.arange(n + 1)
    inside = stats.beta.cdf(high, x + 1, n - x + 1) - stats.beta.cdf(low, x + 1, n - x + 1)
    return float(np.sum(inside)) / (n + 1)


def coverage_at(p: Array, low: Array, high: Array, n: int) -> Array:
    x = np.arange(n + 1)
    holds = (low <= p[:, None]) & (p[:, None] <= high)
    return np.asarray((stats.binom.pmf(x, n, p[:, None]) * holds).sum(axis=-1))


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("n", [10, 25, 50, 100])
def test_average_coverage_of_proportions(n: int, confidence: float) -> None:
    # Brown, Cai & DasGupta (2001), section 4: Wilson and Jeffreys are near the level on average,
    # Agresti-Coull and Clopper-Pearson above it, Wald well below.
    x = np.arange(n + 1)
    level = Level(confidence)
    got = {
        method.__name__: average_coverage(method(x, n, level).low, method(x, n, level).high, n)
        for method in (wald, wilson, jeffreys, agresti_coull, clopper_pearson)
    }
    miss = 1 - confidence
    assert abs(got["wilson"] - confidence) < 0.26 * miss
    assert abs(got["jeffreys"] - confidence) < 0.12 * miss
    assert got["agresti_coull"] > got["wilson"]
    assert got["clopper_pearson"] > got["wilson"]
    assert got["clopper_pearson"] > confidence
    assert got["wald"] < confidence - 0.2 * miss


@pytest.mark.sampled(3)
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("n", [1, 2, 10, 50])
def test_clopper_pearson_covers_every_proportion(n: int, confidence: float) -> None:
    p = np.linspace(0, 1, 2001)
    for level in (Level(confidence), Level(confidence, "lower"), Level(confidence, "upper")):
        got = clopper_pearson(np.arange(n + 1), n, level)
        low = np.zeros(n + 1) if level.alternative == "upper" else got.low
        high = np.ones(n + 1) if level.alternative == "lower" else got.high
        assert coverage_at(p, low, high, n).min() >= confidence - 1e-9


def test_wald_fails_where_brown_cai_and_dasgupta_say() -> None:
    # Their section 2.1: at n = 100 the coverage of Wald's 95 % interval is .952 at p = .106 and
    # .911 at p = .107 (exact sums). Wilson's is near the level at both.
    n, p = 100, np.array([0.106, 0.107])
    x = np.arange(n + 1)
    of_wald = coverage_at(p, wald(x, n, Level()).low, wald(x, n, Level()).high, n)
    assert of_wald.round(3).tolist() == [0.952, 0.911]
    of_wilson = coverage_at(p, wilson(x, n, Level()).low, wilson(x, n, Level()).high, n)
    assert (abs(of_wilson - 0.95) < 0.0015).all()
