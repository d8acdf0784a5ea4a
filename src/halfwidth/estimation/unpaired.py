"""Differences and ratios of two models that were measured on different cases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

import numpy as np

from halfwidth.core.cautions import Caution
from halfwidth.core.errors import OptionError
from halfwidth.core.forms import Effect, effect_of
from halfwidth.core.frozen import frozen
from halfwidth.core.kinds import Estimand, Need
from halfwidth.core.spec import MethodSpec, spec_of
from halfwidth.core.titles import statistic_title
from halfwidth.core.types import UNBOUNDED, Interval, Level
from halfwidth.estimation.caution_context import CautionContext
from halfwidth.estimation.caution_rules import interval_cautions
from halfwidth.estimation.choose import choose_unpaired
from halfwidth.estimation.differences import difference_functional
from halfwidth.estimation.pipeline import (
    Job,
    Law,
    around,
    by_itself,
    estimate_jobs,
    laws_of,
    method_for,
)
from halfwidth.estimation.records import Functional
from halfwidth.estimation.resolve import RULE, Request
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.compute import (
    Computed,
    Ingredients,
    apply,
    estimands,
    sample_ingredients,
    set_level,
)
from halfwidth.intervals.quantile import exact, exact_attained, semiparametric
from halfwidth.intervals.ranks import exact_ranks
from halfwidth.intervals.two_sample_ingredients import (
    OF_THE_LEVEL,
    compares,
    two_sample_ingredients,
)
from halfwidth.intervals.two_samples import mover
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.two_samples import Sample, TwoSamples
from halfwidth.results.estimate import Estimate

# Of either sample's own cautions those that doubt the cases, not its own interval; and that its
# interval extrapolates, which the difference then does too.
ABOUT_CASES = ("HW1", "HW2", "HW317", "HW4", "HW5")
# Designs whose samples need no word but that they are two.
UNPAIRED, INDEPENDENT = "unpaired", {"iid", "paired"}


def estimate_unpaired(
    first: Job, second: Job, request: Request, effect: Effect = "difference"
) -> Estimate:
    """The first of two jobs minus (over) the second, whose cases are independent of each other.

    Their labels say whose cases a caution is about. ``auto`` is what `choose_unpaired` takes. A
    method of one sample that cannot compare two makes an interval of each, and `mover` puts these
    together.
    """
    two = _Two.from_jobs(first, second, request, effect)
    return _estimate(two, two.at(request.level), request)


def law_of_unpaired(first: Job, second: Job, request: Request, effect: Effect) -> Law:
    """The intervals of `estimate_unpaired` at all levels."""
    two = _Two.from_jobs(first, second, request, effect)
    value = effect_of(two.own[0].value, two.own[1].value, effect)

    def ends(level: Level) -> tuple[float, float]:
        interval = two.at(level).interval
        return around(value, float(interval.low[0]), float(interval.high[0]))

    return Law.alone(ends)


# --------------------------------------------------------------------------- methods


def _method(jobs: tuple[Job, Job], request: Request, effect: Effect) -> MethodSpec:
    """The method that compares the samples."""
    functional = jobs[0].functional
    if request.method is None:
        unseen = request.failures == "unseen"
        return _mover() if unseen else choose_unpaired(functional, effect)
    method = request.method
    kinds = estimands(functional.statistic, binary=functional.binary)
    kinds |= {difference_functional(functional, effect).statistic.spec.estimand}
    if _compares(method, kinds, effect):
        _check_level(method, functional, request.level)
        return method
    if method.takes_two_samples:
        kinds = estimands(functional.statistic, binary=functional.binary)
        known = [one.name for one in METHODS if _compares(one, kinds, effect)]
        raise OptionError(
            f"method {method.name!r} makes no interval for the {effect} of two samples in "
            f"{statistic_title(functional.statistic)}; use auto, {', '.join(known)}, or a method "
            "of one sample"
        )
    for job in jobs:
        method_for(job, request)
    _check_level(method, functional, request.level)
    return _mover().putting_together(method)


def _check_level(method: MethodSpec, functional: Functional, level: Level) -> None:
    """Refuse intervals that may be of another level than the one asked for."""
    attains, bounds = (method.of_each or method).attains, functional.metric.spec.bounds
    few = 2
    if attains and attains(functional.statistic, bounds, few, level) != level:
        raise OptionError(
            f"method {method.name!r}: the two samples need intervals of one level, and its own "
            f"may differ in level; use auto, or {_mover().name}:{semiparametric.__name__}"
        )


def _mover() -> MethodSpec:
    return METHODS[mover.__name__]


def _compares(method: MethodSpec, kinds: AbstractSet[Estimand], effect: Effect) -> bool:
    fits_effect = effect == "difference" or Need.EFFECT in method.needs or method.resamples
    return compares(method) and bool(method.accepts & kinds) and fits_effect


def _own_estimates(
    jobs: tuple[Job, Job], request: Request, method: MethodSpec
) -> tuple[Estimate, ...]:
    """Either sample's own estimate, at the same level and by the method that is put together."""
    own = _by_method(jobs, request, method.of_each)
    out_of_reach = any(
        one.method_spec.function in (exact, exact_attained)
        and any(
            exact_ranks(one.n, one.statistic_spec.quantile_level, side) is None
            for side in _sides(request.level)
        )
        for one in own
    )
    if method.takes_intervals and method.of_each is None and out_of_reach:
        # Intervals of other levels make none of the level asked for; those of an approximation do.
        return estimate_jobs(jobs, replace(request, method=spec_of(semiparametric)))
    return own


