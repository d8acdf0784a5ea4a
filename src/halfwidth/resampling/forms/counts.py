"""Confusion matrices of resamples, as counts of cells.

Large samples of independent cases take one multinomial draw a resample. Smaller ones, and those
paired with other models, take the draws of all other bootstraps. With cases in the order of their
cells a cell is a run of cases, and its count a difference of two cumulated counts, for every sample
of a batch alike. Cumulated counts of some resamples lie side by side, and so do the counts of a
cell: that is how NumPy, and the compiled kernel, go through many resamples at a time.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.confusion_tables import count_cells, counts_by_unit
from halfwidth.core.forms import CellCounts
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import BatchDistribution, Distribution
from halfwidth.resampling.draws import BLOCK_ELEMENTS, Plan
from halfwidth.resampling.exact.ratios import quotient_distribution
from halfwidth.resampling.forms.contract import (
    REPLICATE,
    Dirichlet,
    Engine,
    Errors,
    Pair,
    Permutations,
    Prepared,
    Shared,
    declared_form,
)
from halfwidth.resampling.forms.counts_weighted import weighted, weighted_pairs
from halfwidth.resampling.forms.joint_resamples import OfCounts, joint_tables
from halfwidth.resampling.forms.signed_sums import SignedSums, sums_of_models
from halfwidth.resampling.kernels import native, native_tables
from halfwidth.resampling.kernels.formulas import MOST_CELLS
from halfwidth.resampling.kernels.native_tables import MOST_TABLE_UNITS
from halfwidth.resampling.kernels.programs import WIDTH, Program, program_of
from halfwidth.resampling.weights.blocks import Block, Features, Pace
from halfwidth.resampling.weights.bootstrap import Drawn, pace_of_sums

# From so many cases in a stratum on, its table is one multinomial draw. Below, a batch of samples
# shares draws, which for the sample sizes of simulation studies is faster by far.
MULTINOMIAL_FROM = 5001

# Counts of cells of all resamples that are kept for other statistics of the same cases: 80 MB.
MOST_KEPT = 10**7
# A table of cumulated draws holds so many times what a block of a plan does: 32 MB.
TABLE_BLOCKS = 64
# Cumulated draws that are kept where a plan keeps things: 40 MB.
MOST_DRAWS_KEPT = 2 * 10**7
# Counts that NumPy works on at a time, 1 MiB: a processor's cache holds them and what becomes of
# them. No result depends on it.
AT_A_TIME = 2**17

Counts = NDArray[np.int64]
Table = NDArray[Any]
Ends = NDArray[np.intp]


@frozen(eq=False)
class CellSamples(Prepared):
    """The cells in which the cases of samples lie."""

    form: CellCounts
    # (S, n): the cell of each case, 0 to `n_cells - 1`, in the canonical order of the design
    codes: Array
    design: Design

    @classmethod
    def prepare(cls, codes: Array, design: Design, statistic: Statistic) -> CellSamples:
        """Count the cells of samples, for a function of these counts."""
        return cls(declared_form(statistic, CellCounts), codes, design)

    @property
    def in_runs(self) -> bool:
        """Whether the cases of a cell stand side by side, so that its count is a difference."""
        return self.design.sizes is None and not self.design.paired

    @property
    def multinomial(self) -> bool:
        """Whether a table is one draw."""
        return self.in_runs and max(self.design.strata) >= MULTINOMIAL_FROM

    @functools.cached_property
    def ends(self) -> Ends:
        """Units before each cell and after the last, in each stratum: (H, S, n_cells + 1)."""
        design, shape = self.design, (len(self.codes), self.form.n_cells + 1)
        ends = np.empty((len(design.strata), *shape), dtype=np.intp)
        parts = np.split(self.codes, design.first_units[1:], axis=-1)
        for into, first, part in zip(ends, design.first_units, parts, strict=True):
            into[:, 0] = first
            np.cumsum(count_cells(part, self.form.n_cells), axis=-1, out=into[:, 1:])
            into[:, 1:] += first
        return ends

    @functools.cached_property
    def held(self) -> NDArray[np.bool_]:
        """The cells that hold a case of some sample."""
        return np.isin(np.arange(self.form.n_cells), self.codes)

    @functools.cached_property
    def features(self) -> Features:
        """Cases of each unit in each of these cells, one sample after another."""
        unit, units, cells = self.design.unit_of_case, self.design.units, self.form.n_cells
        each = [counts_by_unit(one, unit, units, cells).T[self.held] for one in self.codes]
        return Features(np.concatenate(each).astype(float), self.design)

    @functools.cached_property
    def program(self) -> Program | None:
        """What the function does with counts, as steps of a kernel; None where it has none."""
        # A study of samples of a few hundred cases takes a quarter of the time that NumPy does, for
        # averages over classes.
        few = self.form.n_cells <= MOST_CELLS and self.design.units <= MOST_TABLE_UNITS
        fits = few and len(self.design.strata) == 1
        return program_of(self.form.finish, self.form.n_cells) if fits else None

    def pace(self, plan: Plan) -> Pace:
        """Cumulated draws of many resamples serve all samples."""
        units, cells = self.design.units, self.form.n_cells
        if not self.in_runs:
            return pace_of_sums(self.features, plan)
        if self.multinomial:
            return Pace(plan.block_elements // max(4 * cells * len(self.codes), 1))
        step = TABLE_BLOCKS * plan.block_elements // (units + 1)
        return Pace(max(1, step - step % WIDTH, min(step, WIDTH)), threaded=True)

    def shared(self, plan: Plan) -> Shared | None:
        """The counts of a single sample, for other functions of them."""
        cells = self.form.n_cells
        if not self.codes.size or len(self.codes) > 1 or plan.n_resamples * cells > MOST_KEPT:
            return None

        def finish(counts: Counts) -> Array:
            return self.form.finish(np.moveaxis(counts, 0, -1))

        return Shared(("cells", cells), [self.codes], lambda block: (self._counts(block),), finish)

    def evaluate(self, block: Block, into: Array) -> None:
        """Evaluate the counts of each cell, a few resamples at a time."""
        if self.multinomial or not (self.in_runs and isinstance(block, Drawn)):
            into[:] = self.form.finish(np.moveaxis(self._counts(block), 0, -1))
            return
        draws = cumulated(block)
        if block.compiles and self.program is not None:
            native_tables.finish(self.program, draws, self.ends[0], into)
            return
        step = max(1, AT_A_TIME // (WIDTH * self.form.n_cells))
        for row, drawn in enumerate(draws):
            values = into[:, row * WIDTH : (row + 1) * WIDTH]
            for start in range(0, len(into), step):
                counts = _counts_of_row(drawn, self.ends[:, start : start + step]).astype(float)
                some = counts[:, :, : values.shape[-1]]
                values[start : start + step] = self.form.finish(np.moveaxis(some, 0, -1))

    def _counts(self, block: Block) -> Counts:
        """Counts of each cell, which are added up side by side: (n_cells, S, B)."""
        counts = np.zeros((self.form.n_cells, len(self.codes), block.resamples), dtype=np.int64)
        if not (self.in_runs and isinstance(block, Drawn)):
            total = block.sums(self.features).sum(axis=0)
            sample_counts = np.rint(total).reshape(len(self.codes), -1, block.resamples)
            counts[self.held] = sample_counts.swapaxes(0, 1)
        elif self.multinomial:
            counts += np.moveaxis(block.tables(np.diff(self.ends, axis=-1)), -1, 0)
        else:
            for row, drawn in enumerate(cumulated(block, keeps=False)):
                into = counts[..., row * WIDTH : (row + 1) * WIDTH]
                into[:] = _counts_of_row(drawn, self.ends)[..., : into.shape[-1]]
        return counts


def _counts_of_row(drawn: Table, ends: Ends) -> NDArray[np.integer[Any]]:
    """Counts of cells from cumulated draws, (U + 1, WIDTH) -> (n_cells, S, WIDTH)."""
    up_to = [drawn[end.T] for end in ends]
    differences = up_to[0][1:] - up_to[0][:-1]
    for own in up_to[1:]:
        differences += own[1:] - own[:-1]
    return np.asarray(differences)


def cumulated(block: Drawn, *, keeps: bool = True) -> Table:
    """Draws before each unit and of all, (rows, U + 1, WIDTH); 0 where a row is not full."""
    design, plan = block.design, block.plan

    def cumulate() -> Table:
        fits = len(design.strata) == 1 and design.units <= MOST_TABLE_UNITS
        if block.compiles and fits:
            return native_tables.cumulated(replace(block, room=native.Room()).lanes())
        dtype = np.int16 if design.units < 2**15 else np.int32
        rows = -(-block.resamples // WIDTH)
        table = np.zeros((rows, design.units + 1, WIDTH), dtype=dtype)
        for row, into in enumerate(table):
            begin = block.start + row * WIDTH
            part = replace(block, start=begin, stop=min(begin + WIDTH, block.stop))
            into[1:, : part.resamples] = part.rows().cumsum(axis=-1, dtype=dtype).T
        return table

    if not keeps or (design.units + 1) * plan.n_resamples > MOST_DRAWS_KEPT:
        return cumulate()
    return plan.once(("cumulated", block.start, block.stop), (), design, cumulate)


def exact_distribution(
    codes: Array, design: Design, statistic: Statistic, plan: Plan
) -> Distribution | None:
    """The exact distribution of a ratio of sums of counts."""
    form = declared_form(statistic, CellCounts)
    if form.quotient is None or not plan.convolves:
        return None
    weights = np.array(form.quotient)
    return BatchDistribution.join(
        quotient_distribution(weights[:, sample.astype(np.intp)], design) for sample in codes
    )


def leave_one_out(codes: Array, design: Design, statistic: Statistic) -> Array:
    """Values without each unit: of independent cases as many evaluations as there are cells."""
    form = declared_form(statistic, CellCounts)
    counts, each = count_cells(codes, form.n_cells), form.n_cells
    out = np.empty((len(codes), design.units))
    if design.sizes is not None:
        for sample, totals, into in zip(codes, counts, out, strict=True):
            own = counts_by_unit(sample, design.unit_of_case, design.units, each)
            into[:] = form.finish(totals - own)
        return out
    step = max(1, BLOCK_ELEMENTS // each**2)
    for start in range(0, len(codes), step):
        some = np.s_[start : start + step]
        # The counts of a cell side by side, which is how they are added up: (cell, S, cell left).
        left = np.repeat(counts[some].T[:, :, None].astype(float), each, axis=-1)
        # From an empty cell nothing is taken, and nobody asks for what that gives.
        np.einsum("isi->is", left)[:] -= counts[some].T > 0
        by_cell = form.finish(np.moveaxis(left, 0, -1))
        out[some] = np.take_along_axis(by_cell, codes[some].astype(np.intp), axis=-1)
    return out


def seconds(statistic: Statistic, _n: int, _classes: int) -> float:
    """Counts of runs are differences, whatever the number of cases."""
    return 2 * REPLICATE + declared_form(statistic, CellCounts).n_cells * 4e-10


def joint(models: Sequence[Array], design: Design, statistic: Statistic) -> OfCounts:
    """Tables of all models from one count of their common cells."""
    return joint_tables(models, design, declared_form(statistic, CellCounts))


def signed_sums(pair: Pair, design: Design, statistic: Statistic) -> SignedSums:
    """Counts of the cells of either model."""
    form = declared_form(statistic, CellCounts)
    cells = np.arange(form.n_cells)[:, None]
    first, second = ((side.astype(np.intp) == cells).astype(float) for side in pair)

    def finish(counts: Array) -> Array:
        return form.finish(np.ascontiguousarray(counts.T))

    return sums_of_models(first, second, design, finish)


def true_classes(sample: Array, statistic: Statistic) -> NDArray[np.intp]:
    """The rows of the table in which the cases lie."""
    classes = math.isqrt(declared_form(statistic, CellCounts).n_cells)
    return np.asarray(sample // classes, np.intp)


ENGINE = Engine(
    prepare=CellSamples.prepare,
    leave_one_out=leave_one_out,
    exact_distribution=exact_distribution,
    errors=Errors(joint=joint),
    dirichlet=Dirichlet(
        both_ends=weighted, in_pairs=weighted_pairs, needs_bounds=lambda _statistic: False
    ),
    permutations=Permutations(
        signed_sums=signed_sums,
        swapped_text=lambda _statistic: "paired decisions",
        true_classes=true_classes,
    ),
    seconds=seconds,
    bounded=True,
)
