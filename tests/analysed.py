"""Frames of cells with answers that are known, for the tests of the analysis of studies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd

from halfwidth.study.simulation.performance import COLUMNS

SIZES = (10, 25, 50, 100, 250)


def cell(**given: Any) -> dict[str, Any]:
    """One row of a study, every column in it."""
    words = {name: "" for name, kind in COLUMNS.items() if kind == "string"}
    numbers = {name: 0.0 for name, kind in COLUMNS.items() if kind == "double"}
    counts = {name: 0 for name, kind in COLUMNS.items() if kind == "int64"}
    usual = {
        "metric": "dsc",
        "statistic": "mean",
        "method": "percentile",
        "confidence_level": 0.95,
        "alternative": "two-sided",
        "n": 50,
        "n_cases": 200,
        "population_skewness": -1.0,
        "population_kurtosis": 4.0,
        "samples": 10_000,
        "coverage": 0.95,
        "width_mean": 0.1,
        "truth": 0.8,
    }
    row = words | numbers | counts | usual | given
    named = [str(row[name]) for name in ("model", "task", "metric") if row[name]]
    row["instance"] = given.get("instance", "/".join(named))
    return {name: row[name] for name in COLUMNS}


def curve(
    coverage: Callable[[int], float], sizes: Iterable[int] = SIZES, **given: Any
) -> pd.DataFrame:
    """The rows of one instance and method over n."""
    return pd.DataFrame([cell(n=n, coverage=coverage(n), **given) for n in sizes])


def with_pace(pace: float, sizes: Iterable[int] = SIZES, **given: Any) -> pd.DataFrame:
    """A curve that has this pace exactly."""
    return curve(lambda n: 0.95 + pace / n, sizes, **given)
