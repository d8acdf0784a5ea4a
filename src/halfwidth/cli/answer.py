"""The answer of a verb: a document, and where it goes."""

from __future__ import annotations

import contextlib
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from halfwidth.cli.output import say, write
from halfwidth.core.frozen import frozen
from halfwidth.document import terminal_width

if TYPE_CHECKING:
    from halfwidth.document.parts import Document


STRICT_STATUS = 3


def strict_status(strict: bool, faults: object) -> int:
    """The status of the exit, by ``--strict`` and whether there are cautions or findings."""
    return STRICT_STATUS if strict and faults else 0


@frozen
class Answer:
    """What every verb returns: a document, its format, and the file to write in place of stdout."""

    document: Document
    fmt: str = "table"
    out: Path | None = None
    status: int = 0
    # To stderr, since stdout has been given something else.
    aside: bool = False

    def show(self) -> None:
        """Write the document, set for the terminal that shows it."""
        # Not before there is an answer: help and slips need none of it.
        from halfwidth.document.render import render

        on_terminal = self.out is None and (sys.stderr if self.aside else sys.stdout).isatty()
        columns = shutil.get_terminal_size().columns
        with terminal_width.on_terminal(columns) if on_terminal else contextlib.nullcontext():
            text = render(self.document, self.fmt)
        if self.aside:
            say(f"\n{text}")
        elif text:
            write(text, self.out)
