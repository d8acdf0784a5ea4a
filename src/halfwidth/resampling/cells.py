"""Confusion matrices of resamples, as counts of cells.

Large samples of independent cases take one multinomial draw a resample. Smaller ones take the draws
of all other bootstraps: with cases in the order of their cells, a cell is a run of cases, and its
count a difference of two cumulated counts, for every sample of a batch alike.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from halfwidth.core import rng
from halfwidth.core.types import Array
from halfwidth.metrics.counting import count_cells
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan, counts_of_units, sums_by_stratum
from halfwidth.resampling.multinomial import multinomial

__all__ = ["MULTINOMIAL_FROM", "cell_counts", "counts_by_unit"]

# From so many cases in a stratum on, its table is one multinomial draw. Below, a batch of samples
# shares draws, which for the sample sizes of simulation studies is faster by far.
MULTINOMIAL_FROM = 5001

Counts = NDArray[np.int64]


def counts_by_unit(codes: Array, design: Design, n_cells: int) -> Counts:
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
    if design.sizes is not None:
        yield from _of_clusters(codes, n_cells, design, plan)
    elif max(design.strata) >= MULTINOMIAL_FROM:
        yield from _multinomial(codes, n_cells, design, plan)
    else:
        yield from _of_runs(codes, n_cells, design, plan)


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
        made = np.zeros((len(codes), stop - start, n_cells), dtype=np.int64)
        for table, key in zip(tables, keys, strict=True):
            made += np.stack([multinomial(key, start, stop, sample) for sample in table])
        yield start, stop, made


def _of_runs(
    codes: Array, n_cells: int, design: Design, plan: Plan
) -> Iterator[tuple[int, int, Counts]]:
    # Where the run of each cell ends: cells ascend within each stratum.
    ends = [count_cells(part, n_cells).cumsum(axis=-1) for part in _parts(codes, design)]
    for start, stop in plan.blocks(max(design.n, n_cells * len(codes))):
        counts = counts_of_units(design, plan, start, stop)
        made = np.zeros((len(codes), stop - start, n_cells), dtype=np.int64)
        for first, units, end in zip(design.first_units, design.strata, ends, strict=True):
            cumulated = np.zeros((stop - start, units + 1), dtype=np.int64)
            np.cumsum(counts[:, first : first + units], axis=-1, out=cumulated[:, 1:])
            up_to = np.moveaxis(cumulated[:, end], 0, 1)
            made += np.diff(up_to, prepend=0, axis=-1)
        yield start, stop, made


def _of_clusters(
    codes: Array, n_cells: int, design: Design, plan: Plan
) -> Iterator[tuple[int, int, Counts]]:
    by_unit = np.stack([counts_by_unit(sample, design, n_cells).T for sample in codes])
    held = by_unit.any(axis=(0, 2))
    features = by_unit[:, held].reshape(-1, design.units).astype(float)
    for start, stop, sums in sums_by_stratum(features, design, plan):
        made = np.zeros((len(codes), stop - start, n_cells), dtype=np.int64)
        total = sums.sum(axis=0).reshape(len(codes), int(held.sum()), stop - start)
        made[:, :, held] = np.rint(np.moveaxis(total, 1, -1)).astype(np.int64)
        yield start, stop, made
