"""Areas under curves of ranked scores: AUROC, average precision, thresholds chosen on the cases.

Scores are ranked once. A resample is how often each unit is drawn, and its area a pass over the
ranked entries with those counts (`ranked_resamples`, and `ranked_left_out` for units left out).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import RankedAreas, Ranking
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Estimand, Statistic
from halfwidth.core.types import Array
from halfwidth.metrics.ranking import in_parts
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import REPLICATE, Engine, declared_form, has_influence
from halfwidth.resampling.forms.ranked_left_out import without_each_unit
from halfwidth.resampling.forms.ranked_resamples import (
    Areas,
    areas_of_resamples,
    areas_of_samples,
    concordance,
    unit_of_cases,
)
from halfwidth.resampling.forms.ranked_weighted import weighted

# A standard error below this is rounding.
ROUNDING = 1e-12
# Scores of samples that are ranked at once: some 30 MB with their order. No result depends on it.
MOST_RANKED = 2**20


def replicates(records: Array, design: Design, statistic: Statistic, plan: Plan) -> Array:
    """Rankings of many samples under one another, so that they share the counts of a resample."""
    form = declared_form(statistic, RankedAreas)
    out = np.empty((len(records), plan.n_resamples))
    if len(records) == 1:
        areas = _kept_areas(form.rank(records[0]), design, form, plan)
        out[0] = form.finish(areas.area.T, areas.positives.T)
        return out
    step = max(1, MOST_RANKED // max(records[:1].size, 1))
    for start in range(0, len(records), step):
        part = records[start : start + step]
        ranking = form.rank(part)
        into = out[start : start + step]
        for some, block, areas in areas_of_samples(form.area, ranking, len(part), design, plan):
            shape = (some.stop - some.start, -1, block.stop - block.start)
            area, positives = (
                np.moveaxis(one.reshape(shape), 1, -1) for one in (areas.area, areas.positives)
            )
            into[some, block] = form.finish(area, positives)
    return out


def _kept_areas(ranking: Ranking, design: Design, form: RankedAreas, plan: Plan) -> Areas:
    """Areas of all resamples, kept for other averages of the same scores."""

    def drawn() -> Areas:
        shape = (len(ranking.case), plan.n_resamples)
        kept = Areas(np.empty(shape), np.empty(shape))
        for start, stop, areas in areas_of_resamples(form.area, ranking, design, plan):
            kept.area[:, start:stop] = areas.area
            kept.positives[:, start:stop] = areas.positives
        return kept

    arrays = [array for array in (ranking.case, ranking.mark, ranking.weight) if array is not None]
    return plan.once((form.area,), arrays, design, drawn)


def leave_one_out(records: Array, design: Design, statistic: Statistic) -> Array:
    """In a pass over the ranked entries, where cases are independent."""
    return without_each_unit(declared_form(statistic, RankedAreas), records, design)


def seconds(statistic: Statistic, n: int, classes: int) -> float:
    """A pass over the entries of each row."""
    rows = classes if declared_form(statistic, RankedAreas).row is None else 1
    return REPLICATE + rows * n * 2.5e-10


# --------------------------------------------------------------------------- standard errors


def has_standard_error(statistic: Statistic) -> bool:
    """Whether it is one AUROC."""
    return has_influence(statistic) or statistic.spec.estimand is Estimand.AUROC


def standard_error(records: Array, design: Design, statistic: Statistic) -> Array:
    """DeLong's, of one AUROC."""
    form = declared_form(statistic, RankedAreas)
    if statistic.spec.estimand is not Estimand.AUROC or form.row is None:
        raise TypeError(f"{statistic.spec.name} declares no influence")
    row = form.row
    return np.array([auroc_standard_error(form.rank(one), row, design) for one in records])


@frozen
class _ClassParts:
    """What the positive and the negative cases of each unit contribute to one AUROC.

    Attributes
    ----------
    parts : tuple of ndarray, each (U,)
        Sums of structural components less the area, each by its share of its class.
    weights : tuple of ndarray, each (U,)
        Weights of the cases of each class.
    """

    parts: tuple[Array, Array]
    weights: tuple[Array, Array]

    def variances(self) -> tuple[float, float]:
        """Of the area, due to the units of each class."""
        one, other = (
            (part**2).sum() * _few_units_factor(int((weights > 0).sum()))
            for part, weights in zip(self.parts, self.weights, strict=True)
        )
        return float(one), float(other)


def _class_parts(ranking: Ranking, row: int, design: Design) -> _ClassParts | None:
    """None where a class has no case."""
    mark = ranking.mark[row]
    positive = (mark & Ranking.POSITIVE) > 0
    weight = np.ones(len(mark)) if ranking.weight is None else ranking.weight[row]
    m, n = weight[positive].sum(), weight[~positive].sum()
    if m == 0 or n == 0:
        return None
    credit = concordance(mark, weight)
    area = (weight * credit * positive).sum() / (2 * m * n)
    component = np.where(positive, credit / (2 * n), credit / (2 * m)) - area
    unit = unit_of_cases(design)[ranking.case[row]]
    share = weight * component * np.where(positive, 1 / m, 1 / n)

    def by_unit(cases: Array, among: NDArray[np.bool_]) -> Array:
        return np.bincount(unit[among], cases[among], minlength=design.units).astype(float)

    return _ClassParts(
        (by_unit(share, positive), by_unit(share, ~positive)),
        (by_unit(weight, positive), by_unit(weight, ~positive)),
    )


