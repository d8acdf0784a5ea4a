"""Fast replicates, against gathering every resample of the same draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from halfwidth import METHODS, StatisticSpec
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Level
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.intervals.compute import intervals
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import bootstrap_distribution, leave_one_out, replicates
from halfwidth.resampling.kernels import reference

Array = NDArray[np.float64]
Reduces = Callable[[Array], Any]


def quantile_at(q: float) -> Reduces:
    return lambda values: np.quantile(values, q, axis=-1)


def sd_with(ddof: int) -> Reduces:
    return lambda values: np.std(values, axis=-1, ddof=ddof)


def trimmed_by(share: float) -> Reduces:
    return lambda values: stats.trim_mean(values, share, axis=-1)


# Every statistic with a declared form, and the same by NumPy or SciPy.
STATISTICS: dict[str, Reduces] = {
    "mean": lambda values: np.mean(values, axis=-1),
    "sd": sd_with(1),
    "sd:ddof=0": sd_with(0),
    "trimmed_mean": trimmed_by(0.25),
    "trimmed_mean:0": trimmed_by(0.0),
    "trimmed_mean:0.05": trimmed_by(0.05),
    "trimmed_mean:0.1": trimmed_by(0.1),
    "trimmed_mean:0.45": trimmed_by(0.45),
    "median": lambda values: np.median(values, axis=-1),
    "quantile:0.1": quantile_at(0.1),
    "quantile:0.9": quantile_at(0.9),
    "iqr": lambda values: stats.iqr(values, axis=-1),
}
SIZES = [2, 3, 5, 10, 31, 120]


def batch_of(samples: int, n: int) -> Array:
    """Ascending samples of several shapes, some with ties, some far from zero."""
    generator = np.random.default_rng([samples, n])
    rows = [
        generator.beta(8, 1.5, n),
        generator.lognormal(0, 2, n),
        np.round(generator.beta(8, 1.5, n), 2),
        1000 + generator.normal(size=n),
        -generator.gamma(0.3, size=n),
        1e-8 * generator.normal(size=n),
        np.r_[generator.uniform(size=n - 1), 1e4],
    ]
    return np.sort(np.stack([rows[i % len(rows)] for i in range(samples)]), axis=-1)


def assert_close(got: Array, wanted: Array, values: Array, share: float = 1e-12) -> None:
    """Equal within ``share`` of each sample's scale."""
    scale = np.abs(values).max(axis=-1)
    assert got.shape == wanted.shape
    assert np.isfinite(wanted).all()
    assert (np.abs(got - wanted).max(axis=-1) <= share * scale).all()


@pytest.mark.sampled(8)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", STATISTICS)
@pytest.mark.parametrize("samples", [1, 3, 4, 9])
def test_replicates_are_the_statistic_of_every_gathered_resample(
    samples: int, n: int, name: str
) -> None:
    values, plan = batch_of(samples, n), Plan(entropy=n, n_resamples=200)
    draws = plan.indices(Design.iid(n), 0, plan.n_resamples)
    statistic = resolve_statistic(name)
    got = replicates(values, Design.iid(values.shape[-1]), statistic, plan)
    wanted = np.stack([STATISTICS[name](sample[draws]) for sample in values])
    # An SD is a root: a rounding of 1e-16 of the squares is one of 1e-8 where the SD vanishes.
    where = np.ones(wanted.shape, dtype=bool)
    if name.startswith("sd"):
        scale = np.abs(values).max(axis=-1, keepdims=True)
        where = wanted > 1e-4 * scale
        assert (np.abs(got - wanted) <= 1e-7 * scale).all()
    assert_close(np.where(where, got, 0.0), np.where(where, wanted, 0.0), values)
    assert_close(reference.plain(values, Design.iid(n), statistic, draws), wanted, values)


@pytest.mark.parametrize("name", ["sd", "sd:ddof=0"])
def test_sd_replicates_keep_their_digits_relative_to_the_spread(name: str) -> None:
    # Far from zero the scale is the spread, not the values: 1e-9 of it at a ratio of 1e6.
    n, plan = 40, Plan(entropy=3, n_resamples=300)
    values = np.sort(1e6 + np.random.default_rng(3).normal(size=(5, n)), axis=-1)
    got = replicates(values, Design.iid(values.shape[-1]), resolve_statistic(name), plan)
    draws = plan.indices(Design.iid(n), 0, plan.n_resamples)
    wanted = np.stack([STATISTICS[name](sample[draws] - 1e6) for sample in values])
    np.testing.assert_allclose(got, wanted, rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", STATISTICS)
def test_replicates_do_not_depend_on_the_block_size(name: str) -> None:
    statistic = resolve_statistic(name)
    for samples, n in ((1, 10), (2, 31), (6, 31)):
        values = batch_of(samples, n)
        whole = replicates(values, Design.iid(values.shape[-1]), statistic, Plan(5, 333))
        for elements in (1, n, 7 * n + 3, 100 * n):
            got = replicates(
                values,
                Design.iid(values.shape[-1]),
                statistic,
                Plan(5, 333, block_elements=elements),
            )
            assert_close(got, whole, values)


@pytest.mark.parametrize("name", STATISTICS)
def test_more_resamples_begin_with_the_fewer(name: str) -> None:
    statistic, values = resolve_statistic(name), batch_of(3, 20)
    few, many = (
        replicates(values, Design.iid(values.shape[-1]), statistic, Plan(5, count))
        for count in (50, 400)
    )
    assert_close(many[:, :50], few, values)


@pytest.mark.parametrize("name", STATISTICS)
def test_sample_of_a_batch_has_the_replicates_it_has_alone(name: str) -> None:
    statistic, plan = resolve_statistic(name), Plan(6, 300)
    values = batch_of(9, 25)
    together = bootstrap_distribution(values, Design.iid(values.shape[-1]), statistic, plan)
    for p in (0.01, 0.5, 0.975):
        got = np.atleast_1d(together.quantile(p))
        for row in range(len(values)):
            alone = bootstrap_distribution(
                values[row : row + 1], Design.iid(values.shape[-1]), statistic, plan
            ).quantile(p)
            assert_close(got[row : row + 1, None], alone[:, None], values[row : row + 1])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["mean", "sd", "trimmed_mean", "median", "iqr"])
