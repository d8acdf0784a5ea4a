"""``halfwidth explain``: what a caution means and what to do about it."""

from __future__ import annotations

import textwrap
from typing import Annotated

import typer

from halfwidth.cli import completion
from halfwidth.cli.output import write
from halfwidth.core.cautions import CAUTIONS, CautionSpec
from halfwidth.core.cautions import explain as look_up
from halfwidth.core.references import cite
from halfwidth.report import page


def explain(
    code: Annotated[
        str | None,
        typer.Argument(
            help="Code of a caution, for example HW201.",
            metavar="[CODE]",
            autocompletion=completion.cautions,
        ),
    ] = None,
) -> None:
    """Say what a caution means and what to do about it; without a code, list all.

    \b
    halfwidth explain
    halfwidth explain HW201
    """
    if code is None:
        write("".join(f"{spec.code}  {spec.title}\n" for spec in CAUTIONS))
        return
    write(_in_full(look_up(code)) + "\n")


def _in_full(spec: CautionSpec) -> str:
    parts = [
        f"{spec.code}: {spec.title}",
        "\n".join(textwrap.wrap(spec.meaning, page.width())),
        "\n".join(textwrap.wrap(f"What to do: {spec.remedy}", page.width())),
    ]
    if spec.source:
        source = textwrap.wrap(f"Source: {cite(spec.source)}", page.width(), break_long_words=False)
        parts.append("\n".join(source))
    parts.append(f"Documentation: {spec.anchor}")
    return "\n\n".join(parts)
