"""Seals: each file of a store holds the SHA-256 of itself, so that a changed bit is seen.

The digest stands in the file, not beside it: there is no second file to lose, and a part is written
and copied as one. It is taken with zeros in its own place.
"""

from __future__ import annotations

import hashlib

__all__ = ["BLANK", "NAME", "holds", "sealed"]

# Under which a seal stands, and how it begins. One of the two survives whatever single bit flips,
# so that a sealed file is never taken for one from before there were seals.
NAME = "halfwidth.seal"
MARK = b"sealed-sha256:"
DIGITS = 64
ZEROS = b"0" * DIGITS
# What stands in the place of the seal until it is set.
BLANK = (MARK + ZEROS).decode()


def sealed(content: bytes, of: str = "") -> bytes:
    """Content with its seal in place of the last `BLANK`.

    Parameters
    ----------
    content : bytes
        Holds `BLANK` under `NAME`.
    of : str
        What the content must not be taken for anything else than: the seal holds for it alone.

    Examples
    --------
    >>> made = sealed(b'{"halfwidth.seal": "%b"}' % BLANK.encode(), "a")
    >>> holds(made, "a"), holds(made, "b"), holds(made + b" ", "a"), holds(b"{}", "a")
    (True, False, False, None)
    """
    start = content.rindex(BLANK.encode()) + len(MARK)
    return content[:start] + _digest(content, start, of) + content[start + DIGITS :]


def holds(content: bytes, of: str = "") -> bool | None:
    """Whether the seal of a file holds; None for one that was never sealed."""
    found = content.rfind(MARK)
    if found < 0:
        return None if NAME.encode() not in content else False
    start = found + len(MARK)
    return content[start : start + DIGITS] == _digest(content, start, of)


def _digest(content: bytes, start: int, of: str) -> bytes:
    made = hashlib.sha256(f"{of}\n".encode())
    made.update(memoryview(content)[:start])
    made.update(ZEROS)
    made.update(memoryview(content)[start + DIGITS :])
    return made.hexdigest().encode()
