"""Fits the SD of cases as a polynomial of their mean: ``python benchmarks/spread.py``.

Reads the per-case tables in ../shared/data (a folder may be given) and writes
src/halfwidth/planning/spread.json. An instance is a model on a task: the columns of touchstone, and
the two tables of segval. A test fits it again.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfwidth.core.types import Array
from halfwidth.planning.spread import DATA, SHARE, Correlations, SpreadModel
from halfwidth.tables.readers import read_table

ROOT = Path(__file__).resolve().parents[1]
SOURCES = {"dsc": ("SegVal", "Touchstone"), "nsd": ("Touchstone",)}
DIGITS = 6
# Models whose means differ by this at most compete with each other.
CLOSE = 0.03


def instances(folder: Path) -> Iterator[tuple[str, str, Array]]:
    """Metric, task and values of each instance."""
    for file in sorted((folder / "touchstone").glob("*.csv")):
        table = read_table(file)
        rows = np.arange(len(table))
        for task in table.names[1:]:
            values = np.asarray(table.values(task, rows), float)
            yield file.stem.rpartition("_")[2], task, values[~np.isnan(values)]
    for file in sorted((folder / "segval").glob("*_dsc.csv")):
        table = read_table(file)
        values = np.asarray(table.values("metric", np.arange(len(table))), float)
        yield "dsc", file.stem.partition("_")[0], values / 100


def fitted(folder: Path) -> dict[str, SpreadModel]:
    """The polynomial of each metric."""
    found: dict[str, list[tuple[str, float, float]]] = defaultdict(list)
    for metric, task, values in instances(folder):
        found[metric].append((task, float(values.mean()), float(values.std(ddof=1))))
    models = {}
    for metric, sources in SOURCES.items():
        tasks, means, sds = zip(*found[metric], strict=True)
        models[metric] = fit_spread(metric, means, sds, tasks, sources)
    return models


def fit_spread(
    metric: str,
    means: ArrayLike,
    sds: ArrayLike,
    tasks: Sequence[str],
    sources: Sequence[str] = (),
) -> SpreadModel:
    """Least squares of the SD (n - 1) on 1, m and m², and its error on tasks left out.

    Instances of one task share its cases, so the error is that of tasks that the fit has not seen:
    each of the two or more tasks is left out once, and its SDs are compared with what the others
    predict. In the range of the ratios each task weighs the same, whatever its number of models.
    """
    m, s = np.asarray(means, float), np.asarray(sds, float)
    task = np.asarray(tasks)
    coefficients = _least_squares(m, s)
    residuals = s - _powers(m) @ coefficients
    predicted, weight = np.empty_like(s), np.empty_like(s)
    names = np.unique(task)
    for name in names:
        in_task = task == name
        predicted[in_task] = _powers(m[in_task]) @ _least_squares(m[~in_task], s[~in_task])
        weight[in_task] = 1 / (in_task.sum() * len(names))
    tail = (1 - SHARE) / 2
    ratios = [_weighted_quantile(s / predicted, weight, p) for p in (tail, 1 - tail)]
    constant, linear, square = (float(c) for c in coefficients)
    return SpreadModel(
        metric,
        tuple(sources),
        (constant, linear, square),
        instances=len(m),
        tasks=len(names),
        means=(float(m.min()), float(m.max())),
        residual_sd=float(np.sqrt((residuals**2).sum() / (len(m) - 3))),
        left_out_rmse=float(np.sqrt(((s - predicted) ** 2).mean())),
        ratio=(ratios[0], ratios[1]),
    )


def _powers(m: Array) -> NDArray[Any]:
    return np.vander(m, 3, increasing=True)


def _least_squares(m: Array, s: Array) -> Array:
    return np.asarray(np.linalg.lstsq(_powers(m), s, rcond=None)[0])


def _weighted_quantile(values: Array, weight: Array, p: float) -> float:
    """The smallest value that has at least the share p of the weight at or below it."""
    order = np.argsort(values)
    cumulated = np.cumsum(weight[order])
    # Sums of weights are rounded.
    place = int(np.searchsorted(cumulated, p * cumulated[-1] * (1 - 1e-12)))
    return float(values[order][place])


def correlations(folder: Path, metric: str) -> Correlations:
    """Of the values that two models have on the cases of a task, where their means are close."""
    tables = [read_table(file) for file in sorted((folder / "touchstone").glob(f"*_{metric}.csv"))]
    rows = np.arange(len(tables[0]))
    found = []
    for first, second in itertools.combinations(tables, 2):
        for task in first.names[1:]:
            pair = np.array([table.values(task, rows) for table in (first, second)], float)
            pair = pair[:, ~np.isnan(pair).any(axis=0)]
            if abs(pair[0].mean() - pair[1].mean()) <= CLOSE:
                found.append(float(np.corrcoef(pair)[0, 1]))
    low, median, high = (float(q) for q in np.quantile(found, [0.05, 0.5, 0.95]))
    return Correlations(len(found), CLOSE, low, median, high)


def rounded(model: SpreadModel | Correlations) -> dict[str, object]:
    """As it is shipped: six decimals, far below the error of the fit."""
    fields = asdict(model)
    fields.pop("metric", None)
    return {
        name: [x if isinstance(x, str) else round(x, DIGITS) for x in value]
        if isinstance(value, tuple)
        else round(value, DIGITS)
        for name, value in fields.items()
    }


def main() -> None:
    """Fit, write, print."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared" / "data"
    models = {name: rounded(model) for name, model in fitted(folder).items()}
    about = (
        "SD of per-case values = c0 + c1 mean + c2 mean^2, by least squares over instances (a "
        "model on a task); written by benchmarks/spread.py. Touchstone: 9 models, 9 organs, DSC "
        "and NSD; SegVal: nnU-Net on hippocampus and brain tumour, DSC. Correlations: of two "
        "models of Touchstone whose means are close."
    )
    pairs = {name: rounded(correlations(folder, name)) for name in SOURCES}
    made = {"about": about, "models": models, "correlations": pairs}
    text = json.dumps(made, indent=2) + "\n"
    (ROOT / "src" / "halfwidth" / "planning" / DATA).write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
