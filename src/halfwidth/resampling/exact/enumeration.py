"""All resamples of a few units, with their probabilities."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Array

# Resamples that differ in more than their order: of 10 units there are 92 378.
MOST_RESAMPLES = 100_000
# Strata of two units have three resamples each.
MOST_UNITS = 22


def can_enumerate(strata: Sequence[int]) -> bool:
    """Whether there are few enough resamples of so many units in each stratum."""
    if sum(strata) > MOST_UNITS:
        return False
    return math.prod(math.comb(2 * units - 1, units) for units in strata) <= MOST_RESAMPLES


@functools.lru_cache(maxsize=8)
def _resamples(units: int) -> tuple[NDArray[np.uint8], Array]:
    """How often each unit is drawn in each resample, (R, U), and the probabilities, (R,)."""
    counts = np.zeros((1, 0), dtype=np.uint8)
    left = np.array([units])
    for _ in range(units - 1):
        choices = left + 1
        source = np.repeat(np.arange(len(left)), choices)
        drawn = np.arange(len(source)) - np.repeat(np.cumsum(choices) - choices, choices)
        counts = np.column_stack([counts[source], drawn.astype(np.uint8)])
        left = left[source] - drawn
    counts = np.column_stack([counts, left.astype(np.uint8)])
    factorials = np.array([float(math.factorial(k)) for k in range(units + 1)])
    ways = factorials[units] / factorials[counts].prod(axis=1)
    return counts, ways / float(units) ** units


def enumerated_sums(strata: Sequence[Array]) -> tuple[Array, Array]:
    """Sums of what units of strata add, (k, U) each, in all resamples, and their probabilities."""
    sums, probability = np.zeros((len(strata[0]), 1)), np.ones(1)
    for values in strata:
        counts, own = _resamples(values.shape[-1])
        own_sums = values @ counts.T.astype(float)
        sums = (sums[:, :, None] + own_sums[:, None, :]).reshape(len(sums), -1)
        probability = np.outer(probability, own).ravel()
    return sums, probability
