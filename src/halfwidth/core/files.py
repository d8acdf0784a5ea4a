"""The one way to write a file: beside it, synced and renamed, so that no reader meets a part."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from halfwidth.core.errors import DataError

# The end of the names of files that are being written.
TEMPORARY = ".tmp"


def write_whole(path: Path, content: bytes, writer: str = "halfwidth") -> None:
    """Write a file whole, or leave the one that is there as it was.

    ``writer`` is part of the name of the temporary file. In the store of a study it is the lock
    that this process holds, so that its next holder knows that the file's writer is dead.
    """
    with replacing(path, writer) as unfinished:
        unfinished.write_bytes(content)


@contextlib.contextmanager
def replacing(path: Path, writer: str = "halfwidth") -> Iterator[Path]:
    """A new file in the same folder that takes the place of ``path`` at the end of the block.

    Nothing is left behind if the system refuses, here or in the block.
    """
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            # A pipe or a device keeps its name, and there is nothing in it to lose.
            yield path
            return
        # What a link points to is replaced, and the link stays.
        goal = Path(os.path.realpath(path))
        # Without the name of the file, which may have the greatest length allowed.
        unique = f"{os.getpid()}-{secrets.token_hex(4)}"
        unfinished = goal.with_name(f".{writer}.{unique}{TEMPORARY}")
        try:
            unfinished.touch(exist_ok=False)
            if goal.is_file():
                shutil.copymode(goal, unfinished)
            yield unfinished
            _sync(unfinished, os.O_RDWR)
            unfinished.replace(goal)
        finally:
            with contextlib.suppress(OSError):
                unfinished.unlink(missing_ok=True)
        if hasattr(os, "O_DIRECTORY"):
            # Makes the new name permanent; Windows neither allows nor needs this, and some file
            # systems cannot.
            with contextlib.suppress(OSError):
                _sync(goal.parent, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise cannot_write(path, error) from None


def _sync(path: Path, flags: int) -> None:
    opened = os.open(path, flags)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def cannot_write(path: Path, error: OSError) -> DataError:
    """The error if the system refuses to write."""
    return DataError(f"{path}: cannot be written ({error.strerror or error})")
