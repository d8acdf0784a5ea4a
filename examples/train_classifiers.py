"""Train eight classifiers on six tasks: the scores of 48 models on held-out cases.

    python examples/train_classifiers.py examples/classifiers
    halfwidth study run examples/real-classification.toml --store classification/

The data sets come with scikit-learn: iris, wine, breast cancer, handwritten digits and diabetes.
Two tasks are made of them, since in practice the rare class is the one that matters: is a
digit an eight (one in ten), and is a patient among the quarter whose diabetes progresses most. A
third of the cases, drawn within classes, is trained on; the rest is the test set.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

SEED = 0
TEST_SHARE = 2 / 3


def tasks() -> dict[str, tuple[NDArray[Any], NDArray[Any]]]:
    """Features and classes of each task."""
    digits, figure = datasets.load_digits(return_X_y=True)
    patients, progression = datasets.load_diabetes(return_X_y=True)
    return {
        "iris": datasets.load_iris(return_X_y=True),
        "wine": datasets.load_wine(return_X_y=True),
        "breast_cancer": datasets.load_breast_cancer(return_X_y=True),
        "digits": (digits, figure),
        "digit_eight": (digits, (figure == 8).astype(int)),
        "diabetes": (patients, (progression > np.quantile(progression, 0.75)).astype(int)),
    }


def models() -> dict[str, Any]:
    """Classifiers as they come, but for what makes them repeatable."""
    return {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "lda": LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
        "naive_bayes": make_pipeline(StandardScaler(), GaussianNB(var_smoothing=1e-2)),
        "knn": make_pipeline(StandardScaler(), KNeighborsClassifier(15)),
        "tree": DecisionTreeClassifier(min_samples_leaf=5, random_state=SEED),
        "forest": RandomForestClassifier(100, random_state=SEED),
        "boosting": HistGradientBoostingClassifier(max_iter=50, random_state=SEED),
        "mlp": make_pipeline(StandardScaler(), MLPClassifier((32,), random_state=SEED)),
    }


def train_all(folder: Path) -> None:
    """Write ``FOLDER/MODEL/TASK_scores.npy`` and ``_targets.npy``."""
    for task, (features, classes) in tasks().items():
        train_x, test_x, train_y, test_y = train_test_split(
            features, classes, test_size=TEST_SHARE, random_state=SEED, stratify=classes
        )
        for name, model in models().items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # 200 epochs are enough
                model.fit(train_x, train_y)
            own = folder / name
            own.mkdir(parents=True, exist_ok=True)
            np.save(own / f"{task}_scores.npy", model.predict_proba(test_x))
            np.save(own / f"{task}_targets.npy", test_y)
            right = (model.predict(test_x) == test_y).mean()
            print(f"{name} on {task}: {len(test_y)} test cases, accuracy {right:.3f}")


if __name__ == "__main__":
    train_all(Path(sys.argv[1]))
