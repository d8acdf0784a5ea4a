"""A model against raters beside the raters against each other, on the same cases.

The agreement of a model with a person is to be read beside that of persons with each other (Reinke
et al. 2024, figure SN 2.17; Williams 1976): where raters differ, no model agrees with all of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from halfwidth.comparison.pairing import pair_job
from halfwidth.comparison.settings import Settings
from halfwidth.comparison.verdicts import verdict
from halfwidth.core.cautions import Caution, caution
from halfwidth.core.errors import shortened
from halfwidth.core.forms import ROUNDING, Contrast, PairAverages
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Estimand, Kind, Metric, Statistic
from halfwidth.core.titles import subject_of
from halfwidth.core.types import Array
from halfwidth.data.families import MeasuredFamily
from halfwidth.estimation.differences import difference_functional
from halfwidth.estimation.pipeline import Job, estimate_jobs
from halfwidth.estimation.records import NO_VALUES, Functional
from halfwidth.results.comparison import Difference
from halfwidth.results.comparison_words import equivalence_level
from halfwidth.results.estimate import Estimate

RATERS = "raters"
# With two raters there is one pair of them.
FEW_RATERS = 3
SHOWN = 3


@frozen
class Ratings:
    """Who is compared with whom: the model with each rater, and each rater with each other.

    Attributes
    ----------
    model : str
    raters : tuple of str
    """

    model: str
    raters: tuple[str, ...]

    @property
    def with_model(self) -> list[tuple[str, str]]:
        """The model's prediction, each rater as the reference."""
        return [(self.model, rater) for rater in self.raters]

    @property
    def among_raters(self) -> list[tuple[str, str]]:
        """Each rater as the prediction, each other one as the reference."""
        return list(itertools.permutations(self.raters, 2))

    def without(self, rater: str) -> Ratings:
        """The same without one of the raters."""
        return replace(self, raters=tuple(one for one in self.raters if one != rater))


def pair_name(prediction: str, reference: str) -> str:
    """What a pair is called as a model of a family: ``nnU-Net on A``."""
    return f"{prediction} on {reference}"


def against_raters(
    families: Sequence[MeasuredFamily], ratings: Ratings, settings: Settings
) -> tuple[Difference, ...]:
    """The model against raters minus (or over) rater against rater, of each family.

    Parameters
    ----------
    families : sequence of MeasuredFamily
        Whose models are pairs, by `pair_name`.
    ratings : Ratings
    settings : Settings
    """
    sides = [_Sides.from_family(family, ratings) for family in families]
    jobs = [one.job(settings) for one in sides]
    estimates = estimate_jobs(jobs, settings.request)
    level = settings.request.level
    narrower: Sequence[Estimate | None] = [None] * len(jobs)
    if settings.margin is not None and level.alpha < 0.5:
        request = replace(settings.request, level=equivalence_level(level))
        narrower = estimate_jobs(jobs, request)
    return tuple(
        _with_verdict(one.difference(estimate, settings), settings.margin, near)
        for one, estimate, near in zip(sides, estimates, narrower, strict=True)
    )


def _with_verdict(
    difference: Difference, margin: float | None, narrower: Estimate | None
) -> Difference:
    ends = None if narrower is None else (narrower.low, narrower.high)
    return replace(difference, verdict=verdict(difference, margin, equivalence=ends))


