"""Train a small network 25 times for each of three sources of variation: a table of runs.

    python examples/train_runs.py runs.csv
    halfwidth runs runs.csv --value accuracy --by source --confidence-level 0.9 --plot runs.png

Handwritten digits of scikit-learn. In each source one seed changes and the others stay at 0.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

RUNS = 25
SOURCES = ("initial weights", "train-test split", "training sample")


def train(weights: int, split: int, sample: int) -> dict[str, float]:
    """Accuracy and log loss on a third of the digits."""
    images, digits = load_digits(return_X_y=True)
    train_x, test_x, train_y, test_y = train_test_split(
        images / 16, digits, test_size=1 / 3, random_state=split, stratify=digits
    )
    kept = np.random.default_rng(sample).integers(len(train_y), size=len(train_y))
    if not sample:
        kept = np.arange(len(train_y))
    model = MLPClassifier((32,), max_iter=40, random_state=weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # forty epochs are what is studied
        model.fit(train_x[kept], train_y[kept])
    loss = log_loss(test_y, model.predict_proba(test_x))
    return {"accuracy": model.score(test_x, test_y), "log_loss": loss}


def main() -> None:
    """Write the table."""
    rows = []
    for source in SOURCES:
        for seed in range(1, RUNS + 1):
            seeds = [seed if one == source else 0 for one in SOURCES]
            rows.append({"source": source, "seed": seed, **train(*seeds)})
            print(f"{source}: {seed} of {RUNS}", end="\r", file=sys.stderr)
    pd.DataFrame(rows).to_csv(sys.argv[1], index=False)


if __name__ == "__main__":
    main()
