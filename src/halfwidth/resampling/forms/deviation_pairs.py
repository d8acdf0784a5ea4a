"""Distributions of the difference between the SDs of two models under Dirichlet weights.

A pseudo-pair lies beyond the pairs observed: for the upper end of the first SD minus the second one
the value of the first model is beyond its outermost case, on that side and as far as a Pareto draw
says, and that of the second where its regression on the first puts it; for the lower end the models
change places. What both models share of a hard case then adds to both SDs (decision 0093).
"""

from __future__ import annotations

import numpy as np

from halfwidth.core.forms import Moments
from halfwidth.core.frozen import frozen
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array, Bounds
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import in_parts
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import BothEnds, declared_form
from halfwidth.resampling.forms.moments_weighted import PowerSums, variances_of_strata
from halfwidth.resampling.kernels.reference import middle_of
from halfwidth.resampling.tails import as_distribution
from halfwidth.resampling.weights.blocks import Features
from halfwidth.resampling.weights.dirichlet import pseudo_sizes, weighted_sums
from halfwidth.resampling.weights.pareto_places import drawn_reach


def differences_of_deviations(
    pairs: Array, design: Design, statistic: Statistic, plan: Plan, pseudo_cases: PseudoCases
) -> BothEnds:
    """Differences whose quantiles the lower and the upper end are; of pairs, (S, 2, n)."""
    if pseudo_cases.reach is None:
        raise TypeError("pseudo-pairs at the bounds have no regression")
    centres = [middle_of(pairs[:, side]) for side in (0, 1)]
    centred = [pairs[:, side] - centre for side, centre in enumerate(centres)]
    powers = [design.totals(model**power) for model in centred for power in (1, 2)]
    sizes = design.unit_sizes.astype(float)
    features = Features(np.concatenate([*powers, sizes[None]]), design)
    shares = np.add.reduceat(sizes, design.first_units) / design.n
    added = pseudo_sizes(design, plan, (0.0, pseudo_cases.high[1]))[..., 1]
    far = drawn_reach(pseudo_cases.reach.shape, plan)
    samples, bounds = len(pairs), pseudo_cases.bounds
    # For the upper end the first model leads, for the lower one the second.
    lines = {lead: _Lines.from_models(centred, centres, design, bounds, lead) for lead in (0, 1)}
    # Variances of both models with the pseudo-pair of either end, and without one.
    variances = np.empty((3, 2, samples, plan.n_resamples))
    for some, sums in weighted_sums(features, plan):
        of_powers = sums[:, :-1].reshape(len(sums), 2, 2, samples, -1)
        for rows in in_parts(samples, sums.shape[-1]):
            cases = [
                [
                    PowerSums(
                        share,
                        of_powers[place, side, 0, rows],
                        of_powers[place, side, 1, rows],
                        sums[place, -1],
                    )
                    for place, share in enumerate(shares)
                ]
                for side in (0, 1)
            ]
            for side in (0, 1):
                variances[2, side, rows, some] = variances_of_strata(cases[side])
            for lead, line in lines.items():
                points = [line.points(place, rows, far[some]) for place in range(len(shares))]
                for side in (0, 1):
                    with_pair = [
                        own.with_point(points[place][side], added[some, place])
                        for place, own in enumerate(cases[side])
                    ]
                    variances[lead, side, rows, some] = variances_of_strata(with_pair)
    form = declared_form(statistic, Moments)
    above, below, alone = (
        np.subtract(
            *(
                form.from_sum(design.n, own * design.n, centre, **statistic.parameters)
                for own, centre in zip(of_models, centres, strict=True)
            )
        )
        for of_models in variances
    )
    # A pair that adds to both SDs may bring them closer: the farther one counts.
    return as_distribution(np.minimum(below, alone), plan), as_distribution(
        np.maximum(above, alone), plan
    )


@frozen(eq=False)
class _Lines:
    """On which line pseudo-pairs lie, in deviations from the centres of both models."""

    lead: int
    # Of each stratum, of both models, (S, 1): their means; how far the leading one reaches, to
    # which side; and the slope of the other one.
    means: list[tuple[Array, Array]]
    distances: list[Array]
    slope: Array
    # What a deviation of either model cannot go beyond, (S, 1) each.
    limits: list[tuple[Array, Array]]

    @classmethod
    def from_models(
        cls, centred: list[Array], centres: list[Array], design: Design, bounds: Bounds, lead: int
    ) -> _Lines:
        leading, other = centred[lead], centred[1 - lead]
        away = leading - leading.mean(axis=-1, keepdims=True)
        variance = (away**2).sum(axis=-1, keepdims=True)
        covariance = (away * other).sum(axis=-1, keepdims=True)
        slope = np.divide(covariance, variance, out=np.zeros_like(variance), where=variance > 0)
        means, distances = [], []
        counts = np.add.reduceat(design.unit_sizes, design.first_units)
        for first, cases in zip(design.first_cases[design.first_units], counts, strict=True):
            own = [model[:, first : first + cases] for model in centred]
            mean = own[0].mean(axis=-1, keepdims=True), own[1].mean(axis=-1, keepdims=True)
            below = own[lead].min(axis=-1, keepdims=True) - mean[lead]
            above = own[lead].max(axis=-1, keepdims=True) - mean[lead]
            means.append(mean)
            distances.append(np.where(-below >= above, below, above))
        limits = [(bounds.low - centre, bounds.high - centre) for centre in centres]
        return cls(lead, means, distances, slope, limits)

    def points(self, stratum: int, rows: slice, far: Array) -> tuple[Array, Array]:
        """The deviations of both models in each draw, (S, B) each."""
        mean, distance = self.means[stratum], self.distances[stratum][rows]
        low, high = (limit[rows] for limit in self.limits[self.lead])
        leading = np.clip(mean[self.lead][rows] + distance * far, low, high)
        other = mean[1 - self.lead][rows] + self.slope[rows] * (leading - mean[self.lead][rows])
        low, high = (limit[rows] for limit in self.limits[1 - self.lead])
        both = leading, np.clip(other, low, high)
        return both if self.lead == 0 else both[::-1]
