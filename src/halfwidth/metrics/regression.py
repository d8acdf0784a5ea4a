"""Errors of predicted numbers over a whole test set."""

from __future__ import annotations

import functools
import math

import numpy as np

from halfwidth.arithmetic.confusion_tables import ratio
from halfwidth.core.forms import PerCase, Sums
from halfwidth.core.spec import Better, Estimand, MetricLevel, Takes, metric
from halfwidth.core.types import Array, Bounds, Numbers

__all__ = ["mae", "mse", "r2", "rmse"]

_regression = functools.partial(
    metric, level=MetricLevel.SAMPLE, takes=Takes.NUMBERS, family="regression"
)
_error = functools.partial(_regression, bounds=Bounds(0.0, math.inf), better=Better.LOWER)


def _features_of_errors(records: Array) -> Array:
    """(y - ŷ)², and y and y² about one target to keep digits: (..., 2, n) -> (..., 3, n)."""
    target, predicted = records[..., 0, :], records[..., 1, :]
    centred = (
        target
        - np.partition(target, target.shape[-1] // 2, axis=-1)[..., target.shape[-1] // 2, None]
    )
    return np.stack([(target - predicted) ** 2, centred, centred**2], axis=-2)


def _finish_rmse(n: Numbers, sums: Numbers) -> Array:
    """RMSE from the sums of `_features_of_errors`."""
    # A difference of sums may be rounded to less than 0.
    return np.asarray(np.sqrt(np.maximum(ratio(sums[..., 0], n), 0.0)))


def _finish_r2(n: Numbers, sums: Numbers) -> Array:
    """R² from the same."""
    spread = sums[..., 2] - ratio(sums[..., 1] ** 2, n)
    # What is left of equal targets is rounding.
    vanishes = spread.real <= 8 * np.finfo(float).eps * sums[..., 2].real
    return np.asarray(1 - ratio(sums[..., 0], np.where(vanishes, np.nan, spread)))


def _absolute_errors(records: Array) -> Array:
    return np.asarray(np.abs(records[0] - records[1]))


def _squared_errors(records: Array) -> Array:
    return np.asarray((records[0] - records[1]) ** 2)


@_error(
    title="MAE",
    synonyms=("mean_absolute_error",),
    estimand=Estimand.MEAN,
    form=PerCase(_absolute_errors),
    cite="willmott2005",
    pitfalls=("in the unit of the target: errors of different targets cannot be compared",),
)
def mae(y_true: Array, y_pred: Array) -> Array:
    """Mean absolute error, in the target's unit.

    Parameters
    ----------
    y_true, y_pred : ndarray, shape (n,)

    Returns
    -------
    ndarray
        At least 0; NaN without cases.

    References
    ----------
    Willmott & Matsuura (2005).

    Examples
    --------
    >>> float(mae(np.array([1.0, 2.0]), np.array([1.5, 0.0])))
    1.25
    """
    return np.asarray(np.mean(np.abs(y_true - y_pred), axis=-1))


@_error(
    title="MSE",
    synonyms=("mean_squared_error",),
    estimand=Estimand.MEAN,
    form=PerCase(_squared_errors),
    pitfalls=(
        "a few large errors dominate it",
        "in the unit of the target squared",
    ),
)
def mse(y_true: Array, y_pred: Array) -> Array:
    """Mean squared error, in the target's unit squared.

    Parameters
    ----------
    y_true, y_pred : ndarray, shape (n,)

    Returns
    -------
    ndarray
        At least 0; NaN without cases.

    Examples
    --------
    >>> float(mse(np.array([1.0, 2.0]), np.array([1.5, 0.0])))
    2.125
    """
    return np.asarray(np.mean((y_true - y_pred) ** 2, axis=-1))


@_error(
    title="RMSE",
    synonyms=("root_mean_squared_error",),
    form=Sums(_features_of_errors, _finish_rmse, power=2.0),
    reliable_n=50,
    pitfalls=("a few large errors dominate it",),
)
def rmse(y_true: Array, y_pred: Array) -> Array:
    """Root mean squared error, √(Σ(y - ŷ)²/n), in the target's unit.

    Parameters
    ----------
    y_true, y_pred : ndarray, shape (n,)

    Returns
    -------
    ndarray
        At least 0; NaN without cases.

    Examples
    --------
    >>> round(float(rmse(np.array([1.0, 2.0]), np.array([1.5, 0.0]))), 4)
    1.4577
    """
    return np.sqrt(mse(y_true, y_pred))


@_regression(
    title="R²",
    bounds=Bounds(-math.inf, 1.0),
    better=Better.HIGHER,
    synonyms=("r2_score", "coefficient_of_determination"),
    form=Sums(_features_of_errors, _finish_r2),
    reliable_n=50,
    pitfalls=(
        "depends on how much the target varies in this test set",
        "below 0 where the mean of the target would predict better",
    ),
)
def r2(y_true: Array, y_pred: Array) -> Array:
    """Coefficient of determination, 1 - Σ(y - ŷ)² / Σ(y - ȳ)².

    Parameters
    ----------
    y_true, y_pred : ndarray, shape (n,)

    Returns
    -------
    ndarray
        At most 1, 0 for predicting the mean of these cases; NaN where all targets are equal.

    Examples
    --------
    >>> round(float(r2(np.array([1.0, 2.0, 3.0]), np.array([1.1, 2.0, 2.7]))), 3)
    0.95
    """
    centred = y_true - y_true[..., :1]
    spread = (centred**2).sum(axis=-1) - centred.sum(axis=-1) ** 2 / y_true.shape[-1]
    spread = np.where(spread > 0, spread, np.nan)
    return 1 - ratio(((y_true - y_pred) ** 2).sum(axis=-1), spread)


# The catalogue lists these, in this order.
DECLARED = (mae, mse, rmse, r2)
