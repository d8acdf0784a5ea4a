"""Writing results: to stdout in UTF-8 whatever the terminal's habits, or to a file."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from halfwidth.core.errors import DataError, printable

__all__ = ["InterruptToldError", "note", "say", "write"]


class InterruptToldError(Exception):
    """An interrupt of which the user has been told what it cost and how to go on."""


def write(text: str, out: Path | None = None) -> None:
    """Text to a file, or to stdout; a reader that has gone away ('| head') is no error."""
    if out is not None:
        try:
            out.write_text(text, encoding="utf-8")
        except OSError as error:
            raise DataError(f"{out}: cannot be written ({error.strerror})") from None
        note(f"wrote {out}")
        return
    if sys.stdout.isatty():
        # Data stay as they are for files and programs; a terminal would obey what is in them.
        text = printable(text)
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # What Python still wants to flush at its end must go somewhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def note(text: str) -> None:
    """Chatter and complaints go to stderr."""
    say(f"halfwidth: {text}\n")


def say(text: str) -> None:
    """Text to stderr, in letters that its encoding has."""
    encoding = sys.stderr.encoding or "utf-8"
    sys.stderr.write(printable(text).encode(encoding, "backslashreplace").decode(encoding))
