from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from support import examples

from halfwidth import DataError, OptionError
from halfwidth.core.types import UNIT_INTERVAL
from halfwidth.study import populations
from halfwidth.study.populations import (
    EXAMPLES,
    Mixture,
    Population,
    adaptive_kde,
    characterize,
    family,
    mixture,
)

MIXTURES = {
    "normals": mixture(
        [family("normal", location=-1), family("normal", location=2, scale=0.5)], [0.3, 0.7]
    ),
    "atoms": mixture(
        [
            family("bernoulli", probability=0.5),
            family("beta", a=8, b=2),
            populations.empirical([0.5]),
        ],
        [0.2, 0.7, 0.1],
    ),
    "gap": mixture(
        [family("uniform", low=0, high=0.2), family("beta", a=2, b=2, location=0.8, scale=0.2)],
        [0.4, 0.6],
    ),
    "left gap": mixture(
        [family("beta", a=2, b=2, scale=0.2), family("uniform", low=0.8, high=1)], [0.4, 0.6]
    ),
    "nested": mixture(
        [
            adaptive_kde([0.2, 0.25, 0.3, 0.9, 1.0], UNIT_INTERVAL),
            mixture([family("uniform"), family("normal")], [1, 1]),
        ],
        [2, 3],
    ),
    "one": mixture([family("exponential")], [5]),
}
NAMES = list(MIXTURES)
LEVELS = np.array([1e-6, 0.01, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.99])


@pytest.mark.parametrize("name", NAMES)
def test_the_quantile_is_the_first_value_that_reaches_its_level(name: str) -> None:
    population = MIXTURES[name]
    q = population.quantile(LEVELS)
    assert (population.cdf(q) >= LEVELS * (1 - 1e-14)).all()
    assert (population.cdf(q - 1e-7) < LEVELS).all()
    assert population.quantile(LEVELS[:4].reshape(2, 2)).shape == (2, 2)
    assert float(population.quantile(0.25)) == q[3]
    assert np.isnan(population.quantile([-1, 2, math.nan])).all()
    assert (float(population.quantile(0)), float(population.quantile(1))) == population.support


def test_a_flat_stretch_gives_its_left_end() -> None:
    assert float(MIXTURES["gap"].quantile(0.4)) == 0.2
    # The density vanishes at 0.2, and rounding of F would lose half of the digits there.
    assert float(MIXTURES["left gap"].quantile(0.4)) == 0.2
    assert float(MIXTURES["left gap"].quantile(0.4 + 1e-9)) > 0.8


def test_jumps_give_their_atoms() -> None:
    population = MIXTURES["atoms"]
    q = population.quantile([0.0, 0.05, 0.1, 0.9000001, 1.0])
    assert q.tolist() == [0, 0, 0, 1, 1]
    below_half = 0.1 + 0.7 * stats.beta(8, 2).cdf(0.5)
    inside = population.quantile(below_half + np.array([0.0001, 0.05, 0.0999]))
    assert inside.tolist() == [0.5, 0.5, 0.5]


def test_a_normal_mixture_has_the_moments_of_its_density() -> None:
    population = MIXTURES["normals"]
    x, step = np.linspace(-12, 12, 400_001, retstep=True)
    density = 0.3 * stats.norm(-1, 1).pdf(x) + 0.7 * stats.norm(2, 0.5).pdf(x)
    mean = (x * density).sum() * step
    spread = math.sqrt(((x - mean) ** 2 * density).sum() * step)
    z = (x - mean) / spread
    assert population.mean == pytest.approx(mean, rel=1e-10)
    assert population.standard_deviation == pytest.approx(spread, rel=1e-10)
    assert population.skewness == pytest.approx((z**3 * density).sum() * step, rel=1e-9)
    assert population.kurtosis == pytest.approx((z**4 * density).sum() * step, rel=1e-9)


