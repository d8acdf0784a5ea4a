"""Write the parameters in the docstrings of public functions from the table of options.

    python tools/options.py            # which docstrings differ from the table
    python tools/options.py --write    # make them what the table says

What is given by position (data, values) keeps the words that it has; every option behind the star
gets those of the table, `halfwidth.core.option_table`. The reference says more where an option is
at home: at the first of the doors that have it.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import halfwidth as hw
from halfwidth import planning
from halfwidth.core.option_table.option import REQUIRED, Option
from halfwidth.core.option_table.table import option_of

WIDTH = 100
VERBS = ("estimate", "compare", "rank", "gate", "curve", "check", "plan", "report")
KINDS = ("CaseValues", "Predictions", "Matching", "Detections", "Readings")
SECTION = re.compile(
    r"(?P<head>\n( *)Parameters\n *-+\n)(?P<body>.*?)(?=\n\n? *\w[\w ]*\n *---|\Z)", re.DOTALL
)


class Door(NamedTuple):
    """A public function, or a constructor of a kind of data."""

    name: str
    function: Callable[..., Any]

    @property
    def options(self) -> list[str]:
        """What it takes behind the star."""
        given = inspect.signature(self.function).parameters.values()
        return [one.name for one in given if one.kind is one.KEYWORD_ONLY]


def doors() -> Iterator[Door]:
    """All of them, verbs first: the first that has an option is where it is at home."""
    for verb in VERBS:
        if verb in hw.__all__:
            yield Door(verb, getattr(hw, verb))
    for kind in KINDS:
        for name, one in vars(getattr(hw, kind, object)).items():
            if name.startswith("from_") and isinstance(one, classmethod):
                yield Door(f"{kind}.{name}", getattr(getattr(hw, kind), name))
    for name in hw.__all__:
        if inspect.isfunction(one := getattr(hw, name)) and name not in VERBS:
            yield Door(name, one)
    for name in planning.__all__:
        if inspect.isfunction(one := getattr(planning, name)):
            yield Door(f"planning.{name}", one)


def homes() -> dict[tuple[str, Option], str]:
    """The door at which the reference says all about an option."""
    first: dict[tuple[str, Option], str] = {}
    for door in doors():
        for name in door.options:
            first.setdefault((name, option_of(name, door.name)), door.name)
    return first


def entry(name: str, door: Door, at_home: bool) -> str:
    """An option as numpydoc has it."""
    option = option_of(name, door.name)
    text = f"{option.meaning} {option.more}" if at_home and option.more else option.meaning
    return f"{name} : {kind_of(option)}\n{textwrap.indent(textwrap.fill(text, WIDTH - 12), '    ')}"


def kind_of(option: Option) -> str:
    """The type of an option, with its default."""
    words = ", ".join(f'"{word}"' for word in option.choices)
    kind = option.type or (f"{{{words}}}" if words else type(option.default).__name__)
    if option.default is REQUIRED or "optional" in kind or "default" in kind:
        return kind
    default = f'"{option.default}"' if isinstance(option.default, str) else option.default
    return f"{kind}, default {default}"


def written(door: Door, docstring: str, home: dict[tuple[str, Option], str]) -> str:
    """The docstring with the options that the table has."""
    section = SECTION.search(docstring)
    if section is None:
        raise SystemExit(f"{door.name} has no parameters in its docstring")
    indent = section[2]
    options = door.options
    entries = re.split(r"\n(?=\S)", textwrap.dedent(section["body"]))
    kept = [one for one in entries if re.split(r"\W", one)[0] not in options]
    kept += [
        entry(name, door, home[name, option_of(name, door.name)] == door.name) for name in options
    ]
    body = textwrap.indent("\n".join(one.rstrip() for one in kept), indent)
    return docstring[: section.start("body")] + body + docstring[section.end("body") :]


def changes() -> Iterator[tuple[Path, str, str, str]]:
    """File, door, docstring as it stands and as the table says, where these differ."""
    home = homes()
    for door in doors():
        if not door.options:
            continue
        plain = inspect.unwrap(getattr(door.function, "__func__", door.function))
        path = Path(inspect.getsourcefile(plain) or "")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name == plain.__name__:
                text = ast.get_docstring(node, clean=False)
                if text != plain.__doc__ or text is None:
                    continue
                new = written(door, text, home)
                if new != text:
                    yield path, door.name, text, new


def main() -> int:
    """Report or write."""
    write = "--write" in sys.argv[1:]
    found = list(changes())
    for path, door, old, new in found:
        print(door)
        if write:
            text = path.read_text(encoding="utf-8")
            if text.count(old) != 1:
                raise SystemExit(f"{path}: the docstring of {door} is not there once, as it reads")
            path.write_text(text.replace(old, new), encoding="utf-8")
    return int(bool(found) and not write)


if __name__ == "__main__":
    raise SystemExit(main())
