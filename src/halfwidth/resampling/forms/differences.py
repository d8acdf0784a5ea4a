"""Differences and ratios of two models on the same cases.

Each model is resampled by the engine of the statistic, on the draws that all models share, and
replicate i of the contrast is that of the two replicates i. Where many pairs of a few models are
compared, each model is resampled once. The difference of two means is the mean of the differences,
and has all that a mean has.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import CellCounts, Contrast, Form, RankedAreas, Sums
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.spec import Estimand, Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.class_averages import ClassAverage
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import Distribution, Quantiles
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import (
    BothEnds,
    Engine,
    InPairs,
    declared_form,
    distinct_models,
    has_influence,
    of_one_model,
)
from halfwidth.resampling.linearization import linearized
from halfwidth.resampling.tails import as_distribution


def is_mean_of_differences(statistic: Statistic) -> bool:
    """Whether it is the difference of two means."""
    form = declared_form(statistic, Contrast)
    return form.effect == "difference" and form.statistic.estimand is Estimand.MEAN


def _of_models(
    pairs: Array, statistic: Statistic, make: Callable[[Array, Statistic], Array]
) -> Array:
    """What is made of each model, (M, ..., n) -> (M, X), contrasted pair by pair: (S, X)."""
    models, places = distinct_models(pairs)
    of_each = make(models, of_one_model(statistic))
    form = declared_form(statistic, Contrast)
    return form.of(of_each[places[:, 0]], of_each[places[:, 1]])


def _differences(pairs: Array) -> Array:
    return np.asarray(pairs[:, 0] - pairs[:, 1])


def _replicates(
    inner: Engine, pairs: Array, design: Design, statistic: Statistic, plan: Plan
) -> Array:
    if is_mean_of_differences(statistic):
        return inner.replicates(_differences(pairs), design, of_one_model(statistic), plan)
    return _of_models(pairs, statistic, lambda m, one: inner.replicates(m, design, one, plan))


def _leave_one_out(inner: Engine, pairs: Array, design: Design, statistic: Statistic) -> Array:
    return _of_models(pairs, statistic, lambda m, one: inner.leave_one_out(m, design, one))


def _exact_distribution(
    inner: Engine, pairs: Array, design: Design, statistic: Statistic, plan: Plan
) -> Distribution | None:
    """That of a mean of differences."""
    if inner.exact_distribution is None or not is_mean_of_differences(statistic):
        return None
    return inner.exact_distribution(_differences(pairs), design, of_one_model(statistic), plan)


# --------------------------------------------------------------------------- standard errors


def _is_of_auroc(statistic: Statistic) -> bool:
    form = declared_form(statistic, Contrast).statistic.form
    auroc = of_one_model(statistic).spec.estimand is Estimand.AUROC
    return auroc and isinstance(form, RankedAreas) and form.row is not None


def _has_standard_error(statistic: Statistic) -> bool:
    return has_influence(statistic) or _is_of_auroc(statistic)


def _standard_error(pairs: Array, design: Design, statistic: Statistic) -> Array:
    """From the influence of one model minus that of the other; DeLong's of two AUROCs."""
    if not _is_of_auroc(statistic):
        return linearized(pairs, design, statistic)
    from halfwidth.resampling.forms import ranked_errors  # needed by no other form

    return ranked_errors.standard_error(pairs, design, statistic)


# --------------------------------------------------------------------------- Dirichlet weights


def is_average_over_classes(form: Form | None) -> bool:
    """Whether a metric of this form has intervals that are made of those of its classes."""
    table = form.table if isinstance(form, Sums) else form
    if isinstance(table, CellCounts):
        by_class = table.by_class
        return table.n_cells > 4 and by_class is not None and by_class.average is not None
    return isinstance(form, RankedAreas) and form.average in ("macro", "weighted")


def _has_weights(inner: Engine, statistic: Statistic) -> bool:
    form = declared_form(statistic, Contrast)
    if is_mean_of_differences(statistic):
        return inner.weighted is not None
    if isinstance(form.statistic.form, Sums) and form.statistic.form.table is None:
        return False
    # How far a ratio of averages may be off does not add up from their classes.
    known = form.effect == "difference" or not is_average_over_classes(form.statistic.form)
    return known and inner.weighted_pairs is not None


def _weighted(
    inner: Engine,
    pairs: Array,
    design: Design,
    statistic: Statistic,
    plan: Plan,
    pseudo_cases: PseudoCases,
) -> BothEnds:
    one = of_one_model(statistic)
    if is_mean_of_differences(statistic) and inner.weighted is not None:
        return inner.weighted(_differences(pairs), design, one, plan, pseudo_cases)
    if inner.weighted_pairs is None:
        raise TypeError(f"{statistic.spec.name} has no distribution under Dirichlet weights")
    models, places = distinct_models(pairs)
    ends = inner.weighted_pairs(models, design, one, plan, pseudo_cases)
    contrast = declared_form(statistic, Contrast)
    lower = _of_pairs(contrast, ends[0], places, plan)
    return lower, lower if ends[1] is ends[0] else _of_pairs(contrast, ends[1], places, plan)


def _of_pairs(contrast: Contrast, end: InPairs, places: NDArray[np.intp], plan: Plan) -> Quantiles:
    """The distribution of contrasts for one end of an interval, from replicates of models."""
    first, second = places.T
    if end.classes is None or end.weights is None:
        replicates = contrast.of(end.first[first, 0], end.second[second, 0])
        return as_distribution(replicates, plan)
    # What each class adds to the difference of two averages.
    weights = end.weights[..., None]
    classes, of_first, of_second = (
        np.where(weights == 0, 0.0, weights * values)
        for values in (end.classes[..., None], end.first, end.second)
    )
    replicates = of_first[first] - of_second[second]
    classes = (classes[first] - classes[second])[..., 0]
    held = (end.weights[first] != 0) | (end.weights[second] != 0)
    return ClassAverage.of_replicates(classes.sum(axis=-1), classes, held * 1.0, replicates)


def engine_of_contrasts(inner: Engine) -> Engine:
    """How differences and ratios of the statistics of one engine are resampled."""
    return Engine(
        replicates=functools.partial(_replicates, inner),
        leave_one_out=functools.partial(_leave_one_out, inner),
        exact_distribution=functools.partial(_exact_distribution, inner),
        standard_error=_standard_error,
        has_standard_error=_has_standard_error,
        weighted=functools.partial(_weighted, inner),
        has_weights=functools.partial(_has_weights, inner),
        weights_need_bounds=lambda statistic: inner.weights_need_bounds(of_one_model(statistic)),
        seconds=lambda statistic, n, k: 2 * inner.seconds(of_one_model(statistic), n, k),
        support=inner.support,
        bounded=inner.bounded,
        paired=True,
        weighs_cases=lambda statistic: inner.weighs_cases(of_one_model(statistic)),
    )
