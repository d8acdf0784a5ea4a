"""One table of ratios: halfwidth against what one would use instead, in one run.

Run with ``make bench``, which holds BLAS to one thread. Every figure is the median of at least
five runs; pairs are timed in turn, so that a machine whose speed drifts cheats neither. SciPy's
slow paths are timed on a part of the work and scaled, and the table says so.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import masks
import numpy as np
from classification import classification
from engine import batches, clusters, first_calls, large_samples, single_samples
from scipy import stats
from timing import RESAMPLES, RUNS, Line, medians, ours, scipys


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
    print(f"{'work':<54}{'ours':>9}{'other':>10}{'ratio':>9}  {'wanted':<15}other")
    for part in (
        batch_of_means,
        batches,
        order_statistics,
        single_samples,
        clusters,
        large_samples,
        first_calls,
        classification,
        whole_processes,
    ):
        for line in part():
            print(line, flush=True)
    print()
    masks.main()


if __name__ == "__main__":
    main()
