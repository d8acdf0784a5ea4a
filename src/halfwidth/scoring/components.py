"""The number of connected components of a mask."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
Places = NDArray[np.intp]

# Voxels processed at a time, which limits the memory of the intermediate arrays.
SLAB = 1 << 22
# Labelling every voxel is faster with more than one run per SPARSE voxels, and takes less memory
# with more than MOST_RUNS runs.
SPARSE, MOST_RUNS = 32, 1 << 21


def count_components(mask: Mask) -> int:
    """Count the connected components of a mask; faces, edges and corners connect.

    Runs along the last axis are the nodes of a graph, and runs that touch in neighbouring lines its
    edges. Counting its components takes a tenth of the time and of the memory of
    labelling every voxel.

    >>> count_components(np.array([[1, 0, 1], [0, 0, 0], [1, 1, 0]], dtype=bool))
    3
    """
    if not mask.size:
        return 0
    runs = _runs(mask)
    if runs is None:
        return _count_labelled(np.moveaxis(mask, int(np.argmax(mask.shape)), 0))
    starts, stops = runs
    pairs = list(_touching_runs(mask, starts, stops))
    heads, tails = (np.concatenate([pair[end] for pair in pairs]) for end in (0, 1))
    return _components(len(starts), heads, tails)


def _components(nodes: int, heads: Places, tails: Places) -> int:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = coo_array((np.ones(len(heads), dtype=bool), (heads, tails)), shape=(nodes, nodes))
    count: Any = connected_components(edges, directed=False, return_labels=False)
    return int(count)


def _count_labelled(mask: Mask) -> int:
    """Count by labelling every voxel, slab by slab, and joining labels that touch between slabs."""
    from scipy.ndimage import generate_binary_structure, label

    structure = generate_binary_structure(mask.ndim, mask.ndim)
    step = max(1, 4 * SLAB // mask[0].size)
    nodes, last = 0, np.zeros((0,) * mask.ndim, dtype=np.intp)
    joined = [np.zeros((0, 2), dtype=np.intp)]
    for first in range(0, len(mask), step):
        labels, count = cast("Any", label(mask[first : first + step], structure))
        own = _renumbered(labels[0], nodes)
        if first:
            joined.append(_touching_layers(last, own))
        last = _renumbered(labels[-1], nodes)
        nodes += count
    heads, tails = np.concatenate(joined).T - 1
    return _components(nodes, heads, tails) if nodes else 0


def _renumbered(labels: NDArray[np.int32], before: int) -> Places:
    """The labels of a slab, renumbered from ``before`` on, in a type that fits pairs of them."""
    return np.where(labels, labels.astype(np.intp) + before, 0)


def _touching_layers(one: Places, other: Places) -> Places:
    """Pairs of labels that touch between two neighbouring layers, each once."""
    wide = np.pad(other, 1)
    # Two labels as one number, since rows take long to sort.
    most = int(other.max(initial=0)) + 1
    pairs = []
    for shift in np.ndindex(*(3,) * one.ndim):
        moved = wide[tuple(slice(s, s + n) for s, n in zip(shift, one.shape, strict=True))]
        both = (one > 0) & (moved > 0)
        pairs.append(np.unique(one[both] * most + moved[both]))
    return np.stack(np.divmod(np.unique(np.concatenate(pairs)), most), axis=1)


def _runs(mask: Mask) -> tuple[Places, Places] | None:
    """Start and stop of each run, as indices into lines one place longer than those of the mask.

    None if there are so many runs that labelling every voxel is faster.
    """
    length = mask.shape[-1]
    lines = mask.reshape(-1, length)
    step = max(1, SLAB // length)
    turns_of_blocks, count = [], 0
    for first in range(0, len(lines), step):
        part = lines[first : first + step]
        turns = np.empty((len(part), length + 1), dtype=bool)
        turns[:, 0], turns[:, -1] = part[:, 0], part[:, -1]
        np.not_equal(part[:, 1:], part[:, :-1], out=turns[:, 1:-1])
        turns_of_blocks.append(np.flatnonzero(turns) + first * (length + 1))
        count += len(turns_of_blocks[-1]) // 2
        if count * SPARSE > mask.size or count > MOST_RUNS:
            return None
    turned = np.concatenate(turns_of_blocks)
    return turned[::2], turned[1::2]


def _touching_runs(mask: Mask, starts: Places, stops: Places) -> Iterator[tuple[Places, Places]]:
    """Pairs of runs in neighbouring lines that touch, be it only at a corner."""
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