def _by_method(
    jobs: tuple[Job, Job], request: Request, method: MethodSpec | None
) -> tuple[Estimate, ...]:
    """Either sample's estimate; where ``auto`` chose, by what stands in where there is none."""
    estimates = estimate_jobs(jobs, replace(request, method=method))
    if request.method is not None or method is None or method.instead is None:
        return estimates
    instead = replace(request, method=spec_of(method.instead))
    return tuple(
        estimate_jobs([job], instead)[0] if math.isnan(one.low + one.high) else one
        for job, one in zip(jobs, estimates, strict=True)
    )


def _sides(level: Level) -> tuple[Level, ...]:
    """The levels of the intervals of either sample: a bound needs one of each kind."""
    if level.alternative == "two-sided":
        return (level,)
    return replace(level, alternative="lower"), replace(level, alternative="upper")


def _titled(method: MethodSpec, own: Sequence[Estimate]) -> MethodSpec:
    """A method that puts intervals together, with the name of those that these are."""
    if not method.takes_intervals or method.of_each is not None:
        return method
    one, other = (estimate.method_spec for estimate in own)
    if one is other or one.name == other.name:
        return method.putting_together(one)
    return replace(method, title=f"{method.title} of {one.title} and {other.title}")


# --------------------------------------------------------------------------- intervals


@frozen(eq=False)
class _Two:
    """Two samples, and what intervals of their difference at any level are made of."""

    jobs: tuple[Job, Job]
    own: tuple[Estimate, ...]  # Of either sample, at the level of the request
    method: MethodSpec
    effect: Effect
    laws: tuple[Law, Law]  # Of either sample
    each: tuple[Ingredients, Ingredients]
    ingredients: Ingredients
    clip: bool

    @classmethod
    def from_jobs(cls, first: Job, second: Job, request: Request, effect: Effect) -> _Two:
        """Two samples from two jobs, by the method that compares them."""
        jobs = by_itself(first), by_itself(second)
        method = _method(jobs, request, effect)
        own = _own_estimates(jobs, request, method)
        of_each = replace(request, method=method.of_each)
        first_law, second_law = laws_of(jobs, own, of_each)
        plan = Plan(request.seed, request.n_resamples, kept={}, threads=request.threads)
        each = _ingredients(jobs[0], plan), _ingredients(jobs[1], plan)
        samples = TwoSamples(_sample(jobs[0]), _sample(jobs[1]), effect)
        ingredients = two_sample_ingredients(samples, each, plan)
        clip = request.method is None
        return cls(jobs, own, method, effect, (first_law, second_law), each, ingredients, clip)

    def at(self, level: Level) -> Computed:
        """The interval of the difference at a level."""
        for job, one in zip(self.jobs, self.each, strict=True):
            if not job.records.design.simple:
                set_level(one, job.records.design, level)
        recipes = {need: self.ingredients.recipes[need] for need in OF_THE_LEVEL}
        self.ingredients.take(recipes | {Need.BOTH_INTERVALS: lambda: self._own_intervals(level)})
        functional = difference_functional(self.jobs[0].functional, self.effect)
        in_logarithms = self.effect == "ratio" and self.method.resamples
        n = sum(job.records.design.n for job in self.jobs)
        bounds = functional.statistic.range(functional.metric.spec.bounds, n)
        statistic_range = UNBOUNDED if in_logarithms else bounds
        computed = apply(self.method, self.ingredients, level, statistic_range, clip=self.clip)
        return _from_logarithms(computed) if in_logarithms else computed

    def _own_intervals(self, level: Level) -> tuple[Interval, Interval]:
        """Both bounds of either sample."""
        lower = upper = level
        if level.alternative != "two-sided":
            lower, upper = replace(level, alternative="lower"), replace(level, alternative="upper")
        first, second = (
            Interval.of([law.ends(lower)[0]], [law.ends(upper)[1]], [one.standard_error])
            for law, one in zip(self.laws, self.own, strict=True)
        )
        return first, second


