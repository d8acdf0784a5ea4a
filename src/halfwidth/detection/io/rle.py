"""Masks as lengths of runs, as COCO stores them, column by column and background first."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, shown
from halfwidth.core.objects import CroppedMask
from halfwidth.io.label_maps import MOST_VOXELS

# Each letter of a compressed text holds five bits of a number, a sixth that says whether more
# follow, and stands 48 places up in ASCII; the highest bit of a number's last letter is its sign.
OFFSET, MORE, SIGN, BITS = 48, 32, 16, 5
# Runs are shorter than 2^32; a number of more letters is damage.
MOST_LETTERS = 7


def runs_of(counts: str | bytes) -> NDArray[np.int64]:
    """Lengths of runs from text that from the fourth on holds differences to the last but one."""
    try:
        text = counts.encode("ascii") if isinstance(counts, str) else counts
    except UnicodeEncodeError:
        raise DataError("has letters in its 'counts' that no run-length encoding has") from None
    letters = np.frombuffer(text, np.uint8).astype(np.int64) - OFFSET
    if not len(letters):
        return np.zeros(0, np.int64)
    ends = np.flatnonzero(letters & MORE == 0)
    starts = np.concatenate([[0], ends[:-1] + 1])
    if letters.min() < 0 or letters.max() > 63:
        raise DataError("has letters in its 'counts' that no run-length encoding has")
    if not len(ends) or ends[-1] != len(letters) - 1 or (ends - starts).max() >= MOST_LETTERS:
        raise DataError("has 'counts' that are damaged or cut short")
    place = np.arange(len(letters)) - np.repeat(starts, ends - starts + 1)
    values = np.add.reduceat((letters & (MORE - 1)) << (BITS * place), starts)
    negative = letters[ends] & SIGN != 0
    values -= np.where(negative, np.int64(1) << (BITS * (ends - starts + 1)), 0)
    # So differences add up along every other run.
    runs = values.copy()
    runs[1::2] = np.cumsum(values[1::2])
    runs[2::2] = np.cumsum(values[2::2])
    return runs


def mask_of_runs(runs: NDArray[np.int64], shape: tuple[int, int]) -> CroppedMask:
    """The mask that runs make in an image of this shape, cropped to its bounding box."""
    height, width = shape
    if (runs < 0).any() or int(runs.sum()) != height * width:
        raise DataError(
            f"has runs that do not fill its 'size' of {height} x {width}; is it the size of the "
            "image, height first?"
        )
    ends = np.cumsum(runs)
    starts, stops = (ends - runs)[1::2], ends[1::2]
    filled = stops > starts
    starts, stops = starts[filled], stops[filled]
    if not len(starts):
        return CroppedMask((0, 0), np.zeros((0, 0), dtype=bool))
    first, last = int(starts[0]) // height, int(stops[-1] - 1) // height
    # Background up to each run and the run itself, from the first column that has one.
    lengths = np.stack([starts - np.r_[first * height, stops[:-1]], stops - starts], axis=1)
    rest = (last + 1) * height - stops[-1]
    values = np.arange(lengths.size + 1) % 2 == 1
    whole = np.repeat(values, [*lengths.reshape(-1), rest]).reshape(-1, height).T
    rows = np.flatnonzero(whole.any(axis=1))
    top, bottom = int(rows[0]), int(rows[-1]) + 1
    return CroppedMask((top, first), np.ascontiguousarray(whole[top:bottom]))


def mask_of_rle(rle: dict[str, Any]) -> CroppedMask:
    """The mask of a dict of COCO's, its size and its counts, compressed or not."""
    shape = shape_of(rle)
    counts = rle.get("counts")
    runs = runs_of(counts) if isinstance(counts, str | bytes) else _stated(counts)
    return mask_of_runs(runs, shape)


def _stated(counts: Any) -> NDArray[np.int64]:
    """Runs that are written as numbers."""
    whole = isinstance(counts, list | tuple) and all(type(one) is int for one in counts)
    if not whole or max(counts, default=0) > MOST_VOXELS:
        raise DataError(
            f"has the 'counts' {shown(counts)}; a run-length encoding has whole numbers or their "
            "compressed text"
        )
    return np.array(counts, dtype=np.int64)


def shape_of(rle: dict[str, Any]) -> tuple[int, int]:
    """The height and width that an encoded mask is of."""
    size = rle.get("size")
    whole = isinstance(size, list | tuple) and [type(one) for one in size] == [int, int]
    if not whole or min(size) < 1:  # type: ignore[arg-type]
        raise DataError(f"has the 'size' {shown(size)}; an encoded mask has [height, width]")
    if math.prod(size) > MOST_VOXELS:  # type: ignore[arg-type]
        raise DataError(f"has the 'size' {shown(size)}, above {MOST_VOXELS} pixels")
    return size[0], size[1]  # type: ignore[index]
