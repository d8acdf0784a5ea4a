"""What differs between two records of a call.

Text, integers and structure are equal or not; numbers with a fraction may differ by 1e-12 of
their size, and so may numbers of 13 digits or more inside texts, such as cells of CSV.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["CLOSE", "Difference", "differences"]

CLOSE = 1e-12
NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d+(?:[eE][-+]?\d+)?")
# A number printed with so many digits is one at full precision.
FULL = 13
# Letters of a side that are shown, and of these before the first that differs.
LONG, BEFORE = 160, 60
ABSENT: Any = type("Absent", (), {"__repr__": lambda _: "nothing"})()


@dataclass(frozen=True)
class Difference:
    """A place in the record of a call, and what is there in the two trees."""

    call: str
    path: tuple[str, ...]
    kind: str
    old: Any
    new: Any

    @property
    def place(self) -> str:
        return ".".join(self.path).replace(".[", "[")

    @property
    def way(self) -> tuple[str, str]:
        """By what differences are grouped: the place without its counts, and the kind."""
        return re.sub(r"\[\d+\]", "[]", self.place), self.kind

    @property
    def shown(self) -> str:
        sides = _around(self.old, self.new) if self.kind == "text" else (self.old, self.new)
        return f"{self.place or 'the record'}: {' -> '.join(map(_short, sides))}{self._size}"

    @property
    def _size(self) -> str:
        if self.kind != "number" or not (
            isinstance(self.old, float) and isinstance(self.new, float)
        ):
            return ""
        return f"  (by {abs(self.new - self.old) / max(abs(self.old), abs(self.new)):.1e} of it)"


def _around(old: str, new: str) -> tuple[str, str]:
    """Of long texts what stands around their first difference."""
    pairs = enumerate(zip(old, new, strict=False))
    same = next((at for at, (a, b) in pairs if a != b), min(len(old), len(new)))
    start = max(0, same - BEFORE) if max(len(old), len(new)) > LONG else 0
    return ("..." if start else "") + old[start:], ("..." if start else "") + new[start:]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= LONG else f"{text[: LONG - 4]} ..."


def differences(
    call: str, old: Any, new: Any, path: tuple[str, ...] = (), *, loose: bool = False
) -> Iterator[Difference]:
    """All places that differ; where ``loose``, spaces and rules of tables in texts do not count."""
    if isinstance(old, dict) and isinstance(new, dict):
        of_text = set(old) == set(new) == {"lines"}
        if of_text:
            yield from _lines(call, old["lines"], new["lines"], path, loose=loose)
        else:
            yield from _keys(call, old, new, path, loose=loose)
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            # What stands behind what came or went is not compared.
            yield Difference(call, path, "length", *_counted(call, old, new))
            return
        for at, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(call, one, other, (*path, f"[{at}]"), loose=loose)
    else:
        kind = _kind(old, new, loose=loose)
        if kind:
            yield Difference(call, path, kind, old, new)


def _counted(call: str, old: list[Any], new: list[Any]) -> tuple[str, str]:
    """How many there are, and the first that is another."""
    pairs = enumerate(zip(old, new, strict=False))
    at = next((at for at, pair in pairs if any(differences(call, *pair))), min(len(old), len(new)))
    left, right = (
        f"{len(one)}, there {one[at] if at < len(one) else ABSENT!r}" for one in (old, new)
    )
    return left, right


def _kind(old: Any, new: Any, *, loose: bool) -> str:
    """In what two plain values differ; empty if they do not."""
    if type(old) is not type(new):
        return "type"
    if isinstance(old, float):
        return "" if math.isclose(old, new, rel_tol=CLOSE, abs_tol=0) else "number"
    if isinstance(old, str):
        return "" if same_text(old, new, loose=loose) else "text"
    return "" if old == new else "number" if type(old) is int else "value"


def _keys(
    call: str, old: dict[str, Any], new: dict[str, Any], path: tuple[str, ...], *, loose: bool
) -> Iterator[Difference]:
    for key in [*old, *(key for key in new if key not in old)]:
        one, other, place = old.get(key, ABSENT), new.get(key, ABSENT), (*path, key)
        if ABSENT in (one, other):
            kind = "added" if one is ABSENT else "gone"
            yield Difference(call, place, kind, one, other)
        else:
            yield from differences(call, one, other, place, loose=loose)
    shared = [[key for key in one if key in other] for one, other in ((old, new), (new, old))]
    if shared[0] != shared[1]:
        yield Difference(call, path, "order", *shared)


def _lines(
    call: str, old: list[str], new: list[str], path: tuple[str, ...], *, loose: bool
) -> Iterator[Difference]:
    """Of a text of several lines those that differ; of others than before the first."""
    if loose:
        old, new = ([" ".join(_words("\n".join(lines)))] for lines in (old, new))
    for at, (one, other) in enumerate(itertools.zip_longest(old, new, fillvalue="")):
        if at >= min(len(old), len(new)) or not same_text(one, other):
            yield Difference(call, (*path, "lines", f"[{at}]"), "text", one, other)
            if len(old) != len(new):
                return


def _words(text: str) -> list[str]:
    return re.sub(r"[─━-]{3,}|[|│]", " ", text).split()


def same_text(old: str, new: str, *, loose: bool = False) -> bool:
    """Equal but for the last digits of numbers at full precision."""
    if loose:
        old, new = (" ".join(_words(text)) for text in (old, new))
    if old == new:
        return True
    if NUMBER.sub("#", old) != NUMBER.sub("#", new):
        return False
    pairs = zip(NUMBER.findall(old), NUMBER.findall(new), strict=True)
    return all(one == other or _same_number(one, other) for one, other in pairs)


def _same_number(one: str, other: str) -> bool:
    digits = max(len(re.sub(r"[eE].*|\D", "", text).lstrip("0")) for text in (one, other))
    return digits >= FULL and math.isclose(float(one), float(other), rel_tol=CLOSE, abs_tol=0)