def auroc_standard_error(ranking: Ranking, row: int, design: Design) -> float:
    """DeLong's standard error of one AUROC, Obuchowski's with clusters.

    T₁ and T₀ are the sums over the positive and the negative cases of a unit of their structural
    components less the area. Var = Σ I₁/(I₁-1) (T₁/m)² + I₀/(I₀-1) (T₀/n)² + 2 I/(I-1) T₁T₀/(mn),
    I₁ and I₀ the units with a positive and with a negative case, of all I. With strata it is the
    variance of Σ (T₁/m + T₀/n) over units drawn within each (`Design.variance_of_total`).

    Returns
    -------
    float
        NaN where fewer than two units of a class can be compared; 0 for AUROC 0 or 1, or all tied.
    """
    classes = _class_parts(ranking, row, design)
    of_stratum = np.repeat(np.array(design.strata), design.strata)
    # A class shows how it varies only where units of it share a stratum with others.
    if classes is None or any((of_stratum[w > 0] > 1).sum() < 2 for w in classes.weights):
        return float("nan")
    positive, negative = classes.parts
    if len(design.strata) > 1:
        # Strata fix how many units there are, not how many of them are positive.
        return _unless_rounding(float(design.variance_of_total(positive + negative)))
    cross = 2 * (positive * negative).sum() * _few_units_factor(design.units)
    return _unless_rounding(float(sum(classes.variances()) + cross))


def class_degrees(values: Array, design: Design, statistic: Statistic) -> Array:
    """Degrees of freedom of DeLong's variance, by Satterthwaite: (S, k, n) -> (S,).

    (V₁ + V₀)²/(V₁²/(m - 1) + V₀²/(n - 1)), V₁ and V₀ the parts of m positive and n negative cases.
    Cases of unequal weight, and clusters, count as (Σw)²/Σw² equal ones (Kish), and no class for
    more degrees of freedom than all clusters have.
    """
    form = declared_form(statistic, RankedAreas)
    if form.row is None:
        raise TypeError(f"{statistic.spec.name} is no area under one curve")
    row = form.row
    return np.array([_degrees_of_classes(form.rank(one), row, design) for one in values])


def _degrees_of_classes(ranking: Ranking, row: int, design: Design) -> float:
    classes = _class_parts(ranking, row, design)
    if classes is None or any((weights > 0).sum() < 2 for weights in classes.weights):
        return float("nan")
    variances = classes.variances()
    if not sum(variances) > 0:
        return float("nan")
    left = [weights.sum() ** 2 / (weights**2).sum() - 1 for weights in classes.weights]
    spread = sum(variance**2 / free for variance, free in zip(variances, left, strict=True))
    degrees = float(sum(variances) ** 2 / spread)
    return max(min(degrees, design.effective_degrees), 1.0)


def weighs_cases(statistic: Statistic) -> bool:
    """Whether records end in a row of weights."""
    return bool(getattr(declared_form(statistic, RankedAreas).rank, "weighted", False))


def _few_units_factor(units: int) -> float:
    """I / (I - 1): the mean was estimated from the same units; NaN for one."""
    return units / (units - 1) if units > 1 else float("nan")


def _unless_rounding(variance: float) -> float:
    """The root of a variance; 0 where what is left is rounding."""
    return 0.0 if variance <= ROUNDING**2 else float(np.sqrt(variance))


def class_units(values: Array, design: Design, statistic: Statistic) -> tuple[Array, Array]:
    """Units with a positive and units with a negative case, of each test set: (S, k, n) -> (S,).

    Independent cases are units; of clusters, the cases of one are not told apart. Units of unequal
    weight, and clusters with unequal numbers of cases of a class, count as (Σw)²/Σw² equal ones
    (Kish).
    """
    form = declared_form(statistic, RankedAreas)
    if form.row is None:
        raise TypeError(f"{statistic.spec.name} is no area under one curve")
    counts = []
    for part in in_parts(values):
        ranking = form.rank(values[part])
        sets = len(values[part])
        of_row = slice(form.row, None, len(ranking.case) // sets)
        positive = (ranking.mark[of_row] & Ranking.POSITIVE) > 0
        if ranking.weight is None and design.independent:
            with_it = positive.sum(axis=-1)
            counts.append(np.stack([with_it, positive.shape[-1] - with_it], axis=-1))
            continue
        weights = [None] * sets if ranking.weight is None else ranking.weight[of_row]
        rows = zip(positive, unit_of_cases(design)[ranking.case[of_row]], weights, strict=True)
        counts.append(np.array([_held(*row) for row in rows]))
    with_it, without = np.concatenate(counts).astype(float).T
    return with_it, without


def _held(positive: NDArray[np.bool_], unit: NDArray[np.intp], weight: Array | None) -> list[float]:
    """Units with a positive and units with a negative entry of one row, by weight."""
    weight = np.ones(len(unit)) if weight is None else weight
    totals = [np.bincount(unit[entries], weight[entries]) for entries in (positive, ~positive)]
    return [float(w.sum() ** 2 / (w**2).sum()) for w in totals]


ENGINE = Engine(
    replicates=replicates,
    leave_one_out=leave_one_out,
    standard_error=standard_error,
    has_standard_error=has_standard_error,
    weighted=weighted,
    weights_need_bounds=lambda _statistic: False,
    seconds=seconds,
    bounded=True,
    paired=True,
    weighs_cases=weighs_cases,
)
