"""Assignment of references to detections in the compiled library.

Calls are checked as those of `native`, which makes them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Array
from halfwidth.resampling.kernels import native
from halfwidth.resampling.kernels.native import address

# Of the table of cells: first pair, detections, first reference, references, first entry.
FIELDS = 5


def assign(
    gains: Array,
    limits: Array,
    table: NDArray[np.int64],
    roles: NDArray[np.uint8],
    assigned: NDArray[np.int32],
) -> None:
    """Give detections in order the best reference left; see `matching.greedy`.

    Gains are those of the pairs of each cell, a row for each detection; ``table`` says where the
    pairs, detections and references of each cell are; ``limits`` the least gain at each threshold.
    The place in its cell of the reference of each detection is filled in where it is negative.
    """
    if table.ndim != 2 or not len(limits) or table.min(initial=0) < 0:
        raise ValueError(f"cells of shape {table.shape} at {len(limits)} thresholds")
    pair, rows, true, columns, entry = table.T
    ends = (pair + rows * columns, true + columns, entry + rows)
    for end, most in zip(ends, (len(gains), len(roles), assigned.shape[1]), strict=True):
        if end.max(initial=0) > most:
            raise ValueError(f"cells reach to {end.max()} of {most}")
    widest = int(columns.max(initial=0))
    taken, admitted = np.empty(len(limits) * widest, np.uint8), np.empty(widest, np.int32)
    native.call(
        "hw_assign",
        address(gains, np.float64, (len(gains),)),
        address(limits, np.float64, (len(limits),)),
        len(limits),
        address(table, np.int64, (len(table), FIELDS)),
        len(table),
        address(roles, np.uint8, (len(roles),)),
        assigned.shape[1],
        taken.ctypes.data,
        admitted.ctypes.data,
        address(assigned, np.int32, (len(limits), assigned.shape[1])),
    )
