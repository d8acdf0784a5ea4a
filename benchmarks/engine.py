"""Timings of the engine: single samples, batches, clusters, with and without the library."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from timing import RESAMPLES, Line, medians, ours, scipys

from halfwidth.resampling.designs import arrange
from halfwidth.resampling.kernels import native

BOOTSTRAPS = {"percentile": "percentile", "basic": "basic", "bca": "BCa"}
CLUSTERS, SIZE = 1000, 5

# One job in a process of its own, so that what it costs in memory and in loading is its own.
ALONE = """
import json, sys, time
import numpy as np
from halfwidth.core.types import Level
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.compute import intervals
from halfwidth.resampling.draws import Plan
n, compiled = int(sys.argv[1]), {"fast": True, "plain": False, "default": None}[sys.argv[2]]
import scipy.special
values = np.random.default_rng(0).beta(8, 2, (1, n))
start = time.perf_counter()
intervals(values, resolve_statistic("mean"), [METHODS["percentile"]], Level(),
          plan=Plan(1, int(sys.argv[3]), compiled=compiled))
seconds = time.perf_counter() - start
# Not ru_maxrss, which a process takes over from the one that started it.
status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
peak = int(status["VmHWM"].split()[0]) / 1024
print(json.dumps({"seconds": seconds, "MB": peak}))
"""


def alone(n: int, path: str, n_resamples: int = RESAMPLES, **environment: str) -> dict[str, Any]:
    """Seconds and peak memory of a percentile bootstrap of a mean, in a fresh process."""
    made = subprocess.run(
        [sys.executable, "-c", ALONE, str(n), path, str(n_resamples)],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | environment,
    )
    result: dict[str, Any] = json.loads(made.stdout)
    return result


def sd_of(values: NDArray[np.float64], axis: int) -> Any:
    """SciPy calls it on whole batches."""
    return np.std(values, axis=axis, ddof=1)


def trimmed_mean_of(values: NDArray[np.float64], axis: int) -> Any:
    """The same."""
    return stats.trim_mean(values, 0.25, axis=axis)


def single_samples() -> Iterator[Line]:
    """One sample: each bootstrap of the mean, and the SD."""
    for n, wanted in ((334, ">= 5 x"), (10_000, ">= 10 x")):
        values = np.random.default_rng(0).beta(8, 2, (1, n))
        for name, theirs in BOOTSTRAPS.items():
            yield from _single(values, "mean", np.mean, name, theirs, wanted)
    values = np.random.default_rng(0).beta(8, 2, (1, 10_000))
    yield from _single(values, "sd", sd_of, "percentile", "percentile", ">= 10 x")


def _single(
    values: NDArray[np.float64],
    statistic: str,
    function: Any,
    name: str,
    theirs: str,
    wanted: str,
) -> Iterator[Line]:
    n = values.shape[-1]
    # From some thousand cases on SciPy's default, all resamples in one array, is not its best.
    best = None if n < 1000 else 100
    jobs = [
        ours(values, statistic, name, compiled=native.available()),
        ours(values, statistic, name, compiled=False),
        scipys(values, function, None, theirs),
    ]
    fast, plain, default, *others = medians(
        *jobs, *([scipys(values, function, best, theirs)] if best else [])
    )
    work = f"n = {n:,}, {statistic}, {name}"
    yield Line(f"{work}, fast", fast, default, "scipy, its default: one batch", wanted)
    if others:
        yield Line(f"{work}, fast", fast, others[0], f"scipy, batch={best} (its best)", "")
    yield Line(f"{work}, plain", plain, default, "scipy, its default", "")


def batches() -> Iterator[Line]:
    """2000 samples of 250 values: trimmed mean and SD."""
    samples, part = 2000, 2
    values = np.random.default_rng(0).beta(8, 2, (samples, 250))
    for name, function in (("trimmed_mean", trimmed_mean_of), ("sd", sd_of)):
        mine, one, best = medians(
            ours(values, name, "percentile"),
            scipys(values[:part], function, 1, "percentile"),
            scipys(values[:part], function, None, "percentile"),
        )
        scale, note = samples / part, f"timed on {part} samples, scaled"
        work = f"2000 samples, n = 250, {name}, percentile"
        yield Line(work, mine, one * scale, f"scipy, batch=1 ({note})", ">= 50 x")
        yield Line(work, mine, best * scale, f"scipy, one batch, its best ({note})", "")


def clusters() -> Iterator[Line]:
    """A mean of 1000 clusters of 5 against one of 5000 independent cases."""
    generator = np.random.default_rng(0)
    values = generator.beta(8, 2, CLUSTERS * SIZE)
    arranged, design = arrange(values, np.repeat(np.arange(CLUSTERS), SIZE))
    for path, fast in (("fast", native.available()), ("plain", False)):
        mine, iid = medians(
            ours(arranged[None], "mean", "percentile", design=design, compiled=fast),
            ours(values[None], "mean", "percentile", compiled=fast),
        )
        wanted = ">= 0.5 x" if path == "fast" else ""
        yield Line(f"1000 clusters of 5, mean, {path}", mine, iid, "5000 iid cases, ours", wanted)


def large_samples() -> Iterator[Line]:
    """Whole processes: a mean of a million cases, and what ten thousand cost in memory."""
    for n, path, limits in (
        (10_000, "fast", "< 300 MB"),
        (10_000, "plain", "< 300 MB"),
        (1_000_000, "fast", "< 30 s, < 1 GB"),
        (1_000_000, "plain", ""),
    ):
        if path == "plain" or native.available():
            made = alone(n, path)
            note = f"peak {made['MB']:.0f} MB, one run, alone"
            yield Line(f"n = {n:,}, mean, percentile, {path}", made["seconds"], None, note, limits)
