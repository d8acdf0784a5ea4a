"""Limits of agreement: between which the differences of new cases lie, with their intervals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from halfwidth.core.types import Array

# A number with its bounds.
Bounded = tuple[float, float, float]


def limits_of(
    differences: Array, codes: Any, share: float, confidence: float
) -> tuple[float, list[Bounded]]:
    """SD, and the bias and both limits; of cases in clusters, by codes, limits have no interval."""
    from scipy import special

    n, mean = len(differences), float(differences.mean())
    z = float(special.ndtri((1 + share) / 2))
    tail = (1 - confidence) / 2
    if codes is not None:
        sd, standard_error, df = _clustered(differences, codes)
        reach = float(special.stdtrit(df, 1 - tail)) * standard_error if df else math.nan
        less = more = math.nan
    else:
        sd = float(differences.std(ddof=1))
        reach = float(special.stdtrit(n - 1, 1 - tail)) * sd / math.sqrt(n)
        less, more = tolerance_factors(n, z, tail)
    return sd, [
        (mean, mean - reach, mean + reach),
        (mean - z * sd, mean - more * sd, mean - less * sd),
        (mean + z * sd, mean + less * sd, mean + more * sd),
    ]


def tolerance_factors(n: int, z: float, tail: float) -> tuple[float, float]:
    """Factors k for which mean + k s is a lower and an upper bound of μ + z σ, either at 1 - tail.

    k = t' / √n, t' a quantile of the noncentral t with n - 1 degrees of freedom about z√n.

    >>> round(tolerance_factors(10, 1.6448536, 0.05)[1], 3)  # the factor of a tolerance bound
    2.911
    """
    from scipy import special

    root = math.sqrt(n)
    lower, upper = (float(special.nctdtrit(n - 1, z * root, p)) for p in (tail, 1 - tail))
    return lower / root, upper / root


def _clustered(differences: Array, codes: Any) -> tuple[float, float, int]:
    """SD with its parts between and within clusters, robust SE of the mean, its df."""
    n, sizes = len(differences), np.bincount(codes)
    n_clusters = len(sizes)
    sums = np.bincount(codes, differences)
    deviations = sums - differences.mean() * sizes
    if n_clusters < 2:
        return float(differences.std(ddof=1)), math.nan, 0
    standard_error = math.sqrt(n_clusters / (n_clusters - 1) * float((deviations**2).sum())) / n
    between = float((deviations**2 / sizes).sum()) / (n_clusters - 1)
    within_squares = float(((differences - (sums / sizes)[codes]) ** 2).sum())
    if n == n_clusters:
        return math.sqrt(between), standard_error, n_clusters - 1
    within = within_squares / (n - n_clusters)
    typical_size = (n - float((sizes**2).sum()) / n) / (n_clusters - 1)
    variance = within + max(between - within, 0.0) / typical_size
    return math.sqrt(variance), standard_error, n_clusters - 1
