"""Tails of replicates against rows sorted as a whole: the same answers, to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from halfwidth import METHODS, Bounds
from halfwidth.core.types import Array, Level
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.intervals.compute import intervals
from halfwidth.resampling.distribution import Replicates
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.kernels import native, native_selection
from halfwidth.resampling.tails import Tails, as_distribution

pytestmark = pytest.mark.skipif(not native.available(), reason="there is no compiled library")

ROWS, SIZE = 40, 3001
PROBABILITIES = (0.0, 1e-4, 0.005, 0.025, 0.05, 0.0801, 0.2, 0.5, 0.77, 0.93, 0.975, 0.9999, 1.0)


def smooth(generator: np.random.Generator) -> Array:
    return generator.normal(size=(ROWS, SIZE))


def skewed(generator: np.random.Generator) -> Array:
    return generator.lognormal(sigma=2.0, size=(ROWS, SIZE))


def tied(generator: np.random.Generator) -> Array:
    """From two to forty values in a row."""
    return np.stack(
        [generator.integers(0, 2 + row, SIZE) / (1 + row) for row in range(ROWS)], axis=0
    )


def undefined(generator: np.random.Generator) -> Array:
    """Any share of NaN, from none to all, and infinite ones."""
    made = generator.normal(size=(ROWS, SIZE))
    made[generator.random((ROWS, SIZE)) < np.linspace(0, 1, ROWS)[:, None]] = np.nan
    made[5, :40], made[6, :700] = np.inf, -np.inf
    made[7] = 0.25
    return made


def uneven(generator: np.random.Generator) -> Array:
    """The first replicates are unlike the others, so that limits cut off too much or too little."""
    made = generator.normal(size=(ROWS, SIZE))
    made[::2, :256] += 5
    made[1::2, :256] *= 0.01
    return made


@pytest.mark.parametrize("make", [smooth, skewed, tied, undefined, uneven])
def test_answers_are_those_of_sorted_rows(make: object) -> None:
    rows: Array = make(np.random.default_rng(3))  # type: ignore[operator]
    whole, tails = Replicates.sorting(rows.copy()), Tails.from_replicates(rows.copy())
    assert (tails.n_undefined == whole.n_undefined).all()
    for probability in PROBABILITIES:
        np.testing.assert_array_equal(tails.quantile(probability), whole.quantile(probability))
    each = np.random.default_rng(4).random(ROWS)
    np.testing.assert_array_equal(tails.quantile(each), whole.quantile(each))
    for value in (rows[:, 0], np.zeros(ROWS), np.full(ROWS, 0.25)):
        for tolerance in (0.0, 1e-12, 0.1):
            np.testing.assert_array_equal(
                tails.share_below(value, np.asarray(tolerance)),
                whole.share_below(value, np.asarray(tolerance)),
            )


@pytest.mark.parametrize("make", [smooth, skewed, tied])
def test_moments_agree_to_rounding(make: object) -> None:
    rows: Array = make(np.random.default_rng(5))  # type: ignore[operator]
    whole, tails = Replicates.sorting(rows.copy()), Tails.from_replicates(rows.copy())
    np.testing.assert_allclose(tails.mean(), whole.mean(), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(tails.standard_deviation(), whole.standard_deviation(), rtol=1e-12)
    np.testing.assert_allclose(tails.mean(), rows.mean(axis=-1), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(tails.standard_deviation(), rows.std(axis=-1, ddof=1), rtol=1e-9)


@pytest.mark.parametrize("size", [2000, 2001, 2007, 9999])
def test_every_replicate_is_counted_whatever_their_number(size: int) -> None:
    rows = np.random.default_rng(6).normal(size=(20, size))
    rows[:, -1] = 99.0
    rows[:, -2] = -99.0
    made = Tails.from_replicates(rows.copy())
    assert (made.quantile(1.0) == 99).all()
    assert (made.quantile(0.0) == -99).all()
    below = native_selection.count_below(rows, np.full(20, 99.0), np.full(20, 99.0))
    assert (below[:, 0] == size - 1).all()
    assert (below[:, 1] == size).all()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["mean", "sd", "trimmed_mean", "iqr"])
def test_intervals_do_not_depend_on_the_kernels(name: str) -> None:
    """A batch with plenty of rows, and each of its samples alone, on the same draws."""
    statistic = resolve_statistic(name)
    values = np.random.default_rng(7).beta(8, 2, (24, 31))
    methods = [METHODS[method] for method in ("percentile", "basic", "bca")]

    def bounds_of(part: Array, *, compiled: bool) -> NDArray[np.float64]:
        plan = Plan(8, 2499, compiled=compiled, kept={} if compiled else None)
        levels = Level(0.95), Level(0.5)
        made = intervals(part, statistic, methods, *levels, bounds=Bounds(0, 1), plan=plan)
        return np.array([[one.interval.low, one.interval.high] for one in made])

    fast, plain = bounds_of(values, compiled=True), bounds_of(values, compiled=False)
    np.testing.assert_allclose(fast, plain, rtol=1e-12, atol=1e-13)
    alone = np.concatenate([bounds_of(one[None], compiled=False) for one in values], axis=-1)
    np.testing.assert_allclose(fast, alone, rtol=1e-12, atol=1e-13)


def test_few_rows_are_sorted_and_many_are_not() -> None:
    rows = np.random.default_rng(9).normal(size=(20, 2500))
    assert isinstance(as_distribution(rows.copy(), Plan(1, 2500, compiled=True)), Tails)
    assert isinstance(as_distribution(rows[:3].copy(), Plan(1, 2500, compiled=True)), Replicates)
    assert isinstance(as_distribution(rows.copy(), Plan(1, 2500, compiled=False)), Replicates)
