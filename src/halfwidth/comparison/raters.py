"""A model against raters beside the raters against each other, on the same cases.

The agreement of a model with a person is to be read beside that of persons with each other (Reinke
et al. 2024, figure SN 2.17; Williams 1976): where raters differ, no model agrees with all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from halfwidth.comparison.assembling import equivalence_ends, with_p_values
from halfwidth.comparison.inference import FamilyInference
from halfwidth.comparison.multiplicity import UNCORRECTED
from halfwidth.comparison.p_values import inverted
from halfwidth.comparison.pairing import pair_job
from halfwidth.comparison.settings import Settings
from halfwidth.comparison.verdicts import Sides, verdict
from halfwidth.core.by_metric import number_of
from halfwidth.core.cautions import Caution, caution
from halfwidth.core.errors import quoted, shortened
from halfwidth.core.forms import ROUNDING, Contrast, PairAverages
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Estimand, Kind, Statistic
from halfwidth.core.titles import subject_of
from halfwidth.core.types import Array
from halfwidth.data.reader_pairs import RATERS, Raters, pair_name
from halfwidth.estimation.differences import difference_functional
from halfwidth.estimation.pipeline import Job, estimate_jobs, laws_of
from halfwidth.estimation.records import NO_VALUES, Functional
from halfwidth.measuring.jobs import FamilyJobs
from halfwidth.results.comparison import Comparisons, Difference
from halfwidth.results.estimate import Estimate

# With two raters there is one pair of them.
FEW_RATERS = 3
SHOWN = 3


def against_raters(
    families: Sequence[FamilyJobs],
    raters: Raters,
    settings: Settings,
    notes: Sequence[str] = (),
) -> Comparisons:
    """The model against raters minus (or over) rater against rater, of each family.

    The difference is the mean over raters of the metric of the model with the rater as the
    reference, minus the mean over pairs of raters of the metric of one with the other as the
    reference (both ways); the ratio is Williams' index, 1 where the model is like one more rater.
    Cases are resampled, with all that was said of each; the raters are these, so that the interval
    is about further cases, not further raters. The models of families are pairs, by `pair_name`.
    """
    sides = [_Sides.from_family(family, raters) for family in families]
    jobs = [one.job(settings) for one in sides]
    estimates = estimate_jobs(jobs, settings.request)
    differences = [
        _judged(one, job, estimate, settings)
        for one, job, estimate in zip(sides, jobs, estimates, strict=True)
    ]
    fixed = (
        f"the interval is about further cases, not about raters other than {quoted(raters.names)}"
    )
    return Comparisons(tuple(differences), notes=(*notes, fixed))


def _judged(sides: _Sides, job: Job, estimate: Estimate, settings: Settings) -> Difference:
    """The difference of one family with what it allows to say."""
    difference, request = sides.difference(estimate, settings), settings.request
    (law,) = laws_of([job], [estimate], request)
    one = inverted(law, estimate, request)
    least = 2.0 ** (1 - min(job.records.design.units, 1000))
    sign = difference.sign
    family = FamilyInference(
        [one], np.array([least]), request.level, UNCORRECTED, settings.effect, sign or 1
    )
    difference = with_p_values(difference, family, 0)
    if not sign:
        return difference
    margin = number_of(settings.margin, difference.metric_spec)
    narrow = equivalence_ends(family, margin)
    judged = verdict(
        difference,
        Sides.from_family(family, 0, sign, margin),
        margin,
        equivalence=None if narrow is None else narrow[0],
    )
    return replace(difference, verdict=judged)


@frozen(eq=False)
class _Sides:
    """A family with the weights of its pairs on either side of the difference."""

    family: FamilyJobs
    raters: Raters
    jobs: tuple[Job, ...]
    first: Array
    second: Array

    @classmethod
    def from_family(cls, family: FamilyJobs, raters: Raters) -> _Sides:
        """Weights that add up to 1 on each side; of pairs given in one order only, that one."""
        model, others = _weights(family, raters)
        names = [*model, *others]
        first = np.array([*model.values(), *(0.0 for _ in others)])
        second = np.array([*(0.0 for _ in model), *others.values()])
        return cls(family, raters, tuple(family.jobs[name] for name in names), first, second)

    @property
    def linear(self) -> bool:
        """Whether the averages over pairs are means of averages of each case."""
        return self.jobs[0].functional.statistic.spec.estimand is Estimand.MEAN

    @property
    def values(self) -> Array:
        """The statistic or metric of each pair."""
        return np.array([job.value for job in self.jobs])

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
        metric = job.functional.metric
        # Averages of right and wrong are neither.
        spec = replace(metric.spec, kind=Kind.CONTINUOUS)
        functional = Functional(job.functional.statistic, replace(metric, spec=spec))
        return replace(job, functional=functional, records=records)

    def difference(self, estimate: Estimate, settings: Settings) -> Difference:
        """The finished difference, without its verdict."""
        job, metric = self.jobs[0], self.jobs[0].functional.metric
        over = job.records.over if job.records.n_groups is not None else ""
        values = self.values
        return Difference(
            self.raters.model,
            RATERS,
            float(self.first @ values),
            float(self.second @ values),
            estimate,
            metric,
            settings.effect,
            n_unmatched=self.family.n_unmatched,
            subject=subject_of(metric, job.functional.statistic, job.average, over),
        )

    def _cautions(self) -> Iterator[Caution]:
        """Pairs without a value, few raters, and a rater on whom the difference's sign rests."""
        raters, values = self.raters.names, self.values
        names = [name for side in _weights(self.family, self.raters) for name in side]
        undefined = [name for name, value in zip(names, values, strict=True) if np.isnan(value)]
        if undefined:
            count, total = len(undefined), len(names)
            yield caution("HW843", count=count, total=total, names=shortened(undefined, SHOWN))
        if len(raters) < FEW_RATERS:
            yield caution("HW841", names=" and ".join(raters))
            return
        by_pair = dict(zip(names, values.tolist(), strict=True))
        whole = _point(by_pair, self.family, self.raters)
        rounding = ROUNDING * float(np.abs(values).max())
        for rater in raters:
            part = _point(by_pair, self.family, self.raters.without(rater))
            if part * whole < 0 and min(abs(part), abs(whole)) > rounding:
                yield caution("HW842", rater=rater, part=f"{part:+.2g}", whole=f"{whole:+.2g}")


def _weights(family: FamilyJobs, raters: Raters) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """The weight of each pair on its side: two raters count once, in one order or in both."""
    model = {pair_name(*pair): 1 / len(raters.names) for pair in raters.with_model}
    pairs = [pair for pair in raters.among_themselves if pair_name(*pair) in family.jobs]
    orders = Counter(frozenset(pair) for pair in pairs)
    others = {pair_name(*pair): 1 / (orders[frozenset(pair)] * len(orders)) for pair in pairs}
    return model, others


def _point(values: Mapping[str, float], family: FamilyJobs, raters: Raters) -> float:
    first, second = (
        sum(weight * values[name] for name, weight in side.items())
        for side in _weights(family, raters)
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
