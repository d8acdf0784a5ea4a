"""Bootstrap distributions, drawn or exact, behind one small interface.

Intervals ask a distribution for quantiles, for the share below the estimate and for its SD; they
do not ask how it came about.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array

# Cumulative probabilities are sums of rounded terms; a quantile forgives that much.
CUMULATIVE_ROUNDING = 1e-12
# Replicates that are gone through at a time, 256 KiB: a processor's cache holds them and what is
# made of them. No result depends on it.
AT_A_TIME = 2**15


class Quantiles(Protocol):
    """What every interval asks of a distribution; one per sample of a batch."""

    @property
    def n_resamples(self) -> int | None:
        """How many replicates were drawn; None where none were."""

    @property
    def n_undefined(self) -> NDArray[np.intp]:
        """How many of them are undefined."""

    def quantile(self, probability: Array | float) -> Array:
        """The quantile of each sample's distribution."""

    def standard_deviation(self) -> Array:
        """The SD, which is the bootstrap standard error."""


class Distribution(Quantiles, Protocol):
    """What an interval may ask of a bootstrap distribution."""

    def share_below(self, value: Array, tolerance: Array) -> Array:
        """The share below a value plus half the share tied with it."""

    def mean(self) -> Array:
        """The mean."""


class AllDefined:
    """Part of a distribution on which no replicate is undefined."""

    @property
    def n_undefined(self) -> NDArray[np.intp]:
        """0."""
        return np.zeros((), dtype=np.intp)


class Undrawn(AllDefined):
    """Part of a distribution that is known without a draw."""

    @property
    def n_resamples(self) -> None:
        """None: nothing was drawn."""
        return None


# --------------------------------------------------------------------------- drawn replicates


class DrawnReplicates(ABC):
    """Replicates of a statistic, one row per sample of a batch, in whatever order they are kept."""

    @property
    @abstractmethod
    def n_resamples(self) -> int:
        """B, the undefined ones included."""

    @property
    @abstractmethod
    def n_undefined(self) -> NDArray[np.intp]:
        """Resamples on which the statistic is undefined."""

    @abstractmethod
    def _at(self, rank: NDArray[np.intp]) -> Array:
        """The replicate of a rank, from the smallest, one per sample."""

    @property
    @abstractmethod
    def _rows(self) -> Array:
        """All of them, (..., B)."""

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

    def tail_of(self, values: Array, some: NDArray[np.bool_], *, above: bool) -> Array:
        """The probability whose quantile is a value, or of a tail above 1 less that; of some."""
        tails = np.full(len(self._rows), np.nan)
        for row in np.flatnonzero(some):
            sign = -1.0 if above else 1.0
            own, limit = sign * self._rows[row], sign * values[row]
            up_to, further = own[own <= limit], own[own > limit]
            place = len(up_to) - 1.0
            if len(up_to) and len(further):
                place += (limit - up_to.max()) / (further.min() - up_to.max())
            tails[row] = max(place, 0.0) / max(len(up_to) + len(further) - 1, 1)
        return tails

    def row_alone(self, row: int) -> Replicates:
        """Replicates of one sample of the batch."""
        return Replicates.sorting(self._rows[[row]])

    def mean(self) -> Array:
        """Mean of the defined replicates."""
        return self._moments[0]

    def standard_deviation(self) -> Array:
        """SD (B - 1) of the defined replicates: the bootstrap standard error."""
        return self._moments[1]

    @functools.cached_property
    def _moments(self) -> tuple[Array, Array]:
        rows, shape = self._rows, self._rows.shape[:-1]
        defined = (self.n_resamples - self.n_undefined).reshape(-1)
        mean, deviation = _defined_moments(rows.reshape(-1, self.n_resamples), defined)
        return mean.reshape(shape), deviation.reshape(shape)


