"""How often intervals of a model against raters hold the true difference.

    python benchmarks/raters.py [samples] [metric ...]

Three raters and a model label cases of three classes; each keeps the true label with a probability
of their own and else guesses. Prints a table in Markdown: coverage at 95 %, and the median width.
"""

from __future__ import annotations

import itertools
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
SHARES = (0.6, 0.3, 0.1)
# Bounds are often exactly 0, and so is the truth of raters who are alike.
ROUNDING = 1e-9


def labels(n: int, guesses: tuple[float, ...], rng: np.random.Generator) -> list[Codes]:
    """What the raters and then the model say of n cases; one class is rare."""
    truth = rng.choice(CLASSES, n, p=SHARES)
    return [
        np.where(rng.random(n) < guess, rng.choice(CLASSES, n, p=SHARES), truth)
        for guess in guesses
    ]


def difference(given: list[Codes], metric: str, method: str) -> tuple[float, float, float]:
    """The difference and its bounds."""
    readings = hw.Readings.from_arrays(
        dict(zip([*RATERS, "model"], given, strict=True)), model="model", labels=range(CLASSES)
    )
    (found,) = hw.compare(readings, metric=metric, method=method, n_resamples=999, rng=1)
    return found.value, found.low, found.high


def main() -> None:
    """Print the table."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    rng = np.random.default_rng(20)
    print("| metric | raters | n |", " | ".join(METHODS), "|")
    print("| --- | --- | ---: |", " | ".join("---:" for _ in METHODS), "|")
    for metric in sys.argv[2:] or ("cohen_kappa", "accuracy"):
        for name, guesses in GUESSES.items():
            truth = true_difference(guesses, metric)
            for n in SIZES:
                drawn = [labels(n, guesses, rng) for _ in range(samples)]
                cells = [cell(drawn, metric, method, truth) for method in METHODS]
                print(f"| {metric} | {name} | {n} |", " | ".join(cells), "|", flush=True)


def true_difference(guesses: tuple[float, ...], metric: str) -> float:
    """That of all cases, from the probabilities of pairs of labels."""
    model, raters = guesses[-1], guesses[:-1]
    with_model = np.mean([agreement(model, rater, metric) for rater in raters])
    among = np.mean([agreement(*pair, metric) for pair in itertools.combinations(raters, 2)])
    return float(with_model - among)


def agreement(one: float, other: float, metric: str) -> float:
    """Accuracy of two who guess so often, or Cohen's kappa."""
    shares = np.array(SHARES)
    said = [(1 - guess) * np.eye(CLASSES) + guess * shares for guess in (one, other)]
    observed = float(sum(shares[t] * (said[0][t] @ said[1][t]) for t in range(CLASSES)))
    expected = float(shares @ shares)
    return observed if metric == "accuracy" else (observed - expected) / (1 - expected)


def cell(drawn: list[list[Codes]], metric: str, method: str, truth: float) -> str:
    """Coverage in per cent, and the median width."""
    found = np.array([difference(given, metric, method) for given in drawn])
    known = found[~np.isnan(found[:, 1])]
    covers = (known[:, 1] <= truth + ROUNDING) & (truth - ROUNDING <= known[:, 2])
    width = np.median(known[:, 2] - known[:, 1])
    return f"{100 * covers.mean():.1f} ({width:.3f})"


if __name__ == "__main__":
    main()
