"""Coverage of Dirichlet intervals of metrics of a test set, with two classes and with many.

``python benchmarks/dirichlet_of_test_sets.py [SAMPLES]`` prints, for each number of cases, metric
and method, coverage at 95 %: median, first quartile and least over simulated classifiers, and the
median width (decision 0041).
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import halfwidth as hw

Array = NDArray[np.float64]
Draw = Callable[[int, np.random.Generator], tuple[NDArray[np.intp], Array]]
METHODS = ("dirichlet", "gaffke", "percentile")
RESAMPLES, TRUTH_CASES = 499, 100_000
COUNTED = ("balanced_accuracy", "f1", "mcc", "cohen_kappa")
RANKED = ("auroc", "average_precision")


def two_classes(prevalence: float, distance: float) -> Draw:
    """Normal scores as probabilities: ½ where both classes are as likely."""

    def draw(n: int, rng: np.random.Generator) -> tuple[NDArray[np.intp], Array]:
        truth = (rng.random(n) < prevalence).astype(np.intp)
        score = rng.normal(distance * truth, 1)
        odds = distance * (score - distance / 2) + np.log(prevalence / (1 - prevalence))
        return truth, 1 / (1 + np.exp(-odds))

    return draw


def many_classes(classes: int, ratio: float, distance: float) -> Draw:
    """Each class a share ``ratio`` as frequent as the one before."""
    shares = ratio ** np.arange(classes)
    shares /= shares.sum()

    def draw(n: int, rng: np.random.Generator) -> tuple[NDArray[np.intp], Array]:
        truth = rng.choice(classes, n, p=shares)
        logits = 1.5 * rng.normal(distance * np.eye(classes)[truth], 1) + np.log(shares)
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        return truth, odds / odds.sum(axis=1, keepdims=True)

    return draw


def estimates(draw: Draw, n: int, seed: int, many: bool, method: str) -> dict[str, hw.Estimate]:
    """All metrics of one test set."""
    truth, scores = draw(n, np.random.default_rng(seed))
    average = "macro" if many else "binary"
    labels = list(range(scores.shape[1])) if many else [0, 1]
    given: dict[str, Any] = {
        "labels": labels,
        "rng": seed,
        "n_resamples": RESAMPLES,
        "method": method,
    }
    rows = [hw.metric_ci(truth, scores, metric=m, average=average, **given) for m in RANKED]
    for metric in COUNTED:
        own: dict[str, Any] = {"average": average} if metric == "f1" else {}
        rows.append(hw.metric_ci(truth, scores, metric=metric, **own, **given))
    return dict(zip((*RANKED, *COUNTED), rows, strict=True))


def coverage(draw: Draw, n: int, many: bool, samples: int) -> Iterator[tuple[str, str, Array]]:
    """For each method and metric whether intervals cover, and their widths, (samples, 2)."""
    true = estimates(draw, TRUTH_CASES, 10**6, many, method="percentile")
    for method in METHODS:
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in true}
        for seed in range(samples):
            try:
                rows = estimates(draw, n, seed, many, method=method)
            except hw.DataError:  # a test set of one class
                continue
            for name, row in rows.items():
                found[name].append((row.low <= true[name].value <= row.high, row.high - row.low))
        for name, pairs in found.items():
            yield method, name, np.array(pairs, float)


def main(samples: int) -> None:
    """Print the table."""
    pairs = itertools.product((0.06, 0.15), (1.0, 2.0, 3.5))
    two = [two_classes(*pair) for pair in pairs]
    kinds = itertools.product((3, 5, 8), (1.0, 0.55), (1.0, 2.5, 4.5))
    several = [many_classes(*kind) for kind in kinds]
    for (title, draws, many), n in itertools.product(
        (("two classes", two, False), ("3, 5, 8 classes", several, True)), (50, 100)
    ):
        print(f"{title}, n = {n}")
        cells: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for draw in draws:
            for method, name, found in coverage(draw, n, many, samples):
                # MCC without positive predictions is undefined, and has no interval.
                defined = found[~np.isnan(found[:, 1])]
                mean = 100 * defined[:, 0].mean(), float(np.median(defined[:, 1]))
                cells.setdefault((name, method), []).append(mean)
        for (name, method), made in sorted(cells.items()):
            share, width = np.array(made).T
            quartile = np.quantile(share, 0.25)
            print(
                f"  {name:18} {method:10} {np.median(share):5.1f} [{quartile:5.1f}] "
                f"{share.min():5.1f}  ({np.median(width):.3f})"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
