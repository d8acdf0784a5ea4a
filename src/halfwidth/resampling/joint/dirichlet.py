"""Draws of several differences under Dirichlet weights.

All pairs of models share the weights of the cases, that of the pseudo-case, and how far out a
Pareto draw puts it, so that all differences together have one distribution. How far out its draws
lie says which claims and intervals hold together (`RankedDraws`).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import Effect
from halfwidth.core.frozen import frozen
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.exact.dirichlet_means import outer_distances
from halfwidth.resampling.forms.differences import weighted_in_pairs
from halfwidth.resampling.forms.engines import engine_for
from halfwidth.resampling.joint.laws import RankedDraws
from halfwidth.resampling.weights.dirichlet import Weighted, pseudo_weights
from halfwidth.resampling.weights.pareto_places import (
    drawn_reach,
    least_distances,
)

OfPairs = Callable[[int | slice], tuple[Array, Array]]


@frozen(eq=False)
class JointDraws:
    """Differences or ratios of pairs of models under the same weights, and how far out they lie."""

    # From the place of a pair, or a slice of places, to draws for the lower and for the upper end
    # of intervals: both (..., B), the same array where the ends share them
    contrasts: OfPairs
    n_pairs: int
    n_draws: int
    degrees_of_freedom: float = math.inf  # Of the cases: how well they know the spread of the draws
    # Whether draws alone tell how far out a value lies; of means without strata their law does
    drawn: bool = True

    @classmethod
    def from_models(
        cls,
        lower: tuple[Array, Array],
        upper: tuple[Array, Array],
        pairs: NDArray[np.intp],
        effect: Effect = "difference",
        degrees_of_freedom: float = math.inf,
    ) -> JointDraws:
        """Draws of pairs from those of models, (K, B), where they come first and where second."""

        def contrast(places: int | slice, firsts: Array, seconds: Array) -> Array:
            first, second = pairs[places].T
            if effect == "difference":
                return np.asarray(firsts[first] - seconds[second])
            with np.errstate(invalid="ignore", divide="ignore"):
                return np.asarray(firsts[first] / seconds[second])

        def contrasts(places: int | slice) -> tuple[Array, Array]:
            below = contrast(places, *lower)
            return below, below if upper is lower else contrast(places, *upper)

        return cls(contrasts, len(pairs), lower[0].shape[-1], degrees_of_freedom)

    def ranked(self) -> RankedDraws:
        """How far out all of the draws lie on either side of each pair."""
        each = (self.contrasts(pair) for pair in range(self.n_pairs))
        return RankedDraws.from_draws(
            self.n_pairs, each, self.degrees_of_freedom, moments=self.drawn
        )


def draws_of_means(
    values: Array, pairs: NDArray[np.intp], design: Design, plan: Plan, pseudo_cases: PseudoCases
) -> JointDraws:
    """Draws of differences of means of models, (K, n), as the interval of each pair has them."""
    totals = design.by_stratum(design.totals(values))
    sizes = design.by_stratum(design.unit_sizes.astype(float))
    shares = [float(size.sum()) / design.n for size in sizes]
    mass, width = pseudo_cases.low[0], pseudo_cases.bounds.width
    pseudo = pseudo_weights([share * mass for share in shares], plan).T
    # What the cases make of each model, and the share of the pseudo-case of each stratum.
    means = np.zeros((len(values), plan.n_resamples))
    pseudo_shares = np.empty((len(shares), plan.n_resamples))
    for start, stop in plan.blocks(max(design.units, len(values))):
        weights = design.by_stratum(Weighted(design, plan, start, stop).variates())
        for stratum, (total, size, own) in enumerate(zip(totals, sizes, weights, strict=True)):
            added = size.mean() * pseudo[stratum, start:stop]
            scale = shares[stratum] / (own @ size + added)
            means[:, start:stop] += total @ own.T * scale
            pseudo_shares[stratum, start:stop] = added * scale
    reach, of_models = pseudo_cases.reach, least_distances(values, design, paired=True)
    far = None if reach is None else drawn_reach(reach.shape, plan)

    def contrasts(places: int | slice) -> tuple[Array, Array]:
        first, second = np.atleast_2d(pairs[places]).T
        reaching = pseudo_cases.with_least(np.maximum(of_models[first], of_models[second]))
        lower = means[first] - means[second]
        upper = lower.copy()
        for total, size, share in zip(totals, sizes, pseudo_shares, strict=True):
            if reach is None or far is None:
                lower -= share * width
                upper += share * width
                continue
            mean, below, above = outer_distances(
                total[first] - total[second], size, reaching, np.inf
            )
            lower += share * np.maximum(mean[:, None] - below[:, None] * far, -width)
            upper += share * np.minimum(mean[:, None] + above[:, None] * far, width)
        return (lower[0], upper[0]) if isinstance(places, int) else (lower, upper)

    drawn = len(shares) > 1
    return JointDraws(contrasts, len(pairs), plan.n_resamples, design.effective_degrees, drawn)


def draws_of_test_sets(
    records: Array,
    pairs: NDArray[np.intp],
    design: Design,
    statistic: Statistic,
    plan: Plan,
    pseudo_cases: PseudoCases,
    effect: Effect,
) -> JointDraws | None:
    """Draws of metrics of test sets, those of each pair alone; None for averages over classes."""
    dirichlet = engine_for(statistic).dirichlet
    if dirichlet is None or dirichlet.in_pairs is None:
        return None
    # Of the first and of the second of each pair; for upper ends only where these differ.
    lower, upper = np.empty((2, len(pairs), plan.n_resamples)), None
    for rows, places, ends in weighted_in_pairs(
        dirichlet, records, pairs, design, statistic, plan, pseudo_cases
    ):
        if ends[0].classes is not None:
            return None
        if upper is None and ends[0] is not ends[1]:
            upper = lower.copy()
        for into, end in ((lower, ends[0]), (upper, ends[1])):
            if into is not None:
                into[0, rows] = end.first[places[:, 0], 0]
                into[1, rows] = end.second[places[:, 1], 0]
    lower_roles = lower[0], lower[1]
    upper_roles = lower_roles if upper is None else (upper[0], upper[1])
    each = np.arange(len(pairs))
    pairs_of_rows = np.stack([each, each], axis=-1)
    return JointDraws.from_models(
        lower_roles, upper_roles, pairs_of_rows, effect, design.effective_degrees
    )
