"""Ranks of models.

The rank of a model is 1 + the number of models that are better: equal ones share the smallest rank
("1224").
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import TIE_SHARE
from halfwidth.core.types import Array

Ranks = NDArray[np.intp]
TIES = ("min", "average", "max")


def ranks_of(merits: Array, margin: float = 0.0) -> Ranks:
    """1 + the number of models that are better by more than a margin, (..., K) -> (..., K).

    Larger merits are better; all are defined. Differences of the size of rounding are none.

    >>> ranks_of(np.array([0.9, 0.7, 0.9, 0.8])).tolist()
    [1, 4, 1, 3]
    >>> ranks_of(np.array([0.9, 0.7, 0.9, 0.8]), margin=0.15).tolist()
    [1, 3, 1, 1]
    """
    ranks = np.ones(merits.shape, dtype=np.intp)
    tolerance = margin + TIE_SHARE * np.abs(merits).max(axis=-1, keepdims=True)
    for model in range(merits.shape[-1]):
        ranks += merits[..., model, None] - merits > tolerance
    return ranks


def tied_ranks(merits: Array, ties: str) -> Array:
    """Ranks of which equal models share the smallest, the largest or the mean, as SciPy names it.

    >>> [tied_ranks(np.array([0.9, 0.7, 0.9]), ties).tolist() for ties in TIES]
    [[1.0, 3.0, 1.0], [1.5, 3.0, 1.5], [2.0, 3.0, 2.0]]
    """
    least = ranks_of(merits).astype(float)
    if ties == "min":
        return least
    most = merits.shape[-1] + 1.0 - ranks_of(-merits)
    return np.asarray(most if ties == "max" else (least + most) / 2)


def ranks_in_cases(merits: Array, lacking: NDArray[np.bool_], ties: str = "min") -> Array:
    """Ranks within each case, (n, K); models without a value there have the last, K.

    >>> lacking = np.array([[False, True, True]])
    >>> ranks_in_cases(np.array([[0.3, 0.0, 0.0]]), lacking).tolist()
    [[1.0, 3.0, 3.0]]
    """
    present = np.where(lacking, np.inf, merits).min(axis=-1, keepdims=True)
    # Behind all that have a value, however low that is.
    behind = np.where(np.isfinite(present), present, 0.0) - 1.0
    ranks = tied_ranks(np.where(lacking, behind, merits), ties)
    return np.where(lacking, float(merits.shape[-1]), ranks)
