"""Timings: a sealed line of JSON for each chunk, in a file for each process."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from halfwidth.core.files import cannot_write, write_whole
from halfwidth.study.storage import locks
from halfwidth.study.storage.disk import parse_json, read_bytes, sealed_json
from halfwidth.study.storage.store import TIMINGS, set_aside


def add_timing(store: Path, timing: Mapping[str, Any], writer: str) -> None:
    """Add a line to the file of timings of this process."""
    host = re.sub(r"[^A-Za-z0-9-]", "-", socket.gethostname())
    file = store / TIMINGS / f"{writer}.{host}.{os.getpid()}.jsonl"
    try:
        with file.open("ab") as opened:
            # Ends a line that was cut off by a full disk, or by an earlier process with this id.
            opened.write(b"" if opened.tell() == 0 else b"\n")
            opened.write(sealed_json(timing))
    except OSError as error:
        raise cannot_write(file, error) from None


def read_timings(store: Path) -> tuple[list[dict[str, Any]], dict[Path, int]]:
    """The timings of all processes, and the number of damaged lines of each file."""
    timings: list[dict[str, Any]] = []
    damaged: dict[Path, int] = {}
    for file in sorted((store / TIMINGS).glob("*.jsonl")):
        for line in _lines(file):
            timing = parse_json(line)
            if timing is None:
                damaged[file] = damaged.get(file, 0) + 1
            else:
                timings.append(timing)
    return timings, damaged


def tidy_timings(store: Path, writer: str) -> list[str]:
    """Remove damaged lines from the files of dead processes; returns notes."""
    notes = []
    for file, count in read_timings(store)[1].items():
        if locks.locks_conflict(file.name.split(".")[0], writer):
            sound = [line for line in _lines(file) if parse_json(line) is not None]
            kept = set_aside(file)
            write_whole(file, b"\n".join(sound), writer)
            lines = "1 damaged line" if count == 1 else f"{count} damaged lines"
            notes.append(f"{TIMINGS}/{file.name}: {lines} left out (kept as {kept.name})")
    return notes


def _lines(file: Path) -> list[bytes]:
    # The seal covers the whole line.
    return [line + b"\n" for line in read_bytes(file).split(b"\n") if line]
