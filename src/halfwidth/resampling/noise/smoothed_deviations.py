"""Smoothed deviations of cases, which are as large as they are smoothed widely, and their noise.

A density on [0, 1] that is reflected at both ends is a sum of cosines, of which smoothing leaves
less the higher their order is. So what holds of deviations in bins holds at every bandwidth of the
same few sums over cases; and the size is at most σ where the size at the bandwidth σ is.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np

from halfwidth.arithmetic.kernel_cases import damping
from halfwidth.core.forms import SmoothedError
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import declared_form
from halfwidth.resampling.noise.deviations import (
    Deviations,
    added_by_clusters,
    covariance_of,
    root,
    standard_draws,
    units_of,
)
from halfwidth.resampling.noise.noisy_samples import NoisySamples

# Orders of cosines; a kernel of the smaller bandwidths damps higher ones less than it should.
FEWEST_ORDERS, MOST_ORDERS = 64, 256
# Orders that a kernel damps to less than exp(-10) do not count.
DAMPED = math.sqrt(20.0)
# Steps that find a bandwidth to a hundred thousandth.
STEPS = 12
# Elements of a temporary.
AT_ONCE = 2**20


@frozen(eq=False)
class Waves:
    """Sums over cases of cosines of their probabilities times their mean deviations."""

    centre: Array  # (K,)
    # (K, K): as of `Deviations`
    perfect: Array
    noise: Array
    draws: Array  # (B, K)

    @functools.cached_property
    def _cosines(self) -> Array:
        """Shares of the density at even points between 0 and 1, (K, T)."""
        count = len(self.centre)
        points = (np.arange(2 * count) + 0.5) / (2 * count)
        cosines = np.cos(np.pi * np.arange(count)[:, None] * points) / count
        cosines[0] /= 2
        return cosines

    def _damped(self, bandwidth: Array) -> Array:
        return damping(np.arange(float(len(self.centre))), bandwidth)

    def perfect_sizes(self) -> Array:
        """Of draws where each case happens as often as was foreseen, (B,)."""
        return self.sizes(self.draws @ self.perfect)

    def replicates(self) -> Array:
        """Of draws where the true deviations are those observed, (B,)."""
        return self.sizes(self.centre + self.draws @ self.noise)

    def true_sizes(self, observed: float, *, even: bool) -> Array:
        """The largest at which a draw gives no more than was observed, at the bandwidth observed.

        Larger ones are smoothed more, so that they are a little smaller by themselves.
        """
        return np.asarray(self.at(observed).true_sizes(np.array([observed]), even=even)[0])

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
) -> NoisySamples[Waves]:
    """Smoothed deviations of samples, (S, k, n), each in the canonical order of the design."""
    form, sizes = declared_form(statistic, SmoothedError), statistic(records)
    least = float(np.fmax(sizes, DAMPED / (math.pi * MOST_ORDERS)).min(initial=1.0))
    count = max(FEWEST_ORDERS, math.ceil(DAMPED / (math.pi * least)))
    draws = standard_draws(plan, count, design)
    waves = [_waves_of(one, form, design, draws) for one in records]
    return NoisySamples(sizes, tuple(waves))


def _waves_of(records: Array, form: SmoothedError, design: Design, draws: Array) -> Waves:
    p, y = records[:2]
    weights = records[2] if form.weighted else np.ones(p.shape)
    weights = weights / weights.sum()
    orders = np.pi * np.arange(draws.shape[-1])[:, None]
    step = AT_ONCE // len(orders)
    blocks = [slice(start, start + step) for start in range(0, len(p), step)]

    def cosines(block: slice) -> Array:
        return np.asarray(np.cos(orders * p[block]) * weights[block])

    centre, totals = np.zeros(len(orders)), np.zeros((len(orders), len(design.strata)))
    perfect = np.zeros((len(orders), len(orders)))
    for block in blocks:
        waves = cosines(block)
        strata, first = np.unique(design.stratum_of_case[block], return_index=True)
        cases = waves * (y - p)[block]
        centre += cases.sum(axis=-1)
        totals[:, strata] += np.add.reduceat(cases, first, axis=-1)
        perfect += (waves * (p * (1 - p))[block]) @ waves.T

    def rest(block: slice) -> Array:
        """What the cases deviate by from the mean deviation."""
        return np.asarray(cosines(block) * (y - p)[block] - centre[:, None] * weights[block])

    weight = np.bincount(design.stratum_of_case, weights)
    if len(blocks) == 1:
        cases = rest(blocks[0])[None]
        noise, squares = covariance_of(units_of(cases, design)), (cases**2).sum(axis=(-2, -1))
    else:
        noise, squares = _noise_in(blocks, rest, totals - centre[:, None] * weight, design)
    perfect = perfect[None] * added_by_clusters(squares, noise, design)
    return Waves(centre, root(perfect)[0], root(noise)[0], draws)


def _noise_in(
    blocks: Sequence[slice], rest: Callable[[slice], Array], totals: Array, design: Design
) -> tuple[Array, Array]:
    """The covariance of sums over units, (1, K, K), and the sum of squares of their cases, (1,).

    ``rest`` is what the cases of a block add to the sums, (K, cases); ``totals`` are of strata, (K,
    H).
    """
    counts = np.array(design.strata, float)
    means, scales = totals / counts, np.sqrt(counts / np.maximum(counts - 1, 1))
    stratum_of_unit = np.repeat(np.arange(len(counts)), design.strata)
    noise, squares = np.zeros((len(totals), len(totals))), np.zeros(1)
    # Of a unit whose other cases are in the next block.
    begun, its_unit = np.empty((len(totals), 0)), np.empty(0, dtype=np.intp)
    for block in blocks:
        cases = rest(block)
        squares += (cases**2).sum()
        case_units = np.concatenate([its_unit, design.unit_of_case[block]])
        units, first = np.unique(case_units, return_index=True)
        sums = np.add.reduceat(np.hstack([begun, cases]), first, axis=-1)
        whole = len(units) - (block is not blocks[-1])
        begun, its_unit = sums[:, whole:], units[whole:]
        strata = stratum_of_unit[units[:whole]]
        around = (sums[:, :whole] - means[:, strata]) * scales[strata]
        noise += around @ around.T
    return noise[None], squares
