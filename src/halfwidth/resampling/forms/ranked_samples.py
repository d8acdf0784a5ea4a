"""Samples whose scores are ranked once, for areas at any weights of their units.

The area at some weights is a pass over the ranked entries. Where there is a kernel it does the
work; else `areas_of_counts` does, in plain NumPy.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.areas import areas_of_counts, areas_of_rows
from halfwidth.core.forms import FastArea, RankedAreas, Ranking
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array, Numbers
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import Prepared, Shared, declared_form
from halfwidth.resampling.kernels import native_areas, reference
from halfwidth.resampling.kernels.native import LANES
from halfwidth.resampling.weights.blocks import Block, Pace, whole_lanes
from halfwidth.resampling.weights.dirichlet import Weighted

# Areas that a call may return, 16 MiB, and counts of units, a byte each, that one makes; where
# samples share counts, more of these are made at once, and areas of some of the samples, 8 MiB,
# which the last cache of a processor holds until they are finished.
MOST_AREAS, MOST_COUNTS = 2**21, 2**20
MOST_SHARED, MOST_AT_ONCE = 2**24, 2**20


@frozen(eq=False)
class RankedSamples(Prepared):
    """Rankings of samples, the rows of one after those of another, so that they share weights."""

    form: RankedAreas
    ranking: Ranking
    samples: int
    design: Design

    @classmethod
    def prepare(cls, records: Array, design: Design, statistic: Statistic) -> RankedSamples:
        """Rank the scores of each sample, (S, k, n)."""
        form = declared_form(statistic, RankedAreas)
        return cls(form, form.rank(records), len(records), design)

    @functools.cached_property
    def _unit(self) -> NDArray[np.int32]:
        """The unit of each case."""
        return self.design.unit_of_case.astype(np.int32)

    @property
    def rows(self) -> int:
        """Number of rankings of each sample."""
        return len(self.ranking.case) // self.samples

    @functools.cached_property
    def lists(self) -> native_areas.Lists | None:
        """Lists for the kernels; None where these cannot make such areas."""
        case, area = self.ranking.case, self.form.area
        fits = native_areas.fits(max(case.shape[-1], self.design.units))
        if area.fast is None or self.ranking.weight is not None or not case.size or not fits:
            return None
        auroc, units = area.fast is FastArea.CONCORDANCE, self.design.units
        return native_areas.prepared(self._unit[case], self.ranking.mark, units, auroc=auroc)

    def pace(self, plan: Plan) -> Pace:
        """Areas of one sample are kept; those of many are finished a few samples at a time."""
        units, entries = self.design.units, self.ranking.case.shape[-1]
        if not (plan.compiles and self.lists):
            return Pace(plan.block_elements // (4 * max(entries, units)))
        if self.samples > 1:
            return Pace(whole_lanes(MOST_SHARED // units), threaded=True)
        most = min(MOST_COUNTS // units, MOST_AREAS // self.rows)
        return Pace(whole_lanes(most), threaded=True)

    def shared(self, _plan: Plan) -> Shared | None:
        """The areas of a single sample, for other averages of the same scores."""
        if self.samples > 1:
            return None
        ranking = self.ranking
        arrays = [one for one in (ranking.case, ranking.mark, ranking.weight) if one is not None]

        def finish(areas: Array, positives: Numbers) -> Array:
            return self.form.finish(areas.T, positives.T)[None]

        return Shared((self.form.area,), arrays, lambda block: next(self._areas(block))[1:], finish)

    def evaluate(self, block: Block, into: Array) -> None:
        """Areas of some samples at a time, averaged."""
        for some, *areas in self._areas(block):
            shape = (some.stop - some.start, -1, block.resamples)
            by_row = (np.moveaxis(one.reshape(shape), 1, -1) for one in areas)
            into[some] = self.form.finish(*by_row)

    def _areas(self, block: Block) -> Iterator[tuple[slice, Array, Numbers]]:
        """Some samples, the areas of their rows, and the positives that these rest on; (R, B)."""
        lists = self.lists if block.compiles else None
        if lists is None:
            areas = areas_of_counts(
                self.form.area, self.ranking, self.design.unit_of_case, block.rows()
            )
            yield slice(0, self.samples), *areas
            return
        counts, rows = block.lanes(), self.rows
        step = max(1, MOST_AT_ONCE // (rows * block.resamples))
        for first in range(0, self.samples, step):
            last = min(first + step, self.samples)
            areas = native_areas.areas(lists, counts, first * rows, last * rows)
            yield slice(first, last), *areas

    def observed(self) -> tuple[Array, Array]:
        """The areas of the rows of each sample, and their positives: (S, R) each."""
        areas, positives = areas_of_rows(self.form.area, self.ranking)
        return areas.reshape(self.samples, -1), positives.reshape(self.samples, -1)

    def weighted_areas(self, block: Weighted, ends: Array) -> tuple[Array, Array]:
        """Areas beside pseudo-cases weighing (C, sides, 4, B), and positives: (S R, sides, B)."""
        unit, mark, own = self._unit[self.ranking.case], self.ranking.mark, self.ranking.weight
        if block.compiles and self.form.area.fast is not None:
            turned = block.lanes()
            full = np.ones((*ends.shape[:-1], len(turned) * LANES))
            full[..., : block.resamples] = ends
            in_lanes = full.reshape(*ends.shape[:-1], len(turned), LANES)
            corners = np.ascontiguousarray(np.moveaxis(in_lanes, -2, 1))
            auroc = self.form.area.fast is FastArea.CONCORDANCE
            areas = native_areas.weighted_areas(turned, unit, mark, own, corners, auroc=auroc)
            return areas[0][..., : block.resamples], areas[1][..., : block.resamples]
        weights = block.rows()
        both = np.empty((2, len(unit), ends.shape[1], block.resamples))
        for row, place in enumerate(np.resize(np.arange(len(ends)), len(unit))):
            entry_weights = weights[:, unit[row]] * (1.0 if own is None else own[row])
            for side, pseudo in enumerate(ends[place]):
                both[:, row, side] = reference.weighted_areas(
                    entry_weights, mark[row], pseudo.T, self.form.area.curve
                )
        return both[0], both[1]
