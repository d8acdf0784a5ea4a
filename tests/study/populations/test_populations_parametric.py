from __future__ import annotations

import math
import pickle
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from halfwidth import OptionError, UnknownNameError
from halfwidth.study.populations import FAMILIES, Parametric, Population, family

# Each family with parameters, and the same distribution of SciPy.
CASES: list[tuple[str, dict[str, float], Any]] = [
    ("normal", {}, stats.norm()),
    ("normal", {"location": 0.8, "scale": 0.1}, stats.norm(0.8, 0.1)),
    ("t", {"df": 5}, stats.t(5)),
    ("t", {"df": 30.5, "location": -2, "scale": 3}, stats.t(30.5, -2, 3)),
    ("t", {"df": 1e5}, stats.t(1e5)),
    ("skewnormal", {"shape": 4}, stats.skewnorm(4)),
    ("skewnormal", {"shape": -7.5, "location": 0.9, "scale": 0.2}, stats.skewnorm(-7.5, 0.9, 0.2)),
    ("skewnormal", {"shape": 0}, stats.norm()),
    ("lognormal", {}, stats.lognorm(1)),
    (
        "lognormal",
        {"log_mean": 0.5, "log_sd": 0.4, "location": -1},
        stats.lognorm(0.4, -1, math.exp(0.5)),
    ),
    ("logistic", {"location": 1, "scale": 0.25}, stats.logistic(1, 0.25)),
    ("exponential", {"scale": 2.5, "location": 1}, stats.expon(1, 2.5)),
    ("chi2", {"df": 3}, stats.chi2(3)),
    ("chi2", {"df": 0.8, "location": 1, "scale": 2}, stats.chi2(0.8, 1, 2)),
    ("beta", {"a": 8, "b": 2}, stats.beta(8, 2)),
    ("beta", {"a": 0.5, "b": 0.7, "location": 10, "scale": 5}, stats.beta(0.5, 0.7, 10, 5)),
    ("gamma", {"shape": 2.2, "scale": 3}, stats.gamma(2.2, 0, 3)),
    ("pareto", {"shape": 5.5, "scale": 2, "location": -1}, stats.pareto(5.5, -1, 2)),
    ("weibull", {"shape": 1.7, "scale": 2, "location": 1}, stats.weibull_min(1.7, 1, 2)),
    ("weibull", {"shape": 0.6}, stats.weibull_min(0.6)),
    ("uniform", {"low": -1, "high": 3}, stats.uniform(-1, 4)),
    ("bernoulli", {"probability": 0.3}, stats.bernoulli(0.3)),
]
NAMED = pytest.mark.parametrize(
    ("name", "parameters", "oracle"),
    CASES,
    ids=[f"{name}-{place}" for place, (name, *_) in enumerate(CASES)],
)
CONTINUOUS = pytest.mark.parametrize(
    ("name", "parameters", "oracle"),
    CASES[:-1],
    ids=[f"{name}-{place}" for place, (name, *_) in enumerate(CASES[:-1])],
)
LEVELS = np.array([1e-4, 0.01, 0.1, 0.25, 0.3, 0.5, 0.7, 0.75, 0.9, 0.99, 0.9999])


def test_every_family_is_tested() -> None:
    assert {name for name, _, _ in CASES} == set(FAMILIES.names)


@NAMED
def test_distribution_function_agrees_with_scipy(
    name: str, parameters: Mapping[str, float], oracle: Any
) -> None:
    population = family(name, **parameters)
    spread = float(oracle.std())
    x = np.linspace(oracle.mean() - 5 * spread, oracle.mean() + 5 * spread, 101)
    x = np.concatenate([x, [-math.inf, math.inf, 0.0, 1.0]])
    np.testing.assert_allclose(population.cdf(x), oracle.cdf(x), rtol=1e-9, atol=1e-14)
    assert np.isnan(population.cdf(math.nan))


@NAMED
def test_quantiles_agree_with_scipy(
    name: str, parameters: Mapping[str, float], oracle: Any
) -> None:
    population = family(name, **parameters)
    np.testing.assert_allclose(population.quantile(LEVELS), oracle.ppf(LEVELS), 1e-9, 1e-14)
    low, high = population.quantile([0.0, 1.0])
    assert (low, high) == population.support
    np.testing.assert_allclose(population.support, oracle.support())
    assert np.isnan(population.quantile([-0.1, 1.1, math.nan])).all()
    assert population.quantile(0.5).shape == ()
    span = population.quantile(0.9) - population.quantile(0.1)
    assert population.interdecile_range == pytest.approx(span)


