"""Standard errors of AUROCs, and of differences between those of two models on the same cases.

What a case adds to an area is its structural component (DeLong, DeLong & Clarke-Pearson 1988),
which is summed over the cases of each class in each unit (Obuchowski 1997 for clusters). To a
difference it adds the one component less the other, so that the covariance of two areas needs no
formula of its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.ranked_scores import concordance, in_parts
from halfwidth.core.forms import Contrast, RankedAreas, Ranking
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Estimand, Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.forms.contract import (
    declared_form,
    distinct_models,
    has_influence,
    single_model,
)
from halfwidth.resampling.forms.joint_resamples import few_units_factor

# A standard error below this is rounding.
ROUNDING = 1e-12


def has_standard_error(statistic: Statistic) -> bool:
    """Whether it is one AUROC."""
    return has_influence(statistic) or statistic.spec.estimand is Estimand.AUROC


@frozen
class ClassParts:
    """What the positive and the negative cases of each unit contribute to one AUROC, or to two."""

    area: float
    # (U,) each: sums of structural components less the area, each by its share of its class
    parts: tuple[Array, Array]
    weights: tuple[Array, Array]  # (U,) each: weights of the cases of each class

    def variances(self) -> tuple[float, float]:
        """Variances of the area due to the units of each class."""
        one, other = (
            (part**2).sum() * few_units_factor((weights > 0).sum())
            for part, weights in zip(self.parts, self.weights, strict=True)
        )
        return float(one), float(other)

    def against(self, other: ClassParts, contrast: Contrast) -> ClassParts:
        """Parts of a contrast with the area of another model on the same cases."""
        slopes, value = (1.0, 1.0), contrast.between(np.array(self.area), np.array(other.area))
        if contrast.effect == "ratio":
            slopes = float(value) / self.area, float(value) / other.area
        positive, negative = (
            slopes[0] * mine - slopes[1] * theirs
            for mine, theirs in zip(self.parts, other.parts, strict=True)
        )
        return ClassParts(float(value), (positive, negative), self.weights)


def _parts_of_samples(
    values: Array, design: Design, statistic: Statistic
) -> list[ClassParts | None]:
    """The parts of each test set, or pair of these; None where a class has no case."""
    contrast = statistic.spec.form
    if isinstance(contrast, Contrast):
        models, places = distinct_models(values)
        models_parts = _parts_of_samples(models, design, single_model(statistic))
        pairs = [(models_parts[first], models_parts[second]) for first, second in places]
        return [one and other and one.against(other, contrast) for one, other in pairs]
    form = declared_form(statistic, RankedAreas)
    if form.row is None:
        raise TypeError(f"{statistic.spec.name} is no area under one curve")
    return [_class_parts(form.rank(sample), form.row, design) for sample in values]


def _class_parts(ranking: Ranking, row: int, design: Design) -> ClassParts | None:
    mark = ranking.mark[row]
    positive = (mark & Ranking.POSITIVE) > 0
    weight = np.ones(len(mark)) if ranking.weight is None else ranking.weight[row]
    m, n = weight[positive].sum(), weight[~positive].sum()
    if m == 0 or n == 0:
        return None
    credit = concordance(mark, weight)
    area = (weight * credit * positive).sum() / (2 * m * n)
    component = np.where(positive, credit / (2 * n), credit / (2 * m)) - area
    unit = design.unit_of_case[ranking.case[row]]
    share = weight * component * np.where(positive, 1 / m, 1 / n)

    def by_unit(cases: Array, among: NDArray[np.bool_]) -> Array:
        return np.bincount(unit[among], cases[among], minlength=design.units).astype(float)

    return ClassParts(
        float(area),
        (by_unit(share, positive), by_unit(share, ~positive)),
        (by_unit(weight, positive), by_unit(weight, ~positive)),
    )


# --------------------------------------------------------------------------- standard errors


def standard_error(records: Array, design: Design, statistic: Statistic) -> Array:
    """DeLong's standard error of AUROCs or of their contrasts, Obuchowski's with clusters: (S,).

    T₁ and T₀ are the sums over the positive and the negative cases of a unit of their structural
    components less the area. Var = Σ I₁/(I₁-1) (T₁/m)² + I₀/(I₀-1) (T₀/n)² + 2 I/(I-1) T₁T₀/(mn),
    I₁ and I₀ the units with a positive and with a negative case, of all I. With strata it is the
    variance of Σ (T₁/m + T₀/n) over units drawn within each (`Design.variance_of_total`). NaN where
    fewer than two units of a class can be compared; 0 for AUROC 0 or 1, or all tied.
    """
    return np.array(
        [_error(parts, design) for parts in _parts_of_samples(records, design, statistic)]
    )


def _error(classes: ClassParts | None, design: Design) -> float:
    stratum_size = np.repeat(np.array(design.strata), design.strata)
    # A class shows how it varies only where units of it share a stratum with others.
    if classes is None or any((stratum_size[w > 0] > 1).sum() < 2 for w in classes.weights):
        return float("nan")
    positive, negative = classes.parts
    if len(design.strata) > 1:
        # Strata fix how many units there are, not how many of them are positive.
        return _unless_rounding(float(design.variance_of_total(positive + negative)))
    cross = 2 * (positive * negative).sum() * few_units_factor(design.units)
    return _unless_rounding(float(sum(classes.variances()) + cross))


def _unless_rounding(variance: float) -> float:
    """The root of a variance; 0 where what is left is rounding."""
    return 0.0 if variance <= ROUNDING**2 else float(np.sqrt(variance))


def class_degrees(values: Array, design: Design, statistic: Statistic) -> Array:
    """Degrees of freedom of DeLong's variance, by Satterthwaite: (S, ..., n) -> (S,).

    (V₁ + V₀)²/(V₁²/(m - 1) + V₀²/(n - 1)), V₁ and V₀ the parts of m positive and n negative cases.
    Cases of unequal weight, and clusters, count as (Σw)²/Σw² equal ones (Kish), and no class for
    more degrees of freedom than all clusters have.
    """
    return np.array(
        [_degrees(parts, design) for parts in _parts_of_samples(values, design, statistic)]
    )


def _degrees(classes: ClassParts | None, design: Design) -> float:
    if classes is None or any((weights > 0).sum() < 2 for weights in classes.weights):
        return float("nan")
    variances = classes.variances()
    if not sum(variances) > 0:
        return float("nan")
    left = [weights.sum() ** 2 / (weights**2).sum() - 1 for weights in classes.weights]
    spread = sum(variance**2 / free for variance, free in zip(variances, left, strict=True))
    degrees = float(sum(variances) ** 2 / spread)
    return max(min(degrees, design.effective_degrees), 1.0)


# --------------------------------------------------------------------------- sizes of classes


def class_units(values: Array, design: Design, statistic: Statistic) -> tuple[Array, Array]:
    """Units with a positive and units with a negative case, of each test set: (S, k, n) -> (S,).

    Independent cases are units; of clusters, the cases of one are not told apart. Units of unequal
    weight, and clusters with unequal numbers of cases of a class, count as (Σw)²/Σw² equal ones
    (Kish).
    """
    if isinstance(statistic.spec.form, Contrast):
        # Both models have the same cases.
        return class_units(values[:, 0], design, single_model(statistic))
    form = declared_form(statistic, RankedAreas)
    if form.row is None:
        raise TypeError(f"{statistic.spec.name} is no area under one curve")
    counts = []
    for part in in_parts(values):
        ranking = form.rank(values[part])
        sets = len(values[part])
        rows_of_class = slice(form.row, None, len(ranking.case) // sets)
        positive = (ranking.mark[rows_of_class] & Ranking.POSITIVE) > 0
        if ranking.weight is None and design.independent:
            with_it = positive.sum(axis=-1)
            counts.append(np.stack([with_it, positive.shape[-1] - with_it], axis=-1))
            continue
        weights = [None] * sets if ranking.weight is None else ranking.weight[rows_of_class]
        rows = zip(positive, design.unit_of_case[ranking.case[rows_of_class]], weights, strict=True)
        counts.append(np.array([_held(*row) for row in rows]))
    with_it, without = np.concatenate(counts).astype(float).T
    return with_it, without


def _held(positive: NDArray[np.bool_], unit: NDArray[np.intp], weight: Array | None) -> list[float]:
    """Units with a positive and units with a negative entry of one row, by weight."""
    weight = np.ones(len(unit)) if weight is None else weight
    totals = [np.bincount(unit[entries], weight[entries]) for entries in (positive, ~positive)]
    return [float(w.sum() ** 2 / (w**2).sum()) for w in totals]
