"""What all timings share: medians of jobs that take turns, and the jobs themselves."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from halfwidth.core.types import Bounds, Level
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.compute import intervals
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan

RUNS = 5
RESAMPLES = 9999
Values = NDArray[np.float64]


@dataclass(frozen=True)
class Line:
    """A row of the table; seconds are medians."""

    work: str
    ours: float
    other: float | None
    other_name: str
    wanted: str

    def __str__(self) -> str:
        other = f"{self.other:10.3f}" if self.other is not None else " " * 10
        ratio = f"{self.other / self.ours:9,.4g} x" if self.other is not None else " " * 11
        return f"{self.work:<54}{self.ours:9.4f}{other}{ratio}  {self.wanted:<15}{self.other_name}"


def medians(*jobs: Callable[[], object]) -> list[float]:
    """Median seconds of each job, the jobs taking turns; one uncounted round first."""
    for job in jobs:
        job()
    times: list[list[float]] = [[] for _ in jobs]
    for _ in range(RUNS):
        for job, own in zip(jobs, times, strict=True):
            start = time.perf_counter()
            job()
            own.append(time.perf_counter() - start)
    return [statistics.median(own) for own in times]


def ours(
    values: Values,
    statistic: str,
    *methods: str,
    design: Design | None = None,
    compiled: bool | None = None,
) -> Callable[[], object]:
    """Our bootstraps for a batch of samples, shape (S, n)."""
    bound = resolve_statistic(statistic)
    chosen = [METHODS[name] for name in methods]
    plan = Plan(entropy=1, n_resamples=RESAMPLES, compiled=compiled)
    level, bounds = Level(0.95), Bounds(0, 1)
    return lambda: intervals(values, bound, chosen, level, bounds=bounds, plan=plan, design=design)


def scipys(values: Values, function: Any, batch: int | None, *methods: Any) -> Callable[[], object]:
    """SciPy's bootstraps, sample by sample, as study code calls them."""

    def job() -> None:
        for sample in values:
            for method in methods:
                stats.bootstrap(
                    (sample,),
                    function,
                    n_resamples=RESAMPLES,
                    batch=batch,
                    method=method,
                    rng=np.random.default_rng(1),
                )

    return job
