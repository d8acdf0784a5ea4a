"""Functions of confusion matrices whose cases have Dirichlet weights.

Two classes have a pseudo-case in each cell, so that sensitivity is a Beta variate of TP + ½ and
FN + ½, as in the interval of Jeffreys. With more classes pseudo-cases for each would draw what is
made of all of them to chance, the farther the more classes there are. So a metric of one class is
of its table against the rest, an average over classes is made of such tables
(`resampling.class_averages`), and for a metric of all classes at once the same mass as for a mean
is spread over right and over wrong decisions, whatever the number of classes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.confusion_tables import count_cells, counts_by_unit, one_vs_rest
from halfwidth.core.forms import ByClass, CellCounts
from halfwidth.core.pseudo_cases import Masses, PseudoCases
from halfwidth.core.spec import Statistic
from halfwidth.core.types import UNBOUNDED, Array, Bounds, Numbers
from halfwidth.resampling.class_averages import Classes
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import BothEnds, InPairs, declared_form
from halfwidth.resampling.forms.weighted_margins import replicates_of_margins, takes_cases
from halfwidth.resampling.forms.weighted_rows import both_ends, in_pairs, sides_of
from halfwidth.resampling.weights.blocks import Features
from halfwidth.resampling.weights.dirichlet import (
    masses_at_corners,
    pseudo_weights,
    pseudo_weights_of_classes,
    weighted_sums,
    weights_at_corners,
)
from halfwidth.resampling.weights.gammas import gammas

# Of tables with more cells, of 33 classes and more, margins alone are held in memory.
MANY_CELLS = 2**10


def weighted(
    codes: Array, design: Design, statistic: Statistic, plan: Plan, pseudo_cases: PseudoCases
) -> BothEnds:
    """The distributions for the lower and for the upper end of an interval."""
    form = declared_form(statistic, CellCounts)
    counts = count_cells(codes, form.n_cells)
    if form.n_cells > MANY_CELLS and (form.by_class or form.of_margins):
        sides = _sides(form, pseudo_cases, outward=not _is_one_table(form))
        classes = _classes(form, counts.astype(float), pseudo_cases.bounds)
        replicates = replicates_of_margins(form, codes, design, plan, sides, classes)
        return both_ends(replicates, classes, plan)
    if design.simple:
        cells = _weights_of_cells(counts, design, plan)
    else:
        cells = weights_of_tables(_by_unit(codes, form.n_cells, design), design, plan)
    return weighted_tables(
        form, counts.astype(float), cells, design.n / design.units, plan, pseudo_cases
    )


def weighted_pairs(
    codes: Array,
    design: Design,
    statistic: Statistic,
    plan: Plan,
    pseudo_cases: PseudoCases,
    _discordance: float,
) -> tuple[InPairs, InPairs]:
    """Replicates of models in pairs, whose cases have the same weights in every model."""
    form = declared_form(statistic, CellCounts)
    counts = count_cells(codes, form.n_cells).astype(float)
    cells = weights_of_tables(_by_unit(codes, form.n_cells, design), design, plan)
    return weighted_table_pairs(form, counts, cells, design.n / design.units, plan, pseudo_cases)


# --------------------------------------------------------------------------- tables

# Tables observed are (S, K), those under Dirichlet weights (S, B, K). A unit is what one counts on
# average, and so a whole pseudo-case.


def weighted_tables(
    form: CellCounts,
    counts: Array,
    cells: Array,
    unit: float,
    plan: Plan,
    pseudo_cases: PseudoCases,
) -> BothEnds:
    """Distributions of a function of tables."""
    sides = _sides(form, pseudo_cases, outward=not _is_one_table(form))
    added = [unit * _pseudo_cells(form, masses, plan) for masses in sides]
    classes = _classes(form, counts, pseudo_cases.bounds)
    return both_ends([_replicates(form, cells, own, classes) for own in added], classes, plan)


def weighted_table_pairs(
    form: CellCounts,
    counts: Array,
    cells: Array,
    unit: float,
    plan: Plan,
    pseudo_cases: PseudoCases,
) -> tuple[InPairs, InPairs]:
    """Replicates of a function of tables of models in pairs."""
    # A difference has the pseudo-cases of both bounds at either end, of averages too: what draws
    # one average inwards draws the other with it.
    sides = _sides(form, pseudo_cases, outward=False)
    added = [unit * own for masses in sides for own in _pseudo_pairs(form, masses, plan)]
    classes = _classes(form, counts)
    return in_pairs([_replicates(form, cells, own, classes) for own in added], classes)


def _sides(form: CellCounts, pseudo_cases: PseudoCases, *, outward: bool) -> list[Masses]:
    """Masses of wrong and of right decisions."""
    sides = sides_of(pseudo_cases, outward=outward)
    return sides if form.errors_lower else [masses[::-1] for masses in sides]


def _is_one_table(form: CellCounts) -> bool:
    """Whether it is of two classes, or of one against the rest."""
    return form.n_cells == 4 or (form.by_class is not None and form.by_class.average is None)


def _each_class(form: CellCounts) -> ByClass | None:
    """How a metric is made of the table of each class against the rest; None where it is not."""
    return form.by_class if form.n_cells > 4 else None


def _replicates(form: CellCounts, cells: Array, added: Array, classes: Classes | None) -> Array:
    """Replicates with pseudo-cases in cells, (B, K), or in TP, FN, FP, TN of classes, (4, B, C)."""
    by_class = _each_class(form)
    if by_class is None:
        return form.finish(cells + added)[:, None]
    observed = one_vs_rest(_matrices(cells))
    both = zip(observed, added, strict=True)
    values = np.asarray(by_class.values(*(cell + extra for cell, extra in both)))
    if classes is None:
        values = values[..., by_class.which, None]
    replicates = np.ascontiguousarray(np.moveaxis(values, -1, 1))
    if classes is None:
        return replicates
    return classes.with_average(replicates, np.moveaxis(observed[0] + observed[1], -1, 1))


def _classes(form: CellCounts, counts: Array, bounds: Bounds = UNBOUNDED) -> Classes | None:
    """Classes of an average."""
    by_class = _each_class(form)
    if by_class is None or by_class.average is None:
        return None
    average, observed = by_class.average, one_vs_rest(_matrices(counts))
    support = observed[0] + observed[1]
    values = np.asarray(by_class.values(*observed))
    return Classes.averaged(values, support, average, bounds)


def _matrices(tables: Array) -> Array:
    n_classes = round(tables.shape[-1] ** 0.5)
    return tables.reshape(*tables.shape[:-1], n_classes, n_classes)


# --------------------------------------------------------------------------- pseudo-cases


def _pseudo_cells(form: CellCounts, masses: Masses, plan: Plan) -> Array:
    """What pseudo-cases add, as `_replicates` takes it."""
    (wrong, right), n_classes = masses, round(form.n_cells**0.5)
    if _each_class(form) is not None:
        drawn = pseudo_weights_of_classes([right, wrong, wrong, right], n_classes, plan)
        return np.moveaxis(drawn, -1, 1)
    # Of more than two classes, all right decisions share the mass of one cell, and so do all wrong.
    among_wrong, among_right = (1, 1) if n_classes == 2 else (n_classes**2 - n_classes, n_classes)
    is_right = np.eye(n_classes, dtype=bool).ravel()
    return pseudo_weights(np.where(is_right, right / among_right, wrong / among_wrong), plan)


def _pseudo_pairs(form: CellCounts, masses: Masses, plan: Plan) -> list[Array]:
    """Weights of pseudo-pairs, for the first model and for the second."""
    n_classes, by_class = round(form.n_cells**0.5), _each_class(form)
    if n_classes > 2 and by_class is None:
        return _spread_over_cells(masses, n_classes, plan)
    # TP, FN, FP and TN, (4, C, B).
    roles = [
        np.stack([own[1], own[0], other[0], other[1]])
        for own, other in weights_at_corners(masses, n_classes if by_class else 1, plan)
    ]
    if by_class is not None:
        return [np.moveaxis(role, -1, 1) for role in roles]
    return [np.ascontiguousarray(role[::-1, 0].T) for role in roles]


def _spread_over_cells(masses: Masses, n_classes: int, plan: Plan) -> list[Array]:
    """Pseudo-pairs of all classes, of the first model and of the second: (B, K) each."""
    # Wrong ones are spread over all wrong decisions, right ones over the classes. Where one model
    # is wrong and the other right the class is the same; where both are wrong, so is the decision.
    wrong = ~np.eye(n_classes, dtype=bool)
    corners = masses_at_corners(masses)
    held = [wrong, wrong, wrong, ~wrong]
    each = [np.full(cells.sum(), m / cells.sum()) for m, cells in zip(corners, held, strict=True)]
    drawn = pseudo_weights(np.concatenate(each), plan)
    parts = np.split(drawn, np.cumsum([cells.sum() for cells in held])[:-1], axis=-1)
    both_wrong, first_wrong, second_wrong, both_right = (
        _in_cells(weights, cells) for weights, cells in zip(parts, held, strict=True)
    )
    roles = (
        both_wrong + both_right + first_wrong + _set_right(second_wrong),
        both_wrong + both_right + second_wrong + _set_right(first_wrong),
    )
    return [role.reshape(plan.n_resamples, -1) for role in roles]


def _in_cells(weights: Array, cells: NDArray[np.bool_]) -> Array:
    """Weights in the cells of a table that are marked, (B, P) -> (B, C, C)."""
    table = np.zeros((len(weights), *cells.shape))
    table[:, cells] = weights
    return table


def _set_right(table: Array) -> Array:
    """The cases of each class decided as they should be."""
    return np.asarray(np.eye(table.shape[-1]) * table.sum(axis=-1, keepdims=True))


# --------------------------------------------------------------------------- weights of cells


def _weights_of_cells(counts: Numbers, design: Design, plan: Plan) -> Array:
    """Weights in cells of independent cases, (S, K) -> (S, B, K), whatever else is in the batch."""
    cells = np.zeros((len(counts), plan.n_resamples, counts.shape[-1]))
    by_case = takes_cases(design.n, (counts > 0).sum(axis=-1))
    if by_case.any():
        cells[by_case] = _summed_over_cases(counts[by_case], design, plan)
    cells[~by_case] = _gammas_of_cells(counts[~by_case], plan)
    return cells


def _summed_over_cases(counts: Numbers, design: Design, plan: Plan) -> Array:
    ends = np.cumsum(counts, axis=-1)
    place = np.arange(design.n)
    inside = (place < ends[..., None]) & (place >= (ends - counts)[..., None])
    return weights_of_tables(inside.astype(float), design, plan)


def _gammas_of_cells(counts: Numbers, plan: Plan) -> Array:
    cells = np.zeros((len(counts), plan.n_resamples, counts.shape[-1]))
    for cell, in_cell in enumerate(counts.T):
        for count in np.unique(in_cell[in_cell > 0]):
            purpose = ("weights of cells", counts.shape[-1], cell)
            cells[in_cell == count, :, cell] = gammas(
                plan.entropy, purpose, float(count), plan.n_resamples
            )
    return cells


def weights_of_tables(by_unit: Array, design: Design, plan: Plan) -> Array:
    """Weights in cells, (S, K, U) -> (S, B, K); cases of a stratum weigh as many as they are."""
    held = by_unit.any(axis=-1)
    features = np.concatenate([by_unit[held], design.unit_sizes[None].astype(float)])
    cases = np.array([size.sum() for size in design.by_stratum(features[-1])])[:, None, None]
    cells = np.zeros((*by_unit.shape[:2], plan.n_resamples))
    for some, sums in weighted_sums(Features(features, design), plan):
        factors = cases / sums[:, -1:] if len(cases) > 1 else 1.0
        cells[held, some] = (factors * sums[:, :-1]).sum(axis=0)
    return np.moveaxis(cells, 1, -1)


def _by_unit(codes: Array, n_cells: int, design: Design) -> Array:
    """Cases of each unit in each cell, (S, n) -> (S, K, U)."""
    unit, units = design.unit_of_case, design.units
    each = [counts_by_unit(sample, unit, units, n_cells).T for sample in codes]
    return np.stack(each).astype(float)
