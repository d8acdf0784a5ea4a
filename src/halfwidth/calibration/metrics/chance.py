"""How far outcomes are from their probabilities by chance."""

from __future__ import annotations

import math

import numpy as np

from halfwidth.core.types import Array

# From this variance on the number of outcomes is normal enough: its mean absolute deviation is off
# by less than 1 %.
NORMAL_FROM = 9.0
# Below it, all but 1e-20 of its distribution lie within half of so many numbers of the mean.
SPAN = 64
# Complex numbers at once.
AT_ONCE = 2**20


def mean_absolute_deviation(p: Array) -> float:
    """E|Σ(Yᵢ - pᵢ)| of independent outcomes Yᵢ that have the probabilities pᵢ.

    Exact, by the discrete Fourier transform of the Poisson-binomial distribution, where the
    variance is small; else √(2v/π).

    >>> round(mean_absolute_deviation(np.array([0.5, 0.5])), 12)
    0.5
    """
    variance = float((p * (1 - p)).sum())
    if variance >= NORMAL_FROM:
        return math.sqrt(2 * variance / math.pi)
    turns = np.exp(2j * np.pi * np.arange(SPAN) / SPAN)
    transform, step = np.ones(SPAN, dtype=complex), AT_ONCE // SPAN
    for start in range(0, len(p), step):
        transform *= np.prod(1 + p[start : start + step, None] * (turns - 1), axis=0)
    mass = np.fft.fft(transform).real / SPAN
    mean = float(p.sum())
    # Masses are those of all numbers that differ by multiples of the span: of one, in effect.
    residue = np.arange(SPAN)
    number = residue + SPAN * np.round((mean - residue) / SPAN)
    return float(np.abs(number - mean) @ mass)
