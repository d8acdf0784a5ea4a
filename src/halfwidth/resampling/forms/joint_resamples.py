"""Statistics of several models on the same resamples, and how they vary together on each.

To first order a statistic varies as the sum of the influences of its cases does. Of two models on
the same cases these sums have a covariance, and the variance of a difference is that of one, plus
that of the other, less twice the covariance. Here it is that of a resample, for each resample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.confusion_tables import counts_by_unit
from halfwidth.arithmetic.derivatives import derivatives, influence_of_sums
from halfwidth.arithmetic.ranked_scores import group_of_entries
from halfwidth.core.forms import CellCounts, RankedAreas, Ranking, Sums
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Estimand, Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.kernels import reference

# What is left of a variance of a difference below this share of those of both is rounding.
ROUNDING = 64 * np.finfo(float).eps


@frozen(eq=False)
class JointResamples:
    """The statistic of each of K models on some resamples, and their covariances there."""

    values: Array  # (B, K)
    covariances: Array  # (B, K, K)

    def logarithms(self) -> JointResamples:
        """Logarithms of the statistics; NaN where one is not positive."""
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


# --------------------------------------------------------------------------- covariances


def _products(weights: Array | None, one: Array, other: Array) -> Array:
    """Σ w z z' over units, (B, K, U) -> (B, K, K)."""
    weighted = one if weights is None else one * weights[:, None, :]
    return np.asarray(weighted @ other.swapaxes(1, 2))


def _covariances(weights: Array | None, parts: Array, design: Design, *, plain: bool) -> Array:
    """Covariances as `Design.variance_of_total`, (B, K, K); ``plain`` of multinomial counts."""
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


def joint_tables(records: Sequence[Array], design: Design, form: CellCounts) -> OfCounts:
    """Functions of tables. Cases that lie in the same cells for all models are counted together."""
    codes = np.stack(records).astype(np.intp)
    if not design.independent:
        unit, units = design.unit_of_case, design.units
        tables = [counts_by_unit(one, unit, units, form.n_cells).astype(float) for one in codes]
        return lambda counts: _resample_tables(counts, tables, design, form)
    kinds, kind = np.unique(codes, axis=1, return_inverse=True)
    order = np.argsort(kind.ravel(), kind="stable")
    starts = np.searchsorted(kind.ravel()[order], np.arange(kinds.shape[1]))
    tables = [np.eye(form.n_cells)[one] for one in kinds]

    def resamples(counts: Array) -> JointResamples:
        kind_counts = np.add.reduceat(counts[:, order], starts, axis=-1)
        return _resample_tables(kind_counts, tables, design, form)

    return resamples


def _resample_tables(
    counts: Array, tables: Sequence[Array], design: Design, form: CellCounts
) -> JointResamples:
    """Resample tables by the counts of units and the cells of each, (B, U) and (U, cells)."""
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
class _Against:
    """The cases of one class, ranked against those of the other by one model."""

    order: NDArray[np.intp]  # The cases of the other class by descending score
    # For each case of this class, how many of these lie above it, and above or level with it
    above: NDArray[np.intp]
    up_to: NDArray[np.intp]

    @classmethod
    def from_groups(cls, group: NDArray[np.intp], other_group: NDArray[np.intp]) -> _Against:
        """Take the number of the group of equal scores of each case, the highest score first."""
        order = np.argsort(other_group, kind="stable")
        ordered = other_group[order]
        above, up_to = (np.searchsorted(ordered, group, side) for side in ("left", "right"))
        return cls(order, above, up_to)

    def share_above(self, weights: Array) -> Array:
        """The share of the other class that lies above each case, ties half: (m, B)."""
        cumulated = np.empty((len(weights) + 1, weights.shape[-1]))
        cumulated[0] = 0
        np.cumsum(weights[self.order], axis=0, out=cumulated[1:])
        share = cumulated[self.above]
        if (self.above != self.up_to).any():
            share += cumulated[self.up_to]
            share /= 2
        share /= cumulated[-1]
        return share


