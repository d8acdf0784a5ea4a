"""A few order statistics of every resample, without resampling the sample.

For the IQR and other statistics of order statistics that lie apart, whose exact distribution has
too many points. The cost per resample does not depend on n.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from halfwidth.core import rng
from halfwidth.core.types import Array


def spacings(entropy: int, ranks: Array, n: int, n_resamples: int) -> NDArray[np.intp]:
    """Positions of a few order statistics in each resample, exact in distribution.

    The n + 1 spacings of n sorted uniforms are distributed as exponentials over their sum, so the
    spacing between the order statistics of two ranks is a gamma of their difference over that sum:
    U₍k₎ = G(k) / (G(k) + G(n + 1 - k)), a Beta(k, n + 1 - k). A uniform u stands for the case at
    sorted position ⌈n·u⌉. The table serves every sample of a batch.

    Parameters
    ----------
    entropy : int
        Root entropy.
    ranks : ndarray of int
        1-based, ascending.
    n, n_resamples : int

    Returns
    -------
    ndarray of int, shape (n_resamples, len(ranks))
        0-based positions in the sorted sample.
    """
    steps = np.diff([0, *(int(rank) for rank in ranks), n + 1])
    what = ("spacings", "iid", n, *(int(step) for step in steps))
    sums = np.cumsum(
        [
            gammas(entropy, (*what, place), int(step), n_resamples)
            for place, step in enumerate(steps)
        ],
        axis=0,
    )
    position = np.ceil(n * (sums[:-1] / sums[-1])).astype(np.intp)
    return np.asarray(np.clip(position, 1, n).T - 1)


def gammas(entropy: int, what: tuple[object, ...], shape: int, n_resamples: int) -> Array:
    """Gamma variates of integer shape, one per resample (Marsaglia and Tsang 2000).

    Attempt t of resample b uses draws of its own, so that a variate depends on (entropy, what, b)
    alone, however many attempts the others take. At least 95 % of attempts succeed.
    """
    from scipy import special

    if shape == 1:
        return -np.log(rng.uniforms(rng.derive_key(entropy, *what, 0), 0, n_resamples, 1)[:, 0])
    d = shape - 1 / 3
    c = 1 / np.sqrt(9 * d)
    variates = np.empty(n_resamples)
    waiting = np.arange(n_resamples)
    for attempt in itertools.count():
        key = rng.derive_key(entropy, *what, attempt)
        uniform = rng.uniforms(key, 0, n_resamples, 2)[waiting]
        normal = special.ndtri(uniform[:, 0])
        cube = np.maximum(1 + c * normal, 0.0) ** 3
        with np.errstate(divide="ignore"):
            accepted = np.log(uniform[:, 1]) < normal**2 / 2 + d * (1 - cube + np.log(cube))
        variates[waiting[accepted]] = d * cube[accepted]
        waiting = waiting[~accepted]
        if not len(waiting):
            break
    return variates
