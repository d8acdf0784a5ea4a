from __future__ import annotations

import functools
import math
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from halfwidth import Bounds, DataError
from halfwidth.core.types import UNBOUNDED, UNIT_INTERVAL, Array
from halfwidth.study.populations import AdaptiveKde, Population, adaptive_kde

SKEWED = np.round(np.random.default_rng(5).beta(8, 2, 40), 3)
WITH_ATOMS = np.concatenate([SKEWED, [0.0, 0.0, 1.0, 1.0, 1.0]])
HEAVY = np.random.default_rng(6).lognormal(0, 1, 60)
POPULATIONS = {
    "skewed": (SKEWED, UNIT_INTERVAL),
    "atoms": (WITH_ATOMS, UNIT_INTERVAL),
    "heavy": (HEAVY, Bounds(0, math.inf)),
    "unbounded": (HEAVY - 2, UNBOUNDED),
    "constant": (np.full(7, 0.5), UNIT_INTERVAL),
    "on the bounds": (np.array([0.0, 0.0, 1.0, 1.0, 1.0]), UNIT_INTERVAL),
    "two": (np.array([0.2, 0.3]), UNIT_INTERVAL),
}
NAMES = list(POPULATIONS)


def made(name: str) -> AdaptiveKde:
    return adaptive_kde(*POPULATIONS[name])


# --------------------------------------------------------------------------- draws


@pytest.mark.parametrize("name", NAMES)
def test_draws_follow_the_distribution(name: str) -> None:
    population = made(name)
    n = 200_000
    drawn = np.sort(population.draw(np.random.default_rng(11), 20, n // 20).ravel())
    at, counts = np.unique(drawn, return_counts=True)
    upto = np.cumsum(counts) / n
    # Massart's inequality holds whatever the distribution; false alarm 1e-6.
    gap = math.sqrt(math.log(2e6) / (2 * n))
    assert np.abs(population.cdf(at) - upto).max() < gap
    for place, mass in zip(*population.atoms, strict=True):
        share = (drawn == place).mean()
        assert abs(share - mass) <= 5 * math.sqrt(mass * (1 - mass) / n) + 1e-12


def test_samples_are_independent_rows_of_one_stream() -> None:
    population = made("skewed")
    whole = population.draw(np.random.default_rng(4), 30, 1000)
    generator = np.random.default_rng(4)
    parts = np.concatenate([population.draw(generator, 10, 1000) for _ in range(3)])
    np.testing.assert_array_equal(whole, parts)
    assert len(np.unique(whole)) > 29_990
    means = whole.mean(axis=1)
    expected = population.standard_deviation / math.sqrt(1000)
    # The SD of 30 independent means; a factor beyond 0.5 to 1.6 has a chance below 1e-5.
    assert 0.5 < means.std(ddof=1) / expected < 1.6


# --------------------------------------------------------------------------- doors


def test_populations_are_pickled_with_their_draws() -> None:
    build = pickle.loads(  # noqa: S301 -- our own bytes
        pickle.dumps(functools.partial(adaptive_kde, WITH_ATOMS, UNIT_INTERVAL))
    )
    population = build()
    assert isinstance(population, Population)
    assert population.kind == "kde"
    assert population.quantile(0.5) > 0  # caches are filled
    again = pickle.loads(pickle.dumps(population))  # noqa: S301 -- our own bytes
    one = population.draw(np.random.default_rng(1), 2, 50)
    np.testing.assert_array_equal(one, again.draw(np.random.default_rng(1), 2, 50))


@pytest.mark.parametrize(
    ("values", "bounds", "said"),
    [
        ([0.5], UNIT_INTERVAL, "at least 2 cases, got 1"),
        ([], UNIT_INTERVAL, "at least 2 cases, got 0"),
        ([0.5, math.nan, 0.2], UNIT_INTERVAL, "1 of 3 are missing or infinite, the first at po"),
        ([0.5, 0.1, math.inf], UNBOUNDED, "the first at position 2"),
        ([0.5, 89.1, 93.0], UNIT_INTERVAL, r"2 of 3 values lie outside the bounds \[0, 1\], 93"),
        ([[0.5, 0.4]], UNIT_INTERVAL, r"got shape \(1, 2\)"),
        (["a", "b"], UNIT_INTERVAL, "needs numbers"),
        (np.zeros(262_145), UNIT_INTERVAL, "at most 262144 cases"),
    ],
)
def test_what_cannot_be_fitted_is_said(values: Array, bounds: Bounds, said: str) -> None:
    with pytest.raises(DataError, match=said):
        adaptive_kde(values, bounds)


# --------------------------------------------------------------------------- real data


def test_real_instances_stay_in_range(shared: Path) -> None:
    files = sorted((shared / "data" / "touchstone").glob("*_dsc.csv"))
    generator = np.random.default_rng(0)
    fitted = 0
    for file in files:
        table = pd.read_csv(file).drop(columns="name")
        for column in table:
            values = table[column].dropna().to_numpy()
            population = adaptive_kde(values, UNIT_INTERVAL)
            assert population.support[0] >= 0
            assert population.support[1] <= 1
            drawn = population.draw(generator, 20, 250)
            assert drawn.min() >= 0
            assert drawn.max() <= 1
            assert population.atoms[1].sum() == pytest.approx(np.isin(values, [0, 1]).mean())
            fitted += 1
    assert fitted == 81


def test_a_large_instance_is_fitted_in_seconds_and_little_memory() -> None:
    import tracemalloc

    values = np.random.default_rng(1).beta(8, 2, 25_000)
    tracemalloc.start()
    population = adaptive_kde(values, UNIT_INTERVAL)
    q = population.quantile([0.1, 0.5, 0.9])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6
    # The KDE of so many cases is the distribution that they come from, or nearly.
    np.testing.assert_allclose(q, [0.6316, 0.8204, 0.9392], atol=0.01)
