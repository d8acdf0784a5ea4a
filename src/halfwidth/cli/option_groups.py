"""Options as the command line takes them: from the table, and as groups that verbs share."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import Any

import typer

from halfwidth.cli import completion
from halfwidth.cli.answer import Answer
from halfwidth.cli.completion import Completion
from halfwidth.core.option_names import Door, flag_of, spelled
from halfwidth.core.option_table.option import Group
from halfwidth.core.option_table.table import OPTIONS, option_of

# What docstrings mark as code, and within it an option with its value.
_MARKED = re.compile(r"``?([^`]+)``?")
_COMMANDS = {"halfwidth.METHODS": "'halfwidth methods'"}
_NAMES = {name.rpartition(".")[2] for name in OPTIONS}
_WITH_VALUE = re.compile(r'(\w+)="(\w+)"')


def declared(
    name: str,
    door: str = "",
    *,
    flags: tuple[str, ...] = (),
    meaning: str = "",
    more: str = "",
    completed: Completion | None = None,
    parser: Callable[[str], Any] | None = None,
) -> Any:
    """An option of the table (`option_of`), as the command line takes it.

    ``flags`` and ``meaning`` stand in for those of the table, for a flag that says the opposite;
    ``more`` is what the command line alone has: that it takes several.
    """
    option = option_of(name, door)
    text = meaning or as_typed(option.meaning)
    lists_choices = all(re.search(rf"\b{word}\b", text) for word in option.choices)
    one_of = "" if lists_choices else f"One of {', '.join(option.choices)}."
    return typer.Option(
        *(flags or (option.flag or flag_of(name),)),
        help=" ".join(part for part in (text, one_of, more) if part),
        metavar=option.metavar or None,
        rich_help_panel=option.group,
        autocompletion=completed or completion.words_for(name, option.choices),
        parser=parser,
    )


def by_metric(name: str, door: str = "") -> Any:
    """A number for all metrics, or one for each: ``0.02``, ``dsc=0.02,hd95=1``."""
    more = "Of several metrics METRIC=NUMBER, with commas."
    return declared(name, door, more=more, parser=_numbers)


def _numbers(text: Any) -> Any:
    """A number, or numbers by the names of metrics."""
    try:
        if "=" not in str(text):
            return float(text)
        pairs = [part.rpartition("=") for part in str(text).split(",")]
        return {name.strip(): float(number) for name, _, number in pairs}
    except ValueError:
        raise ValueError("Input should be a valid number or METRIC=NUMBER,") from None


def argument(text: str, metavar: str, *, completed: Completion | None = None) -> Any:
    """What a verb is about, by its place."""
    return typer.Argument(help=text, metavar=metavar, show_default=False, autocompletion=completed)


def option(
    text: str,
    metavar: str | None = None,
    group: Group | None = None,
    *,
    flags: tuple[str, ...] = (),
    completed: Completion | None = None,
) -> Any:
    """An option that the command line alone has; without ``flags`` its argument names it."""
    return typer.Option(
        *flags, help=text, metavar=metavar, rich_help_panel=group, autocompletion=completed
    )


def switch(name: str, text: str, group: Group | None = None) -> Any:
    """An option without a value: ``--name``, or ``--name/--no-name``."""
    return typer.Option(name, help=text, rich_help_panel=group)


def as_typed(text: str) -> str:
    """A text as the command line shows it, without the marks of docstrings.

    >>> as_typed('With ``missing="worst"`` and ``groups``; ``"omit"`` of `rank`.')
    'With --missing worst and --groups; omit of rank.'
    """
    return _MARKED.sub(lambda marked: _as_typed(marked[1]), text)


def _as_typed(code: str) -> str:
    if with_value := _WITH_VALUE.fullmatch(code):
        return spelled(*with_value.groups(), door=Door.COMMAND_LINE)
    if code in _NAMES:
        return flag_of(code)
    return _COMMANDS.get(code, code.strip('"'))


def with_options(*groups: Callable[..., None]) -> Callable[[Callable[..., Answer]], Any]:
    """Give a verb the options of groups behind its own; it finds them in its context.

    Parameters
    ----------
    *groups : callable
        Functions whose parameters are declared as those of a verb. They are never called.

    Examples
    --------
    >>> def naming(by: str = "model") -> None: ...
    >>> @with_options(naming)
    ... def verb(ctx, strict: bool = False): ...
    >>> list(inspect.signature(verb).parameters)
    ['ctx', 'strict', 'by']
    """

    def decorate(verb: Callable[..., Answer]) -> Any:
        own = inspect.signature(verb, eval_str=True).parameters
        shared = [inspect.signature(group, eval_str=True).parameters for group in groups]
        parameters = [*own.values(), *(one for group in shared for one in group.values())]

        @functools.wraps(verb)
        def called(**params: Any) -> Answer:
            return verb(**{name: params[name] for name in own})

        # The parser reads these, and not what is wrapped.
        called.__dict__["__signature__"] = inspect.Signature(parameters, return_annotation=Answer)
        annotations = {one.name: one.annotation for one in parameters}
        called.__annotations__ = {**annotations, "return": Answer}
        return called

    return decorate


def names_in(*groups: Callable[..., None]) -> tuple[str, ...]:
    """The names of the options of groups."""
    return tuple(name for group in groups for name in inspect.signature(group).parameters)
