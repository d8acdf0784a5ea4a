from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from scipy import stats

from halfwidth import STATISTICS, OptionError, StatisticSpec
from halfwidth.core.spec import Statistic
from halfwidth.core.types import UNIT_INTERVAL, Array
from halfwidth.study import populations
from halfwidth.study.populations import EXAMPLES, Population, Truth, adaptive_kde, family, mixture
from halfwidth.summaries import iqr, mean, quantile, sd, trimmed_mean

VALUES = np.concatenate([np.random.default_rng(5).beta(8, 2, 150), np.ones(6), np.zeros(3)])
POPULATIONS: dict[str, Callable[[], Population]] = {
    "kde": lambda: adaptive_kde(VALUES, UNIT_INTERVAL),
    "empirical": lambda: populations.empirical(np.round(VALUES, 2)),
    "mixture": EXAMPLES["failures"],
    "lognormal": EXAMPLES["distance"],
    "skewnormal": lambda: family("skewnormal", shape=5, location=0.7, scale=0.1),
}


def named(name: str, **parameters: float) -> Statistic:
    return Statistic(STATISTICS[name], parameters)


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def exact(population: Population, statistic: Statistic) -> float:
    found = populations.truth(population, statistic, generator())
    assert found.standard_error == 0
    assert found.how in {"formula", "root"}
    return found.value


