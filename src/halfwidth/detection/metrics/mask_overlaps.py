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

    The P pairs are places among detections (``first``) and references (``second``).

    >>> square = CroppedMask((0, 0), np.ones((2, 2), dtype=bool))
    >>> beside = CroppedMask((1, 0), np.ones((2, 2), dtype=bool))
    >>> shared_voxels([square], [square, beside], np.array([0, 0]), np.array([0, 1]))
    array([4., 2.])
    """
    shared = np.zeros(len(first))
    if not len(first):
        return shared
    detection_ends, reference_ends = _extents(detections), _extents(references)
    for start in range(0, len(first), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        for pair in start + _overlapping(detection_ends, reference_ends, first[some], second[some]):
            one, other = first[pair], second[pair]
            low = np.maximum(detection_ends[:, 0, one], reference_ends[:, 0, other])
            high = np.minimum(detection_ends[:, 1, one], reference_ends[:, 1, other])
            parts = (detections[one], references[other])
            windows = [_window(mask, low, high) for mask in parts]
            shared[pair] = np.count_nonzero(windows[0] & windows[1])
    return shared


def _extents(masks: Sequence[CroppedMask]) -> Places:
    """Where each crop starts and stops along each axis, shape (d, 2, m)."""
    starts = np.array([one.start for one in masks], dtype=np.intp)
    stops = starts + np.array([one.mask.shape for one in masks])
    return np.ascontiguousarray(np.stack([starts, stops]).transpose(2, 0, 1))


def _overlapping(
    detection_ends: Places, reference_ends: Places, first: Places, second: Places
) -> Places:
    """Which pairs have crops that overlap; most are told apart by their first axis."""
    pairs = np.arange(len(first))
    for detection, reference in zip(detection_ends, reference_ends, strict=True):
        one, other = first[pairs], second[pairs]
        low = np.maximum(detection[0, one], reference[0, other])
        pairs = pairs[low < np.minimum(detection[1, one], reference[1, other])]
    return pairs


def _window(one: CroppedMask, low: Places, high: Places) -> NDArray[np.bool_]:
    """The part of a mask between two corners."""
    return one.mask[
        tuple(slice(a - s, b - s) for a, b, s in zip(low, high, one.start, strict=True))
    ]
