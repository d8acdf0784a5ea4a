"""The bootstrap distribution of a mean of many cases, exactly, by convolution.

The sum of a resample is the sum of n independent draws from the values: its distribution is their
n-fold convolution, one power of their discrete Fourier transform. No draws are needed, and so no
seed. (Clark & Warr, arXiv 2107.08019, do this for small n.)

The values lie on a grid. One between two points is split over the three nearest with weights (some
of them negative) that keep its mean and its square exactly: with the offset f from the middle one,
(f² - f)/2, 1 - f², (f² + f)/2. What is lost is the third moment within a cell, which at the n that
this is for changes no quantile by a ten-thousandth of a standard error.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array

# Below so many cases resamples are drawn, as they always were; from here on it takes too long.
MANY = 100_000
# Cells over the range of the values, and over their SD, at least.
CELLS_OF_RANGE, CELLS_OF_SD = 256, 32
# Standard errors on either side of the mean that are kept.
REACH = 9.0
# Frequencies of less weight than this change nothing.
NEGLIGIBLE = 1e-18
# Points of the distribution function: at least so many, and so many for each frequency.
FEWEST_POINTS, FINER = 1 << 14, 16
# Cases that are put on the grid at a time.
AT_A_TIME = 1 << 16


@frozen
class _One:
    """The distribution of one sample: probabilities of having come so far, and where."""

    support: Array
    cumulative: Array


@frozen
class ConvolvedMean:
    """Bootstrap distributions of means, one per sample of a batch.

    Attributes
    ----------
    each : tuple of _One
    centre, spread : ndarray, shape (S,)
        Their means and SDs, which are those of the values, exactly.
    """

    each: tuple[_One, ...]
    centre: Array
    spread: Array

    @property
    def n_resamples(self) -> None:
        """None: nothing was drawn."""
        return None

    @property
    def n_undefined(self) -> NDArray[np.intp]:
        """Always 0."""
        return np.zeros(len(self.each), dtype=np.intp)

    def quantile(self, probability: Array | float) -> Array:
        """Where the distribution function reaches a probability, one for each sample."""
        wanted = np.broadcast_to(np.asarray(probability, float), len(self.each))
        found = [
            np.interp(p, one.cumulative, one.support)
            for one, p in zip(self.each, wanted, strict=True)
        ]
        return np.where(np.isfinite(wanted), found, np.nan)

    def share_below(self, value: Array, tolerance: Array) -> Array:
        """P(below ``value``) plus half of P(tied with it)."""
        low, high = np.asarray(value) - tolerance, np.asarray(value) + tolerance
        return np.array(
            [
                np.interp([a, b], one.support, one.cumulative, left=0.0, right=1.0).mean()
                for one, a, b in zip(self.each, low, high, strict=True)
            ]
        )

    def mean(self) -> Array:
        """Expectation over all resamples: the mean of the values."""
        return self.centre

    def standard_deviation(self) -> Array:
        """SD over all resamples: the exact bootstrap standard error."""
        return self.spread


def convolved_means(values: Array) -> ConvolvedMean:
    """Bootstrap distributions of the means of samples, shape (S, n).

    >>> values = np.arange(100_000.0)[None]
    >>> made = convolved_means(values)
    >>> width = made.quantile(0.975) - made.quantile(0.025)
    >>> (width / made.standard_deviation() / 2).round(4)
    array([1.96])
    """
    n, anchor = values.shape[-1], values[:, :1]
    # About one of them, so that equal values have a spread of 0.
    shifted = values - anchor
    centre, deviation = anchor[:, 0] + shifted.mean(axis=-1), shifted.std(axis=-1)
    each = tuple(
        _of_one(row, float(mean), float(sd))
        for row, mean, sd in zip(values, centre, deviation, strict=True)
    )
    return ConvolvedMean(each, centre, deviation / np.sqrt(n))


def _of_one(values: Array, mean: float, deviation: float) -> _One:
    n = len(values)
    if not deviation:
        return _One(np.array([mean]), np.ones(1))
    step = min(np.ptp(values) / CELLS_OF_RANGE, deviation / CELLS_OF_SD)
    reach = REACH * deviation * np.sqrt(n) / step + 2
    size = 1 << int(2 * reach + 1).bit_length()
    # About the mean, so that the sums stay within the window.
    spectrum = np.fft.rfft(_on_grid(values, mean, step, size))
    power = _power(spectrum, n, size)
    return _integrated(np.fft.irfft(power), mean, size * step / n)


def _power(spectrum: NDArray[np.complex128], n: int, size: int) -> NDArray[np.complex128]:
    """The n-th power of a spectrum, up to where it vanishes.

    Of many cases a few dozen frequencies are left, which fewer points describe as well.
    """
    magnitude = np.abs(spectrum) ** n
    last = int(np.flatnonzero(magnitude > NEGLIGIBLE)[-1])
    points = min(size, max(FEWEST_POINTS, 1 << (FINER * last).bit_length()))
    power = np.zeros(points // 2 + 1, dtype=complex)
    some = spectrum[: last + 1]
    power[: last + 1] = magnitude[: last + 1] * np.exp(1j * n * np.angle(some))
    return power


def _integrated(density: Array, mean: float, period: float) -> _One:
    """The distribution function, from a density on a period that begins at the mean."""
    points = len(density)
    # Rounding leaves tiny numbers of either sign where there is nothing.
    cumulative = np.maximum.accumulate(np.cumsum(np.fft.fftshift(density)))
    cumulative /= cumulative[-1]
    # A point stands for what lies up to half-way to the next.
    places = (np.arange(points) - points // 2 + 0.5) / points
    return _One(mean + period * places, cumulative)


def _on_grid(values: Array, mean: float, step: float, size: int) -> Array:
    """The values as probabilities of points of a grid, those below the mean at its end."""
    made = np.zeros(size)
    for start in range(0, len(values), AT_A_TIME):
        places = (values[start : start + AT_A_TIME] - mean) / step
        nearest = np.rint(places)
        offset = places - nearest
        square = offset * offset
        first = int(nearest.min()) - 1
        middle = nearest.astype(np.intp) - first
        points = np.arange(first, first + int(middle.max()) + 2) % size
        for shift, weight in (
            (-1, (square - offset) / 2),
            (0, 1 - square),
            (1, (square + offset) / 2),
        ):
            # No point of the window is met twice: it is longer than the range of the values.
            made[points] += np.bincount(middle + shift, weight, len(points))
    return made / len(values)
