"""Voxels in a file: how many it can hold, and reading them.

Nothing here trusts a header. Promises are checked against the size of the file before memory is
asked for, and the checksums of compressed data are verified: a damaged mask is an error, never a
somewhat different mask.
"""

from __future__ import annotations

import functools
import math
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError
from halfwidth.core.frozen import frozen
from halfwidth.io.grids import Geometry
from halfwidth.io.label_maps import PORTION, LabelMap, check_size

GZIP = b"\x1f\x8b"
# Deflate turns one byte into 1032 at most; a little is added for short files.
EXPANSION = 1040
# As much inflated data as stays in a processor's cache until it is copied to its place.
CHUNK = 1 << 18
# What may follow the voxels: padding, not another volume that the header leaves out.
SLACK = 1 << 20


@frozen
class Header:
    """What the header of a volume says."""

    # In the order of array axes.
    shape: tuple[int, ...]
    # As stored, byte order included.
    dtype: np.dtype[Any]
    spacing: tuple[float, ...] | None
    geometry: Geometry | None
    data: Path
    # Bytes before the stream of voxels in that file; -1 if the voxels are the end of the file.
    offset: int
    # Bytes before the voxels in that stream.
    skip: int
    # Whether the stream is compressed.
    deflated: bool
    # Slope and intercept, where values are scaled.
    scale: tuple[float, float] | None = None
    # What was made of an odd header.
    notes: tuple[str, ...] = ()


class Stream:
    """The bytes of an open file from where it stands, inflated where they are deflated."""

    def __init__(self, opened: BinaryIO, file: Path, *, deflated: bool) -> None:
        self._opened = opened
        self._file = file
        self._deflated = deflated
        self._inflater = _inflater()
        self._source = b""

    def some(self, most: int) -> bytes:
        """Read at least one byte and at most so many; none at the end of the stream."""
        if not self._deflated:
            return self._opened.read(most)
        while True:
            if self._inflater.eof and not self._begins_another():
                return b""
            source = self._source or self._opened.read(CHUNK)
            try:
                chunk: bytes = self._inflater.decompress(source, most)
            except _inflating().error:
                raise DataError(
                    f"{self._file}: is damaged: its compressed data cannot be unpacked"
                ) from None
            self._source = self._inflater.unconsumed_tail
            if chunk:
                return chunk
            if not source and not self._inflater.eof:
                raise self._cut_short()

    def read(self, count: int) -> bytes:
        """Read so many bytes, or as many as there are."""
        parts = []
        while count and (part := self.some(min(count, CHUNK))):
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def skip(self, count: int) -> None:
        """Pass over so many bytes."""
        while count:
            part = self.some(min(count, CHUNK))
            if not part:
                raise self._cut_short()
            count -= len(part)

    def fill(self, place: memoryview) -> None:
        """Fill the place to its end."""
        done = 0
        while done < len(place):
            if self._deflated:
                part = self.some(min(CHUNK, len(place) - done))
                place[done : done + len(part)] = part
                count = len(part)
            else:
                # BinaryIO does not declare readinto, which spares a copy of everything.
                count = self._opened.readinto(place[done:])  # type: ignore[attr-defined]
            if not count:
                raise self._cut_short()
            done += count

    def finish(self) -> None:
        """Read to the end, where the checksum is, unless there is far too much."""
        excess = 0
        while part := self.some(CHUNK):
            excess += len(part)
            if excess > SLACK:
                raise DataError(
                    f"{self._file}: holds more voxels than its header says; the header is wrong, "
                    "or the file holds more than one volume"
                )

    def _begins_another(self) -> bool:
        """Whether a further compressed part follows (as block-wise writers make them)."""
        rest = self._inflater.unused_data
        if len(rest) < len(GZIP):
            rest += self._opened.read(CHUNK)
        if not rest.startswith(GZIP):
            return False
        self._inflater = _inflater()
        self._source = rest
        return True

    def _cut_short(self) -> DataError:
        return DataError(f"{self._file}: is cut short: it ends before its last voxel")


