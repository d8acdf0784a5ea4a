"""Smoothed deviations of cases, which are as large as they are smoothed widely, and their noise.

A density on [0, 1] that is reflected at both ends is a sum of cosines, of which smoothing leaves
less the higher their order is. So what holds of deviations in bins holds at every bandwidth of the
same few sums over cases; and the size is at most σ where the size at the bandwidth σ is.
"""

from __future__ import annotations

import math

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

    def _density(self, waves: Array) -> Array:
        """Shares of the densities at even points between 0 and 1, (..., K) -> (..., 2K)."""
        from scipy import fft

        count = 2 * waves.shape[-1]
        return np.asarray(fft.dct(waves, type=3, n=count) / count)

    def _damped(self, bandwidth: Array) -> Array:
        return damping(np.arange(float(len(self.centre))), bandwidth)

    def perfect_sizes(self) -> Array:
        """Sizes of draws where each case happens as often as was foreseen, (B,)."""
        return self.sizes(self.draws @ self.perfect)

    def replicates(self) -> Array:
        """Sizes of draws where the true deviations are those observed, (B,)."""
        return self.sizes(self.centre + self.draws @ self.noise)

    def true_sizes(self, observed: float, *, even: bool) -> Array:
        """The largest at which a draw gives no more than was observed, at the same bandwidth."""
        return np.asarray(self.at(observed).true_sizes(np.array([observed]), even=even)[0])

    def at(self, bandwidth: float) -> Deviations:
        """The densities at the points, smoothed so widely."""
        damped = self._damped(np.array(bandwidth))
        centre, perfect, noise = (
            self._density(waves * damped)[None] for waves in (self.centre, self.perfect, self.noise)
        )
        return Deviations(centre, perfect, noise, self.draws)

    def sizes(self, waves: Array) -> Array:
        """The size of each of some sums, (B, K) -> (B,)."""
        step = max(1, AT_ONCE // (2 * waves.shape[-1]))
        blocks = (waves[start : start + step] for start in range(0, len(waves), step))
        return np.concatenate([self._crossings(block) for block in blocks])

    def _crossings(self, waves: Array) -> Array:
        """The bandwidths at which sizes are as large as they, by false position (Illinois)."""

        def excess(bandwidth: Array) -> Array:
            damped = waves * self._damped(bandwidth[:, None])
            return np.asarray(np.abs(self._density(damped)).sum(axis=-1) - bandwidth)

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
    cases, count = weights * (y - p), draws.shape[-1]
    rows = np.stack([cases, weights**2 * p * (1 - p), cases**2, cases * weights])
    of_cases, of_outcomes, squared, weighed = _sums_of_cosines(p, rows, 2 * count - 1)
    centre, perfect = of_cases[:count], _pairs_of(of_outcomes)
    if design.independent:
        # What cases deviate by from the mean deviation, which adds up to 0.
        both = np.outer(centre, weighed[:count])
        around = _pairs_of(squared) - both - both.T + np.outer(centre, centre) * (weights @ weights)
        return Waves(centre, root(perfect), root(around * (len(p) / max(len(p) - 1, 1))), draws)
    noise, squares = _noise_in(p, cases, weights, centre, design)
    perfect = perfect * added_by_clusters(squares, noise, design)
    return Waves(centre, root(perfect), root(noise)[0], draws)


def _sums_of_cosines(p: Array, rows: Array, count: int) -> Array:
    """Σ w cos(mπp) of so many orders m, each a small and a large one, (R, n) -> (R, count)."""
    few = math.isqrt(count) + 1
    small, large = np.arange(few)[:, None], few * np.arange(-(-count // few))[:, None]
    total = np.zeros((len(rows), len(large), few), dtype=complex)
    step = max(1, AT_ONCE // (few + len(rows) * len(large)))
    for start in range(0, len(p), step):
        turned = np.pi * 1j * p[start : start + step]
        waves = rows[:, None, start : start + step] * np.exp(large * turned)
        total += waves @ np.exp(small * turned).T
    return total.real.reshape(len(rows), -1)[:, :count]


def _pairs_of(sums: Array) -> Array:
    """Sums Σ w cos(jπp) cos(kπp), (K, K), from Σ w cos(mπp), (2K - 1,)."""
    order = np.arange(len(sums) // 2 + 1)
    return np.asarray((sums[np.abs(order[:, None] - order)] + sums[order[:, None] + order]) / 2)


def _noise_in(
    p: Array, deviations: Array, weights: Array, centre: Array, design: Design
) -> tuple[Array, Array]:
    """The covariance of sums over units, (1, K, K), and the sum of squares of their cases, (1,)."""
    orders = np.pi * np.arange(len(centre))[:, None]
    step = AT_ONCE // len(orders)
    blocks = [slice(start, start + step) for start in range(0, len(p), step)]

    def rest(block: slice) -> Array:
        """What the cases deviate by from the mean deviation."""
        waves = np.cos(orders * p[block]) * deviations[block]
        return np.asarray(waves - centre[:, None] * weights[block])

    if len(blocks) == 1:
        cases = rest(blocks[0])[None]
        return covariance_of(units_of(cases, design)), (cases**2).sum(axis=(-2, -1))
    totals = np.zeros((len(orders), len(design.strata)))
    for block in blocks:
        strata, first = np.unique(design.stratum_of_case[block], return_index=True)
        totals[:, strata] += np.add.reduceat(rest(block), first, axis=-1)
    # Of strata.
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
