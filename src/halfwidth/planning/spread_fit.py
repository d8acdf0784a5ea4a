"""Fitting the SD of cases as a polynomial of their mean; benchmarks/spread.py writes the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfwidth.core.types import Array
from halfwidth.planning.spread import SHARE, SpreadModel


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
