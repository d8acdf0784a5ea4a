"""Entry point of the command line, and what it does with errors.

Data go to stdout, chatter to stderr. Exit status: 0 ok, 2 wrong usage, bad input or
what the system refuses, 1 internal error, 3 with ``--strict`` when a caution was raised, 130
interrupted; of ``gate`` also 4 where the new model is worse by the margin and 5 where there are too
few cases to say.
"""

from __future__ import annotations

import errno
import functools
import importlib
import os
import re
import shlex
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperArgument

import halfwidth
from halfwidth.cli.command import SETTINGS, Verb
from halfwidth.cli.output import (
    InterruptReportedError,
    complain,
    give_up_stdout,
    lacking_letters_noted,
    quietly,
)
from halfwidth.cli.wrong_options import proposal
from halfwidth.core.branches import brought
from halfwidth.core.errors import HalfwidthError, one_line
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import Door, through

INTERRUPTED = 130
# How a full device and a closed stream refuse what is printed.
OF_STDOUT = (errno.ENOSPC, errno.EBADF)
# Verbs of plan that read a file.
FILES_OF_PLAN = ("--pilot", "--subsample")
# Verbs of Python and words of others, and the command that does what they say.
OTHER_VERBS = {
    **dict.fromkeys(("estimate", "interval", "summary"), "'halfwidth ci FILE' estimates"),
    **dict.fromkeys(
        ("curve", "curves", "roc", "pr", "froc", "confusion"),
        "'halfwidth ci FILE --target COLUMN --score COLUMN --plot PICTURE --plot-kind roc' draws "
        "curves and tables of classes, 'halfwidth detect' has those of detections",
    ),
    **dict.fromkeys(
        ("plot", "draw", "figure"),
        "each command draws what it finds: --plot PICTURE; 'halfwidth report FILE' draws all",
    ),
    **dict.fromkeys(
        ("readers", "readings", "raters", "agreement"),
        "'halfwidth compare FILE --model NAME --rater NAME --rater NAME' compares a model with its "
        "raters",
    ),
    "read": "each command reads its files; 'halfwidth check FILE' says how a table is read",
    **dict.fromkeys(
        ("calibration", "calibration-test"),
        "'halfwidth ci FILE --target COLUMN --score COLUMN --calibration-test spiegelhalter' tests "
        "it, and --metric calibration_slope estimates it",
    ),
}
# Options of test sets and of detections, which some verbs have no use for.
OF_PREDICTIONS = ("--target", "--score", "--prediction", "--references")
# What the parser says of a verb that does not exist, as everything else that does not.
_NO_COMMAND = re.compile(r"^No such command ('.*')\.(?: Did you mean (.*)\?)?$")
_NO_OPTION = re.compile(r"No such option: ")
_EXTRA_ARGUMENTS = re.compile(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)\.?")
# The parser says it twice, and names itself.
_TAKES = re.compile(r".*Input should be a valid ([\w= ]+),.*")

SUMMARY = (
    "How far to trust a performance number: confidence intervals for the metrics of trained "
    "models, and the reasons to doubt them."
)


@frozen
class Entry:
    """A verb, or a group of verbs, and where it is defined: ``module:attribute``."""

    home: str
    short_help: str

    def add_to(self, app: typer.Typer, name: str) -> None:
        """Import the verb and declare it."""
        module, _, attribute = self.home.partition(":")
        verb = getattr(importlib.import_module(module), attribute)
        if isinstance(verb, typer.Typer):
            app.add_typer(verb, name=name, short_help=self.short_help)
        else:
            from halfwidth.cli.epilogs import epilog_of  # which names all metrics

            epilog = epilog_of(name)
            app.command(name, short_help=self.short_help, epilog=epilog, cls=Verb)(verb)


VERBS = {
    "ci": Entry("halfwidth.cli.ci:ci", "Intervals for per-case values, or for a test set."),
    **{name: Entry(*told) for verbs in brought("VERBS") for name, told in verbs.items()},
    "score": Entry("halfwidth.cli.score:score", "A per-case table from two folders of masks."),
    "check": Entry("halfwidth.cli.check:check", "What is wrong with a table of results."),
    "compare": Entry(
        "halfwidth.cli.compare:compare", "How two or more models differ, with intervals."
    ),
    "rank": Entry("halfwidth.cli.rank:rank", "The order of several models, and how sure it is."),
    "gate": Entry("halfwidth.cli.gate:gate", "Whether a new model is worse by a margin."),
    "runs": Entry("halfwidth.cli.runs:runs", "Quantiles of a metric over training runs."),
    "convert": Entry("halfwidth.cli.convert:convert", "Results of other programs as a table."),
    "report": Entry("halfwidth.cli.report:report", "Everything about some results on one page."),
    "review": Entry(
        "halfwidth.cli.review:review", "Intervals that published numbers should have had."
    ),
    "methods": Entry("halfwidth.cli.methods:methods", "The CI methods and when to use which."),
    "explain": Entry("halfwidth.cli.explain:explain", "What a caution means and what to do."),
    "demo": Entry("halfwidth.cli.demo:demo", "From masks and models to a report, on small data."),
    "doctor": Entry(
        "halfwidth.cli.doctor:doctor", "What is installed and what runs, for a report."
    ),
    "plan": Entry("halfwidth.cli.plan:app", "How many cases a study needs."),
    "study": Entry("halfwidth.cli.study:app", "Coverage and width of CI methods by simulation."),
}


