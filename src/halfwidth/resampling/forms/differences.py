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

from halfwidth.core.forms import Contrast, RankedAreas
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.spec import Estimand, Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import Distribution
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import (
    BothEnds,
    Engine,
    declared_form,
    distinct_models,
    has_influence,
    of_one_model,
)
from halfwidth.resampling.linearization import linearized


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


def _weighted(
    inner: Engine,
    pairs: Array,
    design: Design,
    statistic: Statistic,
    plan: Plan,
    pseudo_cases: PseudoCases,
) -> BothEnds:
    if inner.weighted is None or not is_mean_of_differences(statistic):
        raise TypeError(f"{statistic.spec.name} has no distribution under Dirichlet weights")
    one = of_one_model(statistic)
    return inner.weighted(_differences(pairs), design, one, plan, pseudo_cases)


def engine_of_contrasts(inner: Engine) -> Engine:
    """How differences and ratios of the statistics of one engine are resampled."""
    return Engine(
        replicates=functools.partial(_replicates, inner),
        leave_one_out=functools.partial(_leave_one_out, inner),
        exact_distribution=functools.partial(_exact_distribution, inner),
        standard_error=_standard_error,
        has_standard_error=_has_standard_error,
        weighted=functools.partial(_weighted, inner),
        has_weights=is_mean_of_differences,
        weights_need_bounds=lambda statistic: inner.weights_need_bounds(of_one_model(statistic)),
        seconds=lambda statistic, n, k: 2 * inner.seconds(of_one_model(statistic), n, k),
        support=inner.support,
        bounded=inner.bounded,
        paired=True,
        weighs_cases=lambda statistic: inner.weighs_cases(of_one_model(statistic)),
    )
