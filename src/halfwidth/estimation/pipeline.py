"""Estimates from checked samples: the same way for a single sample and a whole table."""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.cautions import Caution
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.metric_spec import PROPORTION
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Estimand, MethodSpec, Metric, MetricLevel, Need, Statistic
from halfwidth.core.titles import AVERAGE_WORDS, metric_title
from halfwidth.core.types import Array, Level
from halfwidth.core.undefined import WithoutResult
from halfwidth.estimation.batches import SampleGroup, intervals_by_method
from halfwidth.estimation.caution_context import BranchContext, CautionContext
from halfwidth.estimation.caution_rules import ROUNDING, cautions_for
from halfwidth.estimation.choose import (
    choose,
    choose_for_counts,
    if_unseen_failures,
)
from halfwidth.estimation.records import Functional, Records
from halfwidth.estimation.resolve import RULE, Request, check_accepts
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.compute import (
    ByLevel,
    apply,
    count_ingredients,
    estimands,
    samples_per_block,
    tails_of_null,
)
from halfwidth.intervals.quantile import exact as exact_method
from halfwidth.resampling.designs import arrange
from halfwidth.resampling.draws import Plan
from halfwidth.results.estimate import ConfidenceInterval, Estimate
from halfwidth.summaries.all_statistics import STATISTICS

if TYPE_CHECKING:
    from halfwidth.estimation.test_sets.class_context import ClassContext


@frozen(eq=False)
class Law:
    """The intervals of an estimate at all levels."""

    # From a level to its ends; NaN where there is none.
    ends: Callable[[Level], tuple[float, float]]
    # The same, where all estimates of a batch are asked for that level.
    with_others: Callable[[Level], tuple[float, float]]
    # From a value to the tail at which the end on its side lies on it, where that is known without
    # looking for it.
    tail_at: Callable[[float], float] | None = None

    @classmethod
    def alone(cls, ends: Callable[[Level], tuple[float, float]]) -> Law:
        """The law of an estimate that is in no batch."""
        return cls(ends, ends)

    def turned(self) -> Law:
        """The law of the difference of the same models the other way round."""
        tail_at = self.tail_at

        def turn(ends: Callable[[Level], tuple[float, float]], level: Level) -> tuple[float, float]:
            low, high = ends(level)
            return -high, -low

        return Law(
            functools.partial(turn, self.ends),
            functools.partial(turn, self.with_others),
            None if tail_at is None else lambda null: tail_at(-null),
        )


@frozen
class Job:
    """One row of a result: a functional of some records."""

    functional: Functional
    records: Records
    label: str = ""
    by: Mapping[str, Any] = field(default_factory=dict)
    # What the table already gives reason to doubt.
    cautions: tuple[Caution, ...] = ()
    # Why the metric does not exist for these cases, where that is known.
    no_value: str = ""
    # Rows left out because the metric does not apply to them.
    n_not_applicable: int = 0
    # Over classes, for metrics of a test set.
    average: str | None = None
    classes: ClassContext | None = None
    # Where missing policies stand side by side.
    without: WithoutResult | None = None
    matched: BranchContext | None = None
    # Where a model by itself is measured otherwise than among others: its PPV is a proportion of
    # the cases that it calls positive, which are not those of the other models.
    alone: Job | None = None

    @functools.cached_property
    def value(self) -> float:
        """The statistic or metric of all its cases."""
        return float(np.asarray(self.functional.statistic(self.records.arranged[None]))[0])


def by_itself(job: Job) -> Job:
    """A job as if its model were the only one: closed forms hold, and draws are its own.

    Where models are compared, cases stand in the order of their identities, not of their records.
    Images keep theirs: a detector by itself has them in it too.
    """
    if job.alone is not None:
        return replace(job.alone, label=job.label, by=job.by, cautions=job.cautions)
    records, design = job.records, job.records.design
    if job.matched is not None or not design.paired:
        return job
    arranged, design = arrange(
        records.arranged,
        None if design.sizes is None else design.unit_of_case,
        None if len(design.strata) == 1 else design.stratum_of_case,
        paired=records.arranged.ndim > 1,
    )
    return replace(job, records=replace(records, arranged=arranged, design=design))


