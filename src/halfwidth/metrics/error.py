"""Per-case errors of a predicted number or label."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.core.checks import refuse_complex
from halfwidth.core.spec import Better, Kind, metric
from halfwidth.core.types import Array, Bounds

__all__ = ["absolute_error", "correct", "squared_error"]


@metric(
    title="absolute error",
    bounds=Bounds(0.0, math.inf),
    better=Better.LOWER,
    family="error",
    synonyms=("ae",),
    pitfalls=("in the unit of the target: errors of different targets cannot be compared",),
)
def absolute_error(y_true: ArrayLike, y_pred: ArrayLike) -> Array:
    """Absolute error of each case, |y - ŷ|, in the target's unit.

    Parameters
    ----------
    y_true, y_pred : array-like, same shape
        True and predicted numbers.

    Returns
    -------
    ndarray
        At least 0; NaN where either number is NaN. Its mean is the MAE.

    Examples
    --------
    >>> absolute_error([1.0, 2.0], [1.5, 0.0])
    array([0.5, 2. ])
    """
    truth, predicted = _real(y_true, y_pred)
    return np.asarray(np.abs(truth - predicted), dtype=float)


@metric(
    title="squared error",
    bounds=Bounds(0.0, math.inf),
    better=Better.LOWER,
    family="error",
    pitfalls=(
        "a few large errors dominate its mean",
        "in the unit of the target squared",
    ),
)
def squared_error(y_true: ArrayLike, y_pred: ArrayLike) -> Array:
    """Squared error of each case, (y - ŷ)², in the target's unit squared.

    Parameters
    ----------
    y_true, y_pred : array-like, same shape
        True and predicted numbers.

    Returns
    -------
    ndarray
        At least 0; NaN where either number is NaN. Its mean is the MSE.

    Examples
    --------
    >>> squared_error([1.0, 2.0], [1.5, 0.0])
    array([0.25, 4.  ])
    """
    truth, predicted = _real(y_true, y_pred)
    return np.asarray((truth - predicted) ** 2, dtype=float)


@metric(
    title="correct",
    bounds=Bounds(0.0, 1.0),
    better=Better.HIGHER,
    kind=Kind.BINARY,
    family="error",
    synonyms=("hit", "is_correct"),
    reliable_n=10,
    pitfalls=("mostly 1 without any skill where one answer dominates",),
)
def correct(y_true: ArrayLike, y_pred: ArrayLike) -> Array:
    """Whether each case is right, 1 or 0; its mean is the accuracy, a proportion.

    Parameters
    ----------
    y_true, y_pred : array-like, same shape
        True and predicted labels.

    Returns
    -------
    ndarray
        1.0 where the labels are equal, else 0.0.

    Examples
    --------
    >>> correct(["cat", "dog"], ["cat", "cat"])
    array([1., 0.])
    """
    return np.asarray((np.asarray(y_true) == np.asarray(y_pred)), dtype=float)


def _real(y_true: ArrayLike, y_pred: ArrayLike) -> tuple[Array, Array]:
    """Targets and predictions as real numbers."""
    refuse_complex(y_true, "y_true")
    refuse_complex(y_pred, "y_pred")
    return np.asarray(y_true, float), np.asarray(y_pred, float)


# The catalogue lists these, in this order.
DECLARED = (absolute_error, squared_error, correct)
