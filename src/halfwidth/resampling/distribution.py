"""Bootstrap distributions, drawn or exact, behind one small interface.

Intervals ask a distribution for quantiles, for the share below the estimate and for its SD; they
do not ask how it came about.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Array

__all__ = ["Distribution", "ExactDistribution", "Replicates", "in_parts"]

# Cumulative probabilities are sums of rounded terms; a quantile forgives that much.
CUMULATIVE_ROUNDING = 1e-12
# Replicates that are gone through at a time, 512 KiB: a processor's cache holds them and what is
# made of them. No result depends on it.
AT_A_TIME = 2**16


class Distribution(Protocol):
    """What an interval may ask of a bootstrap distribution; one per sample of a batch."""

    @property
    def n_resamples(self) -> int | None:
        """How many replicates were drawn; None where none were."""

    @property
    def n_undefined(self) -> NDArray[np.intp]:
        """How many of them are undefined."""

    def quantile(self, probability: Array | float) -> Array:
        """The quantile of each sample's distribution."""

    def share_below(self, value: Array, tolerance: Array) -> Array:
        """The share below a value plus half the share tied with it."""

    def mean(self) -> Array:
        """The mean."""

    def standard_deviation(self) -> Array:
        """The SD, which is the bootstrap standard error."""


@dataclass(frozen=True)
class Replicates:
    """Replicates of a statistic, one row per sample of a batch.

    Attributes
    ----------
    ordered : ndarray, shape (..., B)
        Ascending along the last axis, undefined ones (NaN) last.
    """

    ordered: Array

    @classmethod
    def sorting(cls, replicates: Array) -> Replicates:
        """Take over ``replicates`` and sort them in place."""
        replicates.sort(axis=-1)
        return cls(replicates)

    @property
    def n_resamples(self) -> int:
        """B, the undefined ones included."""
        return int(self.ordered.shape[-1])

    @functools.cached_property
    def n_undefined(self) -> NDArray[np.intp]:
        """Resamples on which the statistic is undefined."""
        if not np.isnan(self.ordered[..., -1]).any():
            return np.zeros(self.ordered.shape[:-1], dtype=np.intp)
        return np.asarray(np.isnan(self.ordered).sum(axis=-1))

    def quantile(self, probability: Array | float) -> Array:
        """Type-7 quantile of the defined replicates; ``probability`` has one value per sample."""
        defined = self.n_resamples - self.n_undefined
        position = np.asarray(probability, float) * (defined - 1)
        usable = np.isfinite(position) & (defined > 0)
        position = np.where(usable, position, 0.0)
        below = np.floor(position).astype(np.intp)
        above = np.minimum(below + 1, np.maximum(defined - 1, 0))
        low, high = self._at(below), self._at(above)
        with np.errstate(invalid="ignore"):
            between = low + (position - below) * (high - low)
        # Studentized replicates may be infinite, where a difference of two is no number.
        between = np.where((low == high) | (position == below), low, between)
        between = np.where(np.isinf(low) & (low < high), low, between)
        return np.where(usable, between, np.nan)

    def _at(self, rank: NDArray[np.intp]) -> Array:
        return np.take_along_axis(self.ordered, rank[..., None], axis=-1)[..., 0]

    def share_below(self, value: Array, tolerance: Array) -> Array:
        """Share of the defined replicates below ``value``, plus half of those tied with it."""
        value, tolerance = np.asarray(value), np.asarray(tolerance)
        below = self._count(value - tolerance, np.less)
        up_to = self._count(value + tolerance, np.less_equal)
        defined = self.n_resamples - self.n_undefined
        with np.errstate(invalid="ignore"):
            return np.asarray((below + up_to) / (2.0 * defined))

    def _count(self, limit: Array, comparison: np.ufunc) -> NDArray[np.intp]:
        """How many replicates are below a limit (or up to it), by halving where they may end."""
        found = np.zeros(self.ordered.shape[:-1], dtype=np.intp)
        step = 1 << (self.n_resamples.bit_length() - 1)
        while step:
            ahead = found + step
            there = ahead <= self.n_resamples
            last = self._at(np.minimum(ahead, self.n_resamples) - 1)
            found = np.where(there & comparison(last, limit), ahead, found)
            step >>= 1
        return found

    def mean(self) -> Array:
        """Mean of the defined replicates."""
        return self._moments[0]

    def standard_deviation(self) -> Array:
        """SD (B - 1) of the defined replicates: the bootstrap standard error."""
        return self._moments[1]

    @functools.cached_property
    def _moments(self) -> tuple[Array, Array]:
        """Mean and SD, about the smallest replicate so that small spreads keep their digits."""
        shape, size = self.ordered.shape[:-1], self.n_resamples
        rows = self.ordered.reshape(-1, size)
        sums, squares = np.empty(len(rows)), np.empty(len(rows))
        undefined = bool(self.n_undefined.any())
        with np.errstate(invalid="ignore", divide="ignore"):
            for part in in_parts(len(rows), size):
                shifted = rows[part] - rows[part, :1]
                if undefined:
                    shifted = np.where(np.isnan(shifted), 0.0, shifted)
                sums[part] = shifted.sum(axis=-1)
                squares[part] = np.einsum("ij,ij->i", shifted, shifted)
            defined = (self.n_resamples - self.n_undefined).reshape(-1)
            mean = sums / defined
            variance = (squares - sums * mean) / (defined - 1)
        deviation = np.sqrt(np.maximum(variance, 0.0))
        return np.asarray(rows[:, 0] + mean).reshape(shape), deviation.reshape(shape)


