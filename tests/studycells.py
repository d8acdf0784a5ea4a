"""Small frames of cells as a study has them, made by formula: no simulation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from halfwidth.study.simulation.performance import COLUMNS

SIZES = (10, 25, 50)
FIT = {"percentile": -0.8, "bca": -0.5, "basic": -1.5, "t": -0.6}


def cells_of(
    *,
    metrics: Sequence[str] = ("dsc", "nsd"),
    statistics: Sequence[str] = ("mean", "median", "sd"),
    averages: Sequence[str] = ("",),
    methods: Sequence[str] = ("percentile", "bca", "basic", "t"),
    instances: int = 6,
    level: float = 0.95,
    seed: int = 1,
) -> pd.DataFrame:
    """Coverage level + β/n and width s/√n, with β and s of the instance, metric and method."""
    generator = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for metric in metrics:
        for instance in range(instances):
            spread = 0.1 + 0.02 * instance + 0.01 * generator.random()
            for statistic in statistics:
                for average in averages:
                    for method in methods:
                        worse = FIT.get(method, -1.0) - 0.1 * instance * generator.random()
                        own = {
                            "population_sd": spread,
                            "population_skewness": -instance / 2 - 0.1,
                            "population_kurtosis": 3.0 + instance,
                            "confidence_level": level,
                            "coverage_se": 0.002,
                        }
                        rows += [
                            _row(metric, instance, statistic, average, method, n)
                            | own
                            | {
                                "coverage": level + worse / n,
                                "width_mean": 4 * spread / n**0.5,
                                "centre_shift": worse / n / 10,
                            }
                            for n in SIZES
                        ]
    return pd.DataFrame(rows)


def sets_of(**changes: Any) -> pd.DataFrame:
    """Cells of test sets: accuracy has no average, balanced accuracy and F1 have one or two."""
    plain = cells_of(metrics=["accuracy", "mcc"], statistics=[""], **changes)
    macro = cells_of(
        metrics=["balanced_accuracy", "f1"],
        statistics=[""],
        averages=["macro"],
        **changes,
    )
    micro = cells_of(metrics=["f1"], statistics=[""], averages=["micro"], **changes)
    return pd.concat([plain, macro, micro], ignore_index=True)


def _row(
    metric: str, instance: int, statistic: str, average: str, method: str, n: int
) -> dict[str, Any]:
    blank: dict[str, Any] = {
        name: "" if kind == "string" else 0 if kind == "int64" else np.nan
        for name, kind in COLUMNS.items()
    }
    of_sets = statistic == ""
    return blank | {
        "instance": f"set{instance}" if of_sets else f"model/task{instance}/{metric}",
        "task": f"task{instance}",
        "model": "model",
        "metric": metric,
        "statistic": statistic,
        "average": average,
        "method": method,
        "n": n,
        "alternative": "two-sided",
        "n_cases": 100 + instance,
        "population_mean": 0.8 - 0.01 * instance,
        "truth": 0.8,
        "samples": 1000,
        "batches": 10,
    }
