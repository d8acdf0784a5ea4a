"""The gamma variates that Dirichlet weights are made of: divided by their sum they are weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halfwidth.core import rng
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.gammas import gammas
from halfwidth.resampling.kernels import native


def unit_weights(design: Design, plan: Plan, start: int, stop: int) -> Array:
    """Gamma(1) variates of all units in draws ``start`` to ``stop``, shape (B, U).

    Of many draws, take a range at a time (`Plan.blocks`); how they are cut does not matter.
    """
    draw = native.exponentials if plan.compiles else rng.exponentials
    return draw(weights_key(design, plan), start, stop, design.units)


def weights_key(design: Design, plan: Plan) -> rng.Key:
    """The key of the weights of units, which are the same for every statistic of as many."""
    return rng.derive_key(plan.entropy, "weights", design.units)


def pseudo_weights(masses: Sequence[float] | Array, plan: Plan) -> Array:
    """Gamma(mass) variates of pseudo-cases in all draws, shape (B, P); 0 where the mass is 0."""
    columns = [
        gammas(plan.entropy, ("weights of pseudo-cases", place), float(mass), plan.n_resamples)
        for place, mass in enumerate(masses)
    ]
    return np.stack(columns, axis=-1)
