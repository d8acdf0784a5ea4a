"""Gamma variates: the weight of many cases, or of part of one, under Dirichlet weights."""

from __future__ import annotations

import functools
import itertools

import numpy as np

from halfwidth.core import rng
from halfwidth.core.types import Array
from halfwidth.resampling.kernels import native

# Steps in which quantiles of small shapes are tabulated; see `_tabulated`.
STEPS_PER_UNIT = 32
MOST_TABULATED = 0.5


def gammas(entropy: int, purpose: tuple[object, ...], shape: float, n_resamples: int) -> Array:
    """Gamma variates of one shape, from 0 up, and scale 1: one for each resample.

    Up to a shape of ½ a variate is a quantile, of a probability that an exponential draw gives,
    from a table, within 3e-9. Those of other shapes but 1 are made by rejection (Marsaglia and
    Tsang 2000). Attempt t of resample b uses draws of its own, so that a variate depends on
    (entropy, purpose, b) alone, however many attempts the others take. At least 95 % of attempts
    succeed. Variates of similar shapes for one purpose come from the same draws, and so increase
    with the shape, almost always.
    """
    if shape == 0:
        return np.zeros(n_resamples)
    if shape <= MOST_TABULATED or shape == 1:
        draw = native.exponentials if native.available() else rng.exponentials
        exponentials = draw(rng.derive_key(entropy, *purpose), 0, 1, n_resamples)[0]
        return exponentials if shape == 1 else _tabulated(shape, exponentials)
    if shape < 1:
        # A variate of this shape is one of the next shape times a power of a uniform, for which
        # the blocks of the first attempt have a word to spare.
        uniform = _uniforms(entropy, purpose, 0, n_resamples, 3)
        larger = _accepted(entropy, purpose, shape + 1, uniform[:, :2])
        return np.asarray(larger * uniform[:, 2] ** (1 / shape))
    return _accepted(entropy, purpose, shape, _uniforms(entropy, purpose, 0, n_resamples, 2))


def _tabulated(shape: float, exponentials: Array) -> Array:
    """Quantiles beyond which exp(-E) lies, for exponential draws E."""
    table = _powers_of_quantiles(shape)
    inside = exponentials * STEPS_PER_UNIT
    step = inside.astype(np.intp)
    inside -= step
    values = table[3][step]
    for coefficients in table[2::-1]:
        values *= inside
        values += coefficients[step]
    # Those next to 0 may be rounded to less.
    np.maximum(values, 0.0, out=values)
    exponent = 1 / shape
    while exponent % 2 == 0:
        values *= values
        exponent /= 2
    return values if exponent == 1 else np.asarray(values**exponent)


@functools.lru_cache(maxsize=64)
def _powers_of_quantiles(shape: float) -> Array:
    """Quantiles to the power of the shape, of steps in E: coefficients of cubics, (4, N)."""
    # They have the values and slopes of these powers, which are smooth from 0 on, at both ends of
    # each step, up to the largest exponential draw.
    from scipy import special

    points = np.arange(16 * STEPS_PER_UNIT + 1) / STEPS_PER_UNIT
    few = points < np.log(2)
    quantiles = np.empty(len(points))
    quantiles[few] = special.gammaincinv(shape, -np.expm1(-points[few]))
    quantiles[~few] = special.gammainccinv(shape, np.exp(-points[~few]))
    # The log density of a quantile q is (shape - 1) log q - q less that of Γ(shape).
    slopes = special.gamma(shape + 1) * np.exp(quantiles - points) / STEPS_PER_UNIT
    values, before, after = quantiles**shape, slopes[:-1], slopes[1:]
    rise = np.diff(values)
    return np.stack([values[:-1], before, 3 * rise - 2 * before - after, before + after - 2 * rise])


def _accepted(entropy: int, purpose: tuple[object, ...], shape: float, first: Array) -> Array:
    """Variates of a shape above 1, given the uniforms of the first attempt."""
    from scipy import special

    d = shape - 1 / 3
    c = 1 / np.sqrt(9 * d)
    variates = np.empty(len(first))
    waiting, uniform = np.arange(len(first)), first
    for attempt in itertools.count(1):
        normal = special.ndtri(uniform[:, 0])
        cube = np.maximum(1 + c * normal, 0.0)
        cube = cube * cube * cube
        square = normal * normal
        accepted = uniform[:, 1] < 1 - 0.0331 * square * square
        # Most pass without a logarithm.
        rest = np.flatnonzero(~accepted)
        with np.errstate(divide="ignore"):
            most = square[rest] / 2 + d * (1 - cube[rest] + np.log(cube[rest]))
            accepted[rest] = np.log(uniform[rest, 1]) < most
        variates[waiting[accepted]] = d * cube[accepted]
        waiting = waiting[~accepted]
        if not len(waiting):
            break
        uniform = _uniforms(entropy, purpose, attempt, len(first), 2)[waiting]
    return variates


def _uniforms(
    entropy: int, purpose: tuple[object, ...], attempt: object, n_resamples: int, draws: int
) -> Array:
    # One long row: a resample's own would begin with a block of its own.
    key = rng.derive_key(entropy, *purpose, attempt)
    return rng.uniforms(key, 0, 1, n_resamples * draws).reshape(n_resamples, draws)
