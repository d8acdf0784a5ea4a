"""Differences and ratios of two models on the same cases.

Each model is resampled by the engine of the statistic, on the draws that all models share, and
replicate i of the contrast is that of the two replicates i. Where many pairs of a few models are
compared, each model is resampled once. The difference of two means is the mean of the differences,
and has all that a mean has.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import BranchForm, CellCounts, Contrast, Form, RankedAreas, Sums
from halfwidth.core.frozen import frozen
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.spec import Estimand, Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.class_averages import ClassAverage, Classes
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import Distribution, Quantiles
from halfwidth.resampling.draws import BLOCK_ELEMENTS, Plan
from halfwidth.resampling.forms import ranked_errors
from halfwidth.resampling.forms.contract import (
    BothEnds,
    Dirichlet,
    Engine,
    Errors,
    InPairs,
    Prepared,
    Shared,
    declared_form,
    distinct_models,
    has_influence,
    single_model,
)
from halfwidth.resampling.forms.evaluation import left_out_by
from halfwidth.resampling.linearization import linearized
from halfwidth.resampling.tails import as_distribution
from halfwidth.resampling.weights.blocks import Block, Pace
from halfwidth.resampling.weights.dirichlet import INDEPENDENT


def is_mean_of_differences(statistic: Statistic) -> bool:
    """Whether it is the difference of two means."""
    form = declared_form(statistic, Contrast)
    return form.effect == "difference" and form.statistic.is_mean_of_values


def _differences(pairs: Array) -> Array:
    return np.asarray(pairs[:, 0] - pairs[:, 1])


@frozen(eq=False)
class ContrastedModels(Prepared):
    """Models made ready, and which of them make up each pair."""

    models: Array  # (M, ..., n)
    places: NDArray[np.intp]  # (S, 2)
    prepared: Prepared
    statistic: Statistic  # The contrast

    def pace(self, plan: Plan) -> Pace:
        """Pace of the models."""
        return self.prepared.pace(plan)

    def shared(self, _plan: Plan) -> Shared:
        """Models are evaluated once, for intervals of one pair and for those that hold together."""
        one = single_model(self.statistic)
        key = ("replicates", one.spec, tuple(one.parameters.items()), self.models.shape)
        return Shared(key, [self.models], lambda block: (self._values(block),), self._contrasts)

    def evaluate(self, block: Block, into: Array) -> None:
        """The contrast of each pair."""
        into[:] = self._contrasts(self._values(block))

    def _values(self, block: Block) -> Array:
        values = np.empty((len(self.models), block.resamples))
        self.prepared.evaluate(block, values)
        return values

    def _contrasts(self, values: Array) -> Array:
        first, second = self.places.T
        return declared_form(self.statistic, Contrast).between(values[first], values[second])


def _prepare(inner: Engine, pairs: Array, design: Design, statistic: Statistic) -> Prepared:
    one = single_model(statistic)
    if is_mean_of_differences(statistic):
        return inner.prepare(_differences(pairs), design, one)
    models, places = distinct_models(pairs)
    return ContrastedModels(models, places, inner.prepare(models, design, one), statistic)


def _leave_one_out(inner: Engine, pairs: Array, design: Design, statistic: Statistic) -> Array:
    models, places = distinct_models(pairs)
    left_out = left_out_by(inner, models, design, single_model(statistic))
    form = declared_form(statistic, Contrast)
    return form.between(left_out[places[:, 0]], left_out[places[:, 1]])


def _exact_distribution(
    inner: Engine, pairs: Array, design: Design, statistic: Statistic, plan: Plan
) -> Distribution | None:
    """Distribution of a mean of differences."""
    if inner.exact_distribution is None or not is_mean_of_differences(statistic):
        return None
    return inner.exact_distribution(_differences(pairs), design, single_model(statistic), plan)


# --------------------------------------------------------------------------- standard errors


def _is_of_auroc(statistic: Statistic) -> bool:
    form = declared_form(statistic, Contrast).statistic.form
    auroc = single_model(statistic).spec.estimand is Estimand.AUROC
    return auroc and isinstance(form, RankedAreas) and form.row is not None


def _has_standard_error(statistic: Statistic) -> bool:
    return has_influence(statistic) or _is_of_auroc(statistic)


def _standard_error(pairs: Array, design: Design, statistic: Statistic) -> Array:
    """SE from the influence of one model minus that of the other; DeLong's of two AUROCs."""
    if not _is_of_auroc(statistic):
        return linearized(pairs, design, statistic)

    return ranked_errors.standard_error(pairs, design, statistic)


# --------------------------------------------------------------------------- Dirichlet weights


def is_average_over_classes(form: Form | None) -> bool:
    """Whether intervals of a metric of this form combine those of its classes."""
    if isinstance(form, Sums) and form.by_class is not None:
        return True
    table = form.table if isinstance(form, Sums) else form
    if isinstance(table, CellCounts):
        by_class = table.by_class
        return table.n_cells > 4 and by_class is not None and by_class.average is not None
    if not isinstance(form, RankedAreas | BranchForm):
        return False
    return form.average in ("macro", "weighted")


def _has_weights(inner: Dirichlet, statistic: Statistic) -> bool:
    form = declared_form(statistic, Contrast)
    if is_mean_of_differences(statistic):
        return True
    sums = form.statistic.form
    if isinstance(sums, Sums) and not (sums.table or sums.quotient or sums.by_class):
        return False
    # How far a ratio of averages may be off does not add up from their classes.
    known = form.effect == "difference" or not is_average_over_classes(form.statistic.form)
    return known and inner.in_pairs is not None


