"""The bounding box of each label of a volume, found in one pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

BoundingBox = tuple[slice, ...]

# Voxels processed at a time, which limits the memory of the intermediate arrays even on noise.
SLAB = 1 << 21


def label_bounding_boxes(labels: NDArray[Any]) -> dict[int, BoundingBox]:
    """The bounding box of each label of a volume, ascending, without the background 0.

    Runs of equal voxels along the last axis are found first; there are few of them, and the ends of
    a label's runs are the ends of its box. Takes booleans or unsigned integers, C-contiguous.
    """
    whole = labels.view(np.uint8) if labels.dtype == bool else labels
    lowest: dict[int, NDArray[np.intp]] = {}
    highest: dict[int, NDArray[np.intp]] = {}
    for start, block in _blocks(whole):
        for label, first, last in _ends(block):
            low, high = first + start, last + start
            lowest[label] = np.minimum(low, lowest.get(label, low))
            highest[label] = np.maximum(high, highest.get(label, high))
    return {
        label: tuple(
            slice(int(low), int(high) + 1)
            for low, high in zip(lowest[label], highest[label], strict=True)
        )
        for label in sorted(lowest)
    }


def _blocks(labels: NDArray[Any]) -> Iterator[tuple[NDArray[np.intp], NDArray[Any]]]:
    """Split the volume into blocks (layers, or pieces of large layers); each with its offset."""
    layer = labels[0]
    if labels.ndim == 1 or layer.size <= SLAB:
        step = max(1, SLAB // max(1, layer.size))
        for first in range(0, len(labels), step):
            yield np.array([first, *[0] * (labels.ndim - 1)]), labels[first : first + step]
        return
    for first, whole in enumerate(labels):
        for start, block in _blocks(whole):
            yield np.array([first, *start]), block[None]


def _ends(slab: NDArray[Any]) -> list[tuple[int, NDArray[np.intp], NDArray[np.intp]]]:
    """First and last index of each label of a slab, along each axis."""
    length = slab.shape[-1]
    rows = slab.reshape(-1, length)
    begins = np.empty(rows.shape, dtype=bool)
    begins[:, 0] = True
    np.not_equal(rows[:, 1:], rows[:, :-1], out=begins[:, 1:])
    starts = np.flatnonzero(begins)
    stops = np.append(starts[1:], rows.size)
    values = rows.ravel()[starts]
    kept = values != 0
    values, starts, stops = values[kept], starts[kept], stops[kept]
    if not len(values):
        return []
    order = np.argsort(values, kind="stable")
    ranked = values[order]
    first = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))
    row, column = np.divmod(starts[order], length)
    places = [*np.unravel_index(row, slab.shape[:-1]), column]
    last = column + (stops - starts)[order] - 1
    low = np.stack([np.minimum.reduceat(place, first) for place in places], axis=1)
    high = np.stack([np.maximum.reduceat(place, first) for place in [*places[:-1], last]], axis=1)
    return [(int(ranked[at]), low[i], high[i]) for i, at in enumerate(first.tolist())]
