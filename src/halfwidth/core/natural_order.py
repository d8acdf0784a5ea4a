"""Names in the order in which people count."""

from __future__ import annotations

import re


def natural_key(name: str) -> tuple[list[str | tuple[int, str]], str]:
    """A key that sorts numbers in names by their size.

    >>> sorted(["case10", "case2", "Case1"], key=natural_key)
    ['Case1', 'case2', 'case10']
    """
    parts = re.split(r"([0-9]+)", name.casefold())
    # Every second part is a number, so that none is ever compared with a text; as text, because
    # Python reads only so many digits.
    numbers = [(len(digits), digits) for digits in (part.lstrip("0") for part in parts[1::2])]
    key: list[str | tuple[int, str]] = list(parts)
    key[1::2] = numbers
    return key, name
