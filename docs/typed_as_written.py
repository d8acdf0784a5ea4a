"""Types and defaults of parameters as people write them.

The parser reads ``array-like, shape (n,)`` as Python and would print ``(array - like, shape(n))``.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

from halfwidth.estimation.resolve import AUTO

WRITTEN = re.compile(r"^(\*{0,2}\w[\w, *]*?) : (.+)$", re.MULTILINE)
# Stands beside the type as well.
DEFAULT = re.compile(r", (?:default.*|optional)$")


class TypedAsWritten(griffe.Extension):
    """Puts the words of a docstring in the place of what the parser made of them."""

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        """Called for every function: its default method is a word, by whatever name it goes."""
        for one in func.parameters:
            if str(one.default) == "AUTO":
                one.default = repr(AUTO)

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called for everything that has a docstring."""
        if obj.docstring is None:
            return
        written = {
            name.strip(): kind
            for names, kind in WRITTEN.findall(obj.docstring.value)
            for name in names.split(",")
        }
        for section in obj.docstring.parsed:
            for one in section.value if isinstance(section.value, list) else ():
                # Of names that share a line without a type it takes the first one's for all.
                if getattr(one, "annotation", None) and getattr(one, "name", ""):
                    one.annotation = DEFAULT.sub("", written.get(one.name, "")) or None
