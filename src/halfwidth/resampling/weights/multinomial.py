"""Multinomial counts: what resampling many cases does to a table of few cells, at no cost per case.

Cell by cell the count is binomial, given those before it; it is the quantile of one uniform draw.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.core import rng
from halfwidth.core.types import Array

Integers = NDArray[np.int64]


def multinomial(key: rng.Key, start: int, stop: int, counts: Integers) -> Integers:
    """Counts of each cell when as many cases are drawn as there are: (K,) -> (B, K)."""
    drawn = np.zeros((stop - start, len(counts)), dtype=np.int64)
    held = np.flatnonzero(counts)
    uniforms = rng.uniforms(key, start, stop, max(len(held) - 1, 1))
    left = np.full(stop - start, int(counts.sum()), dtype=np.int64)
    behind = int(counts.sum())
    for place, cell in enumerate(held[:-1]):
        in_cell = int(counts[cell])
        drawn[:, cell] = binomial_quantile(uniforms[:, place], left, in_cell / behind)
        left = left - drawn[:, cell]
        behind -= in_cell
    if len(held):
        drawn[:, held[-1]] = left
    return drawn


def binomial_quantile(uniform: Array, n: Integers, p: float) -> Integers:
    """The smallest x with P(Bin(n, p) ≤ x) ≥ u, for each u and n; 0 < p < 1.

    The first guess is the normal one corrected for skewness (Cornish & Fisher); the distribution
    function there says which way to walk, mostly a step or two.
    """
    from scipy import special

    trials = n.astype(float)
    z = special.ndtri(uniform)
    guess = trials * p + np.sqrt(trials * p * (1 - p)) * z + (1 - 2 * p) * (z**2 - 1) / 6
    x = np.clip(np.floor(guess), 0.0, trials)
    below = special.bdtr(x, n, p)
    mass = _probability(x, trials, p)
    upward = np.flatnonzero(below < uniform)
    while len(upward):
        mass[upward] *= (trials[upward] - x[upward]) / (x[upward] + 1) * (p / (1 - p))
        x[upward] += 1
        below[upward] += mass[upward]
        short = (below[upward] < uniform[upward]) & (x[upward] < trials[upward])
        upward = upward[short]
    downward = np.flatnonzero((below - mass >= uniform) & (x > 0))
    while len(downward):
        below[downward] -= mass[downward]
        mass[downward] *= x[downward] / (trials[downward] - x[downward] + 1) * ((1 - p) / p)
        x[downward] -= 1
        long = (below[downward] - mass[downward] >= uniform[downward]) & (x[downward] > 0)
        downward = downward[long]
    return x.astype(np.int64)


def _probability(x: Array, n: Array, p: float) -> Array:
    """P(Bin(n, p) = x)."""
    from scipy import special

    log_choose = special.gammaln(n + 1) - special.gammaln(x + 1) - special.gammaln(n - x + 1)
    return np.exp(log_choose + special.xlogy(x, p) + special.xlog1py(n - x, -p))
