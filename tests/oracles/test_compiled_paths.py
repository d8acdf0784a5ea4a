"""With and without the compiled library: the same replicates of every statistic in every design."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import halfwidth as hw
from halfwidth.core.types import Array, Level
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.intervals.compute import intervals
from halfwidth.resampling import engine as bootstrap
from halfwidth.resampling.designs import Design, arrange
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import replicates
from halfwidth.resampling.kernels import native

pytestmark = pytest.mark.skipif(not native.available(), reason="there is no compiled library")

N = 60
EQUAL, UNEQUAL = np.arange(N) // 3, np.repeat(np.arange(11), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 5])
DESIGNS = {
    "iid": (None, None),
    "equal clusters": (EQUAL, None),
    "unequal clusters": (UNEQUAL, None),
    "strata": (None, EQUAL % 4),
    "clusters in strata": (UNEQUAL, UNEQUAL % 3),
}
STATISTICS = ["mean", "sd", "sd:ddof=0", "trimmed_mean", "median", "iqr"]


def samples_in(name: str, count: int) -> tuple[Array, Design]:
    groups, strata = DESIGNS[name]
    rows = np.random.default_rng(count).lognormal(size=(count, N))
    made = [arrange(row, groups, strata) for row in rows]
    assert len({design for _, design in made}) == 1
    return np.stack([values for values, _ in made]), made[0][1]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("count", [1, 3, 12])
@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("name", DESIGNS)
def test_replicates_are_the_same(name: str, statistic: str, count: int) -> None:
    values, design = samples_in(name, count)
    bound = resolve_statistic(statistic)
    fast, plain = (
        replicates(values, design, bound, Plan(4, 300, compiled=use)) for use in (True, False)
    )
    np.testing.assert_allclose(fast, plain, rtol=1e-12, atol=1e-12 * np.abs(values).max())


@pytest.mark.parametrize("count", [1, 12])
@pytest.mark.parametrize("name", DESIGNS)
def test_studentized_replicates_of_a_mean_are_the_same(name: str, count: int) -> None:
    values, design = samples_in(name, count)
    bound = resolve_statistic("mean")
    fast, plain = (
        bootstrap.studentized_distribution(
            values, design, bound, Plan(4, 300, compiled=use)
        ).quantile(0.3)
        for use in (True, False)
    )
    np.testing.assert_allclose(fast, plain, rtol=1e-9)


@pytest.mark.parametrize("block_elements", [1, 7 * N, 10**6])
@pytest.mark.parametrize("name", ["iid", "unequal clusters", "clusters in strata"])
def test_block_size_changes_no_bit_of_a_sum(name: str, block_elements: int) -> None:
    values, design = samples_in(name, 1)
    bound = resolve_statistic("mean")
    whole = replicates(values, design, bound, Plan(4, 200, compiled=True))
    plan = Plan(4, 200, block_elements=block_elements, compiled=True)
    np.testing.assert_array_equal(replicates(values, design, bound, plan), whole)


def test_threads_may_share_the_work() -> None:
    values, design = samples_in("unequal clusters", 1)
    bound, plan = resolve_statistic("sd"), Plan(4, 4000, compiled=True)
    alone = replicates(values, design, bound, plan)
    with ThreadPoolExecutor(4) as pool:
        made = pool.map(lambda _: replicates(values, design, bound, plan), range(8))
    for one in made:
        np.testing.assert_array_equal(one, alone)


def test_intervals_of_a_large_sample_are_the_same() -> None:
    values = np.random.default_rng(0).beta(8, 2, (1, 20_000))
    methods = [hw.METHODS[name] for name in ("percentile", "basic", "bca", "studentized")]
    fast, plain = (
        intervals(
            values, resolve_statistic("mean"), methods, Level(), plan=Plan(1, 999, compiled=use)
        )
        for use in (True, False)
    )
    for one, other in zip(fast, plain, strict=True):
        np.testing.assert_allclose(one.interval.low, other.interval.low, rtol=1e-12)
        np.testing.assert_allclose(one.interval.high, other.interval.high, rtol=1e-12)


def test_a_user_gets_the_same_interval_either_way(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).beta(8, 2, 500)
    made = []
    for use in (False, True):
        monkeypatch.setattr(native, "available", lambda use=use: use)
        made.append(hw.summary_ci(values, metric="dsc", method="bca", rng=1))
    assert made[0].sentence() == made[1].sentence()
    np.testing.assert_allclose(made[0].low, made[1].low, rtol=1e-12)
