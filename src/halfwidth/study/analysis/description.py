"""Location, spread, shape, ties and classes of the instances of a study."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.spec import MetricLevel
from halfwidth.core.types import Array, Bounds
from halfwidth.study.populations import Population, characterize
from halfwidth.study.populations.logits import LogitPopulation
from halfwidth.study.specs.spec import Instance, written
from halfwidth.study.studies import StudyPlan

if TYPE_CHECKING:
    import pandas as pd

# Beyond the quartiles by this many interquartile ranges lie Tukey's fences.
FENCE = 1.5
OF_VALUES = (
    *("mean", "sd", "skewness", "kurtosis", "minimum", "median", "maximum"),
    *("outlier_share", "low_outlier_share", "share_at_bound", "distinct"),
)
OF_TEST_SETS = (
    *("classes", "counts", "largest_share", "smallest_share", "smallest_count"),
    *("accuracy", "balanced_accuracy", "rank", "multivariate_skewness"),
    *("multivariate_skewness_sum", "multivariate_kurtosis", "normal_kurtosis"),
)
COLUMNS = (
    *("instance", "task", "model", "metric", "kind", "n_cases"),
    *OF_VALUES,
    *OF_TEST_SETS,
)

# What a summary tells of instances of one kind, and the value for a normal where there is one.
SUMMARISED = {
    "cases": (
        *("n_cases", "mean", "sd", "skewness", "kurtosis", "median"),
        *("outlier_share", "low_outlier_share", "share_at_bound", "distinct"),
    ),
    "images": ("n_cases",),
    "test set": (
        *("n_cases", "largest_share", "smallest_share", "smallest_count"),
        *("accuracy", "balanced_accuracy", "multivariate_skewness"),
        *("multivariate_skewness_sum", "multivariate_kurtosis"),
    ),
}
SUMMARISED["formula"] = SUMMARISED["cases"][1:-1]
NORMAL = {
    "skewness": 0.0,
    "kurtosis": 3.0,
    "multivariate_skewness": 0.0,
    "multivariate_skewness_sum": 0.0,
}
SUMMARY_COLUMNS = (
    *("metric", "kind", "classes", "characteristic", "instances"),
    *("minimum", "q1", "median", "q3", "maximum", "normal"),
)


def characteristics(planned: StudyPlan) -> pd.DataFrame:
    """Describe each instance of a study.

    Parameters
    ----------
    planned : StudyPlan
        From `halfwidth.study.plan`.

    Returns
    -------
    DataFrame
        A row for each instance: ``instance``, ``task``, ``model``, ``metric`` (empty for a test
        set), ``kind`` (``"cases"``, ``"test set"``, ``"images"`` or ``"formula"``) and ``n_cases``.
        NaN, or an empty text, is what does not apply.

        Of per-case values, in the unit of the metric: ``mean``, ``sd`` (divisor n - 1),
        ``skewness`` m₃/m₂^1.5 and ``kurtosis`` m₄/m₂² of central moments with divisor n (0 and 3
        for a normal; NaN where all values are equal), ``minimum``, ``median``, ``maximum``,
        ``outlier_share`` of the cases below Q1 - 1.5 IQR or above Q3 + 1.5 IQR (quartiles of type
        7), ``low_outlier_share`` below, ``share_at_bound`` of the cases at an end of the range of
        the metric, ``distinct`` values. A population by formula has its own; how many values are
        distinct is unknown.

        Of test sets: ``classes``, ``counts`` of their cases ("180/20"), the share of the largest
        and the smallest and the count of that, ``accuracy`` and ``balanced_accuracy`` (the mean
        recall of classes with cases) of the arg max, ``rank`` d of the covariance matrix of the
        logits, ``multivariate_skewness`` ‖E ‖Y‖² Y‖, ``multivariate_skewness_sum`` E (Σᵢ Yᵢ)³,
        which depends on the basis, ``multivariate_kurtosis`` E ‖Y‖⁴, and ``normal_kurtosis``, what
        that is for a normal, d(d + 2) (either skewness is 0). Y = Σ^(-1/2)(X - mean), Σ with
        divisor n. Where Σ is singular, as of logits that add up to 0, Y lives on its range and d
        is below the number of classes. NaN with infinite logits.

    References
    ----------
    andre2025, S3.2, S6.1 and S6.2; mori1994; tukey1977.

    Examples
    --------
    >>> from pathlib import Path
    >>> from halfwidth.study.studies import plan
    >>> from halfwidth.study.specs.parsing import parse_spec
    >>> content = {"study": {}, "populations": [{"name": "bell", "family": "normal"}]}
    >>> frame = characteristics(plan(parse_spec(content, Path("study.toml"))))
    >>> frame[["instance", "kurtosis"]].to_numpy().tolist()
    [['bell', 3.0]]
    """
    import pandas as pd

    rows = [_row(instance) for instance in planned.instances]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _row(instance: Instance) -> dict[str, Any]:
    population = instance.build()
    row: dict[str, Any] = dict.fromkeys(COLUMNS, math.nan)
    row |= {
        "instance": instance.name,
        "task": instance.task,
        "model": instance.model,
        "metric": "" if instance.metric is None else written(instance.metric),
        "counts": "",
    }
    if instance.detected is not None:
        return row | {
            "metric": instance.detected.metric,
            "kind": "images",
            "n_cases": instance.n_cases,
        }
    if instance.level is MetricLevel.SAMPLE:
        return row | _describe_test_set(population)
    if instance.n_cases is None:
        return row | _describe_population(population, instance.bounds)
    return row | _describe_values(population.cases, instance.bounds)


def _describe_values(values: Array, bounds: Bounds) -> dict[str, Any]:
    shape = characterize(values)
    q1, median, q3 = (float(q) for q in np.quantile(values, [0.25, 0.5, 0.75]))
    low, high = _fences(q1, q3)
    at_bound = (values == bounds.low) | (values == bounds.high)
    return {
        "kind": "cases",
        "n_cases": len(values),
        **_moments(shape),
        "minimum": float(values.min()),
        "median": median,
        "maximum": float(values.max()),
        "outlier_share": float(((values < low) | (values > high)).mean()),
        "low_outlier_share": float((values < low).mean()),
        "share_at_bound": float(at_bound.mean()),
        "distinct": len(np.unique(values)),
    }


def _describe_population(population: Population, bounds: Bounds) -> dict[str, Any]:
    q1, median, q3 = (float(q) for q in population.quantile([0.25, 0.5, 0.75]))
    low, high = _fences(q1, q3)
    # What lies strictly below: up to the next smaller number.
    below, not_above = _upto(population, np.nextafter(low, -math.inf)), _upto(population, high)
    minimum, maximum = population.support
    at_bound = sum(
        _upto(population, end) - _upto(population, np.nextafter(end, -math.inf))
        for end in (bounds.low, bounds.high)
        if math.isfinite(end)
    )
    return {
        "kind": "formula",
        **_moments(characterize(population)),
        "minimum": minimum,
        "median": median,
        "maximum": maximum,
        "outlier_share": below + 1 - not_above,
        "low_outlier_share": below,
        "share_at_bound": float(at_bound),
    }


def _upto(population: Population, x: float) -> float:
    return float(population.cdf(x))


def _fences(q1: float, q3: float) -> tuple[float, float]:
    return q1 - FENCE * (q3 - q1), q3 + FENCE * (q3 - q1)


def _moments(shape: Any) -> dict[str, float]:
    return {
        "mean": shape.mean,
        "sd": shape.standard_deviation,
        "skewness": shape.skewness,
        "kurtosis": shape.kurtosis,
    }


def _describe_test_set(population: LogitPopulation) -> dict[str, Any]:
    sizes = np.bincount(population.labels, minlength=population.n_classes)
    # As a study does: softmax, then the first of the most probable classes.
    hits = population.cases()[:-1].argmax(axis=0) == population.labels
    right = np.bincount(population.labels[hits], minlength=population.n_classes)
    seen = sizes > 0
    return {
        "kind": "test set",
        "n_cases": len(population.labels),
        "classes": population.n_classes,
        "counts": "/".join(str(size) for size in sizes),
        "largest_share": float(sizes.max() / sizes.sum()),
        "smallest_share": float(sizes.min() / sizes.sum()),
        "smallest_count": int(sizes.min()),
        "accuracy": float(hits.mean()),
        "balanced_accuracy": float((right[seen] / sizes[seen]).mean()),
        **_logit_shape(population),
    }


def _logit_shape(population: LogitPopulation) -> dict[str, Any]:
    """Shape of the standardised logits; nothing where one is the logarithm of 0."""
    if not np.isfinite(population.logits).all():
        return {}
    rank = population.rank
    if not rank:
        return {"rank": 0}
    return {
        "rank": rank,
        "multivariate_skewness": population.skewness,
        "multivariate_skewness_sum": population.skewness_of_sum,
        "multivariate_kurtosis": population.kurtosis,
        "normal_kurtosis": float(rank * (rank + 2)),
    }


# --------------------------------------------------------------------------- over instances


def characteristics_summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Quartiles over instances of what `characteristics` tells of each.

    Parameters
    ----------
    frame : DataFrame
        From `characteristics`.

    Returns
    -------
    DataFrame
        A row for each metric and characteristic; of test sets for each number of classes, on which
        their shape depends: ``metric``, ``kind``, ``classes`` (NaN of values), ``characteristic``,
        ``instances`` of which it is known, ``minimum``, ``q1``, ``median``, ``q3``, ``maximum``
        over these (quartiles of type 7), and ``normal``, its value for a normal distribution (NaN
        where it has none of its own, and where the ranks of test sets differ).
    """
    import pandas as pd

    rows = []
    for (metric, kind, classes), group in frame.groupby(
        ["metric", "kind", "classes"], sort=False, dropna=False
    ):
        normals = group["normal_kurtosis"].dropna().unique()
        for name in SUMMARISED[str(kind)]:
            known = group[name].dropna().to_numpy(dtype=float)
            five = np.quantile(known, [0, 0.25, 0.5, 0.75, 1]) if len(known) else [math.nan] * 5
            normal = NORMAL.get(name, math.nan)
            if name == "multivariate_kurtosis" and len(normals) == 1:
                normal = float(normals[0])
            rows.append([metric, kind, classes, name, len(known), *five, normal])
    return pd.DataFrame(rows, columns=list(SUMMARY_COLUMNS))
