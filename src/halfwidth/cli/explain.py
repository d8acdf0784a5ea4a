"""``halfwidth explain``: what a caution means and what to do about it."""

from __future__ import annotations

from typing import Annotated

import typer

from halfwidth.cli import completion
from halfwidth.cli.answer import Answer
from halfwidth.core.cautions import CAUTIONS, CautionSpec
from halfwidth.core.cautions import explain as look_up
from halfwidth.core.references import cite
from halfwidth.report.document import Document, Heading, Item, Items, Paragraph


def explain(
    code: Annotated[
        str | None,
        typer.Argument(
            help="Code of a caution, for example HW201.",
            metavar="[CODE]",
            autocompletion=completion.cautions,
        ),
    ] = None,
) -> Answer:
    """Say what a caution means and what to do about it; without a code, list all.

    \b
    halfwidth explain
    halfwidth explain HW201
    """
    if code is None:
        items = tuple(Item(spec.code, spec.title, spec.code) for spec in CAUTIONS)
        return Answer(Document((Items(items),)))
    return Answer(_in_full(look_up(code)))


def _in_full(spec: CautionSpec) -> Document:
    texts = [spec.meaning, f"What to do: {spec.remedy}"]
    texts += [f"Source: {cite(spec.source)}"] if spec.source else []
    texts.append(f"Documentation: {spec.anchor}")
    return Document((Heading(f"{spec.code}: {spec.title}"), *map(Paragraph, texts)))
