"""Families fitted to values: SciPy's fits and distances, and p of the right size."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.diagnostic import lilliefors

from halfwidth import Bounds, DataError, OptionError, UnknownNameError
from halfwidth.study.analysis import kolmogorov_smirnov, lilliefors_p
from halfwidth.study.populations import family

UNIT, POSITIVE, LINE = Bounds(0, 1), Bounds(0, math.inf), None
# Parameters to draw from, the range, SciPy's name and what it must hold fixed.
FAMILIES: dict[str, tuple[dict[str, float], Bounds | None, Any, dict[str, float]]] = {
    "normal": ({"location": 2, "scale": 3}, LINE, stats.norm, {}),
    "t": ({"df": 3, "location": 1, "scale": 0.1}, LINE, stats.t, {}),
    "skewnormal": ({"shape": -4, "location": 1, "scale": 0.2}, LINE, stats.skewnorm, {}),
    "lognormal": ({"log_mean": 1, "log_sd": 0.5}, POSITIVE, stats.lognorm, {"floc": 0}),
    "logistic": ({"location": 1, "scale": 2}, LINE, stats.logistic, {}),
    "exponential": ({"scale": 3}, POSITIVE, stats.expon, {"floc": 0}),
    "chi2": ({"df": 3.3}, POSITIVE, stats.chi2, {"floc": 0, "fscale": 1}),
    "beta": ({"a": 5, "b": 0.7}, UNIT, stats.beta, {"floc": 0, "fscale": 1}),
    "gamma": ({"shape": 2.2, "scale": 4}, POSITIVE, stats.gamma, {"floc": 0}),
    "pareto": ({"shape": 2.2, "scale": 4}, POSITIVE, stats.pareto, {"floc": 0}),
    "weibull": ({"shape": 0.8, "scale": 4}, POSITIVE, stats.weibull_min, {"floc": 0}),
}
QUICK = [name for name in FAMILIES if name not in ("t", "skewnormal")]
# Random tests of a size fail by chance with a probability below this.
FALSE_ALARM = 1e-6


def drawn(name: str, n: int, seed: int) -> Any:
    return family(name, **FAMILIES[name][0]).draw(np.random.default_rng(seed), 1, n)[0]


def of_scipy(name: str, parameters: Any) -> Any:
    p = dict(parameters)
    known: dict[str, Any] = {
        "normal": lambda: stats.norm(p["location"], p["scale"]),
        "t": lambda: stats.t(p["df"], p["location"], p["scale"]),
        "skewnormal": lambda: stats.skewnorm(p["shape"], p["location"], p["scale"]),
        "lognormal": lambda: stats.lognorm(p["log_sd"], 0, math.exp(p["log_mean"])),
        "logistic": lambda: stats.logistic(p["location"], p["scale"]),
        "exponential": lambda: stats.expon(0, p["scale"]),
        "chi2": lambda: stats.chi2(p["df"]),
        "beta": lambda: stats.beta(p["a"], p["b"]),
        "gamma": lambda: stats.gamma(p["shape"], 0, p["scale"]),
        "pareto": lambda: stats.pareto(p["shape"], 0, p["scale"] * (1 - 1e-15)),
        "weibull": lambda: stats.weibull_min(p["shape"], 0, p["scale"]),
    }
    return known[name]()


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("n", [12, pytest.param(200, marks=pytest.mark.slow)])
def test_fits_are_as_likely_as_those_of_scipy(name: str, n: int) -> None:
    _, bounds, scipys, fixed = FAMILIES[name]
    values = drawn(name, n, 11)
    found = kolmogorov_smirnov(values, name, bounds=bounds)
    theirs = scipys(*scipys.fit(values, **fixed)).logpdf(values).mean()
    # A skew-normal whose likelihood grows on to an infinite shape is ended at 1000.
    less = 5e-3 if abs(found.parameters.get("shape", 0)) > 999 else 2e-5
    assert of_scipy(name, found.parameters).logpdf(values).mean() >= theirs - less


@pytest.mark.parametrize("name", FAMILIES)
def test_distance_and_p_are_those_of_scipy(name: str) -> None:
    values = drawn(name, 80, 12)
    found = kolmogorov_smirnov(values, name, bounds=FAMILIES[name][1])
    theirs = stats.kstest(values, of_scipy(name, found.parameters).cdf, method="exact")
    assert found.statistic == pytest.approx(theirs.statistic, abs=1e-12)
    assert found.p == pytest.approx(theirs.pvalue, rel=1e-6)


def test_distance_by_hand() -> None:
    # Mean 2, so F(x) = 1 - exp(-x/2): 0.3935, 0.3935, 0.8647; D = 2/3 - 0.3935 before rounding,
    # against 0.3935 - 0 below the first.
    found = kolmogorov_smirnov([1.0, 1.0, 4.0], "exponential", bounds=POSITIVE)
    assert found.statistic == pytest.approx(max(1 - math.exp(-0.5), 2 / 3 - 1 + math.exp(-0.5)))
    assert found.parameters == {"scale": 2.0}


def test_closed_forms_by_hand() -> None:
    pareto = kolmogorov_smirnov([1.0, math.e, math.e**2], "pareto", bounds=POSITIVE)
    assert pareto.parameters == pytest.approx({"shape": 1.0, "scale": 1.0})
    lognormal = kolmogorov_smirnov([1.0, math.e**2], "lognormal", bounds=POSITIVE)
    assert lognormal.parameters == pytest.approx({"log_mean": 1.0, "log_sd": 1.0})


def test_pareto_of_logits_starts_at_the_lowest() -> None:
    # Lomax: excesses have a Pareto tail; against SciPy with the start fixed.
    excess = np.sort(stats.lomax(2.0, scale=3.0).rvs(300, random_state=5))
    values = np.concatenate([[0.0], excess]) - 7
    found = kolmogorov_smirnov(values, "pareto").parameters
    assert found["location"] + found["scale"] == pytest.approx(-7.0)
    shape, _, scale = stats.lomax.fit(excess, floc=0)
    assert found["shape"] == pytest.approx(shape, rel=2e-3)
    assert found["scale"] == pytest.approx(scale, rel=2e-3)


@pytest.mark.parametrize("name", ["normal", "logistic", "t", "skewnormal"])
def test_distances_do_not_depend_on_the_unit(name: str) -> None:
    values = drawn(name, 60, 3)
    first = kolmogorov_smirnov(values, name)
    second = kolmogorov_smirnov(250 - 100 * values, name)
    assert first.statistic == pytest.approx(second.statistic, abs=1e-5)


def test_a_beta_of_another_range() -> None:
    values = drawn("beta", 60, 3)
    first = kolmogorov_smirnov(values, "beta", bounds=UNIT)
    second = kolmogorov_smirnov(2 * values - 1, "beta", bounds=Bounds(-1, 1))
    assert second.statistic == pytest.approx(first.statistic, abs=1e-9)
    assert (second.parameters["location"], second.parameters["scale"]) == (-1.0, 2.0)


# --------------------------------------------------------------------------- odd values


def test_values_at_an_end_are_moved_for_the_fit_only() -> None:
    values = [0.0, 0.0, 0.4, 0.5, 0.8, 1.0]
    found = kolmogorov_smirnov(values, "beta", bounds=UNIT)
    inside = [0.2, 0.2, 0.4, 0.5, 0.8, 0.9]
    assert found.moved == 3
    shapes = stats.beta.fit(inside, floc=0, fscale=1)[:2]
    assert (found.parameters["a"], found.parameters["b"]) == pytest.approx(shapes, rel=1e-4)
    # D is of the values as they are: a third of them at 0, where a beta has nothing.
    assert found.statistic == pytest.approx(stats.kstest(values, stats.beta(*shapes).cdf)[0], 1e-4)
    # An exponential can be 0; nothing is moved.
    assert kolmogorov_smirnov(values, "exponential", bounds=UNIT).moved == 0


@pytest.mark.parametrize("name", FAMILIES)
def test_equal_values_are_a_failure_that_is_told(name: str) -> None:
    found = kolmogorov_smirnov([0.5] * 9, name, bounds=UNIT)
    assert math.isnan(found.statistic)
    assert math.isnan(found.p)
    assert found.failure == "all values are equal"
    assert math.isnan(lilliefors_p([0.5] * 9, name, bounds=UNIT, draws=9, rng=1))


@pytest.mark.parametrize("factor", [1e300, 1e-300])
@pytest.mark.parametrize("name", ["normal", "skewnormal", "gamma", "chi2"])
def test_values_beyond_what_squares_hold(name: str, factor: float) -> None:
    values = factor * np.random.default_rng(5).random(20)
    bounds = POSITIVE if name in ("gamma", "chi2") else LINE
    assert "too large, or too close" in kolmogorov_smirnov(values, name, bounds=bounds).failure


def test_values_at_both_ends_only_have_no_inside() -> None:
    found = kolmogorov_smirnov([0.0, 1.0, 1.0], "beta", bounds=UNIT)
    assert (found.moved, found.failure) == (3, "no maximum of the likelihood found")


def test_many_equal_values_do_not_break_a_t() -> None:
    values = [0.0] * 30 + list(np.linspace(0.1, 0.9, 20))
    assert 0 < kolmogorov_smirnov(values, "t").statistic < 1


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"family": "gama"}, UnknownNameError, "did you mean 'gamma'"),
        ({"family": "uniform"}, UnknownNameError, "unknown family to fit 'uniform'"),
        ({"family": "gamma", "bounds": Bounds(-1, 1)}, OptionError, "needs no values below 0"),
        ({"family": "gamma"}, OptionError, "needs bounds="),
        ({"family": "beta", "bounds": POSITIVE}, OptionError, "needs two finite ends"),
        ({"family": "beta", "bounds": Bounds(0, 0.5)}, DataError, "lie outside"),
        ({"values": [1.0, math.nan, 2.0], "family": "normal"}, DataError, "missing or infinite"),
        ({"values": [1.0], "family": "normal"}, DataError, "at least 2 cases"),
    ],
)
def test_what_cannot_be_tested(given: dict[str, Any], error: type, words: str) -> None:
    values = given.pop("values", [0.1, 0.4, 0.9])
    with pytest.raises(error, match=words):
        kolmogorov_smirnov(values, **given)


@pytest.mark.parametrize("draws", [0, -1, True, 2.5])
def test_draws_are_counted(draws: Any) -> None:
    with pytest.raises(OptionError, match=r"draws=.* must be an integer ≥ 1"):
        lilliefors_p([0.1, 0.4, 0.9], "normal", draws=draws)


# --------------------------------------------------------------------------- bootstrap


def test_same_seed_same_p() -> None:
    values = drawn("gamma", 30, 2)
    how: dict[str, Any] = {"bounds": POSITIVE, "draws": 49}
    found = [lilliefors_p(values, "gamma", rng=seed, **how) for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "theirs"), [("normal", "norm"), ("exponential", "exp")])
def test_p_against_the_tables_of_statsmodels(name: str, theirs: str) -> None:
    # Monte-Carlo SE at most 0.0036 with 19 999 draws, so 0.02 is beyond 5 SE; the tables are
    # simulated too. Their SD divides by n - 1, which moves D and its distribution alike.
    for seed in range(4):
        values = drawn(name, 50, seed) ** (1.6 if name == "exponential" else 1)
        values = np.sign(values) * np.abs(values) ** (1.3 if name == "normal" else 1)
        expected = lilliefors(values, theirs, pvalmethod="table")[1]
        found = lilliefors_p(
            values, name, bounds=POSITIVE if theirs == "exp" else None, draws=19_999, rng=seed
        )
        # Their tables end at these.
        assert np.clip(found, 0.001, 0.99) == pytest.approx(expected, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(x, marks=pytest.mark.slow) for x in ("t", "skewnormal"))]
)
def test_size_of_the_bootstrap(name: str) -> None:
    """Of samples of the family 5 % are rejected at 5 %: with 19 draws, those beyond all D*."""
    count, n = (100, 25) if name in QUICK else (40, 25)
    bounds = FAMILIES[name][1]
    found = [
        lilliefors_p(drawn(name, n, 1000 + k), name, bounds=bounds, draws=19, rng=k)
        for k in range(count)
    ]
    rejected = sum(p <= 0.05 for p in found)
    chance = stats.binom(count, 0.05)
    assert chance.ppf(FALSE_ALARM / 2) <= rejected <= chance.isf(FALSE_ALARM / 2)


def test_the_nominal_p_rejects_too_seldom() -> None:
    """Of normal samples less than 1 % are rejected at a nominal 5 %."""
    found = [kolmogorov_smirnov(drawn("normal", 25, k), "normal").p for k in range(400)]
    # The true share is about 0.0001; more than 4 of 400 by chance: below 1e-9.
    assert sum(p <= 0.05 for p in found) <= 4


def test_power_against_another_family() -> None:
    # 200 exponential values are no normal ones; at this n the p is the lowest there is.
    assert lilliefors_p(drawn("exponential", 200, 1), "normal", draws=99, rng=1) == 0.01


def test_draws_at_an_end_of_the_support_are_fitted_too() -> None:
    # Shapes of 0.02 give draws of exactly 0 and 1 by underflow.
    values = np.clip(family("beta", a=0.02, b=0.02).draw(np.random.default_rng(1), 1, 40)[0], 0, 1)
    p = lilliefors_p(values, "beta", bounds=UNIT, draws=19, rng=1)
    assert 0.05 <= p <= 1