def _show_version(value: bool) -> None:
    if value:
        from halfwidth.resampling.kernels import native

        typer.echo(f"halfwidth {halfwidth.__version__} ({native.status()})")
        raise typer.Exit


def _root(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    """Options of the whole command."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    sys.exit(status_of(arguments))


@functools.cache
def command(verb: str | None = None) -> Any:
    """The parser of all verbs with their options, or of one; put together once in a process."""
    app = _without_verbs()
    for name in VERBS if verb is None else (verb,):
        VERBS[name].add_to(app, name)
    return typer.main.get_command(app)


def _without_verbs() -> typer.Typer:
    return typer.Typer(name="halfwidth", help=SUMMARY, callback=_root, **SETTINGS)


@functools.cache
def _list_of_verbs() -> Any:
    """The parser of a call without a verb, which lists them or corrects a misspelt one.

    It knows their names alone: importing them all takes longer than everything else that it does.
    """
    app = _without_verbs()
    for name, entry in VERBS.items():
        app.command(name, short_help=entry.short_help)(lambda: None)
    return typer.main.get_command(app)


def _called(arguments: Sequence[str]) -> str | None:
    """The verb that the arguments begin with; a shell that completes hands over a line instead."""
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS")
    if line and "_HALFWIDTH_COMPLETE" in os.environ:
        arguments = line.split()[1:]
    first = next((one for one in arguments if one != "--"), "")
    return first if first in VERBS else None


def _spelled_out(arguments: list[str]) -> list[str]:
    """``plan --pilot FILE ...`` as ``plan pilot FILE ...``: a verb of plan may be an option too."""
    for place, argument in enumerate(arguments[1:3], start=1):
        name, equals, file = argument.partition("=")
        # After a verb of plan it is an option of that one: plan difference --pilot FILE.
        first = all(one.startswith("-") for one in arguments[1:place])
        if arguments[0] == "plan" and name in FILES_OF_PLAN and first:
            rest = [*arguments[1:place], *arguments[place + 1 :]]
            return ["plan", name.removeprefix("--"), *([file] if equals else []), *rest]
    return arguments


def status_of(arguments: list[str]) -> int:
    """Run one command in this process, and return its exit status."""
    arguments = _spelled_out(arguments)
    debug = "--debug" in arguments
    try:
        with (
            through(Door.COMMAND_LINE),
            quietly("--quiet" in arguments),
            lacking_letters_noted(),
        ):
            result = _result_of(arguments)
    except typer.TyperException as error:
        complain(_usage(error, arguments))
        return 2
    except InterruptReportedError:
        return INTERRUPTED
    except (KeyboardInterrupt, typer.Abort):
        complain("interrupted")
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 -- whatever it is, it is told in one line
        if debug:
            traceback.print_exc()
        text, status = _message_and_status(error, arguments)
        complain(text)
        return status
    if result == INTERRUPTED:
        # The parser turns an interrupt into this status, without a word.
        complain("interrupted")
    return result if isinstance(result, int) else 0


def _result_of(arguments: list[str]) -> Any:
    verb = _called(arguments)
    parser = command(verb) if verb else _list_of_verbs()
    try:
        # What was typed is kept for those who report it.
        return parser(
            args=arguments, prog_name="halfwidth", standalone_mode=False, obj=tuple(arguments)
        )
    except SystemExit:
        # So the parser ends where the reader of its help has gone away ('| head').
        return 0
    except OSError as error:
        # Help, which the parser prints itself: what is written to files has its own errors.
        if error.errno in OF_STDOUT:
            give_up_stdout(error)
        raise


def _message_and_status(error: Exception, arguments: list[str]) -> tuple[str, int]:
    """What was wrong, in a sentence, and the exit status."""
    if isinstance(error, HalfwidthError):
        return str(error), 2
    if isinstance(error, OSError):
        named = "" if error.filename is None else f"{error.filename}: "
        too_long = error.errno == errno.ENAMETOOLONG
        why = "the name is too long for a file" if too_long else error.strerror or one_line(error)
        return f"{named}{why}", 2
    if isinstance(error, MemoryError):
        # NumPy says how much it was to be.
        how_much = f" ({one_line(error)})" if str(error) else ""
        command_line = shlex.join(["halfwidth", *arguments])
        remedy = "take fewer cases at a time, fewer --n-resamples or fewer --jobs"
        return f"there is not enough memory for '{command_line}'{how_much}; {remedy}", 2
    # Whatever is left is a fault of ours.
    internal = f"internal error: {type(error).__name__}: {error}"
    return f"{internal}. Run again with --debug and report what it prints", 1


def _usage(error: typer.TyperException, arguments: list[str]) -> str:
    """One line for a wrong option or command; the parser names the nearest right commands."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "halfwidth"
    message = " ".join(error.format_message().split())
    message = _NO_COMMAND.sub(lambda match: _no_command_text(match, command), message)
    # Of what is missing the parser has nothing more to say.
    if isinstance(error, typer.BadParameter) and error.param and not error.message:
        message = _missing_text(error.param)
    if extra := _EXTRA_ARGUMENTS.fullmatch(message):
        message = f"too many arguments: {extra[1]}"
    unknown = getattr(error, "option_name", "") if _NO_OPTION.match(message) else ""
    if unknown and context:
        message = _unknown_option_text(unknown, context, arguments)
    typed = _typed_value(error, arguments)
    if typed is not None:
        takes = _number_meant(typed) or _TAKES.sub(r"a valid \1", message)
        if "," in typed and getattr(getattr(error, "param", None), "multiple", False):
            takes += ", and repeat the option for several"
        message = f"{typed} is not what the option takes: {takes}"
    stop = "" if message.endswith("?") else "."
    return f"{message.rstrip('.')}{stop} Try '{command} --help'."


def _no_command_text(match: re.Match[str], command: str) -> str:
    name = match[1].strip("'")
    if command == "halfwidth plan" and Path(name).suffix:
        return f"no command {match[1]}: a table is a pilot, 'halfwidth plan pilot FILE'"
    if command == "halfwidth" and (hint := OTHER_VERBS.get(name)):
        return f"no command {match[1]}: {hint}"
    return f"no command {match[1]}" + (f"; did you mean {match[2]}?" if match[2] else "")


def _missing_text(param: Any) -> str:
    """An argument or option that is required, and what it is."""
    name = param.metavar if isinstance(param, TyperArgument) else max(param.opts, key=len)
    # An abbreviation, such as SD, keeps its capitals.
    first, rest = param.help[:1], param.help[1:]
    return f"{name} is missing: {first if rest[:1].isupper() else first.lower()}{rest}"


def _unknown_option_text(typed: str, context: typer.Context, arguments: list[str]) -> str:
    """What was typed, and the option that was meant."""
    known = [name for param in context.command.get_params(context) for name in param.opts]
    meant = proposal(typed, _typed_for([typed], arguments), known)
    if context.info_name in ("check", "pilot") and typed in OF_PREDICTIONS:
        return (
            f"no option {typed}: this command takes values of cases alone; predictions and "
            "detections go to 'halfwidth ci' and 'halfwidth detect', which check them"
        )
    within = getattr(context.command, "commands", {})
    having = (name for name, one in within.items() if any(typed in p.opts for p in one.params))
    owner = next(having, None)
    if owner is not None:
        meant = f"'{context.command_path} {owner} {typed} ...'"
        return f"no option {typed} before a verb; did you mean {meant}?"
    return f"no option {typed}" + (f"; did you mean {meant}?" if meant else "")


def _typed_value(error: typer.TyperException, arguments: list[str]) -> str | None:
    """The option that could not be converted, with what was typed for it."""
    names: Sequence[str] = getattr(getattr(error, "param", None), "opts", ())
    value = _typed_for(names, arguments)
    return None if value is None else f"{names[-1]} {value}"


def _number_meant(typed: str) -> str | None:
    """How to write a number that was given in per cent or with a decimal comma."""
    text = typed.rsplit(maxsplit=1)[-1]
    try:
        if text.endswith("%"):
            return f"write {float(text.removesuffix('%')) / 100:g} for {text}"
        return f"write {float(text.replace(',', '.')):g} for {text}" if "," in text else None
    except ValueError:
        return None


def _typed_for(names: Sequence[str], arguments: list[str]) -> str | None:
    """What stands after an option, if it is there."""
    for position, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        if name in names:
            return value if equals else next(iter(arguments[position + 1 :]), None)
    return None
