"""Small tables to draw the gallery from: ``python examples/gallery_data.py FOLDER``.

All come from data that ship with scikit-learn: masks of handwritten digits in noise, predictions
for two and for three classes, scores of several models on several tasks, errors of regressions,
detections of eights in collages, and repeated training runs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import ndimage
from sklearn import datasets
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LassoCV, LogisticRegression, Ridge
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

import halfwidth as hw

Image = np.ndarray[Any, np.dtype[np.float64]]
Filter = Callable[[Image], Image]

SEED = 1
DIGITS = (0, 1, 4, 8)
CASES, NOISE = 240, 0.35
FILTERS: dict[str, Filter] = {
    "Gaussian filter": lambda image: ndimage.gaussian_filter(image, 0.8),
    "median filter": lambda image: ndimage.median_filter(image, 3),
    "no filter": lambda image: image,
}
# Nearly as good as each other: what rankings have to tell apart.
REGRESSORS = {
    "boosting": GradientBoostingRegressor(random_state=SEED),
    "forest": RandomForestRegressor(100, random_state=SEED),
    "lasso": LassoCV(),
    "neighbours": KNeighborsRegressor(15),
    "ridge": Ridge(1.0),
    "support vectors": SVR(C=100),
}
CLASSIFIERS = {
    "discriminant analysis": LinearDiscriminantAnalysis(),
    "forest": RandomForestClassifier(50, random_state=SEED),
    "logistic regression": LogisticRegression(C=0.01, max_iter=1000),
}
# Digits that are told apart, and what makes that hard.
TASKS, PIXEL_NOISE = ((0, 1, 2), (3, 5, 8), (4, 7, 9)), 12.0
SIDE, CELL, WINDOW = 48, 12, 8
COLLAGES, DIGITS_OF_A_COLLAGE = 40, 7
FOREST = 60
THIRDS = ("younger", "middle", "older")
RUNS, TREES = 30, 12


def segmented() -> Iterator[dict[str, object]]:
    """DSC and HD95 of the strokes of digits, found in noise by several filters."""
    rng = np.random.default_rng(SEED)
    loaded = datasets.load_digits()
    kept = np.flatnonzero(np.isin(loaded.target, DIGITS))[:CASES]
    for place in kept:
        large = ndimage.zoom(loaded.images[place] / 16, 4, order=1)
        reference = large > 0.5
        noisy = large + rng.normal(0, NOISE, large.shape)
        for model, smooth in FILTERS.items():
            prediction = smooth(noisy) > 0.5
            about = {
                "case": f"image {place:04d}",
                "label": f"digit {loaded.target[place]}",
                "model": model,
            }
            dsc = hw.metrics.dsc(prediction, reference)
            hd95 = hw.metrics.hd95(prediction, reference, spacing=1.0)
            yield {**about, "metric": "dsc", "value": dsc}
            yield {**about, "metric": "hd95", "value": hd95}


def predicted(load: Callable[..., Any], columns: slice) -> pd.DataFrame:
    """Targets and probabilities of a test set, by a regression on some columns alone."""
    features, target = load(return_X_y=True)
    train_x, test_x, train_y, test_y = train_test_split(
        features[:, columns], target, test_size=0.5, random_state=SEED, stratify=target
    )
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(train_x, train_y)
    scores = model.predict_proba(test_x)
    return pd.DataFrame({"y": test_y} | {f"p{k}": each for k, each in enumerate(scores.T)})


def scored() -> Iterator[tuple[str, pd.DataFrame]]:
    """Names of models and tasks with the digits of a test set and their probabilities."""
    features, digits = datasets.load_digits(return_X_y=True)
    features = features + np.random.default_rng(SEED).normal(0, PIXEL_NOISE, features.shape)
    for task in TASKS:
        kept = np.isin(digits, task)
        train_x, test_x, train_y, test_y = train_test_split(
            features[kept], digits[kept], test_size=0.5, random_state=SEED, stratify=digits[kept]
        )
        for model, classifier in CLASSIFIERS.items():
            scores = classifier.fit(train_x, train_y).predict_proba(test_x)
            columns = {f"p{place}": each for place, each in enumerate(scores.T)}
            name = f"{model}, digits {' '.join(map(str, task))}"
            yield name, pd.DataFrame({"digit": test_y} | columns)


def regressed() -> pd.DataFrame:
    """Absolute errors of several regressions, by thirds of the patients' age."""
    data = datasets.load_diabetes()
    train_x, test_x, train_y, test_y = train_test_split(
        data.data, data.target, test_size=0.5, random_state=SEED
    )
    age = pd.qcut(test_x[:, data.feature_names.index("age")], 3, labels=THIRDS)
    parts = [
        pd.DataFrame(
            {
                "case": [f"patient {number:03d}" for number in range(len(test_y))],
                "label": age,
                "model": name,
                "metric": "absolute_error",
                "value": np.abs(model.fit(train_x, train_y).predict(test_x) - test_y),
            }
        )
        for name, model in REGRESSORS.items()
    ]
    return pd.concat(parts)