@CONTINUOUS
def test_quantile_undoes_the_distribution_function(
    name: str, parameters: Mapping[str, float], oracle: Any
) -> None:
    population = family(name, **parameters)
    levels = np.linspace(0.001, 0.999, 200)
    np.testing.assert_allclose(population.cdf(population.quantile(levels)), levels, 1e-12, 1e-12)
    assert oracle.cdf(float(population.quantile(0.5))) == pytest.approx(0.5, rel=1e-10)


@NAMED
def test_moments_agree_with_scipy(name: str, parameters: Mapping[str, float], oracle: Any) -> None:
    population = family(name, **parameters)
    mean, variance, skewness, excess = (float(m) for m in oracle.stats("mvsk"))
    assert population.mean == pytest.approx(mean, rel=1e-10)
    assert population.standard_deviation == pytest.approx(math.sqrt(variance), rel=1e-10)
    assert population.skewness == pytest.approx(skewness, rel=1e-8, abs=1e-10)
    assert population.kurtosis == pytest.approx(excess + 3, rel=1e-8)


@pytest.mark.sampled(5)
@CONTINUOUS
@pytest.mark.parametrize("ends", [(0.25, 0.75), (0.02, 0.4), (0.9, 0.999)])
def test_partial_means_agree_with_quadrature(
    name: str, parameters: Mapping[str, float], oracle: Any, ends: tuple[float, float]
) -> None:
    nodes, weights = np.polynomial.legendre.leggauss(200)
    half = (ends[1] - ends[0]) / 2
    p = ends[0] + half * (nodes + 1)
    expected = half * (oracle.ppf(p) @ weights)
    found = family(name, **parameters).partial_mean(*ends)
    assert found == pytest.approx(expected, rel=1e-8, abs=1e-12)


@NAMED
def test_the_whole_partial_mean_is_the_mean(
    name: str, parameters: Mapping[str, float], oracle: Any
) -> None:
    population = family(name, **parameters)
    assert population.partial_mean(0, 1) == pytest.approx(oracle.mean(), rel=1e-10, abs=1e-14)
    left = population.partial_mean(0, 0.2) + population.partial_mean(0.2, 1)
    assert left == pytest.approx(oracle.mean(), rel=1e-9, abs=1e-12)


def test_partial_means_without_a_mean() -> None:
    cauchy = family("t", df=1)
    # ∫ tan(π(p - ½)) dp = log|cos| / -π.
    expected = -(math.log(math.cos(0.4 * math.pi)) - math.log(math.cos(0.1 * math.pi))) / math.pi
    assert cauchy.partial_mean(0.6, 0.9) == pytest.approx(expected, rel=1e-12)
    assert cauchy.partial_mean(0.25, 0.75) == pytest.approx(0, abs=1e-15)
    assert cauchy.partial_mean(0.5, 1) == math.inf
    assert math.isnan(cauchy.partial_mean(0, 1))
    heavy = family("pareto", shape=1)
    assert heavy.partial_mean(0.2, 0.6) == pytest.approx(math.log(2), rel=1e-12)
    assert heavy.partial_mean(0.2, 1) == math.inf
    low, high = 0.3, 0.8
    for population, oracle in (
        (family("t", df=0.4), stats.t(0.4)),
        (family("pareto", shape=0.3), stats.pareto(0.3)),
    ):
        expected = integrate.quad(oracle.ppf, low, high, epsabs=1e-12)[0]
        assert population.partial_mean(low, high) == pytest.approx(expected, rel=1e-8)


def test_bernoulli_partial_means_and_ties() -> None:
    population = family("bernoulli", probability=0.3)
    assert population.partial_mean(0.6, 0.9) == pytest.approx(0.2)
    assert population.partial_mean(0.1, 0.7) == 0
    assert population.quantile([0.0, 0.69, 0.7, 0.71, 1.0]).tolist() == [0, 0, 0, 1, 1]
    for tenths in range(11):
        # F(0) = 1 - probability is reached at that level, whatever rounding does.
        at = family("bernoulli", probability=tenths / 10)
        assert float(at.quantile((10 - tenths) / 10)) == (0.0 if tenths < 10 else 1.0)
    assert family("bernoulli", probability=1).support == (1.0, 1.0)
    assert family("bernoulli", probability=0).support == (0.0, 0.0)
    assert math.isnan(family("bernoulli", probability=1).skewness)