def test_intervals_of_a_batch_are_those_of_each_sample_and_of_any_block_size(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    statistic = resolve_statistic(name)
    values = batch_of(14, 30)[:, np.random.default_rng(1).permutation(30)]
    methods = [METHODS["percentile"], METHODS["basic"], METHODS["bca"]]
    whole = intervals(values, statistic, methods, Level(0.9), plan=Plan(7, 499))
    # One sample a block, three samples, and so on.
    for elements in (1, 1500, 5000):
        monkeypatch.setattr("halfwidth.intervals.compute.MOST_ELEMENTS", elements)
        plan = Plan(7, 499, block_elements=elements)
        parts = intervals(values, statistic, methods, Level(0.9), plan=plan)
        for got, wanted in zip(parts, whole, strict=True):
            for a, b in (
                (got.interval.low, wanted.interval.low),
                (got.interval.high, wanted.interval.high),
            ):
                np.testing.assert_array_equal(np.isnan(a), np.isnan(b))
                defined = ~np.isnan(b)
                assert_close(a[defined, None], b[defined, None], values[defined], 1e-9)


@pytest.mark.parametrize("share", [0.49, 0.4999999, 0.5 - 1e-13, 0.5 - 2**-54])
@pytest.mark.parametrize("n", [2, 3, 4, 10, 100])
def test_trimmed_mean_keeps_a_case_at_any_share_below_a_half(n: int, share: float) -> None:
    values, plan = batch_of(2, n), Plan(entropy=n, n_resamples=20)
    statistic = resolve_statistic(f"trimmed_mean:{share!r}")
    assert_close(statistic(values)[:, None], trimmed_by(share)(values)[:, None], values)
    wanted = np.stack(
        [trimmed_by(share)(row[plan.indices(Design.iid(n), 0, 20)]) for row in values]
    )
    assert_close(replicates(values, Design.iid(values.shape[-1]), statistic, plan), wanted, values)


# --------------------------------------------------------------------------- jackknife


def generic(name: str) -> Statistic:
    """The same statistic as a plain callable, which has no declared form."""
    return Statistic(StatisticSpec("plain", "plain", STATISTICS[name], vectorised=False))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("n", [3, 4, 5, 10, 31, 120])
@pytest.mark.parametrize("name", STATISTICS)
def test_leave_one_out_values_are_those_of_a_loop(name: str, n: int) -> None:
    values = batch_of(9, n)
    got = leave_one_out(values, Design.iid(values.shape[-1]), resolve_statistic(name))
    wanted = np.stack([STATISTICS[name](np.delete(values, i, axis=-1)) for i in range(n)], axis=-1)
    if name.startswith("sd"):
        scale = np.abs(values).max(axis=-1, keepdims=True)
        exact = wanted > 1e-4 * scale
        assert (np.abs(got - wanted) <= 1e-7 * scale).all()
        got, wanted = np.where(exact, got, 0.0), np.where(exact, wanted, 0.0)
    assert_close(got, wanted, values)


@pytest.mark.parametrize("name", STATISTICS)
def test_leave_one_out_of_a_callable_without_form_is_the_same(name: str) -> None:
    values = batch_of(2, 12)
    got = leave_one_out(values, Design.iid(values.shape[-1]), generic(name))
    assert_close(
        got, leave_one_out(values, Design.iid(values.shape[-1]), resolve_statistic(name)), values
    )


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["mean", "sd", "trimmed_mean", "median", "iqr"])
def test_replicates_of_a_callable_without_form_are_the_same(name: str) -> None:
    values, plan = batch_of(2, 20), Plan(9, 200)
    got = replicates(values, Design.iid(values.shape[-1]), generic(name), plan)
    assert_close(
        got, replicates(values, Design.iid(values.shape[-1]), resolve_statistic(name), plan), values
    )


# --------------------------------------------------------------------------- draws


@pytest.mark.parametrize("n", [2, 3, 7, 50])
def test_draws_are_uniform_and_independent_in_pairs(n: int) -> None:
    # Chi-square of all draws and of neighbouring pairs; false alarm 1e-6 each, 8e-6 in all.
    draws = Plan(entropy=12).indices(Design.iid(n), 0, 200_000 // n)
    counts = np.bincount(draws.ravel(), minlength=n)
    assert stats.chisquare(counts).pvalue > 1e-6
    pairs = np.bincount((draws[:, :-1:2] * n + draws[:, 1::2]).ravel(), minlength=n * n)
    assert stats.chisquare(pairs).pvalue > 1e-6
