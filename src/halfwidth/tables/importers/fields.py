"""Fields of documents that become columns, to group or to split by."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.io.table import TEXT

# A text is told from others by its beginning and a digest; nobody groups by more fields.
LONGEST, BEGINNING, MOST_FIELDS = 200, 60, 200


class Fields:
    """The texts, numbers and truth values of documents, a row for each; lists are left out."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._cells: dict[str, list[str | float]] = {}
        self._rows = 0

    def add(self, document: Any) -> None:
        """Add the fields of a document as the next row."""
        for name, text in texts_in(document).items():
            if name not in self._cells and len(self._cells) >= MOST_FIELDS:
                continue
            cells = self._cells.setdefault(name, [])
            cells += [math.nan] * (self._rows - len(cells))
            cells.append(text)
        self._rows += 1

    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns, under their names behind the prefix."""
        fields = {}
        for name, cells in self._cells.items():
            whole = [*cells, *[math.nan] * (self._rows - len(cells))]
            fields[f"{self._prefix}{name}"] = np.array(whole, dtype=TEXT)
        return fields


def texts_in(document: Any) -> dict[str, str]:
    """The texts, numbers and truth values of a document as texts, long ones cut."""
    fields = document.items() if isinstance(document, dict) else ()
    return {
        name: _shortened(str(value))
        for name, value in fields
        if isinstance(value, str | bool | int | float)
    }


def _shortened(text: str) -> str:
    """A long text by its beginning and a digest: who groups by it needs no more."""
    text = text.encode("utf-8", "replace").decode()
    if len(text) <= LONGEST:
        return text
    return f"{text[:BEGINNING]}… {hashlib.sha256(text.encode()).hexdigest()[:16]}"
