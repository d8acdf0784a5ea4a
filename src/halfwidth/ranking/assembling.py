"""From measured families to rankings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from halfwidth.comparison.families import MeasuredFamily
from halfwidth.comparison.settings import Settings
from halfwidth.core.cautions import Caution, caution
from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.estimate import Estimate, subject_of
from halfwidth.core.frozen import frozen
from halfwidth.core.ranking import RankedModel, Ranking, RankSet
from halfwidth.core.spec import Better, Estimand
from halfwidth.core.types import Array
from halfwidth.estimation.pipeline import Job, estimate_jobs
from halfwidth.ranking.claims import ClaimedPairs
from halfwidth.ranking.missing_values import WORST_RANK, applying, policies_disagree
from halfwidth.ranking.rank_sets import alike_groups
from halfwidth.ranking.ranks import RankDistribution, rank_distribution, ranks_of
from halfwidth.ranking.schemes import AGGREGATE, of_scheme
from halfwidth.resampling.engine import replicates


@frozen
class RankingOptions:
    """How models are ranked, checked.

    Attributes
    ----------
    schemes : tuple of str
        Of `SCHEMES`, a ranking for each.
    margin : float
    top : int
    worst_rank : bool
        Whether a missing value takes the last rank of its case.
    """

    schemes: tuple[str, ...]
    margin: float
    top: int
    worst_rank: bool = False


def ranked(
    family: MeasuredFamily, scheme: str, options: RankingOptions, settings: Settings
) -> Ranking:
    """The ranking of one family by one scheme."""
    _check_direction(family)
    under_policies = _ranks_under_policies(family, scheme, options.margin)
    cases = family.cases if settings.keep_cases else None
    family = of_scheme(family, scheme)
    jobs = list(family.jobs.values())
    estimates = estimate_jobs(jobs, settings.request, settings.plan)
    _check_defined(family, estimates)
    pairs = ClaimedPairs(family, options.margin, settings)
    merits = pairs.sign * np.array([estimate.value for estimate in estimates])
    ranks = ranks_of(merits, options.margin)
    together, better = pairs.sets()
    marginal = [pairs.sets_with(model)[model] for model in range(len(jobs))]
    distribution = rank_distribution(
        merits, pairs.sign * _replicates(jobs, settings), options.margin
    )
    models = [
        replace(
            _model(name, estimate, rank, (together[place], marginal[place])),
            n_missing=family.n_missing.get(name, 0),
        )
        for place, (name, estimate, rank) in enumerate(
            zip(family.jobs, estimates, ranks.tolist(), strict=True)
        )
    ]
    models = _with_shares(models, distribution, options.top)
    order = np.argsort(-merits, kind="stable").tolist()
    names = list(family.jobs)
    position = {place: at for at, place in enumerate(order)}
    groups = [sorted(group, key=position.__getitem__) for group in alike_groups(better | better.T)]
    groups.sort(key=lambda group: [position[place] for place in group])
    first = jobs[0]
    return Ranking(
        tuple(models[place] for place in order),
        subject_of(
            first.functional.metric,
            first.functional.statistic,
            first.average,
            "" if first.records.n_groups is None else first.records.over,
        ),
        scheme,
        options.margin,
        options.top,
        tuple(tuple(names[place] for place in group) for group in groups if len(group) > 1),
        _mean_tau(distribution),
        settings.request.seed,
        0 if distribution is None else len(distribution.taus),
        family.n_unmatched,
        _cautions(
            [*estimates, *pairs.estimates],
            models,
            scheme,
            policies_disagree(under_policies, family.n_missing),
        ),
        tuple((names[one], names[other]) for one in order for other in order if better[one, other]),
        cases,
        WORST_RANK if options.worst_rank else settings.request.missing,
        under_policies,
    )


def _ranks_under_policies(
    family: MeasuredFamily, scheme: str, margin: float
) -> dict[str, dict[str, int]]:
    """The rank of each model under each policy for missing values."""
    found = {}
    for policy, measured in applying(family.policies, scheme).items():
        jobs = of_scheme(measured, scheme).jobs
        merits = np.array([_merit(job) for job in jobs.values()])
        found[policy] = dict(zip(jobs, ranks_of(merits, margin).tolist(), strict=True))
    return found


def _merit(job: Job) -> float:
    """The statistic of a model, turned so that more is better."""
    value = float(job.functional.statistic(job.records.arranged[None])[0])
    return value if job.functional.metric.spec.better is Better.HIGHER else -value


def _check_direction(family: MeasuredFamily) -> None:
    functional = next(iter(family.jobs.values())).functional
    better, statistic = functional.metric.spec.better, functional.statistic.spec
    if statistic.estimand is Estimand.SPREAD:
        raise OptionError(
            f"neither a higher nor a lower {statistic.title} is better by itself, so it ranks no "
            "models; take a mean, a median or a quantile (statistic=, --statistic)"
        )
    if better not in (Better.HIGHER, Better.LOWER):
        where = f"{family.label}: " if family.label else ""
        raise OptionError(
            f"{where}nothing says whether higher or lower values are better, as a ranking must "
            "know; name the metric (metric=, --metric), or the direction of one of your own "
            "(MetricSpec(name, better=...), --better)"
        )


def _check_defined(family: MeasuredFamily, estimates: Sequence[Estimate]) -> None:
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
            "count as (undefined=, --undefined)"
        )


def _model(name: str, estimate: Estimate, rank: int, sets: tuple[RankSet, RankSet]) -> RankedModel:
    """A model, whose rank on these cases its sets contain."""
    together, marginal = (RankSet(min(one.low, rank), max(one.high, rank)) for one in sets)
    return RankedModel(name, estimate, rank, together, marginal)


def _replicates(jobs: Sequence[Job], settings: Settings) -> Array:
    """The values of all models on the same resamples, (K, B)."""
    return np.stack(
        [
            replicates(
                job.records.arranged[None],
                job.records.design,
                job.functional.statistic,
                settings.plan,
            )[0]
            for job in jobs
        ]
    )


def _with_shares(
    models: Sequence[RankedModel], distribution: RankDistribution | None, top: int
) -> list[RankedModel]:
    if distribution is None:
        return list(models)
    tops = distribution.top(top).tolist()
    return [
        replace(model, shares=tuple(shares), top_share=of_top)
        for model, shares, of_top in zip(models, distribution.shares.tolist(), tops, strict=True)
    ]


def _mean_tau(distribution: RankDistribution | None) -> float:
    if distribution is None:
        return math.nan
    defined = distribution.taus[np.isfinite(distribution.taus)]
    return float(defined.mean()) if len(defined) else math.nan


def _cautions(
    estimates: Sequence[Estimate],
    models: Sequence[RankedModel],
    scheme: str,
    further: Sequence[Caution],
) -> tuple[Caution, ...]:
    """The first of each code of the models and of their differences; near ties and others."""
    raised = [*(one for estimate in estimates for one in estimate.cautions), *further]
    unsettled = sum(model.rank_set.low < model.rank_set.high for model in models)
    if unsettled:
        raised.append(caution("HW851", count=unsettled, total=len(models)))
    by_code: dict[str, Caution] = {}
    for one in raised:
        # The last rank is no failure.
        if scheme == AGGREGATE or one.code != "HW103":
            by_code.setdefault(one.code, one)
    return tuple(by_code[code] for code in sorted(by_code))
