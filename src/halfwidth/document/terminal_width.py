"""The width of text: at most 80 columns for prose, the whole terminal for tables."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

WIDTH, NARROWEST = 80, 40
# None where text goes to a pipe or a file.
_COLUMNS: ContextVar[int | None] = ContextVar("columns", default=None)


def width() -> int:
    """Columns at which prose is wrapped."""
    return min(table_width(), WIDTH)


def table_width() -> int:
    """Columns that a table may take."""
    return _COLUMNS.get() or WIDTH


def is_terminal() -> bool:
    """Whether a line that is too long would be broken, in the middle of its numbers."""
    return _COLUMNS.get() is not None


@contextlib.contextmanager
def on_terminal(columns: int) -> Iterator[None]:
    """Set text for a terminal of so many columns.

    >>> with on_terminal(60):
    ...     width()
    60
    >>> width()
    80
    """
    before = _COLUMNS.set(max(columns, NARROWEST))
    try:
        yield
    finally:
        _COLUMNS.reset(before)