@frozen(eq=False)
class _Sides:
    """A family with the weights of its pairs on either side of the difference."""

    family: MeasuredFamily
    ratings: Ratings
    jobs: tuple[Job, ...]
    first: Array
    second: Array

    @classmethod
    def from_family(cls, family: MeasuredFamily, ratings: Ratings) -> _Sides:
        """Weights that add up to 1 on each side; of pairs given in one order only, that one."""
        model, raters = _weights(family, ratings)
        names = [*model, *raters]
        first = np.array([*model.values(), *(0.0 for _ in raters)])
        second = np.array([*(0.0 for _ in model), *raters.values()])
        return cls(family, ratings, tuple(family.jobs[name] for name in names), first, second)

    @property
    def linear(self) -> bool:
        """Whether the averages over pairs are means of averages of each case."""
        return self.jobs[0].functional.statistic.spec.estimand is Estimand.MEAN

    @property
    def values(self) -> Array:
        """The statistic or metric of each pair."""
        return np.array(
            [
                float(np.asarray(job.functional.statistic(job.records.arranged[None]))[0])
                for job in self.jobs
            ]
        )

    def job(self, settings: Settings) -> Job:
        """The difference as a functional of the records of all pairs."""
        cautions = tuple(
            dict.fromkeys(one for job in self.jobs for one in (*job.cautions, *self._cautions()))
        )
        if self.linear:
            job = pair_job(self._averaged(self.first), self._averaged(self.second), settings.effect)
            return replace(job, cautions=cautions, classes=None)
        job = self.jobs[0]
        functional = _functional_of_pairs(job.functional, self.first, self.second, settings)
        arranged = np.stack([one.records.arranged for one in self.jobs])
        records = replace(job.records, arranged=arranged, values=NO_VALUES, paired=True)
        # What there is to say of the classes of one pair is not said of all.
        return replace(job, functional=functional, records=records, cautions=cautions, classes=None)

    def _averaged(self, weights: Array) -> Job:
        """The job of the average of each case over the pairs of one side."""
        job = self.jobs[0]
        arranged = weights @ np.stack([one.records.arranged for one in self.jobs])
        records = replace(job.records, arranged=arranged, values=np.sort(arranged))
        what = job.functional
        # Averages of right and wrong are neither.
        spec = replace(what.metric.spec, kind=Kind.CONTINUOUS)
        functional = Functional(what.statistic, Metric(spec, what.metric.parameters))
        return replace(job, functional=functional, records=records)

    def difference(self, estimate: Estimate, settings: Settings) -> Difference:
        """The finished difference, without its verdict."""
        what, job = self.jobs[0].functional, self.jobs[0]
        over = job.records.over if job.records.n_groups is not None else ""
        values = self.values
        return Difference(
            self.ratings.model,
            RATERS,
            float(self.first @ values),
            float(self.second @ values),
            estimate,
            what.metric,
            settings.effect,
            n_unmatched=self.family.n_unmatched,
            subject=subject_of(what.metric, what.statistic, job.average, over),
        )

    def _cautions(self) -> Iterator[Caution]:
        """Pairs without a value, few raters, and a rater on whom the difference's sign rests."""
        raters, names, values = self.ratings.raters, self._names(), self.values
        undefined = [name for name, value in zip(names, values, strict=True) if np.isnan(value)]
        if undefined:
            count, total = len(undefined), len(names)
            yield caution("HW843", count=count, total=total, names=shortened(undefined, SHOWN))
        if len(raters) < FEW_RATERS:
            yield caution("HW841", names=" and ".join(raters))
            return
        of_pairs = dict(zip(names, values.tolist(), strict=True))
        whole = _point(of_pairs, self.family, self.ratings)
        rounding = ROUNDING * float(np.abs(values).max())
        for rater in raters:
            part = _point(of_pairs, self.family, self.ratings.without(rater))
            if part * whole < 0 and min(abs(part), abs(whole)) > rounding:
                yield caution("HW842", rater=rater, part=f"{part:+.2g}", whole=f"{whole:+.2g}")

    def _names(self) -> list[str]:
        model, raters = _weights(self.family, self.ratings)
        return [*model, *raters]


def _weights(
    family: MeasuredFamily, ratings: Ratings
) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """The weight of each pair on its side: each pair of people counts once."""
    model = {pair_name(*pair): 1 / len(ratings.raters) for pair in ratings.with_model}
    there = [pair for pair in ratings.among_raters if pair_name(*pair) in family.jobs]
    couples = {frozenset(pair) for pair in there}
    orders = {couple: sum(frozenset(pair) == couple for pair in there) for couple in couples}
    raters = {pair_name(*pair): 1 / (orders[frozenset(pair)] * len(couples)) for pair in there}
    return model, raters


def _point(values: Mapping[str, float], family: MeasuredFamily, ratings: Ratings) -> float:
    model, raters = _weights(family, ratings)
    first, second = (
        sum(weight * values[name] for name, weight in side.items()) for side in (model, raters)
    )
    return first - second


# --------------------------------------------------------------------------- any statistic


def _functional_of_pairs(
    functional: Functional, first: Array, second: Array, settings: Settings
) -> Functional:
    """A functional of the records of all pairs, (P, n) or (P, k, n)."""
    contrast = difference_functional(functional, settings.effect)
    spec = contrast.statistic.spec
    inner = functional.statistic.spec
    form = PairAverages(Contrast(inner, settings.effect), tuple(first), tuple(second))
    whole = replace(
        spec,
        name=f"{inner.name}_of_raters",
        function=_OfPairs(form),
        estimand=Estimand.OTHER,
        form=form,
        influence=None,
        pair_bounds=None,
    )
    return Functional(Statistic(whole, contrast.statistic.parameters), contrast.metric)


@frozen
class _OfPairs:
    """The contrast of the two averages over pairs."""

    form: PairAverages

    def __call__(self, pairs: Array, **parameters: float) -> Array:
        del parameters["axis"]  # the last one
        one = Statistic(self.form.contrast.statistic, parameters)
        values = np.stack([one(pairs[:, place]) for place in range(pairs.shape[1])], axis=1)
        return self.form.between(values, values)
