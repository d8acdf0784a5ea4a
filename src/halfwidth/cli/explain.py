"""``halfwidth explain``: what a caution means and what to do about it, or what a method is."""

from __future__ import annotations

import re
from itertools import chain
from typing import Annotated

from halfwidth.cli import completion, explained_metrics
from halfwidth.cli.answer import Answer
from halfwidth.cli.methods import in_full
from halfwidth.cli.option_groups import argument
from halfwidth.core.cautions import CAUTIONS, CautionSpec
from halfwidth.core.cautions import explain as look_up
from halfwidth.core.errors import UnknownNameError
from halfwidth.core.references import cite
from halfwidth.document.parts import Document, Heading, Item, Items, Paragraph
from halfwidth.intervals.all_methods import METHODS, method_named

# What is meant to be the code of a caution.
_CODE = re.compile(r"(?i)\s*(hw)?\d")


def explain(
    code: Annotated[
        str | None,
        argument(
            "Code of a caution, for example HW201; or a method; or a metric; or of detections "
            "a criterion of localisation or a strategy of assignment.",
            "CODE",
            completed=completion.cautions,
        ),
    ] = None,
) -> Answer:
    """Say what a caution means and what to do about it; without a code, list all.

    Of a method it says what 'halfwidth methods NAME' says; of a metric its range and pitfalls; of
    detections how they are matched.

    \b
    halfwidth explain
    halfwidth explain HW201
    halfwidth explain dirichlet
    halfwidth explain nsd
    """
    if code is None:
        items = tuple(Item(spec.code, spec.title, spec.code) for spec in CAUTIONS)
        return Answer(Document((Items(items),)))
    if code.partition(":")[0] in METHODS:
        return Answer(in_full(method_named(code)))
    if explained_metrics.is_known(code):
        return Answer(explained_metrics.in_full(code))
    if not _CODE.match(code):
        names = (one.names for one in (METHODS, *explained_metrics.catalogues()))
        raise UnknownNameError(
            "code, method or metric", code, [*(spec.code for spec in CAUTIONS), *chain(*names)]
        )
    return Answer(_in_full(look_up(code)))


def _in_full(spec: CautionSpec) -> Document:
    texts = [spec.meaning, f"What to do: {spec.remedy}"]
    texts += [f"Source: {cite(spec.source)}"] if spec.source else []
    texts.append(f"Documentation: {spec.anchor}")
    return Document((Heading(f"{spec.code}: {spec.title}"), *map(Paragraph, texts)))
