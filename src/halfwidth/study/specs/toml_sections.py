"""Strict reading of a TOML file: every key known, every value of its kind, errors with a place."""

from __future__ import annotations

import contextlib
import json
import math
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard, TypeVar

from halfwidth.core.errors import DataError, HalfwidthError, closest, proposed, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import Door, through
from halfwidth.io.settings import small_toml

T = TypeVar("T")

MOST_BYTES = 1_000_000
LONGEST_SHOWN = 60
# The largest whole number that TOML promises to hold.
LARGEST = 2**63 - 1
POSITION = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)")
# What the parser says, and what that mostly comes of.
PLAIN_WORDS = (
    ("Cannot overwrite", "a key occurs twice"),
    (
        "Cannot declare",
        "a section occurs twice; only [study] is single, write the others as [[...]]",
    ),
    ("Cannot mutate", "a section occurs twice"),
    ("Invalid value", "a text needs quotes around it, and true and false are small letters"),
    ("Unterminated", "a closing quote is missing"),
    ("Illegal character", "a closing quote is missing"),
    ("Unclosed", "a closing bracket is missing"),
    ("Unescaped '\\'", "write / instead of \\ in paths"),
    ("Expected '=' after", "a line is: key = value"),
    ("Expected newline", "one key on each line; a text stands in one pair of quotes"),
)


def read_toml(file: Path) -> dict[str, Any]:
    """The content of a TOML file; a DataError says the line and, mostly, what is wrong with it."""
    text = small_toml(file, MOST_BYTES)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise DataError(f"{file}: is nested too deeply to be a spec") from None
    except ValueError as error:
        message = str(error)
        place = POSITION.search(message)
        message = POSITION.sub("", message)
        hint = next((plain for start, plain in PLAIN_WORDS if message.startswith(start)), "")
        where, shown = "the end of the file", ""
        if place is not None and place[1]:
            where, shown = f"line {place[1]}", _line(text, int(place[1]))
        hint = f"; {hint}" if hint else ""
        raise DataError(f"{file}: {where} is not TOML{shown}: {message}{hint}") from None


def _line(text: str, number: int) -> str:
    lines = text.splitlines()
    line_ = lines[number - 1].strip() if number <= len(lines) else ""
    return f" ({_cut(line_)})" if line_ else ""


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."


@contextlib.contextmanager
def placed(place: str) -> Iterator[None]:
    """Say where in the spec an error of the package arose, and what options are called there."""
    try:
        with through(Door.SPEC):
            yield
    except HalfwidthError as error:
        text = str(error)
        error.args = (text if text.startswith(place) else f"{place}: {text}",)
        raise


