"""Statistics of several models on the same resamples, and how they vary together on each.

To first order a statistic varies as the sum of the influences of its cases does. Of two models on
the same cases these sums have a covariance, and the variance of a difference is that of one, plus
that of the other, less twice the covariance. Here it is that of a resample, for each resample.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import CellCounts, RankedAreas, Ranking
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Estimand, Statistic
from halfwidth.core.types import Array
from halfwidth.metrics.building import derivatives
from halfwidth.resampling.designs import Design
from halfwidth.resampling.forms.contract import declared_form
from halfwidth.resampling.forms.ranked_errors import has_standard_error as is_one_area
from halfwidth.resampling.forms.ranked_resamples import group_of_entries, unit_of_cases
from halfwidth.resampling.kernels import reference

# What is left of a variance of a difference below this share of those of both is rounding.
ROUNDING = 64 * np.finfo(float).eps


@frozen(eq=False)
class JointResamples:
    """The statistic of each of K models on some resamples, and their covariances there.

    Attributes
    ----------
    values : ndarray, shape (B, K)
    covariances : ndarray, shape (B, K, K)
    """

    values: Array
    covariances: Array

    def logarithms(self) -> JointResamples:
        """The same of the logarithms of the statistics; NaN where one is not positive."""
        positive = np.where(self.values > 0, self.values, np.nan)
        scaled = self.covariances / (positive[:, :, None] * positive[:, None, :])
        return JointResamples(np.log(positive), scaled)

    def differences(self, pairs: NDArray[np.intp]) -> tuple[Array, Array]:
        """Differences and their standard errors, both (P, B)."""
        first, second = pairs.T
        variances = np.diagonal(self.covariances, axis1=1, axis2=2)
        total = variances[:, first] + variances[:, second]
        variance = total - 2 * self.covariances[:, first, second]
        errors = np.sqrt(np.where(variance <= ROUNDING * total, 0.0, variance))
        return (self.values[:, first] - self.values[:, second]).T, errors.T


# From how often each unit is drawn, (B, U), to what that makes of all models.
OfCounts = Callable[[Array], JointResamples]


def joint_resampling(
    records: Sequence[Array], design: Design, statistic: Statistic
) -> tuple[OfCounts, int]:
    """How resamples of K models are made of counts, and how many numbers each of them takes.

    Parameters
    ----------
    records : sequence of ndarray, each (n,) or (k, n)
        Of each model, all in the canonical order of the same cases.
    design : Design
    statistic : Statistic
        With a standard error (`halfwidth.resampling.engine.has_standard_error`).
    """
    if isinstance(statistic.spec.form, CellCounts):
        way = _cells(records, design, declared_form(statistic, CellCounts))
    elif statistic.spec.estimand is Estimand.AUROC and is_one_area(statistic):
        way = _areas(records, design, declared_form(statistic, RankedAreas))
    else:
        way = functools.partial(_gathered, records, design, statistic)
    return way, 2 * len(records) * design.n


# --------------------------------------------------------------------------- covariances


def _products(weights: Array | None, one: Array, other: Array) -> Array:
    """Σ w z z' over units, (B, K, U) -> (B, K, K)."""
    weighted = one if weights is None else one * weights[:, None, :]
    return np.asarray(weighted @ other.swapaxes(1, 2))


def _covariances(weights: Array | None, parts: Array, design: Design, *, plain: bool) -> Array:
    """Of sums over the units drawn, (B, K, U) -> (B, K, K), as `Design.variance_of_total`.

    ``plain``: the variance of multinomial counts is known, and needs no n / (n - 1).
    """
    if plain:
        return _products(weights, parts, parts)
    if design.degrees_of_freedom < 1:
        return np.full((len(parts), parts.shape[1], parts.shape[1]), np.nan)
    covariances = np.zeros((len(parts), parts.shape[1], parts.shape[1]))
    for first, units in zip(design.first_units, design.strata, strict=True):
        if units < 2:
            continue
        own = slice(first, first + units)
        drawn = None if weights is None else weights[:, own]
        some = parts[:, :, own]
        total = some.sum(axis=-1) if drawn is None else (some @ drawn[:, :, None])[..., 0]
        # About the mean of the stratum.
        some = some - (total / units)[:, :, None]
        covariances += units / (units - 1) * _products(drawn, some, some)
    return covariances


