"""The bootstrap distribution of a sum of independent draws, exactly: no resamples, and so no seed.

The sum of a resample is the sum of n draws from the values, its characteristic function the n-th
power of theirs; strata multiply. (Clark & Warr, arXiv 2107.08019, do this on a grid of values.)

- Values on a lattice, such as scores in steps of a half, have sums on that lattice: their
  distribution keeps its atoms, and one discrete Fourier transform gives them all.
- Other values are not put on a grid: the characteristic function is taken where they are, at the
  frequencies of a period that holds all but 1e-14 of the sums. For most data it vanishes after a
  few dozen of them, and the distribution function is their Fourier series, with all its digits.
- Of very many values, each is spread over the Chebyshev points of its cell, which keeps the first
  eight moments of the cell.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.resampling.distribution import ExactDistribution, Undrawn
from halfwidth.resampling.exact.enumeration import can_enumerate, enumerated_sums
from halfwidth.resampling.exact.lattices import lattice_step

Spectrum = NDArray[np.complex128]

# The window of sums holds all but exp(-32) in either tail, by Bernstein's inequality.
LOG_TAIL = 32.0
# What the window of a Fourier series has beyond either end, as a share of its width: a series that
# is cut smooths the jumps of outliers, and must not carry them round to the other end.
MARGIN = 0.01
# Up to so many draws the data may not let the transform vanish, and less accuracy is promised.
FEW_DRAWS = 50
# A transform below this has vanished, where draws are few and where they are many.
VANISHED_OF_FEW, VANISHED = 1e-7, 1e-13
# Products of values and frequencies: those always looked at, in case values that are nearly on a
# lattice make the transform rise again, and the most. Frequencies, at most.
LOOKED_AT, MOST_PRODUCTS, MOST_FREQUENCIES = 2**18, 2**26, 2**14
# Products in one call of the linear algebra library, which starts no threads for so few.
PRODUCTS_AT_ONCE = 2**15
# Points of the tabulated distribution function: at least so many, and so many for each frequency.
FEWEST_POINTS, POINTS_EACH = 2**11, 4
# Points of a lattice up to which atoms are tabulated; a finer one only rounds quantiles.
MOST_ATOMS = 2**14
# More values than this are gathered in cells, each a few points.
MOST_VALUES, POINTS_OF_CELL, MOST_CELLS = 4096, 8, 2**40


@frozen
class Draws:
    """A stratum of a resample: independent draws from some values, as many as there are units."""

    values: Array  # (m,): about any one of them
    sizes: Array  # (m,): units of each value

    @functools.cached_property
    def count(self) -> int:
        """Draws."""
        return round(float(self.sizes.sum()))

    @functools.cached_property
    def centred(self) -> Array:
        """The values about their mean."""
        total = float(np.einsum("i,i->", self.values, self.sizes))
        return np.asarray(self.values - total / self.count)

    @functools.cached_property
    def squares(self) -> float:
        """The variance of the sum of the draws."""
        return float(np.einsum("i,i,i->", self.sizes, self.centred, self.centred))


def unit_draws(values: Array, sizes: Array | None = None) -> Draws:
    """Draws from some values, each of one unit unless ``sizes`` says more."""
    return Draws(values - values[0], np.ones(len(values)) if sizes is None else sizes)


def sum_distribution(
    strata: Sequence[Draws],
    *,
    centre: float,
    scale: float,
    limits: tuple[float, float] = (-np.inf, np.inf),
) -> ExactDistribution | SmoothSum:
    """Distribution of ``centre + (Σ draws - its expectation) / scale``, within the limits."""
    # `centre` is the value of the sample itself, each unit drawn once.
    squares = sum(one.squares for one in strata)
    if not squares:
        return ExactDistribution(np.array([centre]), np.ones(1))
    enumerable = can_enumerate([one.count for one in strata])
    units = sum(one.count for one in strata)
    deviation = math.sqrt(squares / units)
    step = lattice_step(
        [one.values for one in strata],
        _without_outliers(strata, deviation) if enumerable else deviation,
        few=units <= FEW_DRAWS,
    )
    window = reach(strata, squares)
    if step is not None and sum(window) / step < MOST_ATOMS:
        return _within(limits, *_atoms(strata, step, window), centre, scale)
    if enumerable:
        each = [np.repeat(one.centred, one.sizes.astype(np.intp)) for one in strata]
        sums, probability = enumerated_sums([values[None] for values in each])
        order = np.argsort(sums[0])
        return _within(limits, sums[0][order], probability[order], centre, scale)
    margin = MARGIN * sum(window)
    window = window[0] + margin, window[1] + margin
    spectrum = _spectrum(strata, 2 * np.pi / sum(window), squares)
    smooth = _smooth(spectrum, window, step, centre, scale)
    return replace(smooth, spread=math.sqrt(squares) / scale, limits=limits)


def _without_outliers(strata: Sequence[Draws], deviation: float) -> float:
    """The SD, or a smaller scale beside an outlier, whose SD allows too coarse a lattice."""
    distances = [np.abs(one.values - np.median(one.values)) for one in strata]
    return min(deviation, float(np.median(np.concatenate(distances)))) or deviation


def _within(
    limits: tuple[float, float], sums: Array, probability: Array, centre: float, scale: float
) -> ExactDistribution:
    return ExactDistribution(np.clip(centre + sums / scale, *limits), probability)


# --------------------------------------------------------------------------- the window


def reach(strata: Sequence[Draws], squares: float) -> tuple[float, float]:
    """How far the sum gets below and above its expectation."""
    lowest = [-float(one.centred.min()) for one in strata]
    highest = [float(one.centred.max()) for one in strata]
    below, above = (
        _end(
            max(ends),
            sum(one.count * end for one, end in zip(strata, ends, strict=True)),
            squares,
        )
        for ends in (lowest, highest)
    )
    return below, above


def _end(largest: float, farthest: float, squares: float) -> float:
    """Where the tail of a sum whose terms are bounded is below exp(-LOG_TAIL)."""
    linear = LOG_TAIL * largest / 3
    return min(linear + math.sqrt(linear**2 + 2 * squares * LOG_TAIL), farthest) * (1 + 1e-9)


# --------------------------------------------------------------------------- on a lattice


def _atoms(
    strata: Sequence[Draws], step: float, window: tuple[float, float]
) -> tuple[Array, Array]:
    """Probabilities of all sums on a lattice, by one transform of so many points."""
    below, above = (math.ceil(reach / step) + 1 for reach in window)
    points = 1 << (below + above + 1).bit_length()
    power: Spectrum | float = 1.0
    total = 0
    for one in strata:
        places = np.rint(one.values / step).astype(np.intp)
        share = np.bincount(places % points, one.sizes, points) / one.count
        power = power * _power(np.fft.rfft(share), one.count)
        total += round(float(places @ one.sizes))
    probability = np.maximum(np.fft.irfft(power, points), 0.0)
    # The sum of the sample itself stands at its total.
    offset = np.arange(-below, above + 1)
    probability = probability[(total + offset) % points]
    return np.asarray(offset * step), np.asarray(probability / probability.sum())


# --------------------------------------------------------------------------- anywhere


def _gathered(draws: Draws, highest: float) -> tuple[Array, Array]:
    """Values about their mean, and shares; of very many, moments of cells up to a frequency."""
    centred: Array = draws.centred
    shares: Array = draws.sizes / draws.count
    if len(centred) <= MOST_VALUES:
        return centred, shares
    low, width = centred.min(), float(np.ptp(centred))
    half = min(0.1 / highest, width / 2)
    cells = max(1, math.ceil(width / (2 * half)))
    if cells > MOST_CELLS:  # their numbers would be rounded
        return centred, shares
    place = np.minimum(((centred - low) / (2 * half)).astype(np.intp), cells - 1)
    offset = (centred - low) / half - (2 * place + 1)
    held, place = np.unique(place, return_inverse=True) if cells > 1 else (np.zeros(1), place)
    if len(held) * POINTS_OF_CELL > len(centred):
        return centred, shares
    moments = np.empty((POINTS_OF_CELL, len(held)))
    powers = shares.copy()
    for moment in moments:
        moment[:] = np.bincount(place, powers) if cells > 1 else powers.sum()
        powers *= offset
    nodes = np.cos(np.pi * (np.arange(POINTS_OF_CELL) + 0.5) / POINTS_OF_CELL)
    weights = np.linalg.solve(np.vander(nodes, increasing=True).T, moments)
    # The sums of many terms are rounded, and what the weights then lack a power would blow up.
    weights /= weights.sum()
    values = half * (2 * held + 1 + nodes[:, None])
    mean = float((values * weights).sum())
    return np.asarray((values - mean).ravel()), np.asarray(weights.ravel())


def _transform(values: Array, shares: Array, count: int, spread: float) -> Spectrum:
    """Characteristic function at ``spread`` times 1, 2, ..., ``count``."""
    # Frequencies are those of a row plus those of a column, so that two small tables of phases and
    # a product of matrices make all of them.
    columns = 1 << max(0, (count.bit_length() - 1) // 2)
    rows = -(-count // columns)
    angle = spread * values
    inner = _phases(np.outer(angle, np.arange(columns)))
    outer = _phases(np.outer(1 + columns * np.arange(rows), angle)) * shares
    transform = np.empty((rows, columns), dtype=complex)
    step = max(1, PRODUCTS_AT_ONCE // inner.size)
    for start in range(0, rows, step):
        np.matmul(outer[start : start + step], inner, out=transform[start : start + step])
    return transform.ravel()[:count]


def _phases(angle: Array) -> Spectrum:
    phases = np.empty(angle.shape, dtype=complex)
    np.cos(angle, out=phases.real)
    np.sin(angle, out=phases.imag)
    return phases


def _power(transform: Spectrum, count: int) -> Spectrum:
    # Rounding may leave the magnitude above 1, which a power would blow up.
    return np.asarray(
        np.minimum(np.abs(transform), 1.0) ** count * _phases(count * np.angle(transform))
    )


def _spectrum(strata: Sequence[Draws], spread: float, squares: float) -> Spectrum:
    """The transform at frequencies 1, 2, ..., up to where it vanishes or, smoothly, is cut."""
    few = sum(one.count for one in strata) <= FEW_DRAWS
    vanished = VANISHED_OF_FEW if few else VANISHED
    values = sum(len(one.values) for one in strata)
    always = min(2**12, LOOKED_AT // values) if values <= MOST_VALUES else 0
    count = max(16, always, normal_frequencies(vanished, squares, spread))
    # Each time there are at least twice as many, up to all that may be.
    for _ in range(MOST_FREQUENCIES.bit_length()):
        gathered = [_gathered(one, spread * count) for one in strata]
        most = min(MOST_FREQUENCIES, MOST_PRODUCTS // sum(len(nodes) for nodes, _ in gathered))
        count = min(count, most)
        spectrum = np.ones(count, dtype=complex)
        for one, (nodes, shares) in zip(strata, gathered, strict=True):
            spectrum *= _power(_transform(nodes, shares, count, spread), one.count)
        if np.abs(spectrum[-(count // 8) :]).max() <= vanished:
            last = np.flatnonzero(np.abs(spectrum) > vanished / 100)[-1]
            return np.asarray(spectrum[: last + 1])
        if count == most:
            break
        count *= 4 if count * 16 < most else 2
    return np.asarray(spectrum * np.exp(-((3 * np.arange(1, count + 1) / count) ** 2) / 2))


def normal_frequencies(vanished: float, squares: float, spread: float) -> int:
    """A quarter more frequencies than it takes for the transform of a normal sum to vanish."""
    return math.ceil(1.25 * math.sqrt(-2 * math.log(vanished) / squares) / spread)


# --------------------------------------------------------------------------- distribution functions


@frozen
class SmoothSum(Undrawn):
    """A distribution function that is tabulated, with its slopes."""

    # The first point, and the distance of two
    first: float
    step: float
    # There; the density is by one step
    cumulative: Array
    density: Array
    # Mean and SD, exactly
    centre: float
    spread: float
    # The distance of the values that there are; 0 where they lie close. The function passes
    # half-way between two of them through what is up to there.
    lattice: float = 0.0
    limits: tuple[float, float] = (-np.inf, np.inf)  # Of the values

    def quantile(self, probability: Array | float) -> Array:
        """inf{x : F(x) ≥ p}."""
        target = float(np.asarray(probability))
        if math.isnan(target):
            return np.asarray(np.nan)
        place = int(np.searchsorted(self.cumulative, target - 1e-13))
        place = min(max(place, 1), len(self.cumulative) - 1)
        value = self.first + self.step * (place - 1 + self._crossing(place - 1, target))
        if self.lattice:
            steps = math.ceil((value - self.centre) / self.lattice - 0.5 - 1e-9)
            value = self.centre + steps * self.lattice
        return np.asarray(min(max(value, self.limits[0]), self.limits[1]))

    def share_below(self, value: Array, tolerance: Array) -> Array:
        """P(below ``value``) plus half of P(tied with it)."""
        del tolerance  # far below what the function resolves
        half = self.lattice / 2
        at = float(value)
        return np.asarray((self._at(at - half) + self._at(at + half)) / 2)

    def mean(self) -> Array:
        """Expectation over all resamples."""
        return np.asarray(self.centre)

    def standard_deviation(self) -> Array:
        """SD over all resamples: the exact bootstrap standard error."""
        return np.asarray(self.spread)

    def _at(self, value: float) -> float:
        place = (value - self.first) / self.step
        if place <= 0 or place >= len(self.cumulative) - 1:
            return float(place > 0)
        return _cubic(*self._ends(int(place)), place - int(place))

    def _ends(self, place: int) -> tuple[float, float, float, float]:
        """The function and its slope at two neighbouring points."""
        return (
            *self.cumulative[place : place + 2].tolist(),
            *self.density[place : place + 2].tolist(),
        )

    def _crossing(self, place: int, target: float) -> float:
        ends = self._ends(place)
        low, high = 0.0, 1.0
        for _ in range(40):
            middle = (low + high) / 2
            if _cubic(*ends, middle) < target:
                low = middle
            else:
                high = middle
        return high


def _cubic(low: float, high: float, slope: float, next_slope: float, part: float) -> float:
    """Between two points, of whose values and slopes it is made."""
    rest = 1 - part
    return (
        low * (1 + 2 * part) * rest * rest
        + high * (3 - 2 * part) * part * part
        + part * rest * (slope * rest - next_slope * part)
    )


def _smooth(
    spectrum: Spectrum,
    window: tuple[float, float],
    lattice: float | None,
    centre: float,
    scale: float,
) -> SmoothSum:
    """The distribution function on a window, from the Fourier series of the density."""
    low, period = -window[0], sum(window)
    frequency = 2 * np.pi / period * np.arange(1, len(spectrum) + 1)
    if lattice is not None:
        # The integral of the series over steps of the lattice, in place of their sum.
        half = frequency * lattice / 2
        spectrum = spectrum * np.where(half < 1, half / np.sin(np.minimum(half, 1)), 1.0)
    points = max(FEWEST_POINTS, POINTS_EACH << (len(spectrum) - 1).bit_length())
    series = np.zeros(points // 2 + 1, dtype=complex)
    series[1 : len(spectrum) + 1] = np.conj(spectrum * np.exp(-1j * frequency * low))
    density = (1 + np.fft.irfft(series, points) * points) / points
    series[1 : len(spectrum) + 1] /= 1j * frequency * period
    wave = np.fft.irfft(series, points) * points
    cumulative = np.arange(points) / points + wave - wave[0]
    return SmoothSum(
        centre + low / scale,
        period / points / scale,
        np.maximum.accumulate(np.clip(cumulative, 0.0, 1.0)),
        density,
        centre,
        0.0,
        0.0 if lattice is None else lattice / scale,
    )
