"""Where tables come from: files, compressed files and standard input, and how their text is coded.

Nothing is taken on trust: compressed data have a limit, and text that is not UTF-8 is read as what
it can only be, with a note.
"""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO

from halfwidth.core.errors import DataError

STANDARD_INPUT = "-"
GZIP = b"\x1f\x8b"
# What unpacked tables may take: a hundred million cells of ten bytes.
MOST_UNPACKED = 10**9
# Tables are packed to a tenth or so; a file that unpacks to so many times its size, and to more
# than the sum, is meant to fill the memory.
MOST_EXPANSION, ALWAYS_UNPACKED = 200, 1 << 24
BLOCK = 1 << 20
# Byte order marks, the longer ones first.
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
AS_WINDOWS = (
    "is not in UTF-8 and was read as Windows-1252 (Latin-1); if letters look wrong, save it in "
    "UTF-8"
)
# Control characters that no table holds; those of ends of lines, pages and records may be.
NOT_IN_TEXT = frozenset(range(32)) - {9, 10, 11, 12, 13, 28, 29, 30, 31}


@dataclass
class Source:
    """An open file, or standard input, that can be read again from its start."""

    # What messages call it.
    shown: str
    opened: IO[bytes]
    # Of the file as it is stored.
    size: int
    # Whether it is compressed by gzip.
    packed: bool = False

    def __post_init__(self) -> None:
        self.packed = self.first(2) == GZIP

    @classmethod
    @contextlib.contextmanager
    def open(cls, path: Path | str) -> Iterator[Source]:
        """Open a file, or take what standard input gives."""
        if str(path) == STANDARD_INPUT:
            with tempfile.SpooledTemporaryFile(max_size=1 << 26) as kept:
                shutil.copyfileobj(sys.stdin.buffer, kept)
                size = kept.tell()
                kept.seek(0)
                yield cls("standard input", kept, size)
            return
        with Path(path).open("rb") as opened:
            size = opened.seek(0, io.SEEK_END)
            opened.seek(0)
            yield cls(str(path), opened, size)

    def first(self, count: int) -> bytes:
        """The first bytes."""
        self.opened.seek(0)
        data = self.opened.read(count)
        self.opened.seek(0)
        return data

    @contextlib.contextmanager
    def unpacked(self) -> Iterator[BinaryIO]:
        """The bytes of the table, from the first."""
        self.opened.seek(0)
        if not self.packed:
            yield self.opened  # type: ignore[misc]
            return
        with gzip.GzipFile(fileobj=self.opened, mode="rb") as unpacked:
            yield unpacked  # type: ignore[misc]


@contextlib.contextmanager
def text_of(source: Source) -> Iterator[tuple[IO[str], str | None]]:
    """The text of a source, and what had to be assumed about its letters."""
    encoding, assumed = _encoding_of(source)
    with source.unpacked() as unpacked:
        text = io.TextIOWrapper(unpacked, encoding=encoding, newline="")
        try:
            yield text, assumed
        finally:
            # Closing the text must not close a file that is read again.
            text.detach()


def _encoding_of(source: Source) -> tuple[str, str | None]:
    """How the text is coded, having read it all once."""
    first = head(source)
    marked = next((name for mark, name in MARKS if first.startswith(mark)), None)
    named = marked or _wide(first)
    if named is None and b"\0" in first:
        raise DataError("is not a text table (it holds binary data)")
    try:
        blank = _reads_as(source, named or "utf-8")
        encoding, assumed = named or "utf-8", None
    except UnicodeDecodeError:
        if named is not None:
            raise DataError(
                f"is not text in {named.upper()}, as it begins; is it cut short? "
                "Save it as CSV in UTF-8"
            ) from None
        try:
            blank = _reads_as(source, "cp1252")
        except UnicodeDecodeError:
            raise DataError("is not text in UTF-8; save it as CSV in UTF-8") from None
        encoding, assumed = (
            "cp1252",
            AS_WINDOWS,
        )
    if blank:
        raise DataError("the file is empty")
    return encoding, assumed


def head(source: Source, count: int = 4096) -> bytes:
    """The first bytes of what a source holds, unpacked."""
    with source.unpacked() as unpacked:
        try:
            return unpacked.read(count)
        except (gzip.BadGzipFile, EOFError, zlib.error):
            raise _damaged() from None


def _wide(first: bytes) -> str | None:
    """UTF-16 without a mark: every other byte of its first letters is 0, and no other is."""
    even, odd = first[0::2], first[1::2]
    if len(first) < 8 or not (0 in even) ^ (0 in odd):
        return None
    zeros, name = (even, "utf-16-be") if 0 in even else (odd, "utf-16-le")
    return name if zeros.count(0) >= 0.9 * len(zeros) else None


def _reads_as(source: Source, encoding: str) -> bool:
    """Whether the text in this encoding is blank; raises an error if it cannot be decoded."""
    decoder, blank = codecs.getincrementaldecoder(encoding)(), True
    wide = encoding.startswith(("utf-16", "utf-32"))
    for block in blocks(source):
        if not wide and (
            b"\0" in block or (encoding == "cp1252" and not NOT_IN_TEXT.isdisjoint(block[:65536]))
        ):
            raise DataError("is not a text table (it holds binary data)")
        text = decoder.decode(block)
        blank = blank and not text.strip("\ufeff \t\r\n")
    decoder.decode(b"", final=True)
    return blank


def blocks(source: Source) -> Iterator[bytes]:
    """What a source holds, unpacked, piece by piece."""
    total = 0
    with source.unpacked() as unpacked:
        while block := _block(unpacked):
            total += len(block)
            _check_expansion(source, total)
            yield block


def _block(unpacked: BinaryIO) -> bytes:
    try:
        return unpacked.read(BLOCK)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise _damaged() from None


def _damaged() -> DataError:
    return DataError("its compressed data are damaged or cut short")


def _check_expansion(source: Source, total: int) -> None:
    if not source.packed:
        return
    too_dense = total > ALWAYS_UNPACKED and total > MOST_EXPANSION * source.size
    if too_dense or total > MOST_UNPACKED:
        raise DataError(
            f"unpacks to more than {total / 1e6:.0f} MB from {source.size / 1e6:.2g} MB; unpack it "
            "first if that is right"
        )
