"""From measured families to comparisons: estimates, and what stands beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from halfwidth.comparison.families import MeasuredFamily
from halfwidth.comparison.pairing import common_functional, pair_job
from halfwidth.comparison.settings import Settings
from halfwidth.comparison.verdicts import equivalence_level, goal_result, verdict
from halfwidth.core.comparison import ComparedCases, Comparisons, Difference, GoalResult
from halfwidth.core.estimate import Estimate, subject_of
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Better
from halfwidth.core.types import Level
from halfwidth.estimation.pipeline import Job, estimate_jobs

Pair = tuple[str, str]


@frozen(eq=False)
class _Chosen:
    """A family and which of its models are compared."""

    family: MeasuredFamily
    pairs: tuple[Pair, ...]

    def jobs(self, pair: Pair) -> tuple[Job, Job]:
        """Those of the two models."""
        return self.family.jobs[pair[0]], self.family.jobs[pair[1]]


def compared(
    families: Sequence[MeasuredFamily], settings: Settings, notes: Sequence[str] = ()
) -> Comparisons:
    """All comparisons of all families."""
    chosen = [_Chosen(one, tuple(settings.pairs(list(one.jobs)))) for one in families]
    level = settings.request.level
    estimates = iter(_estimates(chosen, settings, level))
    differences = [
        [_difference(one.family, pair, next(estimates), settings) for pair in one.pairs]
        for one in chosen
    ]
    narrower = iter(_equivalence_estimates(chosen, settings))
    items = [
        replace(one, verdict=verdict(one, settings.margin, equivalence=next(narrower, None)))
        for family in differences
        for one in family
    ]
    return Comparisons(
        tuple(items),
        _goals(families, settings),
        tuple(notes),
        tuple(map(_cases, families)) if settings.keep_cases else (),
    )


# --------------------------------------------------------------------------- estimates


def _estimates(chosen: Sequence[_Chosen], settings: Settings, level: Level) -> tuple[Estimate, ...]:
    """Intervals of all differences, family after family; batches span the families."""
    jobs = [pair_job(*one.jobs(pair), settings.effect) for one in chosen for pair in one.pairs]
    return estimate_jobs(jobs, replace(settings.request, level=level))


def _equivalence_estimates(
    chosen: Sequence[_Chosen], settings: Settings
) -> list[tuple[float, float]]:
    """The intervals that show equivalence, where a margin is given and alpha allows them."""
    level = settings.request.level
    if settings.margin is None or level.alpha >= 0.5:
        return []
    estimates = _estimates(chosen, settings, equivalence_level(level))
    return [(estimate.low, estimate.high) for estimate in estimates]


def _goals(families: Sequence[MeasuredFamily], settings: Settings) -> tuple[GoalResult, ...]:
    """Each model alone against the goal."""
    goal = settings.goal
    if goal is None:
        return ()
    named = [(name, job) for one in families for name, job in one.jobs.items()]
    estimates = estimate_jobs([job for _, job in named], settings.request)
    return tuple(
        goal_result(name, estimate, goal)
        for (name, _), estimate in zip(named, estimates, strict=True)
    )


# --------------------------------------------------------------------------- differences


def _difference(
    family: MeasuredFamily, pair: Pair, estimate: Estimate, settings: Settings
) -> Difference:
    first, second = (family.jobs[name] for name in pair)
    what = common_functional(first, second)
    clustered = first.records.n_groups is not None
    over = first.records.over if clustered else ""
    return Difference(
        *pair,
        _value(first),
        _value(second),
        estimate,
        what.metric,
        settings.effect,
        settings.paired,
        family.n_unmatched,
        superiority=_superiority(family, pair, what.metric.spec.better),
        subject=subject_of(what.metric, what.statistic, first.average, over),
    )


def _value(job: Job) -> float:
    """The statistic or metric of one model."""
    return float(np.asarray(job.functional.statistic(job.records.arranged[None]))[0])


def _superiority(family: MeasuredFamily, pair: Pair, better: Better) -> float:
    """Share of cases in which the first model is better, ties half; NaN without a direction."""
    sign = {Better.HIGHER: 1, Better.LOWER: -1}.get(better, 0)
    first, second = (family.values.get(name) for name in pair)
    if first is None or second is None or not sign or not family.paired:
        return float("nan")
    return float((1 + np.sign(sign * (first - second)).mean()) / 2)


def _cases(family: MeasuredFamily) -> ComparedCases:
    job = next(iter(family.jobs.values()))
    return ComparedCases(
        family.values, job.functional.metric, family.by, family.groups, family.label
    )
