"""Adjusted p-values: among several comparisons at once some would look real by chance."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.core.errors import OptionError
from halfwidth.core.option_names import spelled
from halfwidth.core.types import Array
from halfwidth.results.comparison import TestResult


def _bonferroni(ascending: Array) -> Array:
    return np.asarray(len(ascending) * ascending)


def _holm(ascending: Array) -> Array:
    left = np.arange(len(ascending), 0, -1)
    return np.asarray(np.maximum.accumulate(left * ascending))


def _benjamini_hochberg(ascending: Array) -> Array:
    shares = len(ascending) / np.arange(1, len(ascending) + 1)
    return np.asarray(np.minimum.accumulate((shares * ascending)[::-1])[::-1])


UNCORRECTED = "none"
# By the joint law of the family; tests, which have none, are adjusted by Holm.
STEPDOWN = "stepdown"
HOLM, BONFERRONI = "holm", "bonferroni"
CORRECTIONS: dict[str, Callable[[Array], Array]] = {
    HOLM: _holm,
    BONFERRONI: _bonferroni,
    "benjamini_hochberg": _benjamini_hochberg,
}


def adjusted_p_values(p_values: ArrayLike, correction: str = "holm") -> Array:
    """P-values adjusted for how many they are; one up to α rejects at level α.

    A test that cannot be made (NaN) does not count. Bonferroni and Holm (1979), with more power,
    hold the probability of any false rejection; Benjamini & Hochberg (1995) the expected share of
    false ones among the rejections.

    >>> adjusted_p_values([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    if correction not in CORRECTIONS:
        raise OptionError(
            f"{spelled('correction', correction)} is not one of {', '.join(CORRECTIONS)}"
        )
    raw = np.asarray(p_values, float)
    adjusted = np.full(raw.shape, np.nan)
    known = np.flatnonzero(~np.isnan(raw))
    order = known[np.argsort(raw[known], kind="stable")]
    if len(order):
        adjusted[order] = np.minimum(CORRECTIONS[correction](raw[order]), 1.0)
    return adjusted


def corrected(results: Sequence[TestResult], correction: str = "holm") -> list[TestResult]:
    """The tests of one family with adjusted p-values; a single one as it is."""
    if len(results) < 2 or correction == UNCORRECTED:
        return list(results)
    correction = HOLM if correction == STEPDOWN else correction
    adjusted = adjusted_p_values([result.p_value for result in results], correction)
    return [
        replace(result, adjusted=p, correction="" if math.isnan(p) else correction)
        for result, p in zip(results, adjusted.tolist(), strict=True)
    ]
