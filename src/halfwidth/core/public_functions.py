"""Public functions that answer an option of another library with their own name for it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, cast

from halfwidth.core.errors import OptionError, closest, shortened
from halfwidth.core.option_table.data import MATCHING
from halfwidth.core.option_table.option import Group, Option
from halfwidth.core.option_table.table import OPTIONS
from halfwidth.core.options import flag_of

F = TypeVar("F", bound=Callable[..., Any])
# Options that describe data and are given where these are made, and the kinds that take them.
OF_DATA = {
    "CaseValues": "value values scale over penalty failures",
    "CaseValues, Predictions": "bounds",
    "CaseValues, Predictions, Readings": "by case missing model",
    "CaseValues, Predictions, Detections, Readings": "groups strata",
    "Predictions": "y_true target prediction scores threshold costs priors sample_weight",
    "Predictions, Readings": "labels pos_label",
    "Predictions, Detections, Readings": "absent_class undefined",
    "Readings": "ratings raters reader readers modality truth label",
    "Detections": "references classes unknown_images matching",
}
# Options of the matching of detections, which is one value.
OF_MATCHING = {
    name.rpartition(".")[2]: one for name, one in MATCHING.items() if one.group is Group.MATCHING
}


class UnknownOptionError(OptionError, TypeError):
    """A keyword that a function does not take; Python's own error for it is a `TypeError`."""


def public_function(function: Any, home: str, name: str) -> Any:
    """A function as users get it: an unknown keyword raises an error that names the right one.

    Anything but a plain function is returned unchanged.

    Parameters
    ----------
    function : object
    home, name : str
        The public module and the name under which users get it, by which it can be pickled.

    Examples
    --------
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
            raise UnknownOptionError(_unknown_option_text(name, unknown[0], options, names))
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
    given = inspect.signature(function).parameters.values()
    if any(one.kind is kinds.VAR_KEYWORD for one in given):
        return None
    return tuple(one.name for one in given if one.kind in named)


def _unknown_option_text(
    function: str, given: str, options: dict[str, Any], names: tuple[str, ...]
) -> str:
    text = f"{function}() has no option {given}"
    flag = f"--{given.replace('_', '-')}"
    option = next(
        (
            name
            for name in names
            if given in OPTIONS.get(name, Option()).elsewhere.split() or flag == flag_of(name)
        ),
        None,
    )
    if given == "alpha" and option is not None:
        return f"{text}; it is called {option}, which is 1 - alpha{_one_minus(options[given])}"
    if option is not None:
        return f"{text}; it is called {option}"
    part = next(
        (one for one, known in OF_MATCHING.items() if given in (one, *known.elsewhere.split())),
        None,
    )
    of_matching = f"matching={{{part!r}: ...}}"
    if part is not None and "matching" in names:
        return f"{text}; it is a part of how detections are matched: {of_matching}"
    kinds = [kinds for kinds, taken in OF_DATA.items() if given in taken.split()]
    kinds += [] if part is None else [f"Detections, {of_matching}"]
    if kinds and "data" in names:
        return f"{text}; it describes the data: give it where these are made ({' or '.join(kinds)})"
    nearest = closest(given, names)
    return f"{text}; did you mean {nearest}?" if nearest else f"{text}; it has {shortened(names)}"


def _one_minus(alpha: Any) -> str:
    """The level that goes with an alpha, where it is one."""
    usual = isinstance(alpha, float) and 0 < alpha < 1
    return f" ({1 - alpha:.10g})" if usual else ""
