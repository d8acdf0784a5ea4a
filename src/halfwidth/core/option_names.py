"""What options are called where they are given: in Python, on the command line, in a spec.

A message names an option by `spelled`, which writes it as whoever reads the message would give it:
``missing='omit'``, ``--missing omit`` or ``missing = "omit"``. So no message says twice what to do,
and nothing below the command line speaks of its flags. The door is known from the context, as a
language is to those who translate messages: an error that quotes another one, or comes from a
worker, has the right words without carrying marks for later. What is kept (cautions, notes of
results and documents) may be read at any door and has the words of both, by `spelled_both`.
"""

from __future__ import annotations

import contextlib
import json
import shlex
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from enum import Enum, StrEnum
from typing import Any

from halfwidth.core.errors import shown
from halfwidth.core.option_table.option import Option
from halfwidth.core.option_table.table import OPTIONS

LONGEST_VALUE = 60
# Of decimals: the last ones of 0.1 + 0.2 nobody typed.
DIGITS = 15


class Door(Enum):
    """Where options are given, and therefore messages read."""

    PYTHON = "an argument of a function"
    COMMAND_LINE = "an option of the command"
    SPEC = "a key of a study's spec"


_HERE: ContextVar[Door] = ContextVar("where options are given", default=Door.PYTHON)
_NONE = Option()
_NO_VALUE: Any = object()


@contextlib.contextmanager
def through(door: Door) -> Iterator[None]:
    """Spell options as they are given at a door; in Python, unless said otherwise.

    Not for a block that yields to a caller, who would be taken through the door as well.
    """
    before = _HERE.set(door)
    try:
        yield
    finally:
        _HERE.reset(before)


def current_door() -> Door:
    """Where the options of the work at hand were given."""
    return _HERE.get()


def flag_of(name: str) -> str:
    """The flag of an argument: ``--pos-label`` of ``pos_label``.

    >>> flag_of("pos_label"), flag_of("n_resamples"), flag_of("score.labels")
    ('--pos-label', '--n-resamples', '--label-names')
    """
    return _declared(name).flag or f"--{_argument(name).replace('_', '-')}"


def spelled(name: str, value: Any = _NO_VALUE, *, door: Door | None = None) -> str:
    """An option, with a value if one is given, as it is written where the user gives it.

    The verb may stand before the name where `OPTIONS` has an entry of both. Of a list the command
    line repeats the option; of a tuple it takes one with commas.

    >>> spelled("missing", "omit"), spelled("missing")
    ("missing='omit'", 'missing=')
    >>> with through(Door.COMMAND_LINE):
    ...     spelled("y_true"), spelled("unpaired", True), spelled("bounds", (0, 150))
    ('--target', '--unpaired', '--bounds 0,150')
    >>> spelled("pos_label", "ill", door=Door.SPEC)
    'positive = "ill"'
    """
    door = door or _HERE.get()
    if door is Door.COMMAND_LINE:
        return _on_command_line(name, value)
    if door is Door.SPEC:
        text = "..." if value is _NO_VALUE else _cut(_in_spec(value))
        return f"{_declared(name).key or _argument(name)} = {text}"
    return f"{_argument(name)}={'' if value is _NO_VALUE else _in_python(value)}"


def spelled_both(name: str, value: Any = _NO_VALUE) -> str:
    """An option for a text that is read at both doors.

    >>> spelled_both("missing", "omit")
    "missing='omit', --missing omit"
    """
    return ", ".join(spelled(name, value, door=one) for one in (Door.PYTHON, Door.COMMAND_LINE))


def at_door(python: str, command: str) -> str:
    """The text of the door that the user came in by: a call, or a command."""
    return command if _HERE.get() is Door.COMMAND_LINE else python


def _declared(name: str) -> Option:
    """The option of a verb, else of all; one without names of its own where it is not declared."""
    return OPTIONS.get(name) or OPTIONS.get(_argument(name)) or _NONE


def _argument(name: str) -> str:
    return name.rpartition(".")[2]


def _on_command_line(name: str, value: Any) -> str:
    flag = flag_of(name)
    if value is _NO_VALUE or value is True or value is None:
        return flag
    if value is False:
        return _declared(name).off or f"--no-{flag.removeprefix('--')}"
    if isinstance(value, list):
        return _cut(" ".join(f"{flag} {_typed(one)}" for one in value))
    return f"{flag} {_cut(_typed(value))}"


def _typed(value: Any) -> str:
    """A value as somebody types it in a shell."""
    if isinstance(value, Mapping):
        value = tuple(f"{key}={_plain(one)}" for key, one in value.items())
    text = ",".join(map(_plain, value)) if isinstance(value, tuple) else _plain(value)
    return shlex.quote(text)


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    # The parser makes 95.0 of the 95 that was typed.
    return f"{value:.{DIGITS}g}" if isinstance(value, float) else _in_python(value)


def _in_python(value: Any) -> str:
    if isinstance(value, StrEnum):
        return repr(str(value))
    if isinstance(value, float):
        return repr(float(f"{value:.{DIGITS}g}"))
    return shown(value, LONGEST_VALUE)


def _in_spec(value: Any) -> str:
    if isinstance(value, float):
        return _plain(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_in_spec, value))}]"
    return json.dumps(value, ensure_ascii=False, default=str)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}..."
