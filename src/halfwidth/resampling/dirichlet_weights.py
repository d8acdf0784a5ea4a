"""The gamma variates that Dirichlet weights are made of: divided by their sum they are weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halfwidth.core import rng
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.gammas import gammas


def unit_weights(design: Design, plan: Plan, start: int, stop: int) -> Array:
    """Gamma(1) variates of all units in draws ``start`` to ``stop``, shape (B, U).

    Of many draws, take a range at a time (`Plan.blocks`); how they are cut does not matter.
    """
    key = rng.derive_key(plan.entropy, "weights", design.units)
    uniforms = rng.uniforms(key, start, stop, design.units)
    return np.asarray(-np.log(uniforms, out=uniforms))


def pseudo_weights(masses: Sequence[float] | Array, plan: Plan) -> Array:
    """Gamma(mass) variates of pseudo-cases in all draws, shape (B, P); 0 where the mass is 0."""
    columns = [
        gammas(plan.entropy, ("weights of pseudo-cases", place), float(mass), plan.n_resamples)
        for place, mass in enumerate(masses)
    ]
    return np.stack(columns, axis=-1)
