"""Cases as a plan assumes them: normal, cut at the bounds, some of them failures; or a pilot's."""

from __future__ import annotations

import math

import numpy as np

from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.rng import Key, indices, uniforms
from halfwidth.core.types import Array, Bounds

# Cutting off less than this share of the cases changes neither mean nor SD.
NEGLIGIBLE = 1e-9
# How near the mean and the SD of cut values come to what is asked for, in SDs.
NEAR = 1e-6


@frozen
class AssumedCases:
    """Values of cases, normal and cut at the bounds; a share of them lies at the worst value."""

    # Of the cases that do not fail, after the cut.
    mean: float
    sd: float
    # Values beyond lie at the bound.
    bounds: Bounds
    failures_share: float
    # The value of a case that fails.
    worst: float
    # Mean and SD before the cut.
    centre: float
    spread: float

    @classmethod
    def normal(
        cls,
        mean: float,
        sd: float,
        bounds: Bounds,
        *,
        failures_share: float = 0.0,
        worst: float = math.nan,
    ) -> AssumedCases:
        """Normal cases with this mean and SD after the cut."""
        return cls(mean, sd, bounds, failures_share, worst, *before_the_cut(mean, sd, bounds))

    @property
    def variance(self) -> float:
        """Variance of all cases, failures among them."""
        share, apart = self.failures_share, self.mean - self.worst if self.failures_share else 0.0
        return (1 - share) * self.sd**2 + share * (1 - share) * apart**2

    def moved(self, distance: float) -> AssumedCases:
        """A copy with another mean."""
        return AssumedCases.normal(
            self.mean + distance,
            self.sd,
            self.bounds,
            failures_share=self.failures_share,
            worst=self.worst,
        )

    def drawn(self, key: Key, studies: int, n: int) -> Array:
        """Values of so many studies of n cases each.

        How many cases of a study fail goes through the quantiles of its binomial distribution, so
        that studies with rare failures are neither too many nor too few.
        """
        from scipy import special

        scores = special.ndtri(uniforms(key, 0, studies, n))
        values = np.clip(self.centre + self.spread * scores, self.bounds.low, self.bounds.high)
        if self.failures_share:
            up_to = special.bdtr(np.arange(n), n, self.failures_share)
            failed = np.searchsorted(up_to, (np.arange(studies) + 0.5) / studies)
            values[np.arange(n) < failed[:, None]] = self.worst
        return np.asarray(values)

    @property
    def text(self) -> str:
        """The shape in words."""
        ends = [f"{end:g}" for end in (self.bounds.low, self.bounds.high) if math.isfinite(end)]
        cut = f", cut at {' and '.join(ends)}" if ends else ""
        if not self.failures_share:
            return f"normal{cut}"
        return (
            f"normal{cut}, but for {100 * self.failures_share:g} % of the cases, which fail "
            f"(value {self.worst:g})"
        )


@frozen(eq=False)
class PilotCases:
    """Values of cases that are like those of a pilot."""

    values: Array

    @classmethod
    def with_mean(cls, values: Array, mean: float, bounds: Bounds) -> PilotCases:
        """Cases with this mean and the variance of the pilot: n - 1 of n pairs are free."""
        spread = math.sqrt(len(values) / (len(values) - 1))
        moved = mean + spread * (values - values.mean())
        return cls(np.sort(np.clip(moved, bounds.low, bounds.high)))

    @property
    def text(self) -> str:
        """The shape in words."""
        return f"that of the differences of {len(self.values)} pilot cases"

    @property
    def mean(self) -> float:
        """Mean of the pilot's values."""
        return float(self.values.mean())

    @property
    def variance(self) -> float:
        """Variance of the pilot's values."""
        return float(self.values.var())

    def drawn(self, key: Key, studies: int, n: int) -> Array:
        """Values of so many studies of n cases each, drawn with replacement."""
        return np.asarray(self.values[indices(key, 0, studies, n, len(self.values))])


def before_the_cut(mean: float, sd: float, bounds: Bounds) -> tuple[float, float]:
    """Mean and SD of normal values that have the given ones once they are cut at the bounds."""
    from scipy import optimize, special

    beyond = special.ndtr((bounds.low - mean) / sd) + special.ndtr((mean - bounds.high) / sd)
    if beyond < NEGLIGIBLE:
        return mean, sd
    if not bounds.low < mean < bounds.high:
        raise OptionError(f"{spelled('mean', mean)} is not within {bounds}")
    if bounds.finite and sd**2 >= (most := (mean - bounds.low) * (bounds.high - mean)):
        raise OptionError(
            f"{spelled('sd', sd)} is impossible: values in {bounds} with the mean {mean:g} have an "
            f"SD of less than {math.sqrt(most):.3g}"
        )

    def misses(shift: Array) -> list[float]:
        cut = _after_the_cut(mean + sd * shift[0], sd * math.exp(shift[1]), bounds)
        return [(cut[0] - mean) / sd, (cut[1] - sd) / sd]

    solved = optimize.root(misses, [0.0, 0.0])
    if not (np.isfinite(solved.x).all() and np.abs(misses(solved.x)).max() < NEAR):
        raise OptionError(
            f"no normal values cut at {bounds} have the mean {mean:g} and the SD {sd:g}: nearly "
            "all would lie at the bounds; plan from a pilot (halfwidth plan pilot)"
        )
    return float(mean + sd * solved.x[0]), float(sd * math.exp(solved.x[1]))


def _after_the_cut(centre: float, spread: float, bounds: Bounds) -> tuple[float, float]:
    """Mean and SD of normal values that are moved to the bounds where they lie beyond."""
    from scipy import special

    # In units of the spread from the centre, so that a far bound adds nothing.
    low, high = (bounds.low - centre) / spread, (bounds.high - centre) / spread
    below, above = special.ndtr(low), special.ndtr(-high)
    inside = 1 - below - above
    densities = [math.exp(-(end**2) / 2) / math.sqrt(2 * math.pi) for end in (low, high)]
    first, second = densities[0] - densities[1], inside
    for end, share, density, sign in (
        (low, below, densities[0], 1),
        (high, above, densities[1], -1),
    ):
        if math.isfinite(end):
            first += end * share
            second += end**2 * share + sign * end * density
    return centre + spread * first, spread * math.sqrt(max(second - first**2, 0.0))