def check_against_draws(population: Population, seed: int, n: int, blocks: int) -> None:
    """Every statistic against large samples; 5 SE between 50 blocks: false alarm 8e-6 each."""
    rng = generator(seed)
    drawn = np.sort(population.draw(rng, blocks, n // blocks), axis=-1)
    for statistic, reduce in (
        (named("mean"), lambda x: x.mean(axis=-1)),
        (named("sd"), lambda x: x.std(axis=-1, ddof=1)),
        (named("trimmed_mean", share=0.25), lambda x: stats.trim_mean(x, 0.25, axis=-1)),
        (named("trimmed_mean", share=0.1), lambda x: stats.trim_mean(x, 0.1, axis=-1)),
        (named("iqr"), lambda x: stats.iqr(x, axis=-1)),
    ):
        values = reduce(drawn)
        error = values.std(ddof=1) / math.sqrt(blocks)
        value = exact(population, statistic)
        assert abs(values.mean() - value) <= 5 * error + 1e-12, statistic.spec.name
    # Of a quantile, by what lies below and up to it: right for jumps too; false alarm 6e-7.
    for p in (0.05, 0.25, 0.5, 0.9, 0.95):
        q = exact(population, named("quantile", q=p))
        slack = 5 * math.sqrt(p * (1 - p) / n)
        assert (drawn < q).mean() - slack <= p <= (drawn <= q).mean() + slack


@pytest.mark.parametrize("name", POPULATIONS)
def test_truths_agree_with_large_samples(name: str) -> None:
    check_against_draws(POPULATIONS[name](), seed=1, n=500_000, blocks=50)


@pytest.mark.slow
@pytest.mark.parametrize("name", POPULATIONS)
def test_truths_agree_with_two_million_draws(name: str) -> None:
    check_against_draws(POPULATIONS[name](), seed=2, n=2_000_000, blocks=50)


def test_truths_of_a_normal_are_those_of_the_book() -> None:
    population = family("normal", location=10, scale=2)
    z = stats.norm.ppf(0.75)
    expected: Mapping[Any, float] = {
        "mean": 10,
        "sd": 2,
        "median": 10,
        "iqr": 4 * z,
        "trimmed_mean": 10,
    }
    for name, value in expected.items():
        assert exact(population, named(name)) == pytest.approx(value, rel=1e-12)
    assert exact(population, named("quantile", q=0.9)) == pytest.approx(stats.norm(10, 2).ppf(0.9))


def test_the_sd_of_a_population_has_no_divisor() -> None:
    population = family("uniform")
    for ddof in (0.0, 1.0):
        assert exact(population, named("sd", ddof=ddof)) == math.sqrt(1 / 12)


def test_trimming_nothing_is_the_mean_and_trimming_all_but_the_middle_the_median() -> None:
    population = adaptive_kde(VALUES, UNIT_INTERVAL)
    mean_of_all = exact(population, named("mean"))
    assert exact(population, named("trimmed_mean", share=0)) == pytest.approx(mean_of_all)
    nearly = exact(population, named("trimmed_mean", share=0.4999))
    assert nearly == pytest.approx(exact(population, named("median")), abs=1e-4)


def test_how_a_truth_was_found_is_said() -> None:
    cases: list[tuple[Population, str, str]] = [
        (family("beta", a=8, b=2), "iqr", "formula"),
        (family("skewnormal", shape=1), "iqr", "root"),
        (family("skewnormal", shape=1), "sd", "formula"),
        (adaptive_kde(VALUES, UNIT_INTERVAL), "median", "root"),
        (adaptive_kde(VALUES, UNIT_INTERVAL), "mean", "formula"),
        (populations.empirical(VALUES), "trimmed_mean", "formula"),
        (mixture([family("normal")], [1]), "median", "root"),
    ]
    for population, name, how in cases:
        assert populations.truth(population, named(name), generator()).how == how


def test_an_exact_truth_draws_nothing() -> None:
    rng = generator(3)
    before = rng.bit_generator.state
    for name in ("mean", "sd", "median", "iqr", "trimmed_mean"):
        populations.truth(EXAMPLES["failures"](), named(name), rng)
    assert rng.bit_generator.state == before


def test_what_does_not_exist_is_nan_or_infinite() -> None:
    cauchy = family("t", df=1)
    assert math.isnan(exact(cauchy, named("mean")))
    assert exact(cauchy, named("median")) == pytest.approx(0, abs=1e-15)
    assert exact(cauchy, named("iqr")) == pytest.approx(2, rel=1e-9)
    assert exact(family("pareto", shape=0.5), named("mean")) == math.inf


# --------------------------------------------------------------------------- large draws


def mean_square(values: Array, *, axis: int = -1) -> Array:
    return np.asarray((values**2).mean(axis=axis))


def largest(values: Array) -> float:
    return float(values.max())


OWN = Statistic(StatisticSpec("mean", "mean square", mean_square))


def test_a_statistic_of_ones_own_is_drawn_whatever_its_name() -> None:
    population = family("beta", a=8, b=2)
    found = populations.truth(population, OWN, generator(4), draws=400_000)
    expected = population.standard_deviation**2 + population.mean**2
    assert found.how == "draw"
    # 20 blocks: 6 SE with 19 degrees of freedom has a false alarm of 9e-6.
    assert abs(found.value - expected) < 6 * found.standard_error
    # The SE of the mean of X² of that many cases, within the noise of 20 blocks (1e-4).
    second = stats.beta(8, 2).moment(4) - expected**2
    assert found.standard_error == pytest.approx(math.sqrt(second / 400_000), rel=0.6)


def test_large_draws_are_repeated_by_their_seed_and_use_all_blocks() -> None:
    population = family("normal")
    one, again = (populations.truth(population, OWN, generator(5), draws=2000) for _ in range(2))
    assert one == again
    drawn = population.draw(generator(5), 20, 100)
    blocks = mean_square(drawn)
    assert one.value == pytest.approx(blocks.mean())
    assert one.standard_error == pytest.approx(blocks.std(ddof=1) / math.sqrt(20))


def test_a_statistic_that_takes_one_sample_at_a_time_is_drawn_too() -> None:
    spec = StatisticSpec("largest", "largest", largest, vectorised=False)
    found = populations.truth(family("uniform"), Statistic(spec), generator(6), draws=100_000)
    assert found.value == pytest.approx(5000 / 5001, abs=2e-4)


def test_drawing_agrees_with_the_formulas() -> None:
    population = adaptive_kde(VALUES, UNIT_INTERVAL)
    for function, name, parameters in (
        (mean, "mean", {}),
        (sd, "sd", {}),
        (iqr, "iqr", {}),
        (trimmed_mean, "trimmed_mean", {"share": 0.25}),
        (quantile, "quantile", {"q": 0.9}),
    ):

        def wrapped(values: Array, *, axis: int = -1, **of: float) -> Array:
            return np.asarray(function(values, axis=axis, **of))  # noqa: B023 -- used at once

        own = Statistic(StatisticSpec("own", "own", wrapped), parameters)
        found = populations.truth(population, own, generator(7), draws=400_000)
        assert found.how == "draw"
        value = exact(population, named(name, **parameters))
        # 6 SE with 19 degrees of freedom: false alarm 9e-6 each.
        assert abs(found.value - value) < 6 * found.standard_error


def test_too_few_draws_are_said() -> None:
    with pytest.raises(OptionError, match="draws=39 is too few for 20 blocks"):
        populations.truth(family("normal"), OWN, generator(), draws=39)
    assert populations.truth(family("normal"), OWN, generator(), draws=40).how == "draw"


def test_a_truth_is_a_frozen_value() -> None:
    found = Truth(0.5, 0.0, "root")
    with pytest.raises(AttributeError):
        found.value = 1.0  # type: ignore[misc]
