"""Heights of curves in resamples of many cases, one place of the grid at a time.

Drawing as many cases as there are is drawing uniform places among them. A curve reaches a rate, or
a recall, at the threshold of the m-th place that falls on a case of one class; it is
beta-distributed, and where it is known the counts at that threshold are binomial. A few draws so
give what a resample of all cases does at this place of the grid, with the same distribution, though
not together with what it gives at others: a band is of single places (decision 0092).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.rng import Key
from halfwidth.core.types import Array
from halfwidth.estimation.test_sets.curve_parts import GRID, STEPS
from halfwidth.results.curves import CurveKind

Counts = NDArray[np.int64]


def drawn_heights(kind: CurveKind, tp: Counts, fp: Counts, key: Key, resamples: int) -> Array:
    """Heights in resamples, (201, B), from positive and negative cases at or above thresholds."""
    generator = np.random.Generator(np.random.Philox(key=key.value))
    draws = _Draws(generator, tp.astype(np.int64), fp.astype(np.int64), resamples)
    at = draws.sensitivity if kind == "roc" else draws.precision
    return np.stack([at(int(place)) for place in GRID])


class _Draws:
    """Draws at one place of the grid after the other, of counts (G,) from the highest score on."""

    def __init__(
        self, generator: np.random.Generator, tp: Counts, fp: Counts, resamples: int
    ) -> None:
        self.generator, self.tp, self.fp, self.resamples = generator, tp, fp, resamples
        self.n = int(tp[-1] + fp[-1])

    def sensitivity(self, place: int) -> Array:
        """Sensitivity from the last threshold with no more negatives than a part of them."""
        positives = self._positives()
        negatives = self.n - positives
        if place == STEPS:
            return _where((positives > 0) & (negatives > 0), np.ones(self.resamples))
        group, above, upto = self._reached(self.fp, place * negatives // STEPS, negatives)
        tp_above = _before(self.tp, group)
        tp = self._binomial(positives, tp_above, self.tp[-1])
        rise = self._binomial(positives - tp, self.tp[group] - tp_above, self.tp[-1] - tp_above)
        part = (place * negatives / STEPS - above) / (upto - above)
        return _where((positives > 0) & (negatives > 0), (tp + part * rise) / positives.clip(1))

    def precision(self, place: int) -> Array:
        """Precision of the first threshold that reaches a part of the positives."""
        if place == 0:
            return self._first_precision()
        positives = self._positives()
        before = -(-place * positives // STEPS) - 1
        group, _, tp = self._reached(self.tp, before, positives)
        fp = self._binomial(self.n - positives, self.fp[group], self.fp[-1])
        return _where(positives > 0, tp / (tp + fp))

    def _first_precision(self) -> Array:
        """Precision of the first threshold that calls a case."""
        called, total = self.tp + self.fp, np.full(self.resamples, self.n)
        group, _, found = self._reached(called, np.zeros_like(total), total)
        size = called[group] - _before(called, group)
        tp = self._binomial(found, self.tp[group] - _before(self.tp, group), size)
        left = self._binomial(
            total - found, self.tp[-1] - self.tp[group], called[-1] - called[group]
        )
        return _where(tp + left > 0, tp / found)

    def _positives(self) -> Counts:
        return np.asarray(self.generator.binomial(self.n, self.tp[-1] / self.n, self.resamples))

    def _reached(
        self, upto: Counts, before: Counts, total: Counts
    ) -> tuple[NDArray[np.intp], Counts, Counts]:
        """The threshold of the drawn case of a class that has so many of all drawn before it.

        With the cases of the class drawn above that threshold, and those at or above it.
        """
        before = before.clip(0, (total - 1).clip(0))
        place = self.generator.beta(before + 1, (total - before).clip(1)) * upto[-1]
        place = np.minimum(place, np.nextafter(float(upto[-1]), 0))
        group = np.searchsorted(upto, np.floor(place), side="right")
        above = self.generator.binomial(before, _before(upto, group) / place)
        beyond = (upto[group] - place) / (upto[-1] - place)
        after = self.generator.binomial((total - before - 1).clip(0), beyond)
        return group, above, before + 1 + after

    def _binomial(self, n: Counts, cases: Counts, among: Counts | int) -> Counts:
        """How many of n cases drawn from ``among`` are of these ``cases``."""
        return np.asarray(self.generator.binomial(n, cases / np.maximum(among, 1)))


def _before(upto: Counts, group: NDArray[np.intp]) -> Counts:
    return np.where(group > 0, upto[group - 1], 0)


def _where(defined: NDArray[np.bool_], heights: Array) -> Array:
    return np.where(defined, heights, np.nan)
