"""Statistics that resampling works on, from metrics of detections."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np

from halfwidth.core.forms import ClassAverages, Sums
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Metric, Statistic, StatisticSpec, range_of_values
from halfwidth.core.types import Array, Numbers, Quotient
from halfwidth.core.undefined import Undefined
from halfwidth.detection.arithmetic.match_records import Unpack
from halfwidth.detection.forms.declared import ImageSums, MatchCurve, MatchedScores
from halfwidth.metrics.averaging import AreaFinish
from halfwidth.metrics.building import Policed, sums_statistic

# --------------------------------------------------------------------------- sums


@frozen
class ClassSums:
    """A metric of sums over images, from sums of several classes to its average over these."""

    form: ImageSums
    classes: int
    finish: AreaFinish

    def __call__(self, n: Numbers, sums: Numbers) -> Array:
        """The average, from n images and sums of shape (..., (K + 1) C) -> (...)."""
        by_class = np.moveaxis(sums.reshape(*sums.shape[:-1], -1, self.classes), -2, -1)
        values = self.form.finish(np.asarray(n)[..., None], by_class[..., :-1])
        return self.finish(np.asarray(values), by_class[..., -1])


def image_sums_statistic(
    metric: Metric, classes: int, finish: AreaFinish, undefined: Undefined
) -> Statistic:
    """A function of sums over images; records are as `SumRecords` makes them."""
    form = metric.form
    if not isinstance(form, ImageSums):
        raise TypeError(f"{metric.spec.name} is not declared as a function of sums over images")
    policed = Policed(ClassSums(form, classes, finish), undefined, metric.spec.worst)
    quotient = _quotient(form) if undefined == "omit" else None
    by_class = None
    if quotient is not None and classes > 1:
        average = Policed(finish, undefined, metric.spec.worst)
        by_class = ClassAverages(classes, quotient, average)
        quotient = None
    sums = Sums(np.asarray, policed, quotient, by_class=by_class)
    return sums_statistic(Metric(replace(metric.spec, form=sums), metric.parameters))


def _quotient(form: ImageSums) -> Quotient | None:
    """The weights, with that of the references, which are there for averages only."""
    if form.quotient is None:
        return None
    numerator, denominator = form.quotient
    return (*numerator, 0.0), (*denominator, 0.0)


# --------------------------------------------------------------------------- ranked matches


def matched_scores_statistic(
    metric: Metric, classes: int, thresholds: int, finish: AreaFinish, undefined: Undefined
) -> Statistic:
    """A number of a curve of ranked matches; records are as `ScoreRecords` makes them."""
    curve = metric.form
    if not isinstance(curve, MatchCurve):
        raise TypeError(f"{metric.spec.name} is not declared as a curve of ranked matches")
    policed = Policed(finish, undefined, metric.spec.worst)
    average = finish.average if finish.average in ("macro", "weighted") else ""
    form = MatchedScores(curve, Unpack(classes, thresholds), policed, average)
    return Statistic(
        StatisticSpec(
            metric.spec.name,
            metric.spec.display,
            function=functools.partial(_matched_function, form),
            estimand=metric.estimand,
            form=form,
            range_rule=range_of_values,
            transform=metric.spec.transform,
            of_records=True,
        )
    )


def _matched_function(form: MatchedScores, records: Array, *, axis: int = -1) -> Array:
    """The statistic of test sets as they are, (..., k, n) -> (...)."""
    last = np.moveaxis(records, axis, -1)
    sets = last.reshape(-1, *last.shape[-2:])
    values = [matched_values(form, one, np.ones((1, one.shape[-1]), np.int64))[0] for one in sets]
    return np.array(values).reshape(last.shape[:-2])


def matched_values(form: MatchedScores, records: Array, counts: Numbers) -> Array:
    """The statistic of resamples given as counts of images, (k, n), (B, n) -> (B,)."""
    by_class = form.unpack(records)
    values = np.stack([form.curve.values(one, counts).mean(axis=0) for one in by_class], axis=-1)
    references = np.stack([counts @ one.references for one in by_class], axis=-1)
    return form.finish(values, references)
