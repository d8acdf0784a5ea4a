"""Every verb returns an answer, which the command writes in the format that was asked for."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from support import Run
from typer.core import TyperGroup

from halfwidth.cli.answer import Answer
from halfwidth.cli.main import command
from halfwidth.document.parts import Document, Note


def verbs(parser: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """All verbs, those of plan and study too."""
    if isinstance(parser, TyperGroup):
        for part, below in parser.commands.items():
            yield from verbs(below, f"{name} {part}".strip())
    else:
        yield name, parser


VERBS = dict(verbs(command()))


def test_there_are_verbs_of_all_groups() -> None:
    assert {"ci", "plan mean", "study summary", "doctor"} <= VERBS.keys()


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_returns_an_answer(name: str) -> None:
    verb = VERBS[name]
    assert verb.callback is not None
    assert get_type_hints(verb.callback.__wrapped__)["return"] is Answer


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_note_on_stderr_is_set_for_its_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "44")
    Answer(Document((Note("many words of a caution " * 5),)), aside=True).show()
    lines = terminal.getvalue().splitlines()
    assert 30 < max(map(len, lines)) <= 44


def test_a_figure_that_was_written_is_part_of_the_document(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("case,dice\na,0.9\nb,0.8\nc,0.7\n")
    asked = ("ci", "t.csv", "--method", "t", "--format", "markdown")
    plain, drawn = run(*asked), run(*asked, "--plot", "all.svg")
    assert "halfwidth: wrote all.svg\n" in drawn.err
    assert "wrote" not in plain.err
    assert drawn.out.startswith(plain.out.rstrip())
    assert "(<all.svg>)" in drawn.out.removeprefix(plain.out.rstrip())
