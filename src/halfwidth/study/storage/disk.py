"""Files of a store: sealed JSON, and the bytes of others."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from halfwidth.core.errors import DataError
from halfwidth.core.files import write_whole
from halfwidth.study.storage import seals


def write_json(path: Path, content: Mapping[str, Any], writer: str) -> None:
    """`write_whole` of plain data, sealed."""
    write_whole(path, sealed_json(content, indent=1), writer)


def sealed_json(content: Mapping[str, Any], indent: int | None = None) -> bytes:
    """Plain data as JSON with a seal at its end."""
    with_seal = {**content, seals.NAME: seals.BLANK}
    text = json.dumps(with_seal, indent=indent, ensure_ascii=False, default=float)
    # Paths may hold bytes that are no text.
    return seals.add_seal(f"{text}\n".encode("utf-8", "backslashreplace"))


def read_bytes(path: Path) -> bytes:
    """The content of a file of a store."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from None


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
