"""Label maps in PNG and NumPy files: voxels without a place in the world."""

from __future__ import annotations

import io
import math
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError
from halfwidth.io.arrays import read_array
from halfwidth.io.payload import check_promise, kept_axes

__all__ = ["read_npy", "read_png"]

PNG = b"\x89PNG\r\n\x1a\n"
# Colour types that hold a colour, or transparency, per pixel.
PNG_COLOURS = {2: "RGB colours", 4: "grey and transparency", 6: "RGB colours and transparency"}
# Bits per pixel of grey images that Pillow spreads over 0 to 255, and the factor by which.
PNG_SPREAD = {2: 85, 4: 17}


def read_png(file: Path) -> NDArray[Any]:
    """Grey values as they are stored, or the indices of a palette; never colours."""
    from PIL.PngImagePlugin import PngImageFile

    content = file.read_bytes()
    depth = _check_png(file, content)
    # Past Image.open, whose limit on pixels is below what a slide has; the size is checked.
    with PngImageFile(io.BytesIO(content)) as picture:
        if getattr(picture, "n_frames", 1) != 1:
            raise DataError(f"{file}: is an animation; a label map is one picture")
        pixels = np.asarray(picture)
    if picture.mode == "L" and depth in PNG_SPREAD:
        return pixels // np.uint8(PNG_SPREAD[depth])
    return pixels


def _check_png(file: Path, content: bytes) -> int:
    """Check what the header promises and the checksum of each part; returns bits per sample."""
    if not content.startswith(PNG):
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
        covered = memoryview(content)[place + 4 : place + 8 + length]
        if zlib.crc32(covered) != int.from_bytes(stored, "big"):
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
    return int(depth)


def read_npy(file: Path) -> NDArray[Any]:
    """An array, in the axis order that it has."""
    with file.open("rb") as opened:
        if opened.read(6) == b"\x93NUMPY":
            opened.seek(0)
            version = np.lib.format.read_magic(opened)
            read = {
                (1, 0): np.lib.format.read_array_header_1_0,
                (2, 0): np.lib.format.read_array_header_2_0,
            }.get(version)
            if read is None:
                raise DataError(f"{file}: holds a table with named columns, not a label map")
            shape, _, dtype = read(opened)
            # Pickled objects are of any size; they are refused below.
            if not dtype.hasobject:
                needed = math.prod(shape) * dtype.itemsize + opened.tell()
                check_promise(file, shape, needed, file.stat().st_size, deflated=False)
    array = read_array(file)
    kept = kept_axes(file, array.shape[::-1])
    return array.reshape(array.shape[array.ndim - kept :])
