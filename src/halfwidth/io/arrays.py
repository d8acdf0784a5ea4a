"""Reading NumPy files, which never run code from the file."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, shortened
from halfwidth.io.paths import no_such_file

__all__ = ["SUFFIXES", "read_array"]

SUFFIXES = (".npy", ".npz")
# How such files begin: an array, and an archive of them.
MAGIC = (b"\x93NUMPY", b"PK")


def read_array(path: str | Path) -> NDArray[Any]:
    """An array from a ``.npy`` file, or a ``.npz`` file (``file.npz:name`` if it holds several).

    Raises
    ------
    DataError
        If the file does not exist, is no such file, holds pickled objects, or does not say which
        of its arrays is meant.
    """
    file, name = _parted(str(path))
    if not file.exists():
        raise no_such_file(file)
    if file.suffix.lower() not in SUFFIXES:
        raise DataError(
            f"{file}: arrays are read from {' and '.join(SUFFIXES)}; a table goes in as FILE, with "
            "--target and --score naming its columns"
        )
    try:
        with file.open("rb") as opened:
            _check_beginning(opened.read(6), file)
            opened.seek(0)
            return _array_of(np.load(opened, allow_pickle=False), file, name)
    except DataError:
        raise
    except (OSError, EOFError, ValueError, BadZipFile, zlib.error) as error:
        if "allow_pickle" in str(error):
            raise DataError(
                f"{file}: holds pickled Python objects, which could run code and are refused; save "
                "plain numbers or text (numpy.save of an array whose dtype is not object)"
            ) from None
        told = " ".join(str(error).split())
        raise DataError(f"{file}: is no NumPy file, or is cut short ({told})") from None


def _check_beginning(first: bytes, file: Path) -> None:
    if not first.startswith(MAGIC):
        raise DataError(f"{file}: is no NumPy file, whatever its name says")


def _parted(text: str) -> tuple[Path, str | None]:
    """A path, and the name of an array in it if one follows a colon."""
    head, colon, tail = text.rpartition(":")
    if colon and head.lower().endswith(".npz") and not Path(text).exists():
        return Path(head), tail
    return Path(text), None


def _array_of(loaded: Any, file: Path, name: str | None) -> NDArray[Any]:
    if not hasattr(loaded, "files"):
        found: NDArray[Any] = loaded
        return found
    with loaded:
        names = list(loaded.files)
        if not names:
            raise DataError(f"{file}: holds no array")
        if name is None and len(names) != 1:
            raise DataError(
                f"{file}: holds {len(names)} arrays ({shortened(names)}); say which: {file}:NAME"
            )
        wanted = names[0] if name is None else name
        if wanted not in names:
            raise DataError(f"{file}: no array {wanted!r}; it holds {shortened(names)}")
        array = loaded[wanted]
        if not isinstance(array, np.ndarray):
            raise DataError(f"{file}: {wanted!r} is no array")
        return array