@pytest.mark.parametrize(
    ("name", "parameters", "expected"),
    [
        ("t", {"df": 1}, (math.nan, math.nan, math.nan, math.nan)),
        ("t", {"df": 2}, (0, math.inf, math.nan, math.nan)),
        ("t", {"df": 3}, (0, math.sqrt(3), math.nan, math.inf)),
        ("t", {"df": 4}, (0, math.sqrt(2), 0, math.inf)),
        ("pareto", {"shape": 1}, (math.inf, math.nan, math.nan, math.nan)),
        ("pareto", {"shape": 2}, (2, math.inf, math.nan, math.nan)),
        ("pareto", {"shape": 3}, (1.5, math.sqrt(0.75), math.inf, math.inf)),
        ("pareto", {"shape": 4}, (4 / 3, math.sqrt(2 / 9), 5 * math.sqrt(2), math.inf)),
    ],
)
def test_moments_that_do_not_exist(
    name: str, parameters: Mapping[str, float], expected: tuple[float, ...]
) -> None:
    population = family(name, **parameters)
    found = (
        population.mean,
        population.standard_deviation,
        population.skewness,
        population.kurtosis,
    )
    np.testing.assert_allclose(found, expected)


@pytest.mark.sampled(2)
@NAMED
def test_draws_follow_the_distribution(
    name: str, parameters: Mapping[str, float], oracle: Any
) -> None:
    population = family(name, **parameters)
    n = 60_000
    drawn = population.draw(np.random.default_rng(21), 6, n // 6)
    assert drawn.shape == (6, n // 6)
    assert drawn.dtype == np.float64
    at, counts = np.unique(drawn, return_counts=True)
    # Massart's inequality, a false alarm of 1e-6 for each family.
    gap = math.sqrt(math.log(2e6) / (2 * n))
    assert np.abs(oracle.cdf(at) - np.cumsum(counts) / n).max() < gap
    assert abs(np.corrcoef(drawn[0], drawn[1])[0, 1]) < 5.5 / math.sqrt(n // 6)


def test_importing_populations_loads_numpy_only() -> None:
    heavy = ("scipy", "pandas", "numba", "matplotlib", "joblib", "rich", "typer")
    code = (
        "import sys, halfwidth.study.populations; "
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_populations_are_pickled() -> None:
    population = family("gamma", shape=2)
    assert population.mean == 2
    again = pickle.loads(pickle.dumps(population))  # noqa: S301 -- our own bytes
    assert again == population
    assert isinstance(again, Parametric)
    assert isinstance(again, Population)
    assert (again.kind, again.quantile_how) == ("parametric", "formula")
    assert family("skewnormal", shape=1).quantile_how == "root"


def test_families_say_their_parameters() -> None:
    assert FAMILIES["beta"].parameters == {"a": None, "b": None, "location": 0.0, "scale": 1.0}
    assert FAMILIES["Student"].name == "t"
    assert all(entry.summary for entry in FAMILIES)


@pytest.mark.parametrize(
    ("name", "parameters", "error", "said"),
    [
        ("gama", {}, UnknownNameError, "did you mean 'gamma'"),
        ("beta", {"a": 1, "c": 2}, UnknownNameError, "parameter of beta 'c'.*Known: a, b, loc"),
        ("normal", {"scal": 2}, UnknownNameError, "did you mean 'scale'"),
        ("beta", {"a": 1}, OptionError, "beta needs b"),
        ("beta", {"a": 1, "b": 0}, OptionError, "beta: b=0 is not above 0"),
        ("normal", {"scale": -1}, OptionError, "scale=-1 is not above 0"),
        ("normal", {"scale": math.nan}, OptionError, "scale=nan"),
        ("normal", {"location": math.inf}, OptionError, "location=inf is not finite"),
        ("normal", {"location": True}, OptionError, "location=True is not a number"),
        ("bernoulli", {"probability": 1.2}, OptionError, "at most 1"),
        ("uniform", {"low": 2}, OptionError, "low=2 is not below high=1"),
    ],
)
def test_wrong_parameters_are_said(
    name: str, parameters: Mapping[str, float], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        family(name, **parameters)
