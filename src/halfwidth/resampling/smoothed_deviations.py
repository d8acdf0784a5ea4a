"""Smoothed deviations of cases, which are as large as they are smoothed widely, and their noise.

A density on [0, 1] that is reflected at both ends is a sum of cosines, of which smoothing leaves
less the higher their order is. So what holds of deviations in bins holds at every bandwidth of the
same few sums over cases; and the size is at most σ where the size at the bandwidth σ is.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.kernel_cases import damping
from halfwidth.core.forms import SmoothedError
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.deviations import (
    Deviations,
    added_by_clusters,
    covariance_of,
    root,
    standard_draws,
    units_of,
)
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import declared_form

# Orders of cosines; a kernel of the smaller bandwidths damps higher ones less than it should.
FEWEST_ORDERS, MOST_ORDERS = 64, 256
# Orders that a kernel damps to less than exp(-10) do not count.
DAMPED = math.sqrt(20.0)
# Steps that find a bandwidth to a hundred thousandth.
STEPS = 12
# Elements of a temporary.
AT_ONCE = 2**20


@frozen(eq=False)
class SmoothedDeviations:
    """Smoothed deviations of a batch of samples; as `Deviations`.

    Attributes
    ----------
    size : ndarray, shape (S,)
        What is observed: the size, and the bandwidth.
    samples : tuple of Waves
    """

    size: Array
    samples: tuple[Waves, ...]

    @property
    def n_resamples(self) -> int:
        """Draws of the noise."""
        return len(self.samples[0].draws)

    @property
    def n_undefined(self) -> NDArray[np.intp]:
        """None of them."""
        return np.zeros(len(self.samples), dtype=np.intp)

    def quantile(self, probability: Array | float) -> Array:
        """That of the size of what is observed, if the true deviations are those observed."""
        return np.asarray(np.quantile(self._replicates, probability, axis=-1))

    def standard_deviation(self) -> Array:
        """The SD of the same."""
        return np.asarray(self._replicates.std(axis=-1, ddof=1))

    @functools.cached_property
    def perfect_sizes(self) -> Array:
        """Of draws where each case happens as often as was foreseen, (S, B)."""
        return np.stack([one.sizes(one.draws @ one.perfect) for one in self.samples])

    @functools.cached_property
    def _replicates(self) -> Array:
        return np.stack([one.sizes(one.centre + one.draws @ one.noise) for one in self.samples])

    def true_sizes(self, observed: Array, *, even: bool) -> Array:
        """The largest true sizes at which each draw of the noise gives no more than was observed.

        They are those at the bandwidth observed: larger ones are smoothed more, so that they are a
        little smaller by themselves.

        Parameters
        ----------
        observed : ndarray, shape (S,)
        even : bool
            As of `Deviations`.

        Returns
        -------
        ndarray, shape (S, B)
        """
        return np.stack(
            [
                one.at(float(size)).true_sizes(np.array([size]), even=even)[0]
                for one, size in zip(self.samples, observed, strict=True)
            ]
        )


@frozen(eq=False)
class Waves:
    """Sums over cases of cosines of their probabilities times their mean deviations.

    Attributes
    ----------
    centre : ndarray, shape (K,)
    perfect, noise : ndarray, shape (K, K)
        As of `Deviations`.
    draws : ndarray, shape (B, K)
    """

    centre: Array
    perfect: Array
    noise: Array
    draws: Array

    @functools.cached_property
    def _cosines(self) -> Array:
        """Shares of the density at even points between 0 and 1, (K, T)."""
        count = len(self.centre)
        points = (np.arange(2 * count) + 0.5) / (2 * count)
        made = np.cos(np.pi * np.arange(count)[:, None] * points) / count
        made[0] /= 2
        return made

    def _damped(self, bandwidth: Array) -> Array:
        return damping(np.arange(float(len(self.centre))), bandwidth)

    def at(self, bandwidth: float) -> Deviations:
        """The densities at the points, smoothed so widely."""
        smoothed = self._damped(np.array(bandwidth))[:, None] * self._cosines
        return Deviations(
            (self.centre @ smoothed)[None],
            (self.perfect @ smoothed)[None],
            (self.noise @ smoothed)[None],
            self.draws,
        )

    def sizes(self, waves: Array) -> Array:
        """The size of each of some sums, (B, K) -> (B,)."""
        step = max(1, AT_ONCE // (2 * waves.shape[-1]))
        blocks = (waves[start : start + step] for start in range(0, len(waves), step))
        return np.concatenate([self._crossings(block) for block in blocks])

    def _crossings(self, waves: Array) -> Array:
        """The bandwidths at which sizes are as large as they, by false position (Illinois)."""

        def excess(bandwidth: Array) -> Array:
            damped = waves * self._damped(bandwidth[:, None])
            return np.asarray(np.abs(damped @ self._cosines).sum(axis=-1) - bandwidth)

        low = np.zeros(len(waves))
        # Smoothing makes none larger.
        above = high = excess(low)
        below = excess(high)
        side = np.zeros(len(waves))
        for _ in range(STEPS):
            middle = low + (high - low) * above / np.where(above > below, above - below, 1.0)
            at = excess(middle)
            up = at > 0
            # Where the same end has moved twice, what is left at the other counts half.
            above, below = (
                np.where(up, at, np.where(side < 0, above / 2, above)),
                np.where(up, np.where(side > 0, below / 2, below), at),
            )
            low, high = np.where(up, middle, low), np.where(up, high, middle)
            side = np.where(up, 1.0, -1.0)
        return np.asarray(middle)


def smoothed_deviations(
    records: Array, design: Design, statistic: Statistic, plan: Plan
) -> SmoothedDeviations:
    """Smoothed deviations of samples, (S, k, n), each in the canonical order of the design."""
    form, sizes = declared_form(statistic, SmoothedError), statistic(records)
    least = float(np.fmax(sizes, DAMPED / (math.pi * MOST_ORDERS)).min(initial=1.0))
    count = max(FEWEST_ORDERS, math.ceil(DAMPED / (math.pi * least)))
    draws = standard_draws(plan, count, design)
    made = [_waves_of(one, form, design, draws) for one in records]
    return SmoothedDeviations(sizes, tuple(made))


def _waves_of(records: Array, form: SmoothedError, design: Design, draws: Array) -> Waves:
    p, y = records[:2]
    weights = records[2] if form.weighted else np.ones(p.shape)
    cosines = np.cos(np.pi * np.arange(draws.shape[-1])[:, None] * p) * (weights / weights.sum())
    cases = cosines * (y - p)
    centre = cases.sum(axis=-1)
    rest = (cases - centre[:, None] * (weights / weights.sum()))[None]
    noise = covariance_of(units_of(rest, design))
    perfect = ((cosines * (p * (1 - p))) @ cosines.T)[None] * added_by_clusters(rest, noise, design)
    return Waves(centre, root(perfect)[0], root(noise)[0], draws)
