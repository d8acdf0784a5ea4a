"""Label maps in TIFF files: one page, or a stack of pages."""

from __future__ import annotations

import logging
import math
import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError
from halfwidth.io.payload import check_promise, kept_axes

__all__ = ["read_tiff"]

# TIFF's codes of compressions that are read, and how many bytes one byte can stand for in them.
LZW = 5
TIFF_EXPANSIONS = {1: 1, LZW: 4096, 8: 1040, 32946: 1040, 32773: 128}


def read_tiff(file: Path) -> NDArray[Any]:
    """The page, or the pages as a stack; grey values or indices of a palette as they are stored."""
    import tifffile

    # Mapped, because a read of a mapped file takes no more memory than the file has bytes, however
    # many a damaged tag asks for.
    with (
        file.open("rb") as plain,
        mmap.mmap(plain.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
        _silent("tifffile"),
        tifffile.TiffFile(cast("Any", mapped)) as opened,
    ):
        found = list(opened.series)
        if len(found) != 1 or len(opened.pages) > len(found[0].pages):
            raise DataError(
                f"{file}: holds {len(opened.pages)} pages of unlike kind or shape; a label map is "
                "one page, or a stack of pages of one shape"
            )
        series = found[0]
        sizes = [size for size in reversed(series.shape) if len(series.shape) <= 3 or size != 1]
        page = opened.pages.first
        _check_tiff(file, page, sizes)
        if int(page.compression) == LZW:
            pixels = _unpacked(file, opened, series)
        else:
            pixels = np.asarray(series.asarray())
    return pixels.reshape(tuple(reversed(sizes)))


def _unpacked(file: Path, opened: Any, series: Any) -> NDArray[Any]:
    """Pages packed by LZW, which tifffile unpacks with a further library only."""
    pages = []
    for each in series.pages:
        page = each.aspage()
        # From here on, its segments are handed over unpacked.
        page.compression = 1
        pixels = np.zeros(page.shaped, page.dtype)
        # Tiles may be larger than their page.
        most = pixels.nbytes + (1 << 24)
        for index, (start, count) in enumerate(
            zip(page.dataoffsets, page.databytecounts, strict=True)
        ):
            opened.filehandle.seek(start)
            packed = opened.filehandle.read(min(count, opened.filehandle.size))
            unpacked = unpacked_lzw(packed, most)
            if unpacked is None:
                raise DataError(f"{file}: is damaged: its compressed data cannot be unpacked")
            segment, place, _ = page.decode(unpacked, index)
            corner = tuple(slice(first, None) for first in place[1:4])
            target = pixels[place[0]][corner]
            inside = tuple(slice(0, size) for size in target.shape)
            target[tuple(slice(0, size) for size in segment.shape)] = segment[inside]
        pages.append(pixels)
    return np.stack(pages)


def unpacked_lzw(packed: bytes, most: int) -> bytes | None:
    """Bytes from a TIFF's LZW codes, about so many at most; None if these are no such codes.

    >>> unpacked_lzw(bytes([128, 11, 96, 80, 34, 12, 12, 133, 1]), most=100)
    b'-----A---B'
    """
    clear, end, widest = 256, 257, 12
    table = [bytes([value]) for value in range(256)] + [b"", b""]
    found, total = [], 0
    width, pending, bits = 9, 0, 0
    before = b""
    for byte in packed:
        pending, bits = pending << 8 | byte, bits + 8
        if bits < width:
            continue
        bits -= width
        code, pending = pending >> bits, pending & ((1 << bits) - 1)
        if code == clear:
            del table[end + 1 :]
            width, before = 9, b""
            continue
        if code == end or total >= most:
            break
        entry = table[code] if code < len(table) else before + before[:1]
        if not entry or code > len(table):
            return None
        found.append(entry)
        total += len(entry)
        if before and len(table) < 1 << widest:
            table.append(before + entry[:1])
            # Writers widen their codes one code early.
            width = min(max(width, (len(table) + 1).bit_length()), widest)
        before = entry
    return b"".join(found)


def _check_tiff(file: Path, page: Any, sizes: list[int]) -> None:
    """Refuse colours, what cannot be unpacked, and sizes that the file cannot hold."""
    if int(page.samplesperpixel) != 1:
        raise DataError(
            f"{file}: holds {page.samplesperpixel} values per pixel (colours); a label map has one "
            "(save it as grey values or with a palette)"
        )
    kept_axes(file, sizes)
    compression = int(page.compression)
    if compression not in TIFF_EXPANSIONS:
        raise DataError(
            f"{file}: its compression (TIFF's code {compression}) is not read; save it with "
            "deflate or without compression"
        )
    if int(page.photometric) == 0:
        raise DataError(
            f"{file}: stores white as 0, so that it is unclear what is background; save it with "
            "black as 0"
        )
    check_promise(
        file,
        tuple(reversed(sizes)),
        math.prod(sizes) * max(int(page.bitspersample), 1) // 8,
        file.stat().st_size,
        deflated=compression != 1,
        expansion=TIFF_EXPANSIONS[compression],
    )


@contextmanager
def _silent(name: str) -> Iterator[None]:
    """Without the log of a library, which would tell of damage before the error does."""

    def refuse(_record: logging.LogRecord) -> bool:
        return False

    logger = logging.getLogger(name)
    logger.addFilter(refuse)
    try:
        yield
    finally:
        logger.removeFilter(refuse)
