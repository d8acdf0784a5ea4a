"""Samples whose values are made row by row, a class each, under Dirichlet weights.

What a row has of pseudo-cases serves both ends of its interval. Where an average is made of the
rows (`class_averages`), each end has only those that could move it there.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.resampling.class_averages import ClassAverage, Classes
from halfwidth.resampling.distribution import Quantiles
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import BothEnds, InPairs
from halfwidth.resampling.tails import as_distribution

# Values of R rows of S samples and what they rest on, (S, R, B) each.
OfRows = tuple[Array, Array]


@frozen(eq=False)
class WeightedRows:
    """Rows of S samples."""

    # (S, R): as they were observed, and what they rest on: positives, objects
    values: Array
    held: Array
    finish: Callable[[Array, Array], Array]  # `finish(values, held)`, (..., R) -> (...)
    # `replicates(ends)`: `OfRows` for each side of weights of pseudo-cases, (R, sides, 4, B)
    replicates: Callable[[Array], list[OfRows]]

    @functools.cached_property
    def classes(self) -> Classes | None:
        """Those of an average; None of one row."""
        if self.values.shape[1] == 1:
            return None
        return Classes.averaged(self.values, lambda values: self.finish(values, self.held))

    def both_ends(self, ends: Array, plan: Plan) -> BothEnds:
        """The distributions for the lower and for the upper end of an interval."""
        each = [self._distribution(plan, *of_end) for of_end in self.replicates(ends)]
        return each[0], each[-1]

    def in_pairs(self, ends: Array) -> tuple[InPairs, InPairs]:
        """The same of models in pairs; each end has a side for either place in a pair."""
        classes = self.classes
        roles = [
            values if classes else self._finished(values, held)[:, None]
            for values, held in self.replicates(ends)
        ]
        pairs = [InPairs(*two, classes) for two in zip(roles[::2], roles[1::2], strict=True)]
        return pairs[0], pairs[-1]

    def _distribution(self, plan: Plan, values: Array, held: Array) -> Quantiles:
        classes = self.classes
        if classes is None:
            return as_distribution(self._finished(values, held), plan)
        return ClassAverage.from_replicates(classes, values)

    def _finished(self, values: Array, held: Array) -> Array:
        """The statistic of a single row, (S, 1, B) -> (S, B)."""
        return self.finish(*(np.moveaxis(one, 1, -1) for one in (values, held)))
