"""Exact bootstrap distributions of means, against what else is known of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import halfwidth as hw
from halfwidth.core.types import Array
from halfwidth.resampling import convolution
from halfwidth.resampling.convolution import convolved_means

RNG = np.random.default_rng(3)
LEVELS = (0.0005, 0.025, 0.2, 0.5, 0.9, 0.975, 0.9995)


def expansion(values: Array, level: float) -> float:
    """The quantile by Cornish and Fisher, whose terms left out are of the order of n^-1.5."""
    z, n = stats.norm.ppf(level), len(values)
    skewness, kurtosis = stats.skew(values) / np.sqrt(n), stats.kurtosis(values) / n
    return float(
        z
        + skewness * (z**2 - 1) / 6
        + kurtosis * (z**3 - 3 * z) / 24
        - skewness**2 * (2 * z**3 - 5 * z) / 36
    )


@pytest.mark.parametrize(
    ("values", "tolerance"),
    [
        (RNG.beta(9, 2, 100_000), 1e-6),
        (RNG.beta(9, 2, 100_000).round(2), 1e-6),
        (1e6 + RNG.exponential(1, 100_000), 2e-5),
        (RNG.lognormal(0, 1.5, 100_000), 1e-2),
    ],
    ids=["beta", "rounded", "exponential", "heavy tail"],
)
def test_quantiles_are_those_of_the_expansion(values: Array, tolerance: float) -> None:
    made, error = convolved_means(values[None]), values.std() / np.sqrt(len(values))
    for level in LEVELS:
        found = float((made.quantile(level)[0] - values.mean()) / error)
        assert found == pytest.approx(expansion(values, level), abs=tolerance)


@pytest.mark.parametrize("share", [0.5, 0.03, 0.0003])
def test_of_zeros_and_ones_it_is_binomial(share: float) -> None:
    n = 100_000
    values = (np.arange(n) < share * n).astype(float)
    made = convolved_means(values[None])
    for level in LEVELS:
        # Between two steps of the binomial distribution.
        found = n * float(made.quantile(level)[0])
        below = float(stats.binom.cdf(np.floor(found) - 1, n, share))
        assert below <= level <= float(stats.binom.cdf(np.ceil(found), n, share))


def test_one_value_far_from_all_others() -> None:
    # How often it is drawn is a Poisson number, and between its steps the sum is normal.
    n, far = 100_000, 1e5
    values = np.sort(np.append(RNG.normal(size=n - 1), far))
    made = convolved_means(values[None])
    rest = values[:-1]
    times = np.arange(30)
    for place in (-0.01, 0.5, 1.02, 2.0):
        left = (place * n - times * far / n * n / far * far - (n - times) * rest.mean()) / (
            rest.std() * np.sqrt(n - times)
        )
        expected = stats.binom.pmf(times, n, 1 / n) @ stats.norm.cdf(left)
        found = made.share_below(np.array([place]), np.zeros(1))[0]
        assert found == pytest.approx(expected, abs=2e-3)


@pytest.mark.slow
def test_quantiles_are_those_of_many_draws() -> None:
    # By counts of the distinct values, which makes ten million draws of a thousand cases cheap.
    values, sizes = np.array([0.0, 0.5, 0.9, 1.0]), np.array([100, 200, 300, 400])
    draws = RNG.multinomial(1000, sizes / 1000, 10**7) @ values / 1000
    made = convolved_means(np.repeat(values, sizes)[None])
    error = float(made.standard_deviation()[0])
    for level in (0.025, 0.5, 0.975):
        assert float(made.quantile(level)[0]) == pytest.approx(
            float(np.quantile(draws, level)), abs=6e-3 * error
        )


def test_mean_and_standard_error_are_exact() -> None:
    values = RNG.gamma(2, size=(2, 1000))
    made = convolved_means(values)
    assert made.mean() == pytest.approx(values.mean(axis=1), rel=1e-14)
    assert made.standard_deviation() == pytest.approx(values.std(axis=1) / np.sqrt(1000))
    assert made.n_resamples is None
    assert made.n_undefined.tolist() == [0, 0]


def test_values_that_do_not_vary() -> None:
    made = convolved_means(np.full((1, 1000), 0.3))
    assert made.quantile(0.025)[0] == made.quantile(0.975)[0] == pytest.approx(0.3)
    assert made.share_below(np.array([0.3]), np.full(1, 1e-12))[0] == 0.5


def test_undefined_levels_have_no_quantile() -> None:
    made = convolved_means(RNG.gamma(2, size=(1, 1000)))
    assert np.isnan(made.quantile(np.array([np.nan]))[0])


# --------------------------------------------------------------------------- at the front door


@pytest.fixture
def _from_two_hundred_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convolution, "MANY", 200)


@pytest.mark.usefixtures("_from_two_hundred_on")
@pytest.mark.parametrize("method", ["bca", "percentile", "basic"])
def test_means_of_many_cases_need_no_draws(method: str) -> None:
    values = RNG.beta(9, 2, 200)
    exact = hw.summary_ci(values, metric="dsc", method=method)
    assert (exact.n_resamples, exact.seed) == (None, None)
    again = hw.summary_ci(values[::-1], metric="dsc", method=method)
    assert (again.low, again.high) == pytest.approx((exact.low, exact.high), rel=1e-12)
    drawn = hw.summary_ci(values, metric="dsc", method=method, n_resamples=20_000, rng=1)
    assert drawn.n_resamples == 20_000
    # The noise of bounds from so many draws is two hundredths of a standard error.
    bounds = (exact.low, exact.high)
    assert bounds == pytest.approx((drawn.low, drawn.high), abs=0.1 * exact.standard_error)


@pytest.mark.usefixtures("_from_two_hundred_on")
def test_other_statistics_are_drawn_as_ever() -> None:
    values = RNG.beta(9, 2, 200)
    assert hw.summary_ci(values, statistic="sd", method="bca", rng=1).n_resamples == 9999


def test_means_of_fewer_cases_are_drawn_as_ever() -> None:
    assert convolution.MANY == 100_000
    e = hw.summary_ci(RNG.beta(9, 2, 150), metric="dsc", method="bca", rng=1)
    assert (e.n_resamples, e.seed) == (9999, 1)