def plan_of(request: Request) -> Plan:
    """How the bootstraps of a call are drawn, whatever their level."""
    return Plan(
        request.seed,
        request.n_resamples,
        kept=request.kept,
        threads=request.threads,
        convolves=not request.draws,
    )


def estimate_jobs(jobs: Sequence[Job], request: Request) -> tuple[Estimate, ...]:
    """Estimates of all jobs, in their order.

    Jobs that agree in everything but the values are computed as one batch on shared draws. The
    draws depend on the seed and the number of cases alone, so a job gives the same estimate in a
    table as it gives by itself. Calls of one request, at several levels too, share what it keeps.
    """
    plan = plan_of(request)
    methods = [method_for(job, request) for job in jobs]
    others = (_if_unseen(one, choose(one.functional, one.records, request.level)) for one in jobs)
    if request.failures != "seen" and jobs and not any(others):
        raise OptionError(
            f"{spelled('failures', request.failures)} has no effect: auto takes {methods[0].name} "
            "here; it tells seen from unseen failures only in means, and in SDs of one model, of "
            "metrics with finite bounds"
        )
    batches: dict[Any, list[int]] = defaultdict(list)
    for index, job in enumerate(jobs):
        batches[_kind(job)].append(index)
    estimates: dict[int, Estimate] = {}
    for indices in batches.values():
        batch, own = [jobs[i] for i in indices], [methods[i] for i in indices]
        estimates.update(zip(indices, _estimate_batch(batch, own, request, plan), strict=True))
    return tuple(estimates[index] for index in range(len(jobs)))


def _kind(job: Job) -> Hashable:
    """What jobs of one batch have in common."""
    functional = job.functional
    statistic = functional.statistic.spec, tuple(functional.statistic.parameters.items())
    return statistic, job.records.design, functional.metric.spec.bounds, functional.binary


def refuse_idle_draws(estimates: Sequence[Estimate], request: Request) -> None:
    """Refuse a number of resamples where the methods that were chosen draw none."""
    idle = all(one.n_resamples is None for one in estimates)
    if idle and request.draws and request.method is None:
        raise OptionError(
            f"{spelled('n_resamples', request.n_resamples)} has no effect: auto takes "
            f"{estimates[0].method} here, which draws nothing"
        )


def method_for(job: Job, request: Request) -> MethodSpec:
    """What ``auto`` takes for a job, or the method that was named, if it accepts the job."""
    functional, records = job.functional, job.records
    if request.method is None:
        chosen = choose(functional, records, request.level)
        allowing = _if_unseen(job, chosen) if request.failures == "unseen" else None
        return allowing or chosen
    quantity, metric = "", functional.metric
    if metric.spec.level is MetricLevel.SAMPLE:
        quantity = f"{AVERAGE_WORDS.get(job.average or '', '')} {metric_title(metric)}".strip()
    check_accepts(
        *(request.method, metric, functional.statistic),
        binary=functional.binary,
        design=records.design,
        quantity=quantity,
    )
    return request.method


def _if_unseen(job: Job, method: MethodSpec) -> MethodSpec | None:
    functional = job.functional
    return if_unseen_failures(method, functional.statistic.spec, functional.metric.spec.bounds)


def _estimate_batch(
    jobs: Sequence[Job], methods: Sequence[MethodSpec], request: Request, plan: Plan
) -> list[Estimate]:
    """Estimates of jobs of one functional and one design."""
    functional, design = jobs[0].functional, jobs[0].records.design
    samples, statistic = np.stack([job.records.arranged for job in jobs]), functional.statistic
    values = np.full(len(jobs), np.nan)
    if samples.shape[-1]:
        values = statistic(samples)
    if values.shape != (len(jobs),):
        raise OptionError(
            f"statistic {statistic.spec.name!r} returned shape {values.shape} for samples of "
            f"shape {samples.shape}; it must reduce the values of a sample to one number"
        )
    groups = intervals_by_method(
        functional,
        samples,
        methods,
        request.level,
        estimates=values,
        design=design,
        plan=plan,
        chosen=request.method is None,
        least=np.array([job.records.least_distance for job in jobs]),
        readings=request.failures == "both",
    )
    # The intervals of fallbacks come last, and hold.
    intervals = {row: (group, place) for group in groups for place, row in enumerate(group.rows)}
    return [
        _estimate(job, request, method, float(values[row]), *intervals[row])
        for row, (job, method) in enumerate(zip(jobs, methods, strict=True))
    ]


