"""Intervals of the differences of families: paired ones in batches, unpaired ones each."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from halfwidth.comparison.inference import FamilyInference
from halfwidth.comparison.joint_laws import Comparanda
from halfwidth.comparison.multiplicity import STEPDOWN
from halfwidth.comparison.p_values import inverted
from halfwidth.comparison.pairing import common_functional, pair_job
from halfwidth.comparison.settings import Settings
from halfwidth.core.forms import Effect
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Better
from halfwidth.core.types import Level
from halfwidth.estimation.pipeline import Job, Law, estimate_jobs, laws_of
from halfwidth.estimation.resolve import Request
from halfwidth.estimation.unpaired import estimate_unpaired, law_of_unpaired
from halfwidth.measuring.jobs import FamilyJobs
from halfwidth.resampling.engine import has_standard_error, standard_error
from halfwidth.resampling.joint.laws import Flags
from halfwidth.results.estimate import Estimate, turned_round

Pair = tuple[str, str]


@frozen(eq=False)
class ChosenPairs:
    """A family and which of its models are compared, the first of a pair with the second."""

    family: FamilyJobs
    pairs: tuple[Pair, ...]
    effect: Effect

    def jobs(self, pair: Pair) -> tuple[Job, Job]:
        """Jobs of the two models."""
        return self._jobs[pair[0]], self._jobs[pair[1]]

    @functools.cached_property
    def in_order(self) -> _InOrder:
        """The pairs in the order of the models' names."""
        return _InOrder.from_chosen(self)

    @functools.cached_property
    def _jobs(self) -> dict[str, Job]:
        """Jobs with the functional of the first model if it is the same: so pairs share draws.

        Functionals of test sets are made for each model, and equal ones are not known as such.
        """
        first, *_ = (one.functional for one in self.family.jobs.values())
        shared = first.statistic.spec.of_records
        return {
            name: replace(one, functional=first)
            if shared
            and (one.functional.metric, one.functional.binary) == (first.metric, first.binary)
            else one
            for name, one in self.family.jobs.items()
        }


@frozen(eq=False)
class _InOrder:
    """Pairs with the models of each by their names: results are the same whichever comes first."""

    chosen: ChosenPairs
    # Which pairs were given the other way round.
    turned: Flags

    @classmethod
    def from_chosen(cls, chosen: ChosenPairs) -> _InOrder:
        """Keep ratios, whose inverses have other standard errors, as they are given."""
        pairs = [
            pair if chosen.effect == "ratio" else (min(pair), max(pair)) for pair in chosen.pairs
        ]
        turned = [one != pair for one, pair in zip(pairs, chosen.pairs, strict=True)]
        return cls(replace(chosen, pairs=tuple(pairs)), np.array(turned, dtype=bool))

    @functools.cached_property
    def jobs(self) -> list[Job]:
        """The jobs of all pairs, which take as long to make as their intervals."""
        chosen = self.chosen
        return [pair_job(*chosen.jobs(pair), chosen.effect, pair) for pair in chosen.pairs]

    def as_given(self, estimates: Iterable[Estimate]) -> tuple[Estimate, ...]:
        """Estimates of pairs in order, turned where these were given the other way round."""
        return tuple(
            turned_round(one) if turned else one
            for one, turned in zip(estimates, self.turned, strict=True)
        )


def estimates_of(
    chosen: Sequence[ChosenPairs], settings: Settings, level: Level
) -> list[tuple[Estimate, ...]]:
    """The estimates of all pairs, by family; batches span the families."""
    request = replace(settings.request, level=level)
    in_order = [one.in_order for one in chosen]
    if not settings.paired:
        return [
            one.as_given(
                _unpaired(one.chosen, pair, request, settings) for pair in one.chosen.pairs
            )
            for one in in_order
        ]
    jobs = [job for one in in_order for job in one.jobs]
    estimates = iter(estimate_jobs(jobs, request))
    return [one.as_given(itertools.islice(estimates, len(one.turned))) for one in in_order]


def inference_of(
    chosen: ChosenPairs, estimates: Sequence[Estimate], settings: Settings
) -> FamilyInference:
    """What the comparisons of a family allow to say together, by the estimates of all pairs."""
    request, joint = settings.request, None
    in_order = chosen.in_order
    if settings.paired and settings.correction == STEPDOWN:
        plan = replace(settings.plan, convolves=False)
        comparanda = _comparanda(in_order.chosen, settings)
        joint = comparanda.joint_law(plan, request.level, estimates)
    inverses = [
        inverted(law.turned() if turned else law, estimate, request)
        for law, turned, estimate in zip(
            _laws(in_order, estimates, settings), in_order.turned, estimates, strict=True
        )
    ]
    first = next(iter(chosen.family.jobs.values()))
    return FamilyInference(
        inverses,
        np.array([_least_p(chosen, pair, settings) for pair in chosen.pairs]),
        request.level,
        settings.correction,
        settings.effect,
        -1 if first.functional.metric.spec.better is Better.LOWER else 1,
        joint and joint.turned(in_order.turned),
    )


def _laws(in_order: _InOrder, estimates: Sequence[Estimate], settings: Settings) -> Sequence[Law]:
    """The intervals of all pairs, in order, at all levels."""
    chosen, request = in_order.chosen, settings.request
    if settings.paired:
        return laws_of(in_order.jobs, in_order.as_given(estimates), request)
    effect = chosen.effect
    return [
        law_of_unpaired(*_named(chosen.jobs(pair), pair), request, effect) for pair in chosen.pairs
    ]


def _least_p(chosen: ChosenPairs, pair: Pair, settings: Settings) -> float:
    """The least two-sided p value of an exact test that exchanges the models of units."""
    one, other = (job.records.design.units for job in chosen.jobs(pair))
    if settings.paired:
        return min(2.0 ** (1 - one), 1.0)
    log_ways = math.lgamma(one + other + 1) - math.lgamma(one + 1) - math.lgamma(other + 1)
    return min(2 * math.exp(-log_ways), 1.0)


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
    first, second = _named(chosen.jobs(pair), pair)
    estimate = estimate_unpaired(first, second, request, settings.effect)
    return replace(estimate, label=chosen.family.label)


def _named(jobs: tuple[Job, Job], pair: Pair) -> tuple[Job, Job]:
    """Two jobs of one metric, by the names of their models."""
    metric = common_functional(*jobs).metric
    first, second = (
        replace(job, functional=replace(job.functional, metric=metric), label=name)
        for job, name in zip(jobs, pair, strict=True)
    )
    return first, second
