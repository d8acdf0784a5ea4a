"""How often a pseudo-case is bad for one model and good for another, by how far these agree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Array
from halfwidth.resampling.weights.dirichlet import INDEPENDENT

# To whose multiples the share of pseudo-cases at different ends is rounded, so that pairs of models
# share their draws.
STEP = 1 / 32


def discordance_of_left_out(left_out: Array, places: NDArray[np.intp]) -> Array:
    """From the statistic of each model without each case, (M, n), for pairs of models, (S, 2).

    acos(r)/π for the correlation r of what the cases change of the statistic of either model: how
    often two normal variates of that correlation lie on different sides of their medians (decision
    0048). ½ where nothing is known of it.
    """
    defined = np.isfinite(left_out).all(axis=0)
    if not defined.any():
        return np.full(len(places), INDEPENDENT)
    centred = left_out[:, defined] - left_out[:, defined].mean(axis=-1, keepdims=True)
    return discordance_of(centred, places)


def discordance_of(centred: Array, places: NDArray[np.intp], share: float = 1.0) -> Array:
    """The same from what has the correlation, less its mean, (M, n); times a share of it."""
    products = centred @ centred.T
    length = np.sqrt(np.diag(products))
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = np.nan_to_num(products / np.outer(length, length))
    apart = np.arccos(np.clip(correlation, -1.0, 1.0)) / np.pi
    rounded = np.ceil(share * apart[places[:, 0], places[:, 1]] / STEP) * STEP
    return np.asarray(np.clip(rounded, STEP, INDEPENDENT))
