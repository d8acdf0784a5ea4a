"""Boundary voxels, the distances between boundaries, and bands along them.

Most of a prediction's boundary lies on the reference's, or a voxel or two beside it. So distances
are sought there first: voxel offsets are tried in order of their length, each for all voxels that
have found nothing yet. What is farther away goes through a k-d tree. Both give the same numbers as
a distance transform, at a cost that follows the boundary rather than the volume.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.metrics.bits import BitMask, Bits, layer_ranges, moved, packed

Mask = NDArray[np.bool_]
Steps = tuple[float, ...]

# Offsets tried before the tree, about; and how far they reach along an axis at most.
NEAR, REACH = 250, 6
# Two distances that differ by less are one distance, rounded in two ways.
ROUNDING = 1e-9
# From this many offsets on, and while one voxel in so many is still seeking, a distance transform
# is faster; in volumes of at most so many voxels, which its indices do not make too large.
PATIENCE, CROWD, MOST_TRANSFORMED = 26, 16, 1 << 26
# With more shifts than this a distance transform gives the band faster.
MANY_SHIFTS = 1500
# Voxels in one query of a tree.
AT_ONCE = 1 << 20
# Every so many of the targets, and how many more targets than voxels there must be for a look at
# them to pay.
SAMPLE, FEW = 16, 8


def boundary(mask: Mask) -> Mask:
    """Voxels of a mask with a face neighbour outside of it; beyond the array is outside.

    >>> boundary(np.ones((3, 3), dtype=bool)).astype(int)
    array([[1, 1, 1],
           [1, 0, 1],
           [1, 1, 1]])
    """
    inside = mask.copy()
    for axis in range(mask.ndim):
        # Views with the axis in front.
        inner, original = np.moveaxis(inside, axis, 0), np.moveaxis(mask, axis, 0)
        inner[1:] &= original[:-1]
        inner[:-1] &= original[1:]
        inner[:1] = inner[-1:] = False
    return np.asarray(mask & ~inside)


def within(distances: Array, limit: float) -> NDArray[np.bool_]:
    """Which distances are at most the limit, those included that miss it by rounding alone."""
    return distances <= limit * (1 + ROUNDING)


@frozen(eq=False)
class _Offsets:
    """Voxel offsets in order of their length, from which none up to the last is missing."""

    steps: NDArray[np.intp]
    lengths: Array
    reach: tuple[int, ...]


@functools.lru_cache(maxsize=64)
def _neighbour_offsets(spacing: Steps) -> _Offsets:
    sides = [np.arange(-REACH, REACH + 1)] * len(spacing)
    steps = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, len(spacing))
    lengths = _length(steps, spacing)
    order = np.argsort(lengths, kind="stable")[1:]
    # Beyond this length there are offsets that the grid of candidates does not hold.
    complete = (REACH + 1) * min(spacing)
    last = min(lengths[order[min(NEAR, len(order)) - 1]], complete * (1 - ROUNDING))
    chosen = order[lengths[order] <= last]
    reach = tuple(int(n) for n in np.abs(steps[chosen]).max(axis=0))
    return _Offsets(steps[chosen], lengths[chosen], reach)


def _length(steps: NDArray[Any], spacing: Steps) -> Array:
    return np.asarray(np.sqrt(((steps * np.array(spacing)) ** 2).sum(axis=-1)))


def boundary_bits(mask: Mask) -> BitMask:
    """The `boundary` of a mask, a slab at a time."""
    edge = BitMask.empty(mask.shape)
    for first, stop in layer_ranges(mask.shape):
        # With the neighbouring layers, whose own neighbours do not matter.
        low = max(first - 1, 0)
        edge.put(first, boundary(mask[low : stop + 1])[first - low :][: stop - first])
    return edge


def nearest_distances(voxels: BitMask, targets: BitMask, spacing: Steps) -> Array:
    """Distance from each voxel of one set to the nearest of another, between centres.

    In the unit of the spacing and the array's order; infinite where there is no target.

    >>> line = np.array([[True, False, False, True]])
    >>> target = np.array([[True, False, False, False]])
    >>> nearest_distances(BitMask.pack(line), BitMask.pack(target), (1.0, 2.0))
    array([0., 6.])
    """
    offsets = _neighbour_offsets(spacing)
    padded = _padded(targets, offsets.reach)
    distances = np.full(voxels.count, np.inf)
    if not targets.count:
        return distances
    far, done = [], 0
    for places in _places(voxels, padded.shape, offsets.reach):
        part = distances[done : done + len(places)]
        part[:] = 0.0
        left = _by_offsets(places, padded, offsets, part, spacing)
        far.append((done + left, places[left]))
        done += len(places)
    which, places = (np.concatenate(parts) for parts in zip(*far, strict=True))
    if len(places):
        distances[which] = _tree_distances(places, padded, spacing)
    return distances


def _padded(mask: BitMask, margins: tuple[int, ...]) -> Mask:
    """A mask with background around it, C-contiguous."""
    wide = np.zeros([n + 2 * m for n, m in zip(mask.shape, margins, strict=True)], dtype=bool)
    inside = wide[tuple(slice(m, m + n) for n, m in zip(mask.shape, margins, strict=True))]
    for first, slab in mask.slabs():
        inside[first : first + len(slab)] = slab
    return wide


def _places(
    voxels: BitMask, shape: tuple[int, ...], margins: tuple[int, ...]
) -> Iterator[NDArray[np.intp]]:
    """Flat places of the voxels in an array with margins; in slabs where none is transformed."""
    layer = math.prod(shape[1:])
    inside = tuple(slice(m, n - m) for m, n in zip(margins[1:], shape[1:], strict=True))
    whole = math.prod(shape) <= MOST_TRANSFORMED
    for first, slab in [(0, voxels.mask)] if whole else voxels.slabs():
        wide = np.zeros((len(slab), *shape[1:]), dtype=bool)
        wide[(slice(None), *inside)] = slab
        yield np.flatnonzero(wide) + (first + margins[0]) * layer


def _by_offsets(
    places: NDArray[np.intp], targets: Mask, offsets: _Offsets, distances: Array, spacing: Steps
) -> NDArray[np.intp]:
    """Fill in distances to targets that are near; returns which places have found none."""
    flat = targets.reshape(-1)
    seeking = np.flatnonzero(~flat[places])
    jumps = offsets.steps @ np.array(targets.strides)
    for tried, (jump, length) in enumerate(zip(jumps, offsets.lengths, strict=True)):
        if not len(seeking):
            break
        if tried == PATIENCE and CROWD * len(seeking) > targets.size <= MOST_TRANSFORMED:
            distances[seeking] = _transformed(places[seeking], targets, spacing)
            return seeking[:0]
        hit = flat[places[seeking] + jump]
        distances[seeking[hit]] = length
        seeking = seeking[~hit]
    return seeking


def _transformed(places: NDArray[np.intp], targets: Mask, spacing: Steps) -> Array:
    from scipy.ndimage import distance_transform_edt

    ends = distance_transform_edt(
        ~targets, sampling=spacing, return_distances=False, return_indices=True
    )
    starts = np.stack(np.unravel_index(places, targets.shape), axis=-1)
    return _length(starts - ends.reshape(targets.ndim, -1)[:, places].T, spacing)


def _tree_distances(places: NDArray[np.intp], targets: Mask, spacing: Steps) -> Array:
    ends, starts = _indices(np.flatnonzero(targets), targets), _indices(places, targets)
    if FEW * len(starts) < len(ends):
        # None of a few is farther from all targets than from some of them.
        steps = np.array(spacing)
        reach = _nearest(starts, ends[::SAMPLE], spacing).max() * (1 + ROUNDING) / steps
        low, high = starts.min(axis=0) - reach, starts.max(axis=0) + reach
        ends = ends[((ends >= low) & (ends <= high)).all(axis=1)]
    return _nearest(starts, ends, spacing)


def _indices(places: NDArray[np.intp], mask: Mask) -> NDArray[np.int32]:
    """Indices along each axis of flat places, in half the memory."""
    indices = np.empty((len(places), mask.ndim), dtype=np.int32)
    for first in range(0, len(places), AT_ONCE):
        part = slice(first, first + AT_ONCE)
        indices[part] = np.stack(np.unravel_index(places[part], mask.shape), axis=-1)
    return indices


def _nearest(starts: NDArray[Any], ends: NDArray[Any], spacing: Steps) -> Array:
    from scipy.spatial import KDTree

    steps = np.array(spacing)
    # A tree that is not balanced takes half the time to build; it serves only a few queries.
    tree = KDTree(ends * steps, balanced_tree=False, compact_nodes=False)
    distances = np.empty(len(starts))
    for first in range(0, len(starts), AT_ONCE):
        points = starts[first : first + AT_ONCE]
        _, nearest = tree.query(points * steps)
        # From whole numbers of voxels, so that equal offsets have equal lengths.
        distances[first : first + AT_ONCE] = _length(points - ends[nearest], spacing)
    return distances


def inner_band(mask: Mask, edge: BitMask, distance: float, spacing: Steps) -> BitMask:
    """What erosion by a distance takes away from a mask, and its boundary voxels in any case.

    These are the voxels whose centre is within the distance of that of a voxel outside; beyond the
    array is outside. The mask is eroded by every offset of at most that length, in bits: along the
    first axis offsets are runs, along the others they are slices.
    """
    whole = packed(mask)
    # Every line through a voxel meets the outside on both sides of it.
    if any(
        distance >= (length + 1) // 2 * step
        for length, step in zip(mask.shape, spacing, strict=True)
    ):
        return BitMask(whole, mask.shape)
    reach = distance * (1 + ROUNDING)
    sides = [int(reach // step) for step in spacing[1:]]
    shifts = np.array(list(np.ndindex(*(2 * n + 1 for n in sides)))) - sides
    room = reach**2 - _length(shifts, spacing[1:]) ** 2
    shifts, room = shifts[room >= 0], room[room >= 0]
    if len(shifts) > MANY_SHIFTS and mask.size <= MOST_TRANSFORMED:
        from scipy.ndimage import distance_transform_edt

        distances = distance_transform_edt(np.pad(mask, 1), sampling=spacing)
        inner = distances[(slice(1, -1),) * mask.ndim]
        return edge | BitMask.pack(np.asarray(mask & within(inner, distance)))
    runs = (np.sqrt(room) // spacing[0]).astype(int)
    inside, narrowed, width = whole.copy(), whole.copy(), 0
    for run in sorted(set(runs.tolist())):
        while width < run:
            width += 1
            narrowed &= moved(whole, width)
            narrowed &= moved(whole, -width)
        for shift in shifts[runs == run]:
            to, of = zip(*(_overlap(int(n)) for n in shift), strict=True)
            inside[(slice(None), *to)] &= narrowed[(slice(None), *of)]
    for axis, margin in enumerate(sides, start=1):
        rows = np.moveaxis(inside, axis, 0)
        rows[:margin] = rows[len(rows) - margin :] = 0
    return edge | BitMask(whole & ~inside, mask.shape)


def _overlap(shift: int) -> tuple[slice, slice]:
    """Where an axis shifted by so many voxels lies on itself: the places, and what comes there."""
    if shift >= 0:
        return slice(shift, None), slice(None, -shift or None)
    return slice(None, shift), slice(-shift, None)


def cheng_layers(shape: tuple[int, ...], width: float | None = None) -> int:
    """How many layers make the band of Cheng et al.: 2 % of the image's diagonal, at least one."""
    return max(1, round(0.02 * math.hypot(*shape))) if width is None else int(width)


def chessboard_band(mask: Mask, layers: int) -> BitMask:
    """What so many erosions by a 3×3(×3) block take away from a mask; beyond the array is outside.

    >>> chessboard_band(np.ones((5, 5), dtype=bool), 2).mask.astype(int)[2]
    array([1, 1, 0, 1, 1])
    """
    length = 2 * layers + 1
    whole = packed(mask)
    bits, done = whole.copy(), 1
    # Blocks are separable, and so are their erosions: runs of a length along one axis after the
    # other, from runs of half the length.
    while done < length:
        more = min(done, length - done)
        bits &= moved(bits, -more)
        done += more
    inside = moved(bits, layers)
    for axis in range(1, mask.ndim):
        rows = np.moveaxis(inside, axis, 0)
        kept = _full_runs(rows, length)
        rows[layers : layers + len(kept)] = kept
        rows[:layers] = rows[-layers:] = 0
    return BitMask(whole & ~inside, mask.shape)


def _full_runs(rows: Bits, length: int) -> Bits:
    """What all rows of each run of so many share, by runs of twice the length at a time."""
    if len(rows) < length:
        return rows[:0]
    done = 1
    while done < length:
        more = min(done, length - done)
        rows = rows[:-more] & rows[more:]
        done += more
    return rows
