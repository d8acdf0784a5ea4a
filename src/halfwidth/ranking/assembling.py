"""From measured families to rankings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from halfwidth.comparison.estimates import ChosenPairs, claims_of, estimates_of, together_of
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
from halfwidth.ranking.rank_sets import Flags, alike_groups, rank_bounds, square
from halfwidth.ranking.ranks import RankDistribution, rank_distribution, ranks_of
from halfwidth.ranking.schemes import AGGREGATE, of_scheme
from halfwidth.resampling.engine import replicates
from halfwidth.resampling.simultaneous import Pairs, all_pairs


@frozen
class RankingOptions:
    """How models are ranked, checked.

    Attributes
    ----------
    schemes : tuple of str
        Of `SCHEMES`, a ranking for each.
    margin : float
    top : int
    """

    schemes: tuple[str, ...]
    margin: float
    top: int


def ranked(
    family: MeasuredFamily, scheme: str, options: RankingOptions, settings: Settings
) -> Ranking:
    """The ranking of one family by one scheme."""
    _check_direction(family)
    family = of_scheme(family, scheme)
    jobs = list(family.jobs.values())
    estimates = estimate_jobs(jobs, settings.request, settings.plan)
    _check_defined(family, estimates)
    pairs = _ClaimedPairs(family, options.margin, settings)
    merits = pairs.sign * np.array([estimate.value for estimate in estimates])
    ranks = ranks_of(merits, options.margin)
    together, apart = pairs.sets()
    marginal = [pairs.sets_with(model)[model] for model in range(len(jobs))]
    distribution = rank_distribution(
        merits, pairs.sign * _replicates(jobs, settings), options.margin
    )
    models = [
        _model(name, estimate, rank, (together[place], marginal[place]))
        for place, (name, estimate, rank) in enumerate(
            zip(family.jobs, estimates, ranks.tolist(), strict=True)
        )
    ]
    models = _with_shares(models, distribution, options.top)
    order = np.argsort(-merits, kind="stable").tolist()
    names = list(family.jobs)
    position = {place: at for at, place in enumerate(order)}
    groups = [sorted(group, key=position.__getitem__) for group in alike_groups(apart)]
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
        _cautions([*estimates, *pairs.estimates], models, scheme),
    )


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


class _ClaimedPairs:
    """What is claimed of the pairs of models, and the sets of ranks that follow."""

    def __init__(self, family: MeasuredFamily, margin: float, settings: Settings) -> None:
        self.family, self.margin, self.settings = family, margin, settings
        self.names = list(family.jobs)
        self.places = all_pairs(len(self.names))
        self.estimates = estimates_of(
            [self._chosen(self.places)], settings, settings.request.level
        )[0]
        better = next(iter(family.jobs.values())).functional.metric.spec.better
        self.sign = 1.0 if better is Better.HIGHER else -1.0

    def sets(self) -> tuple[list[RankSet], Flags]:
        """Of all models, which hold together, and which models are told apart."""
        better, not_better = self._claims(np.ones(len(self.places), dtype=bool))
        return _rank_sets(better, not_better), better | better.T

    def sets_with(self, model: int) -> list[RankSet]:
        """Sets from the pairs of one model, of which that of this model holds by itself."""
        return _rank_sets(*self._claims((self.places == model).any(axis=-1)))

    def _chosen(self, places: Pairs) -> ChosenPairs:
        pairs = tuple((self.names[one], self.names[other]) for one, other in places.tolist())
        return ChosenPairs(self.family, pairs)

    def _claims(self, some: Flags) -> tuple[Flags, Flags]:
        """Who is claimed better than whom, and not better, by more than the margin."""
        places, level = self.places[some], self.settings.request.level
        chosen = self._chosen(places)
        estimates = [one for one, kept in zip(self.estimates, some, strict=True) if kept]
        claims = claims_of(chosen, estimates, self.settings, level, self.margin)
        better = self._square(places, claims)
        if self.margin == 0:
            return better, better.T
        # Intervals at the level of the first step hold together with all that stepdown claims.
        intervals = together_of(chosen, estimates, self.settings, level).intervals
        within = [(one.high <= self.margin, one.low >= -self.margin) for one in intervals]
        return better, self._square(places, np.array(within, dtype=bool))

    def _square(self, places: Pairs, claims: Flags) -> Flags:
        return square(places, claims if self.sign > 0 else claims[:, ::-1], len(self.names))


def _rank_sets(better: Flags, not_better: Flags) -> list[RankSet]:
    return [RankSet(low, high) for low, high in rank_bounds(better, not_better).tolist()]


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
    estimates: Sequence[Estimate], models: Sequence[RankedModel], scheme: str
) -> tuple[Caution, ...]:
    """The first of each code of the models and of their differences; and near ties."""
    raised = [one for estimate in estimates for one in estimate.cautions]
    unsettled = sum(model.rank_set.low < model.rank_set.high for model in models)
    if unsettled:
        raised.append(caution("HW851", count=unsettled, total=len(models)))
    by_code: dict[str, Caution] = {}
    for one in raised:
        # The last rank is no failure.
        if scheme == AGGREGATE or one.code != "HW103":
            by_code.setdefault(one.code, one)
    return tuple(by_code[code] for code in sorted(by_code))
