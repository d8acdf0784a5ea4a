"""Distributions of a standard deviation under Dirichlet weights.

The weighted SD is √(n v / (n - ddof)), v the variance of the weighted distribution Σ p (x - x̄)²:
with equal weights it is the plain one. A pseudo-case beyond all cases can only ever add to it, as
far as few cases tell, so that it serves the upper end of an interval alone; the lower end comes of
the weights of the cases. One with a reach lies on the side where a case is farther from the mean.
"""

from __future__ import annotations

import numpy as np

from halfwidth.core.forms import Moments
from halfwidth.core.frozen import frozen
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import Quantiles, in_parts
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import declared_form
from halfwidth.resampling.kernels.reference import middle_of
from halfwidth.resampling.tails import as_distribution
from halfwidth.resampling.weights.blocks import Features
from halfwidth.resampling.weights.dirichlet import masses_of_spread, pseudo_sizes, weighted_sums
from halfwidth.resampling.weights.pareto_places import drawn_reach

# What is left of the variance of equal values is rounding of either sign.
ROUNDING = 16 * np.finfo(float).eps


def weighted_deviations(
    values: Array, design: Design, statistic: Statistic, plan: Plan, pseudo_cases: PseudoCases
) -> tuple[Quantiles, Quantiles]:
    """The distributions of an SD for the lower and for the upper end of an interval."""
    form, samples, centre = declared_form(statistic, Moments), len(values), middle_of(values)
    centred = values - centre
    reach = pseudo_cases.reach
    points = np.array([pseudo_cases.bounds.low, pseudo_cases.bounds.high]) - centre
    sizes = design.unit_sizes.astype(float)
    powers = [design.totals(centred), design.totals(centred**2), sizes[None]]
    features = Features(np.concatenate(powers), design)
    at_low, at_high = masses_of_spread(pseudo_cases)
    added = pseudo_sizes(design, plan, (at_low, at_high if reach is None else 0.0))
    shares = np.add.reduceat(sizes, design.first_units) / design.n
    far = None if reach is None else drawn_reach(reach.shape, plan)
    outermost = _outermost(centred, design)
    lower, upper = np.empty((2, samples, plan.n_resamples))
    for some, sums in weighted_sums(features, plan):
        for rows in in_parts(samples, sums.shape[-1]):
            strata = [
                PowerSums(share, own[:samples][rows], own[samples:-1][rows], own[-1])
                for share, own in zip(shares, sums, strict=True)
            ]
            lower[rows, some] = variances_of_strata(strata)
            if far is None:
                with_pseudo_cases = [
                    stratum.with_points(points[rows], added[some, place])
                    for place, stratum in enumerate(strata)
                ]
            else:
                with_pseudo_cases = [
                    stratum.with_point(
                        np.clip(
                            mean[rows] + distance[rows] * far[some],
                            points[rows, :1],
                            points[rows, 1:],
                        ),
                        added[some, place, 0],
                    )
                    for place, (stratum, (mean, distance)) in enumerate(
                        zip(strata, outermost, strict=True)
                    )
                ]
            upper[rows, some] = variances_of_strata(with_pseudo_cases)

    def distribution(variances: Array) -> Quantiles:
        variances *= design.n
        deviations = form.from_sum(design.n, variances, centre, **statistic.parameters)
        return as_distribution(deviations, plan)

    return distribution(lower), distribution(upper)


def _outermost(values: Array, design: Design) -> list[tuple[Array, Array]]:
    """The mean of each stratum, and the signed distance of the farthest case, (S, 1) each."""
    strata = []
    counts = np.add.reduceat(design.unit_sizes, design.first_units)
    for first, cases in zip(design.first_cases[design.first_units], counts, strict=True):
        own = values[:, first : first + cases]
        mean = own.mean(axis=-1, keepdims=True)
        below = own.min(axis=-1, keepdims=True) - mean
        above = own.max(axis=-1, keepdims=True) - mean
        strata.append((mean, np.where(-below >= above, below, above)))
    return strata


@frozen
class PowerSums:
    """Weighted sums over the cases of a stratum, of some samples in some draws."""

    share: float  # Of the cases
    # (S, B): of deviations from the centre, and of their squares
    first: Array
    second: Array
    size: Array  # (B,): of weights

    def with_point(self, points: Array, sizes: Array) -> PowerSums:
        """Add a deviation to each draw, (S, B), with its weight, (B,)."""
        return PowerSums(
            self.share,
            self.first + points * sizes,
            self.second + points**2 * sizes,
            self.size + sizes,
        )

    def with_points(self, points: Array, sizes: Array) -> PowerSums:
        """Add deviations from the centre, (S, P), with their weights, (B, P)."""
        with np.errstate(over="ignore"):  # infinite, of values beyond 1e154
            return PowerSums(
                self.share,
                self.first + points @ sizes.T,
                self.second + points**2 @ sizes.T,
                self.size + sizes.sum(axis=-1),
            )


def variances_of_strata(strata: list[PowerSums]) -> Array:
    """Variances of the weighted distributions, in which each stratum has its share."""
    shape = strata[0].first.shape
    mean, square = np.zeros(shape), np.zeros(shape)
    for stratum in strata:
        each = stratum.share / stratum.size
        mean += each * stratum.first
        square += each * stratum.second
    with np.errstate(over="ignore", invalid="ignore"):  # of values beyond 1e154
        mean *= mean
        variances = square - mean
    endless = np.isinf(square)
    square *= ROUNDING
    np.copyto(variances, 0.0, where=variances <= square)
    np.copyto(variances, np.inf, where=endless)
    return np.asarray(variances)
