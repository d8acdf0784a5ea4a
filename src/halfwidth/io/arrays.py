"""Reading NumPy files, which never run code from the file."""

from __future__ import annotations

import math
import tokenize
import warnings
import zlib
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile, ZipFile

from numpy.lib import format as npy
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, one_line, shortened
from halfwidth.core.option_names import spelled
from halfwidth.io.paths import no_such_file

SUFFIXES = (".npy", ".npz")
# How such files begin: an array, and an archive of them.
ARRAY, ARCHIVE = b"\x93NUMPY", b"PK"
# Deflate turns one byte into 1032 at most; a little is added for short files.
EXPANSION = 1040
# What an array may take that is packed, against its size in the file; one of classes shrinks to a
# hundredth, what shrinks more is meant to fill the memory.
MOST_EXPANSION, ALWAYS_UNPACKED = 200, 1 << 26
# NumPy reads no longer ones, but makes room for them first.
LONGEST_HEADER = 10000


def read_array(path: str | Path) -> NDArray[Any]:
    """An array from a ``.npy`` file, or a ``.npz`` file (``file.npz:name`` if it holds several)."""
    file, name = _parted(str(path))
    if not file.exists():
        raise no_such_file(file)
    if file.suffix.lower() not in SUFFIXES:
        raise DataError(
            f"{file}: arrays are read from {' and '.join(SUFFIXES)}; a table goes in as FILE, with "
            f"{spelled('y_true')} and {spelled('y_score')} naming its columns"
        )
    try:
        with file.open("rb") as opened:
            first = opened.read(len(ARRAY))
            opened.seek(0)
            if first == ARRAY:
                return _read_npy(opened, file, file.stat().st_size)
            if first.startswith(ARCHIVE):
                with ZipFile(opened) as archive:
                    return _member(archive, file, name)
    except DataError:
        raise
    except MemoryError:
        raise DataError(f"{file}: does not fit into memory") from None
    except OSError as error:
        raise DataError(f"{file}: cannot be read ({error.strerror or error})") from None
    except BROKEN as error:
        raise DataError(f"{file}: is no NumPy file, or is cut short ({one_line(error)})") from None
    raise DataError(f"{file}: is no NumPy file, whatever its name says")


# What a damaged header, array or archive may end in.
BROKEN = (
    *(EOFError, ValueError, TypeError, KeyError, SyntaxError, RecursionError, OverflowError),
    *(BadZipFile, zlib.error, tokenize.TokenError, NotImplementedError, RuntimeError),
)


def _read_npy(opened: IO[bytes], file: Path, size: int) -> NDArray[Any]:
    """An array, whose header must not promise more than so many bytes hold."""
    version = npy.read_magic(opened)
    _check_header_length(opened, file, 2 if version == (1, 0) else 4)
    header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    with warnings.catch_warnings():
        # A header that Python 2 wrote reads as well.
        warnings.simplefilter("ignore", UserWarning)
        shape, _, dtype = header(opened)
    if dtype.hasobject:
        raise DataError(
            f"{file}: holds pickled Python objects, which could run code and are refused; save "
            "plain numbers or text (numpy.save of an array whose dtype is not object)"
        )
    needed = math.prod(shape) * dtype.itemsize
    if needed > size or min(shape, default=0) < 0:
        raise DataError(
            f"{file}: its header promises {needed / 1e6:.6g} MB ({' x '.join(map(str, shape[:8]))} "
            f"numbers), and there are {size / 1e6:.6g} MB at most; it is cut short, or its header "
            "is wrong"
        )
    opened.seek(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        array: NDArray[Any] = npy.read_array(opened, allow_pickle=False)
    return array


def _check_header_length(opened: IO[bytes], file: Path, width: int) -> None:
    """Refuse a header that is longer than any, before NumPy makes room for it."""
    start = opened.tell()
    length = int.from_bytes(opened.read(width), "little")
    opened.seek(start)
    if length > LONGEST_HEADER:
        raise DataError(f"{file}: is no NumPy file, or is cut short (a header of {length} bytes)")


def _parted(text: str) -> tuple[Path, str | None]:
    """A path, and the name of an array in it if one follows a colon."""
    head, colon, tail = text.rpartition(":")
    if colon and head.lower().endswith(".npz") and not Path(text).exists():
        return Path(head), tail
    return Path(text), None


def _member(archive: ZipFile, file: Path, name: str | None) -> NDArray[Any]:
    parts = {part.filename.removesuffix(".npy"): part for part in archive.infolist()}
    names = list(parts)
    if not names:
        raise DataError(f"{file}: holds no array")
    if name is None and len(names) != 1:
        raise DataError(
            f"{file}: holds {len(names)} arrays ({shortened(names)}); say which: {file}:NAME"
        )
    member_name = names[0] if name is None else name
    if member_name not in parts:
        raise DataError(f"{file}: no array {member_name!r}; it holds {shortened(names)}")
    part = parts[member_name]
    if part.file_size > max(MOST_EXPANSION * part.compress_size, ALWAYS_UNPACKED):
        raise DataError(
            f"{file}: {member_name!r} unpacks to {part.file_size / 1e6:.0f} MB from "
            f"{part.compress_size / 1e6:.2g} MB; at most {MOST_EXPANSION} times the size is read "
            f"beyond {ALWAYS_UNPACKED / 1e6:.0f} MB. If that is right, save it as .npy"
        )
    with archive.open(part) as opened:
        if opened.read(len(ARRAY)) != ARRAY:
            raise DataError(f"{file}: {member_name!r} is no array")
        opened.seek(0)
        return _read_npy(opened, file, min(part.file_size, EXPANSION * part.compress_size))
