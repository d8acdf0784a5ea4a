"""Strategies of assignment carried out where there is something to choose."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Array
from halfwidth.detection.matching.flat import Cells
from halfwidth.detection.matching.greedy import Assigned, Role
from halfwidth.detection.metrics.assignment import Assign, ConflictError

Places = NDArray[np.intp]


class ConflictInImageError(Exception):
    """Two detections of a cell lie on one reference, or two references on one detection."""

    def __init__(self, detection: int, *, two_detections: bool) -> None:
        super().__init__()
        self.detection, self.two_detections = detection, two_detections


def assign_pairs(
    strategy: Assign,
    gains: Array,
    limits: Array,
    cells: Cells,
    kept: Places,
    roles: NDArray[np.uint8],
    assigned: Assigned,
) -> None:
    """Give detections references to be found as a strategy has it.

    A pair of which neither object has another partner, even at the loosest threshold, is one under
    every strategy. The rest is handed over cell by cell. Arguments are as in `match_greedily`, but
    that ``kept`` are the detections that take part, and ``assigned`` is (T, len(kept)).
    """
    entry = np.full(int(cells.n_detections.sum()), -1)
    entry[kept] = np.arange(len(kept))
    some = np.flatnonzero(
        (gains >= limits.min())
        & (roles[cells.second] == Role.TO_BE_FOUND)
        & (entry[cells.first] >= 0)
    )
    first, second = cells.first[some], cells.second[some]
    cell = np.repeat(np.arange(len(cells)), cells.n_detections)[first]
    place = second - cells.reference[cell]
    alone = (np.bincount(first)[first] == 1) & (np.bincount(second)[second] == 1)
    assigned[:, entry[first[alone]]] = np.where(
        gains[some[alone]] >= limits[:, None], place[alone], -1
    )
    rest = np.flatnonzero(~alone)
    for group in np.split(rest, np.flatnonzero(np.diff(cell[rest])) + 1) if len(rest) else ():
        rows, row = np.unique(first[group], return_inverse=True)
        columns, column = np.unique(place[group], return_inverse=True)
        block = np.full((len(rows), len(columns)), -np.inf)
        block[row, column] = gains[some[group]]
        try:
            taken = strategy(block, block >= limits[:, None, None])
        except ConflictError as error:
            raise ConflictInImageError(int(rows[0]), two_detections=error.detections) from None
        assigned[:, entry[rows]] = np.where(taken >= 0, columns[taken], -1)
