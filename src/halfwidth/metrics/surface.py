"""Surface elements of a mask: where its surface runs, and how much of it."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Array
from halfwidth.metrics.bits import BitMask, layer_ranges

# Corner q of a cell lies on the lower side of axis k where bit k of q is set, and bit q of the
# cell's code says whether the mask holds it. A direction is a set of axes, in bits as well.

# A corner, edge or face is cut off at the midpoints of the edges that leave it along m axes. The
# cut's area vector has 1 / 2ᵐ⁻¹ (m - 1)! along each of them, and 0 along others.
_CUT = (0.0, 1.0, 1 / 2, 1 / 8)


def surface_elements(mask: NDArray[np.bool_], spacing: Sequence[float]) -> tuple[BitMask, Array]:
    """Cells of the dual grid that a mask's surface crosses, and the surface's area in each.

    Marching cubes (Lorensen & Cline 1987) through the midpoints of a cell's edges: Σ ‖n ∘ f‖ over
    the triangles, with n a triangle's area vector in a unit cube and fₖ the area of a voxel's face
    across axis k. Of foreground and background, that with fewer corners is cut off; corners that
    no edge of the cell connects, by cuts of their own. The areas equal the table of 256 normals of
    Nikolov et al. (2021).

    Background lies all round the mask. Cell (i, j, k) of (X + 1, Y + 1[, Z + 1]) has the voxels
    (i-1..i, j-1..j, k-1..k) as its corners, and is crossed where they are neither all background
    nor all foreground. Areas are in C order of the crossed cells, in the square of the spacing's
    unit (lengths, of a 2-D mask); permuting or flipping the axes does no more than that to them.

    A mask's steps make its surface larger than that of the shape it was drawn from, at any
    resolution: of a ball by about 9 %, of a disk by 5.5 %, and by more where voxels are oblong.

    A single voxel becomes a rhombus in 2-D and an octahedron in 3-D.

    >>> crossed, area = surface_elements(np.ones((1, 1), bool), (3.0, 4.0))
    >>> crossed.shape, area.tolist()
    ((2, 2), [2.5, 2.5, 2.5, 2.5])
    >>> _, area = surface_elements(np.ones((1, 1, 1), bool), (1.0, 1.0, 1.0))
    >>> area.size, round(float(area.sum()), 6)
    (8, 1.732051)
    """
    elements = BitMask.empty([length + 1 for length in mask.shape])
    table, areas = _areas(spacing), [np.empty(0)]
    for first, stop in layer_ranges(elements.shape):
        # A layer of cells lies between two layers of voxels.
        low = max(first - 1, 0)
        code = _codes(mask[low:stop])[first - low : stop - low]
        crossed = code != 0
        crossed &= code != (1 << (1 << mask.ndim)) - 1
        elements.put(first, crossed)
        areas.append(table[code[crossed]])
    return elements, np.concatenate(areas)


def _codes(mask: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """The corners that each cell of the dual grid has in the mask, one bit for each."""
    code = np.zeros([length + 1 for length in mask.shape], dtype=np.uint8)
    code[(slice(-1),) * mask.ndim] = mask
    flat = code.reshape(-1)
    for axis, step in enumerate(code.strides):
        # A row's end runs into the next one's start, but only ever with the margin's zeros.
        flat[step:] |= flat[:-step] << (1 << axis)
    return code


def _areas(spacing: Sequence[float]) -> Array:
    """The area of the surface in a cell of each code."""
    side = np.asarray(spacing, dtype=float)
    n_axes = len(side)
    face = np.array([np.prod(np.delete(side, axis)) for axis in range(n_axes)])
    holds = np.arange(1 << n_axes)[:, None] >> np.arange(n_axes) & 1
    return np.asarray(_weights(n_axes) @ np.linalg.norm(holds * face, axis=1))


@functools.cache
def _weights(n_axes: int) -> Array:
    """Area vectors of each code in cells of side 1: (codes, directions).

    A triangle's vector has components of one size along the axes of its direction and 0 along
    others. Their signs do not matter to areas, so that those of one direction are summed.
    """
    corners = frozenset(range(1 << n_axes))
    table = np.zeros((1 << len(corners), len(corners)))
    for code, row in enumerate(table):
        inside = frozenset(corner for corner in corners if code >> corner & 1)
        for piece in _pieces(min(inside, corners - inside, key=len)):
            for direction, weight in _cut_off(piece, n_axes):
                row[direction] += weight
    return table


def _pieces(corners: frozenset[int]) -> Iterator[frozenset[int]]:
    """Corners parted into those that edges of the cell connect."""
    while corners:
        piece: frozenset[int] = frozenset()
        grown = frozenset([min(corners)])
        while piece != grown:
            piece = grown
            grown |= {q for q in corners if any((p ^ q).bit_count() == 1 for p in piece)}
        yield piece
        corners -= piece


def _cut_off(piece: frozenset[int], n_axes: int) -> Iterator[tuple[int, float]]:
    """Directions and weights of the triangles that part connected corners from the others.

    There are at most half of a cell's corners, so that few shapes exist. They are told by how
    the corners fall along each axis: all on one side, half on each, or else unevenly.
    """
    lower = [sum(corner >> axis & 1 for corner in piece) for axis in range(n_axes)]
    one_side = [axis for axis, n in enumerate(lower) if n in (0, len(piece))]
    uneven = [axis for axis, n in enumerate(lower) if n % len(piece) and 2 * n != len(piece)]
    every = (1 << n_axes) - 1
    if not uneven:  # a corner, an edge or a face
        yield sum(1 << axis for axis in one_side), _CUT[len(one_side)]
    elif one_side:  # three corners of a face: a pentagon
        yield 1 << one_side[0], 1 / 2
        yield every, 3 / 8
    elif len(uneven) == 3:  # a corner and its neighbours: a plane hexagon
        yield every, 3 / 4
    else:  # a path along each axis in turn: a skew hexagon
        yield every, 1 / 2
        for axis in uneven:
            yield every ^ (1 << axis), 1 / 4
