"""Intervals of the differences of families: paired ones in batches, unpaired ones each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from halfwidth.comparison.pairing import common_functional, pair_job
from halfwidth.comparison.settings import Settings
from halfwidth.comparison.simultaneous import (
    Comparanda,
    Evidence,
    Simultaneous,
    bonferroni_intervals,
    evidence_of,
    simultaneous_intervals,
)
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Level
from halfwidth.data.families import MeasuredFamily
from halfwidth.estimation.pipeline import Job, estimate_jobs
from halfwidth.estimation.resolve import Request
from halfwidth.estimation.unpaired import estimate_unpaired
from halfwidth.resampling.engine import has_standard_error, standard_error
from halfwidth.resampling.joint.pair_claims import Flags
from halfwidth.results.estimate import Estimate

Pair = tuple[str, str]


@frozen(eq=False)
class ChosenPairs:
    """A family and which of its models are compared, the first of a pair with the second."""

    family: MeasuredFamily
    pairs: tuple[Pair, ...]

    def jobs(self, pair: Pair) -> tuple[Job, Job]:
        """Those of the two models."""
        return self.family.jobs[pair[0]], self.family.jobs[pair[1]]


def estimates_of(
    chosen: Sequence[ChosenPairs], settings: Settings, level: Level
) -> list[tuple[Estimate, ...]]:
    """The estimates of all pairs, by family; batches span the families."""
    request = replace(settings.request, level=level)
    if not settings.paired:
        return [
            tuple(_unpaired(one, pair, request, settings) for pair in one.pairs) for one in chosen
        ]
    jobs = [
        pair_job(*one.jobs(pair), settings.effect, pair) for one in chosen for pair in one.pairs
    ]
    estimates = iter(estimate_jobs(jobs, request))
    return [tuple(next(estimates) for _ in one.pairs) for one in chosen]


def together_of(
    chosen: ChosenPairs, estimates: Sequence[Estimate], settings: Settings, level: Level
) -> Simultaneous:
    """Intervals of a family that hold together; of unpaired models Bonferroni's."""

    def singles(own: Level) -> tuple[Estimate, ...]:
        return estimates_of([chosen], settings, own)[0]

    if not settings.paired:
        return bonferroni_intervals(level, estimates, singles)
    plan = replace(settings.plan, convolves=False)
    return simultaneous_intervals(_comparanda(chosen, settings), plan, level, estimates, singles)


def claim_evidence(
    chosen: ChosenPairs, estimates: Sequence[Estimate], settings: Settings, margin: float
) -> Evidence:
    """What claims about differences rest on; the estimates may be of some of the pairs."""
    level, plan = settings.request.level, replace(settings.plan, convolves=False)

    def singles(own: Level, some: Flags) -> tuple[Estimate, ...]:
        pairs = tuple(pair for pair, is_one in zip(chosen.pairs, some, strict=True) if is_one)
        return estimates_of([replace(chosen, pairs=pairs)], settings, own)[0]

    return evidence_of(_comparanda(chosen, settings), plan, level, estimates, singles, margin)


def error_of_cases(chosen: ChosenPairs, pair: Pair, settings: Settings) -> float:
    """The SE of a difference by its cases, without pseudo-cases; NaN where none is known."""
    if not settings.paired or settings.effect != "difference":
        return math.nan
    job = pair_job(*chosen.jobs(pair), settings.effect)
    statistic, records = job.functional.statistic, job.records
    if not has_standard_error(statistic):
        return math.nan
    return float(standard_error(records.arranged[None], records.design, statistic)[0])


def _comparanda(chosen: ChosenPairs, settings: Settings) -> Comparanda:
    jobs = chosen.family.jobs
    place = {name: at for at, name in enumerate(jobs)}
    pairs = np.array([[place[one], place[other]] for one, other in chosen.pairs], dtype=np.intp)
    first = next(iter(jobs.values()))
    records = [job.records for job in jobs.values()]
    return Comparanda(first.functional, records, pairs, settings.effect)


def _unpaired(chosen: ChosenPairs, pair: Pair, request: Request, settings: Settings) -> Estimate:
    """The difference of models on independent cases; cautions say whose cases they doubt."""
    jobs = chosen.jobs(pair)
    metric = common_functional(*jobs).metric
    first, second = (
        replace(job, functional=replace(job.functional, metric=metric), label=name)
        for job, name in zip(jobs, pair, strict=True)
    )
    estimate = estimate_unpaired(first, second, request, settings.effect)
    return replace(estimate, label=chosen.family.label)
