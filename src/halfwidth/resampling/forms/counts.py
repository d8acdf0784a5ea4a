"""Confusion matrices of resamples, as counts of cells.

Large samples of independent cases take one multinomial draw a resample. Smaller ones, and those
paired with other models, take the draws of all other bootstraps. With cases in the order of their
cells a cell is a run of cases, and its count a difference of two cumulated counts, for every sample
of a batch alike. Cumulated counts of some resamples lie side by side, and so do the counts of a
cell: that is how NumPy, and the compiled kernel, go through many resamples at a time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.confusion_tables import count_cells
from halfwidth.core import rng
from halfwidth.core.forms import CellCounts
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array, Numbers
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import BatchDistribution, Distribution
from halfwidth.resampling.draws import BLOCK_ELEMENTS, Plan, count_blocks, counter, sums_by_stratum
from halfwidth.resampling.exact.ratios import quotient_distribution
from halfwidth.resampling.forms.contract import REPLICATE, Engine, Pair, declared_form
from halfwidth.resampling.forms.counts_weighted import weighted, weighted_pairs
from halfwidth.resampling.forms.signed_sums import SignedSums, sums_of_models
from halfwidth.resampling.joint.errors import OfCounts, joint_tables
from halfwidth.resampling.kernels import native_tables
from halfwidth.resampling.kernels.formulas import MOST_CELLS
from halfwidth.resampling.kernels.programs import WIDTH, program_of
from halfwidth.resampling.weights.multinomial import multinomial

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


def replicates(codes: Array, design: Design, statistic: Statistic, plan: Plan) -> Array:
    """From the counts of each cell, which are kept for other statistics of a single sample."""
    form = declared_form(statistic, CellCounts)

    def counted() -> Numbers:
        # The counts of a cell side by side, which is how they are added up.
        counts = np.empty((form.n_cells, len(codes), plan.n_resamples), dtype=np.int64)
        for start, stop, some in cell_counts(codes, form.n_cells, design, plan):
            counts[..., start:stop] = np.moveaxis(some, -1, 0)
        return np.moveaxis(counts, 0, -1)

    if codes.size and codes.shape[0] == 1 and plan.n_resamples * form.n_cells <= MOST_KEPT:
        return form.finish(plan.once(("cells", form.n_cells), (codes,), design, counted))
    return finished(codes, design, form, plan)


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
    """As many evaluations as there are cells, of independent cases."""
    form = declared_form(statistic, CellCounts)
    counts, each = count_cells(codes, form.n_cells), form.n_cells
    out = np.empty((len(codes), design.units))
    if design.sizes is not None:
        for sample, totals, into in zip(codes, counts, out, strict=True):
            into[:] = form.finish(totals - _counts_by_unit(sample, design, each))
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


# --------------------------------------------------------------------------- counts of cells


def _counts_by_unit(codes: Array, design: Design, n_cells: int) -> Counts:
    """Cases of each unit in each cell, (n,) -> (U, n_cells)."""
    unit = np.repeat(np.arange(design.units), design.unit_sizes)
    flat = unit * n_cells + codes.astype(np.intp)
    return np.bincount(flat, minlength=design.units * n_cells).reshape(design.units, n_cells)


def cell_counts(
    codes: Array, n_cells: int, design: Design, plan: Plan
) -> Iterator[tuple[int, int, Counts]]:
    """Counts of each cell in each resample, block by block of resamples.

    Parameters
    ----------
    codes : ndarray, shape (S, n)
        The cell of each case, 0 to ``n_cells - 1``, in the canonical order of the design.
    n_cells : int
    design : Design
    plan : Plan

    Yields
    ------
    start, stop : int
        Range of resamples.
    counts : ndarray of int, shape (S, stop - start, n_cells)
    """
    if design.sizes is not None or design.paired:
        yield from _counts_by_sums(codes, n_cells, design, plan)
    elif max(design.strata) >= MULTINOMIAL_FROM:
        yield from _multinomial(codes, n_cells, design, plan)
    else:
        yield from _counts_by_runs(codes, n_cells, design, plan)


def _parts(codes: Array, design: Design) -> list[Array]:
    return np.split(codes, design.first_units[1:], axis=-1)


def _multinomial(
    codes: Array, n_cells: int, design: Design, plan: Plan
) -> Iterator[tuple[int, int, Counts]]:
    tables = [count_cells(part, n_cells) for part in _parts(codes, design)]
    keys = [
        rng.derive_key(plan.entropy, "cells", place, units)
        for place, units in enumerate(design.strata)
    ]
    for start, stop in plan.blocks(4 * n_cells * len(codes)):
        table_counts = np.zeros((len(codes), stop - start, n_cells), dtype=np.int64)
        for table, key in zip(tables, keys, strict=True):
            table_counts += np.stack([multinomial(key, start, stop, sample) for sample in table])
        yield start, stop, table_counts


def _counts_by_runs(
    codes: Array, n_cells: int, design: Design, plan: Plan
) -> Iterator[tuple[int, int, Counts]]:
    # Where the run of each cell ends: cells ascend within each stratum.
    ends = [count_cells(part, n_cells).cumsum(axis=-1) for part in _parts(codes, design)]
    each = max(design.n, n_cells * len(codes))
    for start, stop, counts in count_blocks(design, plan, each):
        run_counts = np.zeros((len(codes), stop - start, n_cells), dtype=np.int64)
        for first, units, end in zip(design.first_units, design.strata, ends, strict=True):
            cumulated = np.zeros((stop - start, units + 1), dtype=np.int64)
            np.cumsum(counts[:, first : first + units], axis=-1, out=cumulated[:, 1:])
            up_to = np.moveaxis(cumulated[:, end], 0, 1)
            run_counts += np.diff(up_to, prepend=0, axis=-1)
        yield start, stop, run_counts


def _counts_by_sums(
    codes: Array, n_cells: int, design: Design, plan: Plan
) -> Iterator[tuple[int, int, Counts]]:
    by_unit = np.stack([_counts_by_unit(sample, design, n_cells).T for sample in codes])
    held = by_unit.any(axis=(0, 2))
    features = by_unit[:, held].reshape(-1, design.units).astype(float)
    for start, stop, sums in sums_by_stratum(features, design, plan):
        sum_counts = np.zeros((len(codes), stop - start, n_cells), dtype=np.int64)
        total = sums.sum(axis=0).reshape(len(codes), int(held.sum()), stop - start)
        sum_counts[:, :, held] = np.rint(np.moveaxis(total, 1, -1)).astype(np.int64)
        yield start, stop, sum_counts


# --------------------------------------------------------------------------- batches


def finished(codes: Array, design: Design, form: CellCounts, plan: Plan) -> Array:
    """Replicates of a function of counts for all samples of a batch, (S, n) -> (S, B)."""
    out = np.empty((len(codes), plan.n_resamples))
    in_runs = design.sizes is None and not design.paired
    if not (in_runs and max(design.strata) < MULTINOMIAL_FROM and codes.size):
        for start, stop, counts in cell_counts(codes, form.n_cells, design, plan):
            out[:, start:stop] = form.finish(counts)
        return out
    ends = _ends(codes, form.n_cells, design)
    fast = form.n_cells <= MOST_CELLS and _compiles(design, plan)
    program = program_of(form.finish, form.n_cells) if fast else None

    def work(block: tuple[int, int]) -> None:
        start, stop = block
        draws = _kept(design, plan, start, stop, fast=fast)
        if program is None:
            _finish_plainly(form, draws, ends, out[:, start:stop])
        else:
            native_tables.finish(program, draws, ends[0], out, start, stop)

    step = TABLE_BLOCKS * plan.block_elements // (design.units + 1)
    for _ in plan.in_threads(max(1, step - step % WIDTH, min(step, WIDTH)), work):
        pass
    return out


def _compiles(design: Design, plan: Plan) -> bool:
    """Whether the compiled kernels are used."""
    return (
        plan.compiles and len(design.strata) == 1 and design.units <= native_tables.MOST_TABLE_UNITS
    )


def _finish_plainly(form: CellCounts, draws: Table, ends: Ends, out: Array) -> None:
    """Finish counts of one row of resamples, and of a few samples, at a time."""
    step = max(1, AT_A_TIME // (WIDTH * form.n_cells))
    for row, drawn in enumerate(draws):
        into = out[:, row * WIDTH : (row + 1) * WIDTH]
        for start in range(0, len(out), step):
            counts = _counts(drawn, ends[:, start : start + step]).astype(float)
            some = counts[:, :, : into.shape[-1]]
            into[start : start + step] = form.finish(np.moveaxis(some, 0, -1))


def _ends(codes: Array, n_cells: int, design: Design) -> Ends:
    """Units before each cell and after the last, in each stratum: (H, S, n_cells + 1)."""
    ends = np.empty((len(design.strata), len(codes), n_cells + 1), dtype=np.intp)
    for into, first, part in zip(ends, design.first_units, _parts(codes, design), strict=True):
        into[:, 0] = first
        np.cumsum(count_cells(part, n_cells), axis=-1, out=into[:, 1:])
        into[:, 1:] += first
    return ends


def _counts(drawn: Table, ends: Ends) -> NDArray[np.integer[Any]]:
    """Counts of cells from cumulated draws, (U + 1, WIDTH) -> (n_cells, S, WIDTH)."""
    up_to = [drawn[end.T] for end in ends]
    differences = up_to[0][1:] - up_to[0][:-1]
    for of_stratum in up_to[1:]:
        differences += of_stratum[1:] - of_stratum[:-1]
    return np.asarray(differences)


def _kept(design: Design, plan: Plan, start: int, stop: int, *, fast: bool) -> Table:
    """Cumulated draws, kept for other samples and statistics of as many cases."""

    def cumulate() -> Table:
        if not fast:
            return _cumulated(design, plan, start, stop)
        ((key, _, units),) = plan.keys(design)
        return native_tables.cumulated(key, start, stop, units)

    if (design.units + 1) * plan.n_resamples > MOST_DRAWS_KEPT:
        return cumulate()
    return plan.once(("cumulated", start, stop), (), design, cumulate)


def _cumulated(design: Design, plan: Plan, start: int, stop: int) -> Table:
    """Draws of the units before each, and of all, rows of resamples side by side.

    Returns
    -------
    ndarray, shape (ceil((stop - start) / WIDTH), U + 1, WIDTH)
        0 where a row is not full.
    """
    dtype = np.int16 if design.units < 2**15 else np.int32
    rows = -(-(stop - start) // WIDTH)
    cumulated = np.zeros((rows, design.units + 1, WIDTH), dtype=dtype)
    step, count = max(1, plan.block_elements // design.units), counter(design, plan)
    for row, into in enumerate(cumulated):
        begin = start + row * WIDTH
        end = min(begin + WIDTH, stop)
        for first in range(begin, end, step):
            last = min(first + step, end)
            counts = count(first, last)
            into[1:, first - begin : last - begin] = counts.cumsum(axis=-1, dtype=dtype).T
    return cumulated


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
    replicates=replicates,
    leave_one_out=leave_one_out,
    exact_distribution=exact_distribution,
    weighted=weighted,
    weighted_pairs=weighted_pairs,
    weights_need_bounds=lambda _statistic: False,
    joint=joint,
    signed_sums=signed_sums,
    swapped_text=lambda _statistic: "paired decisions",
    true_classes=true_classes,
    seconds=seconds,
    bounded=True,
)
