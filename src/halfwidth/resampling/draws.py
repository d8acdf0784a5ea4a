"""From a sample and a plan to a bootstrap distribution, by the statistic's declared form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from halfwidth.core import rng
from halfwidth.core.spec import Moments, OrderStatistics, SortedWeights, Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.distribution import Distribution, Replicates
from halfwidth.resampling.exact import binomial, order_statistics
from halfwidth.resampling.kernels import reference
from halfwidth.resampling.spacings import spacings

__all__ = ["BLOCK_ELEMENTS", "Plan", "bootstrap_distribution", "replicates"]

# Elements of a temporary inside a kernel: 2**18 float64 are 2 MiB, which a processor's cache
# holds. No result depends on it.
BLOCK_ELEMENTS = 2**18
# Below this many samples a matrix product costs more to prepare than it saves.
MANY_SAMPLES = 4


@dataclass(frozen=True)
class Plan:
    """How a bootstrap is drawn.

    Attributes
    ----------
    entropy : int
        Root entropy; with what is computed it makes the key of the draws.
    n_resamples : int
    block_elements : int
        Upper bound on the elements of a temporary array.
    """

    entropy: int
    n_resamples: int = 9999
    block_elements: int = BLOCK_ELEMENTS

    def blocks(self, elements_each: int) -> Iterator[tuple[int, int]]:
        """Ranges of resamples whose temporaries stay under the bound."""
        step = max(1, self.block_elements // max(elements_each, 1))
        for start in range(0, self.n_resamples, step):
            yield start, min(start + step, self.n_resamples)

    def indices(self, n: int, start: int, stop: int) -> reference.Draws:
        """Positions drawn in resamples ``start`` to ``stop`` of n independent cases."""
        key = rng.derive_key(self.entropy, "bootstrap", "iid", n)
        return rng.indices(key, start, stop, n, n)


def bootstrap_distribution(
    sorted_values: Array, statistic: Statistic, plan: Plan, *, binary: bool = False
) -> Distribution:
    """The bootstrap distribution of a statistic, exact where that is known.

    Parameters
    ----------
    sorted_values : ndarray, shape (S, n)
        Samples, each ascending.
    statistic : Statistic
    plan : Plan
        Not used where the distribution is exact.
    binary : bool
        Whether the values are 0 and 1 and the statistic is their mean.

    Returns
    -------
    Distribution
        For S samples.
    """
    form, n = statistic.spec.form, sorted_values.shape[-1]
    if binary:
        return binomial(sorted_values.sum(axis=-1), n)
    if isinstance(form, OrderStatistics):
        ranks, weights = form.picks(n, **statistic.parameters)
        if len(ranks) == 1 or (len(ranks) == 2 and ranks[1] == ranks[0] + 1):
            return order_statistics(sorted_values, ranks, weights)
        table = spacings(plan.entropy, ranks, n, plan.n_resamples)
        return Replicates.sorting(_picked(sorted_values, weights, table))
    return Replicates.sorting(replicates(sorted_values, statistic, plan))


def _picked(sorted_values: Array, weights: Array, table: reference.Draws) -> Array:
    """Weighted order statistics, as gaps between neighbours: equal values have a spread of 0."""
    previous = sorted_values[:, table[:, 0]]
    made = reference.total_weight(weights) * previous
    for place in range(1, len(weights)):
        current = sorted_values[:, table[:, place]]
        previous -= current
        previous *= -weights[place:].sum()
        made += previous
        previous = current
    return made


def replicates(sorted_values: Array, statistic: Statistic, plan: Plan) -> Array:
    """Replicates of a statistic on shared draws, shape (S, n) -> (S, B), in order of resamples."""
    samples, n = sorted_values.shape
    out = np.empty((samples, plan.n_resamples))
    form = statistic.spec.form
    centre = reference.middle_of(sorted_values)
    for start, stop in plan.blocks(max(n, samples)):
        draws = plan.indices(n, start, stop)
        if isinstance(form, Moments):
            power_sums = (
                reference.moments_of_few if samples < MANY_SAMPLES else reference.moments_of_many
            )
            sums = power_sums(sorted_values - centre, form, draws)
            block = form.finish(n, sums, centre, **statistic.parameters)
        elif isinstance(form, SortedWeights):
            weights = form.weights(n, **statistic.parameters)
            block = reference.weighted(sorted_values, weights, draws)
        else:
            block = reference.plain(sorted_values, statistic, draws)
        out[:, start:stop] = block
    return out
