"""Errors as part of the interface: what was given, what is allowed, what to do."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import Any

# Letters of one name in a list, of what a library says, of a word, and of a whole message: what is
# longer came from a file and is cut.
LONGEST_NAME, LONGEST_REASON, LONGEST_WORD, LONGEST_MESSAGE = 120, 160, 300, 2500
ENDLESS = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")


class HalfwidthError(ValueError):
    r"""Wrong usage or bad input; its text is meant for the person who caused it.

    >>> str(HalfwidthError("no column \x1b[31mdice"))
    'no column  [31mdice'
    """

    def __init__(self, text: str = "") -> None:
        super().__init__(bounded(printable(text)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the finished message, whatever a subclass takes: workers raise these too."""
        return _restored, (type(self), self.args, vars(self))


def _restored(
    kind: type[HalfwidthError], args: tuple[str, ...], attributes: dict[str, Any]
) -> HalfwidthError:
    error = kind.__new__(kind, *args)
    vars(error).update(attributes)
    return error


class DataError(HalfwidthError):
    """The values, the table or the file cannot be used as they are."""


class MissingLibraryError(DataError):
    """A library that the file needs is not installed."""


class OptionError(HalfwidthError):
    """An option has a value that is not allowed, or does not fit the others."""


class NoOrderError(OptionError):
    """A metric or a statistic of which neither higher nor lower values are better."""


class UnknownNameError(OptionError):
    """A name that no catalogue (or table) holds; proposes the nearest one."""

    def __init__(
        self,
        kind: str,
        name: str,
        choices: Iterable[str],
        *,
        synonyms: Iterable[str] = (),
        hint: str = "",
    ) -> None:
        known, name = list(choices), name if isinstance(name, str) else shown(name)
        proposal = proposed(name, [*known, *synonyms]) or "."
        text = f"unknown {kind} {shown(name)}{proposal} Known: {shortened(known)}."
        super().__init__(f"{text} {hint}".rstrip())


def printable(text: str) -> str:
    r"""Text without what a terminal would obey: escape codes, bells, changes of direction.

    Names come from files that anybody may have written. Line ends and tabs stay.

    >>> printable("a\x1b[2Jb\u202ec")
    'a [2Jb c'
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one in "\n\t" else " " for one in text)


def without_endless_words(text: str) -> str:
    """Text whose words are no longer than some line can hold; longer ones lose their middle."""
    if len(text) <= LONGEST_WORD:
        return text
    return ENDLESS.sub(lambda word: _cut(word[0], LONGEST_WORD), text)


def bounded(text: str) -> str:
    """Text that somebody can read to its end, whatever the names in it are."""
    return _cut(without_endless_words(text), LONGEST_MESSAGE)


def _cut(text: str, most: int) -> str:
    """Text of so many letters at most, its beginning and its end."""
    if len(text) <= most:
        return text
    return f"{text[: most * 2 // 3]} … {text[len(text) - most // 4 :]}"


def one_line(reason: object) -> str:
    r"""What a library says, in one line of a bearable length: some quote the file at length.

    Without a header of NumPy's that it quotes, which is Python.

    >>> one_line(ValueError("no  header\n in it")), one_line("Cannot parse: \"{'descr': 1")
    ('no header in it', 'Cannot parse')
    """
    text = re.split(r"[:\s\"']*\{'", " ".join(str(reason).split()))[0] or type(reason).__name__
    return text if len(text) <= LONGEST_REASON else f"{text[: LONGEST_REASON - 3]}..."


def _shown(name: object) -> str:
    return _cut(" ".join(printable(str(name)).splitlines()), LONGEST_NAME)


def closest(name: object, choices: Iterable[str]) -> str | None:
    """The choice that ``name`` most likely meant, or None where nothing is near.

    >>> closest("medain", ["mean", "median"])
    'median'
    """
    if not isinstance(name, str):
        return None
    by_lower = {choice.lower(): choice for choice in choices}
    nearest = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[nearest[0]] if nearest else None


def proposed(name: object, choices: Iterable[str]) -> str:
    """The end of a message that names the nearest choice, or nothing.

    >>> proposed("medain", ["mean", "median"])
    "; did you mean 'median'?"
    """
    nearest = closest(name, choices)
    return f"; did you mean {nearest!r}?" if nearest else ""


def quoted(names: Iterable[object]) -> str:
    """Names as a reader would list them: ``'a', 'b'``."""
    return ", ".join(repr(_cut(str(name), LONGEST_NAME)) for name in names)


def shortened(names: Sequence[object], most: int = 30) -> str:
    """A comma-separated list that stays readable when there are hundreds of names.

    >>> shortened(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    text = ", ".join(_shown(name) for name in names[:most])
    return f"{text} and {len(names) - most} more" if len(names) > most else text


def shown(value: object, most: int = 60) -> str:
    """A value as it was given, on one line and cut where it would drown the message.

    >>> shown("0.95"), shown([1] * 100, most=12)
    ("'0.95'", '[1, 1, 1, 1,...')
    """
    try:
        text = " ".join(repr(value).split())
    except Exception:  # noqa: BLE001 -- a foreign repr may do anything, and digits have a limit
        text = f"<{type(value).__name__}>"
    return text if len(text) <= most else f"{text[:most]}..."
