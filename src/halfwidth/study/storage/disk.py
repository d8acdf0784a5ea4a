"""Files that are there as a whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from halfwidth.core.errors import DataError

__all__ = ["TEMPORARY", "cannot_write", "read_json", "write_json", "write_whole"]

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


def write_json(path: Path, content: Any, writer: str) -> None:
    """`write_whole` of plain data."""
    text = json.dumps(content, indent=1, ensure_ascii=False)
    # Paths may hold bytes that are no text.
    write_whole(path, f"{text}\n".encode("utf-8", "backslashreplace"), writer)


def read_json(path: Path) -> dict[str, Any] | None:
    """What a file says; None if it is not there, or no JSON object."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None
