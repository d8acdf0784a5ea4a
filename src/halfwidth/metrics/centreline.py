"""Centrelines of masks, by scikit-image, and how much of them lies in another mask.

Thinning takes voxels away from one side after the other and in the order of the array, so that the
skeleton depends on the order and the direction of the axes: the same structure stored in another
orientation has another one, or none. What is counted here is therefore summed over all
orientations, 8 of a picture and 48 of a volume.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import OptionError

Mask = NDArray[np.bool_]


class Centreline(NamedTuple):
    """Voxels of a mask's skeletons: those that another mask holds, and all."""

    within: int
    length: int


def centreline_within(mask: Mask, other: Mask, *, as_stored: bool = False) -> Centreline:
    """Voxels of the skeletons of a mask, and how many of them lie in another.

    ``as_stored``: one skeleton, of the axes as they are, instead of one for each orientation.
    """
    box = tuple(_extent(mask, axis) for axis in range(mask.ndim))
    # The skeleton of a mask does not depend on the background around it.
    mask, other = mask[box], other[box]
    within = length = 0
    for turn in itertools.islice(_orientations(mask.ndim), 1 if as_stored else None):
        skeleton = _skeleton(_turned(mask, *turn))
        length += int(np.count_nonzero(skeleton))
        within += int(np.count_nonzero(skeleton & _turned(other, *turn)))
    return Centreline(within, length)


def _extent(mask: Mask, axis: int) -> slice:
    """Layers along an axis from the first to the last that holds anything."""
    hit = np.flatnonzero(mask.any(axis=tuple(a for a in range(mask.ndim) if a != axis)))
    return slice(int(hit[0]), int(hit[-1]) + 1) if len(hit) else slice(0, 0)


Turn = tuple[tuple[int, ...], tuple[int, ...]]


def _orientations(ndim: int) -> Iterator[Turn]:
    """Orders of the axes and the axes that are reversed; the first is as stored."""
    reversals = [axes for n in range(ndim + 1) for axes in itertools.combinations(range(ndim), n)]
    return itertools.product(itertools.permutations(range(ndim)), reversals)


def _turned(mask: Mask, order: tuple[int, ...], reversed_axes: tuple[int, ...]) -> Mask:
    return np.ascontiguousarray(np.flip(mask.transpose(order), reversed_axes))


def _skeleton(mask: Mask) -> Mask:
    try:
        from skimage.morphology import skeletonize
    except ImportError:
        raise OptionError(
            "clDice needs scikit-image for skeletons: pip install 'halfwidth[images]'"
        ) from None
    skeleton: Mask = skeletonize(mask)  # type: ignore[no-untyped-call]
    return np.asarray(skeleton > 0)
