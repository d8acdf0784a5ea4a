"""The command line by its public door, `python -m halfwidth`, in this process."""

from __future__ import annotations

import contextlib
import io
import json
import runpy
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

__all__ = ["Answer", "run_command"]


@dataclass(frozen=True)
class Answer:
    """What a command left behind."""

    status: object
    out: str
    err: str

    @property
    def estimates(self) -> list[dict[str, Any]]:
        """Those of JSON."""
        found: list[dict[str, Any]] = json.loads(self.out)["estimates"]
        return found


def run_command(
    words: Sequence[str],
    folder: Path,
    stdin: bytes = b"",
    enter: Callable[[], object] = lambda: runpy.run_module("halfwidth", run_name="__main__"),
) -> Answer:
    """Run a command in a folder."""
    given = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    status: object = None
    with (
        contextlib.chdir(folder),
        mock.patch.object(sys, "argv", ["halfwidth", *words]),
        mock.patch.object(sys, "stdin", given),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        # The command leaves these as they are at the end of a process, which this is not.
        kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            enter()
        except SystemExit as left:
            status = left.code
        finally:
            for number, handler in kept.items():
                signal.signal(number, handler)
    texts = []
    for stream in (out, err):
        stream.flush()
        assert isinstance(stream.buffer, io.BytesIO)
        texts.append(stream.buffer.getvalue().decode())
    return Answer(status, *texts)
