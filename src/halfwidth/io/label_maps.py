"""Labels from numbers of any type: whole, not negative, in the smallest type that holds them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError
from halfwidth.core.option_names import spelled

# Values are looked at in portions of this many, so that a volume of floats takes no second one.
PORTION = 1 << 18
MOST = 2**32 - 1
# A slope is stored in single precision: scaled values are whole up to the rounding of what they are
# made of, and no nearer to zero than that.
SCALED_TOLERANCE = 1e-5
# Voxels of an image, unless the user allows more: 512 x 512 x 1600. With two such images of one
# byte per voxel, and one structure that fills them, a process stays below 3 GB.
MOST_VOXELS = 512 * 512 * 1600
# The greatest label that takes a byte less than so many.
WIDEST_OF = {2: 255, 4: 65535}


def check_size(file: Path, shape: Sequence[int], most: int, *, each: int = 1) -> None:
    """Refuse an image of more voxels than are allowed, or of fewer that take more bytes each."""
    voxels = math.prod(shape)
    if voxels * each <= most:
        return
    size = " x ".join(str(length) for length in shape[::-1])
    wide = f", each counted {each} times for labels above {WIDEST_OF[each]}" if each > 1 else ""
    raise DataError(
        f"{file}: has {size} voxels{wide}; up to {most} are read, so that memory lasts. If there "
        f"is enough (7 bytes for each): {spelled('max_voxels', voxels * each)}"
    )


class LabelMap:
    """Labels as they come out of a file, in the smallest unsigned type that holds them.

    Booleans stay booleans. Values may arrive in any order of places, as any type of number.

    ``file``: what to name in an error; ``dtype``: of the stored values: booleans, integers, or
    floats that are whole numbers; ``scale``: slope and intercept: the values are slope × stored +
    intercept; ``most``: voxels allowed, or bytes of labels where those are above 255.
    """

    def __init__(
        self,
        file: Path,
        shape: Sequence[int],
        dtype: np.dtype[Any],
        scale: tuple[float, float] | None = None,
        most: int = MOST_VOXELS,
    ) -> None:
        if dtype.kind not in "biuf":
            raise DataError(
                f"{file}: holds values of type {dtype}; a label map holds one whole number per "
                "voxel"
            )
        check_size(file, shape, most)
        self._file, self._scale, self._most = file, scale, most
        self._plain = scale is None and dtype.kind != "f"
        # Values that need no look at them.
        self.as_stored = scale is None and dtype == np.uint8
        whole = dtype.kind == "b" and scale is None
        # Zeros cost nothing until they are overwritten; sparse files leave some.
        self._voxels: NDArray[Any] = np.zeros(shape, dtype=bool if whole else np.uint8)
        self._low, self._high = 0.0, 0.0
        self._seen, self._finite = False, True
        self._fraction: float | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the map."""
        return self._voxels.shape

    @property
    def flat(self) -> NDArray[Any]:
        """The labels so far, in one dimension; to be filled where `as_stored`."""
        return self._voxels.reshape(-1)

    def append(self, start: int, stored: NDArray[Any]) -> None:
        """Take over values in C order, from a place on in one dimension."""
        for first in range(0, len(stored), PORTION):
            part = stored[first : first + PORTION]
            self._put(slice(start + first, start + first + len(part)), part, flat=True)

    def put(self, where: tuple[slice, ...], stored: NDArray[Any]) -> None:
        """Take over a block of values at a place of the map."""
        rows = max(1, PORTION // max(1, stored[:1].size))
        first, *others = where
        for row in range(0, len(stored), rows):
            part = stored[row : row + rows]
            start = first.start + row
            self._put((slice(start, start + len(part)), *others), part)

    def _put(self, where: Any, stored: NDArray[Any], *, flat: bool = False) -> None:
        if self._voxels.dtype == bool:
            self._labels(flat)[where] = true_or_false(stored)
            return
        values = self._scaled(stored)
        if not self._holds_labels(values) or self._low < 0 or self._high > MOST:
            # An image that will be refused is not kept; the error at the end names what it holds.
            return
        smallest_type = np.min_scalar_type(round(self._high))
        if smallest_type.itemsize > self._voxels.itemsize:
            check_size(self._file, self._voxels.shape, self._most, each=smallest_type.itemsize)
            self._voxels = self._voxels.astype(smallest_type)
        self._labels(flat)[where] = np.rint(values) if self._scale else values

    def _labels(self, flat: bool) -> NDArray[Any]:
        return self.flat if flat else self._voxels

    def finished(self) -> NDArray[Any]:
        """All labels, or an error that says what else was there."""
        if not self._finite:
            raise DataError(f"{self._file}: holds NaN or infinite values, which are no labels")
        if self._fraction is not None:
            raise DataError(_fractional(self._file, self._fraction, self._low, self._high))
        _check_range(self._file, round(self._low), round(self._high))
        return self._voxels

    def _scaled(self, stored: NDArray[Any]) -> NDArray[Any]:
        if self._scale is None:
            return stored
        # What overflows is infinite, and refused as such.
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(stored * np.float64(self._scale[0]) + self._scale[1])

    def _holds_labels(self, values: NDArray[Any]) -> bool:
        """Note the range, and whether all values so far are whole and finite."""
        least, most = values.min(), values.max()
        low, high = (int(least), int(most)) if self._plain else (float(least), float(most))
        self._finite &= math.isfinite(low) and math.isfinite(high)
        if not self._finite:
            return False
        self._low = min(self._low, low) if self._seen else low
        self._high = max(self._high, high) if self._seen else high
        self._seen = True
        if not self._plain and self._fraction is None:
            self._fraction = _fraction(values, self._scale)
        return self._fraction is None


def as_labels(file: Path, stored: NDArray[Any]) -> NDArray[Any]:
    """The values of an array as labels, in C order; see `LabelMap`."""
    if stored.dtype == np.uint8:
        return np.ascontiguousarray(stored)
    # Who has an array in memory has the memory.
    labels = LabelMap(file, stored.shape, stored.dtype, most=8 * stored.size)
    labels.append(0, np.ascontiguousarray(stored).reshape(-1))
    return labels.finished()


def true_or_false(stored: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Booleans in C order whose bytes are 0 and 1.

    Those of Pillow's 1-bit images, and of arrays that are viewed as booleans, may be any; sums and
    shifts of bytes would take them at their value.
    """
    return np.asarray(np.ascontiguousarray(stored).view(np.uint8) != 0)


def _fraction(values: NDArray[Any], scale: tuple[float, float] | None) -> float | None:
    """A value that is not whole, if there is one."""
    whole = np.rint(values)
    allowed = SCALED_TOLERANCE * (np.abs(values) + abs(scale[1])) if scale else 0.0
    off = np.abs(values - whole) > allowed
    return float(values.flat[off.argmax()]) if off.any() else None


def _fractional(file: Path, fraction: float, low: float, high: float) -> str:
    if low >= 0 and high <= 1:
        return (
            f"{file}: looks like probabilities (it holds {fraction:.4g}, and all values lie from 0 "
            "to 1); a label map or a thresholded mask is expected"
        )
    return (
        f"{file}: holds {fraction:.6g}, which is no whole number (values from {low:.6g} to "
        f"{high:.6g}); a label map or a mask is expected, not an image of intensities"
    )


def _check_range(file: Path, low: int, high: int) -> None:
    if low < 0:
        raise DataError(
            f"{file}: holds the label {low}; labels are 0 (background), 1, 2, …, never negative"
        )
    if high > MOST:
        raise DataError(f"{file}: holds the label {high}; the greatest allowed is {MOST}")
