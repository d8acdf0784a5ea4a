"""Files that are there as a whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from halfwidth.core.errors import DataError
from halfwidth.study.storage import seals

__all__ = [
    "TEMPORARY",
    "cannot_write",
    "parsed_json",
    "read_json",
    "sealed_json",
    "write_json",
    "write_whole",
]

# The end of the names of files that are being written.
TEMPORARY = ".tmp"


def write_whole(path: Path, content: bytes, writer: str) -> None:
    """Write to a temporary file in the same folder, sync it, rename it, and sync the folder.

    Parameters
    ----------
    path : Path
    content : bytes
    writer : str
        Name of the lock that this process holds. It stands in the name of the temporary file, so
        that whoever holds the lock next knows that the file's writer is dead.

    Raises
    ------
    DataError
        If the system refuses; no file is left behind then.
    """
    # Without the name of the file, which may be as long as names can be.
    temporary = path.with_name(f".{writer}.{os.getpid()}{TEMPORARY}")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise cannot_write(path, error) from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Make the new name of a file last; Windows has no way to ask for that, nor needs it."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def cannot_write(path: Path, error: OSError) -> DataError:
    """What to say where the system refused to write."""
    return DataError(f"{path}: cannot be written ({error.strerror or error})")


def write_json(path: Path, content: Mapping[str, Any], writer: str) -> None:
    """`write_whole` of plain data, sealed."""
    write_whole(path, sealed_json(content, indent=1), writer)


def sealed_json(content: Mapping[str, Any], indent: int | None = None) -> bytes:
    """Plain data as JSON with a seal at its end."""
    with_seal = {**content, seals.NAME: seals.BLANK}
    text = json.dumps(with_seal, indent=indent, ensure_ascii=False, default=float)
    # Paths may hold bytes that are no text.
    return seals.sealed(f"{text}\n".encode("utf-8", "backslashreplace"))


def read_json(path: Path) -> dict[str, Any] | None:
    """What a file says; None if it is not there, no JSON object, or not what was written."""
    try:
        return parsed_json(path.read_bytes())
    except OSError:
        return None


def parsed_json(content: bytes) -> dict[str, Any] | None:
    """A JSON object without its seal; None where it is none, or its seal does not hold."""
    if seals.holds(content) is False:
        return None
    try:
        said = json.loads(content)
    except ValueError:
        return None
    if not isinstance(said, dict):
        return None
    said.pop(seals.NAME, None)
    return said
