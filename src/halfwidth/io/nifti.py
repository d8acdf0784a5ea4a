"""Headers of NIfTI files, by nibabel; the voxels are read here, with their checksum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError
from halfwidth.core.types import decimals
from halfwidth.io.grids import Geometry, checked_spacing, geometry_of
from halfwidth.io.voxel_data import GZIP, Header, Stream, kept_axes

# Sizes of the headers of the two versions, which are how a file begins.
SIZES = (348, 540)
ORDERS: tuple[Literal["little", "big"], ...] = ("little", "big")
MAGIC = (b"n+1", b"n+2")
# The smallest places where voxels may start.
STARTS = (352, 544)

# The affine maps to RAS; the first two axes point the other way in LPS.
LPS = np.array([-1.0, -1.0, 1.0])
AGREEMENT = 1e-3
# Share of a voxel by which two placements may differ.
TWO_PLACES = 0.1
SPACE_UNITS = {1: 1e3, 2: 1.0, 3: 1e-3}


def nifti_header(file: Path) -> Header:
    """The header of a ``.nii`` or ``.nii.gz`` file.

    The sform places the voxels, else the qform; without either there is no geometry. The voxel
    sizes must agree with it to a thousandth: a header that gives two sizes is refused, since no
    distance could be trusted.
    """
    with file.open("rb") as opened:
        deflated = opened.read(2) == GZIP
        opened.seek(0)
        block = Stream(opened, file, deflated=deflated).read(max(SIZES))
    header, version = _parsed(file, block)
    sizes = _sizes(file, header)
    kept = kept_axes(file, sizes)
    start = float(header["vox_offset"])
    # Some writers leave it zero.
    start = float(STARTS[version]) if start == 0 else start
    if not (STARTS[version] <= start < 2**40 and start.is_integer()):
        raise DataError(f"{file}: its header says that voxels start at byte {start:g}")
    spacing, geometry = _placed(file, header, kept)
    scale, notes = _scale(file, header)
    notes += _two_places(file, header, sizes[:kept])
    return Header(
        shape=tuple(reversed(sizes[:kept])),
        dtype=_dtype(file, header),
        spacing=spacing,
        geometry=geometry,
        data=file,
        offset=0,
        skip=int(start),
        deflated=deflated,
        scale=scale,
        notes=notes,
    )


def _parsed(file: Path, block: bytes) -> tuple[Any, int]:
    """The header as nibabel sees it, unchecked and unrepaired; and which version it is."""
    import nibabel

    for version, size in enumerate(SIZES):
        for order in ORDERS:
            if int.from_bytes(block[:4], order) == size and len(block) >= size:
                kind: Any = (nibabel.Nifti1Header, nibabel.Nifti2Header)[version]
                parsed = kind(block[:size], endianness=order, check=False)
                magic = bytes(np.asarray(parsed["magic"]).tobytes())[:3]
                if magic == MAGIC[version]:
                    return parsed, version
                raise DataError(
                    f"{file}: is no NIfTI file in one part (a pair of .hdr and .img, or Analyze); "
                    "save it as .nii or .nii.gz"
                )
    raise DataError(f"{file}: is no NIfTI file, whatever its name says, or is cut short")


def _sizes(file: Path, header: Any) -> list[int]:
    dim = [int(size) for size in header["dim"]]
    if not 1 <= dim[0] <= 7:
        raise DataError(f"{file}: its header gives {dim[0]} dimensions; 1 to 7 are possible")
    return dim[1 : dim[0] + 1]


def _dtype(file: Path, header: Any) -> np.dtype[Any]:
    try:
        dtype: np.dtype[Any] = header.get_data_dtype()
    except Exception:  # noqa: BLE001 -- whatever the library raises, the code is unknown
        dtype = np.dtype("V1")
    if dtype.kind not in "biuf":
        raise DataError(
            f"{file}: its values are of data type {int(header['datatype'])} (NIfTI's code), which "
            "is not a single number; a label map holds one whole number per voxel"
        )
    return dtype


def _scale(file: Path, header: Any) -> tuple[tuple[float, float] | None, tuple[str, ...]]:
    """Slope and intercept if they matter, and a note about them.

    The standard says that a slope of zero means no scaling. It does not know a NaN, which nibabel
    and ITK take for a zero; so does this, and says so. Infinity is neither.
    """
    slope, intercept = float(header["scl_slope"]), float(header["scl_inter"])
    if slope == 0:
        return None, ()
    if np.isnan(slope):
        note = "its header scales values by NaN (scl_slope), which counts as no scaling"
        return None, (f"{file}: {note}, as nibabel and ITK do",)
    if not (np.isfinite(slope) and np.isfinite(intercept)):
        raise DataError(
            f"{file}: its header scales values by {slope:g} (scl_slope) and adds {intercept:g} "
            "(scl_inter); save it with 1 and 0 if the stored values are the labels"
        )
    return (None if (slope, intercept) == (1.0, 0.0) else (slope, intercept)), ()


def _placed(file: Path, header: Any, kept: int) -> tuple[tuple[float, ...], Geometry | None]:
    """Spacing, and where the voxels lie."""
    unit = SPACE_UNITS.get(int(header["xyzt_units"]) & 7, 1.0)
    # Single precision in version 1.
    sizes = decimals(np.asarray(header["pixdim"][1 : kept + 1])) * unit
    spacing = checked_spacing(file, list(sizes[::-1]))
    coded = int(header["sform_code"]) != 0 or int(header["qform_code"]) != 0
    if not coded:
        return spacing, None
    affine = _affine(file, header) * unit
    steps = (LPS[:, None] * affine[:3, :kept])[:, ::-1]
    geometry = geometry_of(file, steps, LPS * affine[:3, 3])
    stated, placed = np.asarray(spacing), np.asarray(geometry.spacing)
    if (np.abs(stated - placed) > AGREEMENT * stated).any():
        raise DataError(
            f"{file}: its header gives voxels of {_times(stated)} mm (pixdim), and of "
            f"{_times(placed)} mm (its affine); save it with one size"
        )
    return spacing, replace(geometry, spacing=spacing)


def _two_places(file: Path, header: Any, sizes: Sequence[int]) -> tuple[str, ...]:
    """A note about a header whose qform and sform place its voxels differently."""
    if int(header["sform_code"]) == 0 or int(header["qform_code"]) == 0:
        return ()
    try:
        apart = np.asarray(header.get_sform() - _with_handedness(header).get_qform(), np.float64)
    except Exception:  # noqa: BLE001 -- a qform that is none, where the sform is taken
        return ()
    # How far the first and the last voxel are from where they would be.
    ends = np.zeros((4, 2))
    ends[: len(sizes), 1] = np.asarray(sizes) - 1
    ends[3] = 1
    away = float(np.linalg.norm((apart @ ends)[:3], axis=0).max())
    if not away > TWO_PLACES * float(np.min(header["pixdim"][1 : len(sizes) + 1])):
        return ()
    note = f"its sform and its qform place its voxels differently (up to {away:.3g} mm apart)"
    return (f"{file}: {note}; the sform is taken",)


def _with_handedness(header: Any) -> Any:
    """The header, whose missing handedness the standard reads as 1."""
    if header["pixdim"][0] == 0:
        header["pixdim"][0] = 1
    return header


def _affine(file: Path, header: Any) -> NDArray[np.float64]:
    try:
        return np.asarray(_with_handedness(header).get_best_affine(), np.float64)
    except Exception as error:  # noqa: BLE001 -- the library has several kinds of its own
        reason = " ".join(str(error).split())
        raise DataError(
            f"{file}: its header does not say where its voxels lie ({reason})"
        ) from None


def _times(spacing: NDArray[Any]) -> str:
    return " x ".join(f"{step:.7g}" for step in spacing[::-1])
