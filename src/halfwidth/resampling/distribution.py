"""Bootstrap distributions, drawn or exact, behind one small interface.

Intervals ask a distribution for quantiles, for the share below the estimate and for its SD; they
do not ask how it came about.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Array

__all__ = ["Distribution", "ExactDistribution", "Replicates"]

# Cumulative probabilities are sums of rounded terms; a quantile forgives that much.
CUMULATIVE_ROUNDING = 1e-12


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
        below = (self.ordered < (value - tolerance)[..., None]).sum(axis=-1)
        up_to = (self.ordered <= (value + tolerance)[..., None]).sum(axis=-1)
        defined = self.n_resamples - self.n_undefined
        with np.errstate(invalid="ignore"):
            return np.asarray((below + up_to) / (2.0 * defined))

    def mean(self) -> Array:
        """Mean of the defined replicates."""
        return self._moments[0]

    def standard_deviation(self) -> Array:
        """SD (B - 1) of the defined replicates: the bootstrap standard error."""
        return self._moments[1]

    @functools.cached_property
    def _moments(self) -> tuple[Array, Array]:
        """Mean and SD, about the smallest replicate so that small spreads keep their digits."""
        defined = self.n_resamples - self.n_undefined
        anchor = self.ordered[..., :1]
        with np.errstate(invalid="ignore", divide="ignore"):
            shifted = self.ordered - anchor
            if self.n_undefined.any():
                shifted = np.where(np.isnan(shifted), 0.0, shifted)
            sums = shifted.sum(axis=-1)
            squares = np.einsum("...i,...i->...", shifted, shifted)
            mean = sums / defined
            variance = (squares - sums * mean) / (defined - 1)
        return np.asarray(anchor[..., 0] + mean), np.sqrt(np.maximum(variance, 0.0))


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
        order = np.argsort(support, axis=-1, kind="stable")
        probability = np.broadcast_to(probability, support.shape)
        return cls(
            np.take_along_axis(support, order, axis=-1),
            np.take_along_axis(probability, order, axis=-1),
        )

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
        cumulative = np.cumsum(self.probability, axis=-1)
        reached = cumulative >= (wanted - CUMULATIVE_ROUNDING)[..., None]
        last = self.support.shape[-1] - 1
        rank = np.where(reached.any(axis=-1), reached.argmax(axis=-1), last)
        found = np.take_along_axis(self.support, rank[..., None], axis=-1)[..., 0]
        return np.where(np.isfinite(wanted), found, np.nan)

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
