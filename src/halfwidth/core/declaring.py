"""How a declaration travels: a spec is attached to the function that it is about."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from types import ModuleType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
_SPEC = "__halfwidth_spec__"
# Listed after those whose place is declared.
LAST = 9


def attach(function: F, spec: object) -> F:
    """Attach a spec to a function, and return the function."""
    setattr(function, _SPEC, spec)
    return function


def spec_of(function: Callable[..., Any]) -> Any:
    """The spec that a decorator attached to a function, or None."""
    return getattr(function, _SPEC, None)


def specs_of(family: ModuleType) -> tuple[Any, ...]:
    """The specs of what a module declares, in its order."""
    return tuple(spec_of(function) for function in family.DECLARED)


def pickled(spec: Any) -> tuple[Any, ...]:
    """What a spec is pickled as: the function that carries it, so that it stays the same spec."""
    if spec_of(spec.function) is spec:
        return spec_of, (spec.function,)
    return type(spec), tuple(getattr(spec, f.name) for f in fields(spec))


def first_line(function: Callable[..., Any]) -> str:
    """The first line of a function's docstring."""
    return (function.__doc__ or "").strip().partition("\n")[0]


_HEADING = re.compile(r"^ *\w[\w ]*\n *-{3,}\n", re.MULTILINE)
# Marks of code, and what only those who read the source can follow.
_MARKS = re.compile(r"`+| \(decision \d{4}\)")


def definition(function: Callable[..., Any]) -> str:
    """What a function's docstring says before its first heading: the formula, mostly.

    >>> def double(x):
    ...     '''Twice x.
    ...
    ...     ``x + x``.
    ...     '''
    >>> definition(double)
    'Twice x. x + x.'
    """
    head = _HEADING.split(function.__doc__ or "")[0]
    return " ".join(_MARKS.sub("", head).split())
