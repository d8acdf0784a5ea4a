"""Public functions that answer an option of another library with their own name for it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, TypeVar, cast

from halfwidth.core.errors import OptionError, closest, shortened
from halfwidth.core.option_names import flag_of, spelled
from halfwidth.core.option_table.data import MATCHING
from halfwidth.core.option_table.option import Group, Option
from halfwidth.core.option_table.table import NOT_NEEDED, OPTIONS, SAID_BY

F = TypeVar("F", bound=Callable[..., Any])
# What verbs call the data that they take.
TAKES_DATA = {"data", "new"}
# Of the short doors, by what they take first: what takes all options of their data.
LONGER_ROADS = {
    ("y_true", "y_score"): (
        "Predictions",
        "estimate(Predictions.from_arrays(y_true, y_score{}), metric=...",
    ),
    ("values", "other"): (
        "CaseValues",
        "compare(CaseValues.from_arrays({{'A': values, 'B': other}}{})",
    ),
    ("values",): ("CaseValues", "estimate(CaseValues.from_arrays(values{})"),
}
# Options of the matching of detections, which is one value.
OF_MATCHING = {
    name.rpartition(".")[2]: one for name, one in MATCHING.items() if one.group is Group.MATCHING
}


class UnknownOptionError(OptionError, TypeError):
    """A keyword that a function does not take; Python's own error for it is a `TypeError`."""


def public_function(
    function: Any, home: str, name: str, kinds: Callable[[], Iterable[type]] = tuple
) -> Any:
    """A function as users get it: an unknown keyword raises an error that names the right one.

    It is pickled by the public module ``home`` and its name there. ``kinds`` returns the kinds of
    data, which an unknown keyword may describe. Anything but a plain function is returned
    unchanged.

    >>> def draw(n, *, rng=None): return n
    >>> public_function(draw, "halfwidth", "draw")(3, seed=1)
    Traceback (most recent call last):
    ...
    halfwidth.core.public_functions.UnknownOptionError: draw() has no option seed; it is called rng
    """
    if not isinstance(function, FunctionType):
        return function
    names = _keywords(function)
    if names is None:
        return function

    @functools.wraps(function)
    def checked(*args: Any, **options: Any) -> Any:
        unknown = [option for option in options if option not in names]
        if unknown:
            text = _unknown_option_text(name, unknown[0], options, names, kinds)
            raise UnknownOptionError(text)
        return function(*args, **options)

    checked.__module__, checked.__name__, checked.__qualname__ = home, name, name
    return checked


def checked_options(constructor: F) -> F:
    """A constructor of a class, to which an unknown keyword is no plain `TypeError`."""
    names = _keywords(constructor) or ()

    @functools.wraps(constructor)
    def checked(cls: type, /, *args: Any, **options: Any) -> Any:
        unknown = [option for option in options if option not in names]
        if unknown:
            name = f"{cls.__name__}.{constructor.__name__}"
            raise UnknownOptionError(_unknown_option_text(name, unknown[0], options, names[1:]))
        return constructor(cls, *args, **options)

    return cast("F", checked)


def _keywords(function: Callable[..., Any]) -> tuple[str, ...] | None:
    """The keywords that a function takes; None where it takes any."""
    kinds = inspect.Parameter
    named = (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY)
    parameters = inspect.signature(function).parameters.values()
    if any(one.kind is kinds.VAR_KEYWORD for one in parameters):
        return None
    return tuple(one.name for one in parameters if one.kind in named)


def _unknown_option_text(
    function: str,
    unknown: str,
    options: dict[str, Any],
    names: tuple[str, ...],
    kinds: Callable[[], Iterable[type]] = tuple,
) -> str:
    text = f"{function}() has no option {unknown}"
    flag = f"--{unknown.replace('_', '-')}"
    option = next(
        (
            name
            for name in names
            if unknown in OPTIONS.get(name, Option()).elsewhere.split() or flag == flag_of(name)
        ),
        None,
    )
    takes_data = bool(TAKES_DATA & {*names})
    not_needed = NOT_NEEDED.get(unknown) if takes_data else None
    if said := not_needed or _said_otherwise(unknown, names, kinds):
        return f"{text}; {said}"
    if unknown == "alpha" and option is not None:
        alpha = options[unknown]
        level = f" ({1 - alpha:.10g})" if isinstance(alpha, float) and 0 < alpha < 1 else ""
        return f"{text}; it is called {option}, which is 1 - alpha{level}"
    if option is not None:
        return f"{text}; it is called {option}"
    part = next(
        (one for one, known in OF_MATCHING.items() if unknown in (one, *known.elsewhere.split())),
        None,
    )
    matching = f"matching={{{part!r}: ...}}"
    if part is not None and "matching" in names:
        return f"{text}; it is part of the matching: {matching}"
    if takes_data:
        ours = {name for name, one in OPTIONS.items() if unknown in one.elsewhere.split()}
        called = {unknown} | ours
        options_of = {one.__name__: called & _options_of(one) for one in kinds()}
        known = set().union(*options_of.values())
        takers = ", ".join(kind for kind, options in options_of.items() if options)
        matched = "" if part is None else f"Detections, {matching}"
        if makers := " or ".join(filter(None, (takers, matched))):
            renamed = f"is called {min(known)} and " if known and unknown not in known else ""
            where = f"give it where these are made ({makers})"
            return f"{text}; it {renamed}describes the data: {where}"
    nearest = closest(unknown, names)
    return f"{text}; did you mean {nearest}?" if nearest else f"{text}; it has {shortened(names)}"


def _said_otherwise(
    unknown: str, names: tuple[str, ...], kinds: Callable[[], Iterable[type]]
) -> str:
    """What says the same, where an option is a value of another, or of a longer road."""
    said_by, value = SAID_BY.get(unknown, ("", ""))
    if said_by in names:
        return f"{spelled(said_by, value)} says so"
    if unknown in ("costs", "priors"):
        said = f"functools.partial(metrics.expected_cost, {unknown}=...)"
        return f"it is a parameter of the metric: {said}"
    door = next(
        (arguments for arguments in LONGER_ROADS if names[: len(arguments)] == arguments), ()
    )
    if not door:
        return ""
    kind, road = LONGER_ROADS[door]
    if any(one.__name__ == kind and unknown in _options_of(one) for one in kinds()):
        return f"{road.format(f', {unknown}=...')}) has it"
    if unknown in ("n_threads", *OPTIONS["n_threads"].elsewhere.split()):
        return f"{road.format('')}, n_threads=...) has it"
    return ""


def _options_of(kind: type) -> set[str]:
    """What the constructors of a kind of data take."""
    makers = [getattr(kind, name) for name in vars(kind) if name.startswith("from_")]
    return {name for maker in makers for name in _keywords(maker) or ()}
