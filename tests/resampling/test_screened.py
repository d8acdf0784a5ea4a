"""Sums made roughly first, against all of them made exactly: the same quantiles and shares."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from halfwidth.core.types import Array, Bounds, Level
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.intervals.catalogue import METHODS
from halfwidth.intervals.compute import intervals
from halfwidth.resampling.distribution import Replicates
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.screened import Linear, Screened, Weights

pytest.importorskip("numba")

ROWS, SIZE = 24, 2511
PROBABILITIES = (0.0, 1e-3, 0.025, 0.05, 0.11, 0.13, 0.5, 0.9, 0.975, 0.999, 1.0)


def skewed(generator: np.random.Generator, n: int) -> Array:
    return generator.beta(8, 2, (ROWS, n))


def heavy(generator: np.random.Generator, n: int) -> Array:
    """A few cases are a thousand times further out than the others."""
    made = generator.standard_t(1.5, (ROWS, n))
    made[::3, 0] = 1e3
    return made


def rounded(generator: np.random.Generator, n: int) -> Array:
    """Few different values, so that most replicates tie."""
    return np.round(generator.random((ROWS, n)), 1)


def alike(generator: np.random.Generator, n: int) -> Array:
    """Samples without spread, and with one odd case."""
    made = np.full((ROWS, n), 0.7)
    made[1::2, 0] += generator.random(ROWS // 2)
    return made


def remote(generator: np.random.Generator, n: int) -> Array:
    """A small spread far from 0."""
    return 1e6 + generator.normal(size=(ROWS, n))


MAKERS = [skewed, heavy, rounded, alike, remote]


def linear_of(values: Array, order: int, seed: int) -> Linear:
    n = values.shape[-1]
    draws = np.random.default_rng(seed).integers(0, n, (SIZE, n))
    counts = np.stack([np.bincount(row, minlength=n) for row in draws]).astype(float)
    deviations = values - np.median(values, axis=-1, keepdims=True)
    return Linear(np.stack([deviations**p for p in range(1, order + 1)]), Weights.of(counts))


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("n", [5, 60, 400])
def test_the_error_is_a_bound(
    make: Callable[[np.random.Generator, int], Array], order: int, n: int
) -> None:
    linear = linear_of(make(np.random.default_rng(n), n), order, seed=1)
    rough, error = linear.rough()
    off = np.abs(rough.astype(float) - linear.exact()).max(axis=-1)
    assert (off <= error).all()
    # Not so loose that it would say nothing: hundreds of replicates are told apart.
    if make is skewed:
        assert (error < 0.05 * linear.exact().std(axis=-1)).all()


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("n", [5, 60])
def test_quantiles_and_shares_are_exact(
    make: Callable[[np.random.Generator, int], Array], order: int, n: int
) -> None:
    linear = linear_of(make(np.random.default_rng(n), n), order, seed=2)
    exact = linear.exact()
    whole, screened = Replicates.sorting(exact.copy()), Screened.of(linear, None)
    size = np.abs(exact).max(axis=-1)
    allowed = 1e-12 * size
    for probability in (*PROBABILITIES, np.random.default_rng(3).random(ROWS)):
        off = np.abs(screened.quantile(probability) - whole.quantile(probability))
        assert (off <= allowed).all(), probability
    tolerance = 1e-11 * size
    for place in (0, 7, SIZE - 1):
        value = exact[:, place]
        np.testing.assert_array_equal(
            screened.share_below(value, tolerance), whole.share_below(value, tolerance)
        )
    np.testing.assert_allclose(
        screened.standard_deviation(), whole.standard_deviation(), rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("name", ["mean", "sd", "trimmed_mean"])
@pytest.mark.parametrize("make", [skewed, heavy, rounded])
def test_intervals_are_those_of_exact_replicates(
    name: str, make: Callable[[np.random.Generator, int], Array]
) -> None:
    values = make(np.random.default_rng(4), 41)
    statistic = resolve_statistic(name)
    methods = [METHODS[method] for method in ("percentile", "basic", "bca")]

    def bounds_of(plan: Plan) -> Array:
        levels = Level(0.95), Level(0.6), Level(0.9, "lower")
        made = intervals(
            values, statistic, methods, *levels, bounds=Bounds(-1e9, 1e9), plan=plan, errors=False
        )
        return np.array([[one.interval.low, one.interval.high] for one in made])

    screened = bounds_of(Plan(5, 2999, compiled=True, kept={}, screened=True))
    plain = bounds_of(Plan(5, 2999, compiled=False))
    scale = np.abs(values).max(axis=-1)
    np.testing.assert_allclose(screened / scale, plain / scale, rtol=1e-12, atol=1e-13)


def test_what_single_precision_cannot_hold_is_made_exactly() -> None:
    values = np.random.default_rng(6).random((ROWS, 30))
    assert linear_of(values, 2, seed=7).fits()
    assert not linear_of(values * 1e20, 2, seed=7).fits()
    assert not linear_of(values * 1e-20, 2, seed=7).fits()
