"""A document as data for programs: JSON and CSV."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from halfwidth.core.csv_cells import csv_text
from halfwidth.core.errors import OptionError
from halfwidth.core.formatting import json_text
from halfwidth.document.parts import Data, Document


def render_json(document: Document) -> str:
    """The object of the JSON contract; what is not finite is null."""
    values = _plain(_document_data(document).values())
    return json_text(values) + "\n"


def render_csv(document: Document) -> str:
    """The rows, with the columns of all of them in the order in which they come."""
    data = _document_data(document)
    rows = data.rows()
    names = list(dict.fromkeys([*data.columns, *(name for row in rows for name in row)]))
    return csv_text(names, ([row.get(name) for name in names] for row in rows)) if names else ""


def _document_data(document: Document) -> Data:
    if document.data is None:
        raise OptionError("there is nothing here for programs; leave out --format and --json")
    return document.data


def _plain(value: Any) -> Any:
    """Without types of NumPy; None for what is not finite."""
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    number = value.item() if hasattr(value, "item") else value
    return None if isinstance(number, float) and not math.isfinite(number) else number
