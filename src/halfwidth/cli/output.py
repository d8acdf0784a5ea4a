"""Writing results: to stdout in UTF-8 whatever the terminal's habits, or to a file."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TextIO

from halfwidth.core.errors import bounded, printable
from halfwidth.core.files import cannot_write, write_whole
from halfwidth.document.progress import paused

# Draws of cases from which on a job is long where NumPy makes them.
LONG_JOB = 2e9
# Where errors and cautions go while chatter goes nowhere.
_HEARD: ContextVar[TextIO | None] = ContextVar("stderr as it was", default=None)


class InterruptReportedError(Exception):
    """An interrupt; the user has been told what it cost and how to go on."""


def write(text: str, out: Path | None = None) -> None:
    """Text to a file, or to stdout."""
    if out is not None:
        write_whole(out, text.encode())
        note(f"wrote {out}")
        return
    if sys.stdout.isatty():
        # Data stay as they are for files and programs; a terminal would obey what is in them.
        text = printable(text)
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
    except OSError as error:
        give_up_stdout(error)


def give_up_stdout(error: OSError) -> None:
    """Print no more; a reader that has gone away ('| head') is no error."""
    # What Python still wants to flush at its end must go somewhere.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if not isinstance(error, BrokenPipeError):
        raise cannot_write(Path("standard output"), error) from None


@contextlib.contextmanager
def quietly(quiet: bool) -> Iterator[None]:
    """Notes, progress and bars go nowhere if ``quiet``; what `complain` says is heard."""
    if not quiet:
        yield
        return
    heard = _HEARD.set(sys.stderr)
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        _HEARD.reset(heard)


# What matplotlib warns of, for each letter at each drawing.
_GLYPH = re.compile(r"Glyph (\d+) .*missing from font")


@contextlib.contextmanager
def lacking_letters_noted() -> Iterator[None]:
    """Tell once which letters the font of figures lacks, in place of many warnings."""
    lacking: dict[str, None] = {}
    otherwise = warnings.showwarning

    def heard(message: Warning | str, *more: Any, **named: Any) -> None:
        if match := _GLYPH.match(str(message)):
            lacking[chr(int(match[1]))] = None
        else:
            otherwise(message, *more, **named)

    with warnings.catch_warnings():
        warnings.filterwarnings("always", _GLYPH.pattern, UserWarning)
        warnings.showwarning = heard
        yield
    if lacking:
        note(
            f"the font of figures lacks {' '.join(lacking)}: boxes stand for them in PNG and PDF. "
            "An SVG leaves letters to the fonts of its reader"
        )


def note(*texts: str) -> None:
    """Chatter to stderr, each text on a line of its own."""
    with paused():
        for text in texts:
            say(f"halfwidth: {bounded(text)}\n")


def note_if_long(cases: int, method: str, n_resamples: int | None) -> None:
    """Tell those who will wait because there is no compiled library."""
    from halfwidth.estimation.resolve import USUAL_RESAMPLES
    from halfwidth.intervals.all_methods import method_named
    from halfwidth.resampling.kernels import native

    resamples = USUAL_RESAMPLES if n_resamples is None else n_resamples
    if cases * resamples <= LONG_JOB or native.available():
        return
    if method == "auto" or method_named(method).resamples:
        note(
            f"{cases} rows and {resamples} resamples may take minutes with {native.status()}. "
            "The compiled library takes seconds"
        )


def complain(text: str) -> None:
    """An error or a caution to stderr, with --quiet too."""
    say(f"halfwidth: {bounded(text)}\n", _HEARD.get())


def say(text: str, stream: TextIO | None = None) -> None:
    """Text to stderr (or another stream), in letters that its encoding has."""
    stream = stream or sys.stderr
    encoding = stream.encoding or "utf-8"
    # Where not even errors can be written, the exit status has to say it.
    with contextlib.suppress(OSError):
        stream.write(printable(text).encode(encoding, "backslashreplace").decode(encoding))