# --------------------------------------------------------------------------- tables


def _cells(records: Sequence[Array], design: Design, form: CellCounts) -> OfCounts:
    """Functions of tables. Cases that lie in the same cells for all models are counted together."""
    codes = np.stack(records).astype(np.intp)
    if not design.independent:
        unit = unit_of_cases(design)
        tables = [_cells_by_unit(one, unit, form.n_cells, design.units) for one in codes]
        return lambda counts: _of_tables(counts, tables, design, form)
    kinds, kind = np.unique(codes, axis=1, return_inverse=True)
    order = np.argsort(kind.ravel(), kind="stable")
    starts = np.searchsorted(kind.ravel()[order], np.arange(kinds.shape[1]))
    tables = [np.eye(form.n_cells)[one] for one in kinds]

    def made(counts: Array) -> JointResamples:
        of_kinds = np.add.reduceat(counts[:, order], starts, axis=-1)
        return _of_tables(of_kinds, tables, design, form)

    return made


def _cells_by_unit(
    codes: NDArray[np.intp], unit: NDArray[np.intp], cells: int, units: int
) -> Array:
    flat = np.bincount(unit * cells + codes, minlength=units * cells)
    return flat.reshape(units, cells).astype(float)


def _of_tables(
    counts: Array, tables: Sequence[Array], design: Design, form: CellCounts
) -> JointResamples:
    """From the counts of units and the cells of each, (B, U) and (U, cells)."""
    weights = np.ascontiguousarray(counts, dtype=float)
    values = np.empty((len(weights), len(tables)))
    parts = np.empty((len(weights), len(tables), weights.shape[-1]))
    for model, cells in enumerate(tables):
        table = weights @ cells
        values[:, model] = form.finish(table)
        slopes = derivatives(form.finish, table)
        with np.errstate(invalid="ignore"):
            mean = (slopes * table).sum(axis=-1, keepdims=True) / table.sum(axis=-1, keepdims=True)
            parts[:, model] = (slopes - mean) @ cells.T
    return JointResamples(values, _covariances(weights, parts, design, plain=design.independent))


# --------------------------------------------------------------------------- areas


@frozen(eq=False)
class _Ranked:
    """One ranking: entries by descending score.

    Attributes
    ----------
    case : ndarray of int, shape (n,)
        The place of the case of each entry.
    ends, group : ndarray of int
        The last entry of each group of equal scores, and the group of each case.
    """

    case: NDArray[np.intp]
    ends: NDArray[np.intp]
    group: NDArray[np.intp]

    @classmethod
    def of(cls, ranking: Ranking, row: int) -> _Ranked:
        mark, case = ranking.mark[row], ranking.case[row].astype(np.intp)
        group = np.empty(len(case), dtype=np.intp)
        group[case] = group_of_entries(mark)
        return cls(case, np.flatnonzero(mark & Ranking.LAST_OF_TIES), group)

    def up_to(self, weights: Array) -> tuple[Array, Array]:
        """Weight in the group of each case and above, and in the group alone, (B, n)."""
        cumulated = np.cumsum(weights[:, self.case], axis=-1)[:, self.ends]
        own = np.diff(cumulated, prepend=0.0, axis=-1)
        return cumulated[:, self.group], own[:, self.group]


