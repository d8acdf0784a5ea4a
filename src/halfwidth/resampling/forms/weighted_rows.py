"""Distributions of replicates of rows under Dirichlet weights, also of pairs of models.

A row is a class, or all there is. What it has of pseudo-cases serves both ends of its interval.
Where an average is made of rows (`class_averages`), each end has only those that could move it
there: the others would draw it inwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from halfwidth.core.pseudo_cases import Masses, PseudoCases
from halfwidth.core.types import UNBOUNDED, Array, Bounds
from halfwidth.resampling.class_averages import ClassAverage, Classes
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import BothEnds, InPairs
from halfwidth.resampling.tails import as_distribution

# Values of R rows of S samples and what they rest on, positives or objects: (S, R, B) each.
OfRows = tuple[Array, Array]
# From these, (..., R), to the statistic.
Finish = Callable[[Array, Array], Array]
# Replicates for each side of pseudo-cases, (S, R, B), and the classes of an average.
Replicates = tuple[Sequence[Array], Classes | None]


def sides_of(pseudo_cases: PseudoCases, *, outward: bool = False) -> list[Masses]:
    """Masses of bad and of good pseudo-cases for each end of an interval; once where both agree."""
    low, high = pseudo_cases.low, pseudo_cases.high
    if outward:
        low, high = (low[0], 0.0), (0.0, high[1])
    return [low] if low == high else [low, high]


def finished(
    sides: Sequence[OfRows], observed: OfRows, finish: Finish, bounds: Bounds = UNBOUNDED
) -> Replicates:
    """Replicates of rows for each side; ``observed`` are (S, R) each. A single row is finished."""
    values, held = observed
    if values.shape[1] > 1:
        classes = Classes.averaged(values, held, finish, bounds)
        return [classes.with_average(*rows) for rows in sides], classes
    single = [finish(*(np.moveaxis(one, 1, -1) for one in rows))[:, None] for rows in sides]
    return single, None


def both_ends(replicates: Sequence[Array], classes: Classes | None, plan: Plan) -> BothEnds:
    """The distributions for the lower and for the upper end of an interval."""
    ends = [
        as_distribution(rows[:, 0], plan)
        if classes is None
        else ClassAverage.from_replicates(classes, rows)
        for rows in replicates
    ]
    return ends[0], ends[-1]


def in_pairs(replicates: Sequence[Array], classes: Classes | None) -> tuple[InPairs, InPairs]:
    """Replicates of models in pairs; each end has a side for either place in a pair."""
    roles = zip(replicates[::2], replicates[1::2], strict=True)
    ends = [InPairs(first, second, classes) for first, second in roles]
    return ends[0], ends[-1]
