"""Seals: each file of a store contains its own SHA-256, which detects every changed bit.

The digest is in the file, not beside it: there is no second file to lose, and a part is written and
copied as one file. It is computed with zeros in its own place.
"""

from __future__ import annotations

import hashlib

# The name of a seal, and how it begins. One of the two survives any single flipped bit,
# so that a sealed file never looks like one of a version without seals.
NAME = "halfwidth.seal"
MARK = b"sealed-sha256:"
DIGITS = 64
ZEROS = b"0" * DIGITS
# The placeholder of the seal until it is set.
BLANK = (MARK + ZEROS).decode()


def add_seal(content: bytes, identity: str = "") -> bytes:
    """Content with its seal in place of the last `BLANK`, which stands under `NAME`.

    The seal holds for this identity alone.

    >>> content = add_seal(b'{"halfwidth.seal": "%b"}' % BLANK.encode(), "a")
    >>> seal_holds(content, "a"), seal_holds(content, "b"), seal_holds(b"{}", "a")
    (True, False, None)
    """
    start = content.rindex(BLANK.encode()) + len(MARK)
    return content[:start] + _digest(content, start, identity) + content[start + DIGITS :]


def seal_holds(content: bytes, identity: str = "") -> bool | None:
    """Whether the seal of a file holds; None for a file without a seal."""
    place = content.rfind(MARK)
    if place < 0:
        return None if NAME.encode() not in content else False
    start = place + len(MARK)
    return content[start : start + DIGITS] == _digest(content, start, identity)


def _digest(content: bytes, start: int, identity: str) -> bytes:
    digest = hashlib.sha256(f"{identity}\n".encode())
    digest.update(memoryview(content)[:start])
    digest.update(ZEROS)
    digest.update(memoryview(content)[start + DIGITS :])
    return digest.hexdigest().encode()
