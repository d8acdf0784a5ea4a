"""Intervals of the differences of families: paired ones in batches, unpaired ones each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from halfwidth.comparison.families import MeasuredFamily
from halfwidth.comparison.pairing import common_functional, pair_job
from halfwidth.comparison.settings import Settings
from halfwidth.core.estimate import Estimate
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Level
from halfwidth.estimation.pipeline import Job, estimate_jobs
from halfwidth.estimation.resolve import Request
from halfwidth.estimation.unpaired import estimate_unpaired

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
    jobs = [pair_job(*one.jobs(pair), settings.effect) for one in chosen for pair in one.pairs]
    estimates = iter(estimate_jobs(jobs, request))
    return [tuple(next(estimates) for _ in one.pairs) for one in chosen]


def _unpaired(chosen: ChosenPairs, pair: Pair, request: Request, settings: Settings) -> Estimate:
    """Of models whose cases are independent of each other; cautions say whose cases they doubt."""
    jobs = chosen.jobs(pair)
    what = common_functional(*jobs)
    first, second = (
        replace(job, functional=replace(job.functional, metric=what.metric), label=name)
        for job, name in zip(jobs, pair, strict=True)
    )
    estimate = estimate_unpaired(first, second, request, settings.effect)
    return replace(estimate, label=chosen.family.label)
