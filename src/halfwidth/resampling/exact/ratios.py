"""The bootstrap distribution of a ratio of sums, exactly: P(Σa/Σb ≤ q) = P(Σ(a - qb) ≤ 0).

- Few units: all resamples.
- Sums on lattices, as counts are, that take few values: the joint distribution of both, by one
  two-dimensional transform.
- Else the right side, which is the distribution of a sum of independent draws, is asked for as
  many q as it takes to find the quantile.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import Distribution, ExactDistribution, Undrawn
from halfwidth.resampling.exact.convolution import (
    Draws,
    normal_frequencies,
    reach,
    sum_distribution,
    unit_draws,
)
from halfwidth.resampling.exact.enumeration import can_enumerate, enumerated_sums
from halfwidth.resampling.exact.lattices import lattice_step

# Pairs of sums on lattices that are tabulated.
MOST_PAIRS = 2**17
# Denominators of 0 that are too seldom to matter.
SELDOM = 1e-9
# Of a - qb, relative to its terms.
ROUNDING = 16 * float(np.finfo(float).eps)
# Pairs of sums that are too seldom to be kept.
NEGLIGIBLE = 1e-16
# Where the distribution function is taken for the mean and the SD, over so many standard errors.
POINTS_OF_MOMENTS, ERRORS = 64, 9.0
# A transform below this does not change them.
VANISHED = 1e-8
# A quantile farther from the normal one than the step that is doubled so often is an end.
MOST_DOUBLINGS = 200


@frozen
class Pairs:
    """A stratum of a resample: units drawn independently, with what each adds to either sum."""

    numerator: Array  # (m,)
    denominator: Array  # (m,)
    sizes: Array  # (m,): units of each pair

    @functools.cached_property
    def count(self) -> int:
        """Draws."""
        return round(float(self.sizes.sum()))

    def share_at(self, q: float) -> float:
        """The share of units that keep a ratio at q: their own is q, or they add nothing."""
        terms = np.abs(self.numerator) + np.abs(q * self.denominator)
        held = np.abs(self.numerator - q * self.denominator) <= ROUNDING * terms
        return float(self.sizes[held].sum()) / self.count

    def at(self, q: float) -> Draws:
        """Draws of a - qb."""
        values = self.numerator - q * self.denominator
        return Draws(values - values[0], self.sizes)


def unit_pairs(numerator: Array, denominator: Array, sizes: Array | None = None) -> Pairs:
    """The units of a stratum, one of each pair unless ``sizes`` says more."""
    return Pairs(numerator, denominator, np.ones(len(numerator)) if sizes is None else sizes)


def quotient_distribution(parts: Array, design: Design) -> Distribution | None:
    """Distribution of the quotient of a sample, (2, n); a unit adds up the cases that it has."""
    strata = []
    for units in design.by_stratum(design.totals(parts)):
        (numerator, denominator), sizes = np.unique(units, axis=-1, return_counts=True)
        strata.append(unit_pairs(numerator, denominator, sizes.astype(float)))
    return ratio_distribution(strata)


def ratio_distribution(strata: Sequence[Pairs], *, shift: float = 0.0) -> Distribution | None:
    """Distribution of ``shift + Σa / Σb`` over all resamples; None where Σb may be 0."""
    # Denominators are at least 0, and 0 only beside numerators of 0.
    shares = [float(one.sizes[one.denominator == 0].sum()) / one.count for one in strata]
    if math.prod(share**one.count for share, one in zip(shares, strata, strict=True)) > SELDOM:
        return None
    constant = _constant_ratio(strata)
    if constant is not None:
        return ExactDistribution(np.array([shift + constant]), np.ones(1))
    if all(float(np.ptp(one.denominator)) == 0 for one in strata):
        whole = sum(one.count * float(one.denominator[0]) for one in strata)
        part = sum(float(one.numerator @ one.sizes) for one in strata)
        draws = [unit_draws(one.numerator, one.sizes) for one in strata]
        return sum_distribution(draws, centre=shift + part / whole, scale=whole)
    if can_enumerate([one.count for one in strata]):
        units = [one.sizes.astype(np.intp) for one in strata]
        sums, probability = enumerated_sums(
            [
                np.stack([np.repeat(one.numerator, size), np.repeat(one.denominator, size)])
                for one, size in zip(strata, units, strict=True)
            ]
        )
        return _distribution_of_pairs(sums[0], sums[1], probability, shift)
    tabulated = _tabulated(strata)
    return (
        RatioOfSums(tuple(strata), shift)
        if tabulated is None
        else _distribution_of_pairs(*tabulated, shift)
    )


def _constant_ratio(strata: Sequence[Pairs]) -> float | None:
    """The ratio, where all resamples have the same but for rounding."""
    numerator = sum(float(one.numerator @ one.sizes) for one in strata)
    ratio = numerator / sum(float(one.denominator @ one.sizes) for one in strata)
    for one in strata:
        terms = np.abs(one.numerator) + np.abs(ratio * one.denominator)
        if float(np.ptp(one.at(ratio).values)) > ROUNDING * float(terms.max()):
            return None
    return ratio


def _distribution_of_pairs(
    numerator: Array, denominator: Array, probability: Array, shift: float
) -> ExactDistribution:
    kept = denominator > 0
    ratios = shift + numerator[kept] / denominator[kept]
    order = np.argsort(ratios)
    kept_probability = probability[kept][order]
    return ExactDistribution(ratios[order], kept_probability / kept_probability.sum())


# --------------------------------------------------------------------------- on lattices


def _tabulated(strata: Sequence[Pairs]) -> tuple[Array, Array, Array] | None:
    """All pairs of sums with their probabilities, where they are few."""
    # Tabulated are the numerator and what the denominator has beyond it, where these are fewer than
    # numerator and denominator are.
    plain = _axes(strata, rest=False)
    beyond = _axes(strata, rest=True)
    both = [axes for axes in (plain, beyond) if axes is not None]
    if not both:
        return None
    axes = min(both, key=lambda one: one[0].points * one[1].points)
    first, second = axes
    if first.points * second.points > MOST_PAIRS:
        return None
    transform: NDArray[np.complex128] | float = 1.0
    for place, one in enumerate(strata):
        joint = np.zeros((first.points, second.points))
        where = first.places[place] % first.points, second.places[place] % second.points
        np.add.at(joint, where, one.sizes / one.count)
        own = np.fft.rfft2(joint)
        size = np.minimum(np.abs(own), 1.0) ** one.count
        transform = transform * size * np.exp(1j * one.count * np.angle(own))
    probability = np.fft.irfft2(transform, joint.shape)
    kept = probability > NEGLIGIBLE
    rows, columns = np.nonzero(kept)
    numerator, other = first.sums(rows), second.sums(columns)
    denominator = numerator + other if axes is beyond else other
    # No resample has less in its denominator than one unit, but for those that have nothing.
    least = min(float(one.denominator[one.denominator > 0].min(initial=np.inf)) for one in strata)
    return numerator, np.where(denominator < least / 2, 0.0, denominator), probability[kept]


@frozen
class _Axis:
    """Sums on a lattice, as many as a window holds."""

    places: list[NDArray[np.intp]]
    base: float
    step: float
    total: int
    below: int
    points: int

    def sums(self, index: NDArray[np.intp]) -> Array:
        """The sum at each point, of those that agree up to the period the one in the window."""
        lowest = self.total - self.below
        return np.asarray(self.base + self.step * (lowest + (index - lowest) % self.points))


def _axes(strata: Sequence[Pairs], *, rest: bool) -> tuple[_Axis, _Axis] | None:
    first = _axis([one.numerator for one in strata], strata)
    if first is None:
        return None
    beyond = [one.denominator - one.numerator if rest else one.denominator for one in strata]
    second = _axis(beyond, strata)
    return None if second is None else (first, second)


def _axis(values: Sequence[Array], strata: Sequence[Pairs]) -> _Axis | None:
    draws = [Draws(own - own[0], one.sizes) for own, one in zip(values, strata, strict=True)]
    base = sum(float(own[0]) * one.count for own, one in zip(values, strata, strict=True))
    squares = sum(one.squares for one in draws)
    if not squares:
        return _Axis([np.zeros(len(own), np.intp) for own in values], base, 1.0, 0, 0, 1)
    units = sum(one.count for one in draws)
    step = lattice_step([one.values for one in draws], math.sqrt(squares / units), few=False)
    if step is None:
        return None
    places = [np.rint(one.values / step).astype(np.intp) for one in draws]
    total = sum(round(float(own @ one.sizes)) for own, one in zip(places, draws, strict=True))
    below, above = (math.ceil(end / step) + 1 for end in reach(draws, squares))
    return _Axis(places, base, step, total, below, below + above + 1)


# --------------------------------------------------------------------------- anywhere


@frozen
class RatioOfSums(Undrawn):
    """A distribution whose function is known wherever one asks."""

    strata: tuple[Pairs, ...]
    shift: float  # Added to the ratio

    @functools.cached_property
    def _sums(self) -> tuple[float, float]:
        numerator = sum(float(one.numerator @ one.sizes) for one in self.strata)
        return numerator, sum(float(one.denominator @ one.sizes) for one in self.strata)

    @functools.cached_property
    def _estimate(self) -> float:
        return self._sums[0] / self._sums[1]

    @functools.cached_property
    def _error(self) -> float:
        """Standard error by linearization."""
        return math.sqrt(sum(one.at(self._estimate).squares for one in self.strata)) / self._sums[1]

    @functools.cached_property
    def _range(self) -> tuple[float, float]:
        held = [one.denominator > 0 for one in self.strata]
        each = [
            one.numerator[own] / one.denominator[own]
            for one, own in zip(self.strata, held, strict=True)
        ]
        return min(float(e.min()) for e in each if len(e)), max(
            float(e.max()) for e in each if len(e)
        )

    @functools.cached_property
    def _shares_at_ends(self) -> tuple[float, float]:
        """P(ratio = lowest) and P(ratio = highest): no unit with another one is drawn."""
        lowest, highest = (
            math.prod(one.share_at(end) ** one.count for one in self.strata) for end in self._range
        )
        return lowest, highest

    def share_up_to(self, q: float) -> float:
        """P(ratio < q) + P(ratio = q) / 2."""
        numerator, denominator = self._sums
        sums = sum_distribution(
            [one.at(q) for one in self.strata], centre=numerator - q * denominator, scale=1.0
        )
        tolerance = 1e-9 * self._error * denominator
        return float(sums.share_below(np.asarray(0.0), np.asarray(tolerance)))

    def quantile(self, probability: Array | float) -> Array:
        """Where the distribution function crosses a probability."""
        from scipy import optimize, special

        wanted = float(np.asarray(probability))
        if math.isnan(wanted):
            return np.asarray(np.nan)
        lowest, highest = self._shares_at_ends
        if wanted <= lowest:
            return np.asarray(self.shift + self._range[0])
        if wanted > 1 - highest:
            return np.asarray(self.shift + self._range[1])
        z = float(special.ndtri(wanted))

        def excess(q: float) -> float:
            share = min(max(self.share_up_to(q), 1e-14), 1 - 1e-14)
            return float(special.ndtri(share)) - z

        low, high = self._around(excess, z)
        if low == high:
            return np.asarray(self.shift + low)
        tolerance = 1e-9 * self._error
        return np.asarray(
            self.shift + optimize.brentq(excess, low, high, xtol=tolerance, rtol=1e-14)
        )

    def _around(self, excess: Callable[[float], float], z: float) -> tuple[float, float]:
        """Two ratios between which a quantile lies; an end of the range twice where it is there."""
        lowest, highest = self._range
        guess = min(max(self._estimate + z * self._error, lowest), highest)
        side = 1.0 if excess(guess) < 0 else -1.0
        end, step = (highest if side > 0 else lowest), self._error / 8
        last, ahead = guess, guess
        for _ in range(MOST_DOUBLINGS):
            if ahead == end:
                break
            last, ahead = ahead, min(max(ahead + side * step, lowest), highest)
            if (excess(ahead) < 0) != (side > 0):
                return min(last, ahead), max(last, ahead)
            step *= 2
        return end, end

    def share_below(self, value: Array, tolerance: Array) -> Array:
        """P(below ``value``) plus half of P(tied with it)."""
        del tolerance  # far below what the function resolves
        return np.asarray(self.share_up_to(float(value) - self.shift))

    def mean(self) -> Array:
        """Expectation over all resamples."""
        return np.asarray(self.shift + self._moments[0])

    def standard_deviation(self) -> Array:
        """SD over all resamples: the exact bootstrap standard error."""
        return np.asarray(self._moments[1])

    @functools.cached_property
    def _moments(self) -> tuple[float, float]:
        """Mean and SD, from the distribution function at equal distances."""
        # Of what lies between two of them the variance is that of a uniform density (Sheppard).
        offsets = np.linspace(-ERRORS, ERRORS, POINTS_OF_MOMENTS) * self._error
        shares = _smooth_shares(self.strata, self._estimate + offsets, self._sums)
        mass, middle = np.diff(shares), (offsets[1:] + offsets[:-1]) / 2
        mass /= mass.sum()
        mean = float(mass @ middle)
        step = offsets[1] - offsets[0]
        variance = float(mass @ (middle - mean) ** 2) - step**2 / 12
        return self._estimate + mean, math.sqrt(max(variance, 0.0))


def _smooth_shares(strata: Sequence[Pairs], q: Array, sums: tuple[float, float]) -> Array:
    """P(ratio ≤ q) at many q, from the frequencies that change a mean or an SD alone."""
    expected = sums[0] - q * sums[1]
    ends = [[one.at(at) for one in strata] for at in (q[0], q[len(q) // 2], q[-1])]
    squares = [sum(one.squares for one in draws) for draws in ends]
    farthest = max(max(reach(draws, own)) for draws, own in zip(ends, squares, strict=True))
    # The series is that of the sign of a sum, which it tells within half a period.
    period = 2 * (farthest + float(np.abs(expected).max()))
    spread = 2 * np.pi / period
    count = normal_frequencies(VANISHED, min(squares), spread)
    power = np.ones((count, len(q)), dtype=complex)
    for one in strata:
        shares = one.sizes / one.count
        angle = spread * (one.numerator[:, None] - one.denominator[:, None] * q)
        turn = np.cos(angle) + 1j * np.sin(angle)
        phase = np.ones_like(turn)
        for place in range(count):
            phase *= turn
            power[place] *= np.einsum("i,ij->j", shares, phase) ** one.count
    frequency = spread * np.arange(1, count + 1)[:, None]
    waves = (power.imag / frequency).sum(axis=0)
    return np.asarray(0.5 - (expected + 2 * waves) / period)
