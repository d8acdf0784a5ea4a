"""How every verb shows its help: options in named groups, plain text, 80 columns."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup
from typer.main import get_command

from halfwidth.cli.answer import Answer
from halfwidth.cli.kept_inputs import refuse_inputs
from halfwidth.core.errors import OptionError
from halfwidth.core.option_table.option import Group


class Verbs(TyperGroup):
    """The command, or a verb that holds further ones."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Show the help where no verb is named, which is wrong usage."""
        if not args and not ctx.resilient_parsing:
            typer.echo(ctx.get_help(), err=True, color=ctx.color)
            raise typer.Exit(2)
        return super().parse_args(ctx, args)


# Settings of these. Escape codes have no place in the output, whatever the terminal: it may be
# piped or logged.
SETTINGS: dict[str, Any] = {
    "cls": Verbs,
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
    "context_settings": {
        "help_option_names": ["-h", "--help"],
        "max_content_width": 96,
        "color": False,
    },
}
# Several numbers that are none with a decimal comma.
NUMBERS = re.compile(r"\d*\.\d+(,\d*\.\d+)+")
# What the parser makes of an argument that is required, and of one that may be repeated.
_BRACED = re.compile(r"^\{(.*)\}(?:\.\.\.)?$")
# The type of an argument in Python's words, after its name.
_TYPE = re.compile(r" <.*>$")
# Options that many verbs have, in the order in which every help lists them: within their group,
# and behind what the verb alone has.
USUAL = (
    *("--case", "--where", "--scale", "--missing", "--penalty"),
    *("--sheet", "--decimal", "--header", "--input-format", "--path", "--filter"),
    *("--method", "--failures", "--confidence-level", "--simultaneous", "--alternative"),
    *("--n-samples", "--n-resamples", "--seed"),
)
# Longer names of options have their help on the next line.
NAMES_WIDTH = 26


def _everywhere(
    quiet: Annotated[
        bool,
        typer.Option("--quiet", help="No notes and progress on stderr; errors and cautions still."),
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show a traceback on errors.")] = False,
) -> None:
    """Options of every verb; `halfwidth.cli.main` acts on them."""


@functools.cache
def _common_params() -> tuple[Any, ...]:
    """The parsed options of every verb, which no verb takes as an argument."""
    app = typer.Typer(add_completion=False)
    app.command()(_everywhere)
    params = get_command(app).params
    for param in params:
        param.expose_value = False
    return tuple(params)


class RepeatedOptionError(typer.BadParameter):
    """An option that takes one value is given several times."""

    def format_message(self) -> str:
        """The message as it is."""
        return self.message


class Verb(TyperCommand):
    """A command whose help groups its options, and that takes the options of every verb.

    The parser's own types of contexts, parameters and formatters are private to it.
    """

    def __init__(self, name: str | None, *, params: list[Any] | None = None, **rest: Any) -> None:
        # The parser keeps the names of the help option from the first context it meets, so that
        # a verb without its command must have them too.
        rest["context_settings"] = SETTINGS["context_settings"] | (rest["context_settings"] or {})
        super().__init__(name, params=[*(params or []), *_common_params()], **rest)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse an option that takes one value and is given several times."""
        args = list(_as_declared(args, self.get_params(ctx)))
        options = self.make_parser(ctx).parse_args(args=list(args))[2]
        for param in dict.fromkeys(options):
            one = not (isinstance(param, TyperArgument) or getattr(param, "multiple", False))
            if one and options.count(param) > 1 and not getattr(param, "is_flag", False):
                name = max(param.opts, key=len)
                times = options.count(param)
                raise RepeatedOptionError(f"{name} is given {times} times; give one", ctx)
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Arguments by their names; the parser would put those that are required into braces."""
        return [_BRACED.sub(r"\1", piece) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options group by group, all in the same two columns."""
        groups: dict[str, list[tuple[str, str]]] = {group: [] for group in Group}
        for param in sorted(self.get_params(ctx), key=_place):
            record = param.get_help_record(ctx)
            if record is not None:
                name, text = record
                groups[_group_of(param)].append((_TYPE.sub("", name), text))
        names = [name for records in groups.values() for name, _ in records]
        width = max(len(name) for name in names if len(name) <= NAMES_WIDTH)
        for group, records in groups.items():
            if records:
                with formatter.section(group):
                    rows = [(name.ljust(width), text) for name, text in records]
                    formatter.write_dl(rows, col_max=width)

    def invoke(self, ctx: Any) -> int:
        """Run the verb and show its answer, no wider than the terminal; the exit status."""
        refuse_inputs(ctx)
        answer: Answer = super().invoke(ctx)
        answer.show()
        return answer.status


def _as_declared(args: Iterable[str], params: Iterable[Any]) -> Iterator[str]:
    """What was typed, with ``--half-width`` in one word, and ``0.5,0.9`` as a number each time.

    ``0,5`` may be a number with a decimal comma, and is left to who reads it.
    """
    flags = {flag: param for param in params for flag in param.opts}
    several = {
        flag
        for flag, param in flags.items()
        if getattr(getattr(param, "type_descriptor", None), "annotation", None) == list[float]
    }
    before = ""
    for arg in args:
        name, equals, value = arg.partition("=")
        joined = name.replace("half-width", "halfwidth")
        option = joined if name not in flags and joined in flags else name
        flag, numbers = (before, arg) if before in several else (option, value)
        if flag in several and NUMBERS.fullmatch(numbers):
            first, *others = numbers.split(",")
            yield first if flag == before else f"{flag}={first}"
            yield from (f"{flag}={one}" for one in others)
        else:
            yield f"{option}{equals}{value}"
        before = "" if equals else option


def _place(param: Any) -> int:
    """Where an option stands in its group: first what is declared there, then the usual ones."""
    return next((USUAL.index(name) for name in param.opts if name in USUAL), -1)


def _group_of(param: Any) -> Group:
    """The group that an option was declared with."""
    if isinstance(param, TyperArgument):
        return Group.ARGUMENTS
    return Group(getattr(param, "rich_help_panel", None) or Group.OPTIONS)


def is_given(ctx: typer.Context, name: str) -> bool:
    """Whether an option stands on the command line, as its default or not."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def refuse_given(ctx: typer.Context, names: Iterable[str], why: str) -> None:
    """Refuse options that would be ignored."""
    called = {
        param.name: next((flag for flag in param.opts if flag.startswith("--")), param.opts[0])
        for param in ctx.command.params
    }
    for name in names:
        if is_given(ctx, name):
            raise OptionError(f"{called[name]} {why}")
