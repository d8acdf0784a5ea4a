"""What a numpydoc docstring says, part by part."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from halfwidth.core.frozen import frozen

HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


@frozen
class Docstring:
    """A docstring in its parts.

    Attributes
    ----------
    summary : str
        Its first line.
    description : str
        What follows up to the first heading: the formula, mostly.
    sections : mapping of str to str
        What stands under each heading.
    """

    summary: str
    description: str
    sections: Mapping[str, str]

    @property
    def returned(self) -> str:
        """What is returned, without its type: the range, and what NaN means."""
        lines = self.sections.get("Returns", "").splitlines()
        return " ".join(line.strip() for line in lines if line.startswith(" "))

    def parameter(self, name: str) -> str:
        """What is said of a parameter, without its type."""
        said = re.search(
            rf"^{name} :.*\n((?:[ ].*\n?)+)", self.sections.get("Parameters", ""), re.MULTILINE
        )
        return " ".join(said[1].split()) if said else ""

    @property
    def example(self) -> str:
        """The example, as a session of Python."""
        return self.sections.get("Examples", "").strip()

    @property
    def sources(self) -> str:
        """The references, as the docstring names them."""
        return " ".join(self.sections.get("References", "").split())


def docstring(function: Callable[..., Any]) -> Docstring:
    """The docstring of a function, parted."""
    head, *parts = HEADING.split(inspect.getdoc(function) or "")
    summary, _, description = head.strip().partition("\n")
    return Docstring(summary, description.strip(), dict(zip(parts[::2], parts[1::2], strict=True)))
