"""Calibration errors by kernels: coverage of their intervals by end, and tests that were not taken.

``python benchmarks/kernel_calibration.py coverage --samples 500 --sizes 50,200`` and ``... tests``
take an hour of one core; the tables are in docs/calibration.md and docs/decisions/0074.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.kernel_products import median_distance, sum_of_products
from halfwidth.core.spec import Metric, Statistic
from halfwidth.core.types import Level
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.compute import intervals
from halfwidth.metrics import building
from halfwidth.metrics.all_metrics import SAMPLE_METRICS
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan

Array = NDArray[np.float64]

METHOD_OF = {"smooth_ece": "inverted", "ece_kde": "inverted", "kce": "inverted_products"}
# Mean of the normal log odds, of SD 1.5; slope and intercept of the true ones on them.
MODELS = {
    "calibrated, half positive": (0.0, 1.0, 0.0),
    "calibrated, 10 % positive": (-3.0, 1.0, 0.0),
    "log odds .6 of what they are": (0.0, 0.6, 0.0),
    "24 % positive, 19 % foreseen": (-2.0, 0.7, 0.0),
    "probabilities too low": (0.0, 1.0, 0.3),
    "far off": (0.0, 0.2, 1.0),
}
TESTED = {
    "right, 2 in 5": (-0.5, 1.0, 0.0),
    "right, 1 in 20": (-4.0, 1.0, 0.0),
    "slope .7": (-0.5, 0.7, 0.0),
    "too low": (-0.5, 1.0, 0.4),
}


def drawn(model: tuple[float, float, float], generator: np.random.Generator, *shape: int) -> Array:
    """Ascending predicted probabilities and the true ones, (2, ...)."""
    middle, slope, intercept = model
    log_odds = np.sort(generator.normal(middle, 1.5, shape), axis=-1)
    return 1 / (1 + np.exp(-np.stack([log_odds, slope * log_odds + intercept])))


def truth_of(name: str, statistic: Statistic, p: Array, q: Array) -> float:
    """The value in a population, from a large draw of probabilities."""
    if name == "ece_kde":
        return float(np.abs(p - q).mean())
    if name == "kce":
        bandwidth, n = median_distance(p[None]), len(p)
        total = sum_of_products(p[None], (q - p)[None], bandwidth)
        return float(total) / (n * (n - 1.0))
    return float(statistic(np.stack([p, q])[None])[0]) if np.abs(p - q).max() > 1e-12 else 0.0


def coverage(names: list[str], sizes: list[int], samples: int) -> None:
    """A line for each metric, size and model: coverage, and misses by end, in per cent."""
    for name in names:
        given = {"estimator": 0.0} if name == "kce" else {}
        statistic = building.probability_statistic(Metric(SAMPLE_METRICS[name], given), None, "")
        for n in sizes:
            for label, model in MODELS.items():
                truth = truth_of(name, statistic, *drawn(model, np.random.default_rng(99), 400_000))
                generator = np.random.default_rng(n)
                p, q = drawn(model, generator, samples, n)
                records = np.stack([p, generator.random(p.shape) < q], axis=1).astype(float)
                (made,) = intervals(
                    records,
                    statistic,
                    [METHODS[METHOD_OF[name]]],
                    Level(0.95),
                    plan=Plan(entropy=3, n_resamples=499),
                    design=Design((n,), paired=True),
                )
                above, below = made.interval.low > truth, made.interval.high < truth
                mean, covered = statistic(records).mean(), 100 - 100 * (above | below).mean()
                print(
                    f"{name:10} {n:5} {label:29} true {truth:.4f} "
                    f"mean {mean:.4f} covered {covered:5.1f} "
                    f"above {100 * above.mean():4.1f} below {100 * below.mean():4.1f} "
                    f"width {np.median(made.interval.high - made.interval.low):.4f}",
                    flush=True,
                )


def tests(sizes: list[int], samples: int) -> None:
    """Shares of samples with p <= .05: multipliers of deviations (wild), and drawn outcomes."""
    draws = 199
    for label, model in TESTED.items():
        for n in sizes:
            generator, rejected = np.random.default_rng(n), np.zeros(2)
            for _ in range(samples):
                p, q = drawn(model, generator, n)
                r = (generator.random(n) < q) - p
                bandwidth = median_distance(p[None])
                kinds = (
                    generator.choice([-1.0, 1.0], (draws, n)) * r,
                    (generator.random((draws, n)) < p) - p,
                )
                value = sum_of_products(p[None], r[None], bandwidth)
                for place, made in enumerate(kinds):
                    found = sum_of_products(p[None], made[:, None], bandwidth)
                    rejected[place] += (1 + (found >= value - 1e-12).sum()) / (draws + 1) <= 0.05
            wild, outcomes = 100 * rejected / samples
            print(f"{label:15} {n:5} wild {wild:5.1f} drawn {outcomes:5.1f}", flush=True)


def main() -> None:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["coverage", "tests"])
    parser.add_argument("--metric", nargs="+", default=list(METHOD_OF))
    parser.add_argument("--sizes", default="50,200")
    parser.add_argument("--samples", type=int, default=500)
    given = parser.parse_args()
    sizes = [int(n) for n in given.sizes.split(",")]
    if given.what == "coverage":
        coverage(given.metric, sizes, given.samples)
    else:
        tests(sizes, given.samples)


if __name__ == "__main__":
    main()