def _estimate(
    job: Job,
    request: Request,
    first_choice: MethodSpec,
    value: float,
    group: SampleGroup,
    place: int,
) -> Estimate:
    functional, records = job.functional, job.records
    method, computed = group.method, group.computed
    interval, other = computed.interval, group.if_unseen_failures
    unseen = None if other is None else (float(other.low[place]), float(other.high[place]))
    # A statistic that is undefined on the cases has no interval, whatever its resamples say.
    low, high = float(interval.low[place]), float(interval.high[place])
    low, high = around(value, low, high) if not math.isnan(value) else (math.nan, math.nan)
    drawn = computed.n_resamples is not None or Need.UNIFORM in method.needs
    estimate = Estimate(
        value=value,
        low=low,
        high=high,
        level=computed.level,
        asked=None if computed.level == request.level else request.level,
        metric_spec=functional.metric,
        statistic_spec=functional.statistic,
        method_spec=method,
        n=records.n_cases,
        n_groups=records.n_groups,
        n_effective=records.n_effective,
        design=records.design_name,
        over=records.over,
        n_missing=records.n_missing,
        missing=request.missing if job.without is None else job.without.policy,
        without_result=job.without,
        n_not_applicable=job.n_not_applicable,
        label=job.label,
        by=job.by,
        average=job.average,
        standard_error=float(interval.standard_error[place]),
        n_resamples=computed.n_resamples,
        n_undefined=int(computed.n_undefined[place]),
        seed=request.seed if drawn else None,
        rule=RULE if request.method is None else None,
        if_unseen_failures=None if unseen is None else ConfidenceInterval(*unseen),
    )
    if job.matched is not None:
        estimate = job.matched.estimate(estimate)
    proportion = Estimand.PROPORTION in estimands(functional.statistic, binary=functional.binary)
    context = CautionContext(
        estimate,
        records.values,
        records.n_infinite,
        records.absent,
        successes=float(records.values.sum()) if proportion else None,
        chosen=request.method is None,
        stands_in=method.name != first_choice.name,
        clipped=bool(computed.clipped[place]),
        infinite=bool(computed.infinite[place]),
        design=records.design,
        classes=job.classes,
        matched=job.matched,
        no_value=job.no_value,
    )
    cautions = [*job.cautions, *records.cautions, *cautions_for(context)]
    cautions = sorted(cautions, key=lambda item: item.code)
    return replace(estimate, cautions=tuple(cautions))


def laws_of(jobs: Sequence[Job], estimates: Sequence[Estimate], request: Request) -> list[Law]:
    """The intervals of jobs at all levels, by the methods that made their estimates.

    With failures of both kinds these are unions of both intervals.
    """
    batches: dict[Any, list[int]] = defaultdict(list)
    for index, (job, estimate) in enumerate(zip(jobs, estimates, strict=True)):
        batches[_kind(job), estimate.method_spec.name].append(index)
    laws: dict[int, Law] = {}
    for indices in batches.values():
        functional, design = jobs[indices[0]].functional, jobs[indices[0]].records.design
        method = [estimates[indices[0]].method_spec]
        step = samples_per_block(functional.statistic, design.n, method, plan_of(request))
        for start in range(0, len(indices), step):
            part = indices[start : start + step]
            of_part = [jobs[i] for i in part], [estimates[i] for i in part]
            laws.update(zip(part, _laws_of_batch(*of_part, request), strict=True))
    return [laws[index] for index in range(len(jobs))]


