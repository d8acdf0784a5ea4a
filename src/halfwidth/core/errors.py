"""Errors are part of the interface: what was given, what is allowed, what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

__all__ = [
    "DataError",
    "HalfwidthError",
    "OptionError",
    "UnknownNameError",
    "closest",
    "proposed",
    "quoted",
    "shortened",
    "shown",
]


class HalfwidthError(ValueError):
    """Wrong usage or bad input; its text is meant for the person who caused it."""


class DataError(HalfwidthError):
    """The values, the table or the file cannot be used as they are."""


class OptionError(HalfwidthError):
    """An option has a value that is not allowed, or does not fit the others."""


class UnknownNameError(OptionError):
    """A name that no catalogue (or table) holds; proposes the nearest one."""

    def __init__(
        self,
        kind: str,
        given: str,
        choices: Iterable[str],
        *,
        synonyms: Iterable[str] = (),
        hint: str = "",
    ) -> None:
        known, given = list(choices), given if isinstance(given, str) else shown(given)
        proposal = proposed(given, [*known, *synonyms]) or "."
        text = f"unknown {kind} {shown(given)}{proposal} Known: {shortened(known)}."
        super().__init__(f"{text} {hint}".rstrip())


def closest(given: object, choices: Iterable[str]) -> str | None:
    """The choice that ``given`` most likely meant, or None where nothing is near.

    >>> closest("medain", ["mean", "median"])
    'median'
    """
    if not isinstance(given, str):
        return None
    by_lower = {choice.lower(): choice for choice in choices}
    near = difflib.get_close_matches(given.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[near[0]] if near else None


def proposed(given: object, choices: Iterable[str]) -> str:
    """The end of a message that names the nearest choice, or nothing.

    >>> proposed("medain", ["mean", "median"])
    "; did you mean 'median'?"
    """
    near = closest(given, choices)
    return f"; did you mean {near!r}?" if near else ""


def quoted(names: Iterable[object]) -> str:
    """Names as a reader would list them: ``'a', 'b'``."""
    return ", ".join(repr(str(name)) for name in names)


def shortened(names: Sequence[object], most: int = 30) -> str:
    """A comma-separated list that stays readable when there are hundreds of names.

    >>> shortened(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    text = ", ".join(str(name) for name in names[:most])
    return f"{text} and {len(names) - most} more" if len(names) > most else text


def shown(value: object, most: int = 60) -> str:
    """A value as it was given, on one line and cut where it would drown what is said of it.

    >>> shown("0.95"), shown([1] * 100, most=12)
    ("'0.95'", '[1, 1, 1, 1,...')
    """
    try:
        text = " ".join(repr(value).split())
    except Exception:  # noqa: BLE001 -- a foreign repr may do anything, and digits have a limit
        text = f"<{type(value).__name__}>"
    return text if len(text) <= most else f"{text[:most]}..."
