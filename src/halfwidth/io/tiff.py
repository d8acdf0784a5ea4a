"""Label maps in TIFF files: one page, or a stack of pages."""

from __future__ import annotations

import logging
import math
import mmap
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, cast

from numpy.typing import NDArray

from halfwidth.core.errors import DataError
from halfwidth.io.label_maps import LabelMap, check_size
from halfwidth.io.voxel_data import Header, check_promise, kept_axes, read_labels

# TIFF's codes of compressions that are read, and how many bytes one byte can stand for in them.
LZW = 5
BIG = 43
TIFF_EXPANSIONS = {1: 1, LZW: 4096, 8: 1040, 32946: 1040, 32773: 128}
# Bytes of a strip or tile, which is unpacked as a whole.
MOST_OF_SEGMENT = 1 << 29


def read_tiff(file: Path, most: int) -> NDArray[Any]:
    """The page, or the pages as a stack; grey values or indices of a palette as they are stored."""
    import tifffile

    # Mapped, because a read of a mapped file takes no more memory than the file has bytes, however
    # many a damaged tag asks for.
    with file.open("rb") as plain, mmap.mmap(plain.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        _check_directories(file, mapped)
        with _silent("tifffile"), tifffile.TiffFile(cast("Any", mapped)) as opened:
            return _labels_of(file, opened, most)


def _labels_of(file: Path, opened: Any, most: int) -> NDArray[Any]:
    parts = list(opened.series)
    if len(parts) != 1 or len(opened.pages) > len(parts[0].pages):
        raise DataError(
            f"{file}: holds {len(opened.pages)} pages of unlike kind or shape; a label map is "
            "one page, or a stack of pages of one shape"
        )
    series = parts[0]
    sizes = [size for size in reversed(series.shape) if len(series.shape) <= 3 or size != 1]
    shape = tuple(reversed(sizes))
    _check_tiff(file, opened.pages.first, sizes)
    check_size(file, shape, most)
    if series.dataoffset is None:
        return _unpacked(file, opened, series, most).reshape(shape)
    dtype = series.dtype.newbyteorder(opened.byteorder)
    header = Header(shape, dtype, None, None, file, series.dataoffset, skip=0, deflated=False)
    return read_labels(file, header, most)


def _check_directories(file: Path, content: mmap.mmap) -> None:
    """Refuse a file whose directories of pages lie upon each other.

    They would be read over and over: one of 900 bytes kept tifffile busy for minutes.
    """
    order: Literal["big", "little"] = "big" if content[:2] == b"MM" else "little"
    big = int.from_bytes(content[2:4], order) == BIG
    # Where the first place is written, and the bytes of counts, entries and places.
    at, count, entry, place = (8, 8, 20, 8) if big else (4, 2, 12, 4)
    taken = 0
    while start := int.from_bytes(content[at : at + place], order):
        if start >= len(content):
            # Reading it will report what is wrong with it.
            return
        tags = int.from_bytes(content[start : start + count], order)
        at = start + count + tags * entry
        taken += count + tags * entry + place
        if taken > len(content):
            raise DataError(f"{file}: is damaged: the directories of its pages overlap")


def _unpacked(file: Path, opened: Any, series: Any, most: int) -> NDArray[Any]:
    """Pages segment by segment: at no time are all values of a page in memory as they are stored.

    Segments are unpacked here: tifffile would unpack as much as there is, whatever the page's size,
    and needs a further library for LZW.
    """
    first = opened.pages.first
    labels = LabelMap(file, (len(series.pages), *first.shaped[1:4]), first.dtype, most=most)
    for number, each in enumerate(series.pages):
        page = None if each is None else each.aspage()
        if page is None or page.shaped != first.shaped or page.dtype != first.dtype:
            raise DataError(f"{file}: holds pages of unlike shape or type, or lacks some")
        unpack = UNPACKERS[int(page.compression)]
        room = _bytes_of_segment(file, page)
        # From here on, its segments are handed over unpacked.
        page.compression = 1
        for index, (start, count) in enumerate(
            zip(page.dataoffsets, page.databytecounts, strict=True)
        ):
            if not count:
                # A sparse file leaves out what is background.
                continue
            opened.filehandle.seek(start)
            segment = unpack(opened.filehandle.read(min(count, opened.filehandle.size)), room)
            if segment is None:
                raise DataError(f"{file}: is damaged: its compressed data cannot be unpacked")
            values, place, _ = page.decode(segment, index)
            _put(labels, (number, *place[1:4]), values[..., 0])
    return labels.finished()


def _bytes_of_segment(file: Path, page: Any) -> int:
    """How large a strip or tile is when it is unpacked, unless that is more than is sane."""
    if page.is_tiled:
        shape = (page.tiledepth, page.tilelength, page.tilewidth)
    else:
        shape = (1, min(page.rowsperstrip, page.imagelength), page.imagewidth)
    size: int = math.prod(shape) * page.dtype.itemsize
    if size > MOST_OF_SEGMENT:
        raise DataError(
            f"{file}: its strips or tiles are of {size} bytes each when unpacked; up to "
            f"{MOST_OF_SEGMENT} are read (save it with smaller ones, as whole numbers of 8 bits)"
        )
    return size


def _put(labels: LabelMap, place: tuple[int, ...], segment: NDArray[Any]) -> None:
    """Put a segment in its place; what lies beyond the edge of the image is padding."""
    number, *corner = place
    room = [length - start for length, start in zip(labels.shape[1:], corner, strict=True)]
    inside = segment[tuple(slice(0, length) for length in room)]
    for layer, values in enumerate(inside):
        at = tuple(
            slice(start, start + n) for start, n in zip(corner[1:], values.shape, strict=True)
        )
        depth = slice(corner[0] + layer, corner[0] + layer + 1)
        labels.put((slice(number, number + 1), depth, *at), values[None, None])


def unpacked_lzw(packed: bytes, most: int) -> bytes | None:
    """Bytes from a TIFF's LZW codes, about so many at most; None if these are no such codes.

    >>> unpacked_lzw(bytes([128, 11, 96, 80, 34, 12, 12, 133, 1]), most=100)
    b'-----A---B'
    """
    clear, end, widest = 256, 257, 12
    table = [bytes([value]) for value in range(256)] + [b"", b""]
    parts, total = [], 0
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
        parts.append(entry)
        total += len(entry)
        if before and len(table) < 1 << widest:
            table.append(before + entry[:1])
            # Writers widen their codes one code early.
            width = min(max(width, (len(table) + 1).bit_length()), widest)
        before = entry
    return b"".join(parts)


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


def inflated(packed: bytes, most: int) -> bytes | None:
    """Bytes from deflated ones, so many at most; None if these are no such bytes."""
    try:
        return zlib.decompressobj().decompress(packed, most)
    except zlib.error:
        return None


def unpacked_bits(packed: bytes, most: int) -> bytes | None:
    r"""Bytes from a TIFF's PackBits runs, about so many at most; None if the last run is cut off.

    >>> unpacked_bits(bytes([2, 7, 8, 9, 254, 5]), most=100)
    b'\x07\x08\t\x05\x05\x05'
    """
    parts, total, place = [], 0, 0
    while place < len(packed) and total < most:
        length = packed[place]
        # From 129 to 255 a byte is repeated; 128 means nothing.
        taken, times = (length + 1, 1) if length < 128 else (1, 257 - length)
        place += 1
        if length == 128:
            continue
        run = packed[place : place + taken] * times
        if len(run) != taken * times:
            return None
        parts.append(run)
        total += len(run)
        place += taken
    return b"".join(parts)


def _as_it_is(stored: bytes, _most: int) -> bytes:
    return stored


UNPACKERS: dict[int, Callable[[bytes, int], bytes | None]] = {
    1: _as_it_is,
    LZW: unpacked_lzw,
    8: inflated,
    32946: inflated,
    32773: unpacked_bits,
}


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
