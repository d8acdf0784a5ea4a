"""Gamma variates: the weight of many cases, or of part of one, under Dirichlet weights."""

from __future__ import annotations

import itertools

import numpy as np

from halfwidth.core import rng
from halfwidth.core.types import Array


def gammas(entropy: int, what: tuple[object, ...], shape: float, n_resamples: int) -> Array:
    """Gamma variates of one shape and scale 1, one per resample (Marsaglia and Tsang 2000).

    Attempt t of resample b uses draws of its own, so that a variate depends on (entropy, what, b)
    alone, however many attempts the others take. At least 95 % of attempts succeed.

    Parameters
    ----------
    entropy : int
        Root entropy.
    what : tuple
        What the variates are for. Those of other shapes for the same purpose come from the same
        draws, and so increase with the shape, almost always.
    shape : float
        From 0 up; those of shape 0 are 0.
    n_resamples : int

    Examples
    --------
    >>> bool(abs(gammas(1, ("example",), 0.5, 40_000).mean() - 0.5) < 0.02)
    True
    """
    if shape == 0:
        return np.zeros(n_resamples)
    if shape == 1:
        return -np.log(_uniforms(entropy, what, 0, n_resamples, 1)[:, 0])
    if shape < 1:
        # A variate of this shape is one of the next shape times a power of a uniform, for which
        # the blocks of the first attempt have a word to spare.
        uniform = _uniforms(entropy, what, 0, n_resamples, 3)
        larger = _accepted(entropy, what, shape + 1, uniform[:, :2])
        return np.asarray(larger * uniform[:, 2] ** (1 / shape))
    return _accepted(entropy, what, shape, _uniforms(entropy, what, 0, n_resamples, 2))


def _accepted(entropy: int, what: tuple[object, ...], shape: float, first: Array) -> Array:
    """Variates of a shape above 1, given the uniforms of the first attempt."""
    from scipy import special

    d = shape - 1 / 3
    c = 1 / np.sqrt(9 * d)
    variates = np.empty(len(first))
    waiting, uniform = np.arange(len(first)), first
    for attempt in itertools.count(1):
        normal = special.ndtri(uniform[:, 0])
        cube = np.maximum(1 + c * normal, 0.0) ** 3
        with np.errstate(divide="ignore"):
            accepted = np.log(uniform[:, 1]) < normal**2 / 2 + d * (1 - cube + np.log(cube))
        variates[waiting[accepted]] = d * cube[accepted]
        waiting = waiting[~accepted]
        if not len(waiting):
            break
        uniform = _uniforms(entropy, what, attempt, len(first), 2)[waiting]
    return variates


def _uniforms(
    entropy: int, what: tuple[object, ...], attempt: object, n_resamples: int, draws: int
) -> Array:
    return rng.uniforms(rng.derive_key(entropy, *what, attempt), 0, n_resamples, draws)