def in_parts(rows: int, size: int) -> Iterator[slice]:
    """Rows of so many replicates, a few at a time."""
    step = max(1, AT_A_TIME // max(size, 1))
    return (slice(start, start + step) for start in range(0, rows, step))


@dataclass(frozen=True)
class ExactDistribution:
    """A discrete bootstrap distribution known without a draw, one row per sample of a batch.

    Attributes
    ----------
    support : ndarray, shape (..., m)
        Values that the statistic takes on resamples, ascending.
    probability : ndarray, shape (..., m)
        Their probabilities, which add up to 1.
    """

    support: Array
    probability: Array

    @classmethod
    def of(cls, support: Array, probability: Array) -> ExactDistribution:
        """Bring values in any order, with their probabilities, into ascending order."""
        order = np.argsort(support, axis=-1)
        if probability.ndim == 1:
            return cls(np.take_along_axis(support, order, axis=-1), probability[order])
        return cls(*(np.take_along_axis(both, order, axis=-1) for both in (support, probability)))

    @property
    def n_resamples(self) -> None:
        """None: nothing was drawn."""
        return None

    @property
    def n_undefined(self) -> NDArray[np.intp]:
        """Always 0."""
        return np.zeros(self.support.shape[:-1], dtype=np.intp)

    def quantile(self, probability: Array | float) -> Array:
        """inf{x : F(x) ≥ p}, for one p per sample."""
        wanted = np.broadcast_to(np.asarray(probability, float), self.support.shape[:-1])
        short = (self._cumulative < (wanted - CUMULATIVE_ROUNDING)[..., None]).sum(axis=-1)
        rank = np.minimum(short, self.support.shape[-1] - 1)
        found = np.take_along_axis(self.support, rank[..., None], axis=-1)[..., 0]
        return np.where(np.isfinite(wanted), found, np.nan)

    @functools.cached_property
    def _cumulative(self) -> Array:
        return np.cumsum(self.probability, axis=-1)

    def share_below(self, value: Array, tolerance: Array) -> Array:
        """P(below ``value``) plus half of P(tied with it)."""
        value, tolerance = np.asarray(value), np.asarray(tolerance)
        below = np.where(self.support < (value - tolerance)[..., None], self.probability, 0.0)
        up_to = np.where(self.support <= (value + tolerance)[..., None], self.probability, 0.0)
        return np.asarray((below.sum(axis=-1) + up_to.sum(axis=-1)) / 2)

    def mean(self) -> Array:
        """Expectation of the statistic over all resamples."""
        anchor = self.support[..., :1]
        shifted = self.support - anchor
        return np.asarray(anchor[..., 0] + (self.probability * shifted).sum(axis=-1))

    def standard_deviation(self) -> Array:
        """SD of the statistic over all resamples: the exact bootstrap standard error."""
        centred = self.support - self.mean()[..., None]
        return np.asarray(np.sqrt((self.probability * centred**2).sum(axis=-1)))