@frozen
class Section:
    """One table of the file; reads values by key and kind."""

    # Such as ``spec.toml: [study]``.
    place: str
    content: Mapping[str, Any]

    def __contains__(self, key: object) -> bool:
        return key in self.content

    def at(self, key: str) -> str:
        """Where a key stands."""
        return f"{self.place} {key}"

    def check_keys(self, allowed: Iterable[str]) -> None:
        """Refuse a key that means nothing, proposing the nearest that does."""
        known = list(allowed)
        for key in self.content:
            if key not in known:
                meant = proposed(key, known) or "."
                raise DataError(
                    f"{self.place} has no {_cut(key)!r}{meant} Allowed: {', '.join(known)}"
                )

    def require(self, key: str, meaning: str) -> None:
        """Refuse the absence of a key."""
        if key not in self.content:
            raise DataError(f"{self.place} lacks {key}: {meaning}")

    def text(self, key: str, default: str = "") -> str:
        """A text that is not empty; ``default`` where the key is absent."""
        if key not in self.content:
            return default
        value = self.content[key]
        if not isinstance(value, str):
            raise self._wrong(key, value, "a text in quotes")
        if not value.strip():
            raise DataError(f"{self.at(key)} is empty")
        return value

    def word(self, key: str, allowed: Sequence[T], default: T) -> T:
        """One of a few words, as the type that they have."""
        return self._word(key, self.content[key], allowed) if key in self.content else default

    def words(self, key: str, allowed: Sequence[T], default: Sequence[T]) -> tuple[T, ...]:
        """Words of a few, no two alike, in the order in which they are allowed."""
        listed = self._listed(key, default, lambda value: self._word(key, value, allowed))
        return tuple(sorted(listed, key=allowed.index))

    def integer(self, key: str, default: int, *, at_least: int) -> int:
        """An integer ≥ ``at_least``."""
        return self._integer(key, self.content.get(key, default), at_least)

    def number(
        self,
        key: str,
        default: T,
        *,
        above: float = -math.inf,
        below: float = math.inf,
        wanted: str = "",
    ) -> float | T:
        """A finite number; outside of ``above`` and ``below`` an error says what is ``wanted``."""
        if key not in self.content:
            return default
        number = self._number(key, self.content[key])
        if not above < number < below:
            raise self._wrong(key, self.content[key], wanted)
        return number

    def texts(self, key: str, default: Sequence[str] = ()) -> tuple[str, ...]:
        """Texts, no two alike; one may stand without brackets."""
        return self._listed(key, default, lambda value: self._text(key, value))

    def integers(self, key: str, default: Sequence[int], *, at_least: int) -> tuple[int, ...]:
        """Whole numbers, no two alike, ascending."""
        listed = self._listed(key, default, lambda value: self._integer(key, value, at_least))
        return tuple(sorted(listed))

    def numbers(self, key: str, default: Sequence[float]) -> tuple[float, ...]:
        """Finite numbers, no two alike, ascending."""
        return tuple(sorted(self._listed(key, default, lambda value: self._number(key, value))))

    def pair(self, key: str) -> tuple[float, float] | None:
        """Two numbers, which may be infinite; None if the key is absent."""
        if key not in self.content:
            return None
        value = self.content[key]
        ends = value if isinstance(value, list) else []
        if len(ends) != 2 or any(not _is_number(end) or math.isnan(end) for end in ends):
            raise self._wrong(key, value, "two numbers, [low, high]; inf is allowed")
        return float(ends[0]), float(ends[1])

    def plain(self, key: str) -> tuple[Any, ...]:
        """Texts, numbers or booleans, no two alike."""
        return self._listed(key, (), lambda value: self._plain(key, value))

    def sections(self, key: str) -> list[Section]:
        """The tables under a key, ``[[key]]``, in their order."""
        value = self.content.get(key, [])
        if isinstance(value, dict):
            raise DataError(
                f"{self.place} writes [{key}] with double brackets, [[{key}]]: there may be several"
            )
        if not isinstance(value, list) or not all(isinstance(table, dict) for table in value):
            raise self._wrong(key, value, f"a section, [[{key}]]")
        several = len(value) > 1
        return [
            Section(f"{self.place} [[{key}]]" + (f" {number}" if several else ""), table)
            for number, table in enumerate(value, 1)
        ]

    def _listed(
        self, key: str, default: Sequence[T], check: Callable[[object], T]
    ) -> tuple[T, ...]:
        """Values, no two alike; one may stand without brackets."""
        if key not in self.content:
            return tuple(default)
        value = self.content[key]
        listed = value if isinstance(value, list) else [value]
        if not listed:
            raise DataError(f"{self.at(key)} is empty; name at least one, or leave the key out")
        seen: dict[T, None] = {}
        for checked in map(check, listed):
            if checked in seen:
                raise DataError(f"{self.at(key)} names {_shown(checked)} twice")
            seen[checked] = None
        return tuple(seen)

    def _text(self, key: str, value: object) -> str:
        if not isinstance(value, str) or not value.strip():
            raise self._wrong(key, value, "a text in quotes")
        return value

    def _plain(self, key: str, value: object) -> str | float:
        if not isinstance(value, str | int | float):
            raise self._wrong(key, value, "a text, a number, true or false")
        return value

    def _word(self, key: str, value: object, allowed: Sequence[T]) -> T:
        words = [str(word) for word in allowed]
        if not isinstance(value, str) or value not in words:
            listed = ", ".join(f'"{word}"' for word in words)
            nearest = closest(str(value), words)
            meant = f'; did you mean "{nearest}"?' if nearest else ""
            raise DataError(f"{self.at(key)} = {_shown(value)} is none of {listed}{meant}")
        return allowed[words.index(value)]

    def _integer(self, key: str, value: object, at_least: int) -> int:
        whole = isinstance(value, int) and _is_number(value)
        if not isinstance(value, int) or not whole or value < at_least:
            wanted = f"must be an integer ≥ {at_least}"
            raise DataError(f"{self.at(key)} = {_shown(value)} {wanted}{_rewritten(value)}")
        return value

    def _number(self, key: str, value: object) -> float:
        if not _is_number(value) or not math.isfinite(value):
            raise self._wrong(key, value, "a number", _rewritten(value))
        return float(value)

    def _wrong(self, key: str, value: object, wanted: str, hint: str = "") -> DataError:
        return DataError(f"{self.at(key)} = {_shown(value)} is not {wanted}{hint}")


def _is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a number; a boolean is an int to Python, and some ints are too large."""
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) <= LARGEST
    return isinstance(value, float)


def _rewritten(value: object) -> str:
    """The number that was meant by a text or a fraction, as a hint."""
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            if math.isfinite(float(value)):
                return f"; write {value.strip()} without quotes"
    if isinstance(value, int) and abs(value) > LARGEST:
        return "; TOML has none beyond 2**63 - 1"
    if isinstance(value, float) and value.is_integer():
        return f"; write {int(value)}"
    return ""


def _shown(value: object) -> str:
    """A value roughly as written in the file."""
    if isinstance(value, list):
        return _cut(f"[{shortened(list(map(_shown, value)), 5)}]")
    if isinstance(value, dict):
        return "{...}"
    return _cut(json.dumps(value, ensure_ascii=False, default=str))