@frozen
class Replicates(DrawnReplicates):
    """Replicates that are sorted."""

    ordered: Array  # (..., B): ascending along the last axis, undefined ones (NaN) last

    @classmethod
    def sorting(cls, replicates: Array) -> Replicates:
        """Take over what is given and sort it in place."""
        replicates.sort(axis=-1)
        return cls(replicates)

    @property
    def n_resamples(self) -> int:
        """B."""
        return int(self.ordered.shape[-1])

    @functools.cached_property
    def n_undefined(self) -> NDArray[np.intp]:
        """Number of undefined replicates, which come last."""
        if not np.isnan(self.ordered[..., -1]).any():
            return np.zeros(self.ordered.shape[:-1], dtype=np.intp)
        return np.asarray(np.isnan(self.ordered).sum(axis=-1))

    @property
    def _rows(self) -> Array:
        return self.ordered

    def _at(self, rank: NDArray[np.intp]) -> Array:
        return np.take_along_axis(self.ordered, rank[..., None], axis=-1)[..., 0]

    def share_below(self, value: Array, tolerance: Array) -> Array:
        """Share of the defined replicates below ``value``, plus half of those tied with it."""
        low, high = tie_limits(value, tolerance)
        below, up_to = self._count(low, np.less), self._count(high, np.less_equal)
        defined = self.n_resamples - self.n_undefined
        with np.errstate(invalid="ignore"):
            return np.asarray((below + up_to) / (2.0 * defined))

    def _count(self, limit: Array, comparison: np.ufunc) -> NDArray[np.intp]:
        """How many replicates are below a limit (or up to it), by halving where they may end."""
        count = np.zeros(self.ordered.shape[:-1], dtype=np.intp)
        step = 1 << (self.n_resamples.bit_length() - 1)
        while step:
            ahead = count + step
            there = ahead <= self.n_resamples
            last = self._at(np.minimum(ahead, self.n_resamples) - 1)
            count = np.where(there & comparison(last, limit), ahead, count)
            step >>= 1
        return count


def tie_limits(value: Array, tolerance: Array) -> tuple[Array, Array]:
    """Between which limits replicates are tied with a value."""
    with np.errstate(invalid="ignore"):  # a ratio may be infinite, and so its tolerance
        return np.asarray(value) - tolerance, np.asarray(value) + tolerance


def _defined_moments(rows: Array, defined: NDArray[np.intp]) -> tuple[Array, Array]:
    """Mean and SD (B - 1) of the defined replicates, (S, B) -> (S,)."""
    sums, squares, anchor = (np.empty(len(rows)) for _ in range(3))
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        for part in in_parts(*rows.shape):
            values = rows[part]
            # About one of them, so that small spreads keep their digits.
            anchor[part] = np.where(defined[part] > 0, np.fmin.reduce(values[:, :64], axis=-1), 0)
            anchor[part] = np.where(np.isnan(anchor[part]), 0.0, anchor[part])
            shifted = values - anchor[part, None]
            if (defined[part] < rows.shape[-1]).any():
                shifted = np.where(np.isnan(shifted), 0.0, shifted)
            sums[part] = shifted.sum(axis=-1)
            squares[part] = np.einsum("ij,ij->i", shifted, shifted)
        mean = sums / defined
        variance = (squares - sums * mean) / (defined - 1)
    return np.asarray(anchor + mean), np.sqrt(np.maximum(variance, 0.0))


