"""Averages of one value per class, and what an absent class counts."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable

import numpy as np

from halfwidth.arithmetic.confusion_tables import one_vs_rest, ratio
from halfwidth.core.forms import ByClass, OfMargins
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Metric, Takes
from halfwidth.core.types import Array, Numbers, Quotient
from halfwidth.core.undefined import AbsentClass, absent_classes


def averaged(values: Numbers, support: Numbers, average: str, absent: AbsentClass) -> Numbers:
    """Macro or weighted (by ``support``) average, (..., C) -> (...); NaN counts ``absent``."""
    # Unknowns (objects) cannot be tested for NaN.
    if average == "macro" and values.dtype != object and not np.isnan(values).any():
        return np.asarray(values.mean(axis=-1))
    weights = np.ones(values.shape) if average == "macro" else support
    values, weights = absent_classes(values, weights, absent)
    return ratio((values * weights).sum(axis=-1), weights.sum(axis=-1))


@frozen
class AreaFinish:
    """An average of areas, (..., R) -> (...)."""

    # Binary, none and micro are of the row ``which`` alone.
    average: str
    which: int = 0
    absent: AbsentClass = "omit"

    def __call__(self, area: Numbers, positives: Numbers) -> Array:
        """The average of the areas of each ranking."""
        if self.average == "macro":
            mean = np.asarray(area.mean(axis=-1))
            if not np.isnan(mean).any():
                return mean
            # Equal weights that lie as the areas do, which may be turned.
            return averaged(area, np.ones_like(area), "weighted", self.absent)
        if self.average == "weighted":
            return averaged(area, positives, "weighted", self.absent)
        return area[..., self.which]


@frozen(eq=False)
class CountingFinish:
    """A counting metric as a function of the flattened confusion matrix, (..., C²) -> (...)."""

    metric: Metric
    n_classes: int
    # Binary and none are of the class ``which`` alone.
    average: str = ""
    which: int = 0
    absent: AbsentClass = "omit"
    # Of `expected_cost` and `cohen_kappa`.
    costs: tuple[tuple[float, ...], ...] | None = None
    priors: tuple[float, ...] | None = None

    def __call__(self, counts: Numbers) -> Array:
        """The metric of each table of counts."""
        matrix = counts.reshape(*counts.shape[:-1], self.n_classes, self.n_classes)
        spec = self.metric.spec
        function = self.metric.function
        if spec.takes is Takes.CONFUSION:
            return np.asarray(function(matrix, **self.metric.parameters, **self._tables()))
        cells = one_vs_rest(matrix)
        if self.average in ("binary", "none"):
            one = (cell[..., self.which] for cell in cells)
            return np.asarray(function(*one, **self.metric.parameters))
        if self.average == "micro":
            pooled = (cell.sum(axis=-1) for cell in cells)
            return np.asarray(function(*pooled, **self.metric.parameters))
        values = np.asarray(function(*cells, **self.metric.parameters))
        if values.dtype == object:  # unknowns, whose comparisons are to be unknowns too
            values = values.view(type(counts))
        return averaged(values, cells[0] + cells[1], self.average, self.absent)

    @property
    def by_class(self) -> ByClass | None:
        """How it comes about from tables of one class against the rest."""
        if self.metric.spec.takes is Takes.CONFUSION or self.average == "micro":
            return None
        values = functools.partial(self.metric.function, **self.metric.parameters)
        if self.average in ("binary", "none"):
            return ByClass(values, which=self.which)
        average = functools.partial(averaged, average=self.average, absent=self.absent)
        return ByClass(values, average)

    @property
    def margins(self) -> Callable[..., Numbers] | None:
        """What it is of the margins and the diagonal of the matrix, where it is of these alone."""
        form = self.metric.form
        return form.value if isinstance(form, OfMargins) and self.costs is None else None

    @property
    def quotient(self) -> Quotient | None:
        """Weights of the cells where the metric is a ratio of two weighted sums of counts."""
        weights = self.metric.quotient
        if weights is None or self.average not in ("binary", "none", "micro"):
            return None
        classes = range(self.n_classes) if self.average == "micro" else [self.which]
        numerator, denominator = (self._cell_weights(part, classes) for part in weights)
        return numerator, denominator

    def _cell_weights(
        self, weights: tuple[float, ...], classes: Iterable[int]
    ) -> tuple[float, ...]:
        """The weights of TP, FN, FP and TN, added up over classes, by cell."""
        tp, fn, fp, tn = weights
        matrix = np.zeros((self.n_classes, self.n_classes))
        for which in classes:
            coefficients = np.full(matrix.shape, tn)
            coefficients[which], coefficients[:, which], coefficients[which, which] = fn, fp, tp
            matrix += coefficients
        return tuple(matrix.ravel().tolist())

    def _tables(self) -> dict[str, tuple[object, ...]]:
        tables = {"costs": self.costs, "priors": self.priors}
        return {name: table for name, table in tables.items() if table is not None}