def _areas(records: Sequence[Array], design: Design, form: RankedAreas) -> OfCounts:
    """AUROCs, with the structural components of DeLong; Obuchowski's sums of clusters."""
    row = form.row
    if row is None:
        raise TypeError("an average of areas has no standard error")
    rankings = [form.rank(one) for one in records]
    ranked = [_Ranked.of(ranking, row) for ranking in rankings]
    case, mark = rankings[0].case[row], rankings[0].mark[row]
    positive = np.zeros(len(case), dtype=bool)
    positive[case] = (mark & Ranking.POSITIVE) > 0
    own_weight = np.ones(len(case))
    if rankings[0].weight is not None:
        own_weight[case] = rankings[0].weight[row]
    unit = unit_of_cases(design)

    def made(counts: Array) -> JointResamples:
        weights = counts[:, unit] * own_weight
        values = np.empty((len(counts), len(ranked)))
        parts = np.empty((len(counts), len(ranked), len(case)))
        for model, one in enumerate(ranked):
            values[:, model], parts[:, model] = _components(one, positive, weights)
        return JointResamples(
            values, _area_covariances(counts, own_weight * parts, positive, design)
        )

    return made


def _components(
    ranked: _Ranked, positive: NDArray[np.bool_], weights: Array
) -> tuple[Array, Array]:
    """The AUROC and what each case adds to it beyond the mean of its class, by its share of it.

    The component of a positive is the share of negatives below, of a negative that of positives
    above, ties half.
    """
    of_positives, of_negatives = weights * positive, weights * ~positive
    total, other = (one.sum(axis=-1, keepdims=True) for one in (of_positives, of_negatives))
    with np.errstate(invalid="ignore", divide="ignore"):
        above, tied = ranked.up_to(of_positives)
        for_negatives = (above - tied / 2) / total
        above, tied = ranked.up_to(of_negatives)
        for_positives = 1 - (above - tied / 2) / other
        component = np.where(positive, for_positives, for_negatives)
        area = (of_positives * component).sum(axis=-1, keepdims=True) / total
        return area[:, 0], (component - area) / np.where(positive, total, other)


def _area_covariances(
    counts: Array, parts: Array, positive: NDArray[np.bool_], design: Design
) -> Array:
    """DeLong's; Obuchowski's with clusters; that of units drawn within strata."""
    held = [design.totals(mask.astype(float)) > 0 for mask in (positive, ~positive)]
    # A class shows how it varies only where units of it share a stratum with others.
    several = np.repeat(np.array(design.strata) > 1, design.strata)
    shown = np.array([counts @ (one & several) for one in held]) >= 2
    known = np.where(shown.all(axis=0), 1.0, np.nan)[:, None, None]
    if len(design.strata) > 1:
        return known * _covariances(counts, design.totals(parts), design, plain=False)
    factors = [_few_units_factor(counts @ one)[:, None, None] for one in held]
    sums = [design.totals(parts * mask) for mask in (positive, ~positive)]
    covariances = sum(
        factor * _products(counts, part, part) for factor, part in zip(factors, sums, strict=True)
    )
    if design.sizes is not None:
        cross = _products(counts, *sums)
        factor = _few_units_factor(np.array(float(design.units)))
        covariances = covariances + factor * (cross + cross.swapaxes(1, 2))
    return np.asarray(known * covariances)


def _few_units_factor(units: Array) -> Array:
    """I / (I - 1); NaN for one."""
    return np.asarray(units / np.where(units > 1, units - 1, np.nan))


# --------------------------------------------------------------------------- anything else


def _gathered(
    records: Sequence[Array], design: Design, statistic: Statistic, counts: Array
) -> JointResamples:
    """Every resample gathered, and the influence of its cases on the statistic."""
    influence = statistic.spec.influence
    if influence is None:
        raise TypeError(f"{statistic.spec.name} declares no influence")
    resamples, units = counts.shape
    drawn = np.repeat(np.tile(np.arange(units), resamples), counts.astype(np.intp).ravel())
    values = np.empty((resamples, len(records)))
    covariances = np.empty((resamples, len(records), len(records)))
    plain = statistic.spec.estimand is Estimand.COUNTING and design.independent
    for rows, positions, own in reference.resamples(design, drawn.reshape(resamples, -1)):
        parts: list[Any] = []
        for model, one in enumerate(records):
            cases = reference.gather(one, positions)
            values[rows, model] = statistic(cases)
            parts.append(own.totals(influence(cases, **statistic.parameters) / cases.shape[-1]))
        covariances[rows] = _covariances(None, np.stack(parts, axis=1), own, plain=plain)
    return JointResamples(values, covariances)