def joint_areas(records: Sequence[Array], design: Design, form: RankedAreas) -> OfCounts:
    """AUROCs by DeLong's components, Obuchowski's sums of clusters; resamples lie side by side."""
    row = form.row
    if row is None:
        raise TypeError("an average of areas has no standard error")
    rankings = [form.rank(one) for one in records]
    case, mark = rankings[0].case[row], rankings[0].mark[row]
    positive = np.zeros(len(case), dtype=bool)
    positive[case] = (mark & Ranking.POSITIVE) > 0
    classes = np.flatnonzero(positive), np.flatnonzero(~positive)
    own_weight = np.ones(len(case))
    if rankings[0].weight is not None:
        own_weight[case] = rankings[0].weight[row]
    ranked = [_both_ways(ranking, row, *classes) for ranking in rankings]
    unit, models = design.unit_of_case, len(records)

    def resamples(counts: Array) -> JointResamples:
        drawn = np.ascontiguousarray(counts.T)
        weights = [drawn[unit[one]] * own_weight[one, None] for one in classes]
        totals = [one.sum(axis=0) for one in weights]
        values = np.empty((len(counts), models))
        parts = [np.empty((len(counts), models, len(one))) for one in classes]
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = [own_weight[one, None] / n for one, n in zip(classes, totals, strict=True)]
            for model, (positives, negatives) in enumerate(ranked):
                # Of a positive it is the share of negatives below that counts.
                components = [
                    1 - positives.share_above(weights[1]),
                    negatives.share_above(weights[0]),
                ]
                area = (weights[0] * components[0]).sum(axis=0) / totals[0]
                values[:, model] = area
                for into, own, share in zip(parts, components, shares, strict=True):
                    own -= area  # noqa: PLW2901 -- made for this
                    own *= share  # noqa: PLW2901
                    into[:, model] = own.T
        covariances = _area_covariances(counts, parts, classes, design)
        return JointResamples(values, covariances)

    return resamples


def _both_ways(
    ranking: Ranking, row: int, positives: NDArray[np.intp], negatives: NDArray[np.intp]
) -> tuple[_Against, _Against]:
    group = np.empty(ranking.case.shape[-1], dtype=np.intp)
    group[ranking.case[row]] = group_of_entries(ranking.mark[row])
    one, other = group[positives], group[negatives]
    return _Against.from_groups(one, other), _Against.from_groups(other, one)


def _area_covariances(
    counts: Array, parts: Sequence[Array], classes: Sequence[NDArray[np.intp]], design: Design
) -> Array:
    """DeLong's; Obuchowski's with clusters; that of units drawn within strata."""
    # `parts` are what the cases of each class add beyond the mean of it, by their share of it.
    unit = design.unit_of_case
    several = np.repeat(np.array(design.strata) > 1, design.strata)
    held = [np.unique(unit[cases]) for cases in classes]
    # A class shows how it varies only where units of it share a stratum with others.
    shown = [counts[:, units[several[units]]].sum(axis=-1) >= 2 for units in held]
    known = np.where(shown[0] & shown[1], 1.0, np.nan)[:, None, None]
    if len(design.strata) > 1:
        sums = _by_unit(parts[0], unit[classes[0]], design)
        sums += _by_unit(parts[1], unit[classes[1]], design)
        return known * _covariances(counts, sums, design, plain=False)
    factors = [few_units_factor(counts[:, units].sum(axis=-1)) for units in held]
    if design.sizes is None:
        pairs = zip(factors, parts, classes, strict=True)
        both = [f[:, None, None] * _products(counts[:, units], z, z) for f, z, units in pairs]
        return np.asarray(known * (both[0] + both[1]))
    one, other = (_by_unit(z, unit[cases], design) for z, cases in zip(parts, classes, strict=True))
    cross = _products(counts, one, other)
    return np.asarray(
        known
        * (
            factors[0][:, None, None] * _products(counts, one, one)
            + factors[1][:, None, None] * _products(counts, other, other)
            + few_units_factor(design.units) * (cross + cross.swapaxes(1, 2))
        )
    )


def _by_unit(parts: Array, unit: NDArray[np.intp], design: Design) -> Array:
    """Sums over the cases of each unit, which stand in its order: (B, K, m) -> (B, K, U)."""
    held, starts = np.unique(unit, return_index=True)
    sums = np.zeros((*parts.shape[:-1], design.units))
    sums[..., held] = np.add.reduceat(parts, starts, axis=-1)
    return sums


def few_units_factor(units: Array | float) -> Array:
    """I / (I - 1): the mean was estimated from the same units; NaN for one."""
    units = np.asarray(units, float)
    return np.asarray(units / np.where(units > 1, units - 1, np.nan))


# --------------------------------------------------------------------------- sums


def joint_sums(records: Sequence[Array], design: Design, form: Sums) -> OfCounts | None:
    """Functions of sums of whole numbers, which are the same in any order; None of others."""
    features = [form.features(one) for one in records]
    whole = all((one == np.rint(one)).all() for one in features)
    if design.sizes is not None or not whole:
        return None
    n, units = design.n, np.arange(design.units)

    def resamples(counts: Array) -> JointResamples:
        drawn = np.repeat(np.tile(units, len(counts)), counts.astype(np.intp).ravel())
        positions = drawn.reshape(len(counts), -1)
        values, parts = np.empty((len(counts), len(features))), []
        for model, own in enumerate(features):
            sums = counts @ own.T
            values[:, model] = form.finish(np.asarray(float(n)), sums)
            influence = influence_of_sums(form.finish, n, sums, own)
            cases = np.take_along_axis(influence, positions, axis=-1)
            parts.append((cases - cases.mean(axis=-1, keepdims=True)) / n)
        covariances = _covariances(None, np.stack(parts, axis=1), design, plain=False)
        return JointResamples(values, covariances)

    return resamples


# --------------------------------------------------------------------------- anything else


def gathered(
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
