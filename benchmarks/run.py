"""One table of ratios: halfwidth against what one would use instead, in one run.

Run with ``make bench``, which holds BLAS to one thread. Every figure is the median of at least
five runs; pairs are timed in turn, so that a machine whose speed drifts cheats neither. SciPy's
slow paths are timed on a part of the work and scaled, and the table says so.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from halfwidth.core.spec import Statistic
from halfwidth.core.types import Bounds, Level
from halfwidth.intervals.catalogue import METHODS
from halfwidth.intervals.compute import intervals
from halfwidth.resampling.draws import Plan
from halfwidth.summaries.catalogue import STATISTICS

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
        ratio = f"{self.other / self.ours:7.0f} x" if self.other is not None else " " * 9
        return f"{self.work:<46}{self.ours:9.4f}{other}{ratio}  {self.wanted:<9}{self.other_name}"


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


def ours(values: Values, statistic: str, *methods: str) -> Callable[[], object]:
    """Our bootstraps for a batch of samples, shape (S, n)."""
    bound = Statistic(STATISTICS[statistic], {"mean": {}, "median": {}, "iqr": {}}[statistic])
    chosen = [METHODS[name] for name in methods]
    plan = Plan(entropy=1, n_resamples=RESAMPLES)
    level, bounds = Level(0.95), Bounds(0, 1)
    return lambda: intervals(values, bound, chosen, level, bounds=bounds, plan=plan)


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


def batch_of_means() -> list[Line]:
    """2000 samples of 250 values: three bootstraps of the mean."""
    samples, part = 2000, 2
    values = np.random.default_rng(0).beta(8, 2, (samples, 250))
    methods = ("percentile", "basic", "BCa")
    mine, one, best = medians(
        ours(values, "mean", "percentile", "basic", "bca"),
        scipys(values[:part], np.mean, 1, *methods),
        scipys(values[:part], np.mean, None, *methods),
    )
    scale = samples / part
    work = "2000 samples, n = 250, mean, three bootstraps"
    note = f"timed on {part} samples, scaled"
    return [
        Line(work, mine, one * scale, f"scipy, batch=1 ({note})", ">= 100 x"),
        Line(work, mine, best * scale, f"scipy, one batch ({note})", ""),
    ]


def order_statistics() -> list[Line]:
    """One sample of 10 000 values: percentile bootstraps of median and IQR."""
    values = np.random.default_rng(0).beta(8, 2, (1, 10_000))
    lines = []
    for name, function in (("median", np.median), ("iqr", stats.iqr)):
        mine, one, best = medians(
            ours(values, name, "percentile"),
            scipys(values, function, 1, "percentile"),
            scipys(values, function, 100, "percentile"),
        )
        work = f"n = 10 000, {name}, percentile"
        lines += [
            Line(work, mine, one, "scipy, batch=1", ""),
            Line(work, mine, best, "scipy, batch=100 (its best)", ">= 100 x"),
        ]
    return lines


def whole_processes() -> list[Line]:
    """Start-up: what a user waits for."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "cases.csv"
        values = np.random.default_rng(0).beta(8, 2, 110)
        rows = "".join(f"case{i},{v}\n" for i, v in enumerate(values))
        table.write_text("case,dice\n" + rows, encoding="utf-8")
        command = [sys.executable, "-m", "halfwidth"]

        def run(*arguments: str) -> Callable[[], object]:
            return lambda: subprocess.run(arguments, check=True, capture_output=True)

        python, imports, helps, cis = medians(
            run(sys.executable, "-c", "pass"),
            run(sys.executable, "-c", "import halfwidth"),
            run(*command, "--help"),
            run(*command, "ci", str(table), "--metric", "dsc", "--seed", "1"),
        )
    return [
        Line("bare python", python, None, "", ""),
        Line("import halfwidth", imports, None, "", "< 0.2 s"),
        Line("halfwidth --help", helps, None, "", "< 0.5 s"),
        Line("halfwidth ci, CSV of 110 rows, BCa", cis, None, "", "< 1 s"),
    ]


def main() -> None:
    """Print the table."""
    print(f"{RESAMPLES} resamples, one thread, medians of {RUNS} runs, seconds\n")
    print(f"{'work':<46}{'ours':>9}{'other':>10}{'ratio':>9}  {'wanted':<9}other")
    for part in (batch_of_means, order_statistics, whole_processes):
        for line in part():
            print(line, flush=True)


if __name__ == "__main__":
    main()
