"""Entry point of the command line, and what it does with errors.

Data go to stdout, chatter to stderr. Exit status: 0 ok, 2 wrong usage or bad input, 1 internal
error, 3 with ``--strict`` when a caution was raised, 130 interrupted.
"""

from __future__ import annotations

import sys
import traceback
from typing import Any

import typer
from typer._click.exceptions import ClickException, NoArgsIsHelpError

import halfwidth
from halfwidth.cli import ci, demo, explain, methods, plan, review, runs, score, study
from halfwidth.cli.output import InterruptToldError, note
from halfwidth.core.errors import HalfwidthError

__all__ = ["app", "main"]

INTERRUPTED = 130
# Verbs of plan that read a file.
FILES_OF_PLAN = ("--pilot", "--subsample")

app = typer.Typer(
    name="halfwidth",
    help="How far to trust a performance number: confidence intervals for the metrics of trained "
    "models, and the reasons to doubt them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 96},
)
app.command("ci", short_help="Intervals for per-case values, or for a test set.")(ci.ci)
app.command("score", short_help="A per-case table from two folders of masks.")(score.score)
app.command("runs", short_help="Quantiles of a metric over training runs.")(runs.runs)
app.add_typer(plan.app, name="plan", short_help="How many cases a study needs.")
app.command("review", short_help="Intervals that published numbers should have had.")(review.review)
app.add_typer(study.app, name="study", short_help="Coverage and width of CI methods by simulation.")
app.command("methods", short_help="The CI methods and when to use which.")(methods.methods)
app.command("explain", short_help="What a caution means and what to do.")(explain.explain)
app.command("demo", short_help="Three small models on real data.")(demo.demo)


def _show_version(value: bool) -> None:
    if value:
        typer.echo(f"halfwidth {halfwidth.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    """Options of the whole command."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its status."""
    given = sys.argv[1:] if arguments is None else arguments
    sys.exit(_status(_spelled_out(given)))


def _spelled_out(arguments: list[str]) -> list[str]:
    """``plan --pilot FILE ...`` as ``plan pilot FILE ...``: a verb of plan may be an option too."""
    for place, argument in enumerate(arguments[1:3], start=1):
        name, equals, file = argument.partition("=")
        if arguments[0] == "plan" and name in FILES_OF_PLAN:
            rest = [*arguments[1:place], *arguments[place + 1 :]]
            return ["plan", name.removeprefix("--"), *([file] if equals else []), *rest]
    return arguments


def _status(arguments: list[str]) -> int:
    debug = "--debug" in arguments
    try:
        result: Any = app(args=arguments, prog_name="halfwidth", standalone_mode=False)
    except NoArgsIsHelpError as error:
        error.show()
        return 2
    except ClickException as error:
        note(_usage(error, arguments))
        return 2
    except HalfwidthError as error:
        if debug:
            traceback.print_exc()
        note(str(error))
        return 2
    except InterruptToldError:
        return INTERRUPTED
    except (KeyboardInterrupt, typer.Abort):
        note("interrupted")
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 -- whatever is left is a fault of ours
        if debug:
            traceback.print_exc()
        note(
            f"internal error: {type(error).__name__}: {error}. "
            "Run again with --debug and report what it prints"
        )
        return 1
    if result == INTERRUPTED:
        # The parser turns an interrupt into this status, without a word.
        note("interrupted")
    return result if isinstance(result, int) else 0


def _usage(error: ClickException, arguments: list[str]) -> str:
    """One line for a wrong option or command; the parser names the nearest right ones."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "halfwidth"
    message = " ".join(error.format_message().split())
    given = _value_given(error, arguments)
    if given is not None:
        message = f"{given} is not what the option takes: {message}"
    stop = "" if message.endswith("?") else "."
    return f"{message.rstrip('.')}{stop} Try '{command} --help'."


def _value_given(error: ClickException, arguments: list[str]) -> str | None:
    """What was typed for the option that could not be converted."""
    parameter = getattr(error, "param", None)
    for name in getattr(parameter, "opts", ()):
        for position, argument in enumerate(arguments):
            if argument == name and position + 1 < len(arguments):
                return f"{name} {arguments[position + 1]}"
            if argument.startswith(f"{name}="):
                return argument
    return None
