"""Gamma variates: the weights of units and pseudo-cases before they are divided by their sum."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halfwidth.core import rng
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan


def unit_weights(design: Design, plan: Plan, start: int, stop: int) -> Array:
    """Gamma(1) variates of all units in draws ``start`` to ``stop``, shape (B, U).

    Of many draws, take a range at a time (`Plan.blocks`); how they are cut does not matter.
    """
    key = rng.derive_key(plan.entropy, "weights", design.units)
    uniforms = rng.uniforms(key, start, stop, design.units)
    return np.asarray(-np.log(uniforms, out=uniforms))


def pseudo_weights(masses: Sequence[float] | Array, plan: Plan, start: int, stop: int) -> Array:
    """Gamma(mass) variates of pseudo-cases, shape (B, P); 0 where the mass is 0.

    They are independent of those of the units, and increase with the mass draw by draw.
    """
    from scipy import special

    shapes = np.asarray(masses, float)
    key = rng.derive_key(plan.entropy, "weights of pseudo-cases", len(shapes))
    uniforms = rng.uniforms(key, start, stop, len(shapes))
    return np.where(shapes > 0, special.gammaincinv(np.where(shapes > 0, shapes, 1), uniforms), 0.0)
