"""Members of a zip file that anybody may have made: read one at a time, within limits.

Nothing is unpacked to disk, so that names of members are never paths.
"""

from __future__ import annotations

import functools
import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from halfwidth.core.errors import DataError, one_line
from halfwidth.io.table_sources import Source

# Of the list of members, which is held in memory; of one member, as JSON is read; of all.
MOST_LISTED, MOST_UNPACKED, MOST_IN_ALL = 5 * 10**7, 2 * 10**8, 4 * 10**9
# Transcripts of language models shrink to a hundredth; what shrinks more is meant to fill memory.
MOST_EXPANSION, ALWAYS_UNPACKED = 1000, 1 << 26
ZSTANDARD = 93
ENCRYPTED = 0x1
END_OF_LIST, LONGEST_END = b"PK\x05\x06", (1 << 16) + 22
LOCAL_HEADER = 30


class ZipMembers:
    """The members of a zip file by their names."""

    def __init__(self, archive: zipfile.ZipFile, opened: IO[bytes]) -> None:
        self._archive, self._opened, self._unpacked = archive, opened, 0

    @functools.cached_property
    def names(self) -> list[str]:
        """The names of all members, each once, those of folders left out."""
        contents: dict[str, tuple[int, int]] = {}
        for one in self._archive.infolist():
            content = (one.file_size, one.CRC)
            if not one.is_dir() and contents.setdefault(one.filename, content) != content:
                raise DataError(
                    f"has its member {one.filename!r} more than once, with different contents, so "
                    "that it is open which one counts; unpack the file, and pack it again"
                )
        return list(contents)

    def read(self, name: str) -> bytes:
        """The data of a member."""
        member = self._archive.getinfo(name)
        dense = member.file_size > MOST_EXPANSION * max(member.compress_size, 1)
        if member.file_size > MOST_UNPACKED or (dense and member.file_size > ALWAYS_UNPACKED):
            raise DataError(
                f"its member {name!r} unpacks to {member.file_size / 1e6:.0f} MB, which is too much"
            )
        self._unpacked += member.file_size
        if self._unpacked > MOST_IN_ALL:
            raise DataError(f"its members unpack to more than {MOST_IN_ALL // 10**9} GB")
        if member.flag_bits & ENCRYPTED:
            raise DataError(f"its member {name!r} is encrypted")
        try:
            with self._open(member) as unpacked:
                data = unpacked.read(member.file_size + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, struct.error) as error:
            raise DataError(f"its member {name!r} is damaged ({one_line(error)})") from None
        except NotImplementedError:
            raise DataError(
                f"its member {name!r} is compressed in a way that is not read"
            ) from None
        if len(data) != member.file_size or zlib.crc32(data) != member.CRC:
            raise DataError(
                f"its member {name!r} is damaged (another size or checksum than it says)"
            )
        return data

    @contextmanager
    def _open(self, member: zipfile.ZipInfo) -> Iterator[IO[bytes]]:
        # Python reads Zstandard from 3.14 on.
        if member.compress_type == ZSTANDARD and not hasattr(zipfile, "ZIP_ZSTANDARD"):
            yield _unpacked_by_arrow(self._packed(member), member.filename)
            return
        with self._archive.open(member) as unpacked:
            yield unpacked

    def _packed(self, member: zipfile.ZipInfo) -> bytes:
        """The data of a member as they stand in the file."""
        self._opened.seek(member.header_offset)
        header = self._opened.read(LOCAL_HEADER)
        name_length, extra_length = struct.unpack("<HH", header[-4:])
        self._opened.seek(name_length + extra_length, io.SEEK_CUR)
        return self._opened.read(member.compress_size)


@contextmanager
def zip_members(source: Source) -> Iterator[ZipMembers]:
    """The members of a zip file."""
    _check_list(source)
    try:
        with zipfile.ZipFile(source.opened) as archive:
            yield ZipMembers(archive, source.opened)
    except (zipfile.BadZipFile, struct.error, NotImplementedError, UnicodeDecodeError) as error:
        raise DataError(f"is no zip file, or damaged ({one_line(error)})") from None


def _check_list(source: Source) -> None:
    """Refuse a file whose list of members would fill the memory before any limit is looked at."""
    start = max(0, source.size - LONGEST_END)
    source.opened.seek(start)
    ending = source.opened.read(LONGEST_END)
    end = ending.rfind(END_OF_LIST)
    listed = source.size
    if 0 <= end <= len(ending) - 22:
        (listed,) = struct.unpack("<I", ending[end + 12 : end + 16])
    # In a file of more than 4 GB or 65535 members the true number stands elsewhere.
    if min(listed, source.size) > MOST_LISTED:
        raise DataError(f"lists its members in more than {MOST_LISTED // 10**6} MB")
    source.opened.seek(0)


def _unpacked_by_arrow(packed: bytes, name: str) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise DataError(
            f"its member {name!r} is compressed by Zstandard, which Python reads from 3.14 on and "
            "pyarrow before: pip install 'halfwidth[tables]'"
        ) from None
    return pa.CompressedInputStream(pa.BufferReader(packed), "zstd")
