"""Scores as given by a user, checked and put on a scale on which ranks are kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from halfwidth.core.checks import is_masked, refuse_complex
from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.option_names import spelled
from halfwidth.core.types import Array, Scores
from halfwidth.core.undefined import is_missing

# Rows of probabilities may miss 1 by this much: some digits were cut.
ROW_SUM_TOLERANCE = 1e-3
# Probabilities may leave [0, 1] by this much: rounding.
ROUNDING = 1e-6
# Kinds of arrays of dates and durations.
DATES = "mM"


def as_score_rows(values: Any, where: str) -> Array:
    """Scores as an array with a row for each column given, (n,) or (n, C) -> (1 or C, n)."""
    refuse_complex(values, where)
    try:
        if is_masked(values):
            values = np.ma.filled(values.astype(float), np.nan)
        cells = np.asarray(values)
        # NumPy would make numbers of dates, nanoseconds since 1970.
        array = None if cells.dtype.kind in DATES else cells.astype(float)
    except (OverflowError, TypeError, ValueError):
        array = _with_missing(values)
    if array is None:
        raise DataError(
            f"{where}: scores must be numbers, equally many for each case; give class labels "
            "as one label per case"
        )
    if array.ndim not in (1, 2) or (array.ndim == 2 and not array.shape[1]):
        raise DataError(f"{where}: expected shape (n,) or (n, classes), got {array.shape}")
    return np.ascontiguousarray(np.atleast_2d(array.T))


def _with_missing(values: Any) -> Array | None:
    """Numbers among which some are missing in a way that NumPy does not know; None if not."""
    try:
        cells = np.asarray(values, dtype=object)
        numbers = [np.nan if is_missing(cell) else float(cell) for cell in cells.ravel()]
        return np.array(numbers).reshape(cells.shape)
    except (OverflowError, TypeError, ValueError):
        return None


def on_scale(
    rows: Array, kind: Scores, where: str, *, thresholds: bool
) -> tuple[Array, Scores, float]:
    """Scores on a scale of their own for each kind, the kind, and how far row sums miss 1.

    Probabilities and scores of any kind stay as they are. Logits of several classes become the
    logit of each class against all others, which keeps the ranks that probabilities lose where
    they round to 1; a single logit stays.
    """
    low, high = float(rows.min(initial=0.0)), float(rows.max(initial=0.0))
    outside = low < -ROUNDING or high > 1 + ROUNDING
    several = len(rows) > 1
    if kind == "auto" and outside and (several or thresholds):
        raise DataError(_unknown_scale(where, low, high, several=several))
    if kind == "auto":
        kind = "any" if outside else "probabilities"
    if kind == "probabilities" and outside:
        raise DataError(
            f"{where}: scores from {low:g} to {high:g} are no probabilities; say "
            f"{spelled('scores', 'logits')} or 'any'"
        )
    if kind == "logits" and several:
        return _one_against_rest(rows), kind, 0.0
    missed = float(np.abs(rows.sum(axis=0) - 1).max(initial=0.0)) if several else 0.0
    if kind != "probabilities" or missed <= ROW_SUM_TOLERANCE:
        missed = 0.0
    return rows, kind, missed


def _unknown_scale(where: str, low: float, high: float, *, several: bool) -> str:
    reason = "columns of classes" if several else "a threshold"
    return (
        f"{where}: scores from {low:g} to {high:g} are no probabilities, and for {reason} it "
        f"matters what they are: say {spelled('scores', 'logits')} "
        "(log-probabilities are logits too) or 'any'"
        + ("" if several else f", with {spelled('threshold')}")
    )


def _one_against_rest(logits: Array) -> Array:
    """The logit of each class against all others, lₖ - log Σ exp lⱼ over j ≠ k."""
    differences = np.empty_like(logits)
    for row in range(len(logits)):
        others = np.delete(logits, row, axis=0)
        peak = others.max(axis=0)
        finite = np.where(np.isfinite(peak), peak, 0.0)
        with np.errstate(divide="ignore"):
            differences[row] = logits[row] - finite - np.log(np.exp(others - finite).sum(axis=0))
    return differences


def threshold_on_scale(threshold: float | None, kind: Scores, where: str) -> float:
    """A threshold of the positive class's score, on the scale of `on_scale`."""
    if threshold is None:
        if kind == "any":
            raise OptionError(
                f"{where}: scores of any scale need a threshold to become decisions: "
                f"{spelled('threshold')}"
            )
        threshold = 0.5
    if kind == "any":
        return float(threshold)
    if kind == "probabilities" and 0 <= threshold <= 1:
        return float(threshold)
    if not 0 < threshold < 1:
        raise OptionError(
            f"{spelled('threshold', threshold)} lies outside the scores' range: it is a "
            "probability between 0 and 1, also for logits; for other scores say "
            f"{spelled('scores', 'any')}"
        )
    return float(np.log(threshold) - np.log1p(-threshold))
