"""Dirichlet intervals of several differences that hold together: at which level each is to be made.

All models share the weights of the cases, and the pseudo-cases of each lie at either bound of the
metric, independently of those of the others. Any two models then have the pseudo-pairs at the
corners of both ranges that their own interval has, and all differences together have one
distribution. How far out its draws lie says which intervals hold together (`joint_tails`).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from halfwidth.core import rng
from halfwidth.core.forms import Effect
from halfwidth.core.frozen import frozen
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array, Level
from halfwidth.resampling.designs import Design
from halfwidth.resampling.dirichlet_weights import unit_weights
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.differences import weighted_in_pairs
from halfwidth.resampling.forms.engines import engine_for
from halfwidth.resampling.gammas import gammas
from halfwidth.resampling.joint_tails import Tails, Together
from halfwidth.resampling.pair_claims import Claims

# Pseudo-cases of a mass are drawn one after the other, each with its share of what is left. After
# so many for each unit of the mass, and one, less than a millionth is.
PSEUDO_CASES_PER_MASS = 14
# Draws of pairs that are sorted at a time. No result depends on it.
ELEMENTS_AT_A_TIME = 2**18


@frozen(eq=False)
class JointDraws:
    """A statistic of several models under the same weights, and how far out draws of a pair lie.

    Attributes
    ----------
    lower, upper : pair of ndarray, each (K, B)
        For the lower and for the upper end of intervals: of each model where it is the first of a
        pair, and where it is the second; or of the first and of the second of each pair.
    pairs : ndarray of int, shape (P, 2)
    effect : {"difference", "ratio"}
        First minus second, or first over second.
    degrees_of_freedom : float
        Of the cases: how well they know the spread of the draws.
    """

    lower: tuple[Array, Array]
    upper: tuple[Array, Array]
    pairs: NDArray[np.intp]
    effect: Effect = "difference"
    degrees_of_freedom: float = math.inf

    @property
    def n_draws(self) -> int:
        """B."""
        return int(self.lower[0].shape[-1])

    def contrasts(self, places: int | slice) -> tuple[Array, Array]:
        """Differences or ratios of pairs, for the lower and for the upper end: both (..., B)."""
        lower = self._contrasts(places, *self.lower)
        return lower, lower if self.upper is self.lower else self._contrasts(places, *self.upper)

    def _contrasts(self, places: int | slice, of_first: Array, of_second: Array) -> Array:
        first, second = self.pairs[places].T
        if self.effect == "difference":
            return np.asarray(of_first[first] - of_second[second])
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(of_first[first] / of_second[second])

    def together(self, level: Level) -> Together:
        """At which level the intervals of all pairs hold together, and how far they must reach."""
        return self.tails(level).together()

    def stepdown(self, level: Level, margin: float = 0.0) -> Claims:
        """Which differences lie beyond ±margin, or not, with all that is claimed true at the level.

        As `StudentizedDifferences.stepdown`: sides that are claimed no longer count, so that the
        others may leave more beyond them.
        """
        return self.tails(level, margin).stepdown()

    def tails(self, level: Level, margin: float = 0.0) -> Tails:
        """All of the draws that claims about differences beyond ±margin rest on."""
        tails = Tails.empty(len(self.pairs), self.n_draws, level, margin, self.degrees_of_freedom)
        step = max(1, ELEMENTS_AT_A_TIME // self.n_draws)
        for start in range(0, len(self.pairs), step):
            part = slice(start, start + step)
            tails.fill(part, *self.contrasts(part))
        return tails


def draws_of_means(
    values: Array, pairs: NDArray[np.intp], design: Design, plan: Plan, pseudo_cases: PseudoCases
) -> JointDraws:
    """Draws of the means of per-case values.

    Parameters
    ----------
    values : ndarray, shape (K, n)
        Of each model, all in the canonical order of the same cases.
    pairs : ndarray of int, shape (P, 2)
        First minus second.
    design : Design
    plan : Plan
    pseudo_cases : PseudoCases
        The same at both bounds, for both ends.

    Examples
    --------
    >>> from halfwidth.core.types import Bounds
    >>> values = np.array([[0.9, 0.8, 0.7, 0.9], [0.8, 0.8, 0.5, 0.7], [0.8, 0.9, 0.7, 0.8]])
    >>> pairs = np.array([[0, 1], [0, 2], [1, 2]])
    >>> design, half = Design((4,), paired=True), PseudoCases.at_both(0.5, Bounds(0, 1))
    >>> draws = draws_of_means(values, pairs, design, Plan(1), half)
    >>> 0.95 < draws.together(Level(0.95)).level.confidence_level < 0.984
    True
    """
    means = weighted_means_of_models(values, design, plan, pseudo_cases)
    both = means, means
    return JointDraws(both, both, pairs, degrees_of_freedom=design.effective_degrees)


def draws_of_test_sets(
    records: Array,
    pairs: NDArray[np.intp],
    design: Design,
    statistic: Statistic,
    plan: Plan,
    pseudo_cases: PseudoCases,
    effect: Effect,
) -> JointDraws | None:
    """Draws of metrics of test sets, the same that give each pair its own interval.

    None for averages over classes, whose intervals combine those of the classes.
    """
    engine = engine_for(statistic)
    if engine.weighted_pairs is None:
        return None
    # Of the first and of the second of each pair; for upper ends only where these differ.
    lower, upper = np.empty((2, len(pairs), plan.n_resamples)), None
    for rows, places, ends in weighted_in_pairs(
        engine, records, pairs, design, statistic, plan, pseudo_cases
    ):
        if ends[0].classes is not None:
            return None
        if upper is None and ends[0] is not ends[1]:
            upper = lower.copy()
        for into, end in ((lower, ends[0]), (upper, ends[1])):
            if into is not None:
                into[0, rows] = end.first[places[:, 0], 0]
                into[1, rows] = end.second[places[:, 1], 0]
    of_lower = lower[0], lower[1]
    of_upper = of_lower if upper is None else (upper[0], upper[1])
    each = np.arange(len(pairs))
    pairs_of_rows = np.stack([each, each], axis=-1)
    return JointDraws(of_lower, of_upper, pairs_of_rows, effect, design.effective_degrees)


def weighted_means_of_models(
    values: Array, design: Design, plan: Plan, pseudo_cases: PseudoCases
) -> Array:
    """Means of K models under the same Dirichlet weights, (K, n) -> (K, B).

    Strata divide the mass of the pseudo-cases by their shares of the cases, and a pseudo-cluster
    weighs as many cases as the clusters of its stratum on average (`dirichlet_means`).
    """
    if pseudo_cases.low != pseudo_cases.high or len(set(pseudo_cases.low)) > 1:
        raise TypeError("pseudo-cases of several models are the same at both bounds")
    low, high = pseudo_cases.bounds.low, pseudo_cases.bounds.high
    totals = design.by_stratum(design.totals(values))
    sizes = design.by_stratum(design.unit_sizes.astype(float))
    means = np.zeros((len(values), plan.n_resamples))
    pseudo = [
        _pseudo_cases(len(values), size.sum() / design.n * sum(pseudo_cases.low), stratum, plan)
        for stratum, size in enumerate(sizes)
    ]
    for start, stop in plan.blocks(max(design.units, len(values))):
        weights = design.by_stratum(unit_weights(design, plan, start, stop))
        for total, size, own, (mass, at_high) in zip(totals, sizes, weights, pseudo, strict=True):
            added = size.mean() * mass[start:stop]
            of_pseudo = low + (high - low) * at_high[:, start:stop]
            share = size.sum() / design.n
            means[:, start:stop] += (
                share * (total @ own.T + added * of_pseudo) / (own @ size + added)
            )
    return means


def _pseudo_cases(models: int, mass: float, stratum: int, plan: Plan) -> tuple[Array, Array]:
    """What pseudo-cases weigh, (B,), and the share of it at the upper bound by model, (K, B).

    A Dirichlet process of this mass whose points are corners of the ranges of all models, in
    Sethuraman's (1994) order: each takes a Beta(1, mass) share of what is left.
    """
    weight = gammas(
        plan.entropy, ("weights of joint pseudo-cases", stratum), mass, plan.n_resamples
    )
    points = int(np.ceil(PSEUDO_CASES_PER_MASS * mass)) + PSEUDO_CASES_PER_MASS
    key = rng.derive_key(plan.entropy, "shares of joint pseudo-cases", stratum)
    kept = rng.uniforms(key, 0, plan.n_resamples, points) ** (1 / mass)
    left = np.cumprod(kept, axis=-1)
    left[:, -1] = 0.0
    shares = -np.diff(left, prepend=1.0, axis=-1)
    at_high = np.empty((models, plan.n_resamples))
    for model, into in enumerate(at_high):
        corner = rng.derive_key(plan.entropy, "corners of joint pseudo-cases", stratum, model)
        into[:] = (shares * rng.bits(corner, 0, plan.n_resamples, points)).sum(axis=-1)
    return weight, at_high
