"""Functions of the margins of large confusion matrices whose cases have Dirichlet weights.

Of a thousand classes ten thousand tables take 80 GB. What is made of one class against the rest, or
of margins and the diagonal, needs three numbers for each class; filled cells alone are added up.

The mass of the pseudo-cases of a metric of all classes at once is spread evenly over cells. As
gamma variates of equal shape a in N cells, divided by their sum, they are a symmetric Dirichlet
vector. Drawn in size-biased order its j-th part is a Beta(1 + a, (N - j) a) share of what the
parts before have left, at a cell that they have not taken (Pitman 1996): so few parts hold all but
rounding that nothing is drawn for the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.core import rng
from halfwidth.core.forms import ByClass, CellCounts
from halfwidth.core.frozen import frozen
from halfwidth.core.pseudo_cases import Masses
from halfwidth.core.types import Array
from halfwidth.resampling.class_averages import Classes
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.weights.dirichlet import Weighted, pseudo_weights_of_classes
from halfwidth.resampling.weights.gammas import gammas

# From so many cases for each filled cell on, the weight of a cell is one gamma variate; below, a
# sum of the weights of its cases is made sooner.
GAMMAS_FROM = 20
# What parts that are not drawn hold of the pseudo-cases, on average.
LEFT = 2.0**-56

Places = NDArray[np.intp]


def takes_cases(n: int, filled: Places) -> NDArray[np.bool_]:
    """Whether the weights of so many cells are sums over n cases."""
    return np.asarray(n < GAMMAS_FROM * filled)


def replicates_of_margins(
    form: CellCounts,
    codes: Array,
    design: Design,
    plan: Plan,
    sides: Sequence[Masses],
    averaged: Classes | None = None,
) -> list[Array]:
    """Replicates with the masses of wrong and right pseudo-cases of each side, (S, R, B)."""
    # A unit is what one counts on average, and so a whole pseudo-case.
    classes, unit = math.isqrt(form.n_cells), design.n / design.units
    each: list[list[Array]] = [[] for _ in sides]
    support = []
    for sample in codes:
        margins = _margins(sample.astype(np.intp), classes, design, plan)
        for replicates, masses in zip(each, sides, strict=True):
            if form.by_class is not None:
                replicates.append(_by_class(form.by_class, margins, unit, masses, plan))
            elif form.of_margins is not None:
                replicates.append(_all_at_once(form.of_margins, margins, unit, masses, plan))
        support.append(margins.truth)
    made = [np.stack(replicates) for replicates in each]
    if averaged is None:
        return made
    return [averaged.with_average(rows, np.stack(support)) for rows in made]


@frozen(eq=False)
class _Margins:
    """Weights of the cases decided rightly, of true and of predicted ones of each class, (C, B)."""

    right: Array
    truth: Array
    predicted: Array


def _margins(codes: Places, classes: int, design: Design, plan: Plan) -> _Margins:
    held, counts = np.unique(codes, return_counts=True)
    row, column = np.divmod(held, classes)
    margins = _Margins(*(np.zeros((classes, plan.n_resamples)) for _ in range(3)))
    if design.simple and not takes_cases(design.n, np.asarray(len(held))):
        for cell, count, i, j in zip(held, counts, row, column, strict=True):
            purpose = ("weights of cells", classes**2, int(cell))
            weights = gammas(plan.entropy, purpose, float(count), plan.n_resamples)
            margins.truth[i] += weights
            margins.predicted[j] += weights
            if i == j:
                margins.right[i] += weights
        return margins
    order = np.argsort(codes, kind="stable")
    unit = design.unit_of_case[order]
    to_cells = np.cumsum(counts) - counts
    rows, to_rows = np.unique(row, return_index=True)
    by_column = np.argsort(column, kind="stable")
    columns, to_columns = np.unique(column[by_column], return_index=True)
    right = row == column
    for start, stop in plan.blocks(len(codes)):
        of_cases = Weighted(design, plan, start, stop).rows()[:, unit]
        cells = np.add.reduceat(of_cases, to_cells, axis=-1)
        block = np.s_[start:stop]
        margins.right[row[right], block] = cells[:, right].T
        margins.truth[rows, block] = np.add.reduceat(cells, to_rows, axis=-1).T
        margins.predicted[columns, block] = np.add.reduceat(
            cells[:, by_column], to_columns, axis=-1
        ).T
    return margins


def _by_class(
    by_class: ByClass, margins: _Margins, unit: float, masses: Masses, plan: Plan
) -> Array:
    """The metric of each class, or of the one that is asked for, (R, B)."""
    wrong, right = masses
    added = pseudo_weights_of_classes([right, wrong, wrong, right], len(margins.right), plan)
    chosen = np.s_[:] if by_class.average else np.s_[by_class.which : by_class.which + 1]
    whole = margins.truth.sum(axis=0)
    tp = margins.right[chosen]
    fn, fp = margins.truth[chosen] - tp, margins.predicted[chosen] - tp
    cells = (tp, fn, fp, whole - tp - fn - fp)
    weighed = (cell + unit * own[chosen] for cell, own in zip(cells, added, strict=True))
    return np.asarray(by_class.values(*weighed))


def _all_at_once(
    value: Callable[..., Array], margins: _Margins, unit: float, masses: Masses, plan: Plan
) -> Array:
    """The metric of all classes, (1, B)."""
    classes, (wrong, right) = len(margins.right), masses
    correct = margins.right.sum(axis=0)
    truth, predicted = margins.truth.copy(), margins.predicted.copy()
    draws = np.arange(plan.n_resamples)
    for place, weight in _scattered(right, classes, "right", plan):
        correct += unit * weight
        truth[place, draws] += unit * weight
        predicted[place, draws] += unit * weight
    for place, weight in _scattered(wrong, classes**2 - classes, "wrong", plan):
        row, column = np.divmod(place, classes - 1)
        truth[row, draws] += unit * weight
        predicted[column + (column >= row), draws] += unit * weight
    return np.asarray(value(correct, truth.T, predicted.T))[None]


def _scattered(mass: float, cells: int, kind: str, plan: Plan) -> list[tuple[Places, Array]]:
    """Cells and weights of the parts of a mass that is spread over them, of each draw, (B,)."""
    if not mass:
        return []
    share, n = mass / cells, plan.n_resamples

    def drawn(shape: float, *purpose: object) -> Array:
        return gammas(plan.entropy, ("scattered pseudo-cases", kind, *purpose), shape, n)

    parts = min(cells, math.ceil(math.log(LEFT) / math.log(mass / (1 + mass))))
    key = rng.derive_key(plan.entropy, "places of scattered pseudo-cases", kind)
    uniform = rng.uniforms(key, 0, n, parts)
    left, taken = drawn(mass, "whole"), np.empty((0, n), dtype=np.intp)
    scattered = []
    for part in range(parts):
        rest = cells - part - 1
        own = drawn(1 + share, part, "own")
        others = drawn(rest * share, part, "others") if part < parts - 1 else np.zeros(n)
        weight = left * own / (own + others)
        left = left - weight
        place = (uniform[:, part] * (cells - part)).astype(np.intp)
        # The cells that are left are numbered anew: each taken one before moves a place on.
        for earlier in taken:
            place += place >= earlier
        taken = np.sort(np.concatenate([taken, place[None]]), axis=0)
        scattered.append((place, weight))
    return scattered
