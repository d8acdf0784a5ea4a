"""One table of ratios: halfwidth against what one would use instead, in one run.

Run with ``make bench``, which holds BLAS to one thread. Every figure is the median of at least
five runs; pairs are timed in turn, so that a machine whose speed drifts cheats neither. SciPy's
slow paths are timed on a part of the work and scaled, and the table says so. The rows of
`first_calls` are of fresh processes in an environment with a plain installation, all others of
calls that are warm.
"""

from __future__ import annotations

import masks
import numpy as np
from classification import classification
from dirichlet import dirichlet_means
from engine import batches, clusters, large_samples, single_samples
from first_calls import first_calls
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


def main() -> None:
    """Print the table."""
    print(f"{RESAMPLES} resamples, one thread, medians of {RUNS} runs, seconds\n")
    print(f"{'work':<54}{'ours':>9}{'other':>10}{'ratio':>11}  {'wanted':<15}other")
    for part in (
        batch_of_means,
        batches,
        order_statistics,
        single_samples,
        clusters,
        large_samples,
        dirichlet_means,
        classification,
        first_calls,
    ):
        for line in part():
            print(line, flush=True)
    print()
    masks.main()


if __name__ == "__main__":
    main()
