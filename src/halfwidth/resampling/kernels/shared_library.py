"""Where the compiled library lies, and the hash of its sources; `hatch_build.py` reads it too."""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path

SOURCES = Path(__file__).parent / "c"
NAME = {"win32": "_core.dll", "darwin": "_core.dylib"}.get(sys.platform, "_core.so")


def sources(folder: Path = SOURCES) -> list[Path]:
    """The C files and their header, in order."""
    return sorted([*folder.glob("*.c"), *folder.glob("*.h")])


def source_hash(folder: Path = SOURCES) -> str:
    """A hash of what the library is built from; empty where the sources are not there."""
    files = sources(folder)
    if not files:
        return ""
    digest = hashlib.sha256()
    for path in files:
        text = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{path.name}\x1f{len(text)}\x1f".encode() + text)
    return digest.hexdigest()


def functions(folder: Path = SOURCES) -> list[str]:
    """What the library exports."""
    exported = re.compile(r"^EXPORT .*?\b(hw_\w+)\(", re.MULTILINE)
    return [name for path in sources(folder) for name in exported.findall(path.read_text())]
