"""Dirichlet intervals: their speed, of a mean also their coverage in designs.

``python benchmarks/dirichlet.py`` prints all of it, ``... --speed`` leaves out the coverage. What
has no exact distribution is timed against its percentile bootstrap, 9999 resamples of each.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray
from timing import Line, medians

import halfwidth as hw
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Bounds, Level
from halfwidth.intervals.all_methods import method_named
from halfwidth.intervals.compute import intervals
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.summaries.all_statistics import STATISTICS

Values = NDArray[np.float64]
DRAWS = 100_000
SAMPLES = 1000
MEAN = Statistic(STATISTICS["mean"])
UNIT = Bounds(0, 1)


def by_drawing(values: Values, draws: int = DRAWS) -> Values:
    """What one would write: weights from NumPy, and percentiles of weighted means."""
    weights = np.random.default_rng(0).dirichlet([*np.ones(len(values)), 0.5, 0.5], draws)
    means = weights @ np.append(values, [0.0, 1.0])
    return np.asarray(np.quantile(means, [0.025, 0.975]))


def dirichlet_means() -> list[Line]:
    """One mean through the front door, and a batch as in a study, against drawn weights."""
    rng = np.random.default_rng(1)
    lines = []
    for n, draws in ((10, DRAWS), (100, DRAWS), (10_000, 1000), (1_000_000, 5)):
        values = rng.beta(20, 1, n)
        mine, other = medians(
            functools.partial(hw.summary_ci, values, metric="dsc", method="dirichlet"),
            functools.partial(by_drawing, values, draws),
        )
        name = f"numpy, {DRAWS} draws" + (f" (timed on {draws})" if draws < DRAWS else "")
        wanted = "< 5 ms" if n <= 100 else "< 0.5 s"
        lines.append(Line(f"n = {n}, mean, dirichlet", mine, other * DRAWS / draws, name, wanted))
    batch = rng.beta(20, 1, (500, 50))
    methods = [method_named("dirichlet")]
    mine, other = medians(
        lambda: intervals(batch, MEAN, methods, Level(0.95), bounds=UNIT, plan=Plan(0)),
        lambda: by_drawing(batch[0]),
    )
    scaled = f"numpy, {DRAWS} draws (timed on 1 sample)"
    return [*lines, Line("500 samples, n = 50, mean, dirichlet", mine, other * 500, scaled, "")]


def against_bootstraps(n: int) -> list[Line]:
    """Metrics of one test set and statistics of one sample, against the percentile bootstrap."""
    rng = np.random.default_rng(3)
    truth = (rng.random(n) < 0.15).astype(int)
    truth[:3] = 1
    scores, decisions = (
        rng.normal(size=n) + 2 * truth,
        np.where(rng.random(n) < 0.1, 1 - truth, truth),
    )
    classes = rng.integers(0, 5, n)
    odds = np.exp(rng.normal(size=(n, 5)) + 2 * np.eye(5)[classes])
    probabilities = odds / odds.sum(axis=1, keepdims=True)
    values, decided = rng.beta(8, 1, n), probabilities.argmax(axis=1)
    macro, of_one = {"average": "macro"}, {"pos_label": 1}
    test_sets: list[tuple[str, Any, Any, dict[str, Any]]] = [
        ("auroc", truth, scores, {}),
        ("average_precision", truth, scores, {}),
        ("mcc", truth, decisions, {}),
        ("f1", truth, decisions, of_one),
        ("balanced_accuracy", truth, decisions, {}),
        ("auroc", classes, probabilities, macro),
        ("f1", classes, decided, macro),
        ("mcc", classes, decided, {}),
    ]
    jobs = {
        f"{name} of {2 if true is truth else 5} classes": functools.partial(
            hw.metric_ci, true, predicted, metric=name, rng=1, n_resamples=9999, **options
        )
        for name, true, predicted, options in test_sets
    } | {
        name: functools.partial(
            hw.summary_ci, values, metric="dsc", statistic=name, rng=1, n_resamples=9999
        )
        for name in ("sd", "iqr", "trimmed_mean", "median")
    }
    lines = []
    for name, job in jobs.items():
        mine, other = medians(
            functools.partial(job, method="dirichlet"), functools.partial(job, method="percentile")
        )
        lines.append(Line(f"n = {n}, {name}, dirichlet", mine, other, "percentile", "1 x"))
    return lines


def strata_with_failures(strata: int, each: int) -> tuple[Values, float, Design]:
    """Samples of a population in which 3 % of the cases of every stratum fail, and its mean."""
    rng = np.random.default_rng(strata)
    levels = np.linspace(8, 40, strata)
    shape = (SAMPLES, each)
    parts = [rng.beta(level, 1, shape) * (rng.random(shape) > 0.03) for level in levels]
    mean = float(np.mean(0.97 * levels / (levels + 1)))
    return np.concatenate(parts, axis=-1), mean, Design((each,) * strata)


def unequal_clusters(clusters: int) -> tuple[Values, float, Design]:
    """Samples of clusters of 1 to 8 cases that share most of what makes a case hard."""
    rng = np.random.default_rng(clusters)
    sizes = np.sort(np.tile([1, 1, 2, 4, 8], clusters)[:clusters])
    own, shared = rng.beta(9, 1, (SAMPLES, sizes.sum())), rng.beta(9, 1, (SAMPLES, clusters))
    return (
        0.2 * own + 0.8 * np.repeat(shared, sizes, axis=-1),
        0.9,
        Design((clusters,), tuple(sizes)),
    )


def coverage() -> None:
    """Coverage in per cent, and the mean width, of 95 % intervals."""
    settings = {
        **{f"{h} strata of {n}": strata_with_failures(h, n) for h, n in ((1, 40), (2, 20), (8, 5))},
        **{f"{g} clusters of 1 to 8": unequal_clusters(g) for g in (5, 10, 20)},
    }
    for name, (values, truth, design) in settings.items():
        # The pseudo-mass of one sample in every stratum, instead of being divided among them.
        masses = [f"dirichlet:mass={0.5 * len(design.strata)}"] if len(design.strata) > 1 else []
        for method in ("dirichlet", *masses, "t"):
            (made,) = intervals(
                values,
                MEAN,
                [method_named(method)],
                Level(0.95),
                bounds=UNIT,
                plan=Plan(1, 2000),
                design=design,
                errors=False,
            )
            low, high = made.interval.low, made.interval.high
            covered = 100 * ((low <= truth) & (truth <= high)).mean()
            print(f"{name:<24}{method:<20}{covered:6.1f}{(high - low).mean():8.3f}")


def main() -> None:
    """Print both."""
    for line in dirichlet_means():
        print(line)
    for n in (50, 100, 1000):
        for line in against_bootstraps(n):
            print(line)
    if "--speed" in sys.argv:
        return
    print(f"\n{SAMPLES} samples: coverage in %, mean width")
    coverage()


if __name__ == "__main__":
    main()