def test_a_mixture_of_empirical_distributions_is_one() -> None:
    values = [0.1, 0.4, 0.4, 0.9, 1.0, 0.2]
    whole = populations.empirical(values)
    parts = mixture([populations.empirical(values[:2]), populations.empirical(values[2:])], [2, 4])
    for name in ("mean", "standard_deviation", "skewness", "kurtosis", "support"):
        assert getattr(parts, name) == pytest.approx(getattr(whole, name))
    levels = np.linspace(0, 1, 61)
    np.testing.assert_allclose(parts.quantile(levels), whole.quantile(levels), rtol=1e-15)
    for low, high in ((0, 1), (0.25, 0.75), (0.1, 0.2), (1 / 6, 5 / 6), (0.5, 0.55)):
        assert parts.partial_mean(low, high) == pytest.approx(whole.partial_mean(low, high))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ends", [(0.25, 0.75), (0.05, 0.4), (0.6, 0.95), (0.1, 0.1)])
def test_partial_means_agree_with_a_sum_over_quantiles(
    name: str, ends: tuple[float, float]
) -> None:
    population, n = MIXTURES[name], 4000
    p = ends[0] + (np.arange(n) + 0.5) / n * (ends[1] - ends[0])
    q = population.quantile(p)
    summed = q.mean() * (ends[1] - ends[0])
    allowed = (ends[1] - ends[0]) * float(np.ptp(q)) / n + 1e-9
    assert population.partial_mean(*ends) == pytest.approx(summed, abs=allowed)


