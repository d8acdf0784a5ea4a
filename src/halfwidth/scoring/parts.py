"""How many parts a mask is in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["count_parts"]

Mask = NDArray[np.bool_]
Places = NDArray[np.intp]

# Voxels looked at at a time, so that what is noted beside them stays small.
SLAB = 1 << 22
# With more runs than one for so many voxels, labelling every voxel is faster.
SPARSE = 32


def count_parts(mask: Mask) -> int:
    """Connected parts of a mask, by faces, edges or corners.

    Runs along the last axis are the nodes of a graph, and runs that touch in neighbouring lines its
    edges; a part is a connected component. That takes a tenth of the time and of the memory of
    labelling every voxel.

    >>> count_parts(np.array([[True, False, True], [False, False, False], [True, True, False]]))
    3
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not mask.size:
        return 0
    starts, stops = _runs(mask)
    if len(starts) * SPARSE > mask.size:
        return _labelled(mask)
    pairs = list(_touching(mask, starts, stops))
    heads, tails = (np.concatenate([pair[end] for pair in pairs]) for end in (0, 1))
    edges = coo_array((np.ones(len(heads), dtype=bool), (heads, tails)), shape=(len(starts),) * 2)
    count: Any = connected_components(edges, directed=False, return_labels=False)
    return int(count)


def _labelled(mask: Mask) -> int:
    from scipy.ndimage import generate_binary_structure, label

    found: Any = label(mask, generate_binary_structure(mask.ndim, mask.ndim))
    return int(found[1])


def _runs(mask: Mask) -> tuple[Places, Places]:
    """Where runs start and stop, in lines that are one place longer than those of the mask."""
    length = mask.shape[-1]
    lines = mask.reshape(-1, length)
    step = max(1, SLAB // length)
    found = []
    for first in range(0, len(lines), step):
        part = lines[first : first + step]
        turns = np.empty((len(part), length + 1), dtype=bool)
        turns[:, 0], turns[:, -1] = part[:, 0], part[:, -1]
        np.not_equal(part[:, 1:], part[:, :-1], out=turns[:, 1:-1])
        found.append(np.flatnonzero(turns) + first * (length + 1))
    turned = np.concatenate(found)
    return turned[::2], turned[1::2]


def _touching(mask: Mask, starts: Places, stops: Places) -> Iterator[tuple[Places, Places]]:
    """Pairs of runs in neighbouring lines that touch, if but by a corner."""
    lines, width = mask.shape[-2], mask.shape[-1] + 1
    line = starts // width % lines
    # Each pair of lines once: those that come after a line.
    others = ((0, 1),) if mask.ndim == 2 else ((0, 1), (1, -1), (1, 0), (1, 1))
    for layer, beside in others:
        inside = np.flatnonzero((line + beside >= 0) & (line + beside < lines))
        away = (layer * lines + beside) * width
        first = np.searchsorted(stops, starts[inside] + away, "left")
        last = np.searchsorted(starts, stops[inside] + away, "right")
        count = np.maximum(last - first, 0)
        before = np.cumsum(count) - count
        yield np.repeat(inside, count), np.arange(count.sum()) - np.repeat(before - first, count)
