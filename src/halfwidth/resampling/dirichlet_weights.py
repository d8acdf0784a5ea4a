"""The gamma variates that Dirichlet weights are made of: divided by their sum they are weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halfwidth.core import rng
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.gammas import gammas
from halfwidth.resampling.kernels import native, reference


def unit_weights(design: Design, plan: Plan, start: int, stop: int) -> Array:
    """Gamma(1) variates of all units in draws ``start`` to ``stop``, shape (B, U).

    Of many draws, take a range at a time (`Plan.blocks`); how they are cut does not matter.
    """
    draw = native.exponentials if plan.compiles else rng.exponentials
    return draw(weights_key(design, plan), start, stop, design.units)


def weighted_sums(features: Array, design: Design, plan: Plan) -> Array:
    """Sums of features under the weights of units, (K, U) -> (K, B).

    Units of a stratum have as many cases in all draws as they have in the sample.
    """
    strata, key = len(design.strata), weights_key(design, plan)
    rows = np.concatenate([features, design.unit_sizes[None].astype(float)])
    in_stratum = np.zeros((strata, 1, design.units))
    for into, first, units in zip(in_stratum, design.first_units, design.strata, strict=True):
        into[0, first : first + units] = 1.0
    apart = (in_stratum * rows).reshape(-1, design.units)
    sums = np.empty((len(apart), plan.n_resamples))
    for start, stop in plan.blocks(design.units + len(apart)):
        if plan.compiles:
            sums[:, start:stop] = native.sum_weighted(apart, key, start, stop, design.units)
        else:
            weights = rng.exponentials(key, start, stop, design.units)
            sums[:, start:stop] = reference.sum_weighted(apart, weights)
    by_stratum = sums.reshape(strata, len(rows), plan.n_resamples)
    if strata == 1:
        return np.asarray(by_stratum[0, :-1])
    cases = [sizes.sum() for sizes in design.by_stratum(rows[-1])]
    factors = np.array(cases)[:, None] / by_stratum[:, -1]
    return np.asarray(np.einsum("hkb,hb->kb", by_stratum[:, :-1], factors))


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