def read_labels(file: Path, header: Header, most: int) -> NDArray[Any]:
    """The voxels as labels; of values as stored, only a portion is in memory at a time."""
    with _voxel_stream(file, header) as stream:
        labels = LabelMap(file, header.shape, header.dtype, header.scale, most)
        stream.skip(header.skip)
        if labels.as_stored:
            stream.fill(labels.flat.data)
        else:
            for start, part in _portions(stream, labels.flat.size, header.dtype):
                labels.append(start, part)
        stream.finish()
    return labels.finished()


def read_numbers(file: Path, header: Header, most: int) -> NDArray[np.float32]:
    """The voxels as numbers of any size, in single precision."""
    if header.dtype.kind not in "biuf":
        raise DataError(f"{file}: holds values of type {header.dtype}; numbers are expected")
    # Four bytes each.
    check_size(file, header.shape, most, each=4)
    slope, intercept = header.scale or (1.0, 0.0)
    with _voxel_stream(file, header) as stream:
        numbers = np.empty(math.prod(header.shape), dtype=np.float32)
        stream.skip(header.skip)
        for start, part in _portions(stream, numbers.size, header.dtype):
            # What overflows is infinite; who asked for the numbers says whether it may be.
            with np.errstate(over="ignore", invalid="ignore"):
                numbers[start : start + len(part)] = part * np.float64(slope) + intercept
        stream.finish()
    return numbers.reshape(header.shape)


def _portions(
    stream: Stream, count: int, dtype: np.dtype[Any]
) -> Iterator[tuple[int, NDArray[Any]]]:
    """Read so many values as stored, portion by portion, each with its place."""
    portion = np.empty(min(PORTION, count), dtype)
    for start in range(0, count, PORTION):
        part = portion[: count - start]
        stream.fill(part.view(np.uint8).data)
        yield start, part


@contextmanager
def _voxel_stream(file: Path, header: Header) -> Iterator[Stream]:
    """The stream that holds the voxels, once it is known that it can hold as many."""
    needed = math.prod(header.shape) * header.dtype.itemsize
    size = header.data.stat().st_size
    offset = size - needed if header.offset < 0 else header.offset
    before = 0 if header.deflated else max(offset, 0)
    check_promise(file, header.shape, needed + header.skip + before, size, deflated=header.deflated)
    with header.data.open("rb") as opened:
        opened.seek(offset)
        yield Stream(opened, file, deflated=header.deflated)


def check_promise(
    file: Path,
    shape: Sequence[int],
    needed: int,
    size: int,
    *,
    deflated: bool,
    expansion: int = EXPANSION,
) -> None:
    """Refuse a header that promises more than its file can hold."""
    if needed > size * (expansion if deflated else 1):
        raise DataError(
            f"{file}: its header promises {_amount(needed)} ({_times(shape)} voxels), the file has "
            f"{_amount(size)}; it is cut short, or its header is wrong"
        )


def kept_axes(file: Path, sizes: Sequence[int]) -> int:
    """How many axes, of those that a file lists (fastest first), are axes of the image.

    Axes of length one after the third are dropped.
    """
    if not sizes or min(sizes) < 0:
        raise DataError(f"{file}: its header gives the impossible shape {_times(sizes)}")
    kept = len(sizes)
    while kept > 3 and sizes[kept - 1] == 1:
        kept -= 1
    if kept not in {2, 3}:
        raise DataError(
            f"{file}: has the shape {_times(sizes)}; a label map has 2 or 3 dimensions, one label "
            "per voxel (save one volume, channel or class index per file)"
        )
    if 0 in sizes:
        raise DataError(f"{file}: has the shape {_times(sizes)}, and so no voxels")
    return kept


@functools.cache
def _inflating() -> Any:
    """The library that unpacks: both check what they unpack, one does so in a third of the time."""
    try:
        from isal import isal_zlib
    except ImportError:
        return zlib
    return isal_zlib


def _inflater() -> Any:
    # 32: detect gzip or zlib by the first bytes; 15: the largest window.
    return _inflating().decompressobj(32 + 15)


def _times(sizes: Sequence[int]) -> str:
    return " x ".join(str(size) for size in sizes) or "()"


def _amount(size: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} PB"
