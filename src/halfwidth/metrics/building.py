"""Statistics that resampling works on, made of metrics of a test set."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.areas import ranking_values
from halfwidth.arithmetic.confusion_tables import count_cells, ratio
from halfwidth.arithmetic.derivatives import derivatives, influence_of_sums
from halfwidth.arithmetic.logistic_fits import bound_form, influences_of_fits, values_of_fits
from halfwidth.arithmetic.ranked_scores import RankEach, cumulated, rank
from halfwidth.core.forms import (
    AbsoluteSums,
    Area,
    CellCounts,
    LogisticFit,
    PairedCases,
    ProbabilitySums,
    RankedAreas,
    Ranking,
    SmoothedError,
    Sums,
    WholeSample,
)
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import (
    Better,
    Estimand,
    Metric,
    Statistic,
    StatisticSpec,
    range_of_values,
)
from halfwidth.core.types import Array, Numbers
from halfwidth.core.undefined import Undefined, undefined_as
from halfwidth.metrics.averaging import AreaFinish, CountingFinish

# Merits of thresholds that differ by less are equal.
TIE = 1e-12


@frozen
class Policed:
    """A metric whose undefined values are what the policy says."""

    finish: Callable[..., Array]
    policy: Undefined
    worst: float | None

    def __call__(self, *counts: Numbers) -> Array:
        """The metric of each entry."""
        values = np.asarray(self.finish(*counts))
        if values.dtype == object:  # unknowns, whose comparisons are to be unknowns too
            values = values.view(type(counts[0]))
        return np.asarray(undefined_as(values, self.policy, self.worst))


def _statistic(metric: Metric, **declared: object) -> Statistic:
    spec = metric.spec
    return Statistic(
        StatisticSpec(
            spec.name,
            spec.display,
            range_rule=range_of_values,
            transform=spec.transform,
            of_records=True,
            **declared,  # type: ignore[arg-type]
        )
    )


# --------------------------------------------------------------------------- counts


def counting_statistic(
    metric: Metric,
    finish: CountingFinish,
    undefined: Undefined,
) -> Statistic:
    """A function of a confusion matrix; a sample holds the cell of each case."""
    form = _table_form(metric, finish, undefined)
    policed, n_cells = form.finish, form.n_cells
    return _statistic(
        metric,
        function=functools.partial(_counting_function, policed, n_cells),
        estimand=Estimand.COUNTING,
        form=form,
        influence=functools.partial(_counting_influence, policed, n_cells),
    )


def _table_form(metric: Metric, finish: CountingFinish, undefined: Undefined) -> CellCounts:
    of_margins = finish.margins
    return CellCounts(
        finish.n_classes**2,
        Policed(finish, undefined, metric.spec.worst),
        finish.quotient,
        finish.by_class,
        of_margins and Policed(of_margins, undefined, metric.spec.worst),
        metric.spec.better is not Better.LOWER,
    )


def _counting_function(
    finish: Callable[[Numbers], Array], n_cells: int, codes: Array, *, axis: int = -1
) -> Array:
    return finish(count_cells(np.moveaxis(codes, axis, -1), n_cells))


def _counting_influence(finish: Callable[[Numbers], Array], n_cells: int, codes: Array) -> Array:
    """N times the derivative by the count of the cell of each case, about its mean."""
    counts = count_cells(codes, n_cells)
    slopes = derivatives(finish, counts) * codes.shape[-1]
    mean = (slopes * counts).sum(axis=-1, keepdims=True) / codes.shape[-1]
    return np.take_along_axis(slopes - mean, codes.astype(np.intp), axis=-1)


# --------------------------------------------------------------------------- sums


def weighted_counting_statistic(
    metric: Metric, finish: CountingFinish, undefined: Undefined
) -> Statistic:
    """Statistic of weighted cases; records hold the cell and the weight of each."""
    table = _table_form(metric, finish, undefined)
    features = functools.partial(_weights_in_cells, table.n_cells)
    form = Sums(features, functools.partial(_finish_table, table), finish.quotient, table)
    return _sums_statistic(metric, form, Estimand.COUNTING)


def _finish_table(table: CellCounts, _n: Numbers, sums: Numbers) -> Array:
    return table.finish(sums)


def _weights_in_cells(n_cells: int, records: Array) -> Array:
    """(..., 2, n) -> (..., n_cells, n)."""
    codes, weights = records[..., 0, :], records[..., 1, :]
    return np.where(codes[..., None, :] == np.arange(n_cells)[:, None], weights[..., None, :], 0.0)


def sums_statistic(metric: Metric) -> Statistic:
    """A metric that is a function of sums over cases; records hold the terms."""
    form = metric.form
    if not isinstance(form, Sums):
        raise TypeError(f"{metric.spec.name} is not declared as a function of sums")
    return _sums_statistic(metric, form, metric.estimand)


def _sums_statistic(metric: Metric, form: Sums, estimand: Estimand) -> Statistic:
    return _statistic(
        metric,
        function=functools.partial(_sums_function, form.features, form.finish),
        estimand=estimand,
        form=form,
        influence=functools.partial(_sums_influence, form.features, form.finish),
    )


def _sums_function(
    features: Callable[[Array], Array],
    finish: Callable[[Numbers, Numbers], Array],
    records: Array,
    *,
    axis: int = -1,
) -> Array:
    values = features(np.moveaxis(records, axis, -1))
    return finish(np.asarray(float(records.shape[axis])), values.sum(axis=-1))


def _sums_influence(
    features: Callable[[Array], Array], finish: Callable[[Numbers, Numbers], Array], records: Array
) -> Array:
    values = features(records)
    influence = influence_of_sums(finish, records.shape[-1], values.sum(axis=-1), values)
    return np.asarray(influence - influence.mean(axis=-1, keepdims=True))


# --------------------------------------------------------------------------- probabilities


def probability_statistic(
    metric: Metric, n_classes: int | None, average: str, *, weighted: bool = False
) -> Statistic:
    """A function of sums over cases of what their probabilities and outcomes are.

    Records hold the probabilities of ``n_classes`` and the code of the true one, or for None the
    probability and the outcome of one class; weights, where there are some, come last. The
    ``average`` over classes is macro or sum.
    """
    form = metric.form
    # Some may be left unsaid.
    parameters = {
        parameter.name: metric.parameters[parameter.name]
        for parameter in metric.spec.parameters
        if parameter.name in metric.parameters
    }
    if isinstance(form, WholeSample | SmoothedError):
        function = functools.partial(_each, functools.partial(_value_of_sample, form))
        kept = replace(form, weighted=weighted) if isinstance(form, SmoothedError) else form
        return _statistic(metric, function=function, estimand=metric.estimand, form=kept)
    if isinstance(form, PairedCases):
        bound = replace(form, parameters=tuple(parameters.items()), classes=n_classes)
        function = functools.partial(_each, bound.metric_of)
        return _statistic(metric, function=function, estimand=metric.estimand, form=bound)
    if not isinstance(form, ProbabilitySums):
        raise TypeError(f"{metric.spec.name} is not declared as a function of probabilities")
    terms = functools.partial(
        _terms, functools.partial(form.terms, **parameters), n_classes, weighted
    )
    absolute = None
    if form.absolute:
        probabilities = functools.partial(terms, happened=False)
        absolute = AbsoluteSums(probabilities, 1 / (n_classes or 1), weighted)
    finish = functools.partial(form.finish, **parameters)
    quotient = form.quotient
    if n_classes is not None:
        quotient = None
        if average == "sum" and form.of_classes is not None:
            finish = functools.partial(_finish_together, form.of_classes, n_classes)
        else:
            finish = functools.partial(_finish_classes, finish, n_classes, average)
    if weighted:
        finish = functools.partial(_finish_weighted, finish)
    square = None if form.square is None else functools.partial(form.square, **parameters)
    sums = Sums(terms, finish, quotient, power=form.power, absolute=absolute, square=square)
    return _sums_statistic(metric, sums, metric.estimand)


def _value_of_sample(form: WholeSample | SmoothedError, records: Array) -> float:
    """Value of one sample, whose records may hold weights; NaN where these are all 0."""
    weights = records[2] if len(records) > 2 else np.ones(records.shape[-1])
    return form.value(records[0], records[1], weights) if weights.sum() > 0 else math.nan


def _terms(
    terms: Callable[..., Array],
    n_classes: int | None,
    weighted: bool,
    records: Array,
    *,
    happened: bool = True,
) -> Array:
    """Terms of each class, one class after the other, then the weights; not ``happened``: of 0."""
    if n_classes is None:
        values = terms(records[..., 0, :], records[..., 1, :] if happened else 0.0)
    else:
        code = records[..., n_classes, None, :]
        outcomes = (code == np.arange(n_classes)[:, None]).astype(float) * happened
        each = terms(records[..., :n_classes, :], outcomes)
        values = each.reshape(*each.shape[:-3], -1, each.shape[-1])
    if not weighted:
        return values
    weights = records[..., -1:, :]
    return np.concatenate([values * weights, weights], axis=-2)


def _by_class(n_classes: int, sums: Numbers) -> Numbers:
    return sums.reshape(*sums.shape[:-1], n_classes, -1)


def _finish_together(
    together: Callable[..., Array], n_classes: int, n: Numbers, sums: Numbers
) -> Array:
    return together(n, _by_class(n_classes, sums))


def _finish_classes(
    finish: Callable[..., Array], n_classes: int, average: str, n: Numbers, sums: Numbers
) -> Array:
    """The mean, or the sum, over the classes."""
    values = finish(np.asarray(n)[..., None], _by_class(n_classes, sums))
    return np.asarray(values.sum(axis=-1) if average == "sum" else values.mean(axis=-1))


def _finish_weighted(finish: Callable[..., Array], _n: Numbers, sums: Numbers) -> Array:
    return finish(sums[..., -1], sums[..., :-1])


def logistic_statistic(metric: Metric, *, weighted: bool = False) -> Statistic:
    """What a metric takes of a logistic fit; records are as those of one class."""
    declared = metric.form
    if not isinstance(declared, LogisticFit):
        raise TypeError(f"{metric.spec.name} is not declared as of a logistic regression")
    parameters = {one.name: metric.parameters[one.name] for one in metric.spec.parameters}
    form = bound_form(declared, parameters, weighted=weighted)
    smooth = form.gaps is None or form.mean_gap
    return _statistic(
        metric,
        function=functools.partial(values_of_fits, form),
        estimand=metric.estimand,
        form=form,
        smooth=smooth,
        influence=functools.partial(influences_of_fits, form) if smooth else None,
    )


def weighted_mean_statistic(metric: Metric) -> Statistic:
    """The mean of values of weighted cases; records hold the value and the weight of each."""
    form = Sums(_values_by_weight, _finish_mean, ((1.0, 0.0), (0.0, 1.0)))
    return _sums_statistic(metric, form, metric.estimand)


def _values_by_weight(records: Array) -> Array:
    values, weights = records[..., 0, :], records[..., 1, :]
    return np.stack([values * weights, weights], axis=-2)


def _finish_mean(_n: Numbers, sums: Numbers) -> Array:
    return np.asarray(ratio(sums[..., 0], sums[..., 1]))


# --------------------------------------------------------------------------- scores


def ranking_statistic(
    metric: Metric,
    rank: RankEach,
    finish: AreaFinish,
    undefined: Undefined,
) -> Statistic:
    """An area under a curve of ranked scores; records hold scores, class codes, maybe weights."""
    area = metric.form
    if not isinstance(area, Area):
        raise TypeError(f"{metric.spec.name} is not declared as an area under a curve")
    one = finish.average in ("binary", "none")
    form = RankedAreas(
        area,
        rank,
        Policed(finish, undefined, metric.spec.worst),
        finish.which if one else None,
        "" if one else finish.average,
    )
    return _statistic(
        metric,
        function=functools.partial(_ranking_function, form),
        estimand=metric.estimand if one else Estimand.OTHER,
        form=form,
    )


def _ranking_function(
    form: RankedAreas,
    records: Array,
    *,
    axis: int = -1,
) -> Array:
    return ranking_values(form, np.moveaxis(records, axis, -1))


@frozen(eq=False)
class Tuned:
    """A counting metric at the threshold that is best by another one, chosen on the same cases."""

    # Both of two classes, the positive one coded 1.
    finish: CountingFinish
    criterion: CountingFinish
    # -1 where the criterion is better the lower it is, else 1.
    sign: int

    def __call__(self, tp: Numbers, fp: Numbers) -> Array:
        """Metric of cumulated entries at each distinct score, (..., G) -> (...)."""
        tables, best = self._best(tp, fp)
        chosen = np.take_along_axis(tables, best[..., None, None], axis=-2)[..., 0, :]
        return self.finish(chosen)

    def _best(self, tp: Numbers, fp: Numbers) -> tuple[Numbers, Numbers]:
        """The tables of all thresholds, the first above all scores, and which is best."""
        tp, fp = (np.concatenate([np.zeros_like(a[..., :1]), a], axis=-1) for a in (tp, fp))
        fn, tn = tp[..., -1:] - tp, fp[..., -1:] - fp
        tables = np.stack([tn, fp, fn, tp], axis=-1)
        merit = self.sign * self.criterion(tables)
        merit = np.where(np.isnan(merit), -np.inf, merit)
        # The highest of equally good thresholds; rounding must not break the tie.
        return tables, (merit >= merit.max(axis=-1, keepdims=True) - TIE).argmax(axis=-1)

    def threshold(self, positive: NDArray[np.bool_], scores: Array) -> float:
        """The best threshold of a test set: infinite where it is to call nothing positive."""
        ranking = rank(positive[None], scores[None])
        mark = ranking.mark[0]
        _, best = self._best(*cumulated(mark, np.ones(len(mark))))
        ends = np.flatnonzero(mark & Ranking.LAST_OF_TIES)
        return float(scores[ranking.case[0][ends[best - 1]]]) if best > 0 else np.inf


def tuned_statistic(metric: Metric, tuned: Tuned, undefined: Undefined) -> Statistic:
    """A counting metric whose threshold is chosen anew in every resample."""
    policed = Policed(AreaFinish("binary"), undefined, metric.spec.worst)
    form = RankedAreas(Area(tuned, tuned=True), RankEach(1), policed, 0)
    return _statistic(metric, function=functools.partial(_ranking_function, form), form=form)


# --------------------------------------------------------------------------- any function


def callable_statistic(name: str, function: Callable[[Array], float]) -> Statistic:
    """A user's function of a test set; records hold what it takes."""
    return Statistic(
        StatisticSpec(
            name,
            name,
            function=functools.partial(_each, function),
            range_rule=range_of_values,
            of_records=True,
        )
    )


def _each(function: Callable[[Array], float], records: Array, *, axis: int = -1) -> Array:
    last = np.moveaxis(records, axis, -1)
    flat = last.reshape(-1, *last.shape[-2:])
    return np.array([float(function(one)) for one in flat]).reshape(last.shape[:-2])
