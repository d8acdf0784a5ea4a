"""The command line, as ``--help`` prints it."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
from collections.abc import Callable, Iterator, Mapping
from unittest import mock

from halfwidth.cli.main import VERBS, command, main
from pages.markdown import fenced, page, table


def pages() -> Mapping[str, Callable[[], str]]:
    """Every page by its path, to be written when it is asked for."""
    return {"cli.md": _page}


def run(words: str) -> str:
    """What a command prints, run in this process, which has loaded all that it needs.

    Raises
    ------
    RuntimeError
        Where it fails.
    """
    told = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    try:
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
            main(shlex.split(words))
    except SystemExit as left:
        told.seek(0)
        if left.code:
            raise RuntimeError(f"halfwidth {words}\n{told.read()}") from None
    return told.read()


def _page() -> str:
    rows = [
        [f"[`{name}`](#{_anchor(_below(name)[0])})", entry.short_help]
        for name, entry in VERBS.items()
    ]
    with mock.patch.dict(os.environ, COLUMNS="80"):
        helps = [
            text
            for words in _every_command()
            for text in (
                f"## halfwidth {words} {{ #{_anchor(words)} }}",
                fenced("text", run(f"{words} --help")),
            )
        ]
    return page(
        "# Command line",
        "Data goes to stdout, chatter to stderr. Exit codes: 0 ok, 2 wrong usage or bad input, 1 "
        "an internal error, 3 a caution under `--strict`, 4 and 5 those of `gate`. What follows is "
        "what `--help` prints.",
        table(["command", "what"], rows),
        *helps,
    )


def _every_command() -> Iterator[str]:
    for verb in VERBS:
        yield from _below(verb)


def _anchor(words: str) -> str:
    return words.replace(" ", "-")


def _below(verb: str) -> list[str]:
    """A verb, or those of its group."""
    names = getattr(command(verb).commands[verb], "commands", {})
    return [f"{verb} {name}" for name in names] or [verb]
