"""Replicates that are sums, made roughly first and exactly where a bound depends on them.

A matrix product in single precision costs half of one in double. Which replicate has a rank is
decided among those whose rough value lies within the error of the rank's; those few are made in
double precision. The error is a bound, not a guess: with unit roundoff u, a sum of n products is
off by at most (n + 2) u Σ|w x|, and so is what is made of two such sums.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import sum_of_squares
from halfwidth.core.types import Array
from halfwidth.resampling.distribution import (
    Scale,
    in_parts,
    limits_of_ties,
    moments_of,
    quantile_by_rank,
)
from halfwidth.resampling.kernels import compiled_screened

__all__ = ["Linear", "Screened", "Weights"]

Rough = NDArray[np.float32]
UNIT = float(np.finfo(np.float32).eps) / 2
# Sums above this would not be numbers in single precision, or below it nothing.
LARGEST, SMALLEST = 1e30, 1e-25
# Of the first replicates, which tell the limits of the tails, and of all: a limit is a quantile.
FIRST, SHARE = 256, 0.08
# What is neglected in the bound: products of errors.
SECOND_ORDER = 1.01


@dataclass(frozen=True, eq=False)
class Weights:
    """How often each case counts in each resample.

    Attributes
    ----------
    exact : ndarray, shape (B, n)
        Counts, or shares that add up to 1.
    rough : ndarray of float32, shape (B, n)
    norm : float
        The largest root of a sum of squares over the cases of a resample.
    """

    exact: Array
    rough: Rough
    norm: float

    @classmethod
    def of(cls, exact: Array) -> Weights:
        """Round them."""
        norm = float(np.sqrt(np.einsum("bi,bi->b", exact, exact).max()))
        return cls(exact, exact.astype(np.float32), norm)


@dataclass(frozen=True, eq=False)
class Linear:
    """Bases of replicates as sums of features, each counted as its resample weighs it.

    Attributes
    ----------
    features : ndarray, shape (P, S, n)
        One: the basis is its sum. Two, deviations and their squares: the sum of squares about the
        mean.
    weights : Weights
    """

    features: Array
    weights: Weights

    def fits(self) -> bool:
        """Whether single precision can hold it."""
        size = self._size()
        return bool(((size == 0) | (size > SMALLEST)).all() and (size < LARGEST).all())

    def _size(self) -> Array:
        """Σ|w x| is at most this, by Cauchy and Schwarz: (P, S)."""
        return np.asarray(self.weights.norm * np.sqrt((self.features**2).sum(axis=-1)))

    def exact(self, rows: slice | NDArray[np.intp] = slice(None)) -> Array:
        """The bases of some samples, (S, B)."""
        made = [one[rows] @ self.weights.exact.T for one in self.features]
        if len(made) == 2:
            for part in in_parts(*made[0].shape):
                made[1][part] = sum_of_squares(
                    self.features.shape[-1], *(one[part] for one in made)
                )
        return np.asarray(made[-1])

    def rough(self) -> tuple[Rough, Array]:
        """The bases in single precision, (S, B), and by how much each row may be off, (S,)."""
        (terms, samples, n), size = self.features.shape, self._size()
        stacked = self.features.reshape(-1, n).astype(np.float32)
        made = (stacked @ self.weights.rough.T).reshape(terms, samples, -1)
        error = SECOND_ORDER * (n + 2) * UNIT * size
        if terms == 1:
            return made[0], error[0]
        for part in in_parts(*made[0].shape):
            total, squares = (one[part] for one in made)
            total *= total
            total *= np.float32(-1 / n)
            squares += total
        # |T| is at most the size of the sum, and rounding adds to each step.
        steps = 4 * UNIT * (size[1] + size[0] ** 2 / n)
        error_of_both = error[1] + 2 * size[0] / n * error[0] + steps
        return made[1], SECOND_ORDER * error_of_both


@dataclass(frozen=True, eq=False)
class Screened:
    """Replicates of a statistic, one row per sample of a batch, exact where they are asked for.

    Attributes
    ----------
    linear : Linear
    scale : Scale or None
        From bases to replicates.
    rough : ndarray of float32, shape (S, B)
    error : ndarray of float32, shape (S,)
    tails : tuple of _Tail
        The lower and the upper one.
    """

    linear: Linear
    scale: Scale | None
    rough: Rough
    error: Rough
    tails: tuple[_Tail, _Tail]
    known: dict[float, Array] = field(default_factory=dict)

    @classmethod
    def of(cls, linear: Linear, scale: Scale | None) -> Screened:
        """Make rough replicates and find their tails."""
        rough, error = linear.rough()
        first = np.sort(rough[:, :FIRST], axis=-1)
        place = int(SHARE * first.shape[-1])
        low, high = first[:, place].copy(), first[:, -1 - place].copy()
        expected = SHARE * rough.shape[-1]
        # Six standard deviations of how many a quantile of the first cuts off.
        room = int(expected + 6 * expected / np.sqrt(SHARE * FIRST)) + 16
        lower, upper, counts = compiled_screened.tails(rough, low, high, room)
        rounded_up = np.nextafter(error.astype(np.float32), np.float32(np.inf))
        tails = (
            _Tail(lower, counts, 0, low, 1.0),
            _Tail(upper, counts, 1, high, -1.0),
        )
        return cls(linear, scale, rough, rounded_up, tails)

    @property
    def n_resamples(self) -> int:
        """B."""
        return int(self.rough.shape[-1])

    @property
    def n_undefined(self) -> NDArray[np.intp]:
        """Always 0."""
        return np.zeros(len(self.rough), dtype=np.intp)

    def quantile(self, probability: Array | float) -> Array:
        """Type-7 quantile of the replicates; ``probability`` has one value per sample."""
        if np.ndim(probability):
            return quantile_by_rank(self, self._at, probability)
        asked = float(probability)
        if asked not in self.known:
            self.known[asked] = quantile_by_rank(self, self._at, np.full(len(self.rough), asked))
        return self.known[asked]

    def _at(self, rank: NDArray[np.intp]) -> Array:
        made = np.full(len(self.rough), np.nan)
        found = np.zeros(len(self.rough), dtype=bool)
        for tail, from_outside in zip(self.tails, (rank, self.n_resamples - 1 - rank), strict=True):
            asked = np.where(found, -1, from_outside)
            value, there = tail.exactly(asked, self.error, self.linear)
            made = np.where(there, value, made)
            found |= there
        rest = np.flatnonzero(~found)
        if len(rest):
            whole = self.linear.exact(rest)
            whole.sort(axis=-1)
            made[rest] = whole[np.arange(len(rest)), rank[rest]]
        return made if self.scale is None else self.scale.values(made[:, None])[:, 0]

    def share_below(self, value: Array, tolerance: Array) -> Array:
        """Share of the replicates below ``value``, plus half of those tied with it."""
        limits = limits_of_ties(value, tolerance, self.scale)
        counted = compiled_screened.shares(
            self.rough, self.error, *limits, self.linear.features, self.linear.weights.exact
        )
        return np.asarray(counted.sum(axis=-1) / (2.0 * self.n_resamples))

    def mean(self) -> Array:
        """Mean of the replicates."""
        return self._moments()[0]

    def standard_deviation(self) -> Array:
        """SD (B - 1) of the replicates: the bootstrap standard error."""
        return self._moments()[1]

    def _moments(self) -> tuple[Array, Array]:
        return moments_of(self.linear.exact(), self.n_resamples - self.n_undefined, self.scale)


@dataclass(frozen=True, eq=False)
class _Tail:
    """What lies beyond a limit of each row.

    Attributes
    ----------
    keys : ndarray, shape (S, room)
        Rough values, times ``sign``, with their places, from the outside in.
    counts : ndarray of int, shape (S, 2)
        How many there are, in the column ``side``.
    side : int
    limit : ndarray of float32, shape (S,)
    sign : float
        -1 for the upper one.
    """

    keys: Array
    counts: NDArray[np.uint64]
    side: int
    limit: Rough
    sign: float

    def exactly(
        self, ranks: NDArray[np.intp], error: Rough, linear: Linear
    ) -> tuple[Array, NDArray[np.bool_]]:
        """The exact bases of ranks counted from the outside, and which of them it knows."""
        return compiled_screened.at_ranks(
            ranks,
            (self.keys, self.counts, self.side, self.limit),
            error,
            self.sign,
            (linear.features, linear.weights.exact),
        )
