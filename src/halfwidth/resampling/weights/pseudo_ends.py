"""Weights of the pseudo-cases of rankings: of either class, at either end of the scores.

Each ranking has four pseudo-cases: a positive and a negative one above all scores, and both below
all. The positive one above and the negative one below are good for it, the others bad.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halfwidth.core.pseudo_cases import Masses
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.weights.dirichlet import pseudo_weights_of_classes, weights_at_corners

# The share of the pseudo-mass that a class has at one end of the scores: two classes, one of which
# lies at an end as it should.
SHARE = 0.5


def ends_of_rows(rows: int, design: Design, plan: Plan, sides: Sequence[Masses]) -> Array:
    """Weights of pseudo-cases, each a unit on average, by side of masses: (R, sides, 4, B)."""
    each = design.n / design.units

    def drawn() -> Array:
        ends = np.empty((rows, len(sides), 4, plan.n_resamples))
        for side, (worst, best) in enumerate(sides):
            masses = [SHARE * mass for mass in (best, worst, worst, best)]
            class_weights = pseudo_weights_of_classes(masses, rows, plan)
            ends[:, side] = each * np.moveaxis(class_weights, 0, 1)
        return ends

    return plan.once(("weights of ends", tuple(sides), rows), (), design, drawn)


def ends_of_pairs(
    rows: int, design: Design, plan: Plan, sides: Sequence[Masses], discordance: float
) -> Array:
    """Ends of a model as the first of a pair and as the second: (R, 2 sides, 4, B)."""
    roles = [
        np.moveaxis(np.stack([true[1], other[0], true[0], other[1]]), 0, 1)
        for masses in sides
        for true, other in weights_at_corners(
            masses, rows, plan, share=SHARE, discordance=discordance
        )
    ]
    return np.asarray(design.n / design.units * np.stack(roles, axis=1))