def _laws_of_batch(
    jobs: Sequence[Job], estimates: Sequence[Estimate], request: Request
) -> Iterator[Law]:
    """Laws of jobs of one functional, design and method, with what they share made once."""
    functional, records = jobs[0].functional, [job.records for job in jobs]
    values = np.array([one.value for one in estimates])
    samples, least = (
        np.stack([one.arranged for one in records]),
        np.array([one.least_distance for one in records]),
    )
    method = estimates[0].method_spec
    unseen = _if_unseen(jobs[0], method) if request.failures == "both" else None
    methods = [method] if unseen is None else [method, unseen]

    def level_of_rows(rows: slice) -> ByLevel:
        return ByLevel.from_samples(
            samples[rows],
            functional.statistic,
            bounds=functional.metric.spec.bounds,
            plan=plan_of(request),
            design=records[0].design,
            binary=functional.binary,
            estimates=values[rows],
            least=least[rows],
            clip=request.method is None,
            errors=False,
        )

    def ends_of(by_level: ByLevel, level: Level) -> tuple[Array, Array]:
        made = by_level.at(level, methods)
        if any(one.level != level for one in made):
            none = np.full(len(values), np.nan)
            return none, none
        low = np.min([one.interval.low for one in made], axis=0)
        return low, np.max([one.interval.high for one in made], axis=0)

    whole = level_of_rows(slice(None))
    of_all = functools.cache(functools.partial(ends_of, whole))
    tails = None if unseen is not None else tails_of_null(method, whole)
    tails = tails and functools.cache(tails)

    def law(row: int) -> Law:
        @functools.cache
        def own() -> ByLevel:
            alone = level_of_rows(slice(row, row + 1))
            return whole if len(values) == 1 else alone.sharing(whole, row)

        def ends(level: Level) -> tuple[float, float]:
            low, high = ends_of(own(), level)
            return around(values[row], float(low[0]), float(high[0]))

        def with_others(level: Level) -> tuple[float, float]:
            low, high = of_all(level)
            return around(values[row], float(low[row]), float(high[row]))

        return Law(ends, with_others, tails and (lambda null: float(tails(null)[row])))

    return (law(row) for row in range(len(values)))


def around(value: float, low: float, high: float) -> tuple[float, float]:
    """The ends of an interval; one that rounding alone parts from the estimate is the estimate."""
    ends = [abs(end) for end in (value, low, high) if math.isfinite(end)]
    slack = ROUNDING * max(ends, default=0.0)
    low = value if low - slack <= value < low else low
    return low, value if high < value <= high + slack else high


def estimate_counts(successes: int, n: int, request: Request) -> Estimate:
    """Estimate of a proportion known by its counts."""
    statistic = Statistic(STATISTICS["mean"])
    method = request.method or choose_for_counts()
    if not method.makes_for({Estimand.PROPORTION}):
        known = [spec.name for spec in METHODS if spec.makes_for({Estimand.PROPORTION})]
        hint = (
            "; the exact binomial one is clopper_pearson"
            if method.name == exact_method.__name__
            else ""
        )
        raise OptionError(
            f"method {method.name!r} makes no interval for a proportion known by its counts{hint}; "
            f"use auto, {', '.join(known)}"
        )
    ingredients = count_ingredients(np.array([float(successes)]), n)
    metric = Metric(PROPORTION)
    computed = apply(
        method, ingredients, request.level, PROPORTION.bounds, clip=request.method is None
    )
    interval = computed.interval
    estimate = Estimate(
        value=successes / n,
        low=float(interval.low[0]),
        high=float(interval.high[0]),
        level=request.level,
        metric_spec=metric,
        statistic_spec=statistic,
        method_spec=method,
        n=n,
        standard_error=float(interval.standard_error[0]),
        rule=RULE if request.method is None else None,
    )
    context = CautionContext(
        estimate,
        successes=float(successes),
        chosen=request.method is None,
        clipped=bool(computed.clipped[0]),
        infinite=bool(computed.infinite[0]),
    )
    return replace(estimate, cautions=cautions_for(context))
