"""Headers of NRRD and MetaImage files.

They are read here rather than by a library, because the libraries at hand do not verify checksums,
write to stderr from C++, follow file names to anywhere and fill in a spacing of 1 mm where a file
has none. What is rare in label maps (values as text, data in several files) is refused by name.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, shortened
from halfwidth.io.grids import Geometry, checked_spacing, geometry_of
from halfwidth.io.voxel_data import Header, kept_axes

# Headers are a few lines, or some hundred kilobytes of remarks on each of many segments.
LONGEST = 1 << 22

# Names of units in headers, in mm.
UNITS = {"mm": 1.0, "um": 1e-3, "µm": 1e-3, "micron": 1e-3, "microns": 1e-3, "cm": 10.0, "m": 1e3}

NRRD_TYPES = {
    "i1": ("signed char", "int8", "int8_t"),
    "u1": ("uchar", "unsigned char", "uint8", "uint8_t"),
    "i2": ("short", "short int", "signed short", "signed short int", "int16", "int16_t"),
    "u2": ("ushort", "unsigned short", "unsigned short int", "uint16", "uint16_t"),
    "i4": ("int", "signed int", "int32", "int32_t"),
    "u4": ("uint", "unsigned int", "uint32", "uint32_t"),
    "i8": ("longlong", "long long", "long long int", "signed long long", "int64", "int64_t"),
    "u8": ("ulonglong", "unsigned long long", "unsigned long long int", "uint64", "uint64_t"),
    "f4": ("float",),
    "f8": ("double",),
}
META_TYPES = {
    "MET_CHAR": "i1",
    "MET_UCHAR": "u1",
    "MET_SHORT": "i2",
    "MET_USHORT": "u2",
    "MET_INT": "i4",
    "MET_UINT": "u4",
    "MET_LONG": "i4",
    "MET_ULONG": "u4",
    "MET_LONG_LONG": "i8",
    "MET_ULONG_LONG": "u8",
    "MET_FLOAT": "f4",
    "MET_DOUBLE": "f8",
}
ORDERS: dict[str, Literal["<", ">"]] = {"little": "<", "big": ">"}
# Kinds of axes that lie in space (or do not say); others hold several values per voxel.
NRRD_KINDS = {"domain", "space", "none", "???"}
# Signs that turn world axes into LPS; spaces that name no anatomy are taken as they are.
NRRD_SPACES = {
    "right-anterior-superior": (-1.0, -1.0, 1.0),
    "ras": (-1.0, -1.0, 1.0),
    "left-anterior-superior": (1.0, -1.0, 1.0),
    "las": (1.0, -1.0, 1.0),
}


def nrrd_header(file: Path) -> Header:
    """The header of a ``.nrrd`` or ``.nhdr`` file."""
    fields, end = _nrrd_fields(file)
    sizes = _integers(file, "sizes", _needed(file, fields, "sizes"))
    if _integers(file, "dimension", _needed(file, fields, "dimension")) != [len(sizes)]:
        raise DataError(
            f"{file}: its header names {len(sizes)} sizes, but 'dimension' is another number"
        )
    axes = _nrrd_axes(file, fields, sizes)
    kept = axes[: kept_axes(file, [sizes[axis] for axis in axes])]
    detached = fields.get("datafile")
    encoding = _needed(file, fields, "encoding").lower()
    if encoding not in {"raw", "gzip", "gz"}:
        raise DataError(
            f"{file}: its voxels are stored as {encoding!r}; raw and gzip are read (save it again)"
        )
    skip = _nrrd_skip(file, fields)
    deflated = encoding != "raw"
    offset = end if detached is None else 0
    if skip < 0 and deflated:
        raise DataError(f"{file}: a 'byte skip' of -1 goes with the encoding raw only")
    spacing, geometry = _nrrd_geometry(file, fields, kept, len(sizes))
    return Header(
        shape=tuple(sizes[axis] for axis in reversed(kept)),
        dtype=_nrrd_dtype(file, fields),
        spacing=spacing,
        geometry=geometry,
        data=file if detached is None else _voxel_file(file, detached),
        offset=-1 if skip < 0 else offset,
        skip=max(skip, 0),
        deflated=deflated,
    )


def _nrrd_fields(file: Path) -> tuple[dict[str, str], int]:
    """Fields by name (lower case, without blanks), and where the header ends."""
    content = _beginning(file)
    if not content.startswith(b"NRRD000"):
        raise DataError(f"{file}: is no NRRD file, whatever its name says")
    end = re.search(rb"\r?\n\r?\n", content)
    if end is None and len(content) == LONGEST:
        raise DataError(f"{file}: its NRRD header has no end")
    head = content if end is None else content[: end.start()]
    fields: dict[str, str] = {}
    for line in head.decode("utf-8", "replace").splitlines()[1:]:
        name, colon, value = line.partition(":")
        name = "".join(name.split()).lower()
        # Lines with ':=' are custom remarks.
        if line.startswith("#") or not colon or value.startswith("="):
            continue
        if name in fields:
            raise DataError(f"{file}: its header gives {name!r} twice")
        fields[name] = value.strip()
    return fields, len(content) if end is None else end.end()


def _nrrd_dtype(file: Path, fields: Mapping[str, str]) -> np.dtype[Any]:
    name = " ".join(_needed(file, fields, "type").lower().split())
    code = next((code for code, names in NRRD_TYPES.items() if name in names), None)
    if code is None:
        raise DataError(f"{file}: its values are of type {name!r}; a label map holds numbers")
    dtype = np.dtype(code)
    if dtype.itemsize == 1:
        return dtype
    order = _needed(file, fields, "endian").lower()
    if order not in ORDERS:
        raise DataError(f"{file}: 'endian' is {fields['endian']!r}; little and big are allowed")
    return dtype.newbyteorder(ORDERS[order])


def _nrrd_skip(file: Path, fields: Mapping[str, str]) -> int:
    """Bytes to pass over in the stream; -1 where the voxels are the end of the file."""
    lines = fields.get("lineskip", "0")
    if lines != "0":
        raise DataError(f"{file}: a 'line skip' ({lines!r}) is not read; use 'byte skip'")
    skip = _integers(file, "byte skip", fields.get("byteskip", "0"))
    if len(skip) != 1 or skip[0] < -1:
        raise DataError(f"{file}: 'byte skip' is {fields['byteskip']!r}; -1, 0, 1, … are allowed")
    return skip[0]


def _nrrd_axes(file: Path, fields: Mapping[str, str], sizes: list[int]) -> list[int]:
    """The axes, without non-spatial ones of length 1."""
    vectors = _nrrd_vectors(file, fields, len(sizes))
    kinds = fields.get("kinds", "").lower().split()
    outside = [kind not in NRRD_KINDS for kind in kinds] or [False] * len(sizes)
    if len(outside) != len(sizes):
        raise DataError(f"{file}: 'kinds' names {len(outside)} axes of {len(sizes)}")
    if vectors:
        outside = [vector is None for vector in vectors]
    for axis, (size, out) in enumerate(zip(sizes, outside, strict=True)):
        if out and size != 1:
            raise DataError(
                f"{file}: has the shape {' x '.join(map(str, sizes))}, whose axis {axis + 1} is "
                "not an axis of space; a label map has 2 or 3 dimensions, one label per voxel"
            )
    return [axis for axis, out in enumerate(outside) if not out]


def _nrrd_vectors(
    file: Path, fields: Mapping[str, str], dimension: int
) -> list[list[float] | None]:
    """The step of each axis in space, None for axes that have none; empty if none is given."""
    text = fields.get("spacedirections")
    if text is None:
        return []
    triples = re.findall(r"\([^()]*\)|none", text)
    vectors = [None if each == "none" else _vector(file, each) for each in triples]
    lengths = {len(vector) for vector in vectors if vector is not None}
    if len(vectors) != dimension or len(lengths) != 1:
        raise DataError(f"{file}: 'space directions' is {text!r}, which does not fit its dimension")
    return vectors


def _vector(file: Path, text: str) -> list[float]:
    return _numbers(file, "a vector", text.strip().strip("()").replace(",", " "))


def _nrrd_geometry(
    file: Path, fields: Mapping[str, str], kept: list[int], dimension: int
) -> tuple[tuple[float, ...] | None, Geometry | None]:
    vectors = _nrrd_vectors(file, fields, dimension)
    if not vectors:
        return _nrrd_spacing(file, fields, kept, dimension), None
    unit = _unit(file, fields.get("spaceunits"))
    chosen = [vectors[axis] or [] for axis in reversed(kept)]
    steps = np.array(chosen).T * unit
    if steps.shape[0] != len(kept):
        lengths = [float(step) for step in np.linalg.norm(steps, axis=0)]
        return checked_spacing(file, lengths), None
    signs = np.array(NRRD_SPACES.get(fields.get("space", "").lower(), (1.0,) * len(kept)))
    if len(signs) != len(kept):
        raise DataError(f"{file}: its 'space' and its 'space directions' differ in dimension")
    origin = np.array(_vector(file, fields.get("spaceorigin", "0 " * len(kept)))) * unit
    if origin.shape != signs.shape:
        raise DataError(f"{file}: 'space origin' is {fields['spaceorigin']!r}; {len(kept)} numbers")
    geometry = geometry_of(file, steps * signs[:, None], origin * signs)
    return geometry.spacing, geometry


def _nrrd_spacing(
    file: Path, fields: Mapping[str, str], kept: list[int], dimension: int
) -> tuple[float, ...] | None:
    if "spacings" not in fields:
        return None
    steps = _numbers(file, "spacings", fields["spacings"])
    if len(steps) != dimension:
        raise DataError(f"{file}: 'spacings' holds {len(steps)} numbers for {dimension} axes")
    unit = _unit(file, fields.get("units"))
    return checked_spacing(file, [steps[axis] * unit for axis in reversed(kept)])


def _unit(file: Path, text: str | None) -> float:
    """Millimetres per unit, if one is named for all axes."""
    named = {name.strip().lower() for name in re.findall(r'"([^"]*)"', text or "")} - {"", "???"}
    if not named:
        return 1.0
    unit = UNITS.get(named.pop())
    if unit is None or named:
        raise DataError(f"{file}: its units are {text}; allowed are {shortened(list(UNITS))}")
    return unit


def meta_header(file: Path) -> Header:
    """The header of a ``.mha`` or ``.mhd`` file."""
    fields, end = _meta_fields(file)
    sizes = _integers(file, "DimSize", _needed(file, fields, "DimSize"))
    if _integers(file, "NDims", _needed(file, fields, "NDims")) != [len(sizes)]:
        raise DataError(f"{file}: its header names {len(sizes)} sizes, but NDims is another number")
    kept = kept_axes(file, sizes)
    name = fields["elementdatafile"]
    offset = _integers(file, "HeaderSize", fields.get("headersize", "0"))[0]
    if offset < -1:
        raise DataError(f"{file}: HeaderSize is {offset}; -1, 0, 1, … are allowed")
    deflated = _is_true(fields, "compresseddata")
    if deflated and offset < 0:
        raise DataError(f"{file}: a HeaderSize of -1 goes with data that are not compressed")
    local = name.upper() == "LOCAL"
    spacing, geometry = _meta_geometry(file, fields, kept, len(sizes))
    return Header(
        shape=tuple(reversed(sizes[:kept])),
        dtype=_meta_dtype(file, fields),
        spacing=spacing,
        geometry=geometry,
        data=file if local else _voxel_file(file, name),
        offset=end if local and offset == 0 else offset,
        skip=0,
        deflated=deflated,
    )


def _meta_fields(file: Path) -> tuple[dict[str, str], int]:
    """Fields by name in lower case, and where the header ends."""
    content = _beginning(file)
    fields: dict[str, str] = {}
    end = 0
    while "elementdatafile" not in fields:
        stop = content.find(b"\n", end) + 1
        line = content[end : stop or len(content)]
        name, sign, value = line.decode("utf-8", "replace").partition("=")
        if (not sign and line.strip()) or not line or "\0" in name + value:
            raise DataError(f"{file}: is no MetaImage file, whatever its name says")
        end += len(line)
        key = name.strip().lower()
        if key in fields:
            raise DataError(f"{file}: its header gives {name.strip()!r} twice")
        if key:
            fields[key] = value.strip()
    return fields, end


def _meta_dtype(file: Path, fields: Mapping[str, str]) -> np.dtype[Any]:
    channels = fields.get("elementnumberofchannels", "1")
    if channels != "1":
        raise DataError(
            f"{file}: has {channels} values per voxel; a label map has 2 or 3 dimensions, one "
            "label per voxel"
        )
    if not _is_true(fields, "binarydata", otherwise="true"):
        raise DataError(f"{file}: its voxels are stored as text; save them as binary data")
    name = _needed(file, fields, "ElementType").upper()
    code = META_TYPES.get(name)
    if code is None:
        raise DataError(f"{file}: its values are of type {name!r}; {shortened(list(META_TYPES))}")
    big = _is_true(fields, "binarydatabyteordermsb") or _is_true(fields, "elementbyteordermsb")
    return np.dtype(code).newbyteorder(">" if big else "<")


def _meta_geometry(
    file: Path, fields: Mapping[str, str], kept: int, dimension: int
) -> tuple[tuple[float, ...] | None, Geometry | None]:
    text = fields.get("elementspacing", fields.get("elementsize"))
    if text is None:
        return None, None
    unit = _unit(file, f'"{fields.get("distanceunits", "")}"')
    steps = np.array(_numbers(file, "ElementSpacing", text)) * unit
    matrix = _first(fields, ("transformmatrix", "rotation", "orientation"))
    place = _first(fields, ("offset", "position", "origin"))
    spacing = checked_spacing(file, list(steps[:kept][::-1]))
    # A row per axis in the file; columns here.
    turned = (
        np.eye(dimension).ravel() if matrix is None else _array(file, "TransformMatrix", matrix)
    )
    origin = np.zeros(dimension) if place is None else _array(file, "Offset", place) * unit
    if (len(steps), len(turned), len(origin)) != (dimension, dimension**2, dimension):
        raise DataError(f"{file}: its ElementSpacing, TransformMatrix or Offset do not fit NDims")
    if matrix is None and place is None:
        return spacing, None
    rows = turned.reshape(dimension, dimension)[:kept, :kept] * steps[:kept, None]
    geometry = geometry_of(file, rows[::-1].T, origin[:kept])
    return geometry.spacing, geometry


def _first(fields: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    return next((fields[name] for name in names if name in fields), None)


def _is_true(fields: Mapping[str, str], name: str, otherwise: str = "false") -> bool:
    return fields.get(name, otherwise).lower() in {"true", "t", "1"}


def _beginning(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(LONGEST)


def _needed(file: Path, fields: Mapping[str, str], name: str) -> str:
    value = fields.get(name.lower())
    if not value:
        raise DataError(f"{file}: its header does not say {name!r}; it is damaged or cut short")
    return value


def _integers(file: Path, name: str, text: str) -> list[int]:
    numbers = _numbers(file, name, text)
    if not all(number.is_integer() and abs(number) < 2**53 for number in numbers):
        raise DataError(f"{file}: {name!r} is {text[:60]!r}; whole numbers are expected")
    return [int(number) for number in numbers]


def _array(file: Path, name: str, text: str) -> NDArray[np.float64]:
    return np.array(_numbers(file, name, text))


def _numbers(file: Path, name: str, text: str) -> list[float]:
    try:
        numbers = [float(part) for part in text.split()]
    except ValueError:
        numbers = []
    if not numbers or len(numbers) > 2**8:
        raise DataError(f"{file}: {name!r} is {text[:60]!r}; numbers are expected")
    return [number if math.isfinite(number) else math.nan for number in numbers]


def _voxel_file(file: Path, name: str) -> Path:
    """The file of the voxels, which must lie in the folder of the header or below it."""
    if name.split()[:1] == ["LIST"] or "%" in name:
        raise DataError(
            f"{file}: its voxels lie in several files ({name[:60]!r}); save them as one file"
        )
    folder = Path(os.path.realpath(file.parent))
    # Both ways of writing paths, wherever the file was made.
    parts = re.split(r"[/\\]", name)
    outside = not name or "\0" in name or parts[0] == "" or ".." in parts or ":" in parts[0]
    data = Path(os.path.realpath(folder.joinpath(*parts)))
    if outside or not data.is_relative_to(folder):
        raise DataError(
            f"{file}: names its voxels as {name[:200]!r}; a data file must lie in the folder of "
            "its header"
        )
    if not data.is_file():
        raise DataError(f"{file}: its data file {name[:200]!r} is not in its folder")
    if data.samefile(file):
        raise DataError(f"{file}: names itself as the file of its voxels; it is damaged")
    return data
