"""The geometry of images, and whether two images have the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled

# Shares of a voxel: well above what rounding in a header makes (0.97656 written as 0.977), and
# well below what moves a boundary.
SPACING_TOLERANCE = 1e-3
DIRECTION_TOLERANCE = 1e-3
ORIGIN_TOLERANCE = 1e-2
# Origins of large coordinates are rounded to hundredths of a millimetre by some writers.
ORIGIN_ROUNDING = 0.01

Matrix = tuple[tuple[float, ...], ...]


@frozen
class Geometry:
    """Where voxels lie in the patient; world coordinates: LPS (left, posterior, superior), mm."""

    # Distance of neighbours in mm, one per array axis (so z first).
    spacing: tuple[float, ...]
    # ``direction[i][k]`` is the component along world axis i of the unit step along array axis k.
    direction: Matrix
    # World coordinates (l, p, s) of the voxel whose indices are all zero.
    origin: tuple[float, ...]


@frozen
class Image:
    """A label map or a mask."""

    # Boolean, or of the smallest unsigned integer type that holds the labels; C-contiguous; axes
    # (z, y, x) or (y, x).
    voxels: NDArray[Any]
    # Distance of neighbours in mm, one per array axis; None where the file says nothing.
    spacing: tuple[float, ...] | None
    # Where the voxels lie; None where the file does not say.
    geometry: Geometry | None
    # What was made of an odd header.
    notes: tuple[str, ...] = ()


def checked_spacing(file: Path, spacing: Sequence[float]) -> tuple[float, ...]:
    """The given spacing, checked to be finite and above zero."""
    if not all(np.isfinite(step) and step > 0 for step in spacing):
        raise DataError(
            f"{file}: its voxels are {_times(spacing[::-1])} mm large (x, y, z); "
            "each size must be above zero"
        )
    # Lengths of vectors miss the decimal that is meant in their last digits.
    return tuple(float(f"{step:.12g}") for step in spacing)


def geometry_of(file: Path, steps: NDArray[Any], origin: NDArray[Any]) -> Geometry:
    """The geometry from the world steps of each axis (columns, in array order) and the origin."""
    if not (np.isfinite(steps).all() and np.isfinite(origin).all()):
        raise DataError(f"{file}: its orientation or origin holds numbers that are not finite")
    spacing = checked_spacing(file, [float(np.linalg.norm(step)) for step in steps.T])
    direction = steps / np.asarray(spacing)
    if np.abs(direction.T @ direction - np.eye(len(spacing))).max() > DIRECTION_TOLERANCE:
        raise DataError(
            f"{file}: its axes do not stand at right angles (a sheared grid), so that distances in "
            "it are not defined by its spacing; resample it to a rectangular grid"
        )
    return Geometry(spacing, _rows(direction), tuple(float(place) for place in origin))


def check_same_geometry(
    prediction: Image, reference: Image, names: tuple[str, str], *, shape_only: bool = False
) -> None:
    """Refuse two images whose voxels do not lie at the same places.

    Shapes must be equal. Spacings may differ by a thousandth, direction cosines by 0.001, origins
    by a hundredth of the smallest voxel size (or by 0.01 mm, if that is less than a tenth of it).
    Of spacing and geometry, only what both images have is compared.

    ``names``: what to call them in an error; ``shape_only``: trust neither header: compare shapes
    only.
    """
    _check_same_shape(prediction, reference, names)
    if shape_only:
        return
    unlike = _unlike_spacing(prediction, reference)
    if prediction.geometry is not None and reference.geometry is not None:
        unlike += _unlike_places(prediction.geometry, reference.geometry)
    if unlike:
        parts = ", ".join(part for part, _, _ in unlike)
        values = "; ".join(f"{part} {one} against {other}" for part, one, other in unlike)
        raise DataError(
            f"{names[0]} and {names[1]}: {parts} differ ({values}); resample the prediction to the "
            f"reference's grid, or use {spelled('ignore_geometry', True)} if the headers are "
            "wrong and the voxels correspond"
        )


def _check_same_shape(prediction: Image, reference: Image, names: tuple[str, str]) -> None:
    one, other = prediction.voxels.shape, reference.voxels.shape
    if one == other:
        return
    swapped = sorted(one) == sorted(other)
    cause = "the axes look swapped: save both with the same axis order" if swapped else ""
    remedy = cause or "resample the prediction to the reference's grid"
    axes = "z, y, x" if len(one) == len(other) == 3 else "slowest axis first"
    raise DataError(
        f"{names[0]} and {names[1]}: shapes differ ({_times(one)} against {_times(other)} voxels; "
        f"{axes}); {remedy}"
    )


def _unlike_spacing(prediction: Image, reference: Image) -> list[tuple[str, str, str]]:
    if prediction.spacing is None or reference.spacing is None:
        return []
    one, other = np.asarray(prediction.spacing), np.asarray(reference.spacing)
    if (np.abs(one - other) <= SPACING_TOLERANCE * other).all():
        return []
    return [("spacing", f"{_times(one)} mm", f"{_times(other)} mm")]


def _unlike_places(prediction: Geometry, reference: Geometry) -> list[tuple[str, str, str]]:
    unlike = []
    one, other = np.asarray(prediction.direction), np.asarray(reference.direction)
    if one.shape != other.shape:
        # A plane in a plane, and one in space: only the sizes of their voxels can be compared.
        return []
    if np.abs(one - other).max() > DIRECTION_TOLERANCE:
        unlike.append(("orientation", *_orientations(one, other)))
    voxel = min(reference.spacing)
    allowed = max(ORIGIN_TOLERANCE * voxel, min(ORIGIN_ROUNDING, voxel / 10))
    here, there = np.asarray(prediction.origin), np.asarray(reference.origin)
    if np.abs(here - there).max() > allowed:
        unlike.append(("origin", f"({_listed(here)})", f"({_listed(there)}) mm in LPS"))
    return unlike


def _orientations(one: NDArray[Any], other: NDArray[Any]) -> tuple[str, str]:
    """Two directions as axis codes, or as matrices if their codes are equal."""
    codes = _axis_codes(one), _axis_codes(other)
    if codes[0] is None or codes[1] is None or codes[0] == codes[1]:
        return _matrix_text(one), _matrix_text(other)
    return codes[0], codes[1]


def _axis_codes(direction: NDArray[Any]) -> str | None:
    """The direction of each axis as a letter, x first; None for oblique axes or planes."""
    if direction.shape != (3, 3) or (np.abs(direction).max(axis=0) < 1 - DIRECTION_TOLERANCE).any():
        return None
    letters = ("RL", "AP", "IS")
    ends = [(letters[np.abs(step).argmax()], step.sum() > 0) for step in direction.T[::-1]]
    return "".join(pair[int(up)] for pair, up in ends)


def _matrix_text(direction: NDArray[Any]) -> str:
    """The matrix with x first, a row per world axis."""
    return "[" + "; ".join(_listed(row[::-1], digits=4) for row in direction) + "]"


def _listed(values: NDArray[Any], digits: int = 7) -> str:
    return ", ".join(f"{float(value) + 0.0:.{digits}g}" for value in values)


def _times(values: Sequence[float] | NDArray[Any]) -> str:
    return " x ".join(f"{value:.7g}" for value in values)


def _rows(matrix: NDArray[Any]) -> Matrix:
    return tuple(tuple(float(value) for value in row) for row in matrix)
