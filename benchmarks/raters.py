"""How often intervals of a model against raters hold the true difference.

    python benchmarks/raters.py [samples] [metric ...]

Three raters and a model label cases of three classes; each keeps the true label with a probability
of their own and else guesses. The truth is the difference on a million cases. Prints a table in
Markdown: coverage at 95 %, and the median width.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

import halfwidth as hw

Codes = NDArray[np.intp]
CLASSES, SIZES, METHODS = 3, (10, 25, 50, 100), ("auto", "percentile", "bca")
# How often the three raters and the model guess.
GUESSES = {
    "alike": (0.2, 0.2, 0.2, 0.2),
    "model worse": (0.15, 0.15, 0.15, 0.35),
    "model better, one rater poor": (0.1, 0.2, 0.5, 0.1),
}
RATERS = ("A", "B", "C")


def labels(n: int, guesses: tuple[float, ...], rng: np.random.Generator) -> list[Codes]:
    """What the raters and then the model say of n cases; one class is rare."""
    shares = (0.6, 0.3, 0.1)
    truth = rng.choice(CLASSES, n, p=shares)
    return [
        np.where(rng.random(n) < guess, rng.choice(CLASSES, n, p=shares), truth)
        for guess in guesses
    ]


def difference(given: list[Codes], metric: str, method: str) -> tuple[float, float, float]:
    """The difference and its bounds."""
    found = hw.compare_with_raters(
        given[-1],
        dict(zip(RATERS, given, strict=False)),
        metric=metric,
        method=method,
        n_resamples=999,
        rng=1,
        labels=range(CLASSES),
    )[0]
    return found.value, found.low, found.high


def main() -> None:
    """Print the table."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    rng = np.random.default_rng(20)
    print("| metric | raters | n |", " | ".join(METHODS), "|")
    print("| --- | --- | ---: |", " | ".join("---:" for _ in METHODS), "|")
    for metric in sys.argv[2:] or ("cohen_kappa", "accuracy"):
        for name, guesses in GUESSES.items():
            many = labels(10**6, guesses, rng)
            truth = point(many, metric)
            for n in SIZES:
                drawn = [labels(n, guesses, rng) for _ in range(samples)]
                cells = [cell(drawn, metric, method, truth) for method in METHODS]
                print(f"| {metric} | {name} | {n} |", " | ".join(cells), "|", flush=True)


def point(given: list[Codes], metric: str) -> float:
    """The difference without its interval: that of plain averages of agreement."""
    model, raters = given[-1], given[:-1]
    with_model = np.mean([agreement(model, rater, metric) for rater in raters])
    pairs = [(one, other) for one in range(3) for other in range(one)]
    among = np.mean([agreement(raters[one], raters[other], metric) for one, other in pairs])
    return float(with_model - among)


def agreement(one: Codes, other: Codes, metric: str) -> float:
    """Accuracy, or Cohen's kappa by its definition."""
    observed = float((one == other).mean())
    if metric == "accuracy":
        return observed
    expected = sum(float((one == k).mean() * (other == k).mean()) for k in range(CLASSES))
    return (observed - expected) / (1 - expected)


def cell(drawn: list[list[Codes]], metric: str, method: str, truth: float) -> str:
    """Coverage in per cent, and the median width."""
    found = np.array([difference(given, metric, method) for given in drawn])
    known = found[~np.isnan(found[:, 1])]
    covers = (known[:, 1] <= truth) & (truth <= known[:, 2])
    width = np.median(known[:, 2] - known[:, 1])
    return f"{100 * covers.mean():.1f} ({width:.3f})"


if __name__ == "__main__":
    main()
