"""Matching of all cells at once: detections in order, each to the best reference that is left."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Array
from halfwidth.detection.matching.flat import Cells
from halfwidth.resampling.kernels import native, native_assignments

Assigned = NDArray[np.int32]


class Role(IntEnum):
    """What a reference is to detections, in the order in which they look for one."""

    TO_BE_FOUND = 0
    IGNORED_ONCE = 1
    IGNORED_ALWAYS = 2
    ABSENT = 3


def match_greedily(
    gains: Array,
    limits: Array,
    cells: Cells,
    used: NDArray[np.intp],
    roles: NDArray[np.uint8],
    assigned: Assigned,
) -> None:
    """Match what has no reference yet with those to be found, else with those ignored.

    ``gains`` (P,) are of pairs, higher where these lie better; ``limits`` (T,) the least gain that
    each threshold admits; ``used`` how many detections of each cell take part, its first ones.
    Fills in ``assigned`` (T, sum of used), the place in its cell of the reference of each
    detection, -1 where it has none.
    """
    some = np.flatnonzero((used > 0) & (cells.n_references > 0))
    entry = np.cumsum(used) - used
    table = np.stack([cells.pair, used, cells.reference, cells.n_references, entry], axis=1)[some]
    if native.available():
        native_assignments.assign(
            np.ascontiguousarray(gains, dtype=float),
            np.ascontiguousarray(limits, dtype=float),
            np.ascontiguousarray(table, dtype=np.int64),
            roles,
            assigned,
        )
    else:
        match_in_numpy(gains, limits, table, roles, assigned)


def match_in_numpy(
    gains: Array,
    limits: Array,
    table: NDArray[np.integer],
    roles: NDArray[np.uint8],
    assigned: Assigned,
) -> None:
    """Give detections the best reference left, as `native_assignments.assign` does."""
    for pair, rows, true, columns, entry in table.tolist():
        block = gains[pair : pair + rows * columns].reshape(rows, columns)
        part = assigned[:, entry : entry + rows]
        _match_cell(block, limits, roles[true : true + columns], part)


def _match_cell(gains: Array, limits: Array, roles: NDArray[np.uint8], assigned: Assigned) -> None:
    real = np.flatnonzero(roles == Role.TO_BE_FOUND)
    others = np.flatnonzero((roles == Role.IGNORED_ONCE) | (roles == Role.IGNORED_ALWAYS))
    free = np.ones((len(limits), len(roles)), dtype=bool)
    each = np.arange(len(limits))
    for row, gain in enumerate(gains):
        for columns in (real, others):
            if not len(columns):
                continue
            allowed = free[:, columns] & (gain[columns] >= limits[:, None])
            left = np.where(allowed, gain[columns], -np.inf)
            # Of equal ones the last, as COCO has it.
            last = len(columns) - 1 - np.argmax(left[:, ::-1], axis=1)
            some = allowed[each, last] & (assigned[:, row] < 0)
            chosen = columns[last]
            assigned[some, row] = chosen[some]
            used_up = some & (roles[chosen] != Role.IGNORED_ALWAYS)
            free[each[used_up], chosen[used_up]] = False
