"""Parts that pages of metrics, statistics and methods share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import halfwidth as hw
from halfwidth.core.parameters import Parameter
from halfwidth.core.references import cite
from pages.docstrings import docstring
from pages.markdown import bullets, fenced, prose, table

CODE = re.compile(r"\bHW\d{3}\b")


def definition(function: Callable[..., Any]) -> str:
    """The formula, as the docstring of the function has it."""
    told = docstring(function)
    return f"{prose(told.summary)}\n\n{prose(told.description)}".rstrip()


def parameters(declared: Iterable[Parameter]) -> str:
    """A table of the parameters."""
    rows = [
        [
            f"`{one.name}`",
            one.summary + (f", in {one.unit}" if one.unit else ""),
            one.allowed_text,
            _default(one),
        ]
        for one in declared
    ]
    return table(["name", "what", "allowed", "if not given"], rows) if rows else ""


def session(function: Callable[..., Any]) -> str:
    """The example of the docstring, as a session of Python."""
    example = docstring(function).example
    return f"The function itself:\n\n{fenced('pycon', example)}" if example else ""


def linked(codes: Sequence[str], up: str) -> str:
    """A list of cautions, each with its page."""
    specs = {spec.code: spec for spec in hw.CAUTIONS}
    return bullets(
        [f"[{code}]({up}cautions.md#{code.lower()}): {specs[code].title}" for code in codes]
    )


def speaking_of(*names: str) -> list[str]:
    """The cautions whose text speaks of something by one of its names."""
    asked = re.compile(
        "|".join(rf"(?<![\w-]){re.escape(name)}(?![\w-]| coverage)" for name in names if name)
    )
    return [
        spec.code
        for spec in hw.CAUTIONS
        if asked.search(f"{spec.title} {spec.meaning} {spec.remedy}")
    ]


def source(key: str) -> str:
    """A reference in full."""
    return str(cite(key)) if key else ""


def named(names: Iterable[str]) -> str:
    """Names as code, with commas."""
    return ", ".join(f"`{name}`" for name in names)


def section(heading: str, *texts: str) -> str:
    """A section, or nothing where no text has anything to say."""
    told = [text for text in texts if text]
    return "\n\n".join([f"## {heading}", *told]) if told else ""


def with_links(text: str, up: str) -> str:
    """A text with a link behind each code of a caution."""
    return CODE.sub(lambda found: f"[{found[0]}]({up}cautions.md#{found[0].lower()})", text)


def _default(one: Parameter) -> str:
    if one.default is not None:
        return f"`{one.word(one.default)}`"
    return "" if one.optional else "must be given"