@pytest.mark.parametrize("name", NAMES)
def test_draws_follow_the_distribution(name: str) -> None:
    population = MIXTURES[name]
    n = 100_000
    drawn = population.draw(np.random.default_rng(3), 10, n // 10)
    at, counts = np.unique(drawn, return_counts=True)
    gap = math.sqrt(math.log(2e6) / (2 * n))  # Massart; false alarm 1e-6
    assert np.abs(population.cdf(at) - np.cumsum(counts) / n).max() < gap
    # Parts come in random order: neighbours are independent (false alarm 1e-6).
    pairs = np.corrcoef(drawn[:, :-1].ravel(), drawn[:, 1:].ravel())[0, 1]
    assert abs(pairs) < 5 / math.sqrt(n)


def test_moments_that_do_not_exist_stay_so() -> None:
    cauchy = mixture([family("normal"), family("t", df=1)], [0.9, 0.1])
    assert math.isnan(cauchy.mean)
    assert math.isnan(cauchy.standard_deviation)
    heavy = mixture([family("normal"), family("pareto", shape=0.5)], [0.9, 0.1])
    assert heavy.mean == math.inf
    spread = mixture([family("normal"), family("t", df=2)], [0.5, 0.5])
    assert (spread.mean, spread.standard_deviation) == (0, math.inf)
    assert math.isnan(spread.kurtosis)
    # Its trimmed mean exists all the same.
    assert cauchy.partial_mean(0.25, 0.75) == pytest.approx(0, abs=1e-15)


def test_mixtures_are_pickled_and_weights_are_relative() -> None:
    population = MIXTURES["nested"]
    assert population.weights == (0.4, 0.6)
    again = pickle.loads(pickle.dumps(population))  # noqa: S301 -- our own bytes
    assert isinstance(again, Mixture)
    one = population.draw(np.random.default_rng(1), 2, 50)
    np.testing.assert_array_equal(one, again.draw(np.random.default_rng(1), 2, 50))
    assert (population.kind, population.quantile_how) == ("mixture", "root")
    assert isinstance(population, Population)


@pytest.mark.parametrize(
    ("parts", "weights", "said"),
    [
        ([], [], "at least one part"),
        ([family("normal")], [0.5, 0.5], "got 2 for 1 parts"),
        ([family("normal"), family("t", df=3)], [1, 0], "not all finite and above 0"),
        ([family("normal"), family("t", df=3)], [1, math.nan], "not all finite and above 0"),
    ],
)
def test_wrong_mixtures_are_said(parts: list[Population], weights: list[float], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        mixture(parts, weights)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_populations(name: str) -> None:
    population = EXAMPLES[name]()
    assert isinstance(population, Population)
    assert 0 < population.interdecile_range < 10
    if name != "distance":
        low, high = population.quantile([1e-4, 1 - 1e-4])
        assert -0.01 < low < high < 1.01
    if name in {"beta_left", "failures"}:
        assert population.skewness < -0.5
    if name in {"beta_right", "distance"}:
        assert population.skewness > 0.5


def test_the_normal_mixture_has_two_modes() -> None:
    population = EXAMPLES["normal_mixture"]()
    x = np.linspace(0, 1, 201)
    density = np.diff(population.cdf(x))
    peaks = (density[1:-1] > density[:-2]) & (density[1:-1] > density[2:])
    assert peaks.sum() == 2


# --------------------------------------------------------------------------- empirical


def test_an_empirical_population_has_the_moments_of_its_cases() -> None:
    values = np.random.default_rng(2).lognormal(0, 1, 101)
    population = populations.empirical(values)
    assert population.mean == pytest.approx(values.mean())
    assert population.standard_deviation == pytest.approx(values.std())
    assert population.skewness == pytest.approx(stats.skew(values))
    assert population.kurtosis == pytest.approx(stats.kurtosis(values) + 3)
    found = characterize(values)
    assert found.standard_deviation == pytest.approx(values.std(ddof=1))
    assert found.skewness == pytest.approx(stats.skew(values))
    assert population.support == (values.min(), values.max())


@examples(100)
@given(
    values=st.lists(st.integers(-5, 5), min_size=1, max_size=30),
    p=st.floats(0, 1),
    share=st.integers(0, 30),
)
def test_an_empirical_quantile_is_numpys_inverted_cdf(
    values: list[int], p: float, share: int
) -> None:
    population = populations.empirical(values)
    assert population.quantile(p) == np.quantile(values, p, method="inverted_cdf") or (
        # NumPy's product n·p may lie above a whole number by rounding alone.
        abs(p * len(values) - round(p * len(values))) < 1e-12
    )
    # At k/n exactly it is the k-th case.
    k = min(share, len(values))
    assert population.quantile(k / len(values)) == sorted(values)[max(k, 1) - 1]
    assert population.cdf(population.quantile(p)) >= p - 1e-15


@examples(60)
@given(
    values=st.lists(st.floats(-10, 10), min_size=1, max_size=12),
    p=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_an_empirical_partial_mean_is_the_integral_of_its_steps(
    values: list[float], p: tuple[float, float]
) -> None:
    low, high = sorted(p)
    ordered, n = sorted(values), len(values)
    total = sum(
        value * max(0.0, min(high, (i + 1) / n) - max(low, i / n))
        for i, value in enumerate(ordered)
    )
    assert populations.empirical(values).partial_mean(low, high) == pytest.approx(total, abs=1e-12)


def test_large_empirical_distributions_are_fast_enough() -> None:
    values = np.random.default_rng(0).random(2_000_000)
    population = populations.empirical(values)
    assert population.interdecile_range == pytest.approx(0.8, abs=0.005)
    drawn = population.draw(np.random.default_rng(1), 1000, 250)
    assert np.isin(drawn[0], values).all()
    # Mean of 250 000 draws; 5 SE, false alarm 6e-7.
    assert abs(drawn.mean() - population.mean) < 5 * population.standard_deviation / 500


def test_the_k_th_case_is_the_quantile_of_k_in_n_whatever_rounding_does() -> None:
    assert 7 / 100 * 100 > 7
    population = populations.empirical(np.arange(1.0, 101.0))
    assert population.quantile(np.arange(1, 101) / 100).tolist() == list(range(1, 101))


def test_draws_of_few_cases_are_even() -> None:
    population = populations.empirical([1.0, 2.0, 2.0, 5.0])
    drawn = population.draw(np.random.default_rng(5), 100, 400).ravel()
    counts = [(drawn == value).sum() for value in (1, 2, 5)]
    assert stats.chisquare(counts, [10_000, 20_000, 10_000]).pvalue > 1e-6
    again = pickle.loads(pickle.dumps(population))  # noqa: S301 -- our own bytes
    assert again.mean == 2.5
    assert (again.kind, again.quantile_how) == ("empirical", "formula")


def test_one_case_is_a_population_and_none_is_not() -> None:
    population = populations.empirical([0.7])
    assert (population.mean, population.standard_deviation) == (0.7, 0.0)
    assert math.isnan(population.skewness)
    assert math.isnan(characterize([0.7]).standard_deviation)
    assert np.isnan(population.quantile([-1, 2])).all()
    assert np.isnan(population.cdf(math.nan))
    with pytest.raises(DataError, match="at least 1 case, got 0"):
        populations.empirical([])
    with pytest.raises(DataError, match="missing or infinite"):
        populations.empirical([1.0, math.inf])
