"""Probabilities and outcomes as metrics of calibration take them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.core.checks import refuse_complex
from halfwidth.core.errors import DataError
from halfwidth.core.forms import ProbabilitySums
from halfwidth.core.types import Array

# Logarithms and logits of probabilities closer to 0 or 1 than this are those of this one.
CLIP = 1e-7


def clipped(probability: Array) -> Array:
    """Probabilities, no closer to 0 or 1 than `CLIP`."""
    return np.clip(probability, CLIP, 1 - CLIP)


def logit(probability: Array) -> Array:
    """Log odds of probabilities, those of `CLIP` at most in size."""
    inside = clipped(probability)
    return np.asarray(np.log(inside) - np.log1p(-inside))


def as_outcomes(
    y_true: ArrayLike, y_prob: ArrayLike, sample_weight: ArrayLike | None = None
) -> tuple[Array, Array, Array]:
    """Probabilities, outcomes and weights of cases, three of (n,), checked."""
    refuse_complex(y_prob, "y_prob")
    y, p = np.asarray(y_true, dtype=float), np.asarray(y_prob, dtype=float)
    weights = np.ones(p.shape) if sample_weight is None else np.asarray(sample_weight, float)
    if not y.shape == p.shape == weights.shape or y.ndim != 1:
        weighted = "" if sample_weight is None else f" and sample_weight {weights.shape}"
        raise DataError(
            f"y_true and y_prob have shapes {y.shape} and {p.shape}{weighted}, not all (n,)"
        )
    if not np.isin(y, (0, 1)).all():
        raise DataError("y_true holds outcomes other than 0 and 1")
    if len(p) and not (p.min() >= 0 and p.max() <= 1):
        raise DataError(f"y_prob holds {p.min():g} to {p.max():g}; a probability is from 0 to 1")
    if not (weights >= 0).all() or not np.isfinite(weights).all():
        raise DataError("sample_weight holds weights that are negative, infinite or no numbers")
    return p, y, weights


def value_of(
    form: ProbabilitySums,
    y_true: ArrayLike,
    y_prob: ArrayLike,
    sample_weight: ArrayLike | None = None,
    **parameters: float,
) -> float:
    """A metric that is a function of sums, of one test set; NaN without cases."""
    p, y, weights = as_outcomes(y_true, y_prob, sample_weight)
    if not weights.sum() > 0:
        return math.nan
    sums = (form.terms(p, y, **parameters) * weights).sum(axis=-1)
    return float(form.finish(np.asarray(weights.sum()), sums, **parameters))


def weighted_mean(values: Array, weights: Array) -> float:
    """Mean of values of cases; NaN without cases."""
    return float(values @ weights / weights.sum()) if weights.sum() > 0 else math.nan
