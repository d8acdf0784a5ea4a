"""Resampling of any statistic: replicates, standard errors, values without each unit.

Each question is answered by the engine of the form (`forms.engines`).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from halfwidth.core.forms import TIE_SHARE
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import Distribution, DrawnReplicates, Quantiles
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.exact.dirichlet_means import DirichletMeans
from halfwidth.resampling.exact.proportions import binomial, studentized_binomial
from halfwidth.resampling.forms import generic
from halfwidth.resampling.forms.contract import BothEnds, tie_size
from halfwidth.resampling.forms.engines import engine_for
from halfwidth.resampling.forms.evaluation import left_out_by, replicates_by
from halfwidth.resampling.forms.joint_resamples import OfCounts, gathered
from halfwidth.resampling.tails import as_distribution
from halfwidth.resampling.weights import pareto_places


def bootstrap_distribution(
    values: Array, design: Design, statistic: Statistic, plan: Plan, *, binary: bool = False
) -> Distribution:
    """The bootstrap distribution of a statistic of samples, exact where that is known."""
    # Samples, (S, n) or (S, k, n), stand in the canonical order of the design. Where values are 0
    # and 1 and the statistic is their mean, they are `binary`.
    if design.simple and binary:
        return binomial(values.sum(axis=-1), design.n)
    engine = engine_for(statistic)
    for find in (engine.exact_distribution, engine.drawn_distribution):
        exact = find(values, design, statistic, plan) if find else None
        if exact is not None:
            return exact
    return as_distribution(replicates(values, design, statistic, plan), plan)


def replicates(values: Array, design: Design, statistic: Statistic, plan: Plan) -> Array:
    """Replicates of a statistic on shared draws, shape (S, n) -> (S, B), in order of resamples."""
    return replicates_by(engine_for(statistic), values, design, statistic, plan)


def studentized_distribution(
    values: Array, design: Design, statistic: Statistic, plan: Plan, *, binary: bool = False
) -> Distribution:
    """Studentized replicates t* = (θ* - θ̂) / SE*, on the draws that the other bootstraps use."""
    # SE* is that of each resample under its design. Infinite where SE* = 0 and θ* ≠ θ̂; undefined
    # (NaN) where both are 0.
    if design.simple and binary:
        return studentized_binomial(values.sum(axis=-1), design.n)
    draw = engine_for(statistic).errors.studentized or generic.studentized
    return as_distribution(draw(values, design, statistic, plan), plan)


def has_standard_error(statistic: Statistic) -> bool:
    """Whether its standard error is known under any design."""
    return engine_for(statistic).errors.has_standard_error(statistic)


def standard_error(values: Array, design: Design, statistic: Statistic) -> Array:
    """SE of a statistic of each sample, (S, n) -> (S,); NaN where no stratum has two units."""
    return engine_for(statistic).errors.standard_error(values, design, statistic)


def model_error(values: Array, design: Design, statistic: Statistic) -> Array:
    """SE of a statistic of independent cases by its likelihood, (S, n) -> (S,)."""
    by_likelihood = engine_for(statistic).errors.model_error
    if by_likelihood is None:
        raise TypeError(f"{statistic.spec.name} has no likelihood")
    return by_likelihood(values, design, statistic)


def robust_error(values: Array, design: Design, statistic: Statistic) -> Array:
    """The SE that holds for few clusters too: the jackknife's over units of unequal weight.

    Without clusters and weights it is the usual one.
    """
    engine = engine_for(statistic)
    if design.sizes is None and not engine.weighs_cases(statistic):
        return engine.errors.standard_error(values, design, statistic)
    return jackknife_error(values, design, statistic)


def jackknife_error(values: Array, design: Design, statistic: Statistic) -> Array:
    """SE² = (G - 1)/G Σ (θ₋g - θ̂)² over G units, θ₋g the statistic without unit g (CR3).

    With strata θ₋g is compared with its mean over the stratum, whose weight falls by the unit that
    is left out: SE² = ((G - 1)/G)² Σₕ Gₕ/(Gₕ - 1) Σ_g (θ₋g - θ̄₋ₕ)². NaN where the statistic is
    undefined without some unit.
    """
    left_out = leave_one_out(values, design, statistic)
    share = (design.units - 1) / design.units
    if len(design.strata) == 1:
        with np.errstate(invalid="ignore"):  # a ratio without one unit may be infinite
            squares = (left_out - statistic(values)[:, None]) ** 2
        return np.asarray(np.sqrt(share * squares.sum(axis=-1)))
    return np.asarray(share * np.sqrt(design.variance_of_total(left_out)))


def has_weights(statistic: Statistic) -> bool:
    """Whether its distribution under Dirichlet weights is known."""
    dirichlet = engine_for(statistic).dirichlet
    return dirichlet is not None and dirichlet.known(statistic)


def weights_need_bounds(statistic: Statistic) -> bool:
    """Whether its pseudo-cases lie at the bounds of the metric."""
    dirichlet = engine_for(statistic).dirichlet
    return dirichlet is None or dirichlet.needs_bounds(statistic)


def weighted_distributions(
    values: Array, design: Design, statistic: Statistic, plan: Plan, pseudo_cases: PseudoCases
) -> BothEnds:
    """Distributions under Dirichlet weights, for the lower and the upper end of an interval."""
    dirichlet = engine_for(statistic).dirichlet
    if dirichlet is None:
        raise TypeError(f"{statistic.spec.name} has no distribution under Dirichlet weights")
    return dirichlet.both_ends(values, design, statistic, plan, pseudo_cases)


def knows_tails(law: Quantiles) -> bool:
    """Whether a distribution tells how likely a value lies beyond another (`tail_of`)."""
    return isinstance(law, DirichletMeans | DrawnReplicates)


def least_distances(values: Array, design: Design, *, paired: bool = False) -> Array:
    """The least distance of a pseudo-case that the data place, (S, n) -> (S,); of models, of each.

    Of two models on the same cases the larger one counts.
    """
    return pareto_places.least_distances(values, design, paired=paired)


def joint_resampling(
    records: Sequence[Array], design: Design, statistic: Statistic
) -> tuple[OfCounts, int]:
    """How counts of draws give resamples of K models, and how many numbers each resample takes."""
    from_counts = engine_for(statistic).errors.joint
    resample = None if from_counts is None else from_counts(records, design, statistic)
    if resample is None:
        resample = functools.partial(gathered, records, design, statistic)
    # Blocks of the counts of all resamples may be larger than what a cache holds.
    return resample, max(1, len(records) * design.n // 4)


def tie_tolerance(values: Array, statistic: Statistic) -> Array:
    """Differences of the statistic below this are rounding, per sample."""
    if not statistic.spec.of_records:
        return tie_size(values)
    size = np.abs(statistic(values))
    bounded = engine_for(statistic).bounded
    return np.asarray(TIE_SHARE * (np.fmax(size, 1.0) if bounded else size))


def leave_one_out(values: Array, design: Design, statistic: Statistic) -> Array:
    """The statistic without each unit (case or cluster) in turn: (S, n) -> (S, U)."""
    return left_out_by(engine_for(statistic), values, design, statistic)


def acceleration(values: Array, design: Design, statistic: Statistic) -> Array:
    """BCa's acceleration, Σd³ / (6 (Σd²)^1.5).

    d = mean of the leave-one-out values of the stratum minus each. They come from the pooled
    sample, which weighs strata by what is left of them; Davison & Hinkley (1997, section 5.3.2)
    delete within strata of fixed weight, and so need a factor. NaN where the jackknife variance
    vanishes, so that BCa is undefined there.
    """
    if design.n - design.unit_sizes.max() < statistic.spec.min_n or design.units < 2:
        return np.full(len(values), np.nan)
    left_out = leave_one_out(values, design, statistic)
    with np.errstate(invalid="ignore"):  # a ratio without one unit may be infinite
        deviation = design.stratum_means(left_out) - left_out
    return skewness_of(deviation, tie_tolerance(values, statistic))


def skewness_of(deviation: Array, tolerance: Array) -> Array:
    """Σd³ / (6 (Σd²)^1.5) of deviations, (S, U) -> (S,); NaN where none is above the tolerance."""
    scale = np.abs(deviation).max(axis=-1, keepdims=True)
    vanishes = scale[..., 0] <= tolerance
    with np.errstate(invalid="ignore", divide="ignore"):
        # Scaled first: the cubes of small deviations would underflow.
        scaled = deviation / scale
        squares = scaled * scaled
        skew = (squares * scaled).sum(axis=-1) / (6 * squares.sum(axis=-1) ** 1.5)
    return np.where(vanishes, np.nan, skew)


def jackknife_degrees(values: Array, design: Design, statistic: Statistic) -> Array:
    """Degrees of freedom of the χ² that varies as much as the jackknife's variance.

    ν = 2G/(κ - 1), κ the kurtosis of what leaving out each of G units changes: the variance of
    Σd² is G(κ - 1)(Σd²/G)², and that of a χ² with ν degrees of freedom 2/ν times its mean squared
    (Satterthwaite 1946). Normal units have κ = 3 and ν = G; where few units carry the difference of
    two models, little is known of its spread, however many do not. No less than 1, no more than
    units less strata. 1 where the statistic is undefined without some unit, NaN where no unit
    changes it.
    """
    most = float(design.degrees_of_freedom)
    if design.n - design.unit_sizes.max() < statistic.spec.min_n or most < 1:
        return np.full(len(values), np.nan)
    left_out = leave_one_out(values, design, statistic)
    with np.errstate(invalid="ignore"):
        deviation = design.stratum_means(left_out) - left_out
    return np.where(
        np.isfinite(left_out).all(axis=-1),
        degrees_of_squares(deviation, tie_tolerance(values, statistic), most),
        1.0,
    )


def degrees_of_squares(deviation: Array, tolerance: Array, most: float) -> Array:
    """2G/(κ - 1) of deviations, (S, G) -> (S,), from 1 to ``most``; NaN where all vanish."""
    scale = np.abs(deviation).max(axis=-1, keepdims=True)
    vanishes = scale[..., 0] <= tolerance
    with np.errstate(invalid="ignore", divide="ignore"):
        squares = (deviation / scale) ** 2
        excess = (squares**2).mean(axis=-1) / squares.mean(axis=-1) ** 2 - 1
        # Deviations of one size have no excess but that of rounding.
        degrees = 2 * deviation.shape[-1] / np.maximum(excess, 0.0)
    return np.where(vanishes, np.nan, np.clip(degrees, 1.0, most))
