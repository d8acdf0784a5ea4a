"""Bootstraps of the difference, or ratio, of two samples that are drawn independently.

Ratios are resampled as differences of logarithms, so that all that follows is of differences.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from halfwidth.core import rng
from halfwidth.core.forms import Effect
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import Replicates
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import (
    leave_one_out,
    replicates,
    skewness_of,
    tie_tolerance,
)


@frozen(eq=False)
class Sample:
    """One of two samples."""

    values: Array  # (n,): in the canonical order of the design
    design: Design
    statistic: Statistic

    @property
    def batch(self) -> Array:
        """A batch of this one sample."""
        return self.values[None]

    @property
    def estimate(self) -> Array:
        """The statistic, (1,)."""
        return self.statistic(self.batch)

    @property
    def left_out(self) -> Array:
        """The statistic without each unit, (1, U); NaN where it needs them all."""
        design = self.design
        if design.n - design.unit_sizes.max() < self.statistic.spec.min_n or design.units < 2:
            return np.full((1, design.units), np.nan)
        return leave_one_out(self.batch, design, self.statistic)

    def replicates(self, plan: Plan) -> Array:
        """Replicates of the statistic, (1, B)."""
        return replicates(self.batch, self.design, self.statistic, plan)


@frozen(eq=False)
class TwoSamples:
    """Two samples, and what they give together."""

    first: Sample
    second: Sample
    effect: Effect = "difference"

    def _scaled(self, values: Array) -> Array:
        """Values as they are for a difference; their logarithms for a ratio, of positive ones."""
        if self.effect == "difference":
            return values
        return np.log(np.where(values > 0, values, np.nan))

    def estimate(self) -> Array:
        """The difference (of logarithms), (1,)."""
        return self._scaled(self.first.estimate) - self._scaled(self.second.estimate)

    def distribution(self, plan: Plan) -> Replicates:
        """Replicate i of the first sample less replicate i of the second, on draws of its own."""
        own = replace(plan, entropy=rng.derive_key(plan.entropy, "second sample").value)
        first, second = self.first.replicates(plan), self.second.replicates(own)
        with np.errstate(invalid="ignore"):  # metrics may be infinite
            return Replicates.sorting(self._scaled(first) - self._scaled(second))

    def tie_tolerance(self) -> Array:
        """Differences that count as ties, (1,)."""
        total = np.zeros(1)
        for sample in (self.first, self.second):
            size, value = tie_tolerance(sample.batch, sample.statistic), sample.estimate
            if self.effect == "ratio":
                size = size / np.where(value > 0, value, np.nan)
            total += size
        return total

    def acceleration(self) -> Array:
        """BCa's, from what each unit of either sample contributes to the difference, (1,).

        Σl³ / (6 (Σl²)^1.5) over all units, l = (U - 1)/U times the mean of the leave-one-out values
        of the stratum minus each, U units in the sample; with its sign turned in the second
        (Davison & Hinkley 1997, section 5.3.2).
        """
        parts = []
        for sample, sign in ((self.first, 1.0), (self.second, -1.0)):
            left_out, units = self._scaled(sample.left_out), sample.design.units
            with np.errstate(invalid="ignore"):
                deviation = sample.design.stratum_means(left_out) - left_out
            parts.append(sign * (units - 1) / units * deviation)
        return skewness_of(np.concatenate(parts, axis=-1), self.tie_tolerance())
