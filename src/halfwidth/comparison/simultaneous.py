"""Intervals of all differences of a family that hold together: the way that fits the single ones.

- ``dirichlet_pareto``, ``dirichlet``: where all single intervals are such, these are made at the
  level at which all hold together.
- ``max_t``: where every resample knows its standard error.
- ``bonferroni``: the single intervals at 1 - α/m; where no resample has a standard error, where the
  single intervals are not made of resamples since these have a bias (calibration errors), and for a
  difference of which too many have none (models that agree in nearly all cases).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.forms import Effect
from halfwidth.core.frozen import frozen
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.spec import Estimand, Need, spec_of
from halfwidth.core.types import Array, Level
from halfwidth.estimation.records import Functional, Records
from halfwidth.resampling.draws import BLOCK_ELEMENTS, Plan
from halfwidth.resampling.engine import has_standard_error
from halfwidth.resampling.expansion import FEWEST_EXPANDED
from halfwidth.resampling.joint.dirichlet import (
    JointDraws,
    draws_of_means,
    draws_of_test_sets,
)
from halfwidth.resampling.joint.pair_claims import Claims, Flags
from halfwidth.resampling.joint.simultaneous import StudentizedDifferences, studentized_differences
from halfwidth.resampling.joint.tails import Tails, Together
from halfwidth.results.comparison import SimultaneousInterval
from halfwidth.results.estimate import Estimate

MAX_T, BONFERRONI = "max_t", "bonferroni"
NO_ENDS = (np.nan, np.nan)
# Estimates of all differences of the family at a level.
Singles = Callable[[Level], Sequence[Estimate]]


@frozen(eq=False)
class Comparanda:
    """Models of one family, and which of them are compared."""

    # Of each model.
    functional: Functional
    # All of the same cases in the same order.
    models: Sequence[Records]
    # First and second model of each comparison, (P, 2).
    pairs: NDArray[np.intp]
    effect: Effect = "difference"

    def studentized(self, plan: Plan) -> StudentizedDifferences | None:
        """Differences studentized on each resample; None where no standard error is known."""
        statistic, design = self.functional.statistic, self.models[0].design
        if not has_standard_error(statistic):
            return None
        records = [one.arranged for one in self.models]
        how = records, self.pairs, design, statistic, plan, self.effect
        if len(self.pairs) * plan.n_resamples > BLOCK_ELEMENTS:
            return studentized_differences(*how)
        # Ranks, intervals and verdicts rest on the same ones.
        of = statistic.spec, tuple(statistic.parameters.items()), self.effect, records[0].shape
        make = functools.partial(studentized_differences, *how)
        return plan.once(("studentized differences", *of), [*records, self.pairs], design, make)

    def weighted(self, pseudo_cases: PseudoCases, plan: Plan) -> JointDraws | None:
        """Differences under the same Dirichlet weights; None where those are not known together."""
        statistic, design = self.functional.statistic, self.models[0].design
        records = np.stack([one.arranged for one in self.models])
        if statistic.spec.is_mean_of_values:
            means = self.effect == "difference" and not self.functional.binary
            return (
                draws_of_means(records, self.pairs, design, plan, pseudo_cases) if means else None
            )
        return draws_of_test_sets(
            records, self.pairs, design, statistic, plan, pseudo_cases, self.effect
        )


@frozen(eq=False)
class Simultaneous:
    """Intervals that hold together, in the order of the comparisons, and the cautions of each."""

    intervals: tuple[SimultaneousInterval, ...]
    cautions: tuple[tuple[Caution, ...], ...]


def simultaneous_intervals(
    family: Comparanda, plan: Plan, level: Level, estimates: Sequence[Estimate], singles: Singles
) -> Simultaneous:
    """Intervals of all differences that hold together, none shorter than its own."""
    pseudo_cases = _pseudo_cases(family, estimates)
    draws = pseudo_cases and family.weighted(pseudo_cases, plan)
    if draws:
        return _dirichlet_intervals(draws.together(level), estimates, singles)
    studentized = None if _by_noise(estimates) else family.studentized(plan)
    if studentized is None:
        return bonferroni_intervals(level, estimates, singles)
    return _by_max_t(studentized, family.effect, level, estimates, singles)


@frozen(eq=False)
class Evidence:
    """What claims about the differences of a family rest on, drawn once for all of its pairs."""

    level: Level
    margin: float
    # Where all single intervals are Dirichlet intervals.
    tails: Tails | None
    # Else, where every resample knows its standard error.
    studentized: StudentizedDifferences | None
    # The share of the resamples on which a difference has none, (P,).
    without: Array
    # From a level and the places of some pairs to their intervals, (some, 2).
    singles: Callable[[Level, tuple[int, ...]], Array]

    def with_part(self, parts: int) -> Evidence:
        """The same for claims that leave all but one of so many parts of α to other families."""
        level = _share_of(self.level, parts)
        # What is drawn for a level is enough for a higher one.
        tails = self.tails and replace(self.tails, level=level)
        return replace(self, level=level, tails=tails)

    def claims(self, some: Flags) -> Claims:
        """Which differences lie beyond ±margin, all true at the level; ranks stand on it."""
        if self.tails is not None:
            return self.tails.subset(some).stepdown()
        # A pair that is alone among all pairs is alone among some, with no smaller a share. What
        # such pairs leave is for the others, so that no claim is lost where there are fewer pairs.
        kept_of_all = self.without <= self.level.alpha / len(some)
        alone = ~kept_of_all[some]
        better = np.zeros((len(alone), 2), dtype=bool)
        not_better = better.copy()
        shares = len(alone) if alone.all() else len(some)
        if self.studentized is not None and not alone.all():
            share = _share_of(self.level, shares, shares - int(alone.sum()))
            drawn = self.studentized.subset(some & kept_of_all).stepdown(share, self.margin)
            better[~alone], not_better[~alone] = drawn.better, drawn.not_better
        if alone.any():
            ends = np.full((len(some), 2), np.nan)
            places = np.flatnonzero(~kept_of_all)
            ends[places] = self.singles(_share_of(self.level, shares), tuple(places.tolist()))
            low, high = ends[some][alone].T
            better[alone] = np.stack([low > self.margin, high < -self.margin], axis=-1)
            within = np.stack([high <= self.margin, low >= -self.margin], axis=-1)
            not_better[alone] = within if self.margin else better[alone][:, ::-1]
        return Claims(better, not_better)


def evidence_of(
    family: Comparanda,
    plan: Plan,
    level: Level,
    estimates: Sequence[Estimate],
    singles: Callable[[Level, Flags], Sequence[Estimate]],
    margin: float,
) -> Evidence:
    """What claims about differences of a family rest on; ``estimates`` may be some of them."""
    # A single pair has its own interval, as in a comparison: there is nothing to hold together.
    several = len(family.pairs) > 1
    pseudo_cases = _pseudo_cases(family, estimates) if several else None
    draws = pseudo_cases and family.weighted(pseudo_cases, plan)
    # Of very few units the intervals reach further than their distribution; each has its share.
    few = draws and draws.expands and draws.degrees_of_freedom < FEWEST_EXPANDED - 1
    resampled = several and not draws and not _by_noise(estimates)
    studentized = family.studentized(plan) if resampled else None
    without = np.ones(len(family.pairs))
    if studentized is not None:
        without = _share_without_errors(studentized)

    @functools.cache
    def ends(own: Level, places: tuple[int, ...]) -> Array:
        some = np.zeros(len(family.pairs), dtype=bool)
        some[list(places)] = True
        return _bounds(singles(own, some))

    tails = draws.tails(level, margin) if draws and not few else None
    return Evidence(level, margin, tails, studentized, without, ends)


def bonferroni_intervals(
    level: Level, estimates: Sequence[Estimate], singles: Singles
) -> Simultaneous:
    """The single intervals at 1 - α/m, for models that were not measured on the same cases too."""
    wider = singles(_share_of(level, len(estimates)))
    intervals = _named(estimates, _bounds(wider), [BONFERRONI] * len(estimates))
    return Simultaneous(intervals, ((),) * len(estimates))


def _pseudo_cases(family: Comparanda, estimates: Sequence[Estimate]) -> PseudoCases | None:
    """Those of the single intervals, where all are Dirichlet intervals.

    Not where they reach further than the draws: sets and claims made of these would say more.
    """
    methods = {estimate.method_spec.name: estimate.method_spec for estimate in estimates}
    # Models that differ by the same in all cases take the fallback of the others' method.
    fallbacks = {spec_of(one.instead).name for one in methods.values() if one.instead}
    method, *others = sorted(methods.values(), key=lambda one: one.name in fallbacks)
    alike = all(one.name in fallbacks for one in others)
    if not (alike and method.pseudo_cases) or Need.JACKKNIFE_DEGREES in method.needs:
        return None
    bounds = family.functional.metric.spec.bounds
    spread = family.functional.statistic.spec.estimand is Estimand.SPREAD
    return method.pseudo_cases(bounds, paired=True, spread=spread, **dict(method.bound))


def _by_noise(estimates: Sequence[Estimate]) -> bool:
    """Whether single intervals allow for a bias that resamples would add to."""
    return any(Need.PAIRED_SIZES in one.method_spec.needs for one in estimates)


def _share_of(level: Level, comparisons: int, kept: int = 1) -> Level:
    """The level that leaves some of the comparisons their part of the error probability."""
    return Level(1 - level.alpha * kept / comparisons, level.alternative)


def _bounds(estimates: Sequence[Estimate]) -> Array:
    """Their ends; NaN where so few cases give none at the level asked for."""
    ends = [(one.low, one.high) if one.asked is None else NO_ENDS for one in estimates]
    return np.array(ends).reshape(-1, 2)


def _dirichlet_intervals(
    together: Together, estimates: Sequence[Estimate], singles: Singles
) -> Simultaneous:
    """At the level at which they hold together, and no shorter than the draws ask for."""
    bounds = _bounds(singles(together.level))
    if together.reach is not None:
        low, high = together.reach
        bounds = np.stack([np.fmin(bounds[:, 0], low), np.fmax(bounds[:, 1], high)], axis=-1)
    intervals = _named(estimates, bounds, [one.method for one in estimates])
    return Simultaneous(intervals, ((),) * len(estimates))


def _by_max_t(
    studentized: StudentizedDifferences,
    effect: Effect,
    level: Level,
    estimates: Sequence[Estimate],
    singles: Singles,
) -> Simultaneous:
    """Max-t of all differences that have a standard error on nearly all resamples."""
    comparisons = len(estimates)
    without = _share_without_errors(studentized)
    # One that has none on more than α/m of them would cost the others more than the α/m which it
    # gets as an interval of its own.
    kept = without <= level.alpha / comparisons
    bounds = np.full((comparisons, 2), np.nan)
    if kept.any():
        rest = studentized.subset(kept).bounds(_share_of(level, comparisons, int(kept.sum())))
        ends = np.stack([rest.low, rest.high], axis=-1)
        bounds[kept] = np.exp(ends) if effect == "ratio" else ends
        one_side = 0 if level.alternative != "upper" else 1
        kept[kept] = np.isfinite(ends[:, one_side])
    if not kept.all():
        bounds[~kept] = _bounds(singles(_share_of(level, comparisons)))[~kept]
    methods = [MAX_T if one else BONFERRONI for one in kept]
    cautions = tuple(
        () if one else (caution("HW815", share=share),)
        for one, share in zip(kept, without, strict=True)
    )
    return Simultaneous(_named(estimates, bounds, methods), cautions)


def _share_without_errors(studentized: StudentizedDifferences) -> Array:
    """The share of the resamples on which a difference has no standard error, of each."""
    return np.where(studentized.usable, studentized.infinite_share, 1.0)


def _named(
    estimates: Sequence[Estimate], bounds: Array, methods: Sequence[str]
) -> tuple[SimultaneousInterval, ...]:
    """No shorter than the single ones, and cut to the range."""
    intervals = []
    for estimate, (low, high), method in zip(estimates, bounds.tolist(), methods, strict=True):
        limits = estimate.range
        # A single interval that is undefined limits nothing.
        least = np.maximum(np.minimum(low, np.fmin(low, estimate.low)), limits.low)
        most = np.minimum(np.maximum(high, np.fmax(high, estimate.high)), limits.high)
        intervals.append(SimultaneousInterval(float(least), float(most), method, len(estimates)))
    return tuple(intervals)