def _takes_reach(inner: Dirichlet, statistic: Statistic) -> bool:
    form, one = declared_form(statistic, Contrast), single_model(statistic)
    spread = one.spec.estimand is Estimand.SPREAD
    return spread and form.effect == "difference" and inner.pairs_that_reach is not None


def _weighted(
    inner: Dirichlet,
    pairs: Array,
    design: Design,
    statistic: Statistic,
    plan: Plan,
    pseudo_cases: PseudoCases,
) -> BothEnds:
    one = single_model(statistic)
    if pseudo_cases.reach is not None and inner.pairs_that_reach is not None:
        return inner.pairs_that_reach(pairs, design, one, plan, pseudo_cases)
    if is_mean_of_differences(statistic):
        return inner.both_ends(_differences(pairs), design, one, plan, pseudo_cases)
    models, places = distinct_models(pairs)
    contrast = declared_form(statistic, Contrast)
    lower, upper = _Ends(contrast), _Ends(contrast)
    for rows, own, (low, high) in weighted_in_pairs(
        inner, models, places, design, one, plan, pseudo_cases
    ):
        lower.add(rows, low, own)
        if high is not low:
            upper.add(rows, high, own)
    below = lower.distribution(plan)
    return below, upper.distribution(plan) if upper.rows else below


def weighted_in_pairs(
    inner: Dirichlet,
    models: Array,
    places: NDArray[np.intp],
    design: Design,
    statistic: Statistic,
    plan: Plan,
    pseudo_cases: PseudoCases,
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], tuple[InPairs, InPairs]]]:
    """Replicates of models in pairs under Dirichlet weights; pairs of one discordance at a time."""
    # Which pairs, (R,), the places of their models among the replicates, (R, 2), and both ends.
    if inner.in_pairs is None:
        raise TypeError(f"{statistic.spec.name} has no distribution under Dirichlet weights")
    discordance = np.full(len(places), INDEPENDENT)
    if inner.discordance is not None:
        discordance = inner.discordance(models, places, statistic)
    # Intervals, the law of all of them and p values rest on the same ones.
    kept: dict[Hashable, Any] = {}
    if len(models) * plan.n_resamples <= BLOCK_ELEMENTS:
        of = statistic.spec, tuple(statistic.parameters.items()), pseudo_cases
        kept = plan.latest(("in pairs", *of), [models], design)
    for value in np.unique(discordance):
        rows = np.flatnonzero(discordance == value)
        used, own = np.unique(places[rows], return_inverse=True)
        key = float(value), used.tobytes()
        if key not in kept:
            how = design, statistic, plan, pseudo_cases, float(value)
            kept[key] = inner.in_pairs(models[used], *how)
        yield rows, own.reshape(-1, 2), kept[key]


class _Ends:
    """Contrasts under Dirichlet weights for one end of an interval, some pairs after others."""

    def __init__(self, contrast: Contrast) -> None:
        self.contrast = contrast
        self.rows: list[NDArray[np.intp]] = []
        self.replicates: list[Array] = []
        self.classes: list[tuple[Array, Array]] = []

    def add(self, rows: NDArray[np.intp], end: InPairs, places: NDArray[np.intp]) -> None:
        """Take pairs at some rows of the batch, of the models at some places."""
        first, second = places.T
        self.rows.append(rows)
        if end.classes is None:
            self.replicates.append(
                self.contrast.between(end.first[first, 0], end.second[second, 0])
            )
            return
        # What each class adds to the difference of two averages, and behind them these.
        weights, values = end.classes.weights, end.classes.values
        values = np.where(weights == 0, 0.0, weights * values)
        averages = end.first.shape[1] - weights.shape[1]
        of_rows = np.pad(weights, ((0, 0), (0, averages)), constant_values=1.0)[..., None]
        firsts, seconds = (
            np.where(of_rows == 0, 0.0, of_rows * each) for each in (end.first, end.second)
        )
        self.replicates.append(firsts[first] - seconds[second])
        held = (weights[first] != 0) | (weights[second] != 0)
        self.classes.append((values[first] - values[second], held * 1.0))

    def distribution(self, plan: Plan) -> Quantiles:
        """The distribution of all pairs, in the order of the batch."""
        order = np.argsort(np.concatenate(self.rows))
        replicates = np.concatenate(self.replicates)[order]
        if not self.classes:
            return as_distribution(replicates, plan)
        classes, held = (np.concatenate(parts)[order] for parts in zip(*self.classes, strict=True))
        return ClassAverage.from_replicates(
            Classes(classes.sum(axis=-1), classes, held), replicates
        )


def engine_of_contrasts(inner: Engine) -> Engine:
    """How differences and ratios of the statistics of one engine are resampled."""
    dirichlet = inner.dirichlet
    return Engine(
        prepare=functools.partial(_prepare, inner),
        leave_one_out=functools.partial(_leave_one_out, inner),
        exact_distribution=functools.partial(_exact_distribution, inner),
        errors=Errors(standard_error=_standard_error, has_standard_error=_has_standard_error),
        dirichlet=dirichlet
        and Dirichlet(
            both_ends=functools.partial(_weighted, dirichlet),
            known=functools.partial(_has_weights, dirichlet),
            takes_reach=functools.partial(_takes_reach, dirichlet),
            needs_bounds=lambda statistic: dirichlet.needs_bounds(single_model(statistic)),
        ),
        seconds=lambda statistic, n, k: 2 * inner.seconds(single_model(statistic), n, k),
        support=inner.support,
        bounded=inner.bounded,
        paired=True,
        weighs_cases=lambda statistic: inner.weighs_cases(single_model(statistic)),
    )