def in_parts(rows: int, size: int) -> Iterator[slice]:
    """Rows of so many replicates, a few at a time."""
    step = max(1, AT_A_TIME // max(size, 1))
    return (slice(start, start + step) for start in range(0, rows, step))


# --------------------------------------------------------------------------- exact ones


@frozen
class ExactDistribution(Undrawn):
    """A discrete bootstrap distribution known without a draw, one row per sample of a batch."""

    support: Array  # (..., m): values that the statistic takes on resamples, ascending
    probability: Array  # (..., m): their probabilities, which add up to 1

    def quantile(self, probability: Array | float) -> Array:
        """inf{x : F(x) ≥ p}, for one p per sample."""
        wanted = np.broadcast_to(np.asarray(probability, float), self.support.shape[:-1])
        short = _count_before(self._cumulative, wanted - CUMULATIVE_ROUNDING, inclusive=False)
        rank = np.minimum(short, self.support.shape[-1] - 1)
        return np.where(np.isfinite(wanted), _at(self.support, rank), np.nan)

    @functools.cached_property
    def _cumulative(self) -> Array:
        return np.cumsum(self.probability, axis=-1)

    def share_below(self, value: Array, tolerance: Array) -> Array:
        """P(below ``value``) plus half of P(tied with it)."""
        value, tolerance = np.asarray(value), np.asarray(tolerance)
        below = _count_before(self.support, value - tolerance, inclusive=False)
        up_to = _count_before(self.support, value + tolerance, inclusive=True)
        return np.asarray((self._probability_of(below) + self._probability_of(up_to)) / 2)

    def _probability_of(self, first: NDArray[np.intp]) -> Array:
        """Probability of each number of the smallest values."""
        return np.where(first > 0, _at(self._cumulative, np.maximum(first - 1, 0)), 0.0)

    def mean(self) -> Array:
        """Expectation of the statistic over all resamples."""
        anchor = self.support[..., :1]
        shifted = self.support - anchor
        return np.asarray(anchor[..., 0] + (self.probability * shifted).sum(axis=-1))

    def standard_deviation(self) -> Array:
        """SD of the statistic over all resamples: the exact bootstrap standard error."""
        centred = self.support - self.mean()[..., None]
        with np.errstate(over="ignore"):  # infinite, of values beyond 1e154
            return np.asarray(np.sqrt((self.probability * centred**2).sum(axis=-1)))


def _at(ascending: Array, place: NDArray[np.intp]) -> Array:
    """One element of each row."""
    rows = ascending.reshape(-1, ascending.shape[-1])
    return np.asarray(rows[np.arange(len(rows)), place.ravel()].reshape(place.shape))


def _count_before(ascending: Array, limit: Array, *, inclusive: bool) -> NDArray[np.intp]:
    """How many of each row lie below its limit, or at it too: all rows are halved at once."""
    size = ascending.shape[-1]
    count = np.zeros(ascending.shape[:-1], dtype=np.intp)
    for step in (2**power for power in reversed(range(size.bit_length()))):
        probe = count + step
        value = _at(ascending, np.minimum(probe, size) - 1)
        before = value <= limit if inclusive else value < limit
        count = np.where((probe <= size) & before, probe, count)
    return count


@frozen
class BatchDistribution(Undrawn):
    """Exact distributions of the samples of a batch, each of its own kind."""

    each: tuple[Distribution, ...]

    @classmethod
    def join(cls, each: Iterable[Distribution | None]) -> BatchDistribution | None:
        """The distributions, or None where one of them is unknown."""
        known = []
        for one in each:
            if one is None:
                return None
            known.append(one)
        return cls(tuple(known))

    def quantile(self, probability: Array | float) -> Array:
        """inf{x : F(x) ≥ p}, for one p per sample."""
        return self._all(lambda one, p: one.quantile(p), probability)

    def share_below(self, value: Array, tolerance: Array) -> Array:
        """P(below ``value``) plus half of P(tied with it)."""
        return self._all(lambda one, v, t: one.share_below(v, t), value, tolerance)

    def mean(self) -> Array:
        """Expectations over all resamples."""
        return self._all(lambda one: one.mean())

    def standard_deviation(self) -> Array:
        """SDs over all resamples: the exact bootstrap standard errors."""
        return self._all(lambda one: one.standard_deviation())

    def _all(self, ask: Callable[..., Array], *arguments: Array | float) -> Array:
        shaped = [np.broadcast_to(np.asarray(item, float), len(self.each)) for item in arguments]
        return np.array(
            [float(ask(*own)) for own in zip(self.each, *shaped, strict=True)], dtype=float
        )
