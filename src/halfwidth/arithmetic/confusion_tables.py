"""Confusion matrices and tables of one class against the rest, of one test set or of many."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfwidth.core.errors import DataError
from halfwidth.core.types import Numbers as Counts


def confusion_matrix(
    y_true: ArrayLike, y_pred: ArrayLike, n_classes: int, sample_weight: ArrayLike | None = None
) -> Counts:
    """Confusion matrix of class codes 0, 1, ...: rows are true classes, columns predicted ones.

    Parameters
    ----------
    y_true, y_pred : array-like of int, shape (n,)
        Codes below ``n_classes``.
    n_classes : int
    sample_weight : array-like, shape (n,), optional
        What each case counts; default 1.

    Returns
    -------
    ndarray, shape (n_classes, n_classes)
        Integers, or sums of weights.

    Raises
    ------
    DataError
        If a code is not one of ``0 .. n_classes - 1``.

    Examples
    --------
    >>> confusion_matrix([0, 1, 1, 1], [0, 1, 0, 1], 2)
    array([[1, 0],
           [1, 2]])
    """
    truth, predicted = np.asarray(y_true, dtype=np.intp), np.asarray(y_pred, dtype=np.intp)
    for codes in (truth, predicted):
        if len(codes) and not 0 <= codes.min() <= codes.max() < n_classes:
            raise DataError(f"class codes lie outside 0 to {n_classes - 1}")
    weights = None if sample_weight is None else np.asarray(sample_weight, float)
    counts = np.bincount(truth * n_classes + predicted, weights, minlength=n_classes**2)
    return np.asarray(counts.reshape(n_classes, n_classes))


def count_cells(codes: Counts, n_cells: int) -> Counts:
    """Cases in each cell of a table, given the code of each: (..., n) -> (..., n_cells).

    >>> count_cells(np.array([0, 3, 3, 1]), 4)
    array([1, 1, 0, 2])
    """
    flat = codes.reshape(-1, codes.shape[-1]).astype(np.intp)
    shifted = flat + n_cells * np.arange(len(flat))[:, None]
    counts = np.bincount(shifted.ravel(), minlength=len(flat) * n_cells)
    return np.asarray(counts.reshape(*codes.shape[:-1], n_cells))


def counts_by_unit(codes: Counts, unit: NDArray[np.intp], units: int, n_cells: int) -> Counts:
    """Cases of each unit in each cell, given the code and the unit of each: (n,) -> (U, K)."""
    flat = unit * n_cells + codes.astype(np.intp)
    return np.bincount(flat, minlength=units * n_cells).reshape(units, n_cells)


def one_vs_rest(matrix: Counts) -> tuple[Counts, Counts, Counts, Counts]:
    """TP, FN, FP and TN of each class against the rest: (..., C, C) -> four of (..., C).

    >>> tp, fn, fp, tn = one_vs_rest(np.array([[40, 10], [5, 45]]))
    >>> tp, fn, fp, tn
    (array([40, 45]), array([10,  5]), array([ 5, 10]), array([45, 40]))
    """
    tp = np.diagonal(matrix, axis1=-2, axis2=-1)
    fn = matrix.sum(axis=-1) - tp
    fp = matrix.sum(axis=-2) - tp
    return tp, fn, fp, matrix.sum(axis=(-2, -1))[..., None] - tp - fn - fp


def ratio(part: Counts, whole: Counts) -> Counts:
    """Part / whole; NaN for 0 / 0, infinite for a positive part of nothing."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        if not np.iscomplexobj(part) and not np.iscomplexobj(whole):
            return np.asarray(np.true_divide(part, whole))
        known = np.asarray(whole).real != 0
        return np.where(known, np.divide(part, np.where(known, whole, 1.0)), np.nan)