def training_runs() -> pd.DataFrame:
    """Accuracy on the digits of small forests that differ in their seed alone."""
    features, target = datasets.load_digits(return_X_y=True)
    rows = []
    for data in ("half of the digits", "a tenth of the digits"):
        share = 0.5 if data.startswith("half") else 0.9
        parts = train_test_split(features, target, test_size=share, random_state=SEED)
        for seed in range(RUNS):
            forest = RandomForestClassifier(TREES, random_state=seed).fit(parts[0], parts[2])
            accuracy = forest.score(parts[1], parts[3])
            rows.append({"data": data, "seed": seed, "accuracy": accuracy})
    return pd.DataFrame(rows)


def collages() -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Eights in collages of digits, and where a classifier that slides over them finds some."""
    rng = np.random.default_rng(SEED)
    loaded = datasets.load_digits()
    styles = _trained_on_eights(rng)
    references: dict[str, Any] = {
        "images": [],
        "annotations": [],
        "categories": [{"id": 1, "name": "eight"}],
    }
    found: list[dict[str, Any]] = []
    for image in range(1, COLLAGES + 1):
        file = f"collage-{image:02d}.png"
        references["images"].append({"id": image, "file_name": file, "width": SIDE, "height": SIDE})
        canvas = rng.normal(0.05, 0.1, (SIDE, SIDE)).clip(0, 1)
        for row, column, pick in _placed(rng, loaded.target):
            canvas[row : row + WINDOW, column : column + WINDOW] = loaded.images[pick] / 16
            if loaded.target[pick] == 8:
                number = len(references["annotations"]) + 1
                references["annotations"].append(
                    {"id": number, **_object(image, row, column), "area": 64.0, "iscrowd": 0}
                )
        found += [
            {**_object(image, row, column), "score": score}
            for row, column, score in _found(styles, canvas)
        ]
    return references, found


def _trained_on_eights(rng: np.random.Generator) -> RandomForestClassifier:
    loaded = datasets.load_digits()
    half = len(loaded.data) // 2
    noise = rng.normal(0.1, 0.15, (400, WINDOW * WINDOW)).clip(0, 1)
    windows = np.vstack([loaded.data[:half] / 16, noise])
    eights = np.r_[loaded.target[:half] == 8, np.zeros(len(noise), bool)]
    return RandomForestClassifier(FOREST, random_state=SEED).fit(windows, eights)


def _placed(rng: np.random.Generator, digit: Any) -> Iterator[tuple[int, int, int]]:
    """Row, column and number of the digits of a collage, of those not trained on."""
    others = np.arange(len(digit) // 2, len(digit))
    eights = others[digit[others] == 8]
    for cell in rng.choice((SIDE // CELL) ** 2, DIGITS_OF_A_COLLAGE, replace=False):
        corner = divmod(int(cell), SIDE // CELL)
        row, column = (CELL * place + int(rng.integers(0, 4)) for place in corner)
        yield row, column, int(rng.choice(eights if rng.random() < 0.4 else others))


def _found(styles: RandomForestClassifier, canvas: Image) -> Iterator[tuple[int, int, float]]:
    """The best windows that do not overlap much, as far as any looks like an eight."""
    corners = [(r, c) for r in range(SIDE - WINDOW + 1) for c in range(SIDE - WINDOW + 1)]
    windows = [canvas[r : r + WINDOW, c : c + WINDOW].ravel() for r, c in corners]
    scores = styles.predict_proba(np.array(windows))[:, 1]
    taken: list[tuple[int, int]] = []
    for at in np.argsort(-scores, kind="stable"):
        if scores[at] < 0.3:
            return
        row, column = corners[at]
        if all(max(abs(row - r), abs(column - c)) > WINDOW // 2 for r, c in taken):
            taken.append((row, column))
            yield row, column, float(scores[at])


def _object(image: int, row: int, column: int) -> dict[str, Any]:
    box = [float(column), float(row), float(WINDOW), float(WINDOW)]
    return {"image_id": image, "category_id": 1, "bbox": box}


def write(folder: Path) -> None:
    """Write all tables."""
    folder.mkdir(parents=True, exist_ok=True)
    cases = pd.DataFrame(segmented())
    cases.to_csv(folder / "masks.csv", index=False)
    eights = cases[(cases["metric"] == "dsc") & (cases["label"] == "digit 8")]
    wide = eights.pivot_table(index="case", columns="model", values="value")
    wide.to_csv(folder / "eights.csv")
    regressed().to_csv(folder / "errors.csv", index=False)
    predicted(datasets.load_breast_cancer, slice(0, 4)).to_csv(folder / "cancer.csv", index=False)
    predicted(datasets.load_wine, slice(0, 3, 2)).to_csv(folder / "wine.csv", index=False)
    (folder / "scores").mkdir(exist_ok=True)
    for name, table in scored():
        table.to_csv(folder / "scores" / f"{name}.csv", index=False)
    training_runs().to_csv(folder / "runs.csv", index=False)
    references, found = collages()
    (folder / "references.json").write_text(json.dumps(references), encoding="utf-8")
    (folder / "detections.json").write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
