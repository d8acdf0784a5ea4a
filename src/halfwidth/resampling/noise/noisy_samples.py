"""Sizes of deviations that noise makes larger, of samples that each have a kind of noise."""

from __future__ import annotations

import functools
from dataclasses import Field, replace
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.resampling.distribution import AllDefined


class Noisy(Protocol):
    """What is observed of one sample, and draws of the noise in it; a dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def draws(self) -> Array:
        """Standard ones, (B, K)."""

    def perfect_sizes(self) -> Array:
        """Sizes of draws where each case happens as often as was foreseen, (B,)."""

    def replicates(self) -> Array:
        """Sizes of draws where the true deviations are those observed, (B,)."""

    def true_sizes(self, observed: float, *, even: bool) -> Array:
        """True sizes as of `NoisySamples`, (B,)."""


OneSample_co = TypeVar("OneSample_co", bound=Noisy, covariant=True)


@frozen(eq=False)
class NoisySamples(AllDefined, Generic[OneSample_co]):
    """Sizes of the deviations of a batch of samples; as `Deviations`."""

    size: Array  # (S,): what is observed of each
    samples: tuple[OneSample_co, ...]

    @property
    def n_resamples(self) -> int:
        """Draws of the noise."""
        return len(self.samples[0].draws)

    def quantile(self, probability: Array | float) -> Array:
        """Quantile of the size of what is observed, if the true deviations are those observed."""
        return np.asarray(np.quantile(self.replicates, probability, axis=-1))

    def standard_deviation(self) -> Array:
        """The SD of the same."""
        return np.asarray(self.replicates.std(axis=-1, ddof=1))

    def one(self, row: int, draws: Array) -> NoisySamples[OneSample_co]:
        """One of the samples, with draws of its own."""
        return NoisySamples(self.size[row : row + 1], (replace(self.samples[row], draws=draws),))

    @functools.cached_property
    def perfect_sizes(self) -> Array:
        """Sizes of draws where each case happens as often as was foreseen, (S, B)."""
        return np.stack([one.perfect_sizes() for one in self.samples])

    @functools.cached_property
    def replicates(self) -> Array:
        """Sizes of draws where the true deviations are those observed, (S, B)."""
        return np.stack([one.replicates() for one in self.samples])

    def true_sizes(self, observed: Array, *, even: bool) -> Array:
        """True sizes as of `Deviations`, (S,) -> (S, B)."""
        both = zip(self.samples, observed, strict=True)
        return np.stack([one.true_sizes(float(at), even=even) for one, at in both])
