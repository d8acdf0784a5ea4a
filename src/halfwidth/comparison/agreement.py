"""Limits of agreement between two measurements of the same cases (Bland and Altman)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from halfwidth.core.checks import as_number
from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.forms import Effect
from halfwidth.core.types import Array, Level
from halfwidth.results.agreement import Agreement, Limit
from halfwidth.results.comparison import ComparedCases

FEWEST = 3


def agreement_of(
    cases: ComparedCases,
    first: str,
    second: str,
    effect: Effect,
    level: Level,
    *,
    share: float = 0.95,
) -> Agreement:
    """The agreement of two models on the cases that were compared."""
    share = as_number("share", share, "between 0 and 1")
    if not 0 < share < 1:
        raise OptionError(f"share={share:g} is not between 0 and 1")
    pair = [cases.values[name] for name in (first, second)]
    if len(pair[0]) < FEWEST:
        raise DataError(f"limits of agreement need {FEWEST} cases or more, got {len(pair[0])}")
    if effect == "ratio":
        if min(float(values.min()) for values in pair) <= 0:
            raise DataError("a ratio needs values above 0; compare differences instead")
        pair = [np.log(values) for values in pair]
    differences, means = pair[0] - pair[1], (pair[0] + pair[1]) / 2
    codes = None
    if cases.groups is not None:
        _, codes = np.unique(np.asarray(cases.groups, dtype=str), return_inverse=True)
    confidence = float(level.confidence_level)
    bias, sd, limits = _limits(differences, codes, share, confidence)
    if effect == "ratio":
        means, differences = np.exp(means), np.exp(differences)
        try:
            bias, *limits = (Limit(*map(math.exp, limit)) for limit in (bias, *limits))
        except OverflowError:
            raise DataError(
                f"the ratios of {first} to {second} lie so far apart that their limits exceed the "
                "largest number in floating point; compare differences instead"
            ) from None
    return Agreement(
        first=first,
        second=second,
        bias=bias,
        lower=limits[0],
        upper=limits[1],
        sd=sd,
        means=means,
        differences=differences,
        metric_spec=cases.metric_spec,
        effect=effect,
        share=share,
        confidence_level=confidence,
        label=cases.label,
        by=cases.by,
        n_groups=None if codes is None else int(codes.max()) + 1,
        groups=cases.groups,
    )


def _limits(
    differences: Array, codes: Any, share: float, confidence: float
) -> tuple[Limit, float, list[Limit]]:
    """Bias, SD, and both limits."""
    from scipy import special

    n, mean = len(differences), float(differences.mean())
    z = float(special.ndtri((1 + share) / 2))
    tail = (1 - confidence) / 2
    if codes is not None:
        sd, standard_error, df = _clustered(differences, codes)
        reach = float(special.stdtrit(df, 1 - tail)) * standard_error if df else math.nan
        bias = Limit(mean, mean - reach, mean + reach)
        values = (mean - z * sd, mean + z * sd)
        return bias, sd, [Limit(value, math.nan, math.nan) for value in values]
    sd = float(differences.std(ddof=1))
    reach = float(special.stdtrit(n - 1, 1 - tail)) * sd / math.sqrt(n)
    less, more = tolerance_factors(n, z, tail)
    return (
        Limit(mean, mean - reach, mean + reach),
        sd,
        [
            Limit(mean - z * sd, mean - more * sd, mean - less * sd),
            Limit(mean + z * sd, mean + less * sd, mean + more * sd),
        ],
    )


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
