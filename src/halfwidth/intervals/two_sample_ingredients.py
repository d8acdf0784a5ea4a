"""What methods of unpaired comparisons need, made of two samples."""

from __future__ import annotations

import numpy as np

from halfwidth.core.kinds import Need
from halfwidth.core.spec import MethodSpec
from halfwidth.core.types import Array
from halfwidth.intervals.compute import Ingredients
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.noise.true_sizes import unpaired_sizes
from halfwidth.resampling.two_samples import TwoSamples

# What a method may need to compare two samples; one that needs more makes intervals of either,
# which `mover` puts together.
RECIPES = frozenset(
    {
        Need.BOTH_SUCCESSES,
        Need.BOTH_TRIALS,
        Need.BOTH_ESTIMATES,
        Need.BOTH_ERRORS,
        Need.BOTH_DEGREES,
        Need.BOTH_INTERVALS,
        Need.EFFECT,
        Need.ESTIMATE,
        Need.DISTRIBUTION,
        Need.TIE_TOLERANCE,
        Need.ACCELERATION,
        Need.PAIRED_SIZES,
    }
)

# Ingredients that depend on the level.
OF_THE_LEVEL = (Need.BOTH_SUCCESSES, Need.BOTH_TRIALS)


def compares(method: MethodSpec) -> bool:
    """Whether a method compares two samples by itself."""
    return set(method.needs) <= RECIPES


def two_sample_ingredients(
    samples: TwoSamples,
    each: tuple[Ingredients, Ingredients],
    plan: Plan,
) -> Ingredients:
    """Ingredients of a comparison; those of bootstraps on the logarithmic scale for a ratio.

    ``each`` are those of either sample by itself. Those of the level are to be taken for each, the
    intervals of either sample too.
    """

    def both(need: Need) -> Array:
        return np.array([np.broadcast_to(one[need], (1,)) for one in each], dtype=float)

    return Ingredients(
        {
            Need.BOTH_SUCCESSES: lambda: both(Need.SUCCESSES),
            Need.BOTH_TRIALS: lambda: both(Need.TRIALS),
            Need.BOTH_ESTIMATES: lambda: both(Need.ESTIMATE),
            Need.BOTH_ERRORS: lambda: both(Need.ROBUST_ERROR),
            Need.BOTH_DEGREES: lambda: both(Need.DEGREES_OF_FREEDOM),
            Need.EFFECT: lambda: samples.effect,
            Need.ESTIMATE: samples.estimate,
            Need.DISTRIBUTION: lambda: samples.distribution(plan),
            Need.TIE_TOLERANCE: samples.tie_tolerance,
            Need.ACCELERATION: samples.acceleration,
            Need.PAIRED_SIZES: lambda: unpaired_sizes(samples, plan),
        }
    )
