"""Label maps in PNG and NumPy files: voxels without a place in the world."""

from __future__ import annotations

import math
import mmap
import struct
import zlib
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError
from halfwidth.io.label_maps import PORTION, LabelMap, check_size
from halfwidth.io.voxel_data import Header, check_promise, kept_axes, read_labels

PNG = b"\x89PNG\r\n\x1a\n"
NPY = b"\x93NUMPY"
# Colour types that hold a colour, or transparency, per pixel.
PNG_COLOURS = {2: "RGB colours", 4: "grey and transparency", 6: "RGB colours and transparency"}
# Bits per pixel of grey images that Pillow spreads over 0 to 255, and the factor by which.
PNG_SPREAD = {2: 85, 4: 17}


def read_png(file: Path, most: int) -> NDArray[Any]:
    """Grey values as they are stored, or the indices of a palette; never colours."""
    from PIL.PngImagePlugin import PngImageFile

    with file.open("rb") as plain, mmap.mmap(plain.fileno(), 0, access=mmap.ACCESS_READ) as content:
        depth = _check_png(file, content, most)
        # Past Image.open, whose limit on pixels is below what a slide has; the size is checked.
        with PngImageFile(cast("Any", content)) as picture:
            if getattr(picture, "n_frames", 1) != 1:
                raise DataError(f"{file}: is an animation; a label map is one picture")
            return _labels_of(file, picture, depth, most)


def _labels_of(file: Path, picture: Any, depth: int, most: int) -> NDArray[Any]:
    """The labels of a picture, strip by strip: as a whole array it would be in memory twice."""
    width, height = picture.size
    rows = max(1, PORTION // width)

    def strip_from(row: int) -> NDArray[Any]:
        strip = np.asarray(picture.crop((0, row, width, min(row + rows, height))))
        spread = PNG_SPREAD.get(depth) if picture.mode == "L" else None
        return strip if spread is None else strip // np.uint8(spread)

    strip = strip_from(0)
    labels = LabelMap(file, (height, width), strip.dtype, most=most)
    for row in range(0, height, rows):
        strip = strip_from(row) if row else strip
        labels.put((slice(row, row + len(strip)), slice(None)), strip)
    return labels.finished()


def _check_png(file: Path, content: mmap.mmap, most: int) -> int:
    """Check what the header promises and the checksum of each part; returns bits per sample."""
    if content[: len(PNG)] != PNG:
        raise DataError(f"{file}: is no PNG file, whatever its name says")
    place, kind = len(PNG), b""
    while place < len(content) and kind != b"IEND":
        length, kind = (
            int.from_bytes(content[place : place + 4], "big"),
            content[place + 4 : place + 8],
        )
        stored = content[place + 8 + length : place + 12 + length]
        if len(stored) != 4:
            raise DataError(f"{file}: is cut short: a part of it is missing")
        with memoryview(content) as view, view[place + 4 : place + 8 + length] as covered:
            checksum = zlib.crc32(covered)
        if checksum != int.from_bytes(stored, "big"):
            raise DataError(f"{file}: is damaged: a checksum in it is wrong")
        place += 12 + length
    if content[12:16] != b"IHDR" or kind != b"IEND":
        raise DataError(f"{file}: is cut short: it has no end")
    width, height, depth, colour = struct.unpack(">IIBB", content[16:26])
    if colour in PNG_COLOURS:
        raise DataError(
            f"{file}: holds {PNG_COLOURS[colour]}; a label map has one number per pixel (save it "
            "as grey values or with a palette)"
        )
    kept_axes(file, [width, height])
    needed = height * math.ceil(width * depth / 8)
    check_promise(file, (height, width), needed, len(content), deflated=True)
    check_size(file, (height, width), most)
    return int(depth)


def read_npy(file: Path, most: int) -> NDArray[Any]:
    """An array, in the axis order that it has."""
    header, by_columns = npy_header(file)
    labels = read_labels(file, header, most)
    return np.ascontiguousarray(labels.T) if by_columns else labels


def npy_header(file: Path) -> tuple[Header, bool]:
    """The header of an array as it is stored, and whether that is the wrong way round."""
    shape, by_columns, dtype, offset = _npy_header(file)
    # Fastest axis first, as other headers have it.
    kept = kept_axes(file, shape[::-1])
    shape = shape[len(shape) - kept :]
    stored = shape[::-1] if by_columns else shape
    return Header(stored, dtype, None, None, file, offset, skip=0, deflated=False), by_columns


def _npy_header(file: Path) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Shape, whether columns come first, type, and where the values begin."""
    with file.open("rb") as opened:
        if opened.read(len(NPY)) != NPY:
            raise DataError(f"{file}: is no NumPy file, whatever its name says")
        opened.seek(0)
        version = np.lib.format.read_magic(opened)
        read = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }.get(version)
        if read is None:
            raise DataError(f"{file}: holds a table with named columns, not a label map")
        shape, by_columns, dtype = read(opened)
        if dtype.hasobject:
            raise DataError(
                f"{file}: holds pickled Python objects, which could run code and are refused; save "
                "whole numbers (numpy.save of an array whose dtype is not object)"
            )
        return shape, by_columns, dtype, opened.tell()
