"""Write the parameters in the docstrings of public functions from the table of options.

    python tools/options.py            # which docstrings differ from the table
    python tools/options.py --write    # make them what the table says

What is given by position (data, values) keeps the words that it has; every option behind the star
gets those of the table, `halfwidth.core.option_table`. The reference says more where an option is
at home: at the first verb, kind of data, function or plan that has it.
"""

from __future__ import annotations

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
SHORT = ("summary_ci", "metric_ci")
KINDS = ("CaseValues", "Predictions", "Detections", "Readings")
SECTION = re.compile(r"\n( *)Parameters\n *-+\n.*?(?=\n\n\1\w|\Z)", re.DOTALL)


class Door(NamedTuple):
    """A public function, or a constructor of a kind of data."""

    name: str
    function: Callable[..., Any]
    group: str

    @property
    def options(self) -> list[str]:
        """What it takes behind the star."""
        given = inspect.signature(self.function).parameters.values()
        is_value = inspect.isclass(self.function)
        return [one.name for one in given if is_value or one.kind is one.KEYWORD_ONLY]


def doors() -> Iterator[Door]:
    """All of them, verbs first: the first that has an option is where it is at home."""
    for verb in VERBS:
        if verb in hw.__all__:
            yield Door(verb, getattr(hw, verb), "verbs")
    yield Door("Matching", hw.Matching, "data")
    for kind in KINDS:
        for name, one in vars(getattr(hw, kind, object)).items():
            if name.startswith("from_") and isinstance(one, classmethod):
                yield Door(f"{kind}.{name}", getattr(getattr(hw, kind), name), "data")
    for name in (*SHORT, *sorted({*hw.__all__} - {*VERBS, *SHORT})):
        if inspect.isfunction(one := getattr(hw, name)):
            yield Door(name, one, "functions")
    for name in planning.__all__:
        if inspect.isfunction(one := getattr(planning, name)):
            yield Door(f"planning.{name}", one, "plans")


def homes() -> set[tuple[str, str]]:
    """Doors and options of which the reference says all: the first of their group."""
    first: dict[tuple[str, str, Option], tuple[str, str]] = {}
    for door in doors():
        for name in door.options:
            option = option_of(name, door.name)
            first.setdefault((door.group, name, option), (door.name, name))
    return set(first.values())


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


def parameters(docstring: str) -> str:
    """The section of a docstring."""
    section = SECTION.search(docstring)
    if section is None:
        raise SystemExit(f"no parameters in {docstring[:60]!r}")
    return section[0]


def written(door: Door, section: str, home: set[tuple[str, str]]) -> str:
    """The parameters of a door with the options that the table has."""
    head, body = section[: section.index("--\n") + 3], section[section.index("--\n") + 3 :]
    options = door.options
    entries = re.split(r"\n(?=\S)", textwrap.dedent(body))
    # What comes by position keeps its words; what the function no longer takes goes.
    by_position = {*inspect.signature(door.function).parameters} - {*options}
    kept = [one for one in entries if re.split(r"\W", one.lstrip("*"))[0] in by_position]
    kept += [entry(name, door, (door.name, name) in home) for name in options]
    indent = " " * (len(head) - len(head.lstrip()) - 1)
    return head + textwrap.indent("\n".join(one.rstrip() for one in kept), indent)


def changes() -> Iterator[tuple[Path, str, str, str]]:
    """File, door, its parameters as they stand and as the table says, where these differ."""
    home = homes()
    for door in doors():
        plain = inspect.unwrap(getattr(door.function, "__func__", door.function))
        if not door.options or plain.__doc__ is None:
            continue
        old = parameters(plain.__doc__)
        new = written(door, old, home)
        if old != new:
            yield Path(inspect.getsourcefile(plain) or ""), door.name, old, new


def main() -> int:
    """Report or write."""
    write = "--write" in sys.argv[1:]
    found = list(changes())
    for path, door, old, new in found:
        print(door)
        if write:
            text = path.read_text(encoding="utf-8")
            if text.count(old) != 1:
                raise SystemExit(
                    f"{path}: the parameters of {door} are not there once, as they read"
                )
            path.write_text(text.replace(old, new), encoding="utf-8")
    return int(bool(found) and not write)


if __name__ == "__main__":
    raise SystemExit(main())
