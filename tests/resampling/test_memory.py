from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import halfwidth as hw
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Level
from halfwidth.intervals.compute import intervals
from halfwidth.resampling.draws import Plan

MB = 1e6


def peak_of(values: np.ndarray, name: str, parameters: dict[str, float]) -> float:
    """Peak of all arrays together while three bootstraps are made, in MB."""
    statistic = Statistic(hw.STATISTICS[name], parameters)
    methods = [hw.METHODS[m] for m in ("percentile", "basic", "bca")]
    plan = Plan(entropy=1)
    tracemalloc.start()
    intervals(values, statistic, methods, Level(), bounds=hw.Bounds(0, 1), plan=plan)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / MB


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "parameters"),
    [("mean", {}), ("sd", {"ddof": 1.0}), ("trimmed_mean", {"share": 0.25}), ("iqr", {})],
)
def test_a_batch_stays_in_bounded_memory(name: str, parameters: dict[str, float]) -> None:
    # Unbounded, the replicates alone would take 1000 * 9999 * 8 bytes = 80 MB, and the resamples
    # of one sample 20 MB.
    batch = np.random.default_rng(0).beta(8, 2, (1000, 100))
    assert peak_of(batch, name, parameters) < 120


@pytest.mark.slow
@pytest.mark.parametrize(("name", "parameters"), [("mean", {}), ("median", {})])
def test_a_large_sample_stays_in_bounded_memory(name: str, parameters: dict[str, float]) -> None:
    # Unbounded, the draws would take 20 000 * 9999 * 8 bytes = 1.6 GB.
    values = np.random.default_rng(0).beta(8, 2, (1, 20_000))
    assert peak_of(values, name, parameters) < 64


def test_a_callable_stays_in_bounded_memory() -> None:
    values = np.random.default_rng(0).beta(8, 2, 2000)
    tracemalloc.start()
    hw.summary_ci(values, statistic=np.ptp, rng=1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak / MB < 64


def test_a_large_batch_is_sorted_block_by_block() -> None:
    import tracemalloc

    from halfwidth.core.spec import Statistic
    from halfwidth.core.types import Level
    from halfwidth.intervals.compute import intervals
    from halfwidth.resampling.draws import Plan

    batch = np.random.default_rng(0).beta(8, 2, (1500, 5000))  # 60 MB
    tracemalloc.start()
    intervals(batch, Statistic(hw.STATISTICS["mean"]), [hw.METHODS["t"]], Level(), plan=Plan(1))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # Per block of 25 MB: the sorted values and two temporaries of the method.
    assert peak < 110e6
