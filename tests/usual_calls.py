"""The calls of public functions that `same_as/programs.txt` lists, for all tests that go over them.

A public function is called by a program there; `make same-as` compares what it answers, the test of
pickles copies it, and random calls draw arguments from it that have no values of their own.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from same_as.calls import programs
from same_as.data import values
from same_as.recorder import modules

__all__ = ["LIST", "ask", "results", "usual_argument"]

LIST = "tests/same_as/programs.txt"


@functools.cache
def _known() -> dict[str, Any]:
    return {**modules(), **values()}


def ask(text: str) -> Any:
    """What a program answers."""
    return eval(text, dict(_known()))  # noqa: S307 -- a program of the list


@functools.cache
def _calls() -> dict[str, list[ast.Call]]:
    """Every call in the programs, also within others, by the function that it names."""
    found: dict[str, list[ast.Call]] = {}
    for text in programs():
        for node in _calls_within(ast.parse(text, mode="eval")):
            found.setdefault(ast.unparse(node.func), []).append(node)
    return found


def _calls_within(tree: ast.AST) -> Iterator[ast.Call]:
    """Calls in the order of the text, but for those that name what a loop gives them."""
    if isinstance(tree, ast.Call):
        yield tree
    if not isinstance(tree, ast.ListComp | ast.Lambda):
        for node in ast.iter_child_nodes(tree):
            yield from _calls_within(node)


def results(function: str) -> dict[str, str]:
    """The first call of a function over each kind of data, and with each word for its own kind."""
    found: dict[str, str] = {}
    for call in _calls().get(function, ()):
        within = [ast.unparse(one.func) for one in _calls_within(call)]
        # What takes a function of one's own, without a name, is no result to be pickled.
        if "hw.read" not in within and not any(isinstance(n, ast.Lambda) for n in ast.walk(call)):
            words = [one for one in within if ".from_" in one]
            values = [one.value for one in call.args if isinstance(one, ast.Constant)]
            words += [one for one in values if isinstance(one, str)]
            found.setdefault(" ".join([function, *words]), ast.unparse(call))
    return found


def usual_argument(function: str, argument: str) -> Callable[[Any], Any]:
    """A draw from what the programs give a function, such as `hw.rank(CaseValues.from_table)`."""
    home, _, made = function.rstrip(")").partition("(")
    texts: dict[str, None] = {}
    for name in (f"hw.{made}", home) if made else (home,):
        names = [*inspect.signature(ask(name)).parameters]
        for call in _calls().get(name, ()):
            given = dict(zip(names, call.args, strict=False))
            given |= {one.arg: one.value for one in call.keywords if one.arg}
            if argument in given:
                texts[ast.unparse(given[argument])] = None
    assert texts, f"{LIST} wants a call of {function} with {argument}"
    return lambda s: ask(s.choice([*texts]))
