"""Files of a store: sealed JSON, and the bytes of others.

Each file contains its own SHA-256, its seal, which detects every changed bit. The digest is in the
file, not beside it: there is no second file to lose, and a part is written and copied as one file.
It is computed with zeros in its own place.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from halfwidth.core.errors import DataError
from halfwidth.core.files import write_whole

# The name of a seal, and how it begins. One of the two survives any single flipped bit,
# so that a sealed file never looks like one of a version without seals.
SEAL = "halfwidth.seal"
MARK = b"sealed-sha256:"
DIGITS = 64
ZEROS = b"0" * DIGITS
# The placeholder of the seal until it is set.
BLANK_SEAL = (MARK + ZEROS).decode()


def add_seal(content: bytes, identity: str = "") -> bytes:
    """Content with its seal in place of the last `BLANK_SEAL`, which stands under `SEAL`.

    The seal holds for this identity alone.

    >>> content = add_seal(b'{"halfwidth.seal": "%b"}' % BLANK_SEAL.encode(), "a")
    >>> seal_holds(content, "a"), seal_holds(content, "b"), seal_holds(b"{}", "a")
    (True, False, None)
    """
    start = content.rindex(BLANK_SEAL.encode()) + len(MARK)
    return content[:start] + _digest(content, start, identity) + content[start + DIGITS :]


def seal_holds(content: bytes, identity: str = "") -> bool | None:
    """Whether the seal of a file holds; None for a file without a seal."""
    place = content.rfind(MARK)
    if place < 0:
        return None if SEAL.encode() not in content else False
    start = place + len(MARK)
    return content[start : start + DIGITS] == _digest(content, start, identity)


def _digest(content: bytes, start: int, identity: str) -> bytes:
    digest = hashlib.sha256(f"{identity}\n".encode())
    digest.update(memoryview(content)[:start])
    digest.update(ZEROS)
    digest.update(memoryview(content)[start + DIGITS :])
    return digest.hexdigest().encode()


def write_json(path: Path, content: Mapping[str, Any], writer: str) -> None:
    """`write_whole` of plain data, sealed."""
    write_whole(path, sealed_json(content, indent=1), writer)


def sealed_json(content: Mapping[str, Any], indent: int | None = None) -> bytes:
    """Plain data as JSON with a seal at its end."""
    with_seal = {**content, SEAL: BLANK_SEAL}
    text = json.dumps(with_seal, indent=indent, ensure_ascii=False, default=float)
    # Paths may hold bytes that are no text.
    return add_seal(f"{text}\n".encode("utf-8", "backslashreplace"))


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
    if seal_holds(content) is False:
        return None
    try:
        parsed = json.loads(content)
    except ValueError:
        return None
    if not isinstance(parsed, dict):
        return None
    parsed.pop(SEAL, None)
    return parsed