def _sample(job: Job) -> Sample:
    return Sample(job.records.arranged, job.records.design, job.functional.statistic)


def _ingredients(job: Job, plan: Plan) -> Ingredients:
    functional, records = job.functional, job.records
    return sample_ingredients(
        records.arranged[None],
        records.design,
        functional.statistic,
        bounds=functional.metric.spec.bounds,
        plan=plan,
        binary=functional.binary,
    )


def _from_logarithms(computed: Computed) -> Computed:
    """Bounds of a ratio; its standard error stays that of its logarithm."""
    interval = computed.interval
    with np.errstate(over="ignore"):
        low, high = np.exp(interval.low), np.exp(interval.high)
    return replace(computed, interval=Interval(low, high, interval.standard_error))


# --------------------------------------------------------------------------- the estimate


def _estimate(two: _Two, computed: Computed, request: Request) -> Estimate:
    own, effect, method = two.own, two.effect, _titled(two.method, two.own)
    first, second = two.jobs
    functional = difference_functional(first.functional, effect)
    value = effect_of(own[0].value, own[1].value, effect)
    defined = not np.isnan(value)
    groups = [job.records.n_groups or 0 for job in two.jobs]
    n_each = tuple(job.records.n_cases for job in two.jobs)
    weights = [job.records.n_effective or 0.0 for job in two.jobs]
    designs = {job.records.design_name for job in two.jobs}
    n_resamples, drawn = computed.n_resamples, method.resamples
    if method.takes_intervals:
        n_resamples = max(one.n_resamples or 0 for one in own) or None
        drawn = any(one.seed is not None for one in own)
    low, high = float(computed.interval.low[0]), float(computed.interval.high[0])
    low, high = around(value, low, high) if defined else (math.nan, math.nan)
    estimate = Estimate(
        value=value,
        low=low,
        high=high,
        level=request.level,
        metric_spec=functional.metric,
        statistic_spec=functional.statistic,
        method_spec=method,
        n=sum(n_each),
        n_each=n_each,
        n_groups=sum(groups) if all(groups) else None,
        n_effective=sum(weights) if all(weights) else None,
        design=UNPAIRED if len(designs) > 1 or INDEPENDENT & designs else designs.pop(),
        over=first.records.over,
        n_missing=sum(job.records.n_missing for job in two.jobs),
        missing=request.missing,
        n_not_applicable=sum(job.n_not_applicable for job in two.jobs),
        label=first.label if first.label == second.label else "",
        by=first.by,
        average=first.average,
        standard_error=float(computed.interval.standard_error[0]),
        n_resamples=n_resamples,
        n_undefined=int(computed.n_undefined[0]),
        seed=request.seed if drawn else None,
        rule=RULE if request.method is None else None,
    )
    context = CautionContext(
        estimate,
        chosen=request.method is None,
        clipped=bool(computed.clipped[0]),
        infinite=bool(computed.infinite[0]),
    )
    cautions = [*_about_cases(own), *interval_cautions(context)]
    return replace(estimate, cautions=tuple(sorted(cautions, key=lambda one: one.code)))


def _about_cases(own: Sequence[Estimate]) -> list[Caution]:
    """Cautions about the cases of either sample, which say whose they are."""
    cautions, labels = {}, {estimate.label for estimate in own}
    for place, estimate in zip(("first", "second"), own, strict=True):
        for one in estimate.cautions:
            if one.code.startswith(ABOUT_CASES):
                whose = estimate.label if len(labels) > 1 else f"the {place} sample"
                cautions[one.code, one.message] = one.said_of(whose)
    return list(cautions.values())
