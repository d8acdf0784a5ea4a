"""Refusing an output that is an input: nothing that a verb reads is replaced by what it writes."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperArgument

from halfwidth.core.errors import OptionError

# What every verb calls the files that it writes.
OUTPUTS = ("out", "plot")
STANDARD_INPUT = "-"
OTHER = "name another file for the output"


def refuse_inputs(ctx: typer.Context, outputs: Iterable[Path] | None = None) -> None:
    """Refuse to write onto a file that the command reads, however the two are spelled.

    ``outputs``: the files that it will write; default: those that its options name.
    """
    if outputs is None:
        outputs = [ctx.params[name] for name in OUTPUTS if ctx.params.get(name)]
        if len({os.path.realpath(output) for output in outputs}) < len(outputs):
            raise OptionError(f"{outputs[-1]}: two outputs have this name; name a file for each")
    for output in outputs:
        there = _status(output)
        # A device or a pipe may well be both.
        if there is None or not stat.S_ISREG(there.st_mode):
            continue
        for name, status in _inputs(ctx):
            if os.path.samestat(there, status):
                raise OptionError(f"{output}: is read here ({name}) and would be lost; {OTHER}")
            if stat.S_ISDIR(status.st_mode) and _is_read_in(Path(name), output):
                raise OptionError(f"{output}: lies in {name}, which is read here; {OTHER}")


def _inputs(ctx: typer.Context) -> Iterator[tuple[str, os.stat_result]]:
    """The files and folders that the command line names, except those to be written."""
    for param in ctx.command.params:
        value = ctx.params.get(param.name or "")
        is_file = isinstance(param, TyperArgument) or "FILE" in str(getattr(param, "metavar", ""))
        if param.name in OUTPUTS or value is None or not is_file:
            continue
        for one in value if isinstance(value, list | tuple) else [value]:
            # NAME=FILE calls a model by its name; a path may hold the sign too.
            for name in filter(None, (str(one), str(one).partition("=")[2])):
                status = _status(name)
                if status is not None:
                    yield name, status


def _status(name: Any) -> os.stat_result | None:
    """What there is under a name; None for nothing."""
    # A text that is no path may hold a null byte.
    with contextlib.suppress(OSError, ValueError):
        return os.fstat(0) if str(name) == STANDARD_INPUT else Path(name).stat()
    return None


def _is_read_in(folder: Path, file: Path) -> bool:
    """Whether a file of a folder is of those by which folders of masks and objects are read."""
    from halfwidth.io.images import is_image

    holds_objects = file.suffix.lower() in (".txt", ".xml") or is_image(file)
    return holds_objects and file.resolve().is_relative_to(folder.resolve())
