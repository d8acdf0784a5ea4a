"""Voxels that masks share, counted where their crops overlap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.objects import CroppedMask
from halfwidth.core.types import Array

Places = NDArray[np.intp]
# Pairs whose crops are compared at a time.
AT_ONCE = 1 << 16


def sizes(masks: Sequence[CroppedMask]) -> Array:
    """The number of voxels of each mask."""
    return np.array([np.count_nonzero(one.mask) for one in masks], dtype=float)


def shared_voxels(
    detections: Sequence[CroppedMask],
    references: Sequence[CroppedMask],
    first: Places,
    second: Places,
) -> Array:
    """How many voxels the masks of each pair share.

    Parameters
    ----------
    detections, references : sequence of CroppedMask
    first, second : ndarray of int, shape (P,)
        The pairs, as places among detections and references.

    Examples
    --------
    >>> square = CroppedMask((0, 0), np.ones((2, 2), dtype=bool))
    >>> beside = CroppedMask((1, 0), np.ones((2, 2), dtype=bool))
    >>> shared_voxels([square], [square, beside], np.array([0, 0]), np.array([0, 1]))
    array([4., 2.])
    """
    shared = np.zeros(len(first))
    if not len(first):
        return shared
    found, true = _extents(detections), _extents(references)
    for start in range(0, len(first), AT_ONCE):
        one, other = found[first[start : start + AT_ONCE]], true[second[start : start + AT_ONCE]]
        low, high = np.maximum(one[:, 0], other[:, 0]), np.minimum(one[:, 1], other[:, 1])
        for pair in np.flatnonzero((low < high).all(axis=1)):
            part = detections[first[start + pair]], references[second[start + pair]]
            windows = [_window(mask, low[pair], high[pair]) for mask in part]
            shared[start + pair] = np.count_nonzero(windows[0] & windows[1])
    return shared


def _extents(masks: Sequence[CroppedMask]) -> NDArray[np.intp]:
    """Where each crop starts and stops, shape (m, 2, d)."""
    starts = np.array([one.start for one in masks], dtype=np.intp)
    return np.stack([starts, starts + np.array([one.mask.shape for one in masks])], axis=1)


def _window(one: CroppedMask, low: Places, high: Places) -> NDArray[np.bool_]:
    """The part of a mask between two corners."""
    return one.mask[
        tuple(slice(a - s, b - s) for a, b, s in zip(low, high, one.start, strict=True))
    ]
