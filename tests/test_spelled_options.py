"""Options are named by the table of their names: no flag is written below the command line."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import FLAG, flags, misspelled

import halfwidth
import halfwidth as hw
from halfwidth.core.branches import BRANCHES
from halfwidth.core.option_names import flag_of
from halfwidth.core.option_table.table import OPTIONS

SOURCE = Path(halfwidth.__file__).parent
TABLE = "core/option_table"
SPELLING = {"spelled", "spelled_both", "flag_of"}
SPELLED = re.compile(rf"\b(?:{'|'.join(SPELLING)})\(")
FILES = [
    path
    for path in sorted(SOURCE.rglob("*.py"))
    if not path.relative_to(SOURCE)
    .as_posix()
    .startswith(("cli/", *(f"{branch}/cli/" for branch in BRANCHES)))
]


def flags_in(text: str) -> Iterator[tuple[int, str]]:
    """Flags of the command in the texts of a file, docstrings excepted, and the line of each."""
    if flags().isdisjoint(FLAG.findall(text)):  # most files: they need not be parsed
        return
    tree = ast.parse(text)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docstrings
        ):
            for flag in FLAG.findall(node.value):
                if flag in flags():
                    yield node.lineno, flag


def named_in(text: str) -> Iterator[tuple[int, str]]:
    """The options that messages of a file name, and the line of each."""
    for node in ast.walk(ast.parse(text)) if SPELLED.search(text) else ():
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in SPELLING and node.args:
            name = node.args[0]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                yield node.lineno, name.value


def arguments() -> set[str]:
    """The arguments of all public functions and classes."""
    found: set[str] = set()
    for name in hw.__all__:
        home = getattr(hw, name)
        inner = [getattr(home, one) for one in getattr(home, "__all__", ())]
        inner += [getattr(home, one) for one in dir(home) if one.startswith("from_")]
        for one in [home, *inner]:
            if inspect.isroutine(one) or inspect.isclass(one):
                found |= set(inspect.signature(one).parameters)
    return found


def test_no_flag_is_written_below_the_command_line() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)}:{line} {flag}"
        for path in FILES
        if path.parent != SOURCE / TABLE
        for line, flag in flags_in(path.read_text(encoding="utf-8"))
    ]
    assert wrong == [], f"name options by spelled() of {TABLE}"


def test_options_that_messages_name_exist() -> None:
    known = arguments()
    wrong = [
        f"{path.relative_to(SOURCE)}:{line} {name}"
        for path in FILES
        for line, name in named_in(path.read_text(encoding="utf-8"))
        if flag_of(name) not in flags() and name not in known
    ]
    assert wrong == []


@pytest.mark.parametrize("name", OPTIONS)
def test_names_in_the_table_exist_and_would_not_be_guessed(name: str) -> None:
    option, argument = OPTIONS[name], name.rpartition(".")[2]
    assert {option.flag, option.off} - {""} <= flags()
    assert option.flag != f"--{argument.replace('_', '-')}"
    assert option.key != argument
    assert argument not in option.elsewhere.split()


def test_flags_and_options_are_found_wherever_they_are_written() -> None:
    text = (
        '"""--metric"""\nONE = "say --pos-label" "; or --no-such"\n'
        'def f(a, b): "--seed"; return f"{spelled(\'missing\', 1)} {a} --seed", spelled(b)\n'
    )
    assert list(flags_in(text)) == [(2, "--pos-label"), (3, "--seed")]
    assert list(named_in(text)) == [(3, "missing")]


def test_errors_of_the_command_line_are_read_for_words_of_python() -> None:
    assert misspelled("--missing omit leaves them out; of ppv:prevalence=0.1, n=3") == []
    assert misspelled("missing='omit' leaves them out, or --frobnicate") == [
        "missing=",
        "--frobnicate",
    ]
    assert misspelled("no option --frobnicate; --where case=a") == []
