"""A file is whole at any time: its writer is killed after each thing that it asks of the system."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from halfwidth.core.files import write_whole

BEFORE, AFTER = b"as it was" * 1000, b"as it is" * 1000

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here"),
    # The child starts no thread, and ends without the interpreter's farewell.
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]


def asks_the_system(function: Any) -> bool:
    """Whether a C function is one of the operating system, or of an open file."""
    of_file = isinstance(getattr(function, "__self__", None), io.IOBase)
    return of_file or getattr(function, "__module__", None) in (os.name, "io", "_io")


def killed_at(count: int, writes: Callable[[Path], object], path: Path) -> bool:
    """Whether a process that writes a file is killed after its count-th call of the system."""
    child = os.fork()
    if child == 0:
        calls = 0

        def look(_frame: Any, event: str, function: Any) -> None:
            nonlocal calls
            calls += event == "c_return" and asks_the_system(function)
            if calls == count:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.setprofile(look)
        writes(path)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def seen(folder: Path, writes: Callable[[Path], object]) -> set[bytes]:
    """What a file holds after a writer was killed at each of its calls."""
    path, found = folder / "page.html", set()
    count = 1
    path.write_bytes(BEFORE)
    while killed_at(count, writes, path):
        found.add(path.read_bytes())
        path.write_bytes(BEFORE)
        count += 1
    assert count > 1
    return found | {path.read_bytes()}


def test_a_file_is_what_it_was_or_what_it_is_to_be(tmp_path: Path) -> None:
    assert seen(tmp_path, lambda path: write_whole(path, AFTER)) == {BEFORE, AFTER}


def test_a_file_that_is_written_in_place_is_seen_half_done(tmp_path: Path) -> None:
    assert b"" in seen(tmp_path, lambda path: path.write_bytes(AFTER))
