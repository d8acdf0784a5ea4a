"""How wide text is set: 80 columns, or less on a narrow terminal."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass

WIDTH, NARROWEST = 80, 40


@dataclass(frozen=True)
class Page:
    """What text is set on.

    Attributes
    ----------
    width : int
        Text is wrapped at it.
    most : float
        A table wider than this would be broken by the terminal, in the middle of its numbers.
    """

    width: int = WIDTH
    most: float = math.inf


PAPER = Page()
_PAGE: ContextVar[Page] = ContextVar("page", default=PAPER)


def width() -> int:
    """Columns at which text is wrapped."""
    return _PAGE.get().width


def most() -> float:
    """The widest that a table may be."""
    return _PAGE.get().most


@contextlib.contextmanager
def on_terminal(columns: int) -> Iterator[None]:
    """Set text for a terminal of so many columns.

    >>> with on_terminal(60):
    ...     width()
    60
    >>> width()
    80
    """
    seen = max(columns, NARROWEST)
    set_before = _PAGE.set(Page(min(seen, WIDTH), seen))
    try:
        yield
    finally:
        _PAGE.reset(set_before)
