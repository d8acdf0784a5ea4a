"""Parts that pages of metrics, statistics and methods share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import halfwidth.metrics
import halfwidth.summaries
from halfwidth.core.parameters import Parameter
from halfwidth.core.references import cite
from pages.docstrings import docstring
from pages.markdown import bullets, fenced, prose, table

# The definitions that a metric offers are told apart by its docstring, not by its spec.
TOLD_APART = "definition"
# Authors and a year, and nothing else.
NAMED_ALONE = re.compile(r"[^.;:(]*(?: et al\.)? \(\d{4}\)\.")


def definition(function: Callable[..., Any]) -> str:
    """The formula, as the docstring of the function has it."""
    told = docstring(function)
    return f"{prose(told.summary)}\n\n{prose(told.description)}".rstrip()


def parameters(declared: Iterable[Parameter], function: Callable[..., Any] | None = None) -> str:
    """A table of the parameters, and below it what the definitions among them mean."""
    declared = tuple(declared)
    rows = [
        [
            f"`{one.name}`",
            one.summary + (f", in {one.unit}" if one.unit else ""),
            one.allowed_text,
            _default(one),
        ]
        for one in declared
    ]
    if not rows:
        return ""
    listed = table(["name", "what", "allowed", "if not given"], rows)
    offered = function is not None and any(one.name == TOLD_APART for one in declared)
    said = docstring(function).parameter(TOLD_APART) if function and offered else ""
    return f"{listed}\n\n`{TOLD_APART}`: {prose(said)}" if said else listed


def session(function: Callable[..., Any]) -> str:
    """The example of the docstring, as a session of Python that imports what it calls."""
    example = docstring(function).example
    if not example:
        return ""
    imports = [f">>> from {_home(function)} import {function.__name__}"]
    if "np." in example and "import numpy" not in example:
        imports.append(">>> import numpy as np")
    typed = "\n".join([*imports, example])
    return f"The function itself:\n\n{fenced('pycon', typed)}"


def linked(codes: Sequence[str], up: str) -> str:
    """A list of cautions, each with its page."""
    specs = {spec.code: spec for spec in halfwidth.CAUTIONS}
    return bullets(
        [f"[{code}]({up}cautions.md#{code.lower()}): {specs[code].title}" for code in codes]
    )


def speaking_of(*names: str) -> list[str]:
    """The cautions about something that goes by one of these names; not those that advise it."""
    asked = re.compile(
        "|".join(rf"(?<![\w-]){re.escape(name)}(?![\w-]| coverage)" for name in names if name)
    )
    return [
        spec.code for spec in halfwidth.CAUTIONS if asked.search(f"{spec.title} {spec.meaning}")
    ]


def sources(key: str, told: str) -> str:
    """A reference in full, and what the docstring says of it and of others, if it says more."""
    if not key:
        return prose(told)
    said = NAMED_ALONE.fullmatch(told)
    return f"{cite(key)}\n\n{'' if said else prose(told)}".rstrip()


def named(names: Iterable[str]) -> str:
    """Names as code, with commas."""
    return ", ".join(f"`{name}`" for name in names)


def section(heading: str, *texts: str) -> str:
    """A section, or nothing where no text has anything to say."""
    told = [text for text in texts if text]
    return "\n\n".join([f"## {heading}", *told]) if told else ""


def _default(one: Parameter) -> str:
    if one.default is not None:
        return f"`{one.word(one.default)}`"
    if one.words:
        return f"`{one.words[0][0]}`"
    return "" if one.optional else "must be given"


def _home(function: Callable[..., Any]) -> str:
    """The module from which a user imports a function."""
    public = (halfwidth.metrics, halfwidth.summaries)
    found = (each for each in public if getattr(each, function.__name__, None) is function)
    return next((each.__name__ for each in found), function.__module__)
