"""Rankings of measured families."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np

from halfwidth.arithmetic.ranks import ranks_of
from halfwidth.comparison.settings import Settings, orders_models
from halfwidth.core.cautions import Caution, caution
from halfwidth.core.errors import DataError, NoOrderError, OptionError
from halfwidth.core.formatting import counted
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import Door, current_door, spelled
from halfwidth.core.spec import Better, Estimand, Metric
from halfwidth.core.titles import subject_of
from halfwidth.core.types import Array
from halfwidth.data.case_values import WORST_RANK
from halfwidth.estimation.caution_rules import missing_caution
from halfwidth.estimation.pipeline import Job, by_itself, estimate_jobs
from halfwidth.measuring.jobs import FamilyJobs
from halfwidth.ranking.claims import ClaimedDifferences, ClaimedPairs
from halfwidth.ranking.missing_values import applying, policies_disagree
from halfwidth.ranking.rank_sets import Flags, alike_groups, with_rank
from halfwidth.ranking.ranking_options import RankingOptions
from halfwidth.ranking.ranks import RankDistribution, rank_distribution, shares_of
from halfwidth.ranking.schemes import (
    TESTS,
    WITHIN_CASES,
    combined_within_cases,
    sign_of,
    values_of_scheme,
)
from halfwidth.ranking.traces import Trace
from halfwidth.ranking.won_tests import WonTests
from halfwidth.resampling.engine import replicates
from halfwidth.results.estimate import Estimate
from halfwidth.results.ranking import RankedModel, Ranking, RankSet


def ranked(
    family: FamilyJobs,
    scheme: str,
    options: RankingOptions,
    settings: Settings,
    parts: Collection[int] = (),
    further: Sequence[FamilyJobs] = (),
    *,
    step: Callable[[], None],
) -> tuple[Ranking, Trace]:
    """The ranking of one family by one scheme, and what a consensus takes of it.

    ``parts``: how many rankings share the error probability, for each consensus that it is part of;
    ``further``: the same models and cases by other metrics, whose ranks within cases are combined.
    """
    for one in (family, *further):
        _check_direction(one)
    options = options.for_metric(next(iter(family.jobs.values())).functional.metric)
    under_policies: dict[str, dict[str, int]] = {}
    if not further:
        under_policies = _ranks_under_policies(family, scheme, options, settings)
    cases = family.cases if family.values else None
    metrics = metric_names(family, *further)
    if further:
        every = [family, *further]
        family = combined_within_cases(every, options.combining.combine, options.ties)
    else:
        family = values_of_scheme(family, scheme, options.ties)
    jobs = list(family.jobs.values())
    estimates = estimate_jobs([by_itself(job) for job in jobs], settings.request)
    _check_defined(family, estimates)
    contest = _contest(family, scheme, estimates, options, settings)
    merits, order, pairs, drawn = contest.merits, contest.order, contest.pairs, contest.drawn
    together, better = pairs.sets()
    distribution = rank_distribution(merits, drawn, options.margin)
    alone = []
    for place in range(len(jobs)):
        alone.append(pairs.set_of(place))
        step()
    sets = together, alone
    models = _models(family, scheme, estimates, contest, sets, distribution, options)
    names = list(family.jobs)
    # The groups of the first models come first.
    policy = WORST_RANK if options.worst_rank else settings.request.missing
    n_missing, missing_values = _missing(family, policy)
    groups, more_groups = alike_groups((better | better.T)[np.ix_(order, order)])
    near_ties = sum(one.rank_set.low < one.rank_set.high for one in models)
    ranking = Ranking(
        tuple(models[place] for place in order),
        contest.subject,
        scheme,
        options.margin,
        options.top,
        tuple(tuple(names[order[at]] for at in group) for group in groups if len(group) > 1),
        _mean_tau(distribution),
        settings.request.seed,
        0 if distribution is None else len(distribution.taus),
        family.n_unmatched,
        _cautions(
            [replace(one, label=name) for name, one in zip(family.jobs, estimates, strict=True)],
            pairs.estimates,
            [
                *missing_values,
                *contest.cautions,
                *policies_disagree(under_policies, family.n_missing),
                *[caution("HW851", count=near_ties, total=len(models))] * bool(near_ties),
                *_alike_in_print(models, better, options.margin),
            ],
            scheme,
        ),
        tuple((names[one], names[other]) for one in order for other in order if better[one, other]),
        cases,
        metrics=metrics,
        test=contest.test,
        ties=options.ties if scheme == WITHIN_CASES else "min",
        missing=policy,
        n_missing=n_missing,
        under_policies=under_policies,
        more_groups=more_groups,
    )
    claims = {part: pairs.claims(part) for part in parts}
    return ranking, Trace(tuple(names), merits, drawn, options.margin, claims, family.label)


@frozen(eq=False)
class _Contest:
    """What decides the order of the models of a family, larger merits being better."""

    subject: str
    merits: Array
    # Places of the models, the best first.
    order: list[int]
    pairs: ClaimedPairs
    # Merits on resamples, (K, B).
    drawn: Array
    test: str = ""
    cautions: Sequence[Caution] = ()


def _contest(
    family: FamilyJobs,
    scheme: str,
    estimates: Sequence[Estimate],
    options: RankingOptions,
    settings: Settings,
) -> _Contest:
    jobs = list(family.jobs.values())
    first = jobs[0].functional
    sign = sign_of(jobs[0])
    values = sign * np.array([estimate.value for estimate in estimates])
    over = "" if jobs[0].records.n_groups is None else jobs[0].records.over
    if scheme == TESTS:
        tests = WonTests(family, sign, settings)
        # Models with as many wins stand in the order of their values.
        order = np.lexsort((-values, -tests.wins)).tolist()
        drawn, test = tests.resampled_wins(), tests.results[0].name
        return _Contest(tests.subject, tests.wins, order, tests, drawn, test, tests.cautions)
    order = np.argsort(-values, kind="stable").tolist()
    pairs = ClaimedDifferences(family, order, sign, options.margin, settings)
    subject = subject_of(first.metric, first.statistic, jobs[0].average, over)
    return _Contest(subject, values, order, pairs, sign * _replicates(jobs, settings))


def metric_names(*families: FamilyJobs) -> tuple[str, ...]:
    """Metrics by name and the parameters that are bound: ``nsd:tolerance=3``."""
    return tuple(_name(next(iter(family.jobs.values())).functional.metric) for family in families)


def _name(metric: Metric) -> str:
    bound = [
        f"{parameter.name}={parameter.word(value)}"
        for parameter in metric.spec.parameters
        for value in [metric.parameters.get(parameter.name, parameter.default)]
        if value is not None and value != parameter.default
    ]
    bound += [f"{name}={text}" for name, text in metric.table_texts.items()]
    return ":".join(filter(None, [metric.spec.name, ",".join(bound)]))


def _ranks_under_policies(
    family: FamilyJobs, scheme: str, options: RankingOptions, settings: Settings
) -> dict[str, dict[str, int]]:
    """The rank of each model under each policy for missing values."""
    ranks = {}
    for policy, measured in applying(family.policies, scheme).items():
        jobs = values_of_scheme(measured, scheme, options.ties).jobs
        if scheme == TESTS:
            merits = WonTests(measured, sign_of(next(iter(jobs.values()))), settings).wins
        else:
            merits = np.array([sign_of(job) * job.value for job in jobs.values()])
        ranks[policy] = dict(zip(jobs, ranks_of(merits, options.margin).tolist(), strict=True))
    return ranks


def _check_direction(family: FamilyJobs) -> None:
    functional = next(iter(family.jobs.values())).functional
    better, statistic = functional.metric.spec.better, functional.statistic.spec
    if statistic.estimand is Estimand.SPREAD:
        raise NoOrderError(
            f"neither a higher nor a lower {statistic.title} is better by itself, so it ranks no "
            f"models; take a mean, a median or a quantile ({spelled('statistic')})"
        )
    if better in (Better.ZERO, Better.ONE):
        raise NoOrderError(
            f"{functional.metric.spec.called}: {better} is better, which does not order models "
            "when intervals lie on both sides of it; rank by a metric that is better "
            "lower or higher, such as ici, ece or brier"
        )
    if not orders_models(functional.metric):
        raise NoOrderError(
            f"neither a higher nor a lower {functional.metric.spec.called} is better by itself, so "
            "it ranks no models; rank by another metric"
        )
    if better not in (Better.HIGHER, Better.LOWER):
        where = f"{family.label}: " if family.label else ""
        own = spelled("better", "lower")
        if current_door() is Door.PYTHON:
            own = f"MetricSpec(name, {own})"
        raise OptionError(
            f"{where}nothing says whether higher or lower values are better, so which model is "
            f"better cannot be told; name the metric ({spelled('metric')}), or the direction of "
            f"one of your own ({own})"
        )


def _check_defined(family: FamilyJobs, estimates: Sequence[Estimate]) -> None:
    undefined = [
        name
        for name, estimate in zip(family.jobs, estimates, strict=True)
        if not math.isfinite(estimate.value)
    ]
    if undefined:
        where = f"{family.label}: " if family.label else ""
        raise DataError(
            f"{where}{estimates[0].metric} is undefined for {', '.join(undefined)}, which "
            "therefore cannot be ranked; leave these models out, or say what undefined values "
            f"count as ({spelled('undefined')})"
        )


def _models(
    family: FamilyJobs,
    scheme: str,
    estimates: Sequence[Estimate],
    contest: _Contest,
    sets: tuple[Sequence[RankSet], Sequence[RankSet]],
    distribution: RankDistribution | None,
    options: RankingOptions,
) -> list[RankedModel]:
    """The models in the order of the family, with their ranks and the sets of these."""
    ranks = ranks_of(contest.merits, options.margin).tolist()
    together, alone = sets
    return [
        RankedModel(
            name,
            estimate,
            rank,
            with_rank(together[place], rank),
            with_rank(alone[place], rank),
            *shares_of(distribution, place, options.top),
            n_missing=family.n_missing.get(name, 0),
            wins=int(contest.merits[place]) if scheme == TESTS else None,
        )
        for place, (name, estimate, rank) in enumerate(
            zip(family.jobs, estimates, ranks, strict=True)
        )
    ]


def _replicates(jobs: Sequence[Job], settings: Settings) -> Array:
    """The values of all models on the same resamples, (K, B)."""
    statistics = [job.functional.statistic for job in jobs]
    values, design = [job.records.arranged for job in jobs], jobs[0].records.design
    if all(one == statistics[0] for one in statistics):
        return replicates(np.stack(values), design, statistics[0], settings.plan)
    own = [
        replicates(one[None], design, statistic, settings.plan)
        for one, statistic in zip(values, statistics, strict=True)
    ]
    return np.concatenate(own)


def _mean_tau(distribution: RankDistribution | None) -> float:
    if distribution is None:
        return math.nan
    defined = distribution.taus[np.isfinite(distribution.taus)]
    return float(defined.mean()) if len(defined) else math.nan


def _missing(family: FamilyJobs, policy: str) -> tuple[int, list[Caution]]:
    """Number of cases in which values of some models are missing, and the caution about them."""
    every = {id(job.records.absent): job.records for job in family.jobs.values()}.values()
    absent = [records.absent for records in every if records.absent is not None]
    if not any(each.any() for each in absent):
        return 0, []
    together = np.concatenate(absent)
    raised = missing_caution(together, sum(records.n_infinite for records in every), policy)
    return int(together.any(axis=0).sum()), [raised]


def _alike_in_print(
    models: Sequence[RankedModel], better: Flags, margin: float
) -> Iterator[Caution]:
    """Models that are shown to be better by less than the digits of their values tell."""
    texts = [model.estimate.text_of(model.value) for model in models]
    alike = [
        (models[one], models[other])
        for one, other in zip(*np.nonzero(better), strict=True)
        if texts[one] == texts[other]
    ]
    if not alike or margin:
        return
    first, second = alike[0]
    yield caution(
        "HW854",
        first=first.name,
        second=second.name,
        difference=f"{abs(first.value - second.value):.1g}",
        value=first.estimate.text_of(first.value),
        more=f", and so {counted(len(alike) - 1, 'further pair')}" if len(alike) > 1 else "",
    )


def _cautions(
    estimates: Sequence[Estimate],
    differences: Sequence[Estimate],
    further: Sequence[Caution],
    scheme: str,
) -> tuple[Caution, ...]:
    """Cautions of models, others, and of differences; one that is not of all says whose."""
    of_all = {one.code for one in further}
    # The last rank is no failure.
    of_all |= {"HW103"} if scheme == WITHIN_CASES else set()
    # A share of failures that goes unseen is said of a model by itself.
    of_all.add("HW315")
    own = [one for one in _by_name(estimates) if one.code not in of_all]
    codes = of_all | {one.code for one in own}
    of_pairs = [one for one in _by_name(differences) if one.code not in codes]
    every = dict.fromkeys([*own, *further, *of_pairs])
    return tuple(sorted(every, key=lambda one: one.code))


def _by_name(estimates: Sequence[Estimate]) -> list[Caution]:
    """Cautions of models or pairs, with the name of each that the others do not share."""
    shared = Counter(one.message for estimate in estimates for one in estimate.cautions)
    return [
        one if 1 < shared[one.message] == len(estimates) else one.said_of(estimate.label)
        for estimate in estimates
        for one in estimate.cautions
    ]
