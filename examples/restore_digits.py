"""Restore spoilt digits with three regressors: the Dice of each of 1797 images, on two tasks.

    python examples/restore_digits.py examples/digits
    halfwidth study run examples/real-auto-steady.toml --store auto-steady/

Scikit-learn's handwritten digits have 8 × 8 grey values from 0 to 16. Noise is added to them, or
three pixels in ten are lost, and a regressor predicts the image as it was. Where the prediction is
above the middle grey is its mask; the mask of the image itself is the reference. In ten folds each
image is restored by a model that did not see it. No image fails outright, as in few sets of scans.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsRegressor

SEED = 0
MIDDLE_GREY = 8
NOISE, LOST = 4.0, 0.3


def models() -> dict[str, Any]:
    """Regressors of many outputs as they come, but for what makes them repeatable."""
    return {
        "ridge": Ridge(),
        "knn": KNeighborsRegressor(),
        "extra_trees": ExtraTreesRegressor(50, max_features="sqrt", random_state=SEED),
    }


def restore_all(folder: Path) -> None:
    """Write ``FOLDER/MODEL_dsc.csv`` with a row for each image and a column for each task."""
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng(SEED)
    whole = load_digits().data
    reference = whole > MIDDLE_GREY
    spoilt = {
        "noise": whole + generator.normal(0, NOISE, whole.shape),
        "holes": np.where(generator.random(whole.shape) < LOST, MIDDLE_GREY, whole),
    }
    for name, model in models().items():
        table = pd.DataFrame({"case": np.arange(len(whole))})
        for task, seen in spoilt.items():
            mask = cross_val_predict(model, seen, whole, cv=10) > MIDDLE_GREY
            both = (mask & reference).sum(axis=1)
            table[task] = dice = 2 * both / (mask.sum(axis=1) + reference.sum(axis=1))
            spread = f"{dice.mean():.3f}, SD {dice.std():.3f}, lowest {dice.min():.2f}"
            print(f"{name}, {task}: Dice {spread}")
        table.to_csv(folder / f"{name}_dsc.csv", index=False, float_format="%.6g")


if __name__ == "__main__":
    restore_all(Path(sys.argv[1]))
