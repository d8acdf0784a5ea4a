"""Atomic writing of files, and sealed JSON."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from halfwidth.core.errors import DataError
from halfwidth.study.storage import seals

# The end of the names of files that are being written.
TEMPORARY = ".tmp"


def write_whole(path: Path, content: bytes, writer: str) -> None:
    """Write to a temporary file in the same folder, sync it, rename it, and sync the folder.

    Parameters
    ----------
    path : Path
    content : bytes
    writer : str
        Name of the lock that this process holds. It is part of the name of the temporary file, so
        that the next holder of the lock knows that the file's writer is dead.

    Raises
    ------
    DataError
        If the system refuses; no file is left behind then.
    """
    # Without the name of the file, which may have the greatest length allowed.
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
    """Make the new name of a file permanent; Windows neither allows nor needs this."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def cannot_write(path: Path, error: OSError) -> DataError:
    """The error if the system refuses to write."""
    return DataError(f"{path}: cannot be written ({error.strerror or error})")


def write_json(path: Path, content: Mapping[str, Any], writer: str) -> None:
    """`write_whole` of plain data, sealed."""
    write_whole(path, sealed_json(content, indent=1), writer)


def sealed_json(content: Mapping[str, Any], indent: int | None = None) -> bytes:
    """Plain data as JSON with a seal at its end."""
    with_seal = {**content, seals.NAME: seals.BLANK}
    text = json.dumps(with_seal, indent=indent, ensure_ascii=False, default=float)
    # Paths may hold bytes that are no text.
    return seals.add_seal(f"{text}\n".encode("utf-8", "backslashreplace"))


def read_json(path: Path) -> dict[str, Any] | None:
    """The content of a file; None if it is missing, not a JSON object, or damaged."""
    try:
        return parse_json(path.read_bytes())
    except OSError:
        return None


def parse_json(content: bytes) -> dict[str, Any] | None:
    """A JSON object without its seal; None if it is not an object or its seal does not hold."""
    if seals.seal_holds(content) is False:
        return None
    try:
        parsed = json.loads(content)
    except ValueError:
        return None
    if not isinstance(parsed, dict):
        return None
    parsed.pop(seals.NAME, None)
    return parsed
