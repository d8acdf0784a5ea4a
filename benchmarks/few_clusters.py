"""Coverage of 95 % intervals where cases come in few clusters: the evidence of decision 0042.

Clusters of equal and of unequal size, with an intra-class correlation of .8 and .3. Means, medians
and spreads are of normal cases, proportions of cases below a quantile of these, AUROCs of scores
that share the effect of their cluster. Each line gives the coverage in %, and the mean width.

    python benchmarks/few_clusters.py [samples] [statistic ...]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from halfwidth.arithmetic.ranked_scores import RankEach
from halfwidth.core.spec import Metric, Statistic
from halfwidth.core.types import UNBOUNDED, UNIT_INTERVAL, Level
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.compute import intervals
from halfwidth.metrics import building
from halfwidth.metrics.all_metrics import SAMPLE_METRICS
from halfwidth.metrics.averaging import AreaFinish
from halfwidth.resampling.designs import Design, arrange
from halfwidth.resampling.draws import Plan
from halfwidth.summaries.all_statistics import STATISTICS

Array = NDArray[np.float64]
RESAMPLES, BATCH = 999, 250
CORRELATIONS = (0.8, 0.3)
NUMBERS = (2, 3, 4, 5, 6, 8, 10, 15, 20, 30)
# The shift of positive scores, for an AUROC of .82, and the share of positive cases.
SHIFT, PREVALENCE = 1.3, 0.3
BOOTSTRAPS = ("percentile", "bca", "bca_expanded")


class Task(NamedTuple):
    """What is estimated, its true value, and the methods compared."""

    statistic: Statistic
    truth: float
    methods: tuple[str, ...]
    of_cases: Callable[[Array, NDArray[np.bool_]], Array] = lambda effect, _positive: effect
    binary: bool = False


def _auroc() -> Statistic:
    metric = Metric(SAMPLE_METRICS["auroc"])
    return building.ranking_statistic(metric, RankEach(1), AreaFinish("binary"), "omit")


def _share(share: float) -> Task:
    below = float(stats.norm.ppf(share))
    methods = ("wilson", "jeffreys", "clopper_pearson")
    mean = Statistic(STATISTICS["mean"])
    return Task(mean, share, methods, lambda effect, _: (effect < below).astype(float), True)


def _scores(effect: Array, positive: NDArray[np.bool_]) -> Array:
    return np.stack([effect + SHIFT * positive, 1.0 - positive])


TASKS = {
    "mean": Task(Statistic(STATISTICS["mean"]), 0.0, ("t", "cluster_robust_t", *BOOTSTRAPS)),
    "proportion .5": _share(0.5),
    "proportion .8": _share(0.8),
    "proportion .95": _share(0.95),
    "auroc": Task(
        _auroc(),
        float(stats.norm.cdf(SHIFT / 2**0.5)),
        ("delong_logit_t", "delong_logit", "percentile"),
        _scores,
    ),
    "median": Task(Statistic(STATISTICS["median"]), 0.0, BOOTSTRAPS),
    "sd": Task(Statistic(STATISTICS["sd"], {"ddof": 1.0}), 1.0, BOOTSTRAPS),
    "iqr": Task(Statistic(STATISTICS["iqr"]), float(2 * stats.norm.ppf(0.75)), BOOTSTRAPS),
    "trimmed_mean": Task(Statistic(STATISTICS["trimmed_mean"], {"share": 0.25}), 0.0, BOOTSTRAPS),
}


def sizes_of(clusters: int, *, equal: bool) -> NDArray[np.intp]:
    """Six cases each, or quantiles of a log-normal distribution: one to some fifty."""
    if equal:
        return np.full(clusters, 6)
    normal = stats.norm.ppf((np.arange(clusters) + 0.5) / clusters)
    return np.maximum(1, np.round(np.exp(2 + normal))).astype(int)


def coverage(
    task: Task, sizes: NDArray[np.intp], correlation: float, samples: int
) -> list[tuple[float, float, float]]:
    """Coverage, mean width and share without an interval, of each method."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    covered, width = (np.empty((len(task.methods), samples)) for _ in range(2))
    for start in range(0, samples, BATCH):
        count = min(BATCH, samples - start)
        generator = np.random.default_rng([start, len(sizes), int(10 * correlation)])
        rows: list[tuple[Array, Design]] = []
        while len(rows) < count:
            own = generator.normal(size=len(sizes))[groups]
            noise = generator.normal(size=len(groups))
            effect = np.sqrt(correlation) * own + np.sqrt(1 - correlation) * noise
            positive = generator.uniform(size=len(groups)) < PREVALENCE
            cases = task.of_cases(effect, positive)
            if cases.ndim == 1 or 0 < positive.sum() < len(groups):
                rows.append(arrange(cases, groups, paired=cases.ndim > 1))
        made = intervals(
            np.stack([values for values, _ in rows]),
            task.statistic,
            [METHODS[name] for name in task.methods],
            Level(0.95),
            bounds=UNIT_INTERVAL if task.binary else UNBOUNDED,
            plan=Plan(start, RESAMPLES),
            design=rows[0][1],
            binary=task.binary,
        )
        for place, computed in enumerate(made):
            low, high = computed.interval.low, computed.interval.high
            # Rounding must not miss a bound that is the true value.
            covered[place, start : start + count] = (low <= task.truth + 1e-12) & (
                task.truth - 1e-12 <= high
            )
            width[place, start : start + count] = high - low
    undefined = np.isnan(width)
    return [
        (float(covered[k].mean()), float(np.nanmean(width[k])), float(undefined[k].mean()))
        for k in range(len(task.methods))
    ]


def main() -> None:
    """Print a line for each statistic, method, correlation and kind of clusters."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    names = sys.argv[2:] or list(TASKS)
    print(
        f"{samples} samples, {RESAMPLES} resamples; coverage in % (mean width); ! undefined > 1 %"
    )
    print(f"{'statistic':<15}{'sizes':<9}{'ICC':<5}{'method':<17}", end="")
    print("".join(f"{f'G = {clusters}':>14}" for clusters in NUMBERS))
    for name in names:
        for equal in (False, True):
            for correlation in CORRELATIONS:
                found = [
                    coverage(TASKS[name], sizes_of(clusters, equal=equal), correlation, samples)
                    for clusters in NUMBERS
                ]
                for place, method in enumerate(TASKS[name].methods):
                    cells = [
                        f"{100 * one[place][0]:.1f} ({one[place][1]:.2f})"
                        + ("!" if one[place][2] > 0.01 else "")
                        for one in found
                    ]
                    sizes = "equal" if equal else "unequal"
                    print(f"{name:<15}{sizes:<9}{correlation:<5}{method:<17}", end="")
                    print("".join(f"{cell:>14}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
