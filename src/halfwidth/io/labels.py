"""Labels from numbers of any type: whole, not negative, in the smallest type that holds them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError

__all__ = ["as_labels"]

# Temporary arrays are of this many voxels, so that a volume of floats takes no second one.
PORTION = 1 << 18
MOST = 2**32 - 1
# A slope is stored in single precision: scaled values are whole up to its rounding.
SCALED_TOLERANCE = 1e-5


def as_labels(
    file: Path, stored: NDArray[Any], scale: tuple[float, float] | None = None
) -> NDArray[Any]:
    """Values in the smallest unsigned type (booleans stay what they are), in C order.

    Parameters
    ----------
    file : Path
        What to name in an error.
    stored : ndarray
        Booleans, integers, or floats that are whole numbers.
    scale : tuple of float, optional
        Slope and intercept: the values are slope × stored + intercept.

    Raises
    ------
    DataError
        If a value is negative, fractional, not finite or above 2³² − 1, or if these are no numbers.
    """
    if stored.dtype.kind == "b" and scale is None:
        return true_or_false(stored)
    if stored.dtype.kind not in "biuf":
        raise DataError(
            f"{file}: holds values of type {stored.dtype}; a label map holds one whole number per "
            "voxel"
        )
    flat = np.ascontiguousarray(stored).reshape(-1)
    if scale is None and flat.dtype.kind != "f":
        low, high = int(flat.min()), int(flat.max())
    else:
        low, high = _whole_range(file, flat, scale)
    _check_range(file, low, high)
    wanted = np.min_scalar_type(high)
    if wanted == flat.dtype and scale is None:
        return flat.reshape(stored.shape)
    labels = np.empty(flat.shape, wanted)
    for start, values in _portions(flat, scale):
        labels[start : start + len(values)] = np.rint(values) if scale else values
    return labels.reshape(stored.shape)


def true_or_false(stored: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Booleans in C order whose bytes are 0 and 1.

    Those of Pillow's 1-bit images, and of arrays that are viewed as booleans, may be any; sums and
    shifts of bytes would take them at their value.
    """
    return np.asarray(np.ascontiguousarray(stored).view(np.uint8) != 0)


def _portions(
    flat: NDArray[Any], scale: tuple[float, float] | None
) -> Iterator[tuple[int, NDArray[Any]]]:
    for start in range(0, len(flat), PORTION):
        values = flat[start : start + PORTION]
        # What overflows is infinite, and refused as such.
        with np.errstate(over="ignore", invalid="ignore"):
            yield start, values if scale is None else values * np.float64(scale[0]) + scale[1]


def _whole_range(
    file: Path, flat: NDArray[Any], scale: tuple[float, float] | None
) -> tuple[int, int]:
    """The least and the greatest of values that all are whole."""
    low, high, fraction = np.inf, -np.inf, None
    for _, values in _portions(flat, scale):
        least, most = float(values.min()), float(values.max())
        if not (np.isfinite(least) and np.isfinite(most)):
            raise DataError(f"{file}: holds NaN or infinite values, which are no labels")
        low, high = min(low, least), max(high, most)
        if fraction is None:
            fraction = _fraction(values, SCALED_TOLERANCE if scale else 0.0)
    if fraction is not None:
        raise DataError(_fractional(file, fraction, low, high))
    return round(low), round(high)


def _fraction(values: NDArray[Any], tolerance: float) -> float | None:
    """A value that is not whole, if there is one."""
    whole = np.rint(values)
    off = np.abs(values - whole) > tolerance * np.maximum(1.0, np.abs(whole))
    return float(values[off.argmax()]) if off.any() else None


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
